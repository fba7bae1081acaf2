//! What is there: the shell, the terminal, keys, and model servers on this machine.

use std::io::Write;
use std::path::PathBuf;

use anyhow::{Context, Result};

use crate::cli::doctor::{ChosenShell, TerminalFacts};
use crate::cli::{environment, kept_keys};
use crate::config::{Config, Paths};
use crate::host::HostError;
use crate::provider::{
    Finder, Keys, LocalServer, ModelOutline, ModelPreference, ResolveError, Server, VENDORS, WithKeys, full_name,
};
use crate::text::sanitize;

/// At most this many models are offered. A question fits on one screen.
const MOST: usize = 12;

pub(super) struct Inventory {
    pub(super) chosen: Result<ChosenShell, HostError>,
    pub(super) terminal: TerminalFacts,
    pub(super) preference: ModelPreference,
    pub(super) keys: Keys,
    /// The variables that hold keys, with the provider and where each comes from.
    pub(super) set_keys: Vec<(&'static str, &'static str, &'static str)>,
    pub(super) servers: Vec<LocalServer>,
    pub(super) binary: PathBuf,
    /// The model of the settings and variables as they are now.
    pub(super) current: Result<Option<ModelOutline>, ResolveError>,
}

/// A model that can be chosen.
#[derive(Debug, Clone)]
pub(super) struct OfferedModel {
    pub(super) name: String,
    /// Where it would come from.
    pub(super) source: String,
    /// The place of its server among those that were found on this machine.
    pub(super) server: Option<usize>,
}

impl Inventory {
    /// Looks around. Servers of this machine are asked for their list and get nothing else.
    pub(super) fn look(paths: &Paths, chosen: Result<ChosenShell, HostError>) -> Result<Inventory> {
        let (config, keys) = (Config::load(paths).config, kept_keys(paths));
        let preference = config.preference();
        let runtime =
            tokio::runtime::Builder::new_current_thread().enable_all().build().context("cannot start the runtime")?;
        let env = WithKeys { exported: environment, keys: &keys };
        let servers = runtime.block_on(Finder::default().servers_here(&preference, &env));
        let current = ModelOutline::of(&preference, &env);
        let is_exported = |name: &str| environment(name).is_some_and(|value| !value.trim().is_empty());
        let set_keys = VENDORS.iter().flat_map(|vendor| vendor.key_variables.iter().map(|name| (vendor.name, *name)));
        let set_keys = set_keys.filter_map(|(vendor, name)| match (is_exported(name), keys.has(name)) {
            (true, _) => Some((vendor, name, "set")),
            (false, true) => Some((vendor, name, "stored")),
            (false, false) => None,
        });
        let set_keys = set_keys.collect();
        let binary = std::env::current_exe().unwrap_or_else(|_| "shellmate".into());
        let terminal = TerminalFacts::of(environment);
        Ok(Inventory { chosen, terminal, preference, set_keys, servers, binary, current, keys })
    }

    pub(super) fn print(&self, out: &mut impl Write) -> Result<()> {
        match &self.chosen {
            Ok(chosen) => writeln!(out, "shell     {} ({})", chosen.path.display(), chosen.why)?,
            Err(error) => writeln!(out, "shell     none: {error}; `shellmate config set shell /bin/bash` names one")?,
        }
        writeln!(out, "terminal  {}", self.terminal.words())?;
        if self.set_keys.is_empty() {
            writeln!(out, "keys      none")?;
        }
        for (vendor, variable, source) in &self.set_keys {
            writeln!(out, "keys      {variable} is {source} ({vendor})")?;
        }
        if self.servers.is_empty() {
            writeln!(out, "servers   no model server on this machine answers")?;
        }
        for server in &self.servers {
            let count = server.models.len();
            let models = if count == 1 { "model" } else { "models" };
            writeln!(out, "servers   {} at {}: {count} {models}", server.vendor, sanitize(&server.server.address))?;
        }
        match &self.current {
            Ok(Some(model)) => writeln!(out, "model     {} (in use now)", sanitize(&model.name()))?,
            Ok(None) => writeln!(out, "model     none; the built-in rules answer")?,
            Err(error) => writeln!(out, "model     none: {}", sanitize(&error.to_string()))?,
        }
        Ok(())
    }

    /// The server on this machine that has a model, if it was found there.
    pub(super) fn server_of(&self, offer: &OfferedModel) -> Option<&Server> {
        offer.server.and_then(|at| self.servers.get(at)).map(|found| &found.server)
    }

    /// The models that can be chosen: those of keys first, then those of servers on this machine.
    pub(super) fn offers(&self) -> Vec<OfferedModel> {
        let env = WithKeys { exported: environment, keys: &self.keys };
        let mut offers: Vec<OfferedModel> = Vec::new();
        let current = self.current.iter().flatten().filter(|current| current.model.is_some());
        offers.extend(current.map(|current| OfferedModel {
            name: current.name(),
            source: "in use now".to_owned(),
            server: None,
        }));
        for (vendor, variable, _) in &self.set_keys {
            let wish = ModelPreference { model: Some(format!("{vendor}/")), ..ModelPreference::default() };
            let outline = ModelOutline::of(&wish, &env).ok().flatten().filter(|outline| outline.model.is_some());
            offers.extend(outline.map(|outline| OfferedModel {
                name: outline.name(),
                source: format!("the key in {variable}"),
                server: None,
            }));
        }
        for (at, server) in self.servers.iter().enumerate() {
            let offer = |model: &String| OfferedModel {
                name: full_name(&server.vendor, model),
                source: format!("a server at {}", server.server.address),
                server: Some(at),
            };
            offers.extend(server.models.iter().map(offer));
        }
        let mut seen: Vec<String> = Vec::new();
        offers.retain(|offer| {
            let is_new = !seen.contains(&offer.name);
            seen.push(offer.name.clone());
            is_new
        });
        offers.truncate(MOST);
        offers
    }
}
