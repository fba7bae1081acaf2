//! Completion scripts and the manual page, from the clap definition.

use std::io::Write;

use anyhow::Result;
use clap::{Arg, Command, CommandFactory};
use clap_complete::Shell;

use super::args::{Cli, definition};

/// Writes a completion script. It is generated in memory, because clap's generator panics if a write fails.
pub(crate) fn completions(shell: Shell, out: &mut impl Write) -> Result<()> {
    let mut script = Vec::new();
    clap_complete::generate(shell, &mut Cli::command(), "shellmate", &mut script);
    out.write_all(&script)?;
    Ok(out.flush()?)
}

/// Writes the manual page in roff. All subcommands are on one page, because the page goes to stdout.
pub(crate) fn man(out: &mut impl Write) -> Result<()> {
    let definition = definition();
    let page = clap_mangen::Man::new(definition.clone());
    let mut roff = Vec::new();
    page.render_title(&mut roff)?;
    page.render_name_section(&mut roff)?;
    page.render_synopsis_section(&mut roff)?;
    page.render_description_section(&mut roff)?;
    page.render_options_section(&mut roff)?;
    roff.extend_from_slice(b".SH COMMANDS\n");
    definition.get_subcommands().for_each(|command| describe(command, &mut roff));
    page.render_extra_section(&mut roff)?;
    out.write_all(&roff)?;
    Ok(out.flush()?)
}

fn describe(command: &Command, roff: &mut Vec<u8>) {
    if command.get_name() == "help" || command.is_hide_set() {
        return;
    }
    let usage = command.clone().render_usage().to_string();
    let about = command.get_long_about().or(command.get_about()).map(ToString::to_string).unwrap_or_default();
    let mut entry = format!(".TP\n\\fB{}\\fR\n{}\n", escape(usage.trim_start_matches("Usage:")), escape(&about));
    for arg in command.get_arguments().filter(|arg| !arg.is_hide_set() && arg.get_id() != "help") {
        let help = arg.get_help().map(ToString::to_string).unwrap_or_default();
        entry.push_str(&format!(".RS\n.TP\n\\fB{}\\fR\n{}\n.RE\n", escape(&spelling(arg)), escape(&help)));
    }
    roff.extend_from_slice(entry.as_bytes());
    command.get_subcommands().for_each(|inner| describe(inner, roff));
}

/// Escapes text for roff: hyphens stay hyphens, and no line starts with a request.
fn escape(text: &str) -> String {
    let line = text.split_whitespace().collect::<Vec<_>>().join(" ").replace('\\', "\\e").replace('-', "\\-");
    if line.starts_with(['.', '\'']) { format!("\\&{line}") } else { line }
}

/// An option with its names and value, as it is typed.
pub(super) fn spelling(arg: &Arg) -> String {
    let short = arg.get_short().map(|letter| format!("-{letter}"));
    let long = arg.get_long().map(|name| format!("--{name}"));
    let names: Vec<String> = short.into_iter().chain(long).collect();
    let takes_value = arg.get_action().takes_values();
    let value = arg.get_value_names().and_then(|names| names.first()).map(ToString::to_string);
    let value = value.unwrap_or_else(|| arg.get_id().to_string().to_uppercase());
    match (names.is_empty(), takes_value) {
        (true, _) => value,
        (false, true) => format!("{} {value}", names.join(", ")),
        (false, false) => names.join(", "),
    }
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
        assert!(page.contains("\\fBshellmate config set <KEY> <VALUE>\\fR\nSet a key"));
        assert!(!page.contains("shellmate\\-config(1)"));
    }
}
