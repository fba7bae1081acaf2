//! git.

pub(super) mod branches;
pub(super) mod changes;
pub(super) mod commands;
pub(super) mod remotes;
mod repo;
