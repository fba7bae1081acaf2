//! `docs/CLI.md`, from the clap definition.

use std::fmt::Write;

use clap::{Arg, Command};

use super::args::definition;
use super::completions::spelling;

const OPENING: &str = "\
# Command line

<!-- Generated from the clap definition in src/cli/args.rs; `UPDATE_DOCS=1 cargo test` writes it. -->

Exit status: the shell's own (128+n if signal n killed it); 125 if shellmate itself failed, 126 if the shell could not be executed,
127 if it was not found.
";

/// Renders the documentation of every subcommand and option.
pub(crate) fn markdown() -> String {
    let mut out = OPENING.to_owned();
    describe(&mut out, &definition());
    out
}

fn describe(out: &mut String, command: &Command) {
    let name = command.get_bin_name().unwrap_or(command.get_name());
    let usage = command.clone().render_usage().to_string();
    let usage =
        usage.trim_start_matches("Usage:").lines().map(|line| format!("    {}\n", line.trim())).collect::<String>();
    let _ = write!(out, "\n## `{name}`\n\n");
    if let Some(about) = command.get_long_about().or(command.get_about()) {
        let _ = write!(out, "{about}\n\n");
    }
    out.push_str(&usage);
    // Every subcommand has `--help`; saying so once is enough.
    let everywhere = |arg: &Arg| name.contains(' ') && arg.get_id() == "help";
    let shown: Vec<&Arg> = command.get_arguments().filter(|arg| !arg.is_hide_set() && !everywhere(arg)).collect();
    if !shown.is_empty() {
        out.push('\n');
    }
    for arg in shown {
        let help = arg.get_long_help().or(arg.get_help()).map(ToString::to_string).unwrap_or_default();
        let _ = writeln!(out, "- `{}` — {}{}", spelling(arg), help.replace('\n', " "), choices(arg));
    }
    if let Some(after) = command.get_after_help() {
        out.push_str(&with_code_blocks(&after.to_string()));
    }
    for inner in command.get_subcommands().filter(|inner| inner.get_name() != "help" && !inner.is_hide_set()) {
        describe(out, inner);
    }
}

/// The text with its indented lines as code blocks.
fn with_code_blocks(text: &str) -> String {
    let mut out = String::new();
    let mut was_indented = false;
    out.push('\n');
    for line in text.lines() {
        let is_indented = line.starts_with("  ");
        if is_indented && !was_indented {
            out.push('\n');
        }
        out.push_str(if is_indented { "  " } else { "" });
        out.push_str(line);
        out.push('\n');
        was_indented = is_indented;
    }
    out
}

fn choices(arg: &Arg) -> String {
    let values: Vec<String> = arg.get_possible_values().iter().map(|value| format!("`{}`", value.get_name())).collect();
    if values.is_empty() || !arg.get_action().takes_values() {
        String::new()
    } else {
        format!(": {}", values.join(", "))
    }
}

#[cfg(test)]
mod tests {
    #[test]
    fn the_document_is_fresh() {
        crate::config::docs::assert_fresh("CLI.md", &super::markdown());
    }
}
