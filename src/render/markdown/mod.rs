//! Renders Markdown that arrives in pieces.
//!
//! Blocks are recognised line by line, inline markup by pulldown-cmark. Final output depends only on the source, never on how it was split.
//! Live output is a guess that the next piece may correct. The size of the open block is limited, so the total cost is linear.

mod block;
mod inline;
mod live;
mod preview;
mod stream;
mod table;
mod text;

pub(super) use stream::Stream;
