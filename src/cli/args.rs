//! The clap definition: subcommands, options and their help.
//!
//! It is used for subcommands, `--help` and `--version` only. Starting a shell does not get here (see `invocation`).

use std::path::PathBuf;

use clap::{Args, CommandFactory, Parser, Subcommand};

use super::doctor::DoctorForm;

/// Help for what is typed inside the shell.
const AFTER_HELP: &str = "\
In the shell:
  > QUESTION   Asks the agent; the shell never sees the line. `> /help` lists its commands
  >            Opens a line for a conversation
  Ctrl-\\       Opens the same line over a running program; press it twice to send the key (the default of `hotkey`)
  @FILE        In a question: attaches a file, a picture or the names in a directory
  @last, @ID   In a question: attaches the last command, or one of `shellmate history`, with its output

Anything that is not listed here (-c, -s, the path of a script, the shell's own options) is passed to the real shell unchanged.";

/// Your own shell with an agent one keystroke away.
///
/// Starts your shell in a pseudo-terminal and records every command with its directory, exit status, duration and output. A line that
/// starts with `> ` is a question to the agent.
#[derive(Debug, Parser)]
#[command(
    name = "shellmate",
    version,
    disable_version_flag = true,
    override_usage = "shellmate [--shell PATH] [-l] [-- SHELL-ARGUMENT...]\n       \
                      shellmate -c COMMAND | FILE | -s ...\n       shellmate <COMMAND>",
    after_help = AFTER_HELP
)]
pub(crate) struct Cli {
    /// Start this shell instead of your own.
    #[arg(long, value_name = "PATH")]
    pub shell: Option<PathBuf>,

    /// Start as a login shell.
    #[arg(short, long)]
    pub login: bool,

    /// Accepted for compatibility: the shell is always interactive.
    #[arg(short, hide = true)]
    pub interactive: bool,

    /// Print the version.
    #[arg(short = 'V', long)]
    pub version: bool,

    /// With `--version`: also print how this program was built.
    #[arg(long, requires = "version")]
    pub verbose: bool,

    #[command(subcommand)]
    pub action: Option<Action>,
}

#[derive(Debug, Subcommand)]
pub(crate) enum Action {
    /// Ask one question and print the answer.
    ///
    /// In a session of shellmate the model sees what you ran there. Commands and edits need your approval, or `--yes` if there is no
    /// terminal. Exits with 0 if the question was answered, 1 if not, 130 if it was stopped.
    Ask(Box<super::ask::Args>),
    /// List, search, show or delete recorded commands.
    History(Box<super::history::Args>),
    /// List, search, show, export or delete conversations with the agent.
    Conversations(Box<super::conversations::Args>),
    /// Show how many tokens questions took and what they cost, by day and model.
    ///
    /// A terminal gets a chart. Otherwise there is a line for each day and model with tabs between day, model, queries, tokens in,
    /// out and cached, cost in US dollars, median time to the first token and total time in milliseconds.
    Usage(super::usage::Args),
    /// Show what the agent asked for in a session, who or what allowed it, and what came of it.
    ///
    /// A transcript has each request with its size, each call with the decision about it, its sandbox and its result, and the tokens used.
    /// Secrets are masked. `shellmate conversations forget` deletes it with the conversation.
    Transcript(super::transcript::Args),
    /// Show, store or delete keys of providers.
    Auth(AuthArgs),
    /// List the models of every provider with a key and of the model servers on this machine.
    Models(super::models::Args),
    /// Explain and correct a failed command by the built-in rules, without a model. Exits with 1 if the rules know nothing.
    Reflex(super::reflex::Args),
    /// Set shellmate up: finds your shell, terminal, keys and model servers, and asks a few questions.
    ///
    /// Shows every change before it is made and can be left at any point with Esc, Ctrl-C or `q`. Only the configuration is written; the
    /// lines that make shellmate your terminal's command or your login shell are printed. Without a terminal it prints what it found and
    /// the commands to run.
    Init(super::init::Args),
    /// Check the installation and say how to fix what is wrong. Exits with 1 if something fails.
    ///
    /// Looks at the terminal, starts each installed shell with the hooks and your start files, and looks at the configuration, files,
    /// disk, sandbox, model, login shell, hooks, skills and trusted projects. Changes nothing, and sends nothing without `--online`.
    Doctor(DoctorArgs),
    /// Show or change the configuration.
    Config(ConfigArgs),
    /// List, try and choose themes.
    Theme(ThemeArgs),
    /// Trust a project, so that its `.shellmate` directory may bring settings, hooks, skills and commands.
    ///
    /// Shows what the directory brings and asks. The trust is for exactly these contents: a change asks again.
    Trust(super::trust::Args),
    /// Print a completion script for a shell.
    Completions(CompletionsArgs),
    /// Print the manual page.
    Man,
}

#[derive(Debug, Args)]
pub(crate) struct AuthArgs {
    #[command(subcommand)]
    pub action: Option<super::auth::AuthAction>,
}

#[derive(Debug, Args)]
pub(crate) struct DoctorArgs {
    /// Print one JSON object for each finding instead of lines, with `check`, `level` (ok, warn or fail), `text` and `fix`.
    #[arg(long)]
    pub json: bool,
    /// Print lines for a bug report, without names, paths, addresses or contents of yours.
    #[arg(long, conflicts_with = "json")]
    pub report: bool,
    /// Ask the model for one word. Without this, nothing is sent.
    #[arg(long)]
    pub online: bool,
}

impl DoctorArgs {
    pub(super) fn form(&self) -> DoctorForm {
        match (self.json, self.report) {
            (true, _) => DoctorForm::Json,
            (false, true) => DoctorForm::Report,
            (false, false) => DoctorForm::Lines,
        }
    }
}

#[derive(Debug, Args)]
pub(crate) struct ConfigArgs {
    #[command(subcommand)]
    pub action: Option<ConfigAction>,
}

#[derive(Debug, Subcommand)]
pub(crate) enum ConfigAction {
    /// Print the effective value of one key or of all keys. Secrets are masked.
    Get {
        /// A key with dots, such as `history.commands`.
        key: Option<String>,
        /// Say where each value comes from: a file and its line, an environment variable, or the default.
        #[arg(long)]
        origin: bool,
        /// Print one JSON object for each key, with its value and origin.
        #[arg(long)]
        json: bool,
    },
    /// Set a key in your own file; comments and order are kept.
    Set {
        /// A key with dots, such as `history.commands`, `providers.work.base_url` or `rules.0.decision`.
        key: String,
        /// The value, as TOML or as plain text.
        #[arg(allow_hyphen_values = true)]
        value: String,
    },
    /// Open your own file in $VISUAL or $EDITOR, then check it.
    Edit,
    /// Print a JSON schema of the file, for editors.
    Schema,
    /// List the files that are read, and which of them exist.
    Path {
        /// Print only the path of this file.
        layer: Option<ConfigLayer>,
    },
}

/// A file of the configuration.
#[derive(Debug, Clone, Copy, PartialEq, Eq, clap::ValueEnum)]
pub(crate) enum ConfigLayer {
    /// The machine's.
    System,
    /// Yours.
    User,
    /// That of the project you are in.
    Project,
}

#[derive(Debug, Args)]
pub(crate) struct ThemeArgs {
    #[command(subcommand)]
    pub action: Option<ThemeAction>,
}

#[derive(Debug, Subcommand)]
pub(crate) enum ThemeAction {
    /// List the themes; the one in use is marked.
    List,
    /// Print a sample of a theme.
    Show {
        /// The theme; by default the one in use.
        name: Option<String>,
    },
    /// Try themes on a list, with a sample of each. Enter uses the selected one, Esc changes nothing.
    Preview {
        /// The theme to begin with; by default the one in use.
        name: Option<String>,
    },
    /// Use a theme from now on: writes `theme` in the configuration.
    Set {
        /// The theme, or `auto`; without a name, opens the list that `preview` opens.
        name: Option<String>,
    },
}

#[derive(Debug, Args)]
pub(crate) struct CompletionsArgs {
    /// The shell to complete in.
    pub shell: clap_complete::Shell,
}

/// The definition with all generated parts, for completions, the manual page and the documentation.
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
        let Some(Action::Config(ConfigArgs { action: Some(ConfigAction::Set { key, value }) })) = cli.action else {
            panic!()
        };
        assert_eq!((key.as_str(), value.as_str()), ("history.commands", "-1"));
    }
}
