//! Finds the model to ask, anew for every query.

use std::path::PathBuf;

use super::catalog::ModelFacts;
use super::choose::{self, Env, Everyone, ModelChoice, ModelName, ModelPreference, ResolveError, choose};
use super::facts::{FactFinders, WindowSource};
use super::http::Http;
use super::list::{self, ModelList};
use super::overview::{self, ModelEntry, ModelOverview};
use super::resolve::{self, LocalServer, Resolved};
use super::server::{Socket, Sockets};
use super::table::ProviderTables;
use super::value_origin::{CommandOutputs, WithOutputs};

/// Finds models. The last one is kept until something changes on which the search depends.
#[derive(Default)]
pub(crate) struct Finder {
    http: Http,
    last: Option<(Basis, Resolved)>,
    /// The last model for requests beside the conversation.
    last_beside: Option<(Basis, Resolved)>,
    /// What servers have said about their models.
    finders: FactFinders,
    /// What commands of the configuration have printed.
    outputs: CommandOutputs,
}

/// Everything on which the search depends.
#[derive(Debug, Clone, PartialEq)]
enum Basis {
    /// A choice, and the socket at its address if it is a model server on this machine.
    Chosen(ModelChoice, Option<Socket>),
    /// The servers that may run on this machine, and the sockets they listen on.
    Local(ModelName, Vec<(Option<Socket>, ModelChoice)>),
}

impl Finder {
    pub(crate) fn new(http: Http) -> Finder {
        Finder { http, ..Finder::default() }
    }

    /// Finds a model: by preference, by environment, then among the servers of this machine. `None` if there is no model at all.
    pub(crate) async fn find(
        &mut self,
        preference: &ModelPreference,
        env: Env<'_>,
    ) -> Result<Option<Resolved>, ResolveError> {
        let found = self.search(preference, env).await?;
        let found = found.map(|found| Resolved { cache: preference.cache, ..found });
        Ok(found.map(|found| match preference.window {
            Some(window) => Resolved { context_window: Some(window), window_source: WindowSource::Configured, ..found },
            None => found,
        }))
    }

    /// Finds the model for requests beside the conversation. It is kept apart from the conversation's own.
    pub(crate) async fn find_beside(
        &mut self,
        preference: &ModelPreference,
        env: Env<'_>,
    ) -> Result<Option<Resolved>, ResolveError> {
        std::mem::swap(&mut self.last, &mut self.last_beside);
        let found = self.find(preference, env).await;
        std::mem::swap(&mut self.last, &mut self.last_beside);
        found
    }

    async fn search(&mut self, preference: &ModelPreference, env: Env<'_>) -> Result<Option<Resolved>, ResolveError> {
        self.outputs.refresh();
        let basis = loop {
            let env = WithOutputs { env, outputs: &self.outputs };
            match choose(preference, &env) {
                Ok(Some(choice)) => break Basis::chosen(choice),
                Ok(None) => break Basis::local(ModelName::of(preference, &env), preference, &env),
                // Each command is run once, because its output or its failure is kept.
                Err(ResolveError::NotRun { command }) => self.outputs.run(&command).await,
                Err(error) => return Err(error),
            }
        };
        match &self.last {
            Some((same, resolved)) if *same == basis => return Ok(Some(resolved.clone())),
            _ => self.last = None,
        }
        let found = match &basis {
            Basis::Chosen(choice, socket) => Some(resolve::choice(choice, *socket, &self.http, &self.finders).await?),
            Basis::Local(name, servers) => {
                let found = resolve::look_around(name, servers, &self.http, &self.finders).await?;
                if found.is_some() { found } else { nobody(name, &preference.providers)? }
            }
        };
        if let Some(found) = &found {
            // The server may have named the model.
            preference.allows(&found.vendor, Some(&found.model))?;
        }
        self.last = found.clone().map(|resolved| (basis, resolved));
        Ok(found)
    }

    /// Drops the last model, so that the next query searches again. Its server may be gone, or serve it differently.
    pub(crate) fn forget(&mut self) {
        (self.last, self.last_beside) = (None, None);
        self.finders = FactFinders::default();
        self.outputs.clear();
    }

    /// The servers of this machine that answer, with their models.
    pub(crate) async fn servers_here(&self, settings: &ModelPreference, env: Env<'_>) -> Vec<LocalServer> {
        match Basis::local(ModelName::default(), settings, env) {
            Basis::Local(_, servers) => resolve::servers_here(&servers, &self.http).await,
            Basis::Chosen(..) => Vec::new(),
        }
    }

    /// The models to pick from, at once as far as they are known. Lists are kept in the file.
    pub(crate) async fn overview(
        &mut self,
        settings: &ModelPreference,
        env: Env<'_>,
        file: Option<PathBuf>,
    ) -> ModelOverview {
        self.outputs.refresh();
        while let Err(ResolveError::NotRun { command }) =
            choose::everyone(settings, &WithOutputs { env, outputs: &self.outputs })
        {
            self.outputs.run(&command).await;
        }
        overview::overview(settings, &WithOutputs { env, outputs: &self.outputs }, &self.http, file).await
    }

    /// The models of one provider that can hold a conversation: its default model first, then those that it lists.
    pub(crate) async fn models_of(
        &mut self,
        provider: &str,
        settings: &ModelPreference,
        env: Env<'_>,
    ) -> Result<Vec<ModelEntry>, ResolveError> {
        self.outputs.refresh();
        let wish = ModelPreference { model: Some(format!("{provider}/")), ..ModelPreference::default() };
        let wish = wish.or(settings, env);
        let choice = loop {
            match choose(&wish, &WithOutputs { env, outputs: &self.outputs }) {
                Err(ResolveError::NotRun { command }) => self.outputs.run(&command).await,
                choice => break choice?,
            }
        };
        let Some(choice) = choice else { return Ok(Vec::new()) };
        Ok(overview::listed_now(&choice, settings, &self.http).await?)
    }

    /// The secrets of the configuration that are in use: what commands have printed, and the key and headers of the last model.
    pub(crate) fn secrets(&self) -> Vec<String> {
        let chosen = match &self.last {
            Some((Basis::Chosen(choice, _), _)) => choice.configured_secrets(),
            Some((Basis::Local(..), _)) | None => Vec::new(),
        };
        self.outputs.secrets().map(str::to_owned).chain(chosen).collect()
    }

    /// The models of every vendor and server that can be asked.
    pub(crate) async fn list(&mut self, settings: &ModelPreference, env: Env<'_>) -> Vec<ModelList> {
        self.outputs.refresh();
        let Everyone { choices, unusable } = loop {
            match choose::everyone(settings, &WithOutputs { env, outputs: &self.outputs }) {
                Err(ResolveError::NotRun { command }) => self.outputs.run(&command).await,
                found => break found.unwrap_or_default(),
            }
        };
        let mut lists = list::list_models(choices, &self.http).await;
        for ModelList { vendor, models } in &mut lists {
            if let Ok(models) = models {
                models.retain(|model| settings.allows(vendor, Some(&model.model)).is_ok());
            }
        }
        lists.extend(unusable.into_iter().map(|(vendor, why)| ModelList { vendor, models: Err(why.to_string()) }));
        lists
    }
}

impl Basis {
    fn chosen(choice: ModelChoice) -> Basis {
        let socket = choice.is_local_server().then(|| Sockets::now().listener(&choice.base_url)).flatten();
        Basis::Chosen(choice, socket)
    }

    fn local(name: ModelName, settings: &ModelPreference, env: Env<'_>) -> Basis {
        let sockets = Sockets::now();
        let with_socket = |choice: ModelChoice| (sockets.listener(&choice.base_url), choice);
        Basis::Local(name, choose::local(settings, env).into_iter().map(with_socket).collect())
    }
}

/// The result where no server of this machine has the model.
fn nobody(name: &ModelName, tables: &ProviderTables) -> Result<Option<Resolved>, ResolveError> {
    let Some(model) = name.model.clone() else { return Ok(None) };
    Err(match ModelFacts::vendor_of(&model, |_| true) {
        Some(vendor) => ResolveError::NoKey { vendor: vendor.name, variables: vendor.key_variables },
        None => ResolveError::Nobody { near: choose::similar_name(&model, tables), model },
    })
}
