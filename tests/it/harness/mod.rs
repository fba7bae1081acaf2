//! A terminal for tests: a pseudo-terminal with a screen model, functions that type, and its own home directory.
//!
//! `Term::new(Shell::Zsh).start()` runs shellmate with that shell; `.bare()` runs the plain shell instead, so
//! that the two can be compared. The environment is cleared, HOME and every XDG directory are inside a temporary directory,
//! and dropping a `Term` ends everything that was started in it. A test always waits for something to appear, on a condition
//! variable, with a deadline that prints the screen, the last bytes and the log.

// Not every key and helper is used by a test.
#![allow(dead_code, unused_imports)]

mod all;
mod builder;
mod counting;
mod keys;
mod model;
mod namespace;
mod picture;
mod pty;
mod record;
mod screen;
mod shell;
mod term;
mod tls;

pub(crate) use all::{all, in_every_shell};
pub(crate) use builder::{Builder, PROGRAM};
pub(crate) use counting::{STRACE, can_count, can_trace, instructions, transfers};
pub(crate) use keys::Key;
pub(crate) use model::{Model, ModelRequest, Reply};
pub(crate) use namespace::in_a_namespace;
pub(crate) use picture::picture;
pub(crate) use record::{HistoryEntry, in_short};
pub(crate) use screen::{patience, text_of};
pub(crate) use shell::{Shell, available, available_file, release, shells};
pub(crate) use term::{ProgramOutput, Term, end_all_below};
pub(crate) use tls::{Authority, CertificateKind, HttpVersion, Proxy};
