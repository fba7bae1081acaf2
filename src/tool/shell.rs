//! `run_in_shell` and `suggest_command`: use the person's live shell.

use std::sync::Arc;

use schemars::JsonSchema;
use serde::Deserialize;
use serde_json::Value;

use super::{Context, Ports, Prepared, Preview, ShellPort, ShellResult, Tool, arguments, bash, result};
use crate::chat::{Outcome, ToolKind, ToolSpec};
use crate::guard::Intent;
use crate::text;

#[derive(Deserialize, JsonSchema)]
struct Arguments {
    #[serde(alias = "cmd")]
    command: String,
}

pub(super) struct RunInShell;

impl Tool for RunInShell {
    fn spec(&self) -> ToolSpec {
        arguments::spec::<Arguments>(
            "run_in_shell",
            "Run a command in the user's live shell, on their screen: cd, export, source and activate last, interactive programs \
             get the keyboard. Use bash for everything else.",
        )
    }

    fn is_offered(&self, ports: &Ports) -> bool {
        ports.shell.is_some()
    }

    fn kind(&self) -> ToolKind {
        ToolKind::Shell
    }

    fn prepare(&self, arguments: &Value, context: &Context) -> Result<Prepared, String> {
        let Arguments { command } = arguments::read(arguments)?;
        bash::check(&command)?;
        if command.chars().any(|c| c.is_control() && c != '\n' && c != '\t') {
            return Err("bad argument command: it contains control characters".to_owned());
        }
        let (shell, cwd, context) = (live_shell(context)?, context.cwd.clone(), context.clone());
        Ok(Prepared {
            title: bash::title(&command),
            intent: Intent::RunInShell { command: command.clone(), cwd: cwd.clone() },
            preview: Some(Preview::Command { command: command.clone(), cwd }),
            run: Box::new(move |_| {
                Box::pin(async move {
                    let kept = bash::keep_project(&context).await;
                    let ran = shell.run(command).await;
                    bash::note_changes(kept).await;
                    match ran {
                        Ok(ShellResult { status, output }) => {
                            let output = result::capped(&output, "shell", &context);
                            let text = match output.is_empty() {
                                true => format!("exit code {status}, no output"),
                                false => format!("exit code {status}\n{output}"),
                            };
                            if status == 0 { Outcome::done(text) } else { Outcome::failed(text) }
                        }
                        Err(why) => Outcome::failed(why),
                    }
                })
            }),
        })
    }
}

pub(super) struct SuggestCommand;

impl Tool for SuggestCommand {
    fn spec(&self) -> ToolSpec {
        arguments::spec::<Arguments>(
            "suggest_command",
            "Put one command line on the user's next prompt for them to edit and run; it is not run. Call it last, for the \
             command they would want next.",
        )
    }

    fn is_offered(&self, ports: &Ports) -> bool {
        ports.shell.is_some()
    }

    fn kind(&self) -> ToolKind {
        ToolKind::Suggest
    }

    fn prepare(&self, arguments: &Value, context: &Context) -> Result<Prepared, String> {
        let Arguments { command } = arguments::read(arguments)?;
        bash::check(&command)?;
        let command = command.trim().to_owned();
        // A newline on a prompt acts as Enter, and other control characters may too.
        if command.chars().any(char::is_control) {
            return Err("bad argument command: it must be one line without control characters".to_owned());
        }
        if text::hides(&command) {
            return Err("bad argument command: it contains invisible characters or a long run of blanks".to_owned());
        }
        let shell = live_shell(context)?;
        Ok(Prepared {
            title: bash::title(&command),
            intent: Intent::Suggest { command: command.clone() },
            preview: None,
            run: Box::new(move |_| {
                Box::pin(async move {
                    match shell.suggest(command) {
                        Ok(()) => Outcome::done("it will be on the user's prompt"),
                        Err(why) => Outcome::failed(why),
                    }
                })
            }),
        })
    }
}

/// The live shell of this answer's front. The error is for the model.
fn live_shell(context: &Context) -> Result<Arc<dyn ShellPort>, String> {
    context.ports.shell.clone().ok_or_else(|| "there is no live shell here".to_owned())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::tool::tests::Home;
    use futures_util::future::BoxFuture;
    use serde_json::json;
    use std::sync::Mutex;

    /// A fake shell with the commands `true`, `false` and `long`.
    #[derive(Default)]
    struct Double {
        suggested: Mutex<Vec<String>>,
    }

    impl ShellPort for Double {
        fn run(&self, command: String) -> BoxFuture<'static, Result<ShellResult, String>> {
            let result = match command.as_str() {
                "true" => Ok(ShellResult { status: 0, output: String::new() }),
                "false" => Ok(ShellResult { status: 1, output: "no".into() }),
                "long" => Ok(ShellResult { status: 0, output: "line\n".repeat(10_000) }),
                _ => Err("the shell is busy".to_owned()),
            };
            Box::pin(std::future::ready(result))
        }

        fn suggest(&self, command: String) -> Result<(), String> {
            self.suggested.lock().unwrap().push(command);
            Ok(())
        }
    }

    #[test]
    fn a_command_in_the_shell_returns_status_and_output() {
        let home = Home::new().with_shell(Arc::new(Double::default()));
        let tool = RunInShell;
        let run = |command: &str| home.call(&tool, json!({"command": command}));
        assert_eq!(run("true"), Outcome::done("exit code 0, no output"));
        assert_eq!(run("false"), Outcome::failed("exit code 1\nno"));
        assert_eq!(run("other"), Outcome::failed("the shell is busy"));
        let long = run("long");
        assert!(
            long.text().len() < 17_000 && long.text().contains("the whole (49 KiB) is in "),
            "{}",
            long.text().len()
        );
        assert!(run("a\x1b[A").text().contains("control characters"));
        let prepared = home.prepare(&tool, json!({"command": "cd ..\npwd"})).unwrap();
        let (command, cwd) = ("cd ..\npwd".to_owned(), home.path("app"));
        assert_eq!(prepared.intent, Intent::RunInShell { command: command.clone(), cwd: cwd.clone() });
        assert_eq!(prepared.preview, Some(Preview::Command { command, cwd }));
    }

    #[test]
    fn a_suggestion_with_control_characters_is_refused() {
        let shell = Arc::new(Double::default());
        let home = Home::new().with_shell(shell.clone());
        let tool = SuggestCommand;
        home.done(&tool, json!({"command": "cargo test --lib\n"}));
        let far = format!("ls{}; rm x", " ".repeat(2500));
        for bad in ["a\nb", "a\rb", "a\x1b\x03", " ", "ls \u{202E}x", "ls\u{200B}", far.as_str()] {
            home.failed(&tool, json!({"command": bad}));
        }
        assert_eq!(*shell.suggested.lock().unwrap(), ["cargo test --lib"]);
    }
}
