//! The exit code, nothing else.

use std::process::ExitCode;

fn main() -> ExitCode {
    shellmate::main(std::env::args_os())
}
