//! Which projects the person trusts.
//!
//! A project may bring settings, hooks and skills in its directory `.shellmate`. They count only after the person has agreed, for this
//! project and exactly these contents. Until then the directory can only narrow what the agent may do.

mod difference;
mod files;
mod identity;
mod settings;
mod store;
#[cfg(test)]
mod tests;

pub(crate) use files::{ProjectFiles, ProjectFilesError};
pub(crate) use settings::{ProjectSettings, RefusedSetting};
pub(crate) use store::{TrustError, TrustState, TrustStore};
