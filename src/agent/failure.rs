//! Converts errors of providers into failures of a turn.

use crate::chat::{Failure, FailureKind};
use crate::provider::{ErrorKind, ProviderError, ResolveError};

/// The failure of a turn whose request failed.
pub(super) fn of(error: &ProviderError) -> Failure {
    Failure::new(kind(error.kind()), error.to_string())
}

/// The failure of a turn for which no model could be selected.
pub(crate) fn unresolved(error: &ResolveError) -> Failure {
    let kind = match error {
        ResolveError::Ask(error) => kind(error.kind()),
        _ => FailureKind::Setup,
    };
    Failure::new(kind, error.to_string())
}

fn kind(kind: &ErrorKind) -> FailureKind {
    match kind {
        ErrorKind::Key { .. } | ErrorKind::Forbidden => FailureKind::Auth,
        ErrorKind::Quota => FailureKind::Quota,
        ErrorKind::ModelNotFound { .. } => FailureKind::ModelNotFound,
        ErrorKind::ContextTooLong { .. } => FailureKind::ContextOverflow,
        ErrorKind::RateLimited => FailureKind::RateLimit,
        ErrorKind::Overloaded => FailureKind::Overloaded,
        ErrorKind::Server { .. } => FailureKind::Server,
        ErrorKind::BadRequest { .. } => FailureKind::BadRequest,
        ErrorKind::Certificate => FailureKind::Setup,
        ErrorKind::Moved { .. }
        | ErrorKind::ConnectionRefused { .. }
        | ErrorKind::Unreachable { .. }
        | ErrorKind::Untrusted { .. }
        | ErrorKind::ConnectTimedOut { .. }
        | ErrorKind::Silent { .. } => FailureKind::Network,
        ErrorKind::BrokenOff | ErrorKind::Damaged | ErrorKind::Malformed => FailureKind::DamagedStream,
    }
}
