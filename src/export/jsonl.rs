//! JSON lines: one for the conversation, then one for each exchange.

use serde::Serialize;

use super::Document;

#[derive(Serialize)]
struct Head<'a> {
    title: &'a str,
    facts: &'a [String],
}

pub(super) fn lines(document: &Document) -> String {
    let head = Head { title: &document.title, facts: &document.facts };
    let head = serde_json::to_string(&head).into_iter();
    let exchanges = document.exchanges.iter().filter_map(|exchange| serde_json::to_string(exchange).ok());
    head.chain(exchanges).map(|line| line + "\n").collect()
}
