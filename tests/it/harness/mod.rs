//! A terminal for tests: a pseudo-terminal with a screen, a person who types, and a home directory of its own.
//!
//! `Term::new(Shell::Zsh).start()` runs the program under test around that shell; `.bare()` runs the plain shell instead, so
//! that the two can be compared. The environment is cleared, HOME and every XDG directory are inside a temporary directory,
//! and dropping a `Term` ends everything that was started in it. Waiting is always for something to be seen, on a condition
//! variable, with a deadline that prints the screen, the last bytes and the log.

// A terminal has more keys than today's tests press.
#![allow(dead_code, unused_imports)]

mod all;
mod builder;
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
pub(crate) use keys::Key;
pub(crate) use model::{Asked, Model, Reply};
pub(crate) use namespace::in_a_namespace;
pub(crate) use picture::picture;
pub(crate) use record::{Record, in_short};
pub(crate) use screen::{patience, text_of};
pub(crate) use shell::{Shell, available, available_file, shells};
pub(crate) use term::{Output, Term, end_all_below};
pub(crate) use tls::{Authority, Certificate, Http, Proxy};
