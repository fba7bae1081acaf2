//! `shellmate ask`: answers one question.
//!
//! The answer goes to stdout, everything else to stderr. On a terminal the user approves commands and edits; without one they are
//! refused unless `--yes` is given. Threads, connections and files are created only if the answer needs them.

mod approver;
mod begun;
mod consent;
mod hooks;
mod own_commands;
mod painter;
mod permissions;
mod scratch;
mod stdin;
mod view;
mod writer;

use std::io::{self, IsTerminal};
use std::path::PathBuf;
use std::process::ExitCode;
use std::sync::Arc;
use std::time::Duration;

use anyhow::Context;
use tokio::signal::unix::{SignalKind, signal};
use tokio_util::sync::CancellationToken;

use crate::agent::{self, Exchange, Front, Kit, Query, Turn};
use crate::chat::{Ending, Event, Failure, FailureKind, Image, Usage};
use crate::config::{Config, Paths};
use crate::guard::{self, PermissionMode, Permissions, PrivateTemp, Redactor};
use crate::provider::{self, Finder, Http, HttpTimeouts, ModelPreference, Resolved, WithKeys};
use crate::reflex::RulesRole;
use crate::render::Theme;
use crate::session::QuestionLook;
use crate::store::{ConversationLog, ConversationRecorder, QueryId};
use crate::tool::{ChangeKeeper, Ports, Seen};

use super::report::{self, Report};
use approver::TerminalApprover;
use begun::BegunConversation;
use painter::AnswerPainter;
use scratch::Scratch;
use writer::{AnswerWriter, OutputForm};

/// Exit code after Ctrl-C or another signal that ends the program.
const INTERRUPTED: u8 = 130;
/// How long the end of an answer may take to reach the disk.
const RECORDING: Duration = Duration::from_secs(1);

#[derive(Debug, clap::Args)]
pub(crate) struct Args {
    /// The question. Without it, stdin is the question; with it, stdin is attached.
    query: Vec<String>,

    /// Print one JSON object (answer, calls, usage, model, status) at the end.
    #[arg(long)]
    json: bool,

    /// The model to ask, as provider/model[:effort].
    #[arg(long, value_name = "MODEL")]
    model: Option<String>,

    /// The URL of the server, instead of the provider's own.
    #[arg(long, value_name = "URL")]
    base_url: Option<String>,

    /// The environment variable that holds the key.
    #[arg(long, value_name = "VARIABLE")]
    api_key_env: Option<String>,

    #[command(flatten)]
    limits: permissions::LimitArgs,

    /// Attach a picture. May be given several times.
    #[arg(long, value_name = "FILE")]
    image: Vec<PathBuf>,

    /// Continue the conversation that was used last in this repository, or in this directory outside of one.
    #[arg(long = "continue", conflicts_with = "resume")]
    goes_on: bool,

    /// Continue the conversation with this number (`shellmate conversations` lists them).
    #[arg(long, value_name = "ID")]
    resume: Option<i64>,
}

/// Asks and prints the answer. The exit code is 0 if it was answered, 1 if not, 130 if it was stopped.
pub(super) fn run(args: Args, paths: &Paths) -> anyhow::Result<ExitCode> {
    guard::protect_memory();
    let runtime =
        tokio::runtime::Builder::new_current_thread().enable_all().build().context("cannot start the runtime")?;
    let cancel = CancellationToken::new();
    let asked = runtime.block_on(async {
        let listener = tokio::spawn(stop_on_signal(cancel.clone()));
        let asked = ask(args, paths, cancel).await;
        listener.abort();
        asked
    });
    // Do not wait for a blocked read of stdin or a walk through many files.
    runtime.shutdown_background();
    asked
}

/// Cancels the turn on a signal, which also ends the commands that it runs.
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
        anyhow::bail!("no question was given; for example `shellmate ask why did that fail`");
    }
    let view = view::now(paths, |trouble| report::notices([trouble]));
    let (text, model) = own_commands::called(text, &view, paths)?;
    let query = Query { text, view, attachments, stdin };

    let loaded = Config::load(paths);
    report::notices(loaded.problems.iter().cloned().chain(loaded.located(loaded.config.model_problems())));
    let config = loaded.config;
    let preference = ModelPreference {
        model: args.model.or(model),
        base_url: args.base_url,
        api_key_env: args.api_key_env,
        ..ModelPreference::default()
    };
    let mut finder = Finder::new(Http::new(config.agent.patience()));
    let keys = super::kept_keys(paths);
    let env = WithKeys { exported: super::environment, keys: &keys };
    let settings = config.preference().within(&query.view.cwd, query.view.home());
    let permissions = permissions::of(&args.limits, &config, paths)?;
    let is_planning = permissions.mode(&query.view.cwd, query.view.home()) == PermissionMode::Plan;
    let flag = preference.model.clone();
    let plan = settings.roles.plan.clone().filter(|_| is_planning);
    let preference = ModelPreference { model: preference.model.clone().or(plan), ..preference }.or(&settings, &env);
    let found = match config.reflex {
        RulesRole::Only => Ok(None),
        RulesRole::First | RulesRole::Off => match cancel.run_until_cancelled(finder.find(&preference, &env)).await {
            Some(found) => {
                found.map_err(anyhow::Error::from).and_then(|found| consent::checked(found, flag.as_deref(), paths))
            }
            None => return Ok(ExitCode::from(INTERRUPTED)),
        },
    };
    let begun = BegunConversation::new(args.goes_on, args.resume, &query.view, (paths, &config))?;
    let form = match args.json {
        true => OutputForm::Json,
        false if io::stdout().is_terminal() => {
            OutputForm::Painted(Box::new(AnswerPainter::new(theme(&config, paths), config.wrap, config.screen_reader)))
        }
        false => OutputForm::Text,
    };
    let writer = Arc::new(AnswerWriter::new(form, cancel.clone()));
    match found {
        Ok(Some(resolved)) => {
            let fast = fast_model(&settings, config.agent.patience(), &env, paths).await;
            let models = (resolved, fast, finder.secrets());
            answer(query, models, writer, (args.limits.yes, permissions), begun, (paths, &config), cancel).await
        }
        Ok(None) => without_a_model(&query, config.reflex, &writer, paths, None),
        Err(error) => without_a_model(&query, config.reflex, &writer, paths, Some(error)),
    }
}

/// The model for requests beside the conversation, if the configuration names one. Without it the usual model does them.
async fn fast_model(
    settings: &ModelPreference,
    patience: HttpTimeouts,
    env: provider::Env<'_>,
    paths: &Paths,
) -> Option<Resolved> {
    let model = Some(settings.roles.fast.clone()?);
    let preference = ModelPreference { model, ..ModelPreference::default() }.or(settings, env);
    match Finder::new(Http::new(patience)).find(&preference, env).await {
        Ok(found) => found.filter(|found| consent::is_given(found, paths)),
        Err(error) => {
            report::notices([format!("the model in `model.fast` is not used: {error}")]);
            None
        }
    }
}

/// Answers with the built-in rules if they know something; the error of the model is reported after that.
fn without_a_model(
    query: &Query,
    role: RulesRole,
    writer: &AnswerWriter,
    paths: &Paths,
    trouble: Option<anyhow::Error>,
) -> anyhow::Result<ExitCode> {
    let aid = (role != RulesRole::Off).then(|| agent::first_aid(query, paths.history_db().as_deref())).flatten();
    if let Some(aid) = aid {
        writer.hear(Event::Text(aid.words));
        writer.finish(&Ending::Answered, Usage::default(), Some("reflex"))?;
        report::notices(trouble);
        return Ok(ExitCode::SUCCESS);
    }
    let words = trouble.as_ref().map_or("no model is connected".to_owned(), ToString::to_string);
    writer.finish(&Ending::Failed(Failure::new(FailureKind::Setup, words)), Usage::default(), None)?;
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
    (resolved, fast, secrets): (Resolved, Option<Resolved>, Vec<String>),
    writer: Arc<AnswerWriter>,
    (yes, permissions): (bool, Permissions),
    begun: BegunConversation,
    (paths, config): (&Paths, &Config),
    cancel: CancellationToken,
) -> anyhow::Result<ExitCode> {
    let model = format!("{}/{}", resolved.vendor, resolved.model);
    let look = || question_look(config, paths);
    let approver = Arc::new(TerminalApprover::new(yes, look, query.view.cwd.clone(), writer.clone(), cancel.clone()));
    let scratch = Scratch::make(paths);
    keep_stdin(&mut query, &scratch);
    let mut kit = kit((resolved, fast), permissions, &scratch, (paths, config));
    secrets.iter().for_each(|secret| kit.redactor.learn_secret("configured secret", secret));
    kit.limits.tellings = writer.tellings();
    let counts = kit.limits.cost.is_set() && !kit.model.is_here();
    let query_id = QueryId::fresh();
    let begins = if begun.said.is_empty() { "startup" } else { "resume" };
    let hooks = hooks::equip(&mut kit, &query.view, begins, paths)?;
    let turn = Turn {
        query: query_id,
        kit: Arc::new(kit),
        said: begun.said,
        seen: Seen::default(),
        front: writer.clone(),
        approver: approver.clone(),
        ports: Ports {
            asker: approver.asker(),
            changes: change_keeper(query_id, &begun.log, (paths, config)),
            ..Ports::default()
        },
        cancel,
        log: begun.log,
    };
    if config.reflex == RulesRole::First {
        let (query, history) = (query.clone(), paths.history_db());
        writer.set_rules(Box::new(move || Some(agent::first_aid(&query, history.as_deref())?.words)));
    }
    let slow = tokio::spawn(write_rules_later(Arc::clone(&writer)));
    let Exchange { ending, usage, .. } = turn.run(query).await;
    slow.abort();
    let refused = approver.dismiss();
    hooks::end(hooks);
    end_recording(&begun.recorder);
    if let Ending::Failed(failure) = &ending
        && (writer.write_rules() || writer.rules_have_answered())
    {
        writer.finish(&Ending::Answered, usage, Some("reflex"))?;
        report::notices([&failure.words]);
        return Ok(ExitCode::SUCCESS);
    }
    writer.finish(&ending, usage, Some(&model))?;
    let is_unknown = usage.cost.is_none() && usage.input + usage.output > 0;
    report::notices((counts && is_unknown).then(|| agent::unpriced(&model)));
    report::notices(refusal(refused));
    Ok(exit_code(ending, &writer))
}

/// The models, tools and limits of the answer.
fn kit(
    (resolved, fast): (Resolved, Option<Resolved>),
    permissions: Permissions,
    scratch: &Scratch,
    (paths, config): (&Paths, &Config),
) -> Kit {
    let (masking, problems) = config.masking();
    report::notices(problems);
    let places = Arc::new(paths.agent_places(scratch.path().to_owned()));
    let sandbox = config.sandbox.confinement(PrivateTemp::default());
    let mut kit = config.agent.kit(resolved, places, sandbox, permissions, Redactor::new(masking));
    kit.limits.cost = config.limits.costs();
    Kit { fast, ..kit }
}

/// The exit code for the end of an answer. A failure is reported.
fn exit_code(ending: Ending, writer: &AnswerWriter) -> ExitCode {
    match ending {
        Ending::Answered => ExitCode::SUCCESS,
        Ending::Interrupted if writer.reader_is_gone() => ExitCode::SUCCESS,
        Ending::Interrupted => ExitCode::from(INTERRUPTED),
        Ending::StepLimit => {
            Report::from(anyhow::anyhow!("the answer took more steps than one question may take")).code(1).print()
        }
        Ending::Failed(failure) => Report::from(anyhow::anyhow!(failure.words)).code(1).print(),
    }
}

/// Keeps what the answer changes, so that it can be undone where the conversation is resumed.
fn change_keeper(
    query: QueryId,
    log: &ConversationLog,
    (paths, config): (&Paths, &Config),
) -> Option<Arc<dyn ChangeKeeper>> {
    let tell = |words| report::notices([words]);
    Some(Arc::new(config.keeper(paths)?.for_query(query, Arc::default(), log.clone(), tell)))
}

/// Keeps a long standard input in a file that the model can read.
fn keep_stdin(query: &mut Query, scratch: &Scratch) {
    let piped = query.stdin.as_deref().filter(|piped| piped.len() > agent::STDIN_CAP);
    if let Some(path) = piped.and_then(|piped| scratch.keep("stdin.txt", piped)) {
        query.text.push_str(&format!("\n\n(All of stdin is in {}.)", path.display()));
    }
}

fn end_recording(recorder: &ConversationRecorder) {
    recorder.close(true, RECORDING);
    report::notices(recorder.trouble());
}

/// A notice about calls that were refused because there was nobody to approve them.
fn refusal(calls: usize) -> Option<String> {
    match calls {
        0 => None,
        1 => Some("refused 1 tool call (nobody here to approve it); rerun with --yes".to_owned()),
        calls => Some(format!("refused {calls} tool calls (nobody here to approve them); rerun with --yes")),
    }
}

/// Prints the answer of the rules if the model has not started to answer within `RULES_WAIT`. Only on a terminal: a person
/// should not sit before an empty screen, a program can wait.
async fn write_rules_later(writer: Arc<AnswerWriter>) {
    tokio::time::sleep(agent::RULES_WAIT).await;
    if writer.is_painted() {
        writer.write_rules();
    }
}

/// How questions look on this terminal.
pub(super) fn question_look(config: &Config, paths: &Paths) -> QuestionLook {
    QuestionLook {
        theme: theme(config, paths),
        wrap: config.wrap,
        is_read_aloud: config.screen_reader,
        keys: Arc::new(config.key_map().0),
    }
}

/// The configured theme. A problem with it becomes a notice.
pub(super) fn theme(config: &Config, paths: &Paths) -> Theme {
    let (themes, problem) = config.themes_of_choice(paths).unwrap_or_default();
    report::notices(problem);
    themes.on(super::theme::background())
}
