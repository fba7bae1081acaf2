//! Builds a session.

use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::sync::mpsc::{Receiver, channel};
use std::time::SystemTime;

use crate::capture::{Retention, SpillUse, Spiller, sweep_if_due};
use crate::config::{Config, ConfigReader, Loaded, Paths, Problem};
use crate::host::{self, Integration, Shell, ShellKind, StartOptions};
use crate::store::{self, ConversationRecorder, PAUSED};
use crate::track::Scanner;
use crate::tty::{self, Tty};

use super::agent_link::{AgentSetup, Settings};
use super::agent_news::AgentHandle;
use super::books::{Books, OuterMarks, Recorder};
use super::command_store::{Chores, CommandStore, HistoryPlace};
use super::errands::{Errands, Reporter};
use super::floor::Floor;
use super::follow::Follower;
use super::hint::Hints;
use super::hooks::HookLink;
use super::keyboard::Keyboard;
use super::live::{history_limits, ignored, limits, summary};
use super::memory;
use super::nested::NestedShells;
use super::outer_terminal::OuterTerminal;
use super::privacy::Privacy;
use super::profile::Profile;
use super::requests::Requests;
use super::system::watch_configuration;
use super::terminal_id::terminal_id;
use super::welcome::Welcome;
use super::wires::{Signals, Wires, shell_size};
use super::workspace::{Workspace, random_hex};
use super::{Session, SessionError};

/// What a session is built from.
pub(crate) struct Start {
    /// The shell to host.
    pub shell: PathBuf,
    pub wishes: StartOptions,
    pub loaded: Loaded,
    /// Has read the configuration, and reads it again when it was saved.
    pub reader: ConfigReader,
    pub paths: Paths,
}

/// Hosts the shell until it ends and returns its exit status. On an error nothing has been started.
pub(crate) fn run(start: Start) -> Result<i32, SessionError> {
    memory::keep_little();
    // The terminal is in raw mode and shows the shell, so messages about a panic go to the log.
    std::panic::set_hook(Box::new(|panic| tracing::error!("{panic}")));
    let mut session = Session::begin(start)?;
    let over = session.conduct_whatever_comes();
    Ok(session.close(over))
}

impl Session {
    /// Starts the shell first. Everything that can wait is done while the shell reads its start files.
    fn begin(start: Start) -> Result<Session, SessionError> {
        let Start { shell, wishes, loaded, reader, paths } = start;
        let Loaded { config, mut problems, origins } = loaded;
        let no_workspace = |source| SessionError::Workspace { root: paths.runtime_root().to_owned(), source };
        let signals = Signals::new().map_err(SessionError::Signals)?;
        let tty = Tty::open()?;
        let id = random_hex::<8>().map_err(no_workspace)?;
        let nonce = random_hex::<16>().map_err(no_workspace)?;
        let errands = Errands::new().map_err(no_workspace)?;
        let mut workspace =
            Workspace::create(&paths, &id, ShellKind::of(&shell), errands.reporter()).map_err(no_workspace)?;
        let launch =
            launch(&shell, &wishes, &workspace, &id, &nonce, config.history.key.key().map(|key| key.letter()))?;
        tty.enter_raw().map_err(crate::tty::TtyError::Settings)?;
        let shell_process = host::spawn(&launch, shell_size(tty.size()), tty.settings())?;
        if let Some(terminal) = shell_process.terminal_name() {
            workspace.note_terminal(terminal);
        }

        let (kind, host) = (ShellKind::of(&shell), hostname());
        let writer = store::RecordingSession { id, host: host.clone(), shell: kind.name().to_owned() };
        let mut setup = agent_setup(&config, reader, &paths, &workspace, &nonce, &mut problems);
        let terminal = terminal_id(|name| std::env::var_os(name), tty::name().map(|path| path.display().to_string()));
        setup.conversations = config.conversation_recorder(&paths, &writer.id, &writer.host, terminal);
        let profile = profile(&config, &paths, kind, host.clone(), &mut problems).with_user(Arc::clone(&setup.user));
        let follower = Follower::new(shell_process.child().pid());
        let mut books = Books::new(
            Scanner::new(&nonce),
            OuterMarks::new(std::env::var_os("TERM").as_deref(), host),
            recorder(&config, &workspace, &nonce, &mut problems),
            follower,
        );
        books.set_columns(tty.size().cols);
        books.recorder.hints = Hints::new(config.hint);
        let problems: Vec<Problem> = problems.into_iter().map(|problem| origins.locate(problem)).collect();
        books.next_prompt.settings.replace(summary(&problems));
        let hotkey = config.hotkey.key();
        let welcome = Welcome::new(config.welcome, paths.starts_file(), |name| std::env::var(name).ok());
        let watch = Watching { reader: setup.config.clone(), paths: paths.clone(), report: errands.reporter() };
        let history =
            HistoryPlace { directory: workspace.directory().to_owned(), database: paths.history_db(), session: writer };
        let store = CommandStore::new(history, history_limits(&config), chores(&config, &paths, watch));
        Ok(Session {
            wires: Wires::new(Box::new(tty), Box::new(shell_process), signals),
            books,
            floor: Floor::Shell,
            nested: NestedShells::new(config.nested_hint, hotkey.as_ref().map(|key| key.label())),
            outer: OuterTerminal::new(config.terminal.clone()),
            keyboard: Keyboard::new(hotkey),
            hook: HookLink::new(workspace, launch.secrets),
            agent: AgentHandle::new(setup, welcome),
            requests: Requests::default(),
            store,
            profile,
            errands,
            editor: None,
            suggestion: None,
            is_plain: false,
        })
    }
}

/// How the shell is started: with our hooks, and with our environment variables.
fn launch(
    shell: &Path,
    wishes: &StartOptions,
    workspace: &Workspace,
    id: &str,
    nonce: &str,
    finder: Option<char>,
) -> Result<host::Launch, host::HostError> {
    let mut launch = host::plain(shell, wishes);
    let path = std::env::var_os("PATH").unwrap_or_default();
    let command = (!host::is_on_path("shellmate", &path)).then(|| std::env::current_exe().ok()).flatten();
    let program = finder.and_then(|_| std::env::current_exe().ok());
    let finder = finder.zip(program.as_deref());
    let (directory, fifo, command) = (workspace.directory(), workspace.fifo(), command.as_deref());
    let integration = Integration { directory, nonce, fifo, finder, command };
    launch.integrate(wishes, &integration, |name| std::env::var_os(name)).map_err(host::HostError::Integration)?;
    launch.env.push(("SHELL".into(), Some(shell.into())));
    launch.env.push(("SHELLMATE".into(), Some(env!("CARGO_PKG_VERSION").into())));
    launch.env.push(("SHELLMATE_SESSION".into(), Some(id.into())));
    Ok(launch)
}

/// Settings and files of the agent's thread.
fn agent_setup(
    config: &Config,
    reader: ConfigReader,
    paths: &Paths,
    workspace: &Workspace,
    nonce: &str,
    problems: &mut Vec<Problem>,
) -> AgentSetup {
    let (settings, bad_masks) = Settings::of(config);
    problems.extend(bad_masks);
    AgentSetup {
        places: Arc::new(paths.agent_places(workspace.directory().to_owned())),
        keys: paths.keys_file(),
        servers: paths.servers_file(),
        models: paths.models_file(),
        hooks: paths.hooks_file(),
        trust: paths.trust_store(),
        config: reader,
        settings,
        nonce: nonce.to_owned(),
        grants: config.grants(paths),
        conversations: ConversationRecorder::off(),
        keeper: config.keeper(paths),
        paths: Some(paths.clone()),
        user: Arc::default(),
    }
}

/// The look of the session: theme, shell, host and terminal.
fn profile(config: &Config, paths: &Paths, kind: ShellKind, host: String, problems: &mut Vec<Problem>) -> Profile {
    let mut profile = Profile::new(kind, host, config.line.editing(), config.wrap).read_aloud(config.screen_reader);
    let (keys, clashes) = config.key_map();
    profile.adopt_keys(keys);
    problems.extend(clashes);
    match config.themes_of_choice(paths) {
        Some((themes, bad_theme)) => {
            problems.extend(bad_theme);
            profile.with_themes(themes)
        }
        None => profile,
    }
}

/// The recorder of command output.
fn recorder(config: &Config, workspace: &Workspace, nonce: &str, problems: &mut Vec<Problem>) -> Recorder {
    let spiller = Spiller::new(workspace.directory().to_owned(), config.capture.spill_total.bytes());
    let (ignore, bad_patterns) = ignored(config);
    problems.extend(bad_patterns);
    Recorder::new(limits(config), spiller, Privacy::new(ignore, workspace.directory().join(PAUSED)), nonce)
}

/// What the thread needs that notices saved settings.
struct Watching {
    reader: ConfigReader,
    paths: Paths,
    report: Reporter,
}

/// Deletes old files, and watches the configuration.
fn chores(config: &Config, paths: &Paths, watching: Watching) -> Chores {
    let retention = Retention { age: config.capture.spill_age(), bytes: config.capture.spill_total.bytes() };
    let (history, root) = (paths.history_db(), paths.runtime_root().to_owned());
    let Watching { reader, paths, report } = watching;
    let theme = config.theme_file(&paths);
    Box::new(move || {
        watch_configuration(reader, theme, paths, report);
        tidy(root, retention, history)
    })
}

/// Deletes the files of crashed and old sessions, on a thread. The receiver is closed when that is done.
fn tidy(root: PathBuf, retention: Retention, history: Option<PathBuf>) -> Receiver<()> {
    let (done, tidied) = channel();
    let clear = move || {
        let _done = done;
        // Without a history no command refers to a spill file.
        let spills = history.map(store::Spills::new);
        let use_of = |path: &Path| spills.as_ref().map_or(SpillUse::Unnamed, |spills| spills.use_of(path));
        sweep_if_due(&root, retention, SystemTime::now(), use_of);
    };
    if let Err(error) = std::thread::Builder::new().name("sweep".into()).spawn(clear) {
        tracing::warn!(%error, "old spill files were not swept");
    }
    tidied
}

fn hostname() -> String {
    nix::unistd::gethostname().map(|name| name.to_string_lossy().into_owned()).unwrap_or_else(|_| "localhost".into())
}
