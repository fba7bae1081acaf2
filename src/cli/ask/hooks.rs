//! Hooks and the project's settings for `shellmate ask`.

use std::io::{self, IsTerminal};
use std::sync::Arc;

use anyhow::Context;

use crate::agent::{Kit, Project, ShellView};
use crate::config::Paths;
use crate::guard::TrustStore;
use crate::hook::{HookFile, HookRun, HookSet};
use crate::text::sanitize;
use crate::tty;

use super::super::report;

/// The hooks of an answer, and where they run.
type AnsweredHooks = Option<(Arc<HookSet>, Arc<HookRun>)>;

/// Equips a kit with the person's hooks, and with what the project may bring. `begins` says why the conversation begins.
pub(super) fn equip(
    kit: &mut Kit,
    view: &ShellView,
    begins: &'static str,
    paths: &Paths,
) -> anyhow::Result<AnsweredHooks> {
    let (own, problems) = HookFile::new(paths.hooks_file()).current();
    report::notices(problems);
    let store = paths.trust_store();
    let parts = match Project::of(&view.cwd, &store) {
        None => Default::default(),
        Some(Ok(project)) => decide(project, view, &store)?.add_to(kit, view.home()),
        Some(Err(error)) => {
            report::notices([format!("the project's settings and hooks are not used: {error}")]);
            Default::default()
        }
    };
    report::notices(parts.notices);
    let hooks = if parts.hooks.is_empty() { own } else { Arc::new(own.and(&parts.hooks)) };
    kit.use_hooks(hooks, &format!("ask-{}", std::process::id()), Some(begins), view);
    Ok(kit.session_hooks())
}

/// Asks about a project that is not trusted. Without a terminal it stays untrusted.
fn decide(mut project: Project, view: &ShellView, store: &TrustStore) -> anyhow::Result<Project> {
    if project.is_trusted() {
        return Ok(project);
    }
    let root = sanitize(&project.root().to_string_lossy());
    if !(io::stdin().is_terminal() && io::stderr().is_terminal()) {
        report::notices([format!(
            "{root}/.shellmate is not trusted, so only its restrictions count; `shellmate trust` shows it"
        )]);
        return Ok(project);
    }
    let question = format!("{}\nTrust it as it is now?", project.description(view.home()));
    if tty::read_yes(&question).context("cannot ask on the terminal")? {
        project.trust(store)?;
    }
    Ok(project)
}

/// Starts the hooks at the end of the session.
pub(super) fn end(hooks: AnsweredHooks) {
    if let Some((hooks, place)) = hooks
        && let Err(error) = hooks.run_detached("other", &place)
    {
        tracing::warn!(%error, "cannot start the hooks for the end of the session");
    }
}
