//! Chooses vendor and model from flags, settings and variables. Pure: nothing is sent.

mod everyone;
mod known;
mod variables;

use super::api_key::ApiKey;
use super::cache::CacheLifetime;
use super::catalog::ModelFacts;
use super::effort::Effort;
use super::error::ProviderError;
use super::http::{Endpoint, Extras, host, is_base_url, is_loopback};
use super::list::ListedModel;
use super::policy::{ModelPolicy, ModelScopes};
use super::protocol::Protocol;
use super::sign::KeyHeader;
use super::table::{Credential, ProviderTables};
use super::vendors::{CUSTOM, Route, Vendor};
use super::wire::Wire;
use crate::text;

pub(crate) use everyone::known_names;
pub(super) use everyone::{Everyone, everyone, local};
pub(super) use known::KnownProvider;
use variables::ExportedOnly;
pub(super) use variables::variable;
pub(crate) use variables::{Env, Variables};

/// A shorter value is not masked.
const SHORTEST_SECRET: usize = 8;

/// What the person asked for: the flags of the same names, or `/model`.
#[derive(Debug, Clone, Default, PartialEq)]
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
    /// The providers of the configuration.
    pub providers: ProviderTables,
    /// The models of roles.
    pub roles: ModelRoles,
    /// The settings of directories.
    pub scopes: ModelScopes,
    /// What may be asked in the current directory.
    pub policy: ModelPolicy,
}

/// Models for certain tasks. The usual model does a task without one.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(crate) struct ModelRoles {
    /// For summaries and other requests beside the conversation.
    pub fast: Option<String>,
    /// For questions in plan mode.
    pub plan: Option<String>,
}

impl ModelPreference {
    /// Fills the gaps from the settings. If the model's name has another provider than the settings, their URL and key are not used.
    pub(crate) fn or(self, settings: &ModelPreference, env: Env<'_>) -> ModelPreference {
        // These settings hold for every model.
        let wish = ModelPreference {
            plain_http: settings.plain_http.clone(),
            cache: settings.cache,
            providers: settings.providers.clone(),
            roles: settings.roles.clone(),
            scopes: settings.scopes.clone(),
            policy: settings.policy.clone(),
            ..self
        };
        let said = ModelName::of(&wish, env);
        let is_elsewhere = said.provider.as_ref().is_some_and(|provider| !settings.speaks_of(provider));
        if wish.base_url.is_some() || is_elsewhere {
            return wish;
        }
        ModelPreference {
            model: if said.full.is_some() { wish.model } else { settings.model.clone() },
            base_url: settings.base_url.clone(),
            api_key_env: wish.api_key_env.or_else(|| settings.api_key_env.clone()),
            protocol: settings.protocol,
            // It is the window of the model in the settings.
            window: settings.window.filter(|_| said.full.is_none()),
            ..wish
        }
    }

    /// Whether these settings give the URL of the provider's server.
    fn speaks_of(&self, provider: &KnownProvider) -> bool {
        self.base_url.is_some() && (provider.vendor == &CUSTOM || self.own_provider().as_ref() == Some(provider))
    }

    /// The provider of the server at the base URL.
    pub(super) fn own_provider(&self) -> Option<KnownProvider> {
        let url = self.base_url.as_deref()?;
        let named = self.model.as_deref().and_then(|name| ModelName::parse(name, &self.providers).provider);
        Some(named.unwrap_or_else(|| self.at(url)))
    }

    /// Checks whether a model, or some model of a provider, may be asked here.
    pub(super) fn allows(&self, provider: &str, model: Option<&str>) -> Result<(), ResolveError> {
        let name = || full_name(provider, model.unwrap_or_default());
        self.policy.check(provider, model).map_err(|rule| ResolveError::Forbidden { model: name(), rule })
    }

    /// The provider at a URL.
    fn at(&self, url: &str) -> KnownProvider {
        KnownProvider::of(Vendor::at(url).unwrap_or(&CUSTOM), &self.providers)
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
    #[error("{vendor} needs a key; run `shellmate auth login {vendor}`, or set {}", variables.join(" or "))]
    NoKey { vendor: &'static str, variables: &'static [&'static str] },
    #[error("{variable} should hold a key or a header, but it is not set")]
    Unset { variable: String },
    #[error("the base URL {url} is not valid; write it as https://HOST/v1 or http://localhost:8000/v1")]
    BadUrl { url: String },
    #[error("{vendor} needs a base URL; set {variable}")]
    NoUrl { vendor: &'static str, variable: &'static str },
    #[error("{vendor} needs a model; name one with --model {vendor}/NAME")]
    NoModel { vendor: String },
    #[error("no provider has the model {model}; {}", or_similar(near.as_deref()))]
    Nobody {
        model: String,
        /// The name with a provider that is spelled similarly.
        near: Option<String>,
    },
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
    #[error(
        "the base URL leads to {host}, but the key, headers and certificate of [providers.{provider}] are for another \
         host; set `base_url` in that table to send them there"
    )]
    OtherHost { provider: String, host: String },
    #[error("{what}: the command `{command}` printed no usable value: {why}")]
    CommandFailed { what: String, command: String, why: String },
    #[error("{model} may not be asked here: {rule}")]
    Forbidden { model: String, rule: String },
    /// A command of the configuration has to be run first. Nobody reads this.
    #[error("the command `{command}` was not run")]
    NotRun { command: String },
    #[error("cannot list the models: {0}")]
    Ask(ProviderError),
}

fn or_similar(near: Option<&str>) -> String {
    match near {
        Some(near) => format!("did you mean {near}?"),
        None => "`shellmate models` lists those you can use, as PROVIDER/MODEL".to_owned(),
    }
}

impl From<ProviderError> for ResolveError {
    fn from(error: ProviderError) -> ResolveError {
        ResolveError::Ask(error)
    }
}

/// A provider and a model, before anything is sent.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct ModelChoice {
    pub(super) provider: KnownProvider,
    pub base_url: String,
    pub key: Option<ApiKey>,
    /// `None` where the server will be asked for its list.
    pub model: Option<String>,
    /// `None` where none was named.
    pub effort: Option<Effort>,
    pub(super) route: Route,
    pub(super) wire: &'static dyn Wire,
    /// The headers of the configuration.
    pub(super) headers: Vec<(String, String)>,
}

/// The parts of a model's name.
#[derive(Debug, Clone, Default, PartialEq)]
pub(super) struct ModelName {
    pub(super) provider: Option<KnownProvider>,
    /// Without the provider.
    pub(super) model: Option<String>,
    /// As written, without the effort.
    full: Option<String>,
    pub(super) effort: Option<Effort>,
}

impl ModelName {
    /// Parses `provider/model[:effort]`. A model's own name may contain a colon (`qwen3:8b`) or a slash.
    pub(super) fn parse(text: &str, tables: &ProviderTables) -> ModelName {
        let text = text.trim();
        let (full, effort) = match text.rsplit_once(':').map(|(name, level)| (name, level.parse())) {
            Some((name, Ok(effort))) => (name, Some(effort)),
            Some((_, Err(_))) | None => (text, None),
        };
        let filled = |text: &str| Some(text.to_owned()).filter(|text| !text.is_empty());
        let split = full.split_once('/').unwrap_or((full, ""));
        match KnownProvider::named(split.0, tables) {
            Some(provider) => {
                ModelName { provider: Some(provider), model: filled(split.1), full: filled(full), effort }
            }
            None => ModelName { provider: None, model: filled(full), full: filled(full), effort },
        }
    }

    pub(super) fn of(preference: &ModelPreference, env: Env<'_>) -> ModelName {
        let text = preference.model.clone().or_else(|| variable(env, "SHELLMATE_MODEL"));
        let name = text.map(|text| ModelName::parse(&text, &preference.providers)).unwrap_or_default();
        ModelName { effort: preference.effort.or(name.effort), ..name }
    }
}

/// Chooses by flags, then by the variables of each vendor in the order of the table, then by the configured providers. `None` means
/// that only a local server is left to try.
pub(crate) fn choose(preference: &ModelPreference, env: Env<'_>) -> Result<Option<ModelChoice>, ResolveError> {
    let name = ModelName::of(preference, env);
    if let Some(url) = &preference.base_url {
        let provider = name.provider.clone().unwrap_or_else(|| preference.at(url));
        return ModelChoice::new(provider, url.clone(), preference, name, env).map(Some);
    }
    let tables = &preference.providers;
    let with_table = |vendor: &'static Vendor| KnownProvider::of(vendor, tables);
    if let Some(provider) = name.provider.clone() {
        // Some vendors serve models of others under names such as `maker/model`.
        let has_key = |vendor: &'static Vendor| with_table(vendor).has_key(env);
        let known = name.full.as_deref().and_then(|full| ModelFacts::vendor_of(full, has_key)).map(with_table);
        let is_gateway = |other: &KnownProvider| other.vendor.quirks.is_gateway() && other.has_key(env);
        let other = known.or_else(|| KnownProvider::all(tables).find(is_gateway));
        return match other.filter(|_| provider.table.is_none()) {
            Some(other) if !provider.is_ready(preference, env) => {
                let model = name.full.clone();
                ModelChoice::at_home(other, preference, ModelName { model, ..name }, env).map(Some)
            }
            _ => ModelChoice::at_home(provider, preference, name, env).map(Some),
        };
    }
    let provider = by_model(preference, &name, env).or_else(|| first_ready(preference, env));
    provider.map(|provider| ModelChoice::at_home(provider, preference, name, env)).transpose()
}

/// The provider of a model that was named without one: the table that lists it, or the vendor that is known for it.
fn by_model(preference: &ModelPreference, name: &ModelName, env: Env<'_>) -> Option<KnownProvider> {
    let tables = &preference.providers;
    let model = name.model.as_deref()?;
    let lists = |provider: &KnownProvider| {
        let has_it = provider.table.as_ref().is_some_and(|table| table.model(model).is_some());
        has_it && provider.is_ready(preference, env)
    };
    let is_ready = |vendor: &'static Vendor| KnownProvider::of(vendor, tables).is_ready(preference, env);
    let known = || ModelFacts::vendor_of(model, is_ready).map(|vendor| KnownProvider::of(vendor, tables));
    KnownProvider::all(tables).find(lists).or_else(known)
}

/// The provider to ask if nothing is named.
fn first_ready(preference: &ModelPreference, env: Env<'_>) -> Option<KnownProvider> {
    let tables = &preference.providers;
    let vendors = || super::VENDORS.iter().map(|vendor| KnownProvider::of(vendor, tables));
    if let Some(variable) = preference.api_key_env.as_deref() {
        let holds = |provider: &KnownProvider| provider.vendor.key_variables.contains(&variable);
        return vendors().find(holds).or_else(|| vendors().next());
    }
    // A provider that may not be asked here is passed over, because nobody named it.
    let may_ask = |provider: &KnownProvider, env: Env<'_>| {
        let model = preference.model.clone().or_else(|| provider.default_model(env));
        preference.policy.check(provider.name(), model.as_deref()).is_ok() && provider.is_ready(preference, env)
    };
    let ready_in = |env: Env<'_>| vendors().find(|provider| !provider.vendor.is_local() && may_ask(provider, env));
    let configured = || KnownProvider::configured(tables).find(|provider| may_ask(provider, env));
    ready_in(&ExportedOnly(env)).or_else(|| ready_in(env)).or_else(configured)
}

/// The name of a model with the known provider that is spelled similarly to its own.
pub(super) fn similar_name(model: &str, tables: &ProviderTables) -> Option<String> {
    let (provider, rest) = model.split_once('/')?;
    let names: Vec<String> = KnownProvider::all(tables).map(|known| known.name().to_owned()).collect();
    let near = text::nearest(&provider.to_lowercase(), names.iter().map(String::as_str))?;
    Some(format!("{near}/{rest}"))
}

impl ModelChoice {
    /// Whether it is a kind of server that is looked for on this machine, and is on this machine.
    pub(super) fn is_local_server(&self) -> bool {
        self.provider.vendor.is_local() && is_loopback(&self.base_url)
    }

    /// The provider at its own URL, or at the URL that the environment names.
    fn at_home(
        provider: KnownProvider,
        preference: &ModelPreference,
        name: ModelName,
        env: Env<'_>,
    ) -> Result<ModelChoice, ResolveError> {
        let elsewhere = provider.url(env);
        let is_configured = provider.table.as_ref().is_some_and(|table| table.base_url.is_some());
        let provider = match &elsewhere {
            Some(url) if provider.vendor.quirks.lends_its_variables() && !is_configured => preference.at(url),
            _ => provider,
        };
        let vendor = provider.vendor;
        let url = elsewhere.unwrap_or_else(|| vendor.base_url.to_owned());
        match vendor.url_variables.first() {
            Some(variable) if url.is_empty() => Err(ResolveError::NoUrl { vendor: vendor.name, variable }),
            _ => ModelChoice::new(provider, url, preference, name, env),
        }
    }

    fn new(
        provider: KnownProvider,
        url: String,
        preference: &ModelPreference,
        name: ModelName,
        env: Env<'_>,
    ) -> Result<ModelChoice, ResolveError> {
        if !is_base_url(&url) {
            return Err(ResolveError::BadUrl { url });
        }
        let vendor = provider.vendor;
        if !provider.is_at_home(&url) {
            return Err(ResolveError::OtherHost { provider: provider.name().to_owned(), host: host(&url).to_owned() });
        }
        let key = match &preference.api_key_env {
            Some(name) => {
                let secret = variable(env, name).ok_or_else(|| ResolveError::Unset { variable: name.clone() })?;
                Some(ApiKey::new(name, secret))
            }
            None => provider.key(env)?,
        };
        let needs_key = !vendor.key_variables.is_empty() && vendor != &CUSTOM && !provider.needs_no_key();
        if key.is_none() && needs_key && !is_loopback(&url) {
            return Err(ResolveError::NoKey { vendor: vendor.name, variables: vendor.key_variables });
        }
        let is_plain = url.starts_with("http://") && !is_loopback(&url);
        let is_allowed = preference.plain_http.iter().any(|allowed| allowed == host(&url));
        if (key.is_some() || provider.has_secret_headers()) && is_plain && !is_allowed {
            return Err(ResolveError::KeyInClear { host: host(&url).to_owned() });
        }
        let model = name.model.or_else(|| provider.default_model(env));
        preference.allows(provider.name(), model.as_deref())?;
        if vendor.quirks.needs_model() && model.is_none() {
            return Err(ResolveError::NoModel { vendor: provider.name().to_owned() });
        }
        let url = url.trim_end_matches('/');
        let protocol = match preference.protocol {
            Protocol::Auto => provider.protocol(model.as_deref()),
            Protocol::Chat | Protocol::Responses | Protocol::Messages | Protocol::Ollama => preference.protocol,
        };
        let wire = vendor.wire_for(model.as_deref(), url, protocol);
        let url = vendor.quirks.base_url_for(wire, url).unwrap_or_else(|| url.to_owned());
        let base_url = wire.base_url(&url).to_owned();
        let route = vendor.quirks.route(&base_url, model.as_deref(), env);
        let headers = provider.headers(env)?;
        Ok(ModelChoice { provider, base_url, key, model, effort: name.effort, route, wire, headers })
    }

    /// The provider's name.
    pub(super) fn name(&self) -> &str {
        self.provider.name()
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
        ModelChoice { base_url, key: None, headers: Vec::new(), ..self.clone() }
    }

    /// The key and the headers that the configuration names or has. A short one may be a common word.
    pub(super) fn configured_secrets(&self) -> Vec<String> {
        let key = self.key.as_ref().filter(|_| self.provider.has_own_key()).map(|key| key.secret().to_owned());
        let secret = |name: &str| self.provider.has_secret_header(name);
        let headers = self.headers.iter().filter(|(name, _)| secret(name)).map(|(_, value)| value.clone());
        key.into_iter().chain(headers).filter(|value| value.len() >= SHORTEST_SECRET).collect()
    }

    pub(super) fn endpoint(&self) -> Endpoint {
        let table = self.provider.table.as_deref();
        let vendor = self.provider.vendor;
        let signer = self.key.as_ref().map(|key| match table.map(|table| &table.credential) {
            Some(Credential::Bearer(_)) => KeyHeader::Bearer.signer(key),
            Some(Credential::Usual | Credential::Nothing | Credential::Key(_)) | None => {
                vendor.quirks.signer(key, self.wire)
            }
        });
        let extras = table.map(|table| Extras {
            headers: self.headers.clone(),
            body: table.body.clone(),
            identity: table.identity.clone(),
        });
        Endpoint {
            vendor: self.name().to_owned(),
            kind: vendor,
            base_url: self.base_url.clone(),
            route: self.route.clone(),
            signer,
            key: self.key.clone(),
            headers: self.wire.headers(),
            extras: extras.unwrap_or_default(),
        }
    }

    /// A model of this provider, with what the configuration and the catalogue know of it.
    pub(super) fn known(&self, model: ListedModel) -> ListedModel {
        let Some(said) = self.provider.table.as_ref().and_then(|table| table.model(&model.model)) else { return model };
        ListedModel {
            context_window: said.window.or(model.context_window),
            price: said.price.or(model.price),
            traits: said.traits.or(model.traits),
            ..model
        }
    }

    /// The models that are known without a request: the chosen one, those of the configuration, those of the catalogue.
    pub(super) fn known_models(&self) -> impl Iterator<Item = String> {
        let configured = self.provider.table.iter().flat_map(|table| &table.models).map(|model| model.id.clone());
        let public = self.provider.vendor.known_models().filter(|_| !self.provider.is_new()).map(str::to_owned);
        self.model.iter().cloned().chain(configured).chain(public)
    }

    /// The window that the configuration gives to a model.
    pub(super) fn configured_window(&self, model: &str) -> Option<u32> {
        self.provider.table.as_ref()?.model(model)?.window
    }
}

#[cfg(test)]
mod table_tests;
#[cfg(test)]
mod tests;
