//! Keys, and the conversation line they are typed into.
//!
//! The [`Decoder`] turns a terminal's bytes into keys and pastes, however they are cut; the [`LineEditor`] is an editor that is driven
//! with them and never reads a descriptor, so that whoever lends it the keyboard has back every byte it did not take. Both are pure:
//! what is painted goes into the `Vec` that is given, and what cannot be known from keys (files, commands, models) comes from
//! [`Offers`]. Only [`History`] touches a file, the one it is given. Never: a terminal, a shell, a clock.

mod decode;
mod hotkey;
mod key;
mod line;

pub use decode::{Decoder, PASTE_CAP};
pub use hotkey::{Hotkey, UnknownHotkey};
pub use key::{Code, Input, Key, Mods};
pub use line::{Editing, EditorScreen, Files, History, LineEditor, Offers, Outcome, Recent, Verb};
