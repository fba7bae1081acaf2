//! All tools by name.

use std::collections::BTreeMap;
use std::sync::Arc;

use serde_json::Value;

use super::bash::Bash;
use super::edit::EditFile;
use super::glob::Glob;
use super::grep::Grep;
use super::list::Ls;
use super::read::ReadFile;
use super::write::WriteFile;
use super::{Asker, Context, Prepared, ShellPort, Tool};
use crate::chat::{Call, ToolSpec};

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
    pub fn standard(ports: Ports) -> Registry {
        let mut registry = Registry::default();
        let tools: [Arc<dyn Tool>; 7] = [
            Arc::new(Bash),
            Arc::new(EditFile),
            Arc::new(Glob),
            Arc::new(Grep),
            Arc::new(Ls),
            Arc::new(ReadFile),
            Arc::new(WriteFile),
        ];
        for tool in tools {
            registry.add(tool);
        }
        let _ = ports;
        registry
    }

    /// Adds a tool under the name in its spec; a name that is taken stays as it is.
    pub fn add(&mut self, tool: Arc<dyn Tool>) {
        self.tools.entry(tool.spec().name).or_insert(tool);
    }

    /// What the model is told, byte for byte the same each time.
    pub fn specs(&self) -> Vec<ToolSpec> {
        self.tools.values().map(|tool| tool.spec()).collect()
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
        tool.prepare(&arguments, context)
    }
}
