//! `shellmate init`: finds shells, keys and model servers, connects a model, and writes the few settings of a first start.
//!
//! Nothing is written before the last question, which shows every change. Start files and the login shell are never touched: the lines
//! to type are printed. `init --undo` takes all changes back.

mod access;
mod advice;
mod connect;
mod found;
mod record;
#[cfg(test)]
mod tests;
mod wizard;

use std::io::Write;
use std::path::Path;
use std::process::ExitCode;

use anyhow::Result;

use crate::agent::shown_path;
use crate::config::Paths;
use crate::host::HostError;
use crate::tty;

use super::doctor::ChosenShell;
use found::Inventory;

#[derive(Debug, clap::Args)]
pub(crate) struct Args {
    /// Take back what the last `shellmate init` has changed.
    #[arg(long)]
    undo: bool,
}

pub(super) fn run(
    args: Args,
    paths: &Paths,
    chosen: Result<ChosenShell, HostError>,
    out: &mut impl Write,
) -> Result<ExitCode> {
    if args.undo {
        let record::Undone { file, key } = record::undo(paths)?;
        writeln!(out, "restored {} to what it was before `shellmate init`", shown(&file))?;
        if let Some(variable) = key {
            writeln!(out, "deleted the stored key {variable}")?;
        }
        return Ok(ExitCode::SUCCESS);
    }
    let found = Inventory::look(paths, chosen)?;
    found.print(out)?;
    if tty::is_interactive() {
        wizard::run(&found, paths, out)?;
    } else {
        advice::print_commands(&found, out)?;
        advice::print(&found, out)?;
    }
    out.flush()?;
    Ok(ExitCode::SUCCESS)
}

/// A path with `~` for the home directory.
fn shown(path: &Path) -> String {
    shown_path(path, std::env::var_os("HOME").map(std::path::PathBuf::from).as_deref())
}
