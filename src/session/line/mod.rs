//! Services for the conversation line: completions, and the person's own editor.

mod editor;
mod offers;

pub(super) use editor::Editor;
