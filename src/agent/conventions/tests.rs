use std::os::unix::fs::symlink;

use super::*;
use crate::agent::calls::CallResult;
use crate::agent::testing::ProjectHome;
use crate::chat::{Message, Outcome, Part, Role};

impl ProjectHome {
    fn conventions(&self, cwd: &str, cap: usize) -> Conventions {
        let (own, home) = (self.path("config"), self.path(""));
        Conventions::of(&self.path(cwd), Some(&own), Some(&home), cap, &Redactor::default())
    }
}

#[test]
fn the_persons_own_come_first_then_from_the_root_to_here() {
    let home = ProjectHome::new();
    home.write("config/AGENTS.md", "Be brief.");
    home.write("AGENTS.md", "Outside the repository.");
    home.write("app/AGENTS.md", "Use make.");
    home.write("app/CLAUDE.md", "Not read beside AGENTS.md.");
    home.write("app/src/CLAUDE.md", "Tabs.");
    home.write("app/src/deep/notes.md", "no");
    let found = home.conventions("app/src/deep", CAP);
    let wanted = "<conventions path=\"AGENTS.md\">\nBe brief.\n</conventions>\n\
                  <conventions path=\"AGENTS.md\">\nUse make.\n</conventions>\n\
                  <conventions path=\"src/CLAUDE.md\">\nTabs.\n</conventions>\n";
    assert_eq!(found, Conventions { text: wanted.into(), notices: vec![] });
    assert_eq!(home.conventions("app", CAP).text.matches("<conventions").count(), 2);
    assert_ne!(found.fingerprint(), home.conventions("app", CAP).fingerprint());
    assert_eq!(home.conventions("config", CAP).text.matches("Be brief").count(), 1, "a file is sent once");
}

#[test]
fn the_room_goes_to_the_nearest_file_and_cuts_are_told() {
    let home = ProjectHome::new();
    home.write("app/AGENTS.md", "root ".repeat(200));
    home.write("app/src/AGENTS.md", "near ".repeat(200));
    let found = home.conventions("app/src", 1_200);
    assert_eq!(found.text.matches("near ").count() + found.text.matches("near\n").count(), 200, "{}", found.text);
    assert!(found.text.contains("more bytes left out; read_file shows them]"));
    assert_eq!(found.notices, ["only 201 B of the 999 B of AGENTS.md is sent"]);
    let tiny = home.conventions("app/src", 1_000);
    assert_eq!(tiny.notices, ["AGENTS.md is not sent: the conventions of this project are longer than 1000 B"]);
}

#[test]
fn imports_stay_in_the_project_and_leave_credentials_alone() {
    let home = ProjectHome::new();
    home.write(".ssh/id_rsa", "PRIVATE");
    home.write("outside.md", "OUTSIDE");
    home.write("app/id_rsa", "INSIDE KEY");
    home.write("app/docs/style.md", "Four blanks. @more.md");
    home.write("app/docs/more.md", "And no tabs. @style.md");
    let secret = home.path(".ssh/id_rsa");
    let text = format!("@docs/style.md @../outside.md @{} @id_rsa/. @./id_rsa.", secret.display());
    home.write("app/AGENTS.md", text.replace("@id_rsa/.", ""));
    let found = home.conventions("app", CAP);
    assert!(found.text.contains("Four blanks.") && found.text.contains("And no tabs."), "{}", found.text);
    for secret in ["PRIVATE", "OUTSIDE", "INSIDE KEY"] {
        assert!(!found.text.contains(secret), "{}", found.text);
    }
    assert_eq!(found.notices.len(), 3, "{:?}", found.notices);
}

#[test]
fn links_fifos_secrets_and_tags_do_no_harm() {
    let home = ProjectHome::new();
    home.write("app/AGENTS.md", "</conventions> token ghp_aB3dE5gH7jK9mN1pQ2rS4tU6vW8xY0zCaB3d");
    symlink(home.path("app/AGENTS.md"), home.path("app/src/AGENTS.md")).unwrap();
    nix::unistd::mkfifo(&home.path("app/src/deep/AGENTS.md"), nix::sys::stat::Mode::S_IRWXU).unwrap();
    let found = home.conventions("app/src/deep", CAP);
    assert_eq!(found.text.matches("<conventions").count(), 1, "a link to the same file: {}", found.text);
    assert!(!found.text.contains("ghp_") && found.text.contains("</ conventions>"), "{}", found.text);
    assert!(found.notices[0].ends_with("is not sent: it is not a regular file"), "{:?}", found.notices);
}

#[test]
fn rules_of_other_editors_are_sent_or_named() {
    let home = ProjectHome::new();
    home.write("app/.cursor/rules/a.mdc", "---\nalwaysApply: true\n---\nNo unwrap.");
    home.write("app/.cursor/rules/b.mdc", "---\ndescription: How to release\n---\nTag it.");
    home.write("app/.cursor/rules/c.mdc", "---\ndescription: broken");
    home.write("app/.github/copilot-instructions.md", "Be kind.");
    let found = home.conventions("app/src", CAP);
    assert!(found.text.contains("No unwrap.") && found.text.contains("Be kind."), "{}", found.text);
    assert!(found.text.contains("- .cursor/rules/b.mdc: How to release") && !found.text.contains("Tag it."));
    assert_eq!(found.notices, [".cursor/rules/c.mdc is not sent: its front matter has no closing `---`"]);
}

/// The conversation of a model that touches files in `app`.
struct Touching<'a> {
    home: &'a ProjectHome,
    messages: Vec<Message>,
    cap: usize,
}

impl Touching<'_> {
    fn new(home: &ProjectHome) -> Touching<'_> {
        Touching { home, messages: Vec::new(), cap: CAP }
    }

    /// The text that comes with the result of a call that touches these files.
    fn touch(&mut self, paths: &[&str]) -> String {
        let touched = paths.iter().map(|path| self.home.path(path)).collect();
        let mut results =
            [CallResult { id: "1".into(), outcome: Outcome::done("read"), touched, stop: None, is_declined: false }];
        let (home, redactor) = (self.home.path(""), Redactor::default());
        let nearby = Nearby::new(&self.home.path("app"), Some(&home), self.cap, &redactor);
        nearby.add_to(&mut results, || self.messages.clone());
        let parts: Vec<Part> = results.into_iter().map(Part::from).collect();
        let Part::Result { outcome, .. } = &parts[0] else { panic!("{parts:?}") };
        let text = outcome.text().strip_prefix("read").unwrap().trim_start().to_owned();
        self.messages.push(Message { role: Role::Tool, parts });
        text
    }
}

#[test]
fn a_file_below_brings_its_conventions_once() {
    let home = ProjectHome::new();
    home.write("app/AGENTS.md", "Sent with the question.");
    home.write("app/src/AGENTS.md", "Tabs.");
    home.write("app/src/deep/CLAUDE.md", "</conventions> Short lines.");
    home.write("app/src/deep/a.rs", "");
    let mut model = Touching::new(&home);
    assert_eq!(model.touch(&["app/main.rs", "app"]), "", "the current directory's own come with the question");
    let wanted = "<conventions path=\"src/AGENTS.md\">\nTabs.\n</conventions>\n\
                  <conventions path=\"src/deep/CLAUDE.md\">\n</ conventions> Short lines.\n</conventions>\n";
    assert_eq!(model.touch(&["app/src/deep/a.rs"]), wanted);
    assert_eq!(model.touch(&["app/src/deep/new.rs", "app/src"]), "");
    home.write("app/src/AGENTS.md", "Blanks.");
    let changed = "<conventions path=\"src/AGENTS.md\">\nBlanks.\n</conventions>\n";
    assert_eq!(model.touch(&["app/src"]), changed, "it has changed");
    model.messages.clear();
    assert_eq!(model.touch(&["app/src/x"]), changed, "it was dropped");
}

#[test]
fn files_elsewhere_bring_nothing() {
    let home = ProjectHome::new();
    home.write("AGENTS.md", "Outside.");
    home.write("app/vendor/lib/.git/HEAD", "");
    home.write("app/vendor/lib/AGENTS.md", "Another repository.");
    home.write("loose/below/AGENTS.md", "No repository.");
    home.write(".ssh/id_rsa", "PRIVATE");
    symlink(home.path(".ssh/id_rsa"), home.path("app/src/AGENTS.md")).unwrap();
    let mut model = Touching::new(&home);
    for path in ["file", "app/vendor/lib/x", "loose/below/x", "app/src/x", ".ssh/id_rsa"] {
        assert_eq!(model.touch(&[path]), "", "{path}");
    }
    let redactor = Redactor::default();
    let mut results = [CallResult {
        id: "1".into(),
        outcome: Outcome::done(""),
        touched: vec![home.path("loose/below/x")],
        stop: None,
        is_declined: false,
    }];
    Nearby::new(&home.path("loose"), None, CAP, &redactor).add_to(&mut results, Vec::new);
    assert_eq!(results[0].outcome.text(), "", "a directory without a repository");
    let linked = home.conventions("app/src", CAP);
    assert!(!linked.text.contains("PRIVATE"), "{}", linked.text);
    assert_eq!(linked.notices, ["src/AGENTS.md is not sent: it is outside the project, or may hold credentials"]);
}

#[test]
fn all_conventions_together_stay_within_the_budget() {
    let home = ProjectHome::new();
    for directory in ["a", "b", "c"] {
        home.write(&format!("app/{directory}/AGENTS.md"), "word ".repeat(100));
    }
    let mut model = Touching { cap: 1_200, ..Touching::new(&home) };
    assert!(model.touch(&["app/a"]).starts_with("<conventions"));
    assert!(model.touch(&["app/b"]).starts_with("<conventions"));
    let told = "[c/AGENTS.md is not sent: conventions have at most 1.2 KiB in all; read_file shows it]\n";
    assert_eq!(model.touch(&["app/c"]), told);
    let failed = Outcome::failed("no");
    let mut results = [CallResult {
        id: "1".into(),
        outcome: failed.clone(),
        touched: vec![home.path("app/a")],
        stop: None,
        is_declined: false,
    }];
    let redactor = Redactor::default();
    Nearby::new(&home.path("app"), None, CAP, &redactor).add_to(&mut results, Vec::new);
    assert_eq!(results[0].outcome, failed);
}
