//! The question before a project's `.shellmate` directory is used.

use std::path::Path;
use std::sync::{Arc, Mutex};

use crate::agent::{Front, Project};
use crate::chat::Event;
use crate::guard::TrustStore;
use crate::session::prompt::Confirmation;

use super::RequestLink;

/// The projects that the person does not trust in this session, with their contents.
pub(super) type DistrustedProjects = Arc<Mutex<Vec<Project>>>;

/// Stands before a project's directory until the person has decided about it.
pub(super) struct ProjectGate {
    project: Project,
    store: TrustStore,
    distrusted: DistrustedProjects,
}

impl ProjectGate {
    /// The gate of the project that a directory is in. A directory that cannot be used is reported.
    pub(super) fn before(
        directory: &Path,
        store: &TrustStore,
        distrusted: &DistrustedProjects,
        link: &RequestLink,
    ) -> Option<ProjectGate> {
        match Project::of(directory, store)? {
            Ok(project) => Some(ProjectGate { project, store: store.clone(), distrusted: Arc::clone(distrusted) }),
            Err(error) => {
                link.hear(Event::Notice(format!("the project's settings and hooks are not used: {error}")));
                None
            }
        }
    }

    /// Asks the person about a project that is not trusted, unless they have said no already. Returns the project as it counts now.
    pub(super) async fn decide(mut self, home: Option<&Path>, link: &RequestLink) -> Project {
        if self.project.is_trusted() || self.is_distrusted() {
            return self.project;
        }
        let text = format!(
            "{}\n\nNothing of this is used until you trust it, except rules that forbid or ask. Trust it?",
            self.project.description(home)
        );
        let question =
            Confirmation { text, yes: "yes, trust it as it is now", no: "no, not in this session", lasts: true };
        let is_yes = link.confirm(question).await;
        match is_yes {
            true => {
                if let Err(error) = self.project.trust(&self.store) {
                    link.hear(Event::Notice(format!("{error}; you will be asked about this project again")));
                }
            }
            false => {
                if let Ok(mut distrusted) = self.distrusted.lock() {
                    distrusted.push(self.project.clone());
                }
            }
        }
        self.project
    }

    /// The project as it counts without a question.
    pub(super) fn undecided(self) -> Project {
        self.project
    }

    fn is_distrusted(&self) -> bool {
        self.distrusted.lock().is_ok_and(|distrusted| distrusted.iter().any(|other| other.is_same(&self.project)))
    }
}

#[cfg(test)]
mod tests {
    use std::fs;
    use std::path::PathBuf;
    use std::sync::mpsc::sync_channel;

    use super::*;
    use crate::session::agent_link::News;

    fn project(home: &Path) -> PathBuf {
        let root = home.join("app");
        fs::create_dir_all(root.join(".shellmate")).unwrap();
        fs::write(
            root.join(".shellmate/hooks.json"),
            r#"{"hooks":{"Stop":[{"hooks":[{"type":"command","command":"./evil"}]}]}}"#,
        )
        .unwrap();
        root
    }

    /// Decides about a project. Returns whether it is trusted, the questions that were asked, and the notices.
    fn decide(
        root: &Path,
        store: &TrustStore,
        distrusted: &DistrustedProjects,
        answer: bool,
    ) -> (bool, Vec<String>, Vec<String>) {
        let (tell, news) = sync_channel(100);
        let link = RequestLink::scripted(tell);
        let person = std::thread::spawn(move || {
            let (mut asked, mut notices) = (Vec::new(), Vec::new());
            for (_, news) in news {
                match news {
                    News::Confirm(question, reply) => {
                        asked.push(question.text);
                        let _ = reply.send(answer);
                    }
                    News::Event(Event::Notice(words)) => notices.push(words),
                    _ => panic!("only a question and notices are expected"),
                }
            }
            (asked, notices)
        });
        let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build().unwrap();
        let gate = ProjectGate::before(root, store, distrusted, &link);
        let is_trusted = gate.is_some_and(|gate| runtime.block_on(gate.decide(None, &link)).is_trusted());
        drop(link);
        let (asked, notices) = person.join().unwrap();
        (is_trusted, asked, notices)
    }

    #[test]
    fn a_yes_lasts_until_the_contents_change() {
        let home = tempfile::tempdir().unwrap();
        let (root, distrusted) = (project(home.path()), DistrustedProjects::default());
        let store = TrustStore::new(Some(home.path().join("state/trust.json")));
        let (is_trusted, asked, notices) = decide(&root, &store, &distrusted, true);
        assert!(is_trusted && notices.is_empty());
        assert!(asked[0].contains("Stop: ./evil"), "{asked:?}");
        assert_eq!(decide(&root, &store, &distrusted, false), (true, vec![], vec![]));
        fs::write(root.join(".shellmate/hooks.json"), "{}").unwrap();
        let (is_trusted, asked, _) = decide(&root, &store, &distrusted, false);
        assert!(!is_trusted);
        assert!(asked[0].contains("has changed since you trusted it"), "{asked:?}");
    }

    #[test]
    fn a_no_lasts_for_the_session_and_these_contents() {
        let home = tempfile::tempdir().unwrap();
        let (root, distrusted) = (project(home.path()), DistrustedProjects::default());
        let store = TrustStore::new(Some(home.path().join("state/trust.json")));
        let (is_trusted, asked, _) = decide(&root, &store, &distrusted, false);
        assert_eq!((is_trusted, asked.len()), (false, 1));
        assert_eq!(decide(&root, &store, &distrusted, true), (false, vec![], vec![]));
        fs::write(root.join(".shellmate/x"), "").unwrap();
        assert_eq!(decide(&root, &store, &distrusted, false).1.len(), 1);
    }

    #[test]
    fn trust_that_cannot_be_kept_counts_once_and_is_reported() {
        let home = tempfile::tempdir().unwrap();
        let root = project(home.path());
        let (is_trusted, _, notices) = decide(&root, &TrustStore::default(), &DistrustedProjects::default(), true);
        assert!(is_trusted);
        assert!(notices[0].ends_with("you will be asked about this project again"), "{notices:?}");
    }

    #[test]
    fn a_directory_that_cannot_be_used_is_reported_and_not_asked_about() {
        let home = tempfile::tempdir().unwrap();
        let root = home.path().join("app");
        fs::create_dir(&root).unwrap();
        std::os::unix::fs::symlink("/", root.join(".shellmate")).unwrap();
        let (is_trusted, asked, notices) = decide(&root, &TrustStore::default(), &DistrustedProjects::default(), true);
        assert!(!is_trusted && asked.is_empty());
        assert!(notices[0].ends_with("is a symbolic link"), "{notices:?}");
    }
}
