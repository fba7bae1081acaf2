//! A day of ordinary work: how often a person is asked who answers with the approvals that a card offers.

use std::os::unix::fs::PermissionsExt;
use std::sync::{Arc, Mutex};

use futures_util::future::{BoxFuture, ready};
use serde_json::{Value, json};
use tokio_util::sync::CancellationToken;

use super::front::Approver;
use super::testing::{ProjectHome, TestAgent, says, uses};
use super::{Approval, Decision, Query};
use crate::chat::Ending;
use crate::guard::{GrantOffers, GrantScope, GrantWidth, Grants, LastingGrants, Permissions};
use crate::tool::{Timeouts, Toolbox};

/// The most questions of a day.
const MOST_QUESTIONS: usize = 10;

/// Answers each question with the widest approval for the project that the card offers.
#[derive(Default)]
struct SensiblePerson {
    asked: Mutex<Vec<String>>,
    /// Whether they switch to auto mode where it is offered.
    likes_auto: bool,
}

impl Approver for SensiblePerson {
    fn approve(&self, request: Approval) -> BoxFuture<'static, Decision> {
        let GrantOffers { auto, .. } = request.offers;
        let wanted = [
            (GrantWidth::Wide, GrantScope::Project),
            (GrantWidth::Exact, GrantScope::Project),
            (GrantWidth::Exact, GrantScope::Session),
        ];
        let offered = wanted.into_iter().find(|(width, scope)| request.offers.find(*width, *scope).is_some());
        let answer = match offered {
            _ if auto && self.likes_auto => Decision::AutoMode,
            Some((width, scope)) => Decision::Granted { width, scope },
            None => Decision::Once,
        };
        self.asked.lock().unwrap().push(format!("{}  ->  {answer:?}", request.title));
        Box::pin(ready(answer))
    }
}

fn bash(command: &str) -> (&'static str, Value) {
    ("bash", json!({ "command": command }))
}

fn read(path: &str) -> (&'static str, Value) {
    ("read_file", json!({ "path": path }))
}

fn write(path: &str, content: &str) -> (&'static str, Value) {
    ("write_file", json!({ "path": path, "content": content }))
}

/// The calls of one task: finding the place, changing it, testing, committing.
fn task(number: usize) -> Vec<(&'static str, Value)> {
    let source = format!("src/part{number}.rs");
    let change = (
        "edit_file",
        json!({ "path": "src/lib.rs", "old_string": format!("fn f{number}()"), "new_string": format!("fn g{number}()") }),
    );
    vec![
        bash("git status --short && git log --oneline -5"),
        bash("ls -la src; cat Cargo.toml package.json"),
        ("grep", json!({ "pattern": "fn f" })),
        ("glob", json!({ "pattern": "**/*.rs" })),
        read("src/lib.rs"),
        bash("grep -rn 'fn f' src | head -20"),
        change,
        write(&source, &format!("pub fn part{number}() {{}}\n")),
        bash("cargo build 2>&1 | tail -20"),
        bash(&format!("cargo test part{number}")),
        bash("cd src && cargo test --lib"),
        bash("RUST_BACKTRACE=1 cargo test 2>&1 | grep -c ok"),
        bash("cargo clippy --all-targets"),
        bash("cargo fmt"),
        bash("git diff --stat; git diff | head -50"),
        read("web/index.js"),
        write(&format!("web/part{number}.js"), "export const a = 1;\n"),
        bash("npm test"),
        bash("find . -name '*.py' | wc -l; sed -n 1,20p tools/run.py"),
        bash("python3 -m pytest -q"),
        bash(&format!("git add -A && git commit -m 'part {number}: do it'")),
    ]
}

/// All calls of the day, with what happens once.
fn day() -> Vec<Vec<(&'static str, Value)>> {
    let mut tasks: Vec<Vec<(&'static str, Value)>> = (0..9).map(task).collect();
    let manifest = json!({ "name": "web", "version": "2", "scripts": { "test": "jest" } });
    tasks[2].extend([read("package.json"), write("package.json", &manifest.to_string())]);
    tasks[3].extend([bash("mkdir -p docs/new"), write("docs/new/a.md", "# A\n")]);
    tasks[4].extend([bash("rm docs/new/a.md"), bash("ls docs; git branch -a; wc -l src/*.rs; which cargo")]);
    tasks[5].extend([bash("head -n 3 src/lib.rs; tail -n 3 src/lib.rs"), bash("cat src/lib.rs | sort | uniq -c")]);
    tasks[6].extend([bash("du -sh src; date; pwd"), bash("git show --stat HEAD; git blame -L1,3 src/lib.rs")]);
    tasks[8].push(bash("git push"));
    tasks
}

fn project(home: &ProjectHome) {
    home.write("app/Cargo.toml", "[package]\nname = \"app\"\nversion = \"0.1.0\"\n");
    home.write("app/package.json", r#"{"name": "web", "version": "1", "scripts": {"test": "jest"}}"#);
    home.write("app/src/lib.rs", (0..9).map(|number| format!("pub fn f{number}() {{}}\n")).collect::<String>());
    home.write("app/web/index.js", "export {};\n");
    home.write("app/tools/run.py", "print('hi')\n");
    home.write("app/.git/HEAD", "ref: refs/heads/main\n");
    for directory in ["app/.git/objects", "app/.git/refs"] {
        std::fs::create_dir_all(home.path(directory)).unwrap();
    }
    // The builds themselves do not matter here.
    for program in ["cargo", "npm"] {
        home.write(&format!("bin/{program}"), "#!/bin/sh\necho ok\n");
        let executable = std::fs::Permissions::from_mode(0o755);
        std::fs::set_permissions(home.path(&format!("bin/{program}")), executable).unwrap();
    }
}

/// Works through these tasks. Returns the number of calls and the questions.
fn work(tasks: Vec<Vec<(&'static str, Value)>>, person: SensiblePerson) -> (usize, Vec<String>) {
    let home = ProjectHome::new();
    project(&home);
    let calls = tasks.iter().map(Vec::len).sum();
    let mut agent = TestAgent::new([], vec![]);
    let lasting = LastingGrants::new(home.path("state/grants.json"), 30);
    agent.kit.permissions = Permissions::new(Arc::default(), Arc::default(), Grants::with_lasting(lasting));
    agent.kit.toolbox = Toolbox::standard(Timeouts::default());
    agent.kit.limits.steps = 100;
    let person = Arc::new(person);
    for task in tasks {
        let steps = task.into_iter().map(|(tool, arguments)| uses(&[(tool, &arguments.to_string())]));
        agent.model.answer_with(steps.chain([says("done")]));
        let mut query = Query::scripted("next task");
        query.view.cwd = home.path("app");
        let path = format!("/usr/local/bin:/usr/bin:/bin:{}", home.path("bin").display());
        query.view.environment = vec![("HOME".into(), home.path("").into()), ("PATH".into(), path.into())];
        let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build().unwrap();
        let mut turn = agent.begin(CancellationToken::new());
        turn.approver = person.clone();
        assert_eq!(runtime.block_on(turn.run(query)).ending, Ending::Answered);
    }
    let asked = person.asked.lock().unwrap().clone();
    (calls, asked)
}

#[test]
#[allow(clippy::print_stderr, reason = "the list of questions is worth a look")]
fn a_day_of_ordinary_work_needs_few_questions() {
    let (calls, asked) = work(day(), SensiblePerson::default());
    eprintln!("{calls} calls, {} questions:\n  {}", asked.len(), asked.join("\n  "));
    assert!(calls >= 200, "{calls} calls");
    assert!(asked.len() <= MOST_QUESTIONS && !asked.is_empty(), "{asked:#?}");
}

#[test]
fn in_auto_mode_ordinary_work_needs_hardly_any_question() {
    let mut tasks = day();
    tasks.truncate(5);
    let (_, asked) = work(tasks, SensiblePerson { likes_auto: true, ..SensiblePerson::default() });
    assert_eq!(asked.len(), 1, "the first question offers auto mode: {asked:#?}");
}
