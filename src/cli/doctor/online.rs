//! Asks the model for one word, and its server for its list.

use std::time::{Duration, Instant};

use crate::chat::Message;
use crate::provider::{
    CacheLifetime, Consents, Delta, Distrust, ErrorKind, Finder, ModelPreference, ModelRequest, ProviderError,
    ResolveError, Resolved, WithKeys,
};
use crate::text::{human, sanitize};

use super::{DoctorFinding, Exam, model};

/// How long a model may take for one word. A local one may have to be loaded first.
const PATIENCE: Duration = Duration::from_secs(60);
/// Enough for a model that thinks before it says one word.
const MOST_TOKENS: u32 = 2_000;

/// Why a model did not say its word.
#[derive(Debug, thiserror::Error)]
pub(in crate::cli) enum NoWord {
    #[error("no answer within {}", human::duration(PATIENCE))]
    Late,
    #[error("its answer is empty")]
    Empty,
    #[error("{0}")]
    Refused(ProviderError),
}

/// What one request has shown.
pub(in crate::cli) struct OneWord {
    pub(in crate::cli) said: String,
    pub(in crate::cli) took: Duration,
}

/// Asks a model for one word.
pub(in crate::cli) async fn one_word(model: &Resolved) -> Result<OneWord, NoWord> {
    let request = ModelRequest {
        model: model.model.clone(),
        system: "You answer with one word.".to_owned(),
        messages: vec![Message::user("Say the word ready.")],
        tools: Vec::new(),
        effort: model.effort,
        max_output: MOST_TOKENS,
        cache: CacheLifetime::Off,
        window: model.context_window,
    };
    let (begun, mut said) = (Instant::now(), String::new());
    let mut take = |delta| {
        if let Delta::Text(more) = delta {
            said.push_str(&more);
        }
    };
    match tokio::time::timeout(PATIENCE, model.provider.stream(&request, &mut take)).await {
        Err(_) => Err(NoWord::Late),
        Ok(Err(error)) => Err(NoWord::Refused(error)),
        Ok(Ok(())) if said.trim().is_empty() => Err(NoWord::Empty),
        Ok(Ok(())) => {
            let word = sanitize(said.trim()).lines().next().unwrap_or_default().chars().take(40).collect();
            Ok(OneWord { said: word, took: begun.elapsed() })
        }
    }
}

pub(super) fn ask<V: Fn(&str) -> Option<String> + Send + Sync>(
    exam: &Exam<'_>,
    preference: &ModelPreference,
    env: &WithKeys<'_, V>,
) -> Vec<DoctorFinding> {
    let runtime = match tokio::runtime::Builder::new_current_thread().enable_all().build() {
        Ok(runtime) => runtime,
        Err(error) => return vec![DoctorFinding::fail(format!("cannot ask it: {error}")).fix("try again")],
    };
    runtime.block_on(async {
        let mut finder = Finder::default();
        let found = match finder.find(preference, env).await {
            Ok(Some(found)) => found,
            Ok(None) => {
                return vec![DoctorFinding::ok("no model server on this machine answers").public("no local server")];
            }
            Err(error) => return vec![unresolved(exam, &error)],
        };
        if let Some(listener) = &found.listener {
            let consents = exam.paths.servers_file().and_then(|file| Consents::load(&file).ok()).unwrap_or_default();
            if !consents.covers(listener) {
                let finding = DoctorFinding::ok(format!(
                    "the server at {} has {}, but you have not agreed to use this program",
                    listener.server().address,
                    found.name()
                ));
                return vec![finding.fix("`shellmate init` asks you").public("a local server without consent")];
            }
        }
        vec![judge(exam, &found.name(), one_word(&found).await)]
    })
}

fn unresolved(exam: &Exam<'_>, error: &ResolveError) -> DoctorFinding {
    let finding = DoctorFinding::fail(error.to_string());
    match error {
        ResolveError::Ask(error) => finding.fix(remedy(exam, error)).public(kind(error)),
        ResolveError::NoKey { .. }
        | ResolveError::Unset { .. }
        | ResolveError::BadUrl { .. }
        | ResolveError::NoUrl { .. }
        | ResolveError::NoModel { .. }
        | ResolveError::Nobody { .. }
        | ResolveError::CommandFailed { .. }
        | ResolveError::NotRun { .. }
        | ResolveError::Forbidden { .. }
        | ResolveError::KeyInClear { .. }
        | ResolveError::OtherHost { .. }
        | ResolveError::Stranger { .. } => {
            finding.fix("`shellmate init` finds a model and sets it up").public("none can be chosen")
        }
    }
}

fn judge(exam: &Exam<'_>, name: &str, answer: Result<OneWord, NoWord>) -> DoctorFinding {
    match answer {
        Ok(word) => {
            let took = human::duration(word.took);
            DoctorFinding::ok(format!("{name} answers ({took}): {}", word.said)).public(format!("answers in {took}"))
        }
        Err(NoWord::Refused(error)) => {
            DoctorFinding::fail(error.to_string()).fix(remedy(exam, &error)).public(kind(&error))
        }
        Err(why @ (NoWord::Late | NoWord::Empty)) => {
            let finding = DoctorFinding::fail(format!("{name}: {why}")).fix("`shellmate models` lists others");
            finding.public("does not answer")
        }
    }
}

/// The command that helps.
fn remedy(exam: &Exam<'_>, error: &ProviderError) -> String {
    match error.kind() {
        ErrorKind::Key { variable: Some(variable) } => return model::other_key(exam, variable),
        ErrorKind::Key { variable: None } => "`shellmate auth login` stores a key",
        ErrorKind::ModelNotFound { .. } => {
            "`shellmate models` lists the models; `shellmate config set model.name PROVIDER/MODEL` chooses one"
        }
        ErrorKind::ConnectionRefused { .. }
        | ErrorKind::Unreachable { .. }
        | ErrorKind::ConnectTimedOut { .. }
        | ErrorKind::Moved { .. }
        | ErrorKind::Malformed => "`shellmate config get --origin` and `env | grep BASE_URL` show where the address comes from; `shellmate init` chooses another model",
        ErrorKind::Untrusted { why: Distrust::NoTls, .. } => "`shellmate config get --origin` and `env | grep BASE_URL` show where the URL comes from",
        ErrorKind::Untrusted { .. } => "docs/TROUBLESHOOTING.md says how to name certificates",
        ErrorKind::Certificate => "docs/PROVIDERS.md describes `client_cert` and `client_key`",
        ErrorKind::Quota | ErrorKind::Forbidden => "look at your account, or choose another with `shellmate init`",
        ErrorKind::ContextTooLong { .. }
        | ErrorKind::RateLimited
        | ErrorKind::Overloaded
        | ErrorKind::Server { .. }
        | ErrorKind::BadRequest { .. }
        | ErrorKind::Silent { .. }
        | ErrorKind::BrokenOff
        | ErrorKind::Damaged => "try again later, or choose another with `shellmate init`",
    }
    .to_owned()
}

/// The kind of an error, without names and addresses.
fn kind(error: &ProviderError) -> &'static str {
    match error.kind() {
        ErrorKind::Key { .. } => "the key is refused",
        ErrorKind::Forbidden => "not allowed with this key",
        ErrorKind::Quota => "no credit",
        ErrorKind::ModelNotFound { .. } => "unknown model",
        ErrorKind::ContextTooLong { .. } => "too long",
        ErrorKind::RateLimited => "rate limit",
        ErrorKind::Overloaded => "overloaded",
        ErrorKind::Server { .. } => "server error",
        ErrorKind::BadRequest { .. } => "request refused",
        ErrorKind::Moved { .. } => "redirected",
        ErrorKind::ConnectionRefused { .. } => "connection refused",
        ErrorKind::Unreachable { .. } => "unreachable",
        ErrorKind::Untrusted { .. } => "certificate not trusted",
        ErrorKind::Certificate => "client certificate",
        ErrorKind::ConnectTimedOut { .. } => "connecting timed out",
        ErrorKind::Silent { .. } => "silent",
        ErrorKind::BrokenOff => "broken off",
        ErrorKind::Damaged => "damaged",
        ErrorKind::Malformed => "not an answer",
    }
}
