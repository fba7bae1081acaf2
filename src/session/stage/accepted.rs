//! A query that was accepted and that no hook waits for.

use std::time::{Duration, Instant};

use super::{Floor, Stage};

/// A hook waits within a few milliseconds of the query.
const HOOK_PATIENCE: Duration = Duration::from_secs(2);

impl Stage {
    /// Gives the keyboard back to the shell if a query was accepted long ago and no hook has waited for its answer: the mark was
    /// forged, or the hook was lost. True if it did.
    pub(in crate::session) fn misses_hook(&mut self, now: Instant) -> bool {
        let is_late = self.accepted_at.is_some_and(|then| now.saturating_duration_since(then) > HOOK_PATIENCE);
        let misses = is_late && matches!(self.floor, Floor::Accepted { .. });
        misses.then(|| self.floor = Floor::Shell).is_some()
    }
}
