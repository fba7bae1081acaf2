//! All tools by name.

use std::collections::BTreeMap;
use std::sync::Arc;

use serde_json::Value;

use super::ask::AskUser;
use super::bash::{Bash, Timeouts};
use super::diagnose::Diagnose;
use super::edit::EditFile;
use super::glob::Glob;
use super::grep::Grep;
use super::list::Ls;
use super::output::ShellOutput;
use super::read::ReadFile;
use super::shell::{RunInShell, SuggestCommand};
use super::write::WriteFile;
use super::{Asker, Context, Prepared, ShellPort, Tool, result};
use crate::chat::{Call, ToolKind, ToolSpec};

/// What the tools may reach; without a port its tools are not offered.
#[derive(Clone, Default)]
pub struct Ports {
    pub shell: Option<Arc<dyn ShellPort>>,
    pub asker: Option<Arc<dyn Asker>>,
}

/// The tools a model is offered, in the order of their names.
#[derive(Clone, Default)]
pub struct Registry {
    tools: BTreeMap<String, Arc<dyn Tool>>,
}

impl Registry {
    /// The built-in tools.
    pub fn standard(ports: Ports, timeouts: Timeouts) -> Registry {
        let mut tools: Vec<Arc<dyn Tool>> = vec![
            Arc::new(Bash(timeouts)),
            Arc::new(Diagnose),
            Arc::new(EditFile),
            Arc::new(Glob),
            Arc::new(Grep),
            Arc::new(Ls),
            Arc::new(ReadFile),
            Arc::new(ShellOutput),
            Arc::new(WriteFile),
        ];
        if let Some(shell) = ports.shell {
            tools.push(Arc::new(RunInShell(Arc::clone(&shell))));
            tools.push(Arc::new(SuggestCommand(shell)));
        }
        if let Some(asker) = ports.asker {
            tools.push(Arc::new(AskUser(asker)));
        }
        Registry { tools: tools.into_iter().map(|tool| (tool.spec().name, tool)).collect() }
    }

    /// These tools and no others.
    #[cfg(test)]
    pub(crate) fn of(tools: impl IntoIterator<Item = Arc<dyn Tool>>) -> Registry {
        Registry { tools: tools.into_iter().map(|tool| (tool.spec().name, tool)).collect() }
    }

    /// What the model is told, byte for byte the same each time.
    pub fn specs(&self) -> Vec<ToolSpec> {
        self.tools.values().map(|tool| tool.spec()).collect()
    }

    /// The kind of the tool with this name.
    pub fn kind(&self, name: &str) -> ToolKind {
        self.tools.get(name).map_or(ToolKind::Other, |tool| tool.kind())
    }

    /// Describes what a call would do. The error is for the model.
    pub fn prepare(&self, call: &Call, context: &Context) -> Result<Prepared, String> {
        let Some(tool) = self.tools.get(&call.name) else {
            let names: Vec<&str> = self.tools.keys().map(String::as_str).collect();
            return Err(format!("there is no tool named {}; the tools are {}", call.name, names.join(", ")));
        };
        let arguments = match call.arguments.trim() {
            "" => Value::Null,
            written => serde_json::from_str(written)
                .map_err(|error| format!("the arguments of {} are not valid JSON: {error}", call.name))?,
        };
        // An error may quote what the model wrote, however long that was.
        tool.prepare(&arguments, context).map_err(|message| result::capped(&message, &call.name, context))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::tool::tests::Home;
    use crate::tool::{Answer, Question, ShellResult};
    use futures_util::future::BoxFuture;

    struct Nobody;

    impl ShellPort for Nobody {
        fn run(&self, _: String) -> BoxFuture<'static, Result<ShellResult, String>> {
            Box::pin(std::future::ready(Err("nobody".to_owned())))
        }

        fn suggest(&self, _: String) -> Result<(), String> {
            Err("nobody".to_owned())
        }
    }

    impl Asker for Nobody {
        fn ask(&self, _: Question) -> BoxFuture<'static, Answer> {
            Box::pin(std::future::ready(Answer::Declined))
        }
    }

    fn registry() -> Registry {
        Registry::standard(Ports { shell: Some(Arc::new(Nobody)), asker: Some(Arc::new(Nobody)) }, Timeouts::default())
    }

    fn call(name: &str, arguments: &str) -> Call {
        Call { id: "1".into(), name: name.into(), arguments: arguments.into() }
    }

    #[test]
    fn tools_come_in_the_order_of_their_names() {
        let names: Vec<String> = registry().specs().into_iter().map(|spec| spec.name).collect();
        assert_eq!(
            names,
            [
                "ask_user",
                "bash",
                "diagnose",
                "edit_file",
                "glob",
                "grep",
                "ls",
                "read_file",
                "run_in_shell",
                "shell_output",
                "suggest_command",
                "write_file"
            ]
        );
        assert_eq!(Registry::standard(Ports::default(), Timeouts::default()).specs().len(), 9);
    }

    /// Paid for with every request. What a vendor puts around it comes on top.
    #[test]
    fn all_specs_together_are_small_and_stable() {
        let written = serde_json::to_string(&registry().specs()).unwrap();
        assert_eq!(written, serde_json::to_string(&registry().specs()).unwrap());
        assert!(written.len() <= 5 * 1024, "{} bytes", written.len());
    }

    #[test]
    fn a_call_that_cannot_be_understood_is_explained() {
        let home = Home::new();
        let said = |name, arguments| registry().prepare(&call(name, arguments), &home.context()).err().unwrap();
        assert!(said("cat", "{}").starts_with("there is no tool named cat; the tools are ask_user, bash, "));
        assert!(said("ls", "{\"path\": ").starts_with("the arguments of ls are not valid JSON: EOF"));
        assert_eq!(said("bash", ""), "bad arguments: missing field `command`");
        assert!(registry().prepare(&call("ls", ""), &home.context()).is_ok());
        let long = format!(r#"{{"command": "a", "timeout": "{}"}}"#, "x".repeat(100_000));
        assert!(said("bash", &long).len() <= result::RESULT_CAP);
    }
}
