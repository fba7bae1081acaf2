//! The approvals that last longer than one call.

use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use serde::{Deserialize, Serialize};

use super::lasting::{LastingError, LastingGrants};
use super::places::is_delicate;
use super::{Intent, Surroundings};

/// One standing yes.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub(crate) enum Grant {
    /// This command, letter for letter.
    Command { command: String, place: GrantPlace },
    /// Commands that begin with these words.
    Words { words: Vec<String>, place: GrantPlace },
    /// This command in the person's own shell, letter for letter.
    ShellCommand { command: String, place: GrantPlace },
    /// Edits of this file, or of anything below this directory.
    Edits(PathBuf),
    /// Reading these.
    Reads(Vec<PathBuf>),
    /// Reading what other terminals have printed.
    OtherTerminals,
}

/// The directory that a command must run in.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub(crate) enum GrantPlace {
    /// Exactly this one.
    Directory(PathBuf),
    /// This one or one below it.
    Below(PathBuf),
    Everywhere,
}

impl GrantPlace {
    fn covers(&self, directory: &Path) -> bool {
        match self {
            GrantPlace::Directory(granted) => granted == directory,
            GrantPlace::Below(granted) => directory.starts_with(granted),
            GrantPlace::Everywhere => true,
        }
    }
}

/// How long a yes counts, and where.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum GrantScope {
    /// In this session.
    Session,
    /// In this project, in every session until it expires.
    Project,
    /// In every directory and session until it expires.
    Everywhere,
}

/// Which calls a yes covers.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum GrantWidth {
    /// Exactly the call in question.
    Exact,
    /// All commands that begin with the same words.
    Wide,
}

/// A grant that the person may give on a card.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct GrantOffer {
    pub scope: GrantScope,
    pub grant: Vec<Grant>,
}

/// The grants of one session, and the lasting ones. Clones share them, so that a yes to one answer counts for all others at once.
#[derive(Debug, Clone, Default)]
pub(crate) struct Grants {
    session: Arc<Mutex<Vec<Grant>>>,
    lasting: Option<LastingGrants>,
}

impl Grants {
    /// The grants of a session that also knows lasting ones.
    pub(crate) fn with_lasting(lasting: LastingGrants) -> Grants {
        Grants { session: Arc::default(), lasting: Some(lasting) }
    }

    pub(crate) fn add(&self, offer: GrantOffer) -> Result<(), LastingError> {
        let lasting = match offer.scope {
            GrantScope::Session => None,
            GrantScope::Project | GrantScope::Everywhere => self.lasting.as_ref(),
        };
        match lasting {
            Some(lasting) => lasting.add(offer.grant),
            None => {
                self.add_to_session(offer.grant);
                Ok(())
            }
        }
    }

    fn add_to_session(&self, new: Vec<Grant>) {
        let mut grants = self.lock();
        for grant in new {
            if !grants.contains(&grant) {
                grants.push(grant);
            }
        }
    }

    fn lock(&self) -> MutexGuard<'_, Vec<Grant>> {
        self.session.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// A new lasting grant counts for this many days from here on.
    pub(crate) fn set_days(&self, days: u64) {
        if let Some(lasting) = &self.lasting {
            lasting.set_days(days);
        }
    }

    /// Whether lasting grants can be kept.
    pub(super) fn can_last(&self) -> bool {
        self.lasting.is_some()
    }

    /// All grants: those of the session, then the lasting ones, with the words that say until when each counts.
    pub(crate) fn listed(&self) -> Vec<(Grant, String)> {
        let session: Vec<Grant> = self.lock().clone();
        let session = session.into_iter().map(|grant| (grant, "this session".to_owned()));
        let lasting = self.lasting.iter().flat_map(LastingGrants::listed);
        session.chain(lasting).collect()
    }

    /// Takes back the grant with this number in [`Grants::listed`], counted from 1. Returns it.
    pub(crate) fn revoke(&self, number: usize) -> Result<Option<Grant>, LastingError> {
        let Some(index) = number.checked_sub(1) else { return Ok(None) };
        let mut session = self.lock();
        if index < session.len() {
            return Ok(Some(session.remove(index)));
        }
        let index = index - session.len();
        self.lasting.as_ref().map_or(Ok(None), |lasting| lasting.revoke(index))
    }

    /// The grant that covers something, if there is one.
    pub(super) fn find(&self, covers: impl Fn(&Grant) -> bool) -> Option<Grant> {
        if let Some(grant) = self.lock().iter().find(|grant| covers(grant)) {
            return Some(grant.clone());
        }
        self.lasting.as_ref().and_then(|lasting| lasting.find(covers))
    }
}

impl Grant {
    /// Whether the grant covers a whole call. Words of a command are compared part by part, with [`Grant::covers_words`].
    pub(super) fn covers(&self, intent: &Intent, around: &Surroundings<'_>) -> bool {
        match (self, intent) {
            (Grant::Command { command, place }, Intent::Run { command: wanted, cwd, exception: None })
            | (Grant::ShellCommand { command, place }, Intent::RunInShell { command: wanted, cwd }) => {
                command == wanted && place.covers(cwd)
            }
            (Grant::Edits(granted), Intent::Write { path, reach }) => {
                path.starts_with(granted) && !is_delicate(path, *reach, around.project)
            }
            (Grant::Reads(granted), Intent::Read { paths }) => paths.iter().all(|path| granted.contains(path)),
            (Grant::OtherTerminals, Intent::OtherTerminals) => true,
            (
                Grant::Command { .. }
                | Grant::Words { .. }
                | Grant::ShellCommand { .. }
                | Grant::Edits(_)
                | Grant::Reads(_)
                | Grant::OtherTerminals,
                _,
            ) => false,
        }
    }

    /// Whether the grant covers a command with these words in this directory.
    pub(super) fn covers_words(&self, wanted: &[String], cwd: &Path) -> bool {
        matches!(self, Grant::Words { words, place } if wanted.starts_with(words) && place.covers(cwd))
    }

    /// What the grant covers, for the person.
    pub(crate) fn covered(&self) -> String {
        let place = |place: &GrantPlace| match place {
            GrantPlace::Directory(path) | GrantPlace::Below(path) => format!(" in {}", path.display()),
            GrantPlace::Everywhere => String::new(),
        };
        match self {
            Grant::Command { command, place: at } => format!("`{command}`{}", place(at)),
            Grant::Words { words, place: at } => format!("`{} …`{}", words.join(" "), place(at)),
            Grant::ShellCommand { command, place: at } => format!("`{command}` in your shell{}", place(at)),
            Grant::Edits(path) => format!("edits in {}", path.display()),
            Grant::Reads(paths) => {
                let paths: Vec<String> = paths.iter().map(|path| path.display().to_string()).collect();
                format!("reading {}", paths.join(", "))
            }
            Grant::OtherTerminals => "reading the output of other terminals".to_owned(),
        }
    }
}

/// The directory or file that a yes to an edit covers: the project, else the file's directory; in the home directory only the file.
pub(super) fn edit_scope<'a>(path: &'a Path, around: &Surroundings<'a>) -> &'a Path {
    if around.in_project(path) {
        return around.project;
    }
    let too_wide =
        |directory: &Path| directory.parent().is_none() || around.home.is_some_and(|home| home.starts_with(directory));
    path.parent().filter(|parent| !too_wide(parent)).unwrap_or(path)
}
