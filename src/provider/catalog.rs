//! The vendors we know by name, and what is public about their models.
//!
//! A vendor that speaks chat completions is one row in `catalog/vendors.rs`; a price or a window one row in `catalog/models.rs`.

mod models;
mod vendors;

pub(super) use vendors::CUSTOM;
pub use vendors::VENDORS;

use super::anthropic;
use super::effort::Effort;
use super::http::{self, Auth};
use super::openai;
use super::openai_chat::Dialect;
use crate::chat::Usage;

/// A vendor, or a kind of local server.
#[derive(Debug, PartialEq)]
pub struct Vendor {
    /// As in `provider/model`.
    pub name: &'static str,
    pub(super) wire: Wire,
    /// Empty where it is different for everyone.
    pub base_url: &'static str,
    /// Variables that give another base URL, the first that is set.
    pub url_variables: &'static [&'static str],
    /// Variables that hold a key, the first that is set. None means that no key is needed.
    pub key_variables: &'static [&'static str],
    pub default_model: Option<&'static str>,
    pub(super) auth: Auth,
}

/// The protocol of a vendor.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(super) enum Wire {
    OpenAiChat(Dialect),
    OpenAiResponses,
    Anthropic,
}

/// US dollars for a million tokens.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Price {
    pub input: f64,
    pub output: f64,
    pub cached: f64,
    pub cache_written: f64,
}

/// What is public about models whose names begin alike.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Model {
    pub vendor: &'static str,
    pub prefix: &'static str,
    pub context_window: u32,
    pub price: Option<Price>,
}

impl Vendor {
    pub fn named(name: &str) -> Option<&'static Vendor> {
        VENDORS.iter().find(|vendor| vendor.name.eq_ignore_ascii_case(name))
    }

    /// Whose host a URL leads to.
    pub(super) fn at(url: &str) -> Option<&'static Vendor> {
        let host = http::host(url).replace("localhost", "127.0.0.1");
        let same = |vendor: &&Vendor| !vendor.base_url.is_empty() && http::host(vendor.base_url) == host;
        // Both have a host for each region or account.
        let regional = || match () {
            () if host.ends_with(".azure.com") => Vendor::named("azure"),
            () if host.ends_with(".api.openai.com") => Vendor::named("openai"),
            () => None,
        };
        VENDORS.iter().find(same).or_else(regional)
    }

    /// Whether it runs on the user's machine.
    /// The names of its models that are public; it may have others.
    pub fn known_models(&self) -> impl Iterator<Item = &'static str> {
        models::MODELS.iter().filter(|model| model.vendor == self.name).map(|model| model.prefix)
    }

    pub fn is_local(&self) -> bool {
        http::is_loopback(self.base_url)
    }
}

impl Wire {
    /// The levels of thinking this model knows here. None are known of a model that cannot be told how hard to think.
    pub(super) fn efforts(self, model: &str) -> Vec<Effort> {
        match self {
            Wire::OpenAiChat(dialect) => dialect.efforts(model),
            Wire::OpenAiResponses => openai::efforts(model),
            Wire::Anthropic => anthropic::efforts(model),
        }
    }
}

impl Model {
    /// What is known of a model: the row with the longest prefix.
    pub fn find(vendor: &str, name: &str) -> Option<&'static Model> {
        let rows = models::MODELS.iter().filter(|row| row.vendor == vendor && name.starts_with(row.prefix));
        rows.max_by_key(|row| row.prefix.len())
    }

    /// The vendor a name belongs to, among those that will do.
    pub(super) fn vendor_of(name: &str, will_do: impl Fn(&Vendor) -> bool) -> Option<&'static Vendor> {
        let rows = models::MODELS.iter().rev().filter(|row| name.starts_with(row.prefix));
        let vendors = rows.filter_map(|row| Some((row.prefix.len(), Vendor::named(row.vendor)?)));
        let best = vendors.filter(|(_, vendor)| will_do(vendor)).max_by_key(|(length, _)| *length);
        best.map(|(_, vendor)| vendor)
    }
}

impl Price {
    /// What an answer cost.
    pub fn of(&self, usage: &Usage) -> f64 {
        let fresh = usage.input.saturating_sub(usage.cached + usage.cache_written);
        let parts = [
            (fresh, self.input),
            (usage.cached, self.cached),
            (usage.cache_written, self.cache_written),
            (usage.output, self.output),
        ];
        parts.iter().map(|(tokens, price)| *tokens as f64 * price).sum::<f64>() / 1e6
    }
}

/// Fills in what an answer cost, where the vendor has not said it and the price is public.
pub(super) fn with_cost(vendor: &str, model: &str, mut usage: Usage) -> Usage {
    let price = Model::find(vendor, model).and_then(|model| model.price);
    usage.cost = usage.cost.or_else(|| price.map(|price| price.of(&usage)));
    usage
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_are_unique_and_every_row_has_its_vendor() {
        for (place, vendor) in VENDORS.iter().enumerate() {
            assert!(VENDORS[..place].iter().all(|other| other.name != vendor.name), "{} twice", vendor.name);
            assert!(!vendor.base_url.ends_with('/'), "{}", vendor.name);
            assert!(vendor.is_local() == vendor.key_variables.is_empty(), "{}", vendor.name);
        }
        for (place, row) in models::MODELS.iter().enumerate() {
            assert!(Vendor::named(row.vendor).is_some(), "{}", row.prefix);
            let same = |other: &Model| (other.vendor, other.prefix) == (row.vendor, row.prefix);
            assert!(!models::MODELS[..place].iter().any(same), "{} twice", row.prefix);
        }
    }

    #[test]
    fn the_longest_prefix_knows_best() {
        let window = |vendor, name| Model::find(vendor, name).map(|model| model.context_window);
        assert_eq!(window("openai", "gpt-5-mini-2025-08-07"), Some(400_000));
        assert_eq!(window("openai", "gpt-4.1-mini"), Some(1_047_576));
        assert_eq!(window("openai", "gpt-4-turbo"), Some(128_000));
        assert_eq!(window("ollama", "gpt-5"), None);
    }

    #[test]
    fn a_cost_counts_cached_tokens_once() {
        let price = Price { input: 3.0, output: 15.0, cached: 0.3, cache_written: 3.75 };
        let usage = Usage { input: 1_000_000, output: 100_000, cached: 500_000, cache_written: 100_000, cost: None };
        assert!((price.of(&usage) - (1.2 + 0.15 + 0.375 + 1.5)).abs() < 1e-9);
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
