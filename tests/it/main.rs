//! The whole program, driven through a real terminal with the real shells.
//!
//! One binary, so that it links once. `harness` is the terminal; every other file tests one behaviour. A test waits for
//! the text it expects and never sleeps.

#![allow(clippy::unwrap_used, clippy::expect_used, clippy::print_stderr)]

mod accepting;
mod aid;
mod ask;
mod attacks;
mod background;
mod binary;
mod bindings;
mod ble;
mod bytes;
mod capture;
mod commands;
mod connect;
mod conversations;
mod cost;
mod crowd;
mod differential;
mod directives;
mod doctor;
mod documents;
mod exec_forms;
mod exit;
mod export;
mod failopen;
mod figures;
mod finder;
mod follow;
mod forged;
mod frameworks;
mod gnu_screen;
mod harness;
mod history;
mod hooks;
mod hostile;
mod hotkey;
mod init;
mod inline;
mod keys;
mod line;
mod look;
mod manual;
mod memory;
mod nested;
mod own_commands;
mod package;
mod painted;
mod promises;
mod prompts;
mod providers;
mod query;
mod recall;
mod recorded;
mod recording;
mod reflex;
mod rooms;
mod sandbox;
mod screens;
mod settings;
mod skills;
mod start;
mod terminal;
mod tls;
mod tmux;
mod transcript;
mod turbulence;
mod typing;
mod undo;
mod usage;
mod user_hooks;
mod waits;
mod window;
mod wire;
