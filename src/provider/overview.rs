//! All models that could be asked, as far as they are known, for a list to pick from.
//!
//! Lists of providers are kept in a file, so that the next list is there at once. They are asked for again in the background.

use std::collections::BTreeMap;
use std::fs;
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex};
use std::time::{Duration, SystemTime, UNIX_EPOCH};

use serde::{Deserialize, Serialize};
use tokio::task::JoinSet;

use super::catalog::Price;
use super::choose::{Env, Everyone, ModelChoice, ModelPreference, everyone, full_name};
use super::error::ProviderError;
use super::http::Http;
use super::list::{self, ListedModel};
use super::model_traits::ModelTraits;
use super::private_file;
use super::resolve;
use super::vendors::VENDORS;

/// A list that is older is asked for again. Lists of servers on this machine always are.
const FRESH: Duration = Duration::from_secs(600);
/// A list that is older is not shown any more.
const OLDEST: Duration = Duration::from_secs(90 * 24 * 60 * 60);
/// How long to wait for lists before the picture is shown.
const AT_ONCE: Duration = Duration::from_millis(150);
/// How long a provider may take to list its models.
const PATIENCE: Duration = Duration::from_secs(5);
/// At most this many models of one provider, and this many providers, are kept.
const MODELS: usize = 2_000;
const PROVIDERS: usize = 32;
/// The largest file that is read.
const FILE_CAP: u64 = 8 * 1024 * 1024;

/// A model that could be asked.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct ModelEntry {
    /// The name that resolves to it.
    pub name: String,
    pub window: Option<u32>,
    pub price: Option<Price>,
    pub traits: ModelTraits,
    /// The variable to set before it can be asked, if there is no key.
    pub missing_key: Option<&'static str>,
    /// Whether its provider lists it. Others are known from elsewhere, and may not exist.
    pub is_listed: bool,
}

/// The models to pick from.
#[derive(Debug, Clone, Default, PartialEq)]
pub(crate) struct ModelOverview {
    pub entries: Vec<ModelEntry>,
    /// A line about each provider of the configuration that cannot be asked.
    pub unusable: Vec<String>,
}

/// The lists of providers, by their names.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
pub(crate) struct KeptLists(BTreeMap<String, KeptList>);

#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
struct KeptList {
    /// Seconds since 1970.
    at: u64,
    /// A provider that has moved has other models.
    base_url: String,
    models: Vec<KeptModel>,
}

#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
struct KeptModel {
    id: String,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    window: Option<u32>,
    /// Input, output, cached and written to the cache.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    price: Option<[f64; 4]>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    sees: Option<bool>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    calls: Option<bool>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    thinks: Option<bool>,
}

fn now() -> u64 {
    SystemTime::now().duration_since(UNIX_EPOCH).unwrap_or_default().as_secs()
}

impl KeptLists {
    /// Reads the file. A missing or damaged file holds no lists.
    fn load(path: &Path) -> KeptLists {
        let is_sane = fs::metadata(path).is_ok_and(|found| found.is_file() && found.len() <= FILE_CAP);
        let text = is_sane.then(|| fs::read(path).ok()).flatten().unwrap_or_default();
        serde_json::from_slice(&text).unwrap_or_default()
    }

    fn keep(&mut self, choice: &ModelChoice, models: &[ListedModel]) {
        let kept = |model: &ListedModel| KeptModel {
            id: model.model.clone(),
            window: model.context_window,
            price: model.price.map(|price| [price.input, price.output, price.cached, price.cache_written]),
            sees: model.traits.sees,
            calls: model.traits.calls,
            thinks: model.traits.thinks,
        };
        let models = models.iter().take(MODELS).map(kept).collect();
        self.0.insert(choice.name().to_owned(), KeptList { at: now(), base_url: choice.base_url.clone(), models });
        while self.0.len() > PROVIDERS
            && let Some(oldest) = self.0.iter().min_by_key(|(_, list)| list.at).map(|(name, _)| name.clone())
        {
            self.0.remove(&oldest);
        }
    }

    fn of(&self, choice: &ModelChoice) -> Option<&KeptList> {
        let list = self.0.get(choice.name())?;
        (list.base_url == choice.base_url && now().saturating_sub(list.at) < OLDEST.as_secs()).then_some(list)
    }

    fn is_fresh(&self, choice: &ModelChoice) -> bool {
        let age = self.of(choice).map(|list| now().saturating_sub(list.at));
        !choice.provider.vendor.is_local() && age.is_some_and(|age| age < FRESH.as_secs())
    }
}

impl KeptModel {
    fn listed(&self, choice: &ModelChoice) -> ListedModel {
        let known = ListedModel::known(choice.provider.vendor, self.id.clone());
        let price = |[input, output, cached, cache_written]: [f64; 4]| Price { input, output, cached, cache_written };
        let said = ModelTraits { sees: self.sees, calls: self.calls, thinks: self.thinks, ..ModelTraits::default() };
        ListedModel {
            context_window: self.window.or(known.context_window),
            price: self.price.map(price).or(known.price),
            traits: said.or(known.traits),
            ..known
        }
    }
}

/// The models of everyone who could be asked: by their lists, or else by what is public. Those of vendors without a key come last.
pub(super) fn entries(choices: &[ModelChoice], kept: &KeptLists, settings: &ModelPreference) -> Vec<ModelEntry> {
    let mut entries: Vec<ModelEntry> = Vec::new();
    for choice in choices {
        let listed: Vec<ListedModel> = match kept.of(choice) {
            Some(list) => list.models.iter().map(|model| model.listed(choice)).collect(),
            None => Vec::new(),
        };
        let known = |id: String| ListedModel::known(choice.provider.vendor, id);
        let others = choice.known_models().filter(|_| listed.is_empty()).map(known);
        let chosen = choice.model.iter().cloned().map(known);
        for model in chosen.chain(listed.clone()).chain(others).map(|model| choice.known(model)) {
            let name = full_name(choice.name(), &model.model);
            let is_listed = entries.iter().any(|entry| entry.name == name);
            if is_listed || settings.allows(choice.name(), Some(&model.model)).is_err() {
                continue;
            }
            let thinks = !model.traits.efforts(choice.wire, &model.model).is_empty();
            let traits = ModelTraits { thinks: model.traits.thinks.or(Some(thinks)), ..model.traits };
            entries.push(ModelEntry {
                name,
                window: model.context_window,
                price: model.price,
                traits,
                missing_key: None,
                is_listed: listed.iter().any(|known| known.model == model.model),
            });
        }
    }
    let is_ready = |name: &str| choices.iter().any(|choice| choice.name() == name);
    let without_key = VENDORS.iter().filter(|vendor| !vendor.is_local() && !is_ready(vendor.name));
    for vendor in without_key {
        if let (Some(model), Some(variable)) = (vendor.default_model, vendor.key_variables.first()) {
            let ListedModel { context_window, price, traits, .. } = ListedModel::known(vendor, model.to_owned());
            let name = full_name(vendor.name, model);
            entries.push(ModelEntry {
                name,
                window: context_window,
                price,
                traits,
                missing_key: Some(variable),
                is_listed: false,
            });
        }
    }
    entries
}

/// The models to pick from. Lists that are missing or old are asked for; those that take longer than a moment are there the next time.
pub(super) async fn overview(
    settings: &ModelPreference,
    env: Env<'_>,
    http: &Http,
    file: Option<PathBuf>,
) -> ModelOverview {
    let Everyone { choices, unusable } = everyone(settings, env).unwrap_or_default();
    let unusable = unusable.into_iter().map(|(name, why)| format!("{name} cannot be asked: {why}")).collect();
    let kept = file.as_deref().map(KeptLists::load).unwrap_or_default();
    let mut asked = JoinSet::new();
    let shared = Arc::new(Mutex::new(kept));
    for choice in choices.iter().filter(|choice| !shared.lock().is_ok_and(|kept| kept.is_fresh(choice))) {
        let (choice, http, shared) = (choice.clone(), http.clone(), Arc::clone(&shared));
        asked.spawn(async move {
            if let Ok(models) = list::models(&choice, &http, PATIENCE).await
                && let Ok(mut kept) = shared.lock()
            {
                kept.keep(&choice, &models);
            }
        });
    }
    let is_asking = !asked.is_empty();
    let (all, written) = (Arc::clone(&shared), file);
    let mut refreshed = tokio::spawn(async move {
        while asked.join_next().await.is_some() {}
        let kept = all.lock().map(|kept| kept.clone()).unwrap_or_default();
        if let Some(file) = written.filter(|_| is_asking)
            && let Err(error) = private_file::write(&file, &kept)
        {
            tracing::debug!(%error, "the lists of models are not kept");
        }
    });
    // Whatever takes longer goes on by itself.
    let _ = tokio::time::timeout(AT_ONCE, &mut refreshed).await;
    let kept = shared.lock().map(|kept| kept.clone()).unwrap_or_default();
    ModelOverview { entries: entries(&choices, &kept, settings), unusable }
}

/// The models that a provider lists now, as far as they can hold a conversation: its default model first, then those that are public.
pub(super) async fn listed_now(
    choice: &ModelChoice,
    settings: &ModelPreference,
    http: &Http,
) -> Result<Vec<ModelEntry>, ProviderError> {
    let mut models = list::models(choice, http, PATIENCE).await?;
    models.retain(resolve::converses);
    let public: Vec<&str> = choice.provider.vendor.known_models().collect();
    models.sort_by_key(|model| !public.contains(&model.model.as_str()));
    // A default that is not listed cannot be asked.
    let model = choice.model.clone().filter(|name| models.is_empty() || models.iter().any(|one| one.model == *name));
    let mut kept = KeptLists::default();
    kept.keep(choice, &models);
    let mut entries = entries(&[ModelChoice { model, ..choice.clone() }], &kept, settings);
    entries.retain(|entry| entry.missing_key.is_none());
    Ok(entries)
}

#[cfg(test)]
mod tests {
    use super::super::Finder;
    use super::super::testing::FakeServer;
    use super::*;

    #[tokio::test]
    async fn lists_are_kept_and_shown_without_the_server() {
        let place = tempfile::tempdir().unwrap();
        let file = place.path().join("models.json");
        let list = br#"{"data":[{"id":"house-large","context_length":64000},{"id":"qwen3"}]}"#;
        let server = FakeServer::answering(200, "Content-Type: application/json\r\n", list);
        let url = server.url.clone();
        let env = move |name: &str| (name == "OPENAI_BASE_URL").then(|| format!("{url}/v1"));
        let settings = ModelPreference::default();
        let named = |entries: &[ModelEntry]| -> Vec<(String, Option<u32>)> {
            let ready = entries.iter().filter(|entry| entry.missing_key.is_none());
            ready.map(|entry| (entry.name.clone(), entry.window)).collect()
        };
        let expected = vec![("custom/house-large".to_owned(), Some(64_000)), ("custom/qwen3".to_owned(), None)];
        // The server may take longer than a moment, and is there the next time then.
        let mut shown = Vec::new();
        for _ in 0..100 {
            shown = Finder::default().overview(&settings, &env, Some(file.clone())).await.entries;
            if !named(&shown).is_empty() {
                break;
            }
        }
        assert_eq!(named(&shown), expected);
        assert!(shown.iter().any(|entry| entry.missing_key == Some("ANTHROPIC_API_KEY")));
        let text = loop {
            if let Ok(text) = fs::read_to_string(&file) {
                break text;
            }
            tokio::task::yield_now().await;
        };
        assert!(text.contains("house-large"));
        let kept = KeptLists::load(&file);
        let choices = everyone(&settings, &env).unwrap().choices;
        assert_eq!(named(&entries(&choices, &kept, &settings)), expected);
    }

    #[tokio::test]
    async fn the_list_of_one_provider_has_only_what_it_lists_now() {
        let list =
            br#"{"data":[{"id":"text-embed-1"},{"id":"house-large","context_length":64000},{"id":"gpt-6-sol"}]}"#;
        let server = FakeServer::answering(200, "Content-Type: application/json\r\n", list);
        let table = super::super::ProviderTable::at("openai", &format!("{}/v1", server.url));
        let settings = ModelPreference { providers: Default::default(), ..ModelPreference::default() };
        let settings = ModelPreference { providers: settings.providers.with(table), ..settings };
        let entries = Finder::default().models_of("openai", &settings, &|_: &str| None).await.unwrap();
        let names: Vec<&str> = entries.iter().map(|entry| entry.name.as_str()).collect();
        assert_eq!(
            names,
            ["openai/gpt-6-sol", "openai/house-large"],
            "public ones first, without those for other tasks"
        );
        let none = Finder::default().models_of("openai", &ModelPreference::default(), &|_: &str| None).await;
        assert!(none.is_err(), "there is no key");
    }

    #[test]
    fn a_damaged_file_holds_no_lists() {
        let place = tempfile::tempdir().unwrap();
        let file = place.path().join("models.json");
        assert_eq!(KeptLists::load(&file), KeptLists::default());
        fs::write(&file, "{").unwrap();
        assert_eq!(KeptLists::load(&file), KeptLists::default());
    }
}
