//! `shellmate ask`: one query without a terminal of its own.
//!
//! The answer goes to stdout, everything else to stderr. At a terminal the person is asked before something is changed; where there is
//! none, it is refused unless `--yes` was given. A thread, a connection or a file that one answer does not need is not made.

mod brush;
mod consent;
mod person;
mod scratch;
mod stdin;
mod view;
mod voice;

use std::io::{self, IsTerminal};
use std::path::PathBuf;
use std::process::ExitCode;
use std::sync::Arc;

use anyhow::Context;
use tokio::signal::unix::{SignalKind, signal};
use tokio_util::sync::CancellationToken;

use crate::agent::{self, Exchange, Front, Query, Turn};
use crate::chat::{Ending, Event, Failure, FailureKind, Image, Usage};
use crate::config::{self, Config, Paths};
use crate::guard::{Grants, Redactor};
use crate::provider::{Finder, Http, Resolved, Wish, WithKeys};
use crate::reflex::Role;
use crate::render::Theme;
use crate::session::Look;
use crate::tool::{Ports, Seen};

use super::report::{self, Report};
use brush::Brush;
use person::Person;
use scratch::Scratch;
use voice::{Form, Voice};

/// The person pressed Ctrl-C, or somebody sent another signal to end us.
const INTERRUPTED: u8 = 130;

#[derive(Debug, clap::Args)]
pub(crate) struct Args {
    /// The question. Without one it is read from stdin; with one, what comes from stdin goes with it.
    query: Vec<String>,

    /// Print one JSON object (answer, calls, usage, model, status) instead of the answer as it comes.
    #[arg(long)]
    json: bool,

    /// The model to ask, as provider/model[:effort].
    #[arg(long, value_name = "MODEL")]
    model: Option<String>,

    /// The server to ask, in place of the provider's own.
    #[arg(long, value_name = "URL")]
    base_url: Option<String>,

    /// The variable that holds the key.
    #[arg(long, value_name = "VARIABLE")]
    api_key_env: Option<String>,

    /// Allow what changes something: commands and edits. Without it you are asked; where there is no terminal they are refused.
    #[arg(long)]
    yes: bool,

    /// Show this picture to the model; may be given several times.
    #[arg(long, value_name = "FILE")]
    image: Vec<PathBuf>,
}

/// Asks, prints the answer, and says how it went: 0 answered, 1 not, 130 stopped.
pub(super) fn run(args: Args, paths: &Paths) -> anyhow::Result<ExitCode> {
    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build().context("cannot begin")?;
    let cancel = CancellationToken::new();
    let asked = runtime.block_on(async {
        let listener = tokio::spawn(stop_on_signal(cancel.clone()));
        let asked = ask(args, paths, cancel).await;
        listener.abort();
        asked
    });
    // A read of stdin or a walk through the files may go on for as long as it likes.
    runtime.shutdown_background();
    asked
}

/// Whoever wants us gone wants our commands gone too, and those are only ended by us.
async fn stop_on_signal(cancel: CancellationToken) -> io::Result<()> {
    let (mut terminate, mut hang_up) = (signal(SignalKind::terminate())?, signal(SignalKind::hangup())?);
    let mut interrupt = signal(SignalKind::interrupt())?;
    tokio::select! {
        _ = interrupt.recv() => {}
        _ = terminate.recv() => {}
        _ = hang_up.recv() => {}
    }
    cancel.cancel();
    Ok(())
}

async fn ask(args: Args, paths: &Paths, cancel: CancellationToken) -> anyhow::Result<ExitCode> {
    let attachments = args.image.iter().map(|path| agent::picture(path)).collect::<Result<Vec<Image>, _>>()?;
    let Some(piped) = cancel.run_until_cancelled(stdin::read()).await else { return Ok(ExitCode::from(INTERRUPTED)) };
    let (text, stdin) = match (args.query.join(" "), piped?) {
        (text, Some(piped)) if text.trim().is_empty() => (piped, None),
        (text, piped) => (text, piped),
    };
    if text.trim().is_empty() {
        anyhow::bail!("nothing was asked; for example `shellmate ask why did that fail`");
    }
    let view = view::now(paths, |trouble| report::notices([trouble]));
    let query = Query { text, view, attachments, stdin };

    let config::Loaded { config, problems, .. } = Config::load(paths.config_file().as_deref());
    report::notices(problems);
    let wish = Wish { model: args.model, base_url: args.base_url, api_key_env: args.api_key_env, ..Wish::default() };
    let mut finder = Finder::new(Http::new(config.agent.patience()));
    let keys = super::kept_keys(paths);
    let env = WithKeys { exported: super::environment, keys: &keys };
    let wish = wish.or(&config.model.wish(), &env);
    let found = match config.reflex {
        Role::Only => Ok(None),
        Role::First | Role::Off => match cancel.run_until_cancelled(finder.find(&wish, &env)).await {
            Some(found) => found.map_err(anyhow::Error::from).and_then(|found| consent::checked(found, paths)),
            None => return Ok(ExitCode::from(INTERRUPTED)),
        },
    };
    let form = match args.json {
        true => Form::Json,
        false if io::stdout().is_terminal() => Form::Painted(Box::new(Brush::new(theme(&config, paths), config.wrap))),
        false => Form::Text,
    };
    let voice = Arc::new(Voice::new(form, cancel.clone()));
    match found {
        Ok(Some(resolved)) => answer(query, resolved, voice, args.yes, (paths, &config), cancel).await,
        Ok(None) => without_a_model(&query, config.reflex, &voice, paths, None),
        Err(error) => without_a_model(&query, config.reflex, &voice, paths, Some(error)),
    }
}

/// Answers with the built-in rules, where they can; the trouble with the model comes after.
fn without_a_model(
    query: &Query,
    role: Role,
    voice: &Voice,
    paths: &Paths,
    trouble: Option<anyhow::Error>,
) -> anyhow::Result<ExitCode> {
    let aid = (role != Role::Off).then(|| agent::first_aid(query, paths.history_db().as_deref())).flatten();
    if let Some(aid) = aid {
        voice.hear(Event::Text(aid.words));
        voice.finish(&Ending::Answered, Usage::default(), Some("reflex"))?;
        report::notices(trouble);
        return Ok(ExitCode::SUCCESS);
    }
    let words = trouble.as_ref().map_or("no model is connected".to_owned(), ToString::to_string);
    voice.finish(&Ending::Failed(Failure::new(FailureKind::Setup, words)), Usage::default(), None)?;
    match trouble {
        Some(trouble) => Err(trouble),
        None => {
            report::words(agent::NO_MODEL);
            Ok(ExitCode::FAILURE)
        }
    }
}

async fn answer(
    mut query: Query,
    resolved: Resolved,
    voice: Arc<Voice>,
    yes: bool,
    (paths, config): (&Paths, &Config),
    cancel: CancellationToken,
) -> anyhow::Result<ExitCode> {
    let model = format!("{}/{}", resolved.vendor, resolved.model);
    let look = || Look { theme: theme(config, paths), wrap: config.wrap };
    let person = Arc::new(Person::new(yes, look, query.view.cwd.clone(), voice.clone(), cancel.clone()));
    let scratch = Scratch::make(paths);
    let piped = query.stdin.as_deref().filter(|piped| piped.len() > agent::STDIN_CAP);
    if let Some(path) = piped.and_then(|piped| scratch.keep("stdin.txt", piped)) {
        query.text.push_str(&format!("\n\n(All of stdin is in {}.)", path.display()));
    }
    let (masking, problems) = config.masking();
    report::notices(problems);
    let places = Arc::new(paths.agent_places(scratch.path().to_owned()));
    let mut kit = config.agent.kit(resolved, places, Grants::default(), Redactor::new(masking));
    kit.limits.tellings = voice.tellings();
    let turn = Turn {
        kit: Arc::new(kit),
        said: Vec::new(),
        seen: Seen::default(),
        front: voice.clone(),
        approver: person.clone(),
        ports: Ports { asker: person.asker(), ..Ports::default() },
        cancel,
    };
    if config.reflex == Role::First {
        let (query, history) = (query.clone(), paths.history_db());
        voice.fall_back_on(Box::new(move || Some(agent::first_aid(&query, history.as_deref())?.words)));
    }
    let slow = tokio::spawn(say_rules_later(Arc::clone(&voice)));
    let Exchange { ending, usage, .. } = turn.run(query).await;
    slow.abort();
    let refused = person.dismiss();
    if let Ending::Failed(failure) = &ending
        && (voice.say_rules() || voice.rules_have_answered())
    {
        voice.finish(&Ending::Answered, usage, Some("reflex"))?;
        report::notices([&failure.words]);
        return Ok(ExitCode::SUCCESS);
    }
    voice.finish(&ending, usage, Some(&model))?;
    report::notices(refusal(refused));
    Ok(match ending {
        Ending::Answered => ExitCode::SUCCESS,
        Ending::Interrupted if voice.lost_its_reader() => ExitCode::SUCCESS,
        Ending::Interrupted => ExitCode::from(INTERRUPTED),
        Ending::StepLimit => {
            Report::from(anyhow::anyhow!("the answer takes more steps than one query may")).code(1).print()
        }
        Ending::Failed(failure) => Report::from(anyhow::anyhow!(failure.words)).code(1).print(),
    })
}

/// The words about calls that were refused because nobody could be asked.
fn refusal(calls: usize) -> Option<String> {
    match calls {
        0 => None,
        1 => Some("refused 1 tool call (nobody here to approve it); rerun with --yes".to_owned()),
        calls => Some(format!("refused {calls} tool calls (nobody here to approve them); rerun with --yes")),
    }
}

/// Lets the rules answer a person at a terminal where the model has said nothing for a while. A program that reads the answer can
/// wait.
async fn say_rules_later(voice: Arc<Voice>) {
    tokio::time::sleep(agent::RULES_WAIT).await;
    if voice.is_painted() {
        voice.say_rules();
    }
}

/// The theme that was chosen; trouble with it is told.
fn theme(config: &Config, paths: &Paths) -> Theme {
    let (theme, problem) = config.theme_of_choice(paths).unwrap_or_default();
    report::notices(problem);
    theme
}
