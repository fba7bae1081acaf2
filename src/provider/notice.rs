//! What a person is told once, not with each request.

use std::collections::HashSet;
use std::sync::Mutex;

use super::{Delta, Effort, Request};

/// Remembers what was said already.
#[derive(Debug, Default)]
pub(super) struct Notices {
    said: Mutex<HashSet<(String, Effort)>>,
}

impl Notices {
    /// Says that a model cannot think as hard or as little as asked for, the first time.
    pub(super) fn clamped(&self, request: &Request, known: &[Effort], deltas: &mut (dyn FnMut(Delta) + Send)) {
        let Request { model, effort, .. } = request;
        let words = match effort.nearest(known) {
            Some(nearest) if nearest == *effort => return,
            Some(nearest) => format!("{model} does not think at level {effort} here; {nearest} is used"),
            // Nobody asked for the default.
            None if *effort == Effort::default() || *effort == Effort::Off => return,
            None => format!("{model} cannot be told how hard to think; level {effort} has no effect"),
        };
        let is_new = match self.said.lock() {
            Ok(mut said) => said.insert((model.clone(), *effort)),
            Err(_) => false,
        };
        if is_new {
            deltas(Delta::Notice(words));
        }
    }
}
