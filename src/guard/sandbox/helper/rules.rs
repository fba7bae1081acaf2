//! Landlock: which paths can be read and written, whatever the mounts say.

use std::path::Path;

use landlock::{
    ABI, Access, AccessFs, AccessNet, LandlockStatus, Ruleset, RulesetAttr, RulesetCreatedAttr, Scope,
    path_beneath_rules,
};

use super::super::orders::{LandlockRules, WirePath};
use super::HelperError;

/// The newest version of the interface that we know. An older kernel gets what it supports.
const KNOWN: ABI = ABI::V7;

/// Puts the rules in force for this process and its children. Returns the version of the interface, or `None` without Landlock.
pub(super) fn restrict(rules: &LandlockRules) -> Result<Option<u32>, HelperError> {
    let failed = |error: landlock::RulesetError| HelperError::Call {
        what: "put Landlock in force".to_owned(),
        error: std::io::Error::other(error),
    };
    let apply = || {
        let mut ruleset = Ruleset::default().handle_access(AccessFs::from_all(KNOWN))?.scope(Scope::from_all(KNOWN))?;
        if rules.deny_tcp {
            ruleset = ruleset.handle_access(AccessNet::from_all(KNOWN))?;
        }
        let paths = |paths: &[WirePath]| paths.iter().map(|path| path.as_path().to_owned()).collect::<Vec<_>>();
        ruleset
            .create()?
            // Names in directories are no secret; programs look for their files on the way up.
            .add_rules(path_beneath_rules([Path::new("/")], AccessFs::ReadDir))?
            .add_rules(path_beneath_rules(paths(&rules.read), AccessFs::from_read(KNOWN)))?
            .add_rules(path_beneath_rules(paths(&rules.write), AccessFs::from_all(KNOWN)))?
            .restrict_self()
    };
    match apply().map_err(failed)?.landlock {
        LandlockStatus::Available { effective_abi, .. } => Ok(Some(effective_abi as u32)),
        _ => Ok(None),
    }
}
