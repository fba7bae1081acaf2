//! A companion that lives inside your shell's terminal.
//!
//! Bytes:  tty ⇄ session ⇄ host      the user's terminal, us, the shell
//! Sense:  track, capture            what was run, where, and what it printed
//! Words:  chat, text                 of an exchange, and as terminals see them
//! Mind:   agent → provider          a query becomes an answer; models over HTTP
//! Ask:    input                     keys, and the line of a conversation
//! Show:   render                    what the agent does, as bytes for the terminal
//! Memory: store, usage              every command, searchable, and what questions cost
//! Hands:  tool, guard               what the agent can do, and what it may
//! Reflex: reflex, manual            answers without a model, and the documentation
//! Doors:  cli, config               how people come in, and what they wish
//!
//! The library half exists so that the corpus test and the fuzz targets link the real code. Every room is private; what these
//! need is re-exported below, and there is no semver promise.

mod agent;
mod capture;
mod chat;
mod cli;
mod config;
mod export;
#[cfg(any(test, fuzzing))]
pub mod fuzz;
mod guard;
mod host;
mod input;
mod manual;
mod provider;
mod reflex;
mod render;
mod session;
mod store;
mod text;
mod tool;
mod track;
mod tty;
mod usage;

pub use cli::main;
pub use guard::Redactor;
