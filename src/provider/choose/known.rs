//! The providers that a name can begin with.

use std::sync::Arc;

use super::super::api_key::ApiKey;
use super::super::http::{host, is_loopback};
use super::super::protocol::Protocol;
use super::super::table::{Credential, ProviderTable, ProviderTables};
use super::super::value_origin::{Unread, ValueOrigin};
use super::super::vendors::{CUSTOM, VENDORS, Vendor};
use super::{Env, ModelPreference, ResolveError, variable};

/// A provider: a vendor with what the configuration changes about it, or one that only the configuration has.
#[derive(Debug, Clone, PartialEq)]
pub(in super::super) struct KnownProvider {
    /// How it is asked. For a provider of the configuration, the vendor of its host.
    pub(in super::super) vendor: &'static Vendor,
    pub(in super::super) table: Option<Arc<ProviderTable>>,
}

impl KnownProvider {
    /// A vendor, with the table of its name.
    pub(super) fn of(vendor: &'static Vendor, tables: &ProviderTables) -> KnownProvider {
        KnownProvider { vendor, table: tables.named(vendor.name).cloned() }
    }

    /// The provider with this name.
    pub(super) fn named(name: &str, tables: &ProviderTables) -> Option<KnownProvider> {
        let custom = || CUSTOM.name.eq_ignore_ascii_case(name).then_some(&CUSTOM);
        if let Some(vendor) = Vendor::named(name).or_else(custom) {
            return Some(KnownProvider::of(vendor, tables));
        }
        tables.named(name).map(KnownProvider::of_table)
    }

    fn of_table(table: &Arc<ProviderTable>) -> KnownProvider {
        let by_name = Vendor::named(&table.name);
        let by_host = || table.base_url.as_deref().and_then(Vendor::at);
        let vendor = by_name.or_else(by_host).unwrap_or(&CUSTOM);
        KnownProvider { vendor, table: Some(Arc::clone(table)) }
    }

    /// Every provider: the vendors in their order, then those of the configuration.
    pub(super) fn all(tables: &ProviderTables) -> impl Iterator<Item = KnownProvider> {
        let others = tables.iter().filter(|table| !is_vendor(&table.name)).map(KnownProvider::of_table);
        VENDORS.iter().map(|vendor| KnownProvider::of(vendor, tables)).chain(others)
    }

    /// Those whose URL is in the configuration.
    pub(super) fn configured(tables: &ProviderTables) -> impl Iterator<Item = KnownProvider> {
        tables.iter().filter(|table| table.base_url.is_some()).map(KnownProvider::of_table)
    }

    /// As in `provider/model`.
    pub(in super::super) fn name(&self) -> &str {
        self.table.as_ref().map_or(self.vendor.name, |table| &table.name)
    }

    /// Whether only the configuration has it.
    pub(super) fn is_new(&self) -> bool {
        !is_vendor(self.name())
    }

    fn credential(&self) -> &Credential {
        self.table.as_ref().map_or(&Credential::Usual, |table| &table.credential)
    }

    /// Whether it sends no key because the configuration says so.
    pub(super) fn needs_no_key(&self) -> bool {
        self.is_new() || *self.credential() == Credential::Nothing
    }

    /// The base URL of the configuration, or else the one that the environment names.
    pub(super) fn url(&self, env: Env<'_>) -> Option<String> {
        let configured = self.table.as_ref().and_then(|table| table.base_url.clone());
        configured.or_else(|| self.vendor.quirks.base_url(self.vendor, env).filter(|_| !self.is_new()))
    }

    /// The key, if there is one.
    pub(super) fn key(&self, env: Env<'_>) -> Result<Option<ApiKey>, ResolveError> {
        let label = |what: &str| format!("{what} of [providers.{}]", self.name());
        match self.credential() {
            Credential::Nothing => Ok(None),
            Credential::Key(origin) => read(origin, &label("api_key"), env).map(Some),
            Credential::Bearer(origin) => read(origin, &label("bearer"), env).map(Some),
            Credential::Usual if self.is_new() => {
                let name = ProviderTable::key_variable(self.name());
                Ok(variable(env, &name).map(|secret| ApiKey::new(name, secret)))
            }
            Credential::Usual => Ok(usual_key(self.vendor, env)),
        }
    }

    pub(super) fn has_key(&self, env: Env<'_>) -> bool {
        match self.credential() {
            Credential::Nothing => true,
            Credential::Key(origin) | Credential::Bearer(origin) => origin.is_there(env),
            Credential::Usual => self.key(env).is_ok_and(|key| key.is_some()),
        }
    }

    /// Whether the secrets of its table may be sent to this URL: the host is that of the table, or else that of the vendor. A table
    /// without secrets goes with every URL.
    pub(super) fn is_at_home(&self, url: &str) -> bool {
        let Some(table) = &self.table else { return true };
        if !self.has_own_key() && table.headers.is_empty() && table.identity.is_none() {
            return true;
        }
        match &table.base_url {
            Some(configured) => host(configured).eq_ignore_ascii_case(host(url)),
            None => Vendor::at(url) == Some(self.vendor) || self.vendor.is_local() && is_loopback(url),
        }
    }

    /// Whether it can be asked with what is set now.
    pub(super) fn is_ready(&self, preference: &ModelPreference, env: Env<'_>) -> bool {
        let vendor = self.vendor;
        if let Some(url) = self.table.as_ref().and_then(|table| table.base_url.as_deref()) {
            return match self.credential() {
                Credential::Usual => {
                    let needs_key = !self.is_new() && !vendor.key_variables.is_empty() && !is_loopback(url);
                    !needs_key || self.has_key(env) || preference.api_key_env.is_some()
                }
                Credential::Nothing | Credential::Key(_) | Credential::Bearer(_) => self.has_key(env),
            };
        }
        let has_url = self.url(env).is_some();
        let needs_model = vendor.quirks.needs_model();
        let has_model = !needs_model || vendor.quirks.model(env).is_some() || preference.model.is_some();
        match vendor.base_url {
            "" if vendor == &CUSTOM => has_url,
            "" => has_url && has_model && self.has_key(env),
            _ => vendor.key_variables.is_empty() || has_url || self.has_key(env) || preference.api_key_env.is_some(),
        }
    }

    /// The model to ask if none is named.
    pub(super) fn default_model(&self, env: Env<'_>) -> Option<String> {
        let listed = self.table.as_ref().and_then(|table| table.models.first()).map(|model| model.id.clone());
        let usual = self.vendor.default_model.filter(|_| !self.is_new()).map(str::to_owned);
        self.vendor.quirks.model(env).filter(|_| !self.is_new()).or(listed).or(usual)
    }

    /// The protocol that the configuration names for a model.
    pub(super) fn protocol(&self, model: Option<&str>) -> Protocol {
        let Some(table) = &self.table else { return Protocol::Auto };
        let of_model = model.and_then(|model| table.model(model)).map(|model| model.protocol);
        of_model.filter(|protocol| *protocol != Protocol::Auto).unwrap_or(table.protocol)
    }

    /// The headers of the configuration with their values.
    pub(super) fn headers(&self, env: Env<'_>) -> Result<Vec<(String, String)>, ResolveError> {
        let headers = self.table.iter().flat_map(|table| &table.headers);
        headers.map(|(name, origin)| Ok((name.clone(), value(origin, name, env)?))).collect()
    }

    /// Whether the configuration says where the key is.
    pub(super) fn has_own_key(&self) -> bool {
        matches!(self.credential(), Credential::Key(_) | Credential::Bearer(_))
    }

    /// Whether this header carries something that is not written in the configuration.
    pub(super) fn has_secret_header(&self, name: &str) -> bool {
        let is_it = |(known, origin): &(String, ValueOrigin)| known == name && origin.is_secret();
        self.table.as_ref().is_some_and(|table| table.headers.iter().any(is_it))
    }

    /// Whether a header carries something that is not written in the configuration.
    pub(super) fn has_secret_headers(&self) -> bool {
        self.table.as_ref().is_some_and(|table| table.headers.iter().any(|(_, origin)| origin.is_secret()))
    }
}

fn is_vendor(name: &str) -> bool {
    Vendor::named(name).is_some() || CUSTOM.name.eq_ignore_ascii_case(name)
}

fn usual_key(vendor: &Vendor, env: Env<'_>) -> Option<ApiKey> {
    vendor.key_variables.iter().find_map(|name| Some(ApiKey::new(*name, variable(env, name)?)))
}

/// A key. Errors name the variable that holds it, or else where the configuration has it.
fn read(origin: &ValueOrigin, label: &str, env: Env<'_>) -> Result<ApiKey, ResolveError> {
    let named = match origin {
        ValueOrigin::Variable(name) => name,
        ValueOrigin::Text(_) | ValueOrigin::Command(_) => label,
    };
    Ok(ApiKey::new(named, value(origin, label, env)?))
}

fn value(origin: &ValueOrigin, label: &str, env: Env<'_>) -> Result<String, ResolveError> {
    origin.read(env).map_err(|unread| match unread {
        Unread::Unset { variable } => ResolveError::Unset { variable },
        Unread::NotRun { command } => ResolveError::NotRun { command },
        Unread::Failed { command, why } => ResolveError::CommandFailed { what: label.to_owned(), command, why },
    })
}
