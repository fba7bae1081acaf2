//! The front door for people.

pub mod args;
pub mod completions;
pub mod config;
pub mod docs;
pub mod doctor;
pub mod invocation;
pub mod log;
pub mod report;

use std::ffi::OsString;
use std::process::ExitCode;

/// Runs the program for the given arguments.
pub fn main(_args: impl Iterator<Item = OsString>) -> ExitCode {
    ExitCode::SUCCESS
}
