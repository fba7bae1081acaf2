//! All tools by name: their specs for the model, and the dispatch of calls.

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
use super::recall::Recall;
use super::shell::{RunInShell, SuggestCommand};
use super::write::WriteFile;
use super::{Context, Ports, Prepared, Tool, result};
use crate::chat::{Call, ToolKind, ToolSpec};

/// All tools, sorted by name. One toolbox serves all answers, because the ports come with each call.
#[derive(Clone, Default)]
pub(crate) struct Toolbox {
    tools: BTreeMap<String, Arc<dyn Tool>>,
}

impl Toolbox {
    /// The built-in tools.
    pub(crate) fn standard(timeouts: Timeouts) -> Toolbox {
        Toolbox::of([
            Arc::new(AskUser) as Arc<dyn Tool>,
            Arc::new(Bash(timeouts)),
            Arc::new(Diagnose),
            Arc::new(EditFile),
            Arc::new(Glob),
            Arc::new(Grep),
            Arc::new(Ls),
            Arc::new(ReadFile),
            Arc::new(Recall),
            Arc::new(RunInShell),
            Arc::new(ShellOutput),
            Arc::new(SuggestCommand),
            Arc::new(WriteFile),
        ])
    }

    /// `recall` and this tool.
    #[cfg(test)]
    pub(crate) fn with_recall(tool: Arc<dyn Tool>) -> Toolbox {
        Toolbox::of([Arc::new(Recall), tool])
    }

    /// These tools and no others.
    pub(crate) fn of(tools: impl IntoIterator<Item = Arc<dyn Tool>>) -> Toolbox {
        Toolbox { tools: tools.into_iter().map(|tool| (tool.spec().name, tool)).collect() }
    }

    /// The tools that work with these ports. Only these are offered to the model and can be called.
    fn offered(&self, ports: &Ports) -> impl Iterator<Item = (&str, &dyn Tool)> {
        let tools = self.tools.iter().filter(|(_, tool)| tool.is_offered(ports));
        tools.map(|(name, tool)| (name.as_str(), &**tool))
    }

    /// The specs of the offered tools. They are the same bytes each time, for the providers' caches.
    pub(crate) fn specs(&self, ports: &Ports) -> Vec<ToolSpec> {
        self.offered(ports).map(|(_, tool)| tool.spec()).collect()
    }

    /// The names of all tools, offered or not.
    pub(crate) fn names(&self) -> impl Iterator<Item = &str> {
        self.tools.keys().map(String::as_str)
    }

    /// The kind of the tool with this name.
    pub(crate) fn kind(&self, name: &str) -> ToolKind {
        self.tools.get(name).map_or(ToolKind::Other, |tool| tool.kind())
    }

    /// The texts among the arguments of a call that go into a file as they are.
    pub(super) fn file_texts<'a>(&self, name: &str, arguments: &'a mut Value) -> Vec<&'a mut String> {
        self.tools.get(name).map(|tool| tool.file_texts(arguments)).unwrap_or_default()
    }

    /// Describes a call. The error is for the model.
    pub(crate) fn prepare(&self, call: &Call, context: &Context) -> Result<Prepared, String> {
        let Some((_, tool)) = self.offered(&context.ports).find(|(name, _)| *name == call.name) else {
            let names: Vec<&str> = self.offered(&context.ports).map(|(name, _)| name).collect();
            return Err(format!("there is no tool named {}; the tools are {}", call.name, names.join(", ")));
        };
        let arguments = match call.arguments.trim() {
            "" => Value::Null,
            written => serde_json::from_str(written)
                .map_err(|error| format!("the arguments of {} are not valid JSON: {error}", call.name))?,
        };
        // An error may quote the model's arguments, which can be long.
        tool.prepare(&arguments, context).map_err(|message| result::capped(&message, &call.name, context))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::tool::tests::Home;
    use crate::tool::{Asker, ShellPort, ShellResult, UserAnswer, UserQuestion};
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
        fn ask(&self, _: UserQuestion) -> BoxFuture<'static, UserAnswer> {
            Box::pin(std::future::ready(UserAnswer::Declined))
        }
    }

    fn toolbox() -> Toolbox {
        Toolbox::standard(Timeouts::default())
    }

    fn all_ports() -> Ports {
        Ports { shell: Some(Arc::new(Nobody)), asker: Some(Arc::new(Nobody)), ..Ports::default() }
    }

    fn call(name: &str, arguments: &str) -> Call {
        Call { id: "1".into(), name: name.into(), arguments: arguments.into() }
    }

    #[test]
    fn tools_are_sorted_by_name() {
        let names: Vec<String> = toolbox().specs(&all_ports()).into_iter().map(|spec| spec.name).collect();
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
                "recall",
                "run_in_shell",
                "shell_output",
                "suggest_command",
                "write_file"
            ]
        );
    }

    #[test]
    fn exactly_the_offered_tools_can_be_called() {
        for ports in [Ports::default(), all_ports(), Ports { asker: None, ..all_ports() }] {
            let context = Context { ports: ports.clone(), ..Home::new().context() };
            let named: Vec<String> = toolbox().specs(&ports).into_iter().map(|spec| spec.name).collect();
            for name in toolbox().tools.keys() {
                let answer = toolbox().prepare(&call(name, "{}"), &context).err().unwrap_or_default();
                assert_eq!(answer.starts_with("there is no tool"), !named.contains(name), "{name}: {answer}");
            }
        }
        assert_eq!(toolbox().specs(&Ports::default()).len(), 10);
    }

    /// The specs are sent with every request, so their size matters.
    #[test]
    fn all_specs_together_are_small_and_stable() {
        let written = serde_json::to_string(&toolbox().specs(&all_ports())).unwrap();
        assert_eq!(written, serde_json::to_string(&toolbox().specs(&all_ports())).unwrap());
        assert!(written.len() <= 6 * 1024, "{} bytes", written.len());
    }

    #[test]
    fn an_unknown_tool_or_invalid_json_is_reported() {
        let home = Home::new().with_shell(Arc::new(Nobody)).with_asker(Arc::new(Nobody));
        let said = |name, arguments| toolbox().prepare(&call(name, arguments), &home.context()).err().unwrap();
        assert!(said("cat", "{}").starts_with("there is no tool named cat; the tools are ask_user, bash, "));
        assert!(said("ls", "{\"path\": ").starts_with("the arguments of ls are not valid JSON: EOF"));
        assert_eq!(said("bash", ""), "bad arguments: missing field `command`");
        assert!(toolbox().prepare(&call("ls", ""), &home.context()).is_ok());
        let long = format!(r#"{{"command": "a", "timeout": "{}"}}"#, "x".repeat(100_000));
        assert!(said("bash", &long).len() <= result::RESULT_CAP);
    }
}
