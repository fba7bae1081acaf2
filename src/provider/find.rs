//! Finds the model to ask, anew for every query.

use super::catalog::ModelFacts;
use super::choose::{self, Env, ModelChoice, ModelName, ModelPreference, ResolveError, choose};
use super::facts::{FactFinders, WindowSource};
use super::http::Http;
use super::list::{self, ModelList};
use super::resolve::{self, Resolved};
use super::server::{Socket, Sockets};

/// Finds models. The last one is kept until something changes on which the search depends.
#[derive(Default)]
pub(crate) struct Finder {
    http: Http,
    last: Option<(Basis, Resolved)>,
    /// What servers have said about their models.
    finders: FactFinders,
}

/// Everything on which the search depends.
#[derive(Debug, Clone, PartialEq)]
enum Basis {
    Chosen(ModelChoice),
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

    async fn search(&mut self, preference: &ModelPreference, env: Env<'_>) -> Result<Option<Resolved>, ResolveError> {
        let basis = match choose(preference, env)? {
            Some(choice) => Basis::Chosen(choice),
            None => Basis::local(ModelName::of(preference, env), env),
        };
        match &self.last {
            Some((same, resolved)) if *same == basis => return Ok(Some(resolved.clone())),
            _ => self.last = None,
        }
        let found = match &basis {
            Basis::Chosen(choice) => Some(resolve::choice(choice, &self.http, &self.finders).await?),
            Basis::Local(name, servers) => {
                let found = resolve::look_around(name, servers, &self.http, &self.finders).await?;
                if found.is_some() { found } else { nobody(name)? }
            }
        };
        self.last = found.clone().map(|resolved| (basis, resolved));
        Ok(found)
    }

    /// Drops the last model, so that the next query searches again. Its server may be gone, or serve it differently.
    pub(crate) fn forget(&mut self) {
        self.last = None;
        self.finders = FactFinders::default();
    }

    /// The models of every vendor and server that can be asked.
    pub(crate) async fn list(&self, settings: &ModelPreference, env: Env<'_>) -> Vec<ModelList> {
        list::list_models(settings, env, &self.http).await
    }
}

impl Basis {
    fn local(name: ModelName, env: Env<'_>) -> Basis {
        let sockets = Sockets::now();
        let with_socket = |choice: ModelChoice| (sockets.listener(&choice.base_url), choice);
        Basis::Local(name, choose::local(env).into_iter().map(with_socket).collect())
    }
}

/// The result where no server of this machine has the model.
fn nobody(name: &ModelName) -> Result<Option<Resolved>, ResolveError> {
    let Some(model) = name.model.clone() else { return Ok(None) };
    Err(match ModelFacts::vendor_of(&model, |_| true) {
        Some(vendor) => ResolveError::NoKey { vendor: vendor.name, variables: vendor.key_variables },
        None => ResolveError::Nobody { model },
    })
}
