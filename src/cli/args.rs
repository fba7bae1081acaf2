//! The command line as clap sees it: help, subcommands and their options.
//!
//! Only read for a subcommand, `--help` or `--version`; starting around a shell never comes here (see `invocation`).

use std::path::PathBuf;

use clap::{Args, CommandFactory, Parser, Subcommand};

/// What there is to know about the shell that is started.
const AFTER_HELP: &str = "\
In the shell:
  > QUESTION   Asks the agent; the line never reaches the shell. `> /help` lists its commands
  >            Alone on the line: opens a line for a conversation
  Ctrl-\\       Opens that line over a running program; twice sends the key to it (`hotkey` in the configuration)
  @FILE        In a question: sends a file, a picture or the names in a directory along
  @last, @ID   In a question: sends the last command, or one of `shellmate history`, and its output along

Anything that is not listed here (-c, -s, the path of a script, the shell's own options) goes to the real shell unchanged.";

/// Your own shell with an agent one keystroke away.
///
/// Starts your shell in a terminal of its own, steps aside, and remembers every command with its directory, exit status, duration
/// and output.
#[derive(Debug, Parser)]
#[command(
    name = "shellmate",
    version,
    override_usage = "shellmate [--shell PATH] [-l] [-- SHELL-ARGUMENT...]\n       \
                      shellmate -c COMMAND | FILE | -s ...\n       shellmate <COMMAND>",
    after_help = AFTER_HELP
)]
pub(crate) struct Cli {
    /// Start around this shell instead of your own.
    #[arg(long, value_name = "PATH")]
    pub shell: Option<PathBuf>,

    /// Start as a login shell.
    #[arg(short, long)]
    pub login: bool,

    /// Accepted because shells accept it; the shell is interactive anyway.
    #[arg(short, hide = true)]
    pub interactive: bool,

    #[command(subcommand)]
    pub action: Option<Action>,
}

#[derive(Debug, Subcommand)]
pub(crate) enum Action {
    /// Ask one question and print the answer: 0 answered, 1 not, 130 stopped.
    ///
    /// In a wrapped shell the model sees what was run in this terminal. What changes something is refused without `--yes`.
    Ask(Box<super::ask::Args>),
    /// What was run here: list, search, show, forget.
    History(Box<super::history::Args>),
    /// Which providers have a key; keep or forget one.
    Auth(Auth),
    /// The models that can be asked: of every provider there is a key for, and of the servers on this machine.
    Models(super::models::Args),
    /// Explain a failed command and correct it by rules alone, without a model: 0 something is known, 1 nothing is.
    Reflex(super::reflex::Args),
    /// Look at the installation and say what is wrong and what to do about it; exits with 1 if there is a problem.
    Doctor(Doctor),
    /// Show or change the configuration.
    Config(Config),
    /// Show how answers can look.
    Theme(Theme),
    /// Print a completion script for a shell.
    Completions(Completions),
    /// Print the manual page.
    Man,
}

#[derive(Debug, Args)]
pub(crate) struct Auth {
    #[command(subcommand)]
    pub action: Option<super::auth::Action>,
}

#[derive(Debug, Args)]
pub(crate) struct Doctor {
    /// Print one JSON object instead of lines.
    #[arg(long)]
    pub json: bool,
}

#[derive(Debug, Args)]
pub(crate) struct Config {
    #[command(subcommand)]
    pub action: Option<ConfigAction>,
}

#[derive(Debug, Subcommand)]
pub(crate) enum ConfigAction {
    /// Print what is in effect: one key, or everything.
    Get {
        /// A key with dots, such as `history.commands`.
        key: Option<String>,
    },
    /// Set a key in the file, keeping comments and order.
    Set {
        /// A key with dots, such as `history.commands`.
        key: String,
        /// The value, as TOML or as plain text.
        #[arg(allow_hyphen_values = true)]
        value: String,
    },
    /// Open the file in $VISUAL or $EDITOR and check it afterwards.
    Edit,
    /// Print a JSON schema of the file, for editors.
    Schema,
    /// Print where the file is, whether it exists or not.
    Path,
}

#[derive(Debug, Args)]
pub(crate) struct Theme {
    #[command(subcommand)]
    pub action: Option<ThemeAction>,
}

#[derive(Debug, Subcommand)]
pub(crate) enum ThemeAction {
    /// List the themes; the one in use is marked.
    List,
    /// Print a sample of a theme.
    Show {
        /// The theme; without one, the one in use.
        name: Option<String>,
    },
}

#[derive(Debug, Args)]
pub(crate) struct Completions {
    /// The shell to complete in.
    pub shell: clap_complete::Shell,
}

/// The definition, for completions, the manual page and the documentation.
pub(crate) fn definition() -> clap::Command {
    let mut command = Cli::command();
    command.build();
    command
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::cli::invocation::SUBCOMMANDS;

    #[test]
    fn the_definition_is_sound() {
        Cli::command().debug_assert();
    }

    #[test]
    fn the_classifier_knows_every_subcommand() {
        for command in definition().get_subcommands() {
            assert!(SUBCOMMANDS.contains(&command.get_name()), "{}", command.get_name());
        }
    }

    #[test]
    fn values_may_begin_with_a_dash() {
        let cli = Cli::try_parse_from(["shellmate", "config", "set", "history.commands", "-1"]).unwrap();
        let Some(Action::Config(Config { action: Some(ConfigAction::Set { key, value }) })) = cli.action else {
            panic!()
        };
        assert_eq!((key.as_str(), value.as_str()), ("history.commands", "-1"));
    }
}
