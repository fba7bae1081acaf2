//! The person's own commands in `shellmate ask '/NAME ARGUMENTS'`.

use crate::agent::{OwnCommands, Project, ShellView};
use crate::config::Paths;
use crate::session;

/// The question that a line asks, and the model that it names. A line that names no command
/// is the question itself.
pub(super) fn called(text: String, view: &ShellView, paths: &Paths) -> anyhow::Result<(String, Option<String>)> {
    if !text.trim_start().starts_with('/') {
        return Ok((text, None));
    }
    let project = Project::of(&view.cwd, &paths.trust_store()).and_then(Result::ok);
    let own = paths.config_dir();
    let commands = OwnCommands::find(own.as_deref(), project.as_ref(), view.home(), &session::is_built_in);
    match commands.call(&text) {
        Some(called) => Ok((called.text, called.model)),
        None => match commands.refusal(&text).or_else(|| session::refusal_outside(&text)) {
            Some(words) => anyhow::bail!(words),
            None => Ok((text, None)),
        },
    }
}
