//! `shellmate history key`: prints the lines that bind a key of a shell to the finder.

use std::io::Write;
use std::path::Path;

use anyhow::Context;
use clap::builder::PossibleValuesParser;

use crate::host::{self, ShellKind};
use crate::input::Hotkey;

#[derive(Debug, clap::Args)]
pub(super) struct Args {
    /// The shell whose lines are printed.
    #[arg(value_parser = PossibleValuesParser::new(["bash", "zsh", "fish"]), value_name = "SHELL")]
    shell: String,
    /// The key: ctrl- with a letter.
    #[arg(default_value = "ctrl-r", value_name = "KEY")]
    key: Hotkey,
}

pub(super) fn run(args: &Args, out: &mut impl Write) -> anyhow::Result<()> {
    let kind = ShellKind::of(Path::new(&args.shell));
    let lines = host::finder_binding(kind, args.key.letter(), "shellmate".as_ref()).context("an unknown shell")?;
    Ok(out.write_all(&lines)?)
}
