//! Keys, and the conversation line they are typed into.
//!
//! The [`Decoder`] turns the bytes of a terminal into keys and pastes, however the bytes are split. The [`LineEditor`] is fed keys and
//! never reads a descriptor, so bytes that it did not take stay with its caller. Both are pure: output is appended to the given `Vec`,
//! and completions (files, commands, models) come from [`Offers`]. Only [`QueryHistory`] uses a file, at the path it is given. This room uses
//! no terminal, no shell and no clock. The [`KeyMap`] says which key does what; the person can change it.

mod chord;
pub(crate) mod decode;
mod filter;
mod hotkey;
mod key;
mod keymap;
mod line;
mod replies;

pub(crate) use decode::Decoder;
pub(crate) use filter::FilterText;
pub(crate) use hotkey::{Hotkey, UnknownHotkey};
pub(crate) use key::{Code, Input, Key};
pub(crate) use keymap::{KeyAction, KeyActionInfo, KeyClash, KeyContext, KeyMap};
pub(crate) use line::{
    EditOutcome, Editing, EditorScreen, FoundPath, FoundReferences, LineEditor, Offers, QueryHistory, RecentCommand,
    Verb, forget_queries, keep_query, read_queries,
};
pub(crate) use replies::are_replies;
