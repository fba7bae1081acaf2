//! A companion that lives inside your shell's terminal.
//!
//! Bytes:  tty ⇄ session ⇄ host      the user's terminal, us, the shell
//! Sense:  track, capture            what was run, where, and what it printed
//! Words:  chat, text                 of an exchange, and as terminals see them
//! Place:  repository, scope         the project that a directory is in, and the settings for it
//! Mind:   agent → provider          a query becomes an answer; models over HTTP
//! Ask:    input                     keys, and the line of a conversation
//! Show:   render                    what the agent does, as bytes for the terminal
//! Memory: store, usage              every command, searchable, and what questions cost
//! Hands:  tool, guard, undo         what the agent can do, what it may, and how that is taken back
//! Reflex: reflex, manual            answers without a model, and the documentation
//! Doors:  cli, config               how people come in, and what they wish
//! Errands: program                  programs of the person, run to their end
//!
//! The library half exists so that the corpus test and the fuzz targets link the real code. Every room is private; what these
//! need is re-exported below, and there is no semver promise.

mod agent;
mod capture;
mod chat;
mod cli;
mod config;
mod export;
#[cfg(any(test, feature = "fuzzing"))]
pub mod fuzz;
#[cfg(test)]
mod growth;
mod guard;
mod hook;
mod host;
mod input;
mod manual;
mod program;
mod provider;
mod reflex;
mod render;
mod repository;
mod scope;
mod session;
mod store;
mod text;
mod tool;
mod track;
mod tty;
mod undo;
mod usage;

pub use cli::main;
pub use guard::Redactor;
