//! Word of what becomes of a record.

use tokio::sync::watch;

/// Becomes the id of a record once it is stored.
#[derive(Debug, Clone)]
pub(crate) struct Ticket {
    id: watch::Receiver<Option<i64>>,
}

/// The writer's half. One that is let go before the record was stored says that it never will be.
pub(super) struct Stub {
    id: watch::Sender<Option<i64>>,
}

impl Ticket {
    pub(super) fn new() -> (Stub, Ticket) {
        let (sender, id) = watch::channel(None);
        (Stub { id: sender }, Ticket { id })
    }

    /// Of a record that is stored already.
    pub(crate) fn of(id: i64) -> Ticket {
        Ticket { id: watch::channel(Some(id)).1 }
    }

    pub(crate) fn id(&self) -> Option<i64> {
        *self.id.borrow()
    }

    /// Returns when the record is stored, or never will be.
    pub(crate) async fn settled(&self) {
        let _ = self.id.clone().wait_for(Option::is_some).await;
    }
}

impl Stub {
    pub(super) fn stored(&self, id: i64) {
        self.id.send_replace(Some(id));
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[tokio::test]
    async fn it_is_settled_by_being_stored_or_let_go() {
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
