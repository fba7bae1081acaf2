//! `shellmate reflex`: what the rules say about failures, without a terminal, a store or a model.

use std::ffi::OsString;
use std::io::{self, BufRead, Read, Write};
use std::path::{Path, PathBuf};
use std::process::ExitCode;

use anyhow::{Context, Result, bail};
use serde::{Deserialize, Serialize};

use crate::reflex::{self, Answer, Failure, Machine};

/// Output that is read of one failure; a rule looks at less.
const OUTPUT_CAP: u64 = 16 * 1024 * 1024;

#[derive(Debug, clap::Args)]
#[command(after_help = "For example:  make 2>&1 | tee log; shellmate reflex --status 2 make < log")]
pub struct Args {
    /// The command that failed. What it printed is read from stdin.
    #[arg(required_unless_present = "json", conflicts_with = "json", trailing_var_arg = true)]
    command: Vec<String>,

    /// Read one JSON object a line (command, output, status, cwd) and print one a line (explanation, proposals).
    #[arg(long)]
    json: bool,

    /// The command's exit status.
    #[arg(long, value_name = "N", conflicts_with = "json", allow_negative_numbers = true)]
    status: Option<i32>,

    /// The directory it ran in, instead of this one.
    #[arg(long, value_name = "DIR", conflicts_with = "json")]
    cwd: Option<PathBuf>,
}

/// A failure as a program tells it. Fields it has besides are its own affair.
#[derive(Debug, Deserialize)]
struct Told {
    command: String,
    #[serde(default)]
    output: Option<String>,
    #[serde(default)]
    status: Option<i32>,
    #[serde(default)]
    cwd: Option<PathBuf>,
}

#[derive(Serialize)]
struct Refused {
    error: String,
}

/// Answers one failure for a person, or a stream of them for a program.
pub fn run(args: Args, input: &mut impl BufRead, is_terminal: bool, out: &mut impl Write) -> Result<ExitCode> {
    if args.json {
        return stream(input, out).map(|()| ExitCode::SUCCESS);
    }
    let mut output = Vec::new();
    if !is_terminal {
        input.take(OUTPUT_CAP).read_to_end(&mut output).context("cannot read the output from stdin")?;
    }
    let told = Told {
        command: args.command.join(" "),
        output: Some(String::from_utf8_lossy(&output).into_owned()),
        status: args.status,
        cwd: args.cwd,
    };
    if told.cwd.as_ref().is_some_and(|cwd| !cwd.is_dir()) {
        bail!("there is no directory {}", told.cwd.unwrap_or_default().display());
    }
    let answer = answer(&told);
    print(&answer, out)?;
    Ok(ExitCode::from(u8::from(answer == Answer::default())))
}

fn stream(input: &mut impl BufRead, out: &mut impl Write) -> Result<()> {
    let mut line = Vec::new();
    loop {
        line.clear();
        if input.read_until(b'\n', &mut line).context("cannot read stdin")? == 0 {
            return Ok(());
        }
        if line.trim_ascii().is_empty() {
            continue;
        }
        let text = match serde_json::from_slice::<Told>(&line) {
            Ok(told) => serde_json::to_string(&answer(&told))?,
            Err(error) => serde_json::to_string(&Refused { error: format!("not a failure in JSON: {error}") })?,
        };
        // Whoever asks line by line waits for each answer.
        writeln!(out, "{text}")?;
        out.flush()?;
    }
}

fn answer(told: &Told) -> Answer {
    let here = std::env::current_dir().unwrap_or_default();
    let cwd = told.cwd.as_deref().map_or_else(|| here.clone(), |cwd| here.join(cwd));
    let environment: Vec<(OsString, OsString)> = std::env::vars_os().collect();
    let machine = Machine::new(cwd.clone(), environment, reflex::builtins(), Vec::new());
    let output = told.output.as_deref().unwrap_or_default();
    let cwd: &Path = &cwd;
    reflex::diagnose(&Failure { command: &told.command, output, status: told.status, cwd }, &machine)
}

/// The explanation, then what to run, each with its reason behind it as a comment of the shell's.
fn print(answer: &Answer, out: &mut impl Write) -> io::Result<()> {
    if *answer == Answer::default() {
        writeln!(out, "nothing is known about this failure")?;
    }
    if !answer.explanation.is_empty() {
        writeln!(out, "{}", answer.explanation)?;
    }
    for proposal in &answer.proposals {
        writeln!(out, "  {}  # {}", proposal.command, proposal.why)?;
    }
    out.flush()
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::{Value, json};

    fn answers(input: &str) -> Vec<Value> {
        let mut out = Vec::new();
        stream(&mut input.as_bytes(), &mut out).unwrap();
        String::from_utf8(out).unwrap().lines().map(|line| serde_json::from_str(line).unwrap()).collect()
    }

    #[test]
    fn a_bad_line_does_not_stop_the_rest() {
        let good = json!({
            "command": "git psuh", "status": 1, "unknown": [1],
            "output": "git: 'psuh' is not a git command. See 'git --help'.\n\nThe most similar command is\n\tpush\n",
        });
        let found = answers(&format!("{{\n\n{{\"output\": \"x\"}}\n{good}\n"));
        assert!(found[0]["error"].as_str().unwrap().contains("JSON"));
        assert!(found[1]["error"].as_str().unwrap().contains("command"));
        assert_eq!(found[2]["proposals"][0]["command"], "git push");
        assert_eq!(found.len(), 3);
    }

    #[test]
    fn what_is_not_told_is_not_needed() {
        let found = answers("{\"command\":\"true\",\"output\":null,\"status\":null,\"cwd\":\"/no/such/place\"}");
        assert_eq!(found[0]["proposals"], json!([]));
    }
}
