//! Chooses vendor and model from flags, settings and variables. Pure: nothing is sent.

use super::api_key::ApiKey;
use super::cache::CacheLifetime;
use super::catalog::ModelFacts;
use super::effort::Effort;
use super::error::ProviderError;
use super::http::{Endpoint, host, is_loopback};
use super::protocol::Protocol;
use super::vendors::{CUSTOM, Route, VENDORS, Vendor};
use super::wire::Wire;

/// Reads environment variables.
pub(crate) type Env<'a> = &'a dyn Variables;

/// A source of variables. Every function from a name to a value is one.
pub(crate) trait Variables: Send + Sync {
    /// The value: exported, or a stored key.
    fn get(&self, name: &str) -> Option<String>;

    /// The exported value. An exported key has precedence over a stored one.
    fn exported(&self, name: &str) -> Option<String> {
        self.get(name)
    }
}

impl<F: Fn(&str) -> Option<String> + Send + Sync> Variables for F {
    fn get(&self, name: &str) -> Option<String> {
        self(name)
    }
}

/// Only the exported variables.
struct ExportedOnly<'a>(Env<'a>);

impl Variables for ExportedOnly<'_> {
    fn get(&self, name: &str) -> Option<String> {
        self.0.exported(name)
    }
}

/// What the person asked for: the flags of the same names, or `/model`.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(crate) struct ModelPreference {
    /// `provider/model[:effort]`, or a bare model.
    pub model: Option<String>,
    pub base_url: Option<String>,
    pub api_key_env: Option<String>,
    /// The protocol, where it is not the server's usual one.
    pub protocol: Protocol,
    /// Overrides an effort in the model's name.
    pub effort: Option<Effort>,
    /// Hosts that may get a key without encryption.
    pub plain_http: Vec<String>,
    /// The context window of the model in tokens, if the user has set it.
    pub window: Option<u32>,
    /// How long vendors keep the beginning of a request.
    pub cache: CacheLifetime,
}

impl ModelPreference {
    /// Fills the gaps from the settings. If the model's name has another provider than the settings, their URL and key are not used.
    pub(crate) fn or(self, settings: &ModelPreference, env: Env<'_>) -> ModelPreference {
        let said = ModelName::of(&self, env);
        let is_elsewhere = said.vendor.is_some_and(|vendor| !settings.speaks_of(vendor));
        // These settings hold for every model.
        let (plain_http, cache) = (settings.plain_http.clone(), settings.cache);
        if self.base_url.is_some() || is_elsewhere {
            return ModelPreference { plain_http, cache, ..self };
        }
        ModelPreference {
            model: if said.full.is_some() { self.model } else { settings.model.clone() },
            base_url: settings.base_url.clone(),
            api_key_env: self.api_key_env.or_else(|| settings.api_key_env.clone()),
            protocol: settings.protocol,
            effort: self.effort,
            plain_http,
            // It is the window of the model in the settings.
            window: settings.window.filter(|_| said.full.is_none()),
            cache,
        }
    }

    /// Whether these settings give the URL of the vendor's server.
    fn speaks_of(&self, vendor: &Vendor) -> bool {
        self.base_url.is_some() && (vendor == &CUSTOM || self.own_vendor() == Some(vendor))
    }

    /// The vendor of the server at the base URL.
    pub(super) fn own_vendor(&self) -> Option<&'static Vendor> {
        let url = self.base_url.as_deref()?;
        let named = self.model.as_deref().and_then(|name| ModelName::parse(name).vendor);
        Some(named.or_else(|| Vendor::at(url)).unwrap_or(&CUSTOM))
    }
}

/// The name of a model that resolves to this model of this vendor.
pub(crate) fn full_name(vendor: &str, model: &str) -> String {
    let ends_like_an_effort = model.rsplit_once(':').is_some_and(|(_, end)| end.parse::<Effort>().is_ok());
    let effort = if ends_like_an_effort { format!(":{}", Effort::default()) } else { String::new() };
    format!("{vendor}/{model}{effort}")
}

/// Why no model was found although one was asked for.
#[derive(Debug, thiserror::Error)]
pub(crate) enum ResolveError {
    #[error("{vendor} needs a key; set {}", variables.join(" or "))]
    NoKey { vendor: &'static str, variables: &'static [&'static str] },
    #[error("{variable} should hold the key, but it is not set")]
    Unset { variable: String },
    #[error("{url} is not an http or https URL")]
    BadUrl { url: String },
    #[error("{vendor} needs a base URL; set {variable}")]
    NoUrl { vendor: &'static str, variable: &'static str },
    #[error("{vendor} needs a model; name one with --model {vendor}/NAME")]
    NoModel { vendor: &'static str },
    #[error("no provider has the model {model}; write it as provider/model, or start its server")]
    Nobody { model: String },
    #[error(
        "http:// would send your key to {host} unencrypted; use https://, or allow this host with \
         `plain_http = [\"{host}\"]` under [model] in the configuration"
    )]
    KeyInClear { host: String },
    #[error(
        "the server at {address} runs as user {owner}, so it is not used unless you name it: \
         `shellmate config set model.name {vendor}/MODEL`"
    )]
    Stranger { vendor: &'static str, address: String, owner: String },
    #[error("cannot list the models: {0}")]
    Ask(ProviderError),
}

impl From<ProviderError> for ResolveError {
    fn from(error: ProviderError) -> ResolveError {
        ResolveError::Ask(error)
    }
}

/// A vendor and a model, before anything is sent.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct ModelChoice {
    pub vendor: &'static Vendor,
    pub base_url: String,
    pub key: Option<ApiKey>,
    /// `None` where the server will be asked for its list.
    pub model: Option<String>,
    /// `None` where none was named.
    pub effort: Option<Effort>,
    pub(super) route: Route,
    pub(super) wire: &'static dyn Wire,
}

/// The parts of a model's name.
#[derive(Debug, Clone, Default, PartialEq)]
pub(super) struct ModelName {
    pub(super) vendor: Option<&'static Vendor>,
    /// Without the vendor.
    pub(super) model: Option<String>,
    /// As written, without the effort.
    full: Option<String>,
    pub(super) effort: Option<Effort>,
}

impl ModelName {
    /// Parses `provider/model[:effort]`. A model's own name may contain a colon (`qwen3:8b`) or a slash.
    pub(super) fn parse(text: &str) -> ModelName {
        let text = text.trim();
        let (full, effort) = match text.rsplit_once(':').map(|(name, level)| (name, level.parse())) {
            Some((name, Ok(effort))) => (name, Some(effort)),
            Some((_, Err(_))) | None => (text, None),
        };
        let filled = |text: &str| Some(text.to_owned()).filter(|text| !text.is_empty());
        let split = full.split_once('/').unwrap_or((full, ""));
        let custom = CUSTOM.name.eq_ignore_ascii_case(split.0).then_some(&CUSTOM);
        match Vendor::named(split.0).or(custom) {
            Some(vendor) => ModelName { vendor: Some(vendor), model: filled(split.1), full: filled(full), effort },
            None => ModelName { vendor: None, model: filled(full), full: filled(full), effort },
        }
    }

    pub(super) fn of(preference: &ModelPreference, env: Env<'_>) -> ModelName {
        let text = preference.model.clone().or_else(|| variable(env, "SHELLMATE_MODEL"));
        let name = text.map(|text| ModelName::parse(&text)).unwrap_or_default();
        ModelName { effort: preference.effort.or(name.effort), ..name }
    }
}

/// Chooses by flags, then by the variables of each vendor in the order of the table. `None` means that only a local server is left to
/// try.
pub(crate) fn choose(preference: &ModelPreference, env: Env<'_>) -> Result<Option<ModelChoice>, ResolveError> {
    let name = ModelName::of(preference, env);
    if let Some(url) = &preference.base_url {
        let vendor = name.vendor.or_else(|| Vendor::at(url)).unwrap_or(&CUSTOM);
        return ModelChoice::new(vendor, url.clone(), preference, name, env).map(Some);
    }
    if let Some(vendor) = name.vendor {
        // Some vendors serve models of others under names such as `maker/model`.
        let known = name.full.as_deref().and_then(|full| ModelFacts::vendor_of(full, |other| has_key(other, env)));
        let gateway = || VENDORS.iter().find(|other| other.quirks.is_gateway() && has_key(other, env));
        let other = known.or_else(gateway);
        return match other {
            Some(other) if !is_ready(vendor, preference, env) => {
                let model = name.full.clone();
                ModelChoice::at_home(other, preference, ModelName { model, ..name }, env).map(Some)
            }
            _ => ModelChoice::at_home(vendor, preference, name, env).map(Some),
        };
    }
    let model = name.model.as_deref();
    let its_own = model.and_then(|model| ModelFacts::vendor_of(model, |vendor| is_ready(vendor, preference, env)));
    let named = preference.api_key_env.as_deref().and_then(|variable| {
        let holds = |vendor: &&Vendor| vendor.key_variables.contains(&variable);
        VENDORS.iter().find(holds).or_else(|| VENDORS.first())
    });
    let ready_in = |env: Env<'_>| VENDORS.iter().find(|vendor| !vendor.is_local() && is_ready(vendor, preference, env));
    let first = || ready_in(&ExportedOnly(env)).or_else(|| ready_in(env));
    match its_own.or(named).or_else(first) {
        Some(vendor) => ModelChoice::at_home(vendor, preference, name, env).map(Some),
        None => Ok(None),
    }
}

/// Every server that could be asked now: the one in the settings, the vendors with a key, and those that may run on this machine. Each
/// is listed once, as its name would resolve.
pub(super) fn everyone(settings: &ModelPreference, env: Env<'_>) -> Vec<ModelChoice> {
    let own = settings.own_vendor().into_iter().chain([&CUSTOM]).chain(VENDORS);
    let choice = |vendor: &'static Vendor| {
        let preference = ModelPreference { model: Some(format!("{}/", vendor.name)), ..ModelPreference::default() }
            .or(settings, env);
        let is_ready =
            vendor.is_local() || preference.base_url.is_some() || is_ready(vendor, &ModelPreference::default(), env);
        let choice = is_ready.then(|| choose(&preference, env).ok().flatten()).flatten();
        // A base URL may lead to another vendor, which is listed under its own name.
        choice.filter(|choice| choice.vendor == vendor)
    };
    let mut choices: Vec<ModelChoice> = Vec::new();
    for choice in own.filter_map(choice) {
        let is_same = |known: &ModelChoice| known.vendor == choice.vendor || known.base_url == choice.base_url;
        if !choices.iter().any(is_same) {
            choices.push(choice);
        }
    }
    choices
}

/// The names of models that could be asked now, as far as they are known without a request.
pub(crate) fn known_names(settings: &ModelPreference, env: Env<'_>) -> Vec<String> {
    let names = |choice: ModelChoice| {
        let public = choice.vendor.known_models().map(str::to_owned);
        let models: Vec<String> = choice.model.into_iter().chain(public).collect();
        models.into_iter().map(|model| full_name(choice.vendor.name, &model))
    };
    let mut names: Vec<String> = everyone(settings, env).into_iter().flat_map(names).collect();
    names.sort();
    names.dedup();
    names
}

/// The servers that may run on this machine.
pub(super) fn local(env: Env<'_>) -> Vec<ModelChoice> {
    let preference = ModelPreference::default();
    let local = VENDORS.iter().filter(|vendor| vendor.is_local());
    local.filter_map(|vendor| ModelChoice::at_home(vendor, &preference, ModelName::default(), env).ok()).collect()
}

pub(super) fn variable(env: Env<'_>, name: &str) -> Option<String> {
    env.get(name).map(|value| value.trim().to_owned()).filter(|value| !value.is_empty())
}

fn key(names: &[&str], env: Env<'_>) -> Option<ApiKey> {
    names.iter().find_map(|name| Some(ApiKey::new(*name, variable(env, name)?)))
}

fn has_key(vendor: &Vendor, env: Env<'_>) -> bool {
    key(vendor.key_variables, env).is_some()
}

fn url(vendor: &Vendor, env: Env<'_>) -> Option<String> {
    vendor.quirks.base_url(vendor, env)
}

/// Whether a vendor can be asked with what is set now.
fn is_ready(vendor: &Vendor, preference: &ModelPreference, env: Env<'_>) -> bool {
    let has_url = url(vendor, env).is_some();
    let has_model = !vendor.quirks.needs_model() || vendor.quirks.model(env).is_some() || preference.model.is_some();
    match vendor.base_url {
        "" if vendor == &CUSTOM => has_url,
        "" => has_url && has_model && has_key(vendor, env),
        _ => vendor.key_variables.is_empty() || has_url || has_key(vendor, env) || preference.api_key_env.is_some(),
    }
}

impl ModelChoice {
    /// The vendor at its own URL, or at the URL that the environment names.
    fn at_home(
        vendor: &'static Vendor,
        preference: &ModelPreference,
        name: ModelName,
        env: Env<'_>,
    ) -> Result<ModelChoice, ResolveError> {
        let elsewhere = url(vendor, env);
        let vendor = match &elsewhere {
            Some(url) if vendor.quirks.lends_its_variables() => Vendor::at(url).unwrap_or(&CUSTOM),
            _ => vendor,
        };
        let url = elsewhere.unwrap_or_else(|| vendor.base_url.to_owned());
        match vendor.url_variables.first() {
            Some(variable) if url.is_empty() => Err(ResolveError::NoUrl { vendor: vendor.name, variable }),
            _ => ModelChoice::new(vendor, url, preference, name, env),
        }
    }

    fn new(
        vendor: &'static Vendor,
        url: String,
        preference: &ModelPreference,
        name: ModelName,
        env: Env<'_>,
    ) -> Result<ModelChoice, ResolveError> {
        if !url.starts_with("http://") && !url.starts_with("https://") {
            return Err(ResolveError::BadUrl { url });
        }
        let key = match &preference.api_key_env {
            Some(name) => {
                let secret = variable(env, name).ok_or_else(|| ResolveError::Unset { variable: name.clone() })?;
                Some(ApiKey::new(name, secret))
            }
            None => key(vendor.key_variables, env),
        };
        if key.is_none() && !vendor.key_variables.is_empty() && vendor != &CUSTOM && !is_loopback(&url) {
            return Err(ResolveError::NoKey { vendor: vendor.name, variables: vendor.key_variables });
        }
        let is_plain = url.starts_with("http://") && !is_loopback(&url);
        let is_allowed = preference.plain_http.iter().any(|allowed| allowed == host(&url));
        if key.is_some() && is_plain && !is_allowed {
            return Err(ResolveError::KeyInClear { host: host(&url).to_owned() });
        }
        let usual = || vendor.quirks.model(env).or_else(|| vendor.default_model.map(str::to_owned));
        let model = name.model.or_else(usual);
        if vendor.quirks.needs_model() && model.is_none() {
            return Err(ResolveError::NoModel { vendor: vendor.name });
        }
        let url = url.trim_end_matches('/');
        let wire = vendor.wire_for(model.as_deref(), url, preference.protocol);
        let url = vendor.quirks.base_url_for(wire, url).unwrap_or_else(|| url.to_owned());
        let base_url = wire.base_url(&url).to_owned();
        let route = vendor.quirks.route(&base_url, model.as_deref(), env);
        Ok(ModelChoice { vendor, base_url, key, model, effort: name.effort, route, wire })
    }

    /// The same server, asked without a key and without the user and password that a URL may carry.
    pub(super) fn without_credentials(&self) -> ModelChoice {
        let base_url = match self.base_url.split_once("://") {
            Some((scheme, rest)) => {
                let path = rest.find('/').map_or("", |slash| &rest[slash..]);
                format!("{scheme}://{}{path}", host(&self.base_url))
            }
            None => self.base_url.clone(),
        };
        ModelChoice { base_url, key: None, ..self.clone() }
    }

    pub(super) fn endpoint(&self) -> Endpoint {
        Endpoint {
            vendor: self.vendor.name.to_owned(),
            base_url: self.base_url.clone(),
            route: self.route.clone(),
            signer: self.key.as_ref().map(|key| self.vendor.quirks.signer(key, self.wire)),
            key: self.key.clone(),
            headers: self.wire.headers(),
        }
    }
}

#[cfg(test)]
mod tests;
