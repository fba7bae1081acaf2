//! The question before a server is used that was found listening on this machine.

use std::collections::HashSet;
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex};

use crate::agent::Front;
use crate::chat::Event;
use crate::config::private_dir;
use crate::provider::{Consents, Resolved, Server};
use crate::tool::{self, Asker, UserAnswer};

use super::RequestLink;

const YES: &str = "yes, and remember it";
const NO: &str = "no";

/// The servers that the person does not want to use in this session.
pub(super) type Declined = Arc<Mutex<HashSet<Server>>>;

/// Stands before a discovered server until the person has agreed to use it.
pub(super) struct Gate {
    server: Server,
    model: String,
    /// Where the servers with a consent are kept.
    file: Option<PathBuf>,
    declined: Declined,
}

impl Gate {
    /// The gate before a model, if its server was found and not named.
    pub(super) fn before(resolved: &Resolved, file: Option<&Path>, declined: &Declined) -> Option<Gate> {
        let server = resolved.discovered.clone()?;
        Some(Gate { server, model: resolved.name(), file: file.map(Path::to_owned), declined: Arc::clone(declined) })
    }

    /// Whether the person has said no already.
    pub(super) fn is_shut(&self) -> bool {
        self.declined.lock().is_ok_and(|declined| declined.contains(&self.server))
    }

    /// Whether the person has agreed already.
    pub(super) fn has_consent(&self) -> bool {
        let known = self.file.as_deref().map(Consents::load).unwrap_or(Ok(Consents::default()));
        known.is_ok_and(|known| known.has(&self.server))
    }

    /// Whether the server may be used. Asks the person the first time.
    pub(super) async fn opens(&self, link: &RequestLink) -> bool {
        if self.has_consent() {
            return true;
        }
        let question =
            tool::UserQuestion { text: self.server.question(&self.model), choices: vec![YES.into(), NO.into()] };
        let is_yes = match Asker::ask(link, question).await {
            UserAnswer::Said(said) => said == YES || ["y", "yes"].contains(&said.trim().to_ascii_lowercase().as_str()),
            UserAnswer::Declined => false,
        };
        match is_yes {
            true => self.remember(link),
            false => {
                if let Ok(mut declined) = self.declined.lock() {
                    declined.insert(self.server.clone());
                }
            }
        }
        is_yes
    }

    fn remember(&self, link: &RequestLink) {
        let Some(file) = &self.file else { return };
        let directory = file.parent().unwrap_or(Path::new("."));
        let kept = private_dir(directory).map_err(|error| error.to_string());
        let kept = kept.and_then(|_| Consents::remember(file, &self.server).map_err(|error| error.to_string()));
        if let Err(error) = kept {
            link.hear(Event::Notice(format!("{error}; you will be asked about this server again")));
        }
    }

    /// What the person is told who has said no.
    pub(super) fn refusal(&self) -> String {
        format!(
            "the server at {} is not used in this session; `> /model NAME` or `shellmate auth login` connects another model",
            self.server.address
        )
    }
}
