//! The known vendors.
//!
//! A vendor is a file here and a line in [`VENDORS`]. Most vendors are data: a URL, the variable of their key, a default model and what
//! is public about their models. A vendor that needs code has it in its [`Quirks`], or in the dialect it speaks on a shared wire.

mod anthropic;
mod azure;
mod compatible;
mod deepseek;
pub(super) mod gemini;
mod local;
mod mistral;
mod moonshot;
pub(super) mod openai;
pub(super) mod openrouter;

use std::fmt::Debug;
use std::sync::Arc;

use super::api_key::ApiKey;
use super::catalog::ModelFacts;
use super::choose::{Env, variable};
use super::http;
use super::protocol::Protocol;
use super::sign::Signer;
use super::wire::{self, Wire};

pub(super) use local::{CUSTOM, LLAMA_CPP, LM_STUDIO, OLLAMA, VLLM};

/// Every vendor, in the order in which their keys are looked for.
pub(crate) static VENDORS: &[Vendor] = &[
    openai::VENDOR,
    anthropic::VENDOR,
    openrouter::VENDOR,
    gemini::VENDOR,
    compatible::GROQ,
    deepseek::VENDOR,
    mistral::VENDOR,
    compatible::XAI,
    compatible::TOGETHER,
    compatible::FIREWORKS,
    compatible::CEREBRAS,
    moonshot::VENDOR,
    compatible::ZAI,
    azure::VENDOR,
    local::OLLAMA,
    local::LM_STUDIO,
    local::LLAMA_CPP,
    local::VLLM,
];

/// A vendor, or a kind of local server. Its name identifies it.
#[derive(Debug)]
pub(crate) struct Vendor {
    /// As in `provider/model`.
    pub name: &'static str,
    /// The base URL. Empty if every customer has their own.
    pub base_url: &'static str,
    /// Variables that give another base URL; the first that is set counts.
    pub url_variables: &'static [&'static str],
    /// Variables that hold a key; the first that is set counts. Empty where no key is needed.
    pub key_variables: &'static [&'static str],
    pub default_model: Option<&'static str>,
    /// What is public about its models, as published on 16 November 2026.
    pub(super) models: &'static [ModelFacts],
    pub(super) wire: &'static dyn Wire,
    pub(super) quirks: &'static dyn Quirks,
}

/// Where a vendor differs from the others in more than data. A trait whose every method has a default, so that a vendor states only
/// its differences.
pub(super) trait Quirks: Debug + Send + Sync {
    /// The wire for a model, where it is not the vendor's usual one.
    fn wire_for(&self, _model: &str) -> Option<&'static dyn Wire> {
        None
    }

    /// The wire at a URL, where it is not the vendor's usual one.
    fn wire_at(&self, _url: &str) -> Option<&'static dyn Wire> {
        None
    }

    /// The base URL for a wire, where it is not the one that was given.
    fn base_url_for(&self, _wire: &dyn Wire, _url: &str) -> Option<String> {
        None
    }

    /// Whether a host is the vendor's although its base URL names another one.
    fn owns_host(&self, _host: &str) -> bool {
        false
    }

    /// The base URL that the environment names.
    fn base_url(&self, vendor: &Vendor, env: Env<'_>) -> Option<String> {
        vendor.url_variables.iter().find_map(|name| variable(env, name))
    }

    /// Whether its URL variable is commonly used to point clients to servers of other vendors.
    fn lends_its_variables(&self) -> bool {
        false
    }

    /// The model that the environment names.
    fn model(&self, _env: Env<'_>) -> Option<String> {
        None
    }

    /// Whether a model has to be named: there is no default, and the server is not asked for one.
    fn needs_model(&self) -> bool {
        false
    }

    /// Whether it serves models of other makers under names such as `maker/model`.
    fn is_gateway(&self) -> bool {
        false
    }

    /// What belongs to each URL besides the base URL and the wire's path.
    fn route(&self, _base_url: &str, _model: Option<&str>, _env: Env<'_>) -> Route {
        Route::default()
    }

    /// Signs requests with this key.
    fn signer(&self, key: &ApiKey, wire: &dyn Wire) -> Arc<dyn Signer> {
        wire.key_header().signer(key)
    }
}

/// A vendor without differences.
#[derive(Debug)]
pub(super) struct Usual;

impl Quirks for Usual {}

/// What belongs to each URL besides the base URL and the wire's path.
#[derive(Debug, Clone, PartialEq)]
pub(super) struct Route {
    /// Between the base URL and the path.
    pub(super) prefix: String,
    pub(super) query: Option<(&'static str, String)>,
    /// Whether models can be listed.
    pub(super) lists_models: bool,
}

impl Default for Route {
    fn default() -> Route {
        Route { prefix: String::new(), query: None, lists_models: true }
    }
}

impl PartialEq for Vendor {
    fn eq(&self, other: &Vendor) -> bool {
        self.name == other.name
    }
}

impl Vendor {
    pub(crate) fn named(name: &str) -> Option<&'static Vendor> {
        VENDORS.iter().find(|vendor| vendor.name.eq_ignore_ascii_case(name))
    }

    /// The vendor whose host a URL leads to.
    pub(super) fn at(url: &str) -> Option<&'static Vendor> {
        let host = http::host(url).replace("localhost", "127.0.0.1");
        let is_same = |vendor: &&Vendor| !vendor.base_url.is_empty() && http::host(vendor.base_url) == host;
        VENDORS.iter().find(is_same).or_else(|| VENDORS.iter().find(|vendor| vendor.quirks.owns_host(&host)))
    }

    /// The names of its models that are public; it may have others.
    pub(crate) fn known_models(&self) -> impl Iterator<Item = &'static str> {
        self.models.iter().map(|model| model.prefix)
    }

    /// Whether it runs on the user's machine.
    pub(crate) fn is_local(&self) -> bool {
        http::is_loopback(self.base_url)
    }

    /// The wire on which this vendor is asked for this model.
    pub(super) fn wire_for(&self, model: Option<&str>, url: &str, wished: Protocol) -> &'static dyn Wire {
        match wished {
            Protocol::Auto => {
                let by_model = || model.and_then(|model| self.quirks.wire_for(model));
                self.quirks.wire_at(url).or_else(by_model).unwrap_or(self.wire)
            }
            same if same == self.wire.protocol() => self.wire,
            Protocol::Chat | Protocol::Responses | Protocol::Messages | Protocol::Ollama => wire::of(wished),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_are_unique_and_urls_have_no_slash_at_their_end() {
        for (place, vendor) in VENDORS.iter().enumerate() {
            assert!(VENDORS[..place].iter().all(|other| other.name != vendor.name), "{} twice", vendor.name);
            assert!(!vendor.base_url.ends_with('/'), "{}", vendor.name);
            assert!(vendor.is_local() == vendor.key_variables.is_empty(), "{}", vendor.name);
            for (place, row) in vendor.models.iter().enumerate() {
                let is_same = |other: &ModelFacts| other.prefix == row.prefix;
                assert!(!vendor.models[..place].iter().any(is_same), "{} twice", row.prefix);
            }
        }
    }

    #[test]
    fn every_vendor_is_in_the_documentation() {
        let document = include_str!("../../../docs/PROVIDERS.md");
        for vendor in VENDORS {
            let model = vendor.default_model.map(|model| format!("\"{}/{model}\"", vendor.name));
            let name = model.unwrap_or_else(|| format!("\"{}/", vendor.name));
            let row = document.lines().find(|line| line.starts_with('|') && line.contains(&name));
            let row = row.unwrap_or_else(|| panic!("docs/PROVIDERS.md has no row with {name}"));
            assert!(vendor.key_variables.iter().all(|variable| row.contains(variable)), "{row}");
        }
    }

    #[test]
    fn a_url_is_known_by_its_host() {
        let name = |url| Vendor::at(url).map(|vendor| vendor.name);
        assert_eq!(name("https://api.groq.com/openai/v1"), Some("groq"));
        assert_eq!(name("https://mine.openai.azure.com"), Some("azure"));
        assert_eq!(name("https://eu.api.openai.com/v1"), Some("openai"));
        assert_eq!(name("http://localhost:1234/v1"), Some("lmstudio"));
        assert_eq!(name("https://llm.example.com/v1"), None);
    }
}
