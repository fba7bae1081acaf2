//! Keys, and the conversation line they are typed into.
//!
//! The [`Decoder`] turns a terminal's bytes into keys and pastes, however they are cut; the [`LineEditor`] is an editor that is driven
//! with them and never reads a descriptor, so that whoever lends it the keyboard has back every byte it did not take. Both are pure:
//! what is painted goes into the `Vec` that is given, and what cannot be known from keys (files, commands, models) comes from
//! [`Offers`]. Only [`History`] touches a file, the one it is given. Never: a terminal, a shell, a clock.

pub(crate) mod decode;
mod hotkey;
mod key;
mod line;

pub(crate) use decode::Decoder;
pub(crate) use hotkey::{Hotkey, UnknownHotkey};
pub(crate) use key::{Code, Input, Key};
pub(crate) use line::{Editing, EditorScreen, History, LineEditor, Offers, Outcome, Recent, Verb};
