//! What the conversation line needs of the session: completions, and the person's own editor.

mod editor;
mod offers;

pub(super) use editor::Editor;
