//! Reports when a record is stored.

use std::sync::{Arc, OnceLock};

use tokio::sync::watch;

/// Resolves to the id of a record once it is stored.
#[derive(Debug, Clone)]
pub(crate) struct Ticket {
    /// Apart from `settled`, whose value is behind a lock: the session's loop asks for it.
    id: Arc<OnceLock<i64>>,
    settled: watch::Receiver<bool>,
}

/// The writer's half of a ticket. If it is dropped before the record is stored, the record is lost.
pub(super) struct Stub {
    id: Arc<OnceLock<i64>>,
    settled: watch::Sender<bool>,
}

impl Ticket {
    pub(super) fn new() -> (Stub, Ticket) {
        let (id, (sender, settled)) = (Arc::<OnceLock<i64>>::default(), watch::channel(false));
        (Stub { id: Arc::clone(&id), settled: sender }, Ticket { id, settled })
    }

    /// The ticket of a record that is stored already.
    pub(crate) fn of(id: i64) -> Ticket {
        Ticket { id: Arc::new(OnceLock::from(id)), settled: watch::channel(true).1 }
    }

    pub(crate) fn id(&self) -> Option<i64> {
        self.id.get().copied()
    }

    /// Returns when the record is stored, or never will be.
    pub(crate) async fn settled(&self) {
        let _ = self.settled.clone().wait_for(|is_settled| *is_settled).await;
    }
}

impl Stub {
    pub(super) fn stored(&self, id: i64) {
        let _ = self.id.set(id);
        self.settled.send_replace(true);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[tokio::test]
    async fn a_ticket_resolves_when_its_record_is_stored_or_dropped() {
        let (stub, ticket) = Ticket::new();
        assert_eq!(ticket.id(), None);
        stub.stored(7);
        ticket.settled().await;
        drop(stub);
        assert_eq!(ticket.id(), Some(7));
        let (stub, ticket) = Ticket::new();
        drop(stub);
        ticket.settled().await;
        assert_eq!((ticket.id(), Ticket::of(3).id()), (None, Some(3)));
    }
}
