//! The command line: arguments, subcommands, error messages and exit codes.
//!
//! `invocation` sorts the arguments by hand first. Arguments that belong to the real shell cost one `exec` and nothing else; only a
//! subcommand is parsed with clap. `report` alone turns errors into messages and exit codes.

mod alternate_screen;
pub(crate) mod args;
pub(crate) mod ask;
pub(crate) mod auth;
pub(crate) mod completions;
pub(crate) mod config;
pub(crate) mod conversations;
#[cfg(test)]
mod docs;
pub(crate) mod doctor;
pub(crate) mod history;
pub(crate) mod init;
pub(crate) mod invocation;
mod json;
mod key_taker;
pub(crate) mod log;
pub(crate) mod models;
mod questions;
pub(crate) mod reflex;
pub(crate) mod report;
mod start;
#[cfg(all(target_env = "gnu", target_feature = "crt-static"))]
mod static_libc;
mod terminal_program;
mod theme;
mod transcript;
mod trust;
mod usage;
mod version;

use std::ffi::{OsStr, OsString};
use std::io::{self, BufReader, BufWriter, IsTerminal};
use std::path::{Path, PathBuf};
use std::process::ExitCode;
use std::time::Duration;

use anyhow::Context;
use clap::Parser;

use crate::config::{Config, Paths};
use crate::guard;
use crate::hook;
use crate::host::{self, HostError, StartOptions};
use crate::provider::{Keys, WithKeys};
use crate::render::{RenderOptions, ScreenSize, TerminalMode, Wrapping};
use crate::store;
use crate::text;
use crate::text::bars::ChartLook;
use crate::tty;

use args::{Action, Cli};
use invocation::Invocation;
use report::Report;

/// How long to wait until the commands of this terminal are in the history.
const WRITING: Duration = Duration::from_secs(1);

/// Runs the program for the given arguments.
pub fn main(args: impl Iterator<Item = OsString>) -> ExitCode {
    #[cfg(all(target_env = "gnu", target_feature = "crt-static"))]
    static_libc::use_built_in_lookups();
    let args: Vec<OsString> = args.collect();
    let arg0 = args.first().cloned().unwrap_or_default();
    match invocation::classify(&args) {
        Ok(Invocation::Exec { shell, args, .. }) => start::become_shell(&arg0, shell, args),
        Ok(Invocation::Wrap { shell, login, interactive, shell_args }) => {
            let login = login && !arg0.as_encoded_bytes().starts_with(b"-");
            start::host_shell(shell, interactive, StartOptions { arg0, login, args: shell_args })
        }
        Ok(Invocation::Confine(orders)) => ExitCode::from(guard::run_helper(orders)),
        Ok(Invocation::Hooks) => ExitCode::from(hook::run_hook_helper()),
        Ok(Invocation::Command) => command(args),
        Ok(Invocation::Word { shell, args }) => script_or_typo(&arg0, shell, args),
        Err(error) => Report::from(anyhow::Error::new(error)).print(),
    }
}

/// Runs a script of this directory with the shell. Any other word is taken for a mistyped subcommand. A shell would search PATH for it.
fn script_or_typo(arg0: &OsStr, shell: Option<PathBuf>, args: Vec<OsString>) -> ExitCode {
    let word = args.first().cloned().unwrap_or_default();
    if Path::new(&word).exists() {
        return start::become_shell(arg0, shell, args);
    }
    let word = word.to_string_lossy();
    let error = anyhow::anyhow!("there is no subcommand `{word}`, and no file of that name here");
    let report = Report::from(error).code(report::NOT_FOUND);
    let report = match text::nearest(&word, invocation::SUBCOMMANDS.into_iter()) {
        Some(near) => report.hint(format!("did you mean `shellmate {near}`?")),
        None => report.hint("`shellmate --help` lists the subcommands"),
    };
    report.hint(format!("to run a script, name its path: `shellmate ./{word}`")).print()
}

fn command(args: Vec<OsString>) -> ExitCode {
    let cli = match Cli::try_parse_from(args) {
        Ok(cli) => cli,
        Err(error) => {
            // A closed pipe is not an error.
            let _ = error.print();
            return ExitCode::from(u8::try_from(error.exit_code()).unwrap_or(report::FAILED));
        }
    };
    let may_find_nothing = matches!(
        cli.action,
        Some(Action::History(_) | Action::Ask(_) | Action::Conversations(_) | Action::Usage(_) | Action::Transcript(_))
    );
    act(cli).unwrap_or_else(|error| {
        let report = Report::from(error);
        // An empty result is not a failure of shellmate itself, which would be 125.
        if may_find_nothing { report.code(1) } else { report }.print()
    })
}

/// The directories that are safe to use. `doctor` reports the others, so it gets all of them.
fn usable_paths(action: Option<&Action>) -> Paths {
    if let Some(Action::Doctor(_)) = action {
        return Paths::current();
    }
    let (paths, refused) = Paths::current().vetted();
    report::notices(refused);
    paths
}

fn act(cli: Cli) -> anyhow::Result<ExitCode> {
    if cli.version {
        return version::print(cli.verbose, &mut io::stdout().lock());
    }
    let paths = usable_paths(cli.action.as_ref());
    let mut out = BufWriter::new(io::stdout().lock());
    match cli.action {
        // `invocation` starts a shell in this case, but clap would allow it.
        None => anyhow::bail!("no subcommand was given; `shellmate --help` lists them"),
        Some(Action::Ask(args)) => {
            // `ask` locks stdout itself, for each piece of the answer.
            drop(out);
            ask::run(*args, &paths)
        }
        Some(Action::History(args)) => show_history(*args, &paths, &mut out),
        Some(Action::Conversations(args)) => {
            let database = history_database(&paths)?;
            let cwd = std::env::current_dir().unwrap_or_default();
            conversations::run(*args, (&database, &undo_directory(&paths)?), &cwd, display(), &mut out)
        }
        Some(Action::Usage(args)) => show_usage(args, &paths, &mut out),
        Some(Action::Transcript(args)) => {
            let database = history_database(&paths)?;
            let session = this_session(&paths).map(|(id, _)| id);
            let context = transcript::TranscriptContext { database: &database, session, display: display() };
            transcript::run(args, &context, &mut out)
        }
        Some(Action::Auth(args)) => {
            let tables = Config::load(&paths).config.provider_tables().0;
            auth::run(args.action, &paths, &tables, &mut out)
        }
        Some(Action::Models(args)) => {
            let (config, keys) = (Config::load(&paths).config, kept_keys(&paths));
            models::run(args, &config, &paths, &WithKeys { exported: environment, keys: &keys }, &mut out)
        }
        Some(Action::Init(args)) => init::run(args, &paths, chosen_shell(cli.shell, &paths), &mut out),
        Some(Action::Doctor(args)) => examine(&args, chosen_shell(cli.shell, &paths), &paths, &mut out),
        Some(Action::Reflex(args)) => {
            let stdin = io::stdin();
            let is_terminal = stdin.is_terminal();
            reflex::run(args, &mut stdin.lock(), is_terminal, &mut out)
        }
        Some(Action::Config(args)) => config::run(args.action, &paths, &mut out),
        Some(Action::Theme(args)) => theme::run(args.action, &paths, &mut out),
        Some(Action::Trust(args)) => trust::run(args, &paths, &mut out),
        Some(Action::Completions(args)) => completions::completions(args.shell, &mut out).map(|()| ExitCode::SUCCESS),
        Some(Action::Man) => completions::man(&mut out).map(|()| ExitCode::SUCCESS),
    }
}

fn examine(
    args: &args::DoctorArgs,
    chosen: Result<doctor::ChosenShell, HostError>,
    paths: &Paths,
    out: &mut impl io::Write,
) -> anyhow::Result<ExitCode> {
    let get = |name: &str| std::env::var_os(name);
    let exam = doctor::Exam::new(paths, &get, chosen, args.online);
    let columns = io::stdout().is_terminal().then(tty::width_of_stdout);
    doctor::print(&doctor::examine(&exam), args.form(), columns, out)
}

fn environment(name: &str) -> Option<String> {
    std::env::var(name).ok()
}

/// The stored keys. If they cannot be read, a notice says so and only those of the environment are used.
fn kept_keys(paths: &Paths) -> Keys {
    let loaded = paths.keys_file().map(|path| Keys::load(&path)).unwrap_or_else(|| Ok(Keys::default()));
    loaded.unwrap_or_else(|error| {
        report::notices([error]);
        Keys::default()
    })
}

fn history_database(paths: &Paths) -> anyhow::Result<PathBuf> {
    paths.history_db().context("no directory for the history; `shellmate doctor` says why")
}

fn undo_directory(paths: &Paths) -> anyhow::Result<PathBuf> {
    paths.undo_dir().context("no directory for kept files; `shellmate doctor` says why")
}

/// What stdout can show.
fn display() -> history::Display {
    history::Display::new(io::stdout().is_terminal(), tty::width_of_stdout(), |name| std::env::var_os(name))
}

/// What the terminal can show: its size, and the colours of the configured theme.
fn terminal_look(config: &Config, paths: &Paths) -> RenderOptions {
    let theme = config.themes_of_choice(paths).map(|(themes, _)| themes.on(theme::background())).unwrap_or_default();
    let variable = |name: &str| environment(name).unwrap_or_default();
    let size = tty::size_of_stdout();
    let size = ScreenSize { columns: size.cols, rows: size.rows };
    RenderOptions::of_terminal(size, theme, Wrapping::Words, variable)
}

/// How charts look on stdout.
fn chart_look(config: &Config, paths: &Paths) -> ChartLook {
    let options = terminal_look(config, paths);
    let depth = (options.mode == TerminalMode::Terminal).then_some(options.colour);
    ChartLook { columns: options.columns.into(), unicode: options.unicode, paint: options.theme.chart_paint(depth) }
}

fn show_usage(args: usage::Args, paths: &Paths, out: &mut impl io::Write) -> anyhow::Result<ExitCode> {
    let config = Config::load(paths).config;
    let (database, is_recording) = (history_database(paths)?, config.history.enabled);
    let context = usage::UsageContext { database: &database, is_recording, now: jiff::Zoned::now() };
    let look = display().terminal.then(|| chart_look(&config, paths));
    usage::run(args, &context, look, out)
}

fn show_history(args: history::Args, paths: &Paths, out: &mut impl io::Write) -> anyhow::Result<ExitCode> {
    let database = history_database(paths)?;
    let (id, directory) = this_session(paths).unzip();
    if let Err(error) = store::copy_leftovers(&database) {
        // The other commands can be shown nevertheless.
        report::notices([format!("the last commands of ended sessions are not listed yet: {error}")]);
    }
    let cwd = std::env::current_dir().unwrap_or_default();
    let config = Config::load(paths).config;
    let context = history::HistoryContext {
        database: &database,
        runtime: paths.runtime_root(),
        session: id
            .as_deref()
            .zip(directory.as_deref())
            .map(|(id, directory)| history::CurrentSession { id, directory }),
        cwd: &shell_directory(&cwd),
        now: jiff::Zoned::now(),
        chart: chart_look(&config, paths),
        look: terminal_look(&config, paths).read_aloud(config.screen_reader),
        config: &config,
        variable: &|name| std::env::var_os(name),
    };
    let mut stdin = BufReader::new(io::stdin());
    let answers = io::stdin().is_terminal().then_some(&mut stdin as &mut dyn io::BufRead);
    history::run(args, &context, display(), answers, out)
}

/// The session that this program runs in: its id and its directory. Waits until the commands run in it before are stored.
fn this_session(paths: &Paths) -> Option<(String, PathBuf)> {
    let id = std::env::var("SHELLMATE_SESSION").ok().filter(|id| !id.is_empty() && !id.contains('/'))?;
    let directory = paths.runtime_roots().map(|root| root.join(&id)).find(|path| path.is_dir())?;
    store::wait_until_written(&directory, WRITING);
    Some((id, directory))
}

/// The working directory, by the path that the shell uses. One that was deleted has the path that it had.
fn working_directory() -> PathBuf {
    if let Ok(cwd) = std::env::current_dir() {
        return shell_directory(&cwd);
    }
    let was = std::fs::read_link("/proc/self/cwd").ok();
    let was = was.and_then(|path| path.to_str()?.strip_suffix(" (deleted)").map(PathBuf::from));
    was.or_else(|| std::env::var_os("PWD").map(PathBuf::from)).unwrap_or_default()
}

/// The working directory by the path that the shell uses (`$PWD`), which is the one in the history.
fn shell_directory(cwd: &Path) -> PathBuf {
    let named = std::env::var_os("PWD").map(PathBuf::from).filter(|path| path.is_absolute());
    named.filter(|path| path.canonicalize().is_ok_and(|real| real == *cwd)).unwrap_or_else(|| cwd.to_owned())
}

fn chosen_shell(flag: Option<PathBuf>, paths: &Paths) -> Result<doctor::ChosenShell, HostError> {
    let configured = Config::load(paths).config.shell;
    let found = host::find(&start::search(flag, configured))?;
    let why = match found.source {
        host::ShellSource::Flag => "given with --shell",
        host::ShellSource::Variable => "from $SHELLMATE_SHELL",
        host::ShellSource::Configuration => "from the configuration",
        host::ShellSource::Environment => "from $SHELL",
        host::ShellSource::Passwd => "your login shell",
        host::ShellSource::Fallback => "the first one found",
    };
    Ok(doctor::ChosenShell { path: found.path, why: why.to_owned() })
}
