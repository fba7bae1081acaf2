//! What the person and the model learn about the sandbox of a command.

use tokio_util::sync::CancellationToken;

use super::testing::{ProjectHome, TestAgent, says, uses};
use super::{Decision, Query};
use crate::chat::Event;
use crate::guard::{Backend, Network, SandboxLevel, best_backend};
use crate::tool::{Timeouts, Toolbox};

/// An agent that runs these commands one by one, in a project of its own. The person says yes.
struct Shop {
    home: ProjectHome,
    agent: TestAgent,
}

impl Shop {
    fn new(commands: &[&str]) -> Shop {
        let call = |command: &&str| uses(&[("bash", &serde_json::json!({ "command": command }).to_string())]);
        let answers: Vec<_> = commands.iter().map(call).chain([says("ok")]).collect();
        let mut agent = TestAgent::new(answers, vec![]);
        agent.kit.toolbox = Toolbox::standard(Timeouts::default());
        agent.kit.limits.steps = 10;
        agent.person.answers.lock().unwrap().extend(commands.iter().map(|_| Decision::Once));
        Shop { home: ProjectHome::new(), agent }
    }

    fn run(&mut self) {
        let mut query = Query::scripted("go");
        query.view.cwd = self.home.path("app");
        query.view.environment =
            vec![("HOME".into(), self.home.path("").into()), ("PATH".into(), "/usr/local/bin:/usr/bin:/bin".into())];
        self.agent.run(query, CancellationToken::new());
    }

    /// How each command was confined, as the transcript says.
    fn confined(&self) -> Vec<String> {
        let heard = self.agent.ear.heard().into_iter();
        let sandboxes = heard.filter_map(|event| match event {
            Event::CallConfined { sandbox, .. } => Some(sandbox),
            _ => None,
        });
        sandboxes.collect()
    }
}

#[test]
fn a_weaker_sandbox_is_said_on_the_card_in_the_result_and_in_the_transcript() {
    let mut shop = Shop::new(&["touch made"]);
    shop.agent.kit.sandbox.backend = Some(Backend::Landlock);
    shop.run();
    let asked = shop.agent.person.asked.lock().unwrap().clone();
    let weakness = Backend::Landlock.weakness();
    assert_eq!(asked.iter().map(|asked| asked.weakness).collect::<Vec<_>>(), [weakness]);
    assert!(shop.agent.results()[0].contains(weakness.unwrap()), "{:?}", shop.agent.results());
    assert!(shop.confined()[0].contains("weaker: no namespaces"), "{:?}", shop.confined());
    assert!(shop.home.path("app/made").exists());
}

#[test]
fn a_full_sandbox_or_none_by_choice_is_not_called_weak() {
    for level in [SandboxLevel::Workspace, SandboxLevel::Off] {
        if level == SandboxLevel::Workspace && best_backend(Network::On).weakness().is_some() {
            continue;
        }
        let mut shop = Shop::new(&["touch made"]);
        shop.agent.kit.sandbox.level = level;
        shop.run();
        assert_eq!(shop.agent.person.asked.lock().unwrap()[0].weakness, None);
        assert_eq!(shop.agent.results(), ["exit code 0, no output"]);
    }
}

#[test]
fn a_command_that_only_looks_cannot_write_the_project() {
    // git runs the program that `core.fsmonitor` names. In the sandbox that needs no question.
    let mut shop = Shop::new(&["git status", "touch made"]);
    let evil = shop.home.path("app/evil");
    shop.home.write("app/evil", "#!/bin/sh\ntouch planted \"$TMPDIR/ran\"\n");
    std::fs::set_permissions(&evil, std::os::unix::fs::PermissionsExt::from_mode(0o755)).unwrap();
    shop.home.write("app/.git/HEAD", "ref: refs/heads/main\n");
    shop.home.write("app/.git/config", format!("[core]\n\tfsmonitor = {}\n", evil.display()));
    for directory in ["app/.git/objects", "app/.git/refs"] {
        std::fs::create_dir_all(shop.home.path(directory)).unwrap();
    }
    shop.run();
    let confined = shop.confined();
    assert_eq!(shop.agent.person.asked.lock().unwrap().len(), 1, "{confined:?}");
    assert!(confined[0].starts_with("read-only, no network"), "{confined:?}");
    assert!(confined[1].starts_with("workspace, network"), "{confined:?}");
    assert!(!shop.home.path("app/planted").exists() && shop.home.path("app/made").exists());
}
