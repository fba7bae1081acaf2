//! What this machine can enforce, found out by trying.

use std::path::PathBuf;
use std::sync::OnceLock;

use super::system::landlock_version;
use super::{Backend, Network, bubblewrap, launch};

/// What this machine can enforce.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub(crate) struct Abilities {
    /// bubblewrap, if it is installed.
    pub bubblewrap: Option<PathBuf>,
    /// Whether bubblewrap works.
    pub bubblewrap_works: bool,
    /// Whether the helper can create namespaces itself.
    pub has_namespaces: bool,
    /// Whether namespaces can be without network.
    pub has_network_namespaces: bool,
    /// The version of Landlock's interface.
    pub landlock: Option<u32>,
}

impl Abilities {
    /// Tries everything, which takes some tens of milliseconds.
    pub(crate) fn probe() -> Abilities {
        Abilities {
            bubblewrap: bubblewrap::installed(),
            bubblewrap_works: works(Backend::Bubblewrap, Network::On),
            has_namespaces: works(Backend::Namespaces, Network::On),
            has_network_namespaces: best(Network::Off) != Backend::Landlock && best(Network::Off) != Backend::None,
            landlock: landlock_version(),
        }
    }

    /// The backend of commands that may use the network.
    pub(crate) fn best(&self) -> Backend {
        match self {
            Abilities { bubblewrap_works: true, .. } => Backend::Bubblewrap,
            Abilities { has_namespaces: true, .. } => Backend::Namespaces,
            Abilities { landlock: Some(_), .. } => Backend::Landlock,
            Abilities { .. } => Backend::None,
        }
    }
}

/// The best backend that works here. The first command finds out; later ones use the result.
pub(crate) fn best(network: Network) -> Backend {
    static WITH_NETWORK: OnceLock<Backend> = OnceLock::new();
    static WITHOUT_NETWORK: OnceLock<Backend> = OnceLock::new();
    let known = match network {
        Network::On => &WITH_NETWORK,
        Network::Off => &WITHOUT_NETWORK,
    };
    *known.get_or_init(|| {
        let candidates = [Backend::Bubblewrap, Backend::Namespaces, Backend::Landlock];
        let best = candidates.into_iter().find(|backend| works(*backend, network)).unwrap_or(Backend::None);
        tracing::info!(?best, ?network, "chose a sandbox");
        best
    })
}

pub(super) fn works(backend: Backend, network: Network) -> bool {
    match backend {
        Backend::Bubblewrap | Backend::Namespaces => launch::probe(backend, network),
        Backend::Landlock => landlock_version().is_some(),
        Backend::None => true,
    }
}
