//! The everyday tools.

pub(super) mod archives;
pub(super) mod files;
pub(super) mod options;
pub(super) mod search;
pub(super) mod system;
