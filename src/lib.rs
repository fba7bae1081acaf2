//! A companion that lives inside your shell's terminal.
//!
//! Bytes:  tty ⇄ session ⇄ host      the user's terminal, us, the shell
//! Sense:  track, capture            what was run, where, and what it printed
//! Words:  chat, text                 of an exchange, and as terminals see them
//! Mind:   agent → provider          a query becomes an answer; models over HTTP
//! Ask:    input                     keys, and the line of a conversation
//! Show:   render                    what the agent does, as bytes for the terminal
//! Memory: store                     every command, searchable
//! Hands:  tool, guard               what the agent can do, and what it may
//! Doors:  cli, config               how people come in, and what they wish
//!
//! The library half exists so that tests, fuzzers and benches link the real code; there is no semver promise.

pub mod agent;
pub mod capture;
pub mod chat;
pub mod cli;
pub mod config;
pub mod guard;
pub mod host;
pub mod input;
pub mod provider;
pub mod render;
pub mod session;
pub mod store;
pub mod text;
pub mod tool;
pub mod track;
pub mod tty;
