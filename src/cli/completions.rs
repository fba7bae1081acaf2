//! Completion scripts and the manual page, from the clap definition.

use std::io::Write;

use anyhow::Result;
use clap::builder::PossibleValuesParser;
use clap::{Arg, Command, CommandFactory, ValueHint};
use clap_complete::Shell;

use super::args::{Cli, definition};
use super::config;
use crate::provider::VENDORS;
use crate::render::BUILT_IN_THEMES;

/// What clap knows nothing about, in roff.
const LAST_SECTIONS: &str = r#".SH "EXIT STATUS"
The exit status of the shell, or 128 plus the number of the signal that ended it.
.TP
.B 125
shellmate itself failed.
.TP
.B 126
The shell cannot be executed.
.TP
.B 127
The shell was not found.
.SH ENVIRONMENT
.TP
.B SHELLMATE_SHELL
The shell to start, before the configuration and
.BR SHELL .
.TP
.B SHELLMATE_MODEL
The model to ask, as provider/model[:effort].
.TP
.B SHELLMATE_LOG
How much is logged, such as
.IR debug .
.TP
.BR SHELLMATE ", " SHELLMATE_SESSION
Set by shellmate for the shell and its programs: the version and the session.
.PP
Keys of providers are in variables such as
.BR OPENAI_API_KEY .
.SH FILES
.TP
.I ~/.config/shellmate/config.toml
Your configuration. XDG_CONFIG_HOME replaces ~/.config.
.TP
.I /etc/shellmate/config.toml
The configuration for all users of the machine.
.TP
.I ~/.local/state/shellmate/
The history, stored keys, approvals and the log. XDG_STATE_HOME replaces ~/.local/state.
.SH "SEE ALSO"
.BR bash (1),
.BR zsh (1),
.BR fish (1),
.BR chsh (1)
"#;

/// Writes a completion script. It is generated in memory, because clap's generator panics if a write fails.
pub(crate) fn completions(shell: Shell, out: &mut impl Write) -> Result<()> {
    let mut script = Vec::new();
    clap_complete::generate(shell, &mut with_values(Cli::command()), "shellmate", &mut script);
    if shell == Shell::Fish {
        // clap's generator offers the values of options only.
        for KnownValues { command, subcommand, values, .. } in known_values() {
            let place =
                format!("__fish_shellmate_using_subcommand {command}; and __fish_seen_subcommand_from {subcommand}");
            writeln!(script, "complete -c shellmate -n \"{place}\" -f -a \"{}\"", values.join(" "))?;
        }
    }
    out.write_all(&script)?;
    Ok(out.flush()?)
}

/// The values of an argument of a subcommand that are the same for everyone.
struct KnownValues {
    command: &'static str,
    subcommand: &'static str,
    argument: &'static str,
    values: Vec<&'static str>,
}

fn known_values() -> Vec<KnownValues> {
    let themes: Vec<&str> = BUILT_IN_THEMES.iter().map(|(name, _)| *name).collect();
    let settable = ["auto"].into_iter().chain(themes.iter().copied()).collect();
    let takes_key = VENDORS.iter().filter(|vendor| !vendor.key_variables.is_empty());
    let providers: Vec<&str> = takes_key.map(|vendor| vendor.name).collect();
    // clap wants names that live as long as the program, which ends after it has printed the script.
    let keys: Vec<&str> = config::keys().into_iter().map(|key| &*key.leak()).collect();
    let known = |command, subcommand, argument, values| KnownValues { command, subcommand, argument, values };
    vec![
        known("theme", "show", "name", themes.clone()),
        known("theme", "preview", "name", themes),
        known("theme", "set", "name", settable),
        known("auth", "login", "provider", providers.clone()),
        known("auth", "logout", "provider", providers),
        known("config", "get", "key", keys.clone()),
        known("config", "set", "key", keys),
    ]
}

/// The definition as it is completed: with the values that are known, and without files where no path is expected.
fn with_values(definition: Command) -> Command {
    let named = without_files(definition);
    known_values().into_iter().fold(named, |definition, KnownValues { command, subcommand, argument, values }| {
        definition.mut_subcommand(command, |command| {
            command.mut_subcommand(subcommand, |subcommand| {
                subcommand.mut_arg(argument, |arg| arg.value_parser(PossibleValuesParser::new(values)))
            })
        })
    })
}

fn without_files(command: Command) -> Command {
    let is_other = |arg: &Arg| arg.get_value_hint() == ValueHint::Unknown && arg.get_action().takes_values();
    let other = |arg: Arg| if is_other(&arg) { arg.value_hint(ValueHint::Other) } else { arg };
    command.mut_args(other).mut_subcommands(without_files)
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
    roff.extend_from_slice(usage_in_the_shell(&definition).as_bytes());
    roff.extend_from_slice(LAST_SECTIONS.as_bytes());
    out.write_all(&roff)?;
    Ok(out.flush()?)
}

/// What the help says below the options: its first line is the title, and a row is what is typed, blanks, and what that does.
fn usage_in_the_shell(definition: &Command) -> String {
    let help = definition.get_after_help().map(ToString::to_string).unwrap_or_default();
    let mut section = String::new();
    for line in help.lines().filter(|line| !line.trim().is_empty()) {
        let row = line.strip_prefix("  ").and_then(|row| row.split_once("  "));
        section.push_str(&match (row, section.is_empty()) {
            (_, true) => format!(".SH {}\n", escape(&format!("\"{}\"", line.trim_end_matches(':').to_uppercase()))),
            (Some((typed, does)), false) => format!(".TP\n\\fB{}\\fR\n{}\n", escape(typed), escape(does)),
            (None, false) => format!(".PP\n{}\n", escape(line)),
        });
    }
    section
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
    fn known_values_are_offered_and_files_only_for_paths() {
        let command = with_values(Cli::command());
        let argument = |path: &[&str], name: &str| {
            let found = path.iter().try_fold(&command, |command, name| command.find_subcommand(name)).unwrap();
            found.get_arguments().find(|arg| arg.get_id() == name).unwrap().clone()
        };
        for (path, name, value) in [
            (&["theme", "set"][..], "name", "gruvbox-dark"),
            (&["auth", "login"], "provider", "openai"),
            (&["config", "get"], "key", "history.enabled"),
        ] {
            let offered = argument(path, name).get_possible_values();
            assert!(offered.iter().any(|offered| offered.get_name() == value), "{path:?}");
        }
        assert_eq!(argument(&["ask"], "model").get_value_hint(), ValueHint::Other);
        assert_eq!(argument(&["ask"], "image").get_value_hint(), ValueHint::AnyPath);
        assert_eq!(argument(&["history", "show"], "id").get_value_hint(), ValueHint::Other);
    }

    #[test]
    fn the_page_has_its_title_and_options() {
        let mut out = Vec::new();
        man(&mut out).unwrap();
        let page = String::from_utf8(out).unwrap();
        assert!(page.contains(".TH shellmate 1"));
        assert!(page.contains("\\-\\-shell"));
        assert!(page.contains(".SH \"IN THE SHELL\"\n.TP\n\\fB> QUESTION\\fR\nAsks the agent"));
        assert!(page.contains(".SH \"EXIT STATUS\"\n") && page.contains(".SH FILES\n"));
        assert!(page.contains("\\fBshellmate config set <KEY> <VALUE>\\fR\nSet a key"));
        assert!(!page.contains("shellmate\\-config(1)"));
    }
}
