//! The servers of this machine that the person has agreed to use.

use std::path::Path;

use super::private_file::{self, PrivateFileError};
use super::server::Server;

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
        assert!(!consents.has(&Server { program: Some("/tmp/evil".into()), ..server.clone() }));
        assert!(!consents.has(&Server { arguments: vec!["other.py".into()], ..server.clone() }));
        assert!(!consents.has(&Server { directory: Some("/tmp".into()), ..server.clone() }));
        assert!(!consents.has(&Server { uid: 0, ..server.clone() }));
        assert!(!consents.has(&Server { address: "127.0.0.1:8080".into(), ..server }));
    }
}
