use super::*;
use crate::guard::TrustStore;

struct Home(tempfile::TempDir);

impl Home {
    fn new(files: &[(&str, &str)]) -> Home {
        let home = Home(tempfile::tempdir().unwrap());
        for (name, text) in files {
            let path = home.0.path().join(name);
            fs::create_dir_all(path.parent().unwrap()).unwrap();
            fs::write(path, text).unwrap();
        }
        home
    }

    fn find(&self, is_trusted: bool) -> OwnCommands {
        let store = TrustStore::new(Some(self.0.path().join("trust.json")));
        let mut project = Project::of(&self.0.path().join("app"), &store).map(Result::unwrap);
        if let Some(project) = project.as_mut().filter(|_| is_trusted) {
            project.trust(&store).unwrap();
        }
        let own = self.0.path().join("config");
        OwnCommands::find(Some(&own), project.as_ref(), Some(self.0.path()), &|name| name == "help")
    }
}

fn problems(commands: &OwnCommands) -> Vec<String> {
    commands.problems.iter().map(ToString::to_string).collect()
}

#[test]
fn commands_have_names_descriptions_hints_and_models() {
    let home = Home::new(&[
        (
            "config/commands/review.md",
            "---\ndescription: reviews a file\nargument-hint: FILE\nmodel: openai/small:low\n---\n\nReview @$1 for $ARGUMENTS.\n",
        ),
        ("config/commands/git/commit-all.md", "# Commit everything\n\nWrite a message."),
        ("config/commands/notes.txt", "not a command"),
        ("config/commands/.hidden.md", "not a command"),
    ]);
    let found = home.find(false);
    let listed: Vec<(&str, &str, &str)> =
        found.list.iter().map(|one| (one.name.as_str(), one.description.as_str(), one.hint.as_str())).collect();
    assert_eq!(listed, [("git:commit-all", "Commit everything", ""), ("review", "reviews a file", "FILE")]);
    assert_eq!(problems(&found), Vec::<String>::new());
    let called = found.call("/review src/main.rs bugs").unwrap();
    assert_eq!(called.text, "Review @src/main.rs for src/main.rs bugs.");
    assert_eq!(called.model.as_deref(), Some("openai/small:low"));
    assert_eq!(found.call("/git:commit-all").unwrap().text, "# Commit everything\n\nWrite a message.");
    assert_eq!((found.call("/other"), found.call("review x"), found.call("/etc/hosts")), (None, None, None));
    assert_eq!(
        found.refusal("/reveiw x").unwrap(),
        "there is no /reveiw (did you mean /review?); /help lists the commands"
    );
    assert_eq!(found.refusal("/zzz"), None);
}

#[test]
fn a_project_comes_first_once_it_is_trusted() {
    let home = Home::new(&[
        ("app/.git/HEAD", ""),
        ("app/.shellmate/commands/test.md", "Run the project's tests."),
        ("app/.shellmate/commands/ci/fix.md", "Fix CI."),
        ("config/commands/test.md", "Run my tests."),
    ]);
    let untrusted = home.find(false);
    assert_eq!(untrusted.call("/test").unwrap().text, "Run my tests.");
    assert_eq!(untrusted.call("/ci:fix"), None);
    assert!(untrusted.refusal("/ci:fix").unwrap().contains("the project is not trusted; `shellmate trust`"));
    let trusted = home.find(true);
    assert_eq!(trusted.call("/test").unwrap().text, "Run the project's tests.");
    assert_eq!(trusted.call("/ci:fix").unwrap().text, "Fix CI.");
    assert_eq!(
        problems(&trusted),
        ["~/config/commands/test.md is not used: ~/app/.shellmate/commands/test.md has the same name"]
    );
}

#[test]
fn a_file_that_cannot_be_used_is_named_with_its_reason() {
    let home = Home::new(&[
        ("config/commands/a.md", "---\ndescription: x\nwrong\n---\nbody"),
        ("config/commands/b.md", "---\ndescription: x\n"),
        ("config/commands/c c.md", "body"),
        ("config/commands/d.md", "---\ndescription: x\n---\n \n"),
        ("config/commands/e.md", &"x".repeat(LARGEST as usize + 1)),
        ("config/commands/help.md", "body"),
        ("config/commands/skill/x.md", "body"),
    ]);
    let found = home.find(false);
    assert_eq!(found.list, []);
    assert_eq!(
        problems(&found),
        [
            "~/config/commands/a.md is not used: line 2 of its front matter is not `key: value`",
            "~/config/commands/b.md is not used: its front matter has no closing `---`",
            "~/config/commands/c c.md is not used: its name may contain only letters, digits, - and _",
            "~/config/commands/d.md is not used: it is empty",
            "~/config/commands/e.md is not used: it is larger than 64 KiB",
            "~/config/commands/help.md is not used: /help is a built-in command",
            "~/config/commands/skill/x.md is not used: /skill:x is a built-in command",
        ]
    );
    assert!(found.refusal("/a x").unwrap().contains("line 2 of its front matter"));
}

#[test]
fn the_number_of_commands_is_limited() {
    let home = Home::new(&[]);
    let directory = home.0.path().join("config/commands");
    fs::create_dir_all(&directory).unwrap();
    for number in 0..=MOST {
        fs::write(directory.join(format!("c{number:04}.md")), "x").unwrap();
    }
    let found = home.find(false);
    assert_eq!(found.list.len(), MOST);
    assert_eq!(problems(&found), ["~/config/commands is not searched further: it has too many files"]);
}

#[test]
fn an_argument_hint_in_brackets_is_shown_as_it_is_written() {
    let home = Home::new(&[
        ("config/commands/one.md", "---\nargument-hint: [message]\n---\nbody"),
        ("config/commands/two.md", "---\nargument-hint: [pr-number] [priority]\nunknown: {x: y}\n---\nbody"),
    ]);
    let found = home.find(false);
    let hints: Vec<&str> = found.list.iter().map(|one| one.hint.as_str()).collect();
    assert_eq!((hints.as_slice(), problems(&found)), (["[message]", "[pr-number] [priority]"].as_slice(), vec![]));
}

#[test]
fn a_link_to_a_directory_that_was_searched_leads_nowhere_new() {
    let home = Home::new(&[("config/commands/git/one.md", "body")]);
    let directory = home.0.path().join("config/commands");
    std::os::unix::fs::symlink(".", directory.join("loop")).unwrap();
    std::os::unix::fs::symlink("../commands", directory.join("git/up")).unwrap();
    let found = home.find(false);
    let names: Vec<&str> = found.list.iter().map(|one| one.name.as_str()).collect();
    assert_eq!((names.as_slice(), problems(&found)), (["git:one"].as_slice(), vec![]));
}

#[test]
fn a_directory_that_cannot_be_read_is_named() {
    let home = Home::new(&[("config/commands", "a file")]);
    let said = problems(&home.find(false));
    assert!(said.len() == 1 && said[0].starts_with("~/config/commands cannot be read: "), "{said:?}");
    assert_eq!(problems(&Home::new(&[]).find(false)), Vec::<String>::new());
}
