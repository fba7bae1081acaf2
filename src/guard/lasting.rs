//! Grants that outlive a session: a file in the state directory, shared by all terminals.
//!
//! The file is read again when it has changed.

use std::fs;
use std::io;
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::{SystemTime, UNIX_EPOCH};

use serde::{Deserialize, Serialize};

use super::{Grant, shared_file};

/// The largest file that is read.
const LARGEST: u64 = 1024 * 1024;
/// The most grants that are kept. The oldest make room.
const MOST: usize = 500;
const DAY: u64 = 24 * 60 * 60;

/// Why a lasting grant could not be kept or taken back.
#[derive(Debug, thiserror::Error)]
pub(crate) enum LastingError {
    #[error("cannot keep the grants in {}", path.display())]
    Write {
        path: PathBuf,
        #[source]
        source: io::Error,
    },
}

/// The lasting grants.
#[derive(Debug, Clone)]
pub(crate) struct LastingGrants {
    path: PathBuf,
    /// How many days a new grant counts. Clones share it.
    days: Arc<AtomicU64>,
    /// What was read last. Clones share it.
    read: Arc<Mutex<GrantsRead>>,
}

/// The grants of the file, and the file's state when they were read.
#[derive(Debug, Default)]
struct GrantsRead {
    stamp: Option<(SystemTime, u64)>,
    grants: Vec<KeptGrant>,
}

/// A lasting grant and its last second.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
struct KeptGrant {
    grant: Grant,
    expires: u64,
}

#[derive(Debug, Default, Serialize, Deserialize)]
struct GrantsFile {
    grants: Vec<KeptGrant>,
}

impl LastingGrants {
    /// The grants in this file. A new one counts for this many days.
    pub(crate) fn new(path: PathBuf, days: u64) -> LastingGrants {
        LastingGrants { path, days: Arc::new(AtomicU64::new(days)), read: Arc::default() }
    }

    /// Whether this file is there, but cannot be read as grants.
    pub(crate) fn is_damaged(path: &Path) -> bool {
        shared_file::is_damaged::<GrantsFile>(path, LARGEST)
    }

    /// A new grant counts for this many days from here on.
    pub(super) fn set_days(&self, days: u64) {
        self.days.store(days, Ordering::Relaxed);
    }

    pub(super) fn add(&self, new: Vec<Grant>) -> Result<(), LastingError> {
        let expires = now().saturating_add(self.days.load(Ordering::Relaxed).saturating_mul(DAY));
        self.change(|grants| {
            grants.retain(|kept| !new.contains(&kept.grant));
            grants.extend(new.into_iter().map(|grant| KeptGrant { grant, expires }));
            let excess = grants.len().saturating_sub(MOST);
            grants.drain(..excess);
        })
    }

    /// Takes back the grant at this index of [`LastingGrants::listed`].
    pub(super) fn revoke(&self, index: usize) -> Result<Option<Grant>, LastingError> {
        let Some(wanted) = self.current().into_iter().nth(index) else { return Ok(None) };
        self.change(|grants| grants.retain(|kept| *kept != wanted))?;
        Ok(Some(wanted.grant))
    }

    pub(super) fn listed(&self) -> Vec<(Grant, String)> {
        let days = |kept: &KeptGrant| kept.expires.saturating_sub(now()).div_ceil(DAY);
        let words = |days: u64| if days == 1 { "1 more day".to_owned() } else { format!("{days} more days") };
        self.current().into_iter().map(|kept| (kept.grant.clone(), words(days(&kept)))).collect()
    }

    pub(super) fn find(&self, covers: impl Fn(&Grant) -> bool) -> Option<Grant> {
        self.current().into_iter().map(|kept| kept.grant).find(|grant| covers(grant))
    }

    /// The grants that have not expired.
    fn current(&self) -> Vec<KeptGrant> {
        let mut read = self.read.lock().unwrap_or_else(PoisonError::into_inner);
        let stamp = fs::metadata(&self.path).ok().and_then(|about| Some((about.modified().ok()?, about.len())));
        if read.stamp != stamp {
            *read = GrantsRead { stamp, grants: load(&self.path) };
        }
        let now = now();
        read.grants.iter().filter(|kept| kept.expires > now).cloned().collect()
    }

    /// Replaces the file after a change.
    fn change(&self, change: impl FnOnce(&mut Vec<KeptGrant>)) -> Result<(), LastingError> {
        let now = now();
        let changed = shared_file::change(&self.path, LARGEST, |file: &mut GrantsFile| {
            file.grants.retain(|kept| kept.expires > now);
            change(&mut file.grants);
        });
        changed.map_err(|source| LastingError::Write { path: self.path.clone(), source })?;
        self.read.lock().unwrap_or_else(PoisonError::into_inner).stamp = None;
        Ok(())
    }
}

/// The grants of a file. Without a readable file the person is asked again.
fn load(path: &Path) -> Vec<KeptGrant> {
    shared_file::load::<GrantsFile>(path, LARGEST).grants
}

fn now() -> u64 {
    SystemTime::now().duration_since(UNIX_EPOCH).unwrap_or_default().as_secs()
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::os::unix::fs::PermissionsExt;

    fn edits(path: &str) -> Grant {
        Grant::Edits(path.into())
    }

    #[test]
    fn two_terminals_share_what_lasts() {
        let home = tempfile::tempdir().unwrap();
        let path = home.path().join("state/grants.json");
        let (one, other) = (LastingGrants::new(path.clone(), 30), LastingGrants::new(path.clone(), 30));
        one.add(vec![edits("/a")]).unwrap();
        assert_eq!(other.find(|grant| *grant == edits("/a")), Some(edits("/a")));
        other.add(vec![edits("/b")]).unwrap();
        assert_eq!(one.listed().len(), 2);
        assert_eq!(one.listed()[0].1, "30 more days");
        other.set_days(7);
        other.add(vec![edits("/b")]).unwrap();
        assert_eq!(one.listed()[1].1, "7 more days", "another setting counts for new grants");
        assert_eq!(one.revoke(0).unwrap(), Some(edits("/a")));
        assert_eq!(other.find(|grant| *grant == edits("/a")), None);
        assert_eq!(fs::metadata(&path).unwrap().permissions().mode() & 0o777, 0o600);
    }

    #[test]
    fn a_grant_expires() {
        let home = tempfile::tempdir().unwrap();
        let path = home.path().join("grants.json");
        LastingGrants::new(path.clone(), 0).add(vec![edits("/a")]).unwrap();
        assert_eq!(LastingGrants::new(path, 30).listed(), []);
    }

    #[test]
    fn a_broken_file_grants_nothing_and_can_be_replaced() {
        let home = tempfile::tempdir().unwrap();
        let path = home.path().join("grants.json");
        fs::write(&path, "{ not json").unwrap();
        let grants = LastingGrants::new(path, 30);
        assert_eq!(grants.listed(), []);
        grants.add(vec![edits("/a")]).unwrap();
        assert_eq!(grants.listed().len(), 1);
    }
}
