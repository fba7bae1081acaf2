//! The servers of this machine that the person has agreed to use.

use std::path::Path;

use super::private_file::{self, PrivateFileError};
use super::server::{Listener, Server};

/// The servers in the file. A command line, its owner and its address together are one server.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(crate) struct Consents(Vec<Server>);

impl Consents {
    /// Reads the file; a missing one holds no consent.
    pub(crate) fn load(path: &Path) -> Result<Consents, PrivateFileError> {
        private_file::read(path).map(|servers| Consents(servers.unwrap_or_default()))
    }

    pub(crate) fn has(&self, server: &Server) -> bool {
        self.0.contains(server)
    }

    /// Whether a server may be used without a question.
    pub(crate) fn covers(&self, listener: &Listener) -> bool {
        match listener {
            Listener::Found(server) => self.has(server),
            Listener::Named(server) => self.has(server) || !self.0.iter().any(|known| known.address == server.address),
        }
    }

    /// Removes a server from the file.
    pub(crate) fn forget(path: &Path, server: &Server) -> Result<(), PrivateFileError> {
        let mut consents = Consents::load(path)?;
        consents.0.retain(|known| known != server);
        private_file::write(path, &consents.0)
    }

    /// Adds a server to the file.
    pub(crate) fn remember(path: &Path, server: &Server) -> Result<(), PrivateFileError> {
        let mut consents = Consents::load(path)?;
        if !consents.has(server) {
            consents.0.push(server.clone());
        }
        private_file::write(path, &consents.0)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn another_command_line_or_owner_on_the_same_port_has_no_consent() {
        let directory = tempfile::tempdir().unwrap();
        let path = directory.path().join("servers.json");
        let server = Server {
            address: "127.0.0.1:11434".into(),
            uid: 1000,
            program: Some("/usr/bin/python3".into()),
            arguments: vec!["server.py".into()],
            directory: Some("/home/me".into()),
        };
        assert!(!Consents::load(&path).unwrap().has(&server));
        Consents::remember(&path, &server).unwrap();
        Consents::remember(&path, &server).unwrap();
        let consents = Consents::load(&path).unwrap();
        assert_eq!(consents, Consents(vec![server.clone()]));
        let evil = Server { program: Some("/tmp/evil".into()), ..server.clone() };
        assert!(!consents.has(&evil));
        assert!(consents.covers(&Listener::Named(server.clone())) && !consents.covers(&Listener::Named(evil.clone())));
        let elsewhere = Server { address: "127.0.0.1:1234".into(), ..evil.clone() };
        assert!(consents.covers(&Listener::Named(elsewhere.clone())), "nothing was agreed to there");
        assert!(!consents.covers(&Listener::Found(elsewhere)));
        assert!(!consents.has(&Server { arguments: vec!["other.py".into()], ..server.clone() }));
        assert!(!consents.has(&Server { directory: Some("/tmp".into()), ..server.clone() }));
        assert!(!consents.has(&Server { uid: 0, ..server.clone() }));
        assert!(!consents.has(&Server { address: "127.0.0.1:8080".into(), ..server.clone() }));
        Consents::forget(&path, &server).unwrap();
        assert_eq!(Consents::load(&path).unwrap(), Consents::default());
    }
}
