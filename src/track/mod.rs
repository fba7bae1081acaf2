//! From bytes to commands. Pure: no files, no clock, no terminal.

mod command;

pub use command::Command;
