//! Hostile repositories, files, models and results, judged by what they leave behind.
//!
//! Each table runs many cases in one process, with the sandbox on and off. A case tries to leave a file with its number outside the project, to
//! change one of the canaries, or to bring key material into a request. What a person would see is checked in a terminal.

mod canary;
mod card;
mod file;
mod model;
mod repository;
mod result;

use std::process::Stdio;

use serde_json::{Value, json};

use crate::harness::{Builder, Model, Reply, Shell, Term};
use canary::Canaries;

/// Key material of the home directory: no request may hold it in any form. It is in two parts here, so that a search of the whole disk does
/// not find it in this file.
const KEY: &str = concat!("q7Zk2v", "R9mLx4Tn8WbY3cHd6F");
/// A token that the shell exports. Commands see it, the model does not.
const TOKEN: &str = "Jw5pQ9sVt2Xe7Ku4Gz8Mb3Nr";

/// What confines the commands, and who answers the questions.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Stance {
    /// Commands are confined, and the person says yes to everything.
    Confined,
    /// Nothing is confined, and nobody says yes.
    Unapproved,
}

impl Stance {
    const BOTH: [Stance; 2] = [Stance::Confined, Stance::Unapproved];
}

/// A call of the hostile model.
type Attack = (&'static str, Value);

fn bash(command: impl Into<String>) -> Attack {
    ("bash", json!({ "command": command.into() }))
}

/// A home directory with the project `app`, somebody else's files, and canaries.
struct Ground {
    builder: Builder,
    stance: Stance,
}

/// What came of a table of calls.
struct Aftermath {
    /// The bodies of all requests.
    bodies: Vec<String>,
    /// The results of the calls, in order.
    results: Vec<String>,
    /// Files that changed, appeared or went, outside the project and (unless it may be written) in it.
    changes: Vec<String>,
    builder: Builder,
}

impl Ground {
    fn new(stance: Stance) -> Ground {
        Ground::of(stance, Shell::Bash)
    }

    fn of(stance: Stance, shell: Shell) -> Ground {
        let level = if stance == Stance::Confined { "workspace" } else { "off" };
        let builder = Term::new(shell)
            .config(&format!("[sandbox]\nlevel = \"{level}\"\n"))
            .env("DEPLOY_TOKEN", TOKEN)
            .file("app/src/main.rs", "fn main() {}\n")
            .file("app/notes.txt", "one\ntwo\n")
            .file("other/work.txt", "of somebody else\n");
        let ground = Ground { builder: Canaries::plant(builder), stance };
        ground.shell("cd app && git init -q . && git config user.name me && git config user.email me@localhost && git add -A && git commit -qm one");
        ground
    }

    fn map(self, change: impl FnOnce(Builder) -> Builder) -> Ground {
        Ground { builder: change(self.builder), ..self }
    }

    /// Prepares the ground with a script of the person.
    fn shell(&self, script: &str) {
        let mut shell = std::process::Command::new("bash");
        shell.args(["-euc", script]).current_dir(self.builder.home()).env("HOME", self.builder.home());
        let output = shell.output().unwrap();
        assert!(output.status.success(), "{script}: {}", String::from_utf8_lossy(&output.stderr));
    }

    /// Lets a model make these calls in `app`, some at a time.
    fn attack(self, calls: &[Attack]) -> Aftermath {
        let canaries = Canaries::of(&self.builder, self.stance);
        let replies = calls.chunks(40).map(Reply::calls).chain([Reply::text(["done"])]);
        let model = Model::start(replies);
        let app = self.builder.home().join("app");
        let yes: &[&str] = if self.stance == Stance::Confined { &["--yes"] } else { &[] };
        let builder = self.builder.env("OPENAI_BASE_URL", model.url()).env("SHELLMATE_MODEL", "scripted").dir(app);
        let builder = builder.args([&["ask"], yes, &["go"]].concat());
        let output = builder.command().stdin(Stdio::null()).output().unwrap();
        let said = String::from_utf8_lossy(&output.stderr);
        assert!(String::from_utf8_lossy(&output.stdout).contains("done"), "{said}");
        let bodies: Vec<Value> = model.others().into_iter().map(|request| request.body).collect();
        let last = bodies.last().and_then(|body| body["messages"].as_array()).cloned().unwrap_or_default();
        let results =
            last.iter().filter(|message| message["role"] == "tool").map(|message| match &message["content"] {
                Value::String(text) => text.clone(),
                parts => parts.to_string(),
            });
        let results: Vec<String> = results.collect();
        assert_eq!(results.len(), calls.len(), "{said}");
        let bodies = bodies.iter().map(Value::to_string).collect();
        let changes = canaries.changes(&builder, self.stance);
        Aftermath { bodies, results, changes, builder }
    }
}

impl Aftermath {
    /// Nothing changed that may not change, and no request holds key material.
    #[track_caller]
    fn assert_harmless(&self, calls: &[Attack]) {
        let told: Vec<String> =
            calls.iter().zip(&self.results).map(|(call, result)| format!("{call:?}\n    {result}")).collect();
        assert_eq!(self.changes, Vec::<String>::new(), "\n{}", told.join("\n"));
        for body in &self.bodies {
            let leaks: Vec<String> = [KEY, TOKEN].into_iter().flat_map(|secret| canary::leaks(body, secret)).collect();
            assert_eq!(leaks, Vec::<String>::new(), "\n{}", told.join("\n"));
        }
    }
}
