//! The person's own slash commands in a session.

use std::path::Path;

use crate::agent::{CalledCommand, OwnCommand, OwnCommands, Project, Query, ShellView};
use crate::guard::TrustStore;

use super::help::help_row;
use super::orders::AgentThread;
use super::slash::{is_built_in, parse};

/// What a question turned out to be.
pub(super) enum OwnCommandCall {
    /// It calls no command.
    Question,
    Called(CalledCommand),
    /// It was meant to call a command, and cannot. The words are for the person.
    Refused(String),
}

impl AgentThread {
    /// Looks whether a question calls one of the person's own commands. Costs nothing for one that does not begin with a slash.
    pub(super) fn own_command(&self, query: &Query) -> OwnCommandCall {
        if !query.text.trim_start().starts_with('/') {
            return OwnCommandCall::Question;
        }
        let commands = self.own_commands(&query.view);
        if let Some(called) = commands.call(&query.text) {
            return OwnCommandCall::Called(called);
        }
        let unknown = || Some(parse(query.text.trim())?.err()?.to_string());
        commands.refusal(&query.text).or_else(unknown).map_or(OwnCommandCall::Question, OwnCommandCall::Refused)
    }

    fn own_commands(&self, view: &ShellView) -> OwnCommands {
        find(&view.cwd, view.home(), self.setup.places.config.as_deref(), &self.setup.trust)
    }

    /// The text of `/help` with the person's own commands below it.
    pub(super) fn help(&self, built_in: &str, view: &ShellView) -> String {
        let OwnCommands { list, problems } = self.own_commands(view);
        if list.is_empty() && problems.is_empty() {
            return built_in.to_owned();
        }
        let mut lines = vec![built_in.to_owned(), String::new(), "your own commands:".to_owned()];
        lines.extend(list.iter().map(|command| help_row(&usage(command), &command.description)));
        lines.extend(problems.iter().map(|problem| format!("problem: {problem}")));
        lines.join("\n")
    }
}

/// The commands of a directory.
pub(in crate::session) fn find(cwd: &Path, home: Option<&Path>, own: Option<&Path>, trust: &TrustStore) -> OwnCommands {
    let project = Project::of(cwd, trust).and_then(Result::ok);
    OwnCommands::find(own, project.as_ref(), home, &is_built_in)
}

/// The name with its arguments.
pub(in crate::session) fn usage(command: &OwnCommand) -> String {
    format!("/{} {}", command.name, command.hint).trim_end().to_owned()
}
