//! The providers of the configuration.

use std::collections::{BTreeMap, HashSet};
use std::path::{Path, PathBuf};

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};

use super::dollars::Dollars;
use super::{Config, Model, Problem, ScopeSettings, parse};
use crate::provider::{
    self, ClientIdentity, Credential, ModelPreference, ModelScopes, ModelTable, ModelTraits, Price, Protocol,
    ProviderTable, ProviderTables, ThinkingFormat, ValueOrigin, Vendor,
};

const BAD_URL: &str = "expected a URL that begins with http:// or https://, such as http://localhost:8000/v1";

/// Fields of a request that the configuration cannot replace.
const OWN_FIELDS: [&str; 6] = ["model", "messages", "input", "system", "tools", "stream"];

/// A provider: a proxy of your company, a server, or changes to a built-in provider of the same name.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(default, deny_unknown_fields, expecting = "a table")]
pub(crate) struct ProviderSettings {
    /// The server, such as `https://llm.example.com/v1`.
    #[serde(skip_serializing_if = "String::is_empty")]
    pub base_url: String,
    /// The protocol: `chat`, `responses`, `messages`, `ollama` or `auto`.
    #[serde(skip_serializing_if = "is_auto")]
    pub protocol: Protocol,
    /// The key, in the header that the protocol has for it.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schemars(with = "ValueOrigin", extend("format" = "password"))]
    pub api_key: Option<ValueOrigin>,
    /// A token, in `Authorization: Bearer`.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schemars(with = "ValueOrigin", extend("format" = "password"))]
    pub bearer: Option<ValueOrigin>,
    /// `none` sends no key.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub auth: Option<AuthKind>,
    /// Headers of every request, sent to this host only.
    #[serde(skip_serializing_if = "BTreeMap::is_empty")]
    #[schemars(extend("format" = "password"))]
    pub headers: BTreeMap<String, ValueOrigin>,
    /// Fields that are added to every request for an answer.
    #[serde(skip_serializing_if = "Map::is_empty")]
    #[schemars(with = "BTreeMap<String, Value>")]
    pub body: Map<String, Value>,
    /// A client certificate (PEM).
    #[serde(skip_serializing_if = "Option::is_none")]
    pub client_cert: Option<PathBuf>,
    /// The private key of the certificate (PEM).
    #[serde(skip_serializing_if = "Option::is_none")]
    pub client_key: Option<PathBuf>,
    /// What is known of its models. The first is used if none is named.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub models: Vec<ModelSettings>,
}

fn is_auto(protocol: &Protocol) -> bool {
    *protocol == Protocol::Auto
}

/// One model of a provider.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, expecting = "a table")]
pub(crate) struct ModelSettings {
    /// The name, as the provider spells it.
    pub id: String,
    /// Its context window in tokens.
    #[serde(default, deserialize_with = "parse::whole_number", skip_serializing_if = "is_zero")]
    pub window: u64,
    /// The most tokens of one answer.
    #[serde(default, deserialize_with = "parse::whole_number", skip_serializing_if = "is_zero")]
    pub output: u64,
    /// What it costs.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub price: Option<PriceSettings>,
    /// Whether it reads pictures.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub vision: Option<bool>,
    /// How it is told how hard to think: `openai`, `openrouter`, `qwen`, `qwen-template`, `deepseek`, `none` or `auto`.
    #[serde(default, skip_serializing_if = "is_usual")]
    pub thinking: ThinkingFormat,
    /// Whether its thinking is sent back with the calls that it led to.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub echo_thinking: Option<bool>,
    /// Its protocol, if it is not that of the provider.
    #[serde(default, skip_serializing_if = "is_auto")]
    pub protocol: Protocol,
}

fn is_zero(number: &u64) -> bool {
    *number == 0
}

fn is_usual(format: &ThinkingFormat) -> bool {
    *format == ThinkingFormat::Auto
}

/// Dollars for a million tokens.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, expecting = "a table such as { input = 3, output = 15 }")]
pub(crate) struct PriceSettings {
    pub input: Dollars,
    pub output: Dollars,
    /// Input that the provider had in its cache. Without it: as `input`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub cached: Option<Dollars>,
    /// Input that the provider puts into its cache. Without it: as `input`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub cache_written: Option<Dollars>,
}

/// Whether a key is sent.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
pub(crate) enum AuthKind {
    Key,
    None,
}

impl Config {
    /// The model that the settings ask for, and the providers.
    pub(crate) fn preference(&self) -> ModelPreference {
        let scopes = ModelScopes::new(self.scope.iter().map(ScopeSettings::models).collect());
        ModelPreference { providers: self.provider_tables().0, scopes, ..self.model.preference() }
    }

    /// The providers. A table that cannot be used is left out and reported.
    pub(crate) fn provider_tables(&self) -> (ProviderTables, Vec<Problem>) {
        let (mut tables, mut problems) = (Vec::new(), Vec::new());
        for (name, settings) in &self.providers {
            match settings.table(name) {
                Ok(table) => tables.push(table),
                Err((key, message)) => {
                    let key = if key.is_empty() { String::new() } else { format!(".{key}") };
                    problems.push(Problem::new(&message).key(&format!("providers.{name}{key}")));
                }
            }
        }
        (ProviderTables::new(tables), problems)
    }

    /// Problems of the settings about models: tables, limits and scopes that cannot be used.
    pub(crate) fn model_problems(&self) -> Vec<Problem> {
        let tables = self.provider_tables().1.into_iter();
        tables.chain(self.limit_problems()).chain(self.scope_problems()).chain(self.model.problems()).collect()
    }
}

impl Model {
    /// The address and the variable, if they are none.
    fn problems(&self) -> Vec<Problem> {
        let mut problems = Vec::new();
        let url = self.base_url.trim();
        if !url.is_empty() && !provider::is_base_url(url) {
            problems.push(Problem::new(BAD_URL).key("model.base_url"));
        }
        let name = self.api_key_env.trim();
        if !name.is_empty() && !provider::is_variable(name) {
            let message = "this is not the name of a variable; to store a key itself, use `shellmate auth login`";
            problems.push(Problem::new(message).key("model.api_key_env"));
        }
        problems
    }
}

/// A key of a table and what is wrong with it.
type Fault = (&'static str, String);

impl ProviderSettings {
    fn table(&self, name: &str) -> Result<ProviderTable, Fault> {
        if name.is_empty() || name.contains(|c: char| c == '/' || c == ':' || c.is_whitespace() || c.is_control()) {
            return Err(("", "a provider's name has no slash, colon or blank; the table is ignored".to_owned()));
        }
        let base_url = self.base_url.trim();
        if base_url.is_empty() && Vendor::named(name).is_none() {
            let names: Vec<&str> = provider::VENDORS.iter().map(|vendor| vendor.name).collect();
            let message =
                format!("a provider that is not built in needs a base_url (built in are {})", names.join(", "));
            return Err(("base_url", message));
        }
        if !base_url.is_empty() && !provider::is_base_url(base_url) {
            return Err(("base_url", BAD_URL.to_owned()));
        }
        self.check_parts()?;
        Ok(ProviderTable {
            name: name.to_owned(),
            base_url: (!base_url.is_empty()).then(|| base_url.to_owned()),
            protocol: self.protocol,
            credential: self.credential()?,
            headers: self.headers.iter().map(|(name, value)| (name.clone(), value.clone())).collect(),
            body: self.body.clone(),
            identity: self.identity()?,
            models: self.models.iter().map(ModelSettings::table).collect(),
        })
    }

    fn check_parts(&self) -> Result<(), Fault> {
        let is_token = |c: char| c.is_ascii_alphanumeric() || "!#$%&'*+-.^_`|~".contains(c);
        if let Some(name) = self.headers.keys().find(|name| name.is_empty() || !name.chars().all(is_token)) {
            return Err(("headers", format!("`{name}` is not the name of a header")));
        }
        if let Some(field) = OWN_FIELDS.iter().find(|field| self.body.contains_key(**field)) {
            return Err(("body", format!("`{field}` is set by shellmate and cannot be replaced")));
        }
        let mut ids = HashSet::new();
        if let Some(model) = self.models.iter().find(|model| model.id.trim().is_empty() || !ids.insert(&model.id)) {
            return Err(("models", format!("`{}` is empty or used twice as an id", model.id)));
        }
        Ok(())
    }

    fn credential(&self) -> Result<Credential, Fault> {
        let clash = "`api_key`, `bearer` and `auth = \"none\"` cannot be combined";
        match (&self.api_key, &self.bearer, self.auth) {
            (None, None, Some(AuthKind::None)) => Ok(Credential::Nothing),
            (Some(key), None, None | Some(AuthKind::Key)) => Ok(Credential::Key(key.clone())),
            (None, Some(token), None | Some(AuthKind::Key)) => Ok(Credential::Bearer(token.clone())),
            (None, None, None | Some(AuthKind::Key)) => Ok(Credential::Usual),
            (Some(_), Some(_), _) | (Some(_), _, Some(AuthKind::None)) | (_, Some(_), Some(AuthKind::None)) => {
                Err(("auth", clash.to_owned()))
            }
        }
    }

    fn identity(&self) -> Result<Option<ClientIdentity>, Fault> {
        match (&self.client_cert, &self.client_key) {
            (None, None) => Ok(None),
            (None, Some(_)) => Err(("client_cert", "`client_key` needs a certificate".to_owned())),
            // Both may be in one file.
            (Some(certificate), key) => {
                let certificate = at_home(certificate);
                let key = key.as_deref().map_or_else(|| certificate.clone(), at_home);
                Ok(Some(ClientIdentity { certificate, key }))
            }
        }
    }
}

/// A path, with `~` for the home directory.
fn at_home(path: &Path) -> PathBuf {
    match (path.strip_prefix("~"), std::env::home_dir()) {
        (Ok(rest), Some(home)) => home.join(rest),
        (Ok(_), None) | (Err(_), _) => path.to_owned(),
    }
}

impl ModelSettings {
    fn table(&self) -> ModelTable {
        let count = |number: u64| u32::try_from(number).ok().filter(|number| *number > 0);
        ModelTable {
            window: count(self.window),
            price: self.price.as_ref().map(PriceSettings::price),
            protocol: self.protocol,
            traits: ModelTraits {
                output: count(self.output),
                sees: self.vision,
                thinking: self.thinking,
                echoes: self.echo_thinking,
                ..ModelTraits::default()
            },
            id: self.id.clone(),
        }
    }
}

impl PriceSettings {
    fn price(&self) -> Price {
        let or_input = |price: Option<Dollars>| price.unwrap_or(self.input).amount();
        Price {
            input: self.input.amount(),
            output: self.output.amount(),
            cached: or_input(self.cached),
            cache_written: or_input(self.cache_written),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn tables(text: &str) -> (ProviderTables, Vec<String>) {
        let loaded = Config::parse(text);
        let (tables, problems) = loaded.config.provider_tables();
        (tables, loaded.problems.into_iter().chain(problems).map(|problem| problem.to_string()).collect())
    }

    #[test]
    fn a_table_is_a_provider() {
        let (tables, problems) = tables(
            r#"
            [providers.corp]
            base_url = "https://llm.corp.example/v1"
            protocol = "messages"
            bearer = { command = "corp-token" }
            headers = { x-team = "blue", x-user = { env = "USER" } }
            body = { temperature = 0.2, extra = { a = 1 } }
            client_cert = "/etc/corp.pem"
            [[providers.corp.models]]
            id = "big"
            window = 100000
            output = 4096
            price = { input = 1, output = 2.5, cached = 0.1 }
            vision = false
            thinking = "qwen-template"
            echo_thinking = true
            "#,
        );
        assert_eq!(problems, [""; 0]);
        let corp = tables.named("CORP").unwrap();
        assert_eq!(corp.credential, Credential::Bearer(ValueOrigin::Command("corp-token".into())));
        assert_eq!(corp.headers[1], ("x-user".into(), ValueOrigin::Variable("USER".into())));
        assert_eq!(corp.body["extra"]["a"], 1);
        assert_eq!(corp.identity.as_ref().unwrap().key, Path::new("/etc/corp.pem"));
        let model = &corp.models[0];
        assert_eq!((model.window, model.traits.output), (Some(100_000), Some(4_096)));
        assert_eq!(model.price, Some(Price { input: 1.0, output: 2.5, cached: 0.1, cache_written: 1.0 }));
        assert_eq!(model.traits.sees, Some(false));
        assert_eq!(model.traits.thinking, ThinkingFormat::QwenTemplate);
    }

    #[test]
    fn a_wrong_table_says_what_is_accepted() {
        let said = |text: &str| {
            let (_, problems) = tables(text);
            assert_eq!(problems.len(), 1, "{text}: {problems:?}");
            problems.into_iter().next().unwrap()
        };
        let url = "base_url = 'https://a.example/v1'";
        for (text, expected) in [
            ("[providers.corp]\nprotocol = 'chat'".to_owned(), "needs a base_url (built in are openai, anthropic,"),
            ("[providers.corp]\nbase_url = 'a.example'".to_owned(), "begins with http:// or https://"),
            (format!("[providers.corp]\n{url}\nurl = 'x'"), "unknown key `url`, expected one of `base_url`"),
            (format!("[providers.corp]\n{url}\nprotocol = 'grpc'"), "unknown value `grpc`, expected one of `auto`"),
            (format!("[providers.corp]\n{url}\napi_key = {{ file = 'x' }}"), "expected text, { env = \"NAME\" } or"),
            (format!("[providers.corp]\n{url}\napi_key = 'k'\nauth = 'none'"), "cannot be combined"),
            (format!("[providers.corp]\n{url}\nbody = {{ model = 'x' }}"), "`model` is set by shellmate"),
            (format!("[providers.corp]\n{url}\nheaders = {{ 'x y' = 'z' }}"), "`x y` is not the name of a header"),
            (format!("[providers.corp]\n{url}\n[[providers.corp.models]]\nwindow = 5"), "the key `id` is missing"),
            (
                format!("[providers.corp]\n{url}\nmodels = [{{ id = 'a' }}, {{ id = 'a' }}]"),
                "`a` is empty or used twice",
            ),
            (format!("[providers.'a/b']\n{url}"), "a provider's name has no slash"),
            ("providers = 3".to_owned(), "providers"),
        ] {
            let said = said(&text);
            assert!(said.contains(expected), "{text}\n  {said}");
            assert!(said.starts_with("providers"), "{said}");
        }
    }

    #[test]
    fn the_rest_of_a_wrong_table_is_kept() {
        let (tables, problems) = tables("[providers.openai]\nurl = 'x'\nheaders = { x-team = 'blue' }");
        assert_eq!(problems.len(), 1, "{problems:?}");
        assert_eq!(tables.named("openai").unwrap().headers.len(), 1);
    }
}
