//! What is known about the shell, kept from its output.

mod canvas;
mod wipe_filter;

pub(super) use canvas::Canvas;
pub(super) use wipe_filter::WipeFilter;
