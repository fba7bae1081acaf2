//! Notices for the person that are given once, not with each request.

use std::collections::HashSet;
use std::sync::Mutex;

use super::{Delta, Effort, ModelRequest};

/// Remembers which notices were given.
#[derive(Debug, Default)]
pub(super) struct Notices {
    said: Mutex<HashSet<(String, Effort)>>,
    /// Models of which the person knows that they do not see.
    blind: Mutex<HashSet<String>>,
}

impl Notices {
    /// Tells the person that a model was sent words in place of pictures, once for each model.
    pub(super) fn unseen(&self, model: &str, count: usize, deltas: &mut (dyn FnMut(Delta) + Send)) {
        let is_new = self.blind.lock().is_ok_and(|mut blind| blind.insert(model.to_owned()));
        if is_new {
            let (pictures, were) = if count == 1 { ("a picture", "was") } else { ("pictures", "were") };
            deltas(Delta::Notice(format!("{model} cannot see pictures; it was told that {pictures} {were} left out")));
        }
    }

    /// Tells the person that a model does not have the level of thinking that was asked for, once for each model and level.
    pub(super) fn clamped(&self, request: &ModelRequest, known: &[Effort], deltas: &mut (dyn FnMut(Delta) + Send)) {
        let ModelRequest { model, effort, .. } = request;
        let words = match effort.nearest(known) {
            Some(nearest) if nearest == *effort => return,
            Some(nearest) => format!("{model} has no thinking level {effort} here; using {nearest}"),
            // The person did not ask for the default level.
            None if *effort == Effort::default() || *effort == Effort::Off => return,
            None => format!("{model} has no thinking levels; {effort} has no effect"),
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
