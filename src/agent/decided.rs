//! The decision about a call as it is recorded.

use super::Decision;
use super::refusal::Refusal;
use crate::chat::{CallDecision, Decider};
use crate::guard::{DecidedBy, GrantScope};

/// A call that needed no question.
pub(super) fn allowed(by: &DecidedBy) -> CallDecision {
    let (by, reason) = source(by);
    CallDecision { allowed: true, by, reason }
}

/// A call that was approved. `None` if it was not.
pub(super) fn approved(decision: &Decision) -> Option<CallDecision> {
    let (by, reason) = match decision {
        Decision::Once => (Decider::Person, ""),
        Decision::Granted { scope: GrantScope::Session, .. } => (Decider::Person, "for this session"),
        Decision::Granted { scope: GrantScope::Project, .. } => (Decider::Person, "for this project"),
        Decision::Granted { scope: GrantScope::Everywhere, .. } => (Decider::Person, "everywhere"),
        Decision::AutoMode => (Decider::Person, "and switched to auto mode"),
        Decision::ByOption => (Decider::Yes, ""),
        Decision::No { .. } | Decision::Unasked { .. } => return None,
    };
    Some(CallDecision { allowed: true, by, reason: reason.to_owned() })
}

/// A call that does not run.
pub(super) fn refused(refusal: &Refusal) -> CallDecision {
    let (by, reason) = match refusal {
        Refusal::Invalid(_) => (Decider::Check, "it cannot be made as it is".to_owned()),
        Refusal::Placeholder(_) => (Decider::Check, "it contains a masked secret".to_owned()),
        Refusal::Forbidden { by, .. } => source(by),
        Refusal::Hook(why) => (Decider::Hook, why.clone()),
        Refusal::Declined { why } => (Decider::Person, why.clone().unwrap_or_default()),
        Refusal::Unasked(_) => (Decider::Nobody, String::new()),
        Refusal::Interrupted => (Decider::Person, "stopped".to_owned()),
    };
    CallDecision { allowed: false, by, reason }
}

fn source(by: &DecidedBy) -> (Decider, String) {
    match by {
        DecidedBy::Denial => (Decider::BuiltIn, String::new()),
        DecidedBy::Rule(rule) => (Decider::Rule, rule.clone()),
        DecidedBy::Grant(grant) => (Decider::Grant, grant.clone()),
        DecidedBy::Hook => (Decider::Hook, String::new()),
        DecidedBy::Mode(mode, why) => (Decider::Mode, format!("{}: {why}", mode.name())),
    }
}
