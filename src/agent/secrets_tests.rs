//! Masked secrets in what the model writes, and the decisions that are reported about calls.

use tokio_util::sync::CancellationToken;

use super::testing::{TestAgent, says, uses};
use super::{Approval, Decision, Query};
use crate::chat::{CallDecision, Decider, Event};
use crate::guard::{GrantOffers, PermissionMode};
use crate::tool::{Preview, Timeouts, Toolbox};

const SECRET: &str = "Zq7vN2xLw9Tf4Rb8Kc3M";
const MASKED: &str = "[masked: $DEPLOY_TOKEN #1]";

/// A model that makes one call, in a project of its own.
struct Project {
    home: tempfile::TempDir,
    agent: TestAgent,
}

impl Project {
    fn new(tool: &str, arguments: serde_json::Value, answer: Decision) -> Project {
        let home = tempfile::tempdir().unwrap();
        let mut agent = TestAgent::new([uses(&[(tool, &arguments.to_string())]), says("ok")], vec![]);
        agent.kit.toolbox = Toolbox::standard(Timeouts::default());
        agent.kit.redactor.learn(&[("DEPLOY_TOKEN".into(), SECRET.into())]);
        agent.person.answers.lock().unwrap().push_back(answer);
        Project { home, agent }
    }

    /// Asks a question that names the secret, so that it has a placeholder.
    fn ask(&mut self) {
        let mut query = Query::scripted(&format!("put {SECRET} into a file"));
        query.view.cwd = self.home.path().canonicalize().unwrap();
        query.view.environment = vec![("DEPLOY_TOKEN".into(), SECRET.into())];
        self.agent.run(query, CancellationToken::new());
    }

    fn asked(&self) -> Vec<Approval> {
        self.agent.person.asked.lock().unwrap().clone()
    }

    fn file(&self) -> Option<String> {
        std::fs::read_to_string(self.home.path().join("conf")).ok()
    }

    fn decisions(&self) -> Vec<CallDecision> {
        let heard = self.agent.ear.heard().into_iter();
        let decisions = heard.filter_map(|event| match event {
            Event::CallDecided { decision, .. } => Some(decision),
            _ => None,
        });
        decisions.collect()
    }
}

fn write() -> serde_json::Value {
    serde_json::json!({ "path": "conf", "content": format!("token = {MASKED}\n") })
}

#[test]
fn a_secret_is_put_back_into_a_file_after_a_yes_to_that() {
    let mut project = Project::new("write_file", write(), Decision::Once);
    project.ask();
    assert_eq!(project.file().unwrap(), format!("token = {SECRET}\n"));
    let [asked] = &project.asked()[..] else { panic!("one question") };
    assert_eq!((&asked.secrets[..], &asked.offers), (&["DEPLOY_TOKEN".to_owned()][..], &GrantOffers::default()));
    let Some(Preview::Edit { after, .. }) = &asked.preview else { panic!("a diff") };
    assert_eq!(*after, format!("token = {MASKED}\n"), "the diff keeps the placeholder");
    let said = format!("{:?}{:?}", project.agent.ear.heard(), project.agent.model.requests.lock().unwrap());
    assert!(!said.contains(SECRET) && said.contains("token = [masked:"), "{said}");
}

#[test]
fn an_edit_puts_a_secret_back_into_its_new_text() {
    let arguments =
        serde_json::json!({ "path": "conf", "edits": [{ "old_string": "old", "new_string": format!("{MASKED}!") }] });
    let mut project = Project::new("edit_file", arguments, Decision::Once);
    std::fs::write(project.home.path().join("conf"), "an old text\n").unwrap();
    project.ask();
    assert_eq!(project.file().unwrap(), format!("an {SECRET}! text\n"));
    assert_eq!(project.asked()[0].secrets, ["DEPLOY_TOKEN"]);
}

#[test]
fn a_secret_needs_a_yes_in_auto_mode_too() {
    let mut project = Project::new("write_file", write(), Decision::No { why: None });
    project.agent.kit.permissions.choice.set(Some(PermissionMode::Auto));
    project.ask();
    assert_eq!((project.asked().len(), project.file()), (1, None));
    let plain = serde_json::json!({ "path": "conf", "content": "x" });
    let mut project = Project::new("write_file", plain, Decision::No { why: None });
    project.agent.kit.permissions.choice.set(Some(PermissionMode::Auto));
    project.ask();
    assert_eq!((project.asked().len(), project.file().as_deref()), (0, Some("x")));
}

#[test]
fn a_placeholder_in_a_path_an_old_text_or_a_command_is_refused() {
    let text = format!("a {MASKED}");
    for (tool, arguments) in [
        ("write_file", serde_json::json!({ "path": MASKED, "content": text })),
        ("edit_file", serde_json::json!({ "path": "conf", "edits": [{ "old_string": text, "new_string": "b" }] })),
        ("bash", serde_json::json!({ "command": format!("echo {MASKED} > conf") })),
    ] {
        let mut project = Project::new(tool, arguments, Decision::Once);
        std::fs::write(project.home.path().join("conf"), &text).unwrap();
        project.ask();
        assert_eq!(project.file().as_deref(), Some(text.as_str()), "{tool}");
        assert!(project.asked().is_empty(), "{tool}");
        let decision = &project.decisions()[0];
        assert_eq!((decision.allowed, decision.by), (false, Decider::Check), "{tool}");
    }
}

#[test]
fn each_call_is_reported_with_who_or_what_decided() {
    let ls = serde_json::json!({ "path": "." });
    let plain = serde_json::json!({ "path": "conf", "content": "x" });
    let private = serde_json::json!({ "path": "/root/.ssh/id_rsa", "content": "x" });
    let no = || Decision::No { why: Some("not now".into()) };
    let nobody = || Decision::Unasked { why: "nobody".into() };
    for (tool, arguments, answer, expected) in [
        ("ls", ls, Decision::Once, (true, Decider::Mode)),
        ("write_file", plain.clone(), Decision::Once, (true, Decider::Person)),
        ("write_file", plain.clone(), Decision::ByOption, (true, Decider::Yes)),
        ("write_file", plain.clone(), no(), (false, Decider::Person)),
        ("write_file", plain, nobody(), (false, Decider::Nobody)),
        ("write_file", private, Decision::Once, (false, Decider::BuiltIn)),
        ("write_file", serde_json::json!({}), Decision::Once, (false, Decider::Check)),
    ] {
        let mut project = Project::new(tool, arguments, answer);
        project.ask();
        let decisions = project.decisions();
        assert_eq!(decisions.iter().map(|one| (one.allowed, one.by)).collect::<Vec<_>>(), [expected], "{decisions:?}");
    }
}
