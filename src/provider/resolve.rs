//! From a wish to someone who answers.

use std::sync::Arc;
use std::time::Duration;

use futures_util::future::join_all;

use super::Provider;
use super::catalog::{Model, Price};
use super::choose::{self, Choice, Env, Name, ResolveError, Wish, choose};
use super::effort::Effort;
use super::http::Http;
use super::list::{self, Listed};
use super::remote::Remote;

/// A server on this machine answers within this, or is not there.
const PROBE: Duration = Duration::from_millis(150);
/// One that was named may take longer.
const ASK: Duration = Duration::from_secs(10);

/// A model that can be asked.
#[derive(Clone)]
pub struct Resolved {
    pub provider: Arc<dyn Provider>,
    /// As the vendor spells it.
    pub model: String,
    pub effort: Effort,
    pub context_window: Option<u32>,
    pub price: Option<Price>,
    /// The vendor's short name.
    pub vendor: String,
}

/// Finds a model: by wish, by environment, then among the servers of this machine. None if there is none at all.
pub async fn resolve(wish: &Wish, env: Env<'_>, http: &Http) -> Result<Option<Resolved>, ResolveError> {
    let Some(choice) = choose(wish, env)? else {
        let found = probe(wish, env, http).await;
        return match (found, Name::of(wish, env).model) {
            (None, Some(model)) => Err(match Model::vendor_of(&model, |_| true) {
                Some(vendor) => ResolveError::NoKey { vendor: vendor.name, variables: vendor.key_variables },
                None => ResolveError::Nobody { model },
            }),
            (found, _) => Ok(found),
        };
    };
    if let Some(model) = choice.model.clone() {
        return Ok(Some(connect(&choice, Listed::known(choice.vendor.name, model), http)));
    }
    let models = list::models(&choice, http, ASK).await?;
    match pick(models, None) {
        Some(model) => Ok(Some(connect(&choice, model, http))),
        None => Err(ResolveError::NoModel { vendor: choice.vendor.name }),
    }
}

/// Asks the usual ports of this machine, all at once, and takes the first server in the catalogue's order that has the model
/// wished for, or any.
pub async fn probe(wish: &Wish, env: Env<'_>, http: &Http) -> Option<Resolved> {
    let name = Name::of(wish, env);
    let choices = choose::local(env);
    let lists = join_all(choices.iter().map(|choice| list::models(choice, http, PROBE))).await;
    choices.into_iter().zip(lists).find_map(|(choice, models)| {
        let model = pick(models.ok()?, name.model.as_deref())?;
        Some(connect(&Choice { effort: name.effort, ..choice }, model, http))
    })
}

/// The model of this name, or the first that can hold a conversation.
fn pick(models: Vec<Listed>, name: Option<&str>) -> Option<Listed> {
    /// Parts of the names of models that do something else. Servers list them all alike.
    const OTHERS: [&str; 6] = ["embed", "rerank", "whisper", "tts", "bge-", "diffusion"];
    let fits = |model: &Listed| match name {
        Some(name) => model.model == name || model.model.strip_suffix(":latest") == Some(name),
        None => !OTHERS.iter().any(|other| model.model.to_ascii_lowercase().contains(other)),
    };
    models.into_iter().find(fits)
}

fn connect(choice: &Choice, model: Listed, http: &Http) -> Resolved {
    let wire = choice.wire;
    let provider = Arc::new(Remote::new(http.clone(), choice.endpoint(), wire, choice.path()));
    let usual = Effort::default();
    let effort = choice.effort.or_else(|| usual.nearest(&wire.efforts(&model.model))).unwrap_or(usual);
    Resolved {
        provider,
        effort,
        context_window: model.context_window,
        price: model.price,
        vendor: choice.vendor.name.to_owned(),
        model: model.model,
    }
}

#[cfg(test)]
mod tests;
