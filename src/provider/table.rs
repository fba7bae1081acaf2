//! Providers that the configuration describes. They stand on top of the built-in vendors: a vendor's name changes what the table
//! names, and another name is another provider.

use std::path::PathBuf;
use std::sync::Arc;

use serde_json::{Map, Value};

use super::catalog::Price;
use super::model_traits::ModelTraits;
use super::protocol::Protocol;
use super::value_origin::ValueOrigin;

/// One provider of the configuration.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct ProviderTable {
    /// As in `provider/model`.
    pub name: String,
    /// Always there, unless the name is that of a vendor.
    pub base_url: Option<String>,
    pub protocol: Protocol,
    pub credential: Credential,
    /// Headers of every request. No redirect is followed, so they reach only the configured host.
    pub headers: Vec<(String, ValueOrigin)>,
    /// Fields that are added to every request for an answer.
    pub body: Map<String, Value>,
    pub identity: Option<ClientIdentity>,
    pub models: Vec<ModelTable>,
}

/// What proves to a provider who asks.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum Credential {
    /// The key in the variable of the vendor, or in `NAME_API_KEY`. It may be missing where nothing requires one.
    Usual,
    /// No key.
    Nothing,
    /// A key, in the header that the protocol has for it.
    Key(ValueOrigin),
    /// A token, in `Authorization: Bearer`.
    Bearer(ValueOrigin),
}

/// The files of a client certificate.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub(crate) struct ClientIdentity {
    pub certificate: PathBuf,
    pub key: PathBuf,
}

/// What the configuration says about one model.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct ModelTable {
    /// As the provider spells it.
    pub id: String,
    pub window: Option<u32>,
    pub price: Option<Price>,
    /// The protocol for this model, where it is not that of the provider.
    pub protocol: Protocol,
    pub traits: ModelTraits,
}

impl ProviderTable {
    /// A provider of which only the address is known.
    pub(crate) fn at(name: &str, base_url: &str) -> ProviderTable {
        ProviderTable {
            name: name.to_owned(),
            base_url: Some(base_url.to_owned()),
            protocol: Protocol::Auto,
            credential: Credential::Usual,
            headers: Vec::new(),
            body: Map::new(),
            identity: None,
            models: Vec::new(),
        }
    }

    /// What the table says about this model.
    pub(super) fn model(&self, id: &str) -> Option<&ModelTable> {
        self.models.iter().find(|model| model.id == id)
    }

    /// The variable that holds the key of a provider that is not a vendor, such as `MY_PROXY_API_KEY`.
    pub(crate) fn key_variable(name: &str) -> String {
        let letter = |c: char| if c.is_ascii_alphanumeric() { c.to_ascii_uppercase() } else { '_' };
        let digit = if name.starts_with(|c: char| c.is_ascii_digit()) { "_" } else { "" };
        format!("{digit}{}_API_KEY", name.chars().map(letter).collect::<String>())
    }
}

#[cfg(test)]
impl ModelTable {
    /// A model of which only the name is known.
    pub(super) fn named(id: impl Into<String>) -> ModelTable {
        ModelTable {
            id: id.into(),
            window: None,
            price: None,
            protocol: Protocol::Auto,
            traits: ModelTraits::default(),
        }
    }
}

/// All providers of the configuration. Cheap to clone.
#[derive(Debug, Clone, Default, PartialEq)]
pub(crate) struct ProviderTables(Arc<[Arc<ProviderTable>]>);

impl ProviderTables {
    pub(crate) fn new(tables: Vec<ProviderTable>) -> ProviderTables {
        ProviderTables(tables.into_iter().map(Arc::new).collect())
    }

    /// The table with this name.
    pub(crate) fn named(&self, name: &str) -> Option<&Arc<ProviderTable>> {
        self.0.iter().find(|table| table.name.eq_ignore_ascii_case(name))
    }

    /// These tables and another one, in place of the one with its name.
    pub(crate) fn with(&self, table: ProviderTable) -> ProviderTables {
        let others = self.0.iter().filter(|other| !other.name.eq_ignore_ascii_case(&table.name)).cloned();
        ProviderTables(others.chain([Arc::new(table.clone())]).collect())
    }

    pub(crate) fn iter(&self) -> impl Iterator<Item = &Arc<ProviderTable>> {
        self.0.iter()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_provider_has_a_variable_for_its_key() {
        assert_eq!(ProviderTable::key_variable("my-proxy"), "MY_PROXY_API_KEY");
        assert_eq!(ProviderTable::key_variable("4all"), "_4ALL_API_KEY");
    }
}
