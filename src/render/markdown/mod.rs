//! Markdown that arrives in pieces.
//!
//! Blocks are told line by line, inline markup by pulldown-cmark. What is final depends on the source alone, never on how it was cut;
//! what is live is a guess that the next piece may better. The open block is capped, so that the cost is linear.

mod block;
mod inline;
mod live;
mod preview;
mod stream;
mod table;
mod text;

pub(super) use stream::Stream;
