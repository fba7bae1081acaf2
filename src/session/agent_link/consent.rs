//! The question before a server is used that was found listening on this machine.

use std::collections::HashSet;
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex};

use crate::agent::Front;
use crate::chat::Event;
use crate::config::private_dir;
use crate::provider::{Consents, Listener, Resolved, Server};
use crate::session::prompt::Confirmation;

use super::RequestLink;

/// The servers that the person does not want to use in this session.
pub(super) type Declined = Arc<Mutex<HashSet<Server>>>;

/// Asks the person before a discovered server is used for the first time.
pub(super) struct Gate {
    listener: Listener,
    model: String,
    /// The file with the servers that the person has agreed to use.
    file: Option<PathBuf>,
    declined: Declined,
}

impl Gate {
    /// The gate for a model, if its server listens on this machine.
    pub(super) fn before(resolved: &Resolved, file: Option<&Path>, declined: &Declined) -> Option<Gate> {
        let listener = resolved.listener.clone()?;
        Some(Gate { listener, model: resolved.name(), file: file.map(Path::to_owned), declined: Arc::clone(declined) })
    }

    /// Whether the person has said no already.
    pub(super) fn is_shut(&self) -> bool {
        self.declined.lock().is_ok_and(|declined| declined.contains(self.listener.server()))
    }

    /// Whether the person has agreed already.
    pub(super) fn has_consent(&self) -> bool {
        let known = self.file.as_deref().map(Consents::load).unwrap_or(Ok(Consents::default()));
        known.unwrap_or_default().covers(&self.listener)
    }

    /// Whether the server may be used. Asks the person the first time.
    pub(super) async fn opens(&self, link: &RequestLink) -> bool {
        if self.has_consent() {
            return true;
        }
        let question = Confirmation {
            text: self.listener.server().question(&self.model),
            yes: "yes, and remember it",
            no: "no",
            lasts: true,
        };
        let is_yes = link.confirm(question).await;
        match is_yes {
            true => self.remember(link),
            false => {
                if let Ok(mut declined) = self.declined.lock() {
                    declined.insert(self.listener.server().clone());
                }
            }
        }
        is_yes
    }

    fn remember(&self, link: &RequestLink) {
        let Some(file) = &self.file else { return };
        let directory = file.parent().unwrap_or(Path::new("."));
        let kept = private_dir(directory).map_err(|error| error.to_string());
        let kept =
            kept.and_then(|_| Consents::remember(file, self.listener.server()).map_err(|error| error.to_string()));
        if let Err(error) = kept {
            link.hear(Event::Notice(format!("{error}; you will be asked about this server again")));
        }
    }

    /// Shown to a person who has declined.
    pub(super) fn refusal(&self) -> String {
        format!(
            "the server at {} is not used in this session; `> /model NAME` or `shellmate auth login` connects another model",
            self.listener.server().address
        )
    }
}

#[cfg(test)]
mod tests {
    use std::sync::mpsc::sync_channel;

    use super::*;
    use crate::session::agent_link::News;

    fn gate(file: Option<PathBuf>, declined: &Declined) -> Gate {
        let server = Server {
            address: "127.0.0.1:11434".into(),
            uid: 1000,
            program: Some("/usr/bin/ollama".into()),
            arguments: Vec::new(),
            directory: None,
        };
        Gate { listener: Listener::Found(server), model: "ollama/m".into(), file, declined: Arc::clone(declined) }
    }

    /// Asks for consent. Returns whether it was given, how often the person was asked, and the notices.
    fn ask(gate: &Gate, answer: bool) -> (bool, usize, Vec<String>) {
        let (tell, news) = sync_channel(100);
        let link = RequestLink::scripted(tell);
        let person = std::thread::spawn(move || {
            let (mut asked, mut notices) = (0, Vec::new());
            for (_, news) in news {
                match news {
                    News::Confirm(question, reply) => {
                        assert!(question.text.contains("127.0.0.1:11434"), "{}", question.text);
                        asked += 1;
                        let _ = reply.send(answer);
                    }
                    News::Event(Event::Notice(words)) => notices.push(words),
                    _ => panic!("only a question and notices are expected"),
                }
            }
            (asked, notices)
        });
        let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build().unwrap();
        let opens = runtime.block_on(gate.opens(&link));
        drop(link);
        let (asked, notices) = person.join().unwrap();
        (opens, asked, notices)
    }

    #[test]
    fn a_yes_is_remembered_in_a_file() {
        let home = tempfile::tempdir().unwrap();
        let (file, declined) = (home.path().join("state/consents.json"), Declined::default());
        let gate = gate(Some(file.clone()), &declined);
        assert!(!gate.has_consent());
        assert_eq!(ask(&gate, true), (true, 1, Vec::new()));
        assert!(file.exists() && gate.has_consent());
        assert_eq!(ask(&gate, false), (true, 0, Vec::new()), "nobody is asked twice");
    }

    #[test]
    fn a_no_keeps_the_server_out_for_this_session() {
        let declined = Declined::default();
        let first = gate(None, &declined);
        assert!(!first.is_shut());
        assert_eq!(ask(&first, false), (false, 1, Vec::new()));
        assert!(gate(None, &declined).is_shut(), "the next question meets a closed gate");
        assert!(first.refusal().contains("127.0.0.1:11434 is not used in this session"), "{}", first.refusal());
    }

    #[test]
    fn a_consent_that_cannot_be_saved_is_used_once_and_reported() {
        let home = tempfile::tempdir().unwrap();
        std::fs::write(home.path().join("state"), "a file in place of the directory").unwrap();
        let gate = gate(Some(home.path().join("state/consents.json")), &Declined::default());
        let (opens, asked, notices) = ask(&gate, true);
        assert_eq!((opens, asked, notices.len()), (true, 1, 1));
        assert!(notices[0].ends_with("you will be asked about this server again"), "{notices:?}");
    }
}
