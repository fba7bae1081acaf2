//! May this happen, and how?
//!
//! A tool describes what a call would do as an [`Intent`]. [`Permissions`] judges it: built-in denials, then the person's deny rules, then
//! grants, then the person's other rules, then the [`PermissionMode`]. A command line is read part by part before it is judged (`command`).
//! [`Surroundings`] say where: the project, the home directory, shellmate's own directories. Text for a model is cleared of secrets
//! here too (`redact`). `sandbox` confines the commands that run. `trust` knows the projects that the person trusts. Uses: text, repository.

pub(crate) mod command;
mod grants;
mod intent;
mod lasting;
mod mode;
mod offers;
mod permissions;
#[cfg(test)]
mod permissions_tests;
mod places;
mod redact;
mod rule;
mod sandbox;
mod shared_file;
mod trust;

pub(crate) use grants::{Grant, GrantOffer, GrantPlace, GrantScope, GrantWidth, Grants};
pub(crate) use intent::Intent;
pub(crate) use lasting::LastingGrants;
pub(crate) use mode::{ModeChoice, PermissionMode};
pub(crate) use permissions::{Consent, DecidedBy, GrantOffers, Judgement, ModeSettings, Permissions, Verdict};
pub(crate) use places::{EditReach, OwnPlaces, Surroundings, holds_credentials};
pub use redact::Redactor;
pub(crate) use redact::{MaskedReader, Masking};
pub(crate) use rule::{PermissionRule, RuleDecision, RuleText};
pub(crate) use sandbox::{
    Abilities, Applied, Backend, CommandRequest, ConfinedCommand, Confinement, HelperReport, Network, PrivateTemp,
    ReportedEnd, SANDBOX_HELPER, SandboxChange, SandboxError, SandboxException, SandboxLevel, SandboxProfile,
    best_backend, inherit, protect_memory, run_helper,
};
pub(crate) use trust::{
    ProjectFiles, ProjectFilesError, ProjectSettings, RefusedSetting, TrustError, TrustState, TrustStore,
};
