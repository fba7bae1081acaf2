//! An agent for tests, without a thread: the test reads the orders and sends the news.

use std::cell::Cell;
use std::io::Write;
use std::os::unix::net::UnixStream;
use std::sync::mpsc::{SyncSender, sync_channel};

use tokio::sync::mpsc::{UnboundedReceiver, unbounded_channel};

use super::{AgentLink, BACKLOG, News, Order};

/// The agent's end of the link.
pub(in crate::session) struct ScriptedAgent {
    orders: UnboundedReceiver<Order>,
    tell: SyncSender<(u64, News)>,
    awaken: UnixStream,
}

impl AgentLink {
    pub(in crate::session) fn scripted() -> (AgentLink, ScriptedAgent) {
        let (wake, awaken) = UnixStream::pair().unwrap();
        wake.set_nonblocking(true).unwrap();
        let (tell, news) = sync_channel(BACKLOG);
        let (orders, incoming) = unbounded_channel();
        let link = AgentLink {
            orders,
            news,
            wake,
            thread: std::thread::current(),
            open: Cell::new(0),
            gone: Cell::new(false),
        };
        (link, ScriptedAgent { orders: incoming, tell, awaken })
    }
}

impl ScriptedAgent {
    /// The next order, if there is one.
    pub(in crate::session) fn order(&mut self) -> Option<Order> {
        self.orders.try_recv().ok()
    }

    /// The text of the next query, if that is the next order.
    pub(in crate::session) fn query(&mut self) -> Option<String> {
        match self.order()? {
            Order::Answer(question) => Some(question.query.text),
            Order::Command(..) | Order::KeepSecret(_) => None,
        }
    }

    pub(in crate::session) fn tells(&mut self, request: u64, news: News) {
        self.tell.send((request, news)).unwrap();
        self.awaken.write_all(&[1]).unwrap();
    }
}
