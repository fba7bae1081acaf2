use std::fs;
use std::os::unix::fs::symlink;
use std::path::PathBuf;

use super::*;

/// A home with a repository in it.
struct Home(tempfile::TempDir);

impl Home {
    fn new() -> Home {
        let home = Home(tempfile::tempdir().unwrap());
        fs::create_dir_all(home.path("app/.git")).unwrap();
        fs::create_dir_all(home.path("app/src/deep")).unwrap();
        home
    }

    fn path(&self, below: &str) -> PathBuf {
        self.0.path().canonicalize().unwrap().join(below)
    }

    fn write(&self, below: &str, text: &str) {
        let path = self.path(below);
        fs::create_dir_all(path.parent().unwrap()).unwrap();
        fs::write(path, text).unwrap();
    }

    fn conventions(&self, cwd: &str, cap: usize) -> Conventions {
        let (own, home) = (self.path("config"), self.path(""));
        Conventions::of(&self.path(cwd), Some(&own), Some(&home), cap, &Redactor::default())
    }
}

#[test]
fn the_persons_own_come_first_then_from_the_root_to_here() {
    let home = Home::new();
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
    let home = Home::new();
    home.write("app/AGENTS.md", &"root ".repeat(200));
    home.write("app/src/AGENTS.md", &"near ".repeat(200));
    let found = home.conventions("app/src", 1_200);
    assert_eq!(found.text.matches("near ").count() + found.text.matches("near\n").count(), 200, "{}", found.text);
    assert!(found.text.contains("more bytes left out; read_file shows them]"));
    assert_eq!(found.notices, ["201 B of 999 B of AGENTS.md are sent"]);
    let tiny = home.conventions("app/src", 1_000);
    assert_eq!(tiny.notices, ["AGENTS.md is not sent: the conventions of this project are longer than 1000 B"]);
}

#[test]
fn imports_stay_in_the_project_and_leave_credentials_alone() {
    let home = Home::new();
    home.write(".ssh/id_rsa", "PRIVATE");
    home.write("outside.md", "OUTSIDE");
    home.write("app/id_rsa", "INSIDE KEY");
    home.write("app/docs/style.md", "Four blanks. @more.md");
    home.write("app/docs/more.md", "And no tabs. @style.md");
    let secret = home.path(".ssh/id_rsa");
    let text = format!("@docs/style.md @../outside.md @{} @id_rsa/. @./id_rsa.", secret.display());
    home.write("app/AGENTS.md", &text.replace("@id_rsa/.", ""));
    let found = home.conventions("app", CAP);
    assert!(found.text.contains("Four blanks.") && found.text.contains("And no tabs."), "{}", found.text);
    for secret in ["PRIVATE", "OUTSIDE", "INSIDE KEY"] {
        assert!(!found.text.contains(secret), "{}", found.text);
    }
    assert_eq!(found.notices.len(), 3, "{:?}", found.notices);
}

#[test]
fn links_fifos_secrets_and_tags_do_no_harm() {
    let home = Home::new();
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
    let home = Home::new();
    home.write("app/.cursor/rules/a.mdc", "---\nalwaysApply: true\n---\nNo unwrap.");
    home.write("app/.cursor/rules/b.mdc", "---\ndescription: How to release\n---\nTag it.");
    home.write("app/.cursor/rules/c.mdc", "---\ndescription: broken");
    home.write("app/.github/copilot-instructions.md", "Be kind.");
    let found = home.conventions("app/src", CAP);
    assert!(found.text.contains("No unwrap.") && found.text.contains("Be kind."), "{}", found.text);
    assert!(found.text.contains("- .cursor/rules/b.mdc: How to release") && !found.text.contains("Tag it."));
    assert_eq!(found.notices, [".cursor/rules/c.mdc is not sent: its front matter has no end"]);
}
