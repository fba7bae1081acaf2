//! What the tests of this room share.

use std::sync::Mutex;

use super::front::Front;
use crate::chat::Event;

/// A front that remembers what it heard.
#[derive(Default)]
pub(super) struct Ear(Mutex<Vec<Event>>);

impl Ear {
    pub(super) fn heard(&self) -> Vec<Event> {
        self.0.lock().unwrap().clone()
    }
}

impl Front for Ear {
    fn hear(&self, event: Event) {
        self.0.lock().unwrap().push(event);
    }
}
