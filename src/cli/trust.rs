//! `shellmate trust`: which projects may bring settings, hooks, skills and commands.

use std::io::{self, IsTerminal, Write};
use std::path::{Path, PathBuf};
use std::process::ExitCode;
use std::time::SystemTime;

use anyhow::{Context, bail};
use jiff::tz::TimeZone;

use crate::agent::Project;
use crate::config::Paths;
use crate::guard::TrustStore;
use crate::text::{self, sanitize};
use crate::tty;

#[derive(Debug, clap::Args)]
#[command(args_conflicts_with_subcommands = true)]
pub(crate) struct Args {
    #[command(subcommand)]
    action: Option<TrustAction>,

    /// The project, or a directory in it. By default the current directory.
    directory: Option<PathBuf>,

    /// Do not ask.
    #[arg(long)]
    yes: bool,
}

#[derive(Debug, clap::Subcommand)]
pub(crate) enum TrustAction {
    /// List the trusted projects.
    List,
    /// Stop trusting a project.
    Revoke {
        /// The project, or a directory in it. By default the current directory.
        directory: Option<PathBuf>,
    },
}

pub(super) fn run(args: Args, paths: &Paths, out: &mut impl Write) -> anyhow::Result<ExitCode> {
    let store = paths.trust_store();
    match args.action {
        Some(TrustAction::List) => list(&store, out)?,
        Some(TrustAction::Revoke { directory }) => revoke(&absolute(directory)?, &store, out)?,
        None => trust(&absolute(args.directory)?, args.yes, &store, out)?,
    }
    Ok(ExitCode::SUCCESS)
}

fn absolute(directory: Option<PathBuf>) -> anyhow::Result<PathBuf> {
    std::path::absolute(directory.unwrap_or_else(|| PathBuf::from("."))).context("cannot find the directory")
}

fn trust(directory: &Path, yes: bool, store: &TrustStore, out: &mut impl Write) -> anyhow::Result<()> {
    if !directory.is_dir() {
        bail!("{} is not a directory", directory.display());
    }
    let Some(project) = Project::of(directory, store) else {
        bail!("the project in {} has no directory `.shellmate`, or nothing in it", directory.display());
    };
    let mut project = project?;
    let root = sanitize(&project.root().to_string_lossy());
    if project.is_trusted() {
        writeln!(out, "{root} is trusted already")?;
        return Ok(());
    }
    if !yes {
        writeln!(out, "{}", project.description(None))?;
        out.flush()?;
        if !(io::stdin().is_terminal() && io::stderr().is_terminal()) {
            bail!("nobody here to ask; rerun with --yes to trust {root}");
        }
        if !tty::read_yes(&format!("Trust {root} as it is now?")).context("cannot ask on the terminal")? {
            writeln!(out, "{root} is not trusted")?;
            return Ok(());
        }
    }
    project.trust(store)?;
    writeln!(out, "{root} is trusted until its `.shellmate` changes")?;
    Ok(())
}

fn revoke(directory: &Path, store: &TrustStore, out: &mut impl Write) -> anyhow::Result<()> {
    let shown = sanitize(&directory.to_string_lossy());
    match store.revoke(directory)? {
        true => writeln!(out, "{shown} is no longer trusted")?,
        false => writeln!(out, "{shown} was not trusted")?,
    }
    Ok(())
}

fn list(store: &TrustStore, out: &mut impl Write) -> anyhow::Result<()> {
    let projects = store.list();
    if projects.is_empty() {
        writeln!(out, "no project is trusted")?;
    }
    for project in projects {
        let root = sanitize(&project.root.to_string_lossy());
        let since = text::Clock::new(SystemTime::now(), TimeZone::system()).time(project.since);
        let note = if project.is_current { "" } else { ", has changed or is gone: it will be asked about again" };
        writeln!(out, "{root}  (trusted {since}{note})")?;
    }
    Ok(())
}
