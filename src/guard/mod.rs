//! May this happen?
//!
//! A tool describes what a call would do as an [`Intent`]; here it is judged, without knowing which tool asks: what only looks
//! is allowed, what changes something is asked, and so is a look at credentials. What the person has granted for this session
//! is not asked again. What a model gets to read is cleared of secrets here too. Pure: paths arrive absolute and real, nothing is opened or run. Touches: nothing.

mod credentials;
mod grants;
mod intent;
mod redact;

use std::path::{Path, PathBuf};

pub(crate) use credentials::holds_credentials;
pub(crate) use grants::{Grant, Grants};
pub(crate) use intent::Intent;
pub use redact::Redactor;
pub(crate) use redact::{MaskedReader, Masking};

/// What is to be done about an intent.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum Verdict {
    Allow,
    /// Only with a yes from the person.
    Ask,
    /// Not even with a yes; the words say why, to person and model alike.
    Deny(String),
}

/// Where an intent is judged.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Surroundings<'a> {
    /// The directory the person works in; what is below it is theirs to show.
    pub project: &'a Path,
    pub home: Option<&'a Path>,
    /// Directories with our own memory, which no call may change.
    pub private: &'a [PathBuf],
    pub grants: &'a Grants,
}

/// Judges one intent: denials beat grants, grants beat questions.
pub(crate) fn judge(intent: &Intent, around: &Surroundings<'_>) -> Verdict {
    if let Intent::Write { path } = intent
        && around.private.iter().any(|private| path.starts_with(private))
    {
        return Verdict::Deny(format!("{} is shellmate's own memory and not to be written by a tool", path.display()));
    }
    if is_harmless(intent, around) || around.grants.cover(intent, around) { Verdict::Allow } else { Verdict::Ask }
}

fn is_harmless(intent: &Intent, around: &Surroundings<'_>) -> bool {
    match intent {
        Intent::Read { paths } => !paths.iter().any(|path| holds_credentials(path, around.project, around.home)),
        Intent::Ask | Intent::Suggest { .. } => true,
        Intent::Write { .. } | Intent::Run { .. } | Intent::RunInShell { .. } => false,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn judged(intent: &Intent, grants: &Grants) -> Verdict {
        let private = [PathBuf::from("/home/me/.local/state/shellmate")];
        let home = Path::new("/home/me");
        judge(intent, &Surroundings { project: &home.join("app"), home: Some(home), private: &private, grants })
    }

    fn read(path: &str) -> Intent {
        Intent::Read { paths: vec![path.into()] }
    }

    #[test]
    fn looking_is_free_and_changing_is_asked() {
        let none = Grants::default();
        for intent in
            [read("/etc/hosts"), Intent::Read { paths: vec![] }, Intent::Ask, Intent::Suggest { command: "ls".into() }]
        {
            assert_eq!(judged(&intent, &none), Verdict::Allow, "{intent:?}");
        }
        let run = Intent::Run { command: "true".into(), cwd: "/".into() };
        let in_shell = Intent::RunInShell { command: "true".into(), cwd: "/".into() };
        for intent in [run, in_shell, Intent::Write { path: "/home/me/app/a".into() }, read("/home/me/.ssh/id_ed25519")]
        {
            assert_eq!(judged(&intent, &none), Verdict::Ask, "{intent:?}");
        }
    }

    #[test]
    fn one_secret_among_many_paths_is_asked() {
        let intent = Intent::Read { paths: vec!["/etc/hosts".into(), "/home/me/.netrc".into()] };
        assert_eq!(judged(&intent, &Grants::default()), Verdict::Ask);
    }

    #[test]
    fn no_grant_opens_our_own_memory() {
        let grants = Grants::default();
        grants.add(Grant::Edits(PathBuf::from("/home/me")));
        let verdict = judged(&Intent::Write { path: "/home/me/.local/state/shellmate/history.db".into() }, &grants);
        assert!(matches!(verdict, Verdict::Deny(why) if why.contains("history.db")));
    }
}
