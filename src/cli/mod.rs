//! The front door for people.

pub mod history;

use std::ffi::OsString;
use std::process::ExitCode;

use crate::host::Wishes;

use invocation::Invocation;
use report::Report;

/// Runs the program for the given arguments.
pub fn main(args: impl Iterator<Item = OsString>) -> ExitCode {
    let args: Vec<OsString> = args.collect();
    let arg0 = args.first().cloned().unwrap_or_default();
    match invocation::classify(&args) {
        Ok(Invocation::Exec { shell, args, .. }) => start::become_shell(&arg0, shell, args),
        Ok(Invocation::Wrap { shell, login, interactive, shell_args }) => {
            let login = login && !arg0.as_encoded_bytes().starts_with(b"-");
            start::host_shell(shell, interactive, Wishes { arg0, login, args: shell_args })
        }
        Ok(Invocation::Command) => ExitCode::SUCCESS,
        Err(error) => Report::from(anyhow::Error::new(error)).print(),
    }
}
