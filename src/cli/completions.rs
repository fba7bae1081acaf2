//! Completion scripts and the manual page, from the clap definition.

use std::io::Write;

use anyhow::Result;
use clap::CommandFactory;
use clap_complete::Shell;

use super::args::Cli;

/// Writes a completion script. It is made in memory first: clap's generator panics when a write fails.
pub fn completions(shell: Shell, out: &mut impl Write) -> Result<()> {
    let mut script = Vec::new();
    clap_complete::generate(shell, &mut Cli::command(), "shellmate", &mut script);
    out.write_all(&script)?;
    Ok(out.flush()?)
}

/// Writes the manual page, in roff.
pub fn man(out: &mut impl Write) -> Result<()> {
    let mut page = Vec::new();
    clap_mangen::Man::new(Cli::command()).render(&mut page)?;
    out.write_all(&page)?;
    Ok(out.flush()?)
}

#[cfg(test)]
mod tests {
    use super::*;
    use clap::ValueEnum;

    #[test]
    fn every_shell_has_a_script_with_every_subcommand() {
        for shell in Shell::value_variants() {
            let mut out = Vec::new();
            completions(*shell, &mut out).unwrap();
            let script = String::from_utf8(out).unwrap();
            for command in Cli::command().get_subcommands() {
                assert!(script.contains(command.get_name()), "{shell}: {}", command.get_name());
            }
        }
    }

    #[test]
    fn the_page_has_its_title_and_options() {
        let mut out = Vec::new();
        man(&mut out).unwrap();
        let page = String::from_utf8(out).unwrap();
        assert!(page.contains(".TH shellmate 1"));
        assert!(page.contains("\\-\\-shell"));
    }
}
