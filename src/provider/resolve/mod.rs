//! Makes a choice into a model that can be asked; looks for servers on this machine.

use std::sync::Arc;
use std::time::Duration;

use futures_util::future::join_all;

use super::Provider;
use super::cache::CacheLifetime;
use super::choose::{ModelChoice, ModelName, ResolveError, full_name};
use super::effort::Effort;
use super::facts::{FactFinder, FactFinders, WindowSource};
use super::http::{Http, host, is_loopback};
use super::list::{self, ListedModel};
use super::model_traits::ModelTraits;
use super::remote::Remote;
use super::server::{self, Listener, Server, Socket};

/// How long to wait for a server that may run on this machine.
const PROBE: Duration = Duration::from_millis(150);
/// How long to wait for a server that was named.
const ASK: Duration = Duration::from_secs(10);

/// A model that can be asked.
#[derive(Clone)]
pub(crate) struct Resolved {
    pub provider: Arc<dyn Provider>,
    /// As the vendor spells it.
    pub model: String,
    pub effort: Effort,
    pub context_window: Option<u32>,
    /// Where the context window comes from.
    pub window_source: WindowSource,
    pub cache: CacheLifetime,
    /// The vendor's short name.
    pub vendor: String,
    /// The host and port of the server.
    pub host: String,
    /// Its server, if it listens on this machine and may need the person's consent.
    pub listener: Option<Listener>,
    /// Asks the server about the model.
    pub facts: Option<Arc<FactFinder>>,
    pub traits: ModelTraits,
}

impl Resolved {
    /// Whether its server runs on this machine, where a model costs nothing.
    pub(crate) fn is_here(&self) -> bool {
        is_loopback(&format!("http://{}", self.host))
    }

    /// Whether its server was found by its port, and nobody named it.
    pub(crate) fn is_discovered(&self) -> bool {
        matches!(self.listener, Some(Listener::Found(_)))
    }

    /// The name that resolves to this model.
    pub(crate) fn name(&self) -> String {
        full_name(&self.vendor, &self.model)
    }

    /// Finds out how large the model's window is, if that is not known: asks a server on this machine about its model, and any other
    /// one for its list. The person must have agreed to the server.
    pub(crate) async fn learn_window(&mut self) {
        let Some(finder) = self.facts.as_ref().filter(|_| self.context_window.is_none()) else { return };
        (self.context_window, self.window_source) = match finder.facts().await.window {
            Some((window, source)) => (Some(window), source),
            None => (finder.assumed(), WindowSource::Assumed),
        };
    }
}

/// Resolves a choice. A server that was named without a model is asked for its list.
/// `socket` is the one that listens at its address, if it is that of a model server on this machine.
pub(super) async fn choice(
    choice: &ModelChoice,
    socket: Option<Socket>,
    http: &Http,
    finders: &FactFinders,
) -> Result<Resolved, ResolveError> {
    let resolved = named(choice, http, finders).await?;
    let listener = socket.map(|socket| Listener::Named(Server::behind(socket, &choice.base_url)));
    Ok(Resolved { listener, ..resolved })
}

async fn named(choice: &ModelChoice, http: &Http, finders: &FactFinders) -> Result<Resolved, ResolveError> {
    if let Some(model) = choice.model.clone() {
        let known = choice.known(ListedModel::known(choice.provider.vendor, model));
        return Ok(connect(choice, known, WindowSource::Catalogue, http, finders));
    }
    let models = list::models(choice, http, ASK).await?;
    match pick(models, None) {
        Some(model) => Ok(connect(choice, model, WindowSource::ModelList, http, finders)),
        None => Err(ResolveError::NoModel { vendor: choice.name().to_owned() }),
    }
}

/// Asks the usual ports of this machine for their models, all at once, and takes the first server in the order of the table that has
/// the named model, or any model if none is named. Nothing is sent to a server of another user.
pub(super) async fn look_around(
    name: &ModelName,
    servers: &[(Option<Socket>, ModelChoice)],
    http: &Http,
    finders: &FactFinders,
) -> Result<Option<Resolved>, ResolveError> {
    let ask = async |(socket, choice): &(Option<Socket>, ModelChoice)| {
        // A variable may lead to another machine, whose sockets cannot be seen from here.
        let may_be_asked = socket.map_or(!is_loopback(&choice.base_url), Socket::is_ours);
        if !may_be_asked {
            return None;
        }
        match socket {
            // The person has not agreed to this server yet.
            Some(_) => list::models(&choice.without_credentials(), http, PROBE).await.ok(),
            None => list::models(choice, http, PROBE).await.ok(),
        }
    };
    let lists = join_all(servers.iter().map(ask)).await;
    let found = servers.iter().zip(lists).find_map(|((socket, choice), models)| {
        let model = pick(models?, name.model.as_deref())?;
        let choice = ModelChoice { effort: name.effort, ..choice.clone() };
        let resolved = connect(&choice, model, WindowSource::ModelList, http, finders);
        let listener = socket.map(|socket| Listener::Found(Server::behind(socket, &choice.base_url)));
        Some(Resolved { listener, ..resolved })
    });
    let stranger = servers.iter().find_map(|(socket, choice)| {
        let uid = socket.filter(|socket| !socket.is_ours())?.uid;
        let (vendor, address) = (choice.provider.vendor.name, host(&choice.base_url).to_owned());
        Some(ResolveError::Stranger { vendor, address, owner: server::owner(uid) })
    });
    match (found, stranger) {
        (None, Some(stranger)) => Err(stranger),
        (found, _) => Ok(found),
    }
}

/// A server of this machine that answers, with those of its models that can hold a conversation.
#[derive(Debug, Clone)]
pub(crate) struct LocalServer {
    pub server: Server,
    pub vendor: String,
    pub models: Vec<String>,
}

/// The servers of this machine that answer. Each is asked for its list, without a key, and a server of another user is not asked.
pub(super) async fn servers_here(servers: &[(Option<Socket>, ModelChoice)], http: &Http) -> Vec<LocalServer> {
    let ask = async |(socket, choice): &(Option<Socket>, ModelChoice)| {
        let socket = socket.filter(|socket| socket.is_ours())?;
        let models = list::models(&choice.without_credentials(), http, PROBE).await.ok()?;
        let models = models.into_iter().filter(converses).map(|model| model.model).collect();
        let server = Server::behind(socket, &choice.base_url);
        Some(LocalServer { server, vendor: choice.name().to_owned(), models })
    };
    join_all(servers.iter().map(ask)).await.into_iter().flatten().collect()
}

/// The model with this name; without a name, the first that can hold a conversation.
fn pick(models: Vec<ListedModel>, name: Option<&str>) -> Option<ListedModel> {
    let fits = |model: &ListedModel| match name {
        Some(name) => model.model == name || model.model.strip_suffix(":latest") == Some(name),
        None => converses(model),
    };
    models.into_iter().find(fits)
}

/// Whether a model can hold a conversation, as far as its name tells. Servers list all their models together.
pub(super) fn converses(model: &ListedModel) -> bool {
    /// Parts of the names of models for other tasks.
    const OTHERS: [&str; 6] = ["embed", "rerank", "whisper", "tts", "bge-", "diffusion"];
    !OTHERS.iter().any(|other| model.model.to_ascii_lowercase().contains(other))
}

fn connect(
    choice: &ModelChoice,
    model: ListedModel,
    window_source: WindowSource,
    http: &Http,
    finders: &FactFinders,
) -> Resolved {
    let facts = finders.of(http, choice, &model.model);
    let remote = Remote::new(http.clone(), choice.endpoint(), choice.wire, model.price);
    let provider = Arc::new(remote.with_facts(Arc::clone(&facts)).with_traits(model.traits));
    let usual = Effort::default();
    let levels = model.traits.efforts(choice.wire, &model.model);
    let effort = choice.effort.or_else(|| usual.nearest(&levels)).unwrap_or(usual);
    let configured = choice.configured_window(&model.model);
    Resolved {
        provider,
        effort,
        context_window: model.context_window,
        window_source: if configured.is_some() { WindowSource::Configured } else { window_source },
        cache: CacheLifetime::default(),
        vendor: choice.name().to_owned(),
        host: host(&choice.base_url).to_owned(),
        listener: None,
        facts: Some(facts),
        traits: model.traits,
        model: model.model,
    }
}

#[cfg(test)]
mod tests;
