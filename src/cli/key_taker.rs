//! Providers that take a key, and how a typed key is checked and stored, for `shellmate auth` and `shellmate init`.

use std::path::Path;

use anyhow::{Context, Result};

use crate::config::private_dir;
use crate::provider::{Credential, Keys, ProviderTable, ProviderTables, VENDORS, ValueOrigin};

/// Maximum length of a key, in bytes.
pub(super) const CAP: u64 = 4096;

/// A provider that takes a key.
#[derive(Debug, Clone)]
pub(super) struct KeyTaker {
    pub(super) name: String,
    /// The variables that may hold the key. The first one names the stored key.
    pub(super) variables: Vec<String>,
    /// Where the configuration says that the key comes from, instead.
    pub(super) configured: Option<ValueOrigin>,
}

impl KeyTaker {
    /// The vendors that need a key, and the providers of the configuration that send one.
    pub(super) fn all(tables: &ProviderTables) -> Vec<KeyTaker> {
        let origin = |table: &ProviderTable| match &table.credential {
            Credential::Key(origin) | Credential::Bearer(origin) => Some(origin.clone()),
            Credential::Usual | Credential::Nothing => None,
        };
        let vendors = VENDORS.iter().filter(|vendor| !vendor.key_variables.is_empty()).map(|vendor| KeyTaker {
            name: vendor.name.to_owned(),
            variables: vendor.key_variables.iter().map(|name| (*name).to_owned()).collect(),
            configured: tables.named(vendor.name).and_then(|table| origin(table)),
        });
        let mut takers: Vec<KeyTaker> = vendors.collect();
        let sends_key = |table: &&std::sync::Arc<ProviderTable>| table.credential != Credential::Nothing;
        for table in tables.iter().filter(sends_key) {
            if !takers.iter().any(|taker| taker.name.eq_ignore_ascii_case(&table.name)) {
                takers.push(KeyTaker { configured: origin(table), ..KeyTaker::outside(&table.name) });
            }
        }
        takers
    }

    /// A provider that is not built in.
    fn outside(name: &str) -> KeyTaker {
        KeyTaker { name: name.to_owned(), variables: vec![ProviderTable::key_variable(name)], configured: None }
    }

    /// The provider with this name, built in or not.
    pub(super) fn named(name: &str, tables: &ProviderTables) -> KeyTaker {
        let known = KeyTaker::all(tables).into_iter().find(|taker| taker.name.eq_ignore_ascii_case(name));
        // `OPENAI_BASE_URL` leads to a server without a name, which gets the key of `OPENAI_API_KEY`.
        let unnamed = || KeyTaker { variables: vec!["OPENAI_API_KEY".to_owned()], ..KeyTaker::outside(name) };
        known.unwrap_or_else(|| if name == "custom" { unnamed() } else { KeyTaker::outside(name) })
    }

    /// The variable that names its stored key.
    pub(super) fn variable(&self) -> &str {
        self.variables.first().map(String::as_str).unwrap_or_default()
    }

    /// The variable of the environment that holds its key.
    pub(super) fn set_variable(&self) -> Option<&str> {
        self.variables.iter().map(String::as_str).find(|name| is_set(name))
    }

    /// The end of a message, if the environment has a key too.
    pub(super) fn in_environment(&self) -> String {
        self.set_variable().map(|variable| format!("; {variable} is still set")).unwrap_or_default()
    }

    /// The prompt for its key.
    pub(super) fn prompt(&self) -> String {
        format!("{} key (not shown): ", self.name)
    }

    /// Stores a key in the file, which only its owner can read.
    pub(super) fn store(&self, key: &str, path: &Path) -> Result<()> {
        let mut keys = Keys::load(path)?;
        let directory = path.parent().unwrap_or(Path::new("."));
        private_dir(directory).with_context(|| format!("cannot use {}", directory.display()))?;
        keys.keep(self.variable(), key);
        Ok(keys.save(path)?)
    }
}

pub(super) fn is_set(name: &str) -> bool {
    std::env::var(name).is_ok_and(|value| !value.trim().is_empty())
}

/// The key that was typed, or why it cannot be one. The message does not contain it.
pub(super) fn checked(typed: &str) -> Result<String, &'static str> {
    let key = typed.trim();
    if key.is_empty() {
        return Err("no key was given");
    }
    if key.contains(|c: char| c.is_whitespace() || c.is_control() || !c.is_ascii()) {
        return Err("this is not a key: it contains blanks or characters that keys never have");
    }
    Ok(key.to_owned())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_typed_key_is_trimmed_and_checked() {
        assert_eq!(checked(" sk-1\t").as_deref(), Ok("sk-1"));
        assert!(checked(" ").is_err() && checked("my key").is_err() && checked("sk\u{2013}1").is_err());
    }

    #[test]
    fn every_provider_has_a_variable_for_its_key() {
        let tables = ProviderTables::default();
        assert_eq!(KeyTaker::named("OpenAI", &tables).variable(), "OPENAI_API_KEY");
        assert_eq!(KeyTaker::named("corp", &tables).variable(), "CORP_API_KEY");
        assert_eq!(KeyTaker::named("custom", &tables).variable(), "OPENAI_API_KEY");
        assert!(KeyTaker::all(&tables).iter().all(|taker| !taker.variable().is_empty()));
    }
}
