//! What the wizard asks of providers: their models, and one word of a model. Ctrl-C ends a request.

use std::io::Write;

use anyhow::{Context, Result};

use crate::cli::doctor::{NoWord, OneWord, one_word};
use crate::cli::environment;
use crate::cli::key_taker::KeyTaker;
use crate::provider::{
    ErrorKind, Finder, Keys, ModelEntry, ModelPreference, ProviderError, ProviderTable, ResolveError, WithKeys,
    known_names,
};
use crate::text::sanitize;

/// The settings and keys that a request is made with. Nothing of them is stored.
#[derive(Debug, Clone)]
pub(super) struct Access {
    pub(super) preference: ModelPreference,
    pub(super) keys: Keys,
}

/// Why a request came to nothing.
#[derive(Debug)]
pub(super) enum NoAnswer {
    /// The key was refused, or one is required.
    Key,
    /// The host would get the key without encryption.
    InClear(String),
    /// The person stopped it.
    Stopped,
    Other(String),
}

impl From<ProviderError> for NoAnswer {
    fn from(error: ProviderError) -> NoAnswer {
        if matches!(error.kind(), ErrorKind::Key { .. }) { NoAnswer::Key } else { NoAnswer::Other(error.to_string()) }
    }
}

impl From<ResolveError> for NoAnswer {
    fn from(error: ResolveError) -> NoAnswer {
        match error {
            ResolveError::Ask(error) => error.into(),
            ResolveError::NoKey { .. } => NoAnswer::Key,
            ResolveError::KeyInClear { host } => NoAnswer::InClear(host),
            other => NoAnswer::Other(other.to_string()),
        }
    }
}

impl From<NoWord> for NoAnswer {
    fn from(error: NoWord) -> NoAnswer {
        match error {
            NoWord::Refused(error) => error.into(),
            NoWord::Late | NoWord::Empty => NoAnswer::Other(error.to_string()),
        }
    }
}

impl Access {
    /// The same, with a provider at a URL.
    pub(super) fn at(&self, name: &str, base_url: &str) -> Access {
        let table = match self.preference.providers.named(name) {
            Some(table) => ProviderTable { base_url: Some(base_url.to_owned()), ..ProviderTable::clone(table) },
            None => ProviderTable::at(name, base_url),
        };
        let providers = self.preference.providers.with(table);
        Access { preference: ModelPreference { providers, ..self.preference.clone() }, keys: self.keys.clone() }
    }

    /// The same, with a key.
    pub(super) fn with_key(&self, taker: &KeyTaker, key: &str) -> Access {
        let mut access = self.clone();
        access.keys.keep(taker.variable(), key);
        access
    }

    /// The same, with a host that may get a key without encryption.
    pub(super) fn in_clear(&self, host: &str) -> Access {
        let mut access = self.clone();
        access.preference.plain_http.push(host.to_owned());
        access
    }

    /// The models that a provider lists. The list is empty where a model has to be named.
    pub(super) fn models(&self, provider: &str, out: &mut dyn Write) -> Result<Result<Vec<ModelEntry>, NoAnswer>> {
        announce(provider, "for its models", out)?;
        let env = WithKeys { exported: environment, keys: &self.keys };
        until_stopped(async {
            match Finder::default().models_of(provider, &self.preference, &env).await {
                Err(ResolveError::NoModel { .. }) => Ok(Vec::new()),
                models => Ok(models?),
            }
        })
    }

    /// The names of a provider's models, as far as they are public or in the configuration.
    pub(super) fn known(&self, provider: &str) -> Vec<String> {
        let env = WithKeys { exported: environment, keys: &self.keys };
        let beginning = format!("{provider}/");
        known_names(&self.preference, &env).into_iter().filter(|name| name.starts_with(&beginning)).collect()
    }

    /// Asks a model for one word.
    pub(super) fn one_word(&self, name: &str, out: &mut dyn Write) -> Result<Result<OneWord, NoAnswer>> {
        announce(name, "for one word", out)?;
        let env = WithKeys { exported: environment, keys: &self.keys };
        let wish = ModelPreference { model: Some(name.to_owned()), ..ModelPreference::default() };
        let wish = wish.or(&self.preference, &env);
        until_stopped(async {
            match Finder::default().find(&wish, &env).await? {
                Some(model) => Ok(one_word(&model).await?),
                None => Err(NoAnswer::Other("no server has it".to_owned())),
            }
        })
    }
}

fn announce(whom: &str, what: &str, out: &mut dyn Write) -> Result<()> {
    writeln!(out, "asking {} {what} … (Ctrl-C stops)", sanitize(whom))?;
    Ok(out.flush()?)
}

/// Waits for a request, or for Ctrl-C.
fn until_stopped<T>(request: impl Future<Output = Result<T, NoAnswer>>) -> Result<Result<T, NoAnswer>> {
    let runtime =
        tokio::runtime::Builder::new_current_thread().enable_all().build().context("cannot start the runtime")?;
    Ok(runtime.block_on(async {
        tokio::select! {
            answer = request => answer,
            _ = tokio::signal::ctrl_c() => Err(NoAnswer::Stopped),
        }
    }))
}
