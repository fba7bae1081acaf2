//! Every provider that could be asked now.

use super::super::vendors::{CUSTOM, VENDORS};
use super::known::KnownProvider;
use super::{Env, ModelChoice, ModelName, ModelPreference, ResolveError, choose, full_name};

/// The providers that could be asked now, and those of the configuration that cannot.
#[derive(Debug, Default)]
pub(in super::super) struct Everyone {
    pub(in super::super) choices: Vec<ModelChoice>,
    /// The names of providers, and why they cannot be asked.
    pub(in super::super) unusable: Vec<(String, ResolveError)>,
}

/// Every server that could be asked now: the one in the settings, the providers with a key, and those that may run on this machine.
/// Each is listed once, as its name would resolve. A command of the configuration that has not run is an error.
pub(in super::super) fn everyone(settings: &ModelPreference, env: Env<'_>) -> Result<Everyone, ResolveError> {
    let tables = &settings.providers;
    let custom = KnownProvider::of(&CUSTOM, tables);
    let own = settings.own_provider().into_iter().chain([custom]).chain(KnownProvider::all(tables));
    let mut found = Everyone::default();
    for provider in own {
        let preference = ModelPreference { model: Some(format!("{}/", provider.name())), ..ModelPreference::default() };
        let preference = preference.or(settings, env);
        let usual = ModelPreference { providers: tables.clone(), ..ModelPreference::default() };
        let is_ready = provider.vendor.is_local() || preference.base_url.is_some() || provider.is_ready(&usual, env);
        let choice = match (is_ready || provider.table.is_some()).then(|| choose(&preference, env)) {
            Some(Err(error @ ResolveError::NotRun { .. })) => return Err(error),
            Some(Ok(Some(choice))) if is_ready => choice,
            // A directory that forbids a provider says so when it is asked.
            Some(Err(ResolveError::Forbidden { .. })) | Some(Ok(_)) | None => continue,
            Some(Err(error)) => {
                let is_told = found.unusable.iter().any(|(name, _)| name == provider.name());
                if provider.table.is_some() && !is_told {
                    found.unusable.push((provider.name().to_owned(), error));
                }
                continue;
            }
        };
        let is_same = |known: &ModelChoice| {
            let same_place = known.base_url == choice.base_url && !known.provider.is_new() && !choice.provider.is_new();
            known.name() == choice.name() || same_place
        };
        // A base URL may lead to another vendor, which is listed under its own name.
        if choice.name() == provider.name() && !found.choices.iter().any(is_same) {
            found.choices.push(choice);
        }
    }
    Ok(found)
}

/// The names of models that could be asked now, as far as they are known without a request.
pub(crate) fn known_names(settings: &ModelPreference, env: Env<'_>) -> Vec<String> {
    let names = |choice: ModelChoice| {
        let names: Vec<String> = choice.known_models().map(|model| full_name(choice.name(), &model)).collect();
        names
    };
    let choices = everyone(settings, env).unwrap_or_default().choices;
    let mut names: Vec<String> = choices.into_iter().flat_map(names).collect();
    names.sort();
    names.dedup();
    names
}

/// The servers that may run on this machine.
pub(in super::super) fn local(settings: &ModelPreference, env: Env<'_>) -> Vec<ModelChoice> {
    let (tables, policy) = (&settings.providers, settings.policy.clone());
    let preference = ModelPreference { providers: tables.clone(), policy, ..ModelPreference::default() };
    let local = VENDORS.iter().filter(|vendor| vendor.is_local()).map(|vendor| KnownProvider::of(vendor, tables));
    local.filter_map(|provider| ModelChoice::at_home(provider, &preference, ModelName::default(), env).ok()).collect()
}
