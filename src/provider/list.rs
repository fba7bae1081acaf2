//! Lists the models of vendors and servers.

use std::time::Duration;

use futures_util::future::join_all;
use serde_json::Value;

use super::catalog::{ModelFacts, Price};
use super::choose::{ModelChoice, full_name};
use super::error::{ErrorKind, ProviderError};
use super::http::{Endpoint, Http};
use super::model_traits::ModelTraits;
use super::vendors::{Vendor, gemini, openrouter};
use super::wire::Wire;
use crate::text;

/// How long to wait for a list.
const PATIENCE: Duration = Duration::from_secs(5);

/// At most this many names are suggested for one that does not exist.
const ALIKE: usize = 3;

/// A model that a vendor has.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct ListedModel {
    /// As the vendor spells it.
    pub model: String,
    pub context_window: Option<u32>,
    pub price: Option<Price>,
    pub traits: ModelTraits,
}

/// The models of one vendor, or why they could not be listed.
#[derive(Debug)]
pub(crate) struct ModelList {
    pub vendor: String,
    pub models: Result<Vec<ListedModel>, String>,
}

/// Asks all of them at once. Local servers that do not answer are left out.
pub(super) async fn list_models(choices: Vec<ModelChoice>, http: &Http) -> Vec<ModelList> {
    let ask = async |choice: ModelChoice| {
        let is_local = choice.provider.vendor.is_local();
        let models = models(&choice, http, if is_local { PATIENCE / 10 } else { PATIENCE }).await;
        let is_there = !is_local || models.is_ok();
        let models = models.map_err(|error| error.to_string());
        is_there.then(|| ModelList { vendor: choice.name().to_owned(), models })
    };
    join_all(choices.into_iter().map(ask)).await.into_iter().flatten().collect()
}

/// The models of one provider: those that it lists, and those of the configuration. A provider whose models are in the configuration
/// need not be able to list them.
pub(super) async fn models(
    choice: &ModelChoice,
    http: &Http,
    limit: Duration,
) -> Result<Vec<ListedModel>, ProviderError> {
    let vendor = choice.provider.vendor;
    let known = |id: &str| choice.known(ListedModel::known(vendor, id.to_owned()));
    if !choice.route.lists_models {
        let table = choice.provider.table.iter().flat_map(|table| &table.models).map(|model| &model.id);
        let mut ids: Vec<&String> = choice.model.iter().chain(table).collect();
        ids.dedup();
        return Ok(ids.into_iter().map(|id| known(id)).collect());
    }
    let configured: Vec<ListedModel> =
        choice.provider.table.iter().flat_map(|table| &table.models).map(|model| known(&model.id)).collect();
    let listed = match at(&choice.endpoint(), choice.wire, http, limit).await {
        Err(_) if !configured.is_empty() => Vec::new(),
        listed => listed?,
    };
    let is_new = |model: &ListedModel| !configured.iter().any(|known| known.model == model.model);
    let listed: Vec<ListedModel> = listed.into_iter().filter(is_new).collect();
    Ok(configured.into_iter().chain(listed).collect())
}

/// The models at an endpoint.
pub(super) async fn at(
    endpoint: &Endpoint,
    wire: &dyn Wire,
    http: &Http,
    limit: Duration,
) -> Result<Vec<ListedModel>, ProviderError> {
    let document = http.fetch(endpoint, wire.models_path(), None, limit).await?;
    // Together's document is the list itself.
    let entries = document.get("data").unwrap_or(&document).as_array();
    let Some(entries) = entries else {
        return Err(ProviderError::new(endpoint.shown_name(), ErrorKind::Malformed));
    };
    Ok(entries.iter().filter_map(|entry| ListedModel::read(endpoint.kind, entry)).collect())
}

/// The models whose names contain this one, or else the nearest one for a typing mistake.
pub(super) fn like(name: &str, models: &[ListedModel]) -> Vec<String> {
    let word = name.to_ascii_lowercase();
    let holds = |model: &&ListedModel| model.model.to_ascii_lowercase().contains(&word);
    let mut near: Vec<String> = models.iter().filter(holds).map(|model| model.model.clone()).collect();
    near.sort_by_key(String::len);
    near.truncate(ALIKE);
    if near.is_empty() {
        near.extend(text::nearest(name, models.iter().map(|model| model.model.as_str())).map(str::to_owned));
    }
    near
}

impl ModelList {
    /// The full names of its models, which resolve to them.
    pub(crate) fn names(&self) -> Vec<String> {
        self.models.iter().flatten().map(|model| full_name(&self.vendor, &model.model)).collect()
    }
}

impl ListedModel {
    /// A model with what the catalogue knows of it.
    pub(super) fn known(vendor: &Vendor, model: String) -> ListedModel {
        let known = ModelFacts::find(vendor, &model);
        ListedModel {
            context_window: known.map(|known| known.context_window),
            price: known.and_then(|known| known.price),
            traits: known.and_then(|known| known.traits).unwrap_or_default().or(ModelTraits::of_name(&model)),
            model,
        }
    }

    fn read(vendor: &Vendor, entry: &Value) -> Option<ListedModel> {
        let id = entry.get("id")?.as_str()?;
        // A name that cannot be typed cannot be chosen.
        if id.trim() != id || id.is_empty() || id.contains(char::is_control) {
            return None;
        }
        let known = ListedModel::known(vendor, gemini::model_name(id).to_owned());
        Some(ListedModel {
            context_window: window(entry).or(known.context_window),
            price: known.price.or_else(|| openrouter::price(entry)),
            traits: openrouter::traits(entry).or(known.traits),
            model: known.model,
        })
    }
}

/// The context window. Servers name it differently; the size that is served comes before the size that is possible.
fn window(entry: &Value) -> Option<u32> {
    const PATHS: [&str; 8] = [
        "/loaded_context_length",
        "/meta/n_ctx",
        "/max_model_len",
        "/top_provider/context_length",
        "/context_length",
        "/context_window",
        "/max_context_length",
        "/max_input_tokens",
    ];
    let counts = PATHS.iter().filter_map(|path| entry.pointer(path)?.as_u64());
    counts.filter_map(|count| u32::try_from(count).ok()).find(|count| *count > 0)
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::super::Finder;
    use super::super::choose::ModelPreference;
    use super::super::testing::FakeServer;
    use super::super::vendors::CUSTOM;
    use super::*;

    fn named(name: &str) -> &'static Vendor {
        Vendor::named(name).unwrap()
    }

    #[test]
    fn windows_and_prices_have_many_names() {
        let window = |entry: Value| ListedModel::read(&CUSTOM, &entry).unwrap().context_window;
        assert_eq!(window(json!({ "id": "a", "max_model_len": 8192 })), Some(8_192));
        assert_eq!(window(json!({ "id": "a", "meta": { "n_ctx_train": 131_072, "n_ctx": 4096 } })), Some(4_096));
        assert_eq!(window(json!({ "id": "a", "context_window": 0 })), None);
        assert_eq!(window(json!({ "id": "a", "meta": { "n_ctx_train": 131_072 } })), None, "not what is loaded");
        let routed = json!({ "id": "a", "context_length": 1_000_000, "top_provider": { "context_length": 200_000 } });
        assert_eq!(window(routed), Some(200_000));
        let entry = json!({ "id": "a/b", "context_length": 1000, "pricing": { "prompt": "0.000003", "completion": "0.000015" } });
        let price = ListedModel::read(named("openrouter"), &entry).unwrap().price.unwrap();
        assert!((price.input - 3.0).abs() < 1e-9 && (price.output - 15.0).abs() < 1e-9);
        assert_eq!(ListedModel::read(named("gemini"), &json!({ "id": "models/gemini-x" })).unwrap().model, "gemini-x");
        assert_eq!(ListedModel::read(&CUSTOM, &json!({ "name": "a" })), None);
    }

    #[test]
    fn similar_names_are_suggested_for_a_wrong_one() {
        let known = |names: &[&str]| -> Vec<ListedModel> {
            names.iter().map(|name| ListedModel::known(&CUSTOM, (*name).to_owned())).collect()
        };
        let models = known(&["claude-sonnet-5-5", "claude-sonnet-5", "claude-opus-5-5", "whisper"]);
        assert_eq!(like("sonnet", &models), ["claude-sonnet-5", "claude-sonnet-5-5"]);
        assert_eq!(like("claude-opsu-5-5", &models), ["claude-opus-5-5"]);
        assert_eq!(like("gpt-5", &models), [""; 0]);
    }

    #[tokio::test]
    async fn every_vendor_with_a_key_is_asked_and_errors_are_listed() {
        let server = FakeServer::answering(401, "", b"");
        let url = format!("{}/v1", server.url);
        let env = move |name: &str| match name {
            "OPENAI_BASE_URL" => Some(url.clone()),
            "OPENAI_API_KEY" => Some("k".to_owned()),
            _ => None,
        };
        let lists = Finder::default().list(&ModelPreference::default(), &env).await;
        assert_eq!(lists[0].vendor, "custom");
        let error = lists[0].models.as_ref().unwrap_err();
        assert!(error.contains("does not accept the key in OPENAI_API_KEY"), "{error}");
    }
}
