//! `shellmate reflex`: explains and corrects failed commands by the built-in rules.

use std::borrow::Cow;
use std::ffi::OsString;
use std::io::{self, BufRead, Read, Write};
use std::path::PathBuf;
use std::process::ExitCode;

use anyhow::{Context, Result, bail};
use serde::{Deserialize, Deserializer, Serialize};

use crate::capture;
use crate::reflex::{self, Diagnosis, FailedCommand, Machine};
use crate::text;

/// Maximum output of one failure, in bytes. The rules look at less.
const OUTPUT_CAP: u64 = 16 * 1024 * 1024;

/// Maximum length of a line of JSON, in which a byte of output may take six bytes (`\u001b`).
const LINE_CAP: u64 = 6 * OUTPUT_CAP;

/// Assumed size of the terminal that the output was printed on. It is wide enough for ordinary lines.
const ROWS: u16 = 100;
const COLS: u16 = 400;

#[derive(Debug, clap::Args)]
#[command(after_help = "For example:  make 2>&1 | tee log; shellmate reflex --status 2 make < log")]
pub(crate) struct Args {
    /// The command that failed. What it printed is read from stdin.
    #[arg(required_unless_present = "json", conflicts_with = "json", trailing_var_arg = true)]
    command: Vec<String>,

    /// Read one JSON object per line (command, output, status, cwd) and print one per line (explanation, proposals).
    #[arg(long)]
    json: bool,

    /// The command's exit status.
    #[arg(long, value_name = "N", conflicts_with = "json", allow_negative_numbers = true)]
    status: Option<i32>,

    /// The directory that the command ran in. By default the current one.
    #[arg(long, value_name = "DIR", conflicts_with = "json")]
    cwd: Option<PathBuf>,
}

/// A failure in JSON. Unknown fields are ignored.
#[derive(Debug, Deserialize)]
struct ReportedFailure {
    command: JsonBytes,
    #[serde(default)]
    output: Option<JsonBytes>,
    /// A value that is not an exit status is ignored.
    #[serde(default, deserialize_with = "status")]
    status: Option<i32>,
    #[serde(default)]
    cwd: Option<PathBuf>,
}

/// A JSON string that need not be valid Unicode. Programs that captured bytes pass them on raw or as single surrogates.
#[derive(Debug, Default)]
struct JsonBytes(Vec<u8>);

impl<'de> Deserialize<'de> for JsonBytes {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        struct BytesVisitor;

        impl serde::de::Visitor<'_> for BytesVisitor {
            type Value = JsonBytes;

            fn expecting(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
                f.write_str("a string")
            }

            fn visit_bytes<E>(self, bytes: &[u8]) -> Result<JsonBytes, E> {
                Ok(JsonBytes(bytes.to_owned()))
            }

            fn visit_byte_buf<E>(self, bytes: Vec<u8>) -> Result<JsonBytes, E> {
                Ok(JsonBytes(bytes))
            }
        }

        deserializer.deserialize_byte_buf(BytesVisitor)
    }
}

fn status<'de, D: Deserializer<'de>>(deserializer: D) -> Result<Option<i32>, D::Error> {
    let reported = Option::<serde_json::Value>::deserialize(deserializer)?;
    Ok(reported.and_then(|reported| reported.as_i64()).and_then(|status| i32::try_from(status).ok()))
}

#[derive(Serialize)]
struct JsonError {
    error: String,
}

/// Answers one failure in text, or a stream of failures in JSON.
pub(crate) fn run(args: Args, input: &mut impl BufRead, is_terminal: bool, out: &mut impl Write) -> Result<ExitCode> {
    if args.json {
        return stream(input, out).map(|()| ExitCode::SUCCESS);
    }
    let mut output = Vec::new();
    if !is_terminal {
        input.take(OUTPUT_CAP).read_to_end(&mut output).context("cannot read the output from stdin")?;
    }
    let reported = ReportedFailure {
        command: JsonBytes(args.command.join(" ").into_bytes()),
        output: Some(JsonBytes(output)),
        status: args.status,
        cwd: args.cwd,
    };
    if reported.cwd.as_ref().is_some_and(|cwd| !cwd.is_dir()) {
        bail!("there is no directory {}", reported.cwd.unwrap_or_default().display());
    }
    let (answer, _) = answer(&reported, machine());
    print(&answer, out)?;
    Ok(ExitCode::from(u8::from(answer == Diagnosis::default())))
}

/// Answers each line with one line. Blank lines are skipped, and a wrong line gets an `error`.
fn stream(input: &mut impl BufRead, out: &mut impl Write) -> Result<()> {
    let mut machine = machine();
    let mut line = Vec::new();
    while read_line(input, &mut line).context("cannot read stdin")? {
        if line.trim_ascii().is_empty() {
            continue;
        }
        let reported = match u64::try_from(line.len()) {
            Ok(length) if length < LINE_CAP => {
                serde_json::from_slice::<ReportedFailure>(&line).map_err(|error| error.to_string())
            }
            _ => Err(format!("longer than {LINE_CAP} bytes")),
        };
        match reported {
            Ok(reported) => {
                let found;
                (found, machine) = answer(&reported, machine);
                super::json::print(&found, out)?;
            }
            Err(error) => super::json::print(&JsonError { error: format!("not a failure in JSON: {error}") }, out)?,
        }
        // The program may wait for each answer.
        out.flush()?;
    }
    Ok(())
}

/// Reads a line, up to `LINE_CAP` bytes. Returns false at the end of the input.
fn read_line(input: &mut impl BufRead, line: &mut Vec<u8>) -> io::Result<bool> {
    line.clear();
    let read = input.by_ref().take(LINE_CAP).read_until(b'\n', line)?;
    if line.len() as u64 == LINE_CAP && !line.ends_with(b"\n") {
        input.skip_until(b'\n')?;
    }
    Ok(read > 0)
}

fn machine() -> Machine {
    let here = std::env::current_dir().unwrap_or_default();
    let environment: Vec<(OsString, OsString)> = std::env::vars_os().collect();
    Machine::new(here, environment, reflex::builtins(), Vec::new())
}

/// The answer of the rules, and the machine, whose cached facts serve the next failure.
fn answer(reported: &ReportedFailure, machine: Machine) -> (Diagnosis, Machine) {
    let here = std::env::current_dir().unwrap_or_default();
    let cwd = reported.cwd.as_deref().map_or_else(|| here.clone(), |cwd| here.join(cwd));
    let machine = machine.seen_from(cwd.clone());
    let command = String::from_utf8_lossy(&reported.command.0);
    let output = reported.output.as_ref().map_or(Cow::Borrowed(""), |output| shown(&output.0));
    let failure = FailedCommand { command: &command, output: &output, status: reported.status, cwd: &cwd };
    (reflex::diagnose(&failure, &machine), machine)
}

/// The output as a terminal would show it. Output without escapes, overwritten text and bells is used as it is.
fn shown(output: &[u8]) -> Cow<'_, str> {
    let is_drawn = |at: usize| output[at] != b'\r' || output.get(at + 1) != Some(&b'\n');
    let is_rung = memchr::memchr2(b'\0', b'\x07', output).is_some();
    if is_rung || memchr::memchr3_iter(b'\x1b', b'\x08', b'\r', output).any(is_drawn) {
        Cow::Owned(capture::render(output, capture::Size::new(ROWS, COLS)))
    } else {
        // Checking for valid UTF-8 is much faster than a lossy conversion.
        std::str::from_utf8(output).map_or_else(|_| String::from_utf8_lossy(output), Cow::Borrowed)
    }
}

/// The explanation, then the proposed commands, each with its reason as a shell comment.
fn print(answer: &Diagnosis, out: &mut impl Write) -> io::Result<()> {
    if *answer == Diagnosis::default() {
        writeln!(out, "nothing is known about this failure")?;
    }
    if !answer.explanation.is_empty() {
        writeln!(out, "{}", text::sanitize(&answer.explanation))?;
    }
    for proposal in &answer.proposals {
        writeln!(out, "  {}  # {}", proposal.command, text::sanitize(&proposal.why))?;
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
        let found = answers(&format!("{{\n\n{{\"output\": \"x\"}}\n{good}\r\n[]"));
        assert!(found[0]["error"].as_str().unwrap().contains("JSON"));
        assert!(found[1]["error"].as_str().unwrap().contains("command"));
        assert_eq!(found[2]["proposals"][0]["command"], "git push");
        assert!(found[3]["error"].is_string());
        assert_eq!(found.len(), 4);
    }

    #[test]
    fn colours_and_overwritten_lines_change_nothing() {
        let plain = "error: no such command: `biuld`\n\nhelp: a command with a similar name exists: `build`\n";
        let drawn = "\x1b]0;cargo\x07\x1b[1m\x1b[91merror\x1b[0m: no such cz\x08ommand: `biuld`\r\n\r\nUpdating 10%\rhelp: a command with \
                     a similar name exists: `\x1b[32mbuild\x1b[0m`\r\n";
        let asked = |output: &str| json!({"command": "cargo biuld", "status": 101, "output": output}).to_string();
        let found = answers(&format!("{}\n{}\n", asked(plain), asked(drawn)));
        assert_eq!(found[0]["proposals"][0]["command"], "cargo build");
        assert_eq!(found[0], found[1]);
    }

    #[test]
    fn invalid_unicode_is_answered() {
        let lone = r#"{"command":"gti\udcff status","output":"bash: gti\udcff: command not found","status":127}"#;
        let mut raw =
            br#"{"command":"git psuh","status":1e99,"output":"git: 'psuh' is not a git command \u0000"#.to_vec();
        raw.extend(b"\xff\xfe\"}\n");
        raw.extend(lone.as_bytes());
        let mut out = Vec::new();
        stream(&mut raw.as_slice(), &mut out).unwrap();
        let found: Vec<Value> =
            String::from_utf8(out).unwrap().lines().map(|line| serde_json::from_str(line).unwrap()).collect();
        assert_eq!(found[0]["proposals"][0]["command"], "git push");
        assert!(found[1]["explanation"].is_string());
        assert_eq!(found.len(), 2);
    }

    #[test]
    fn all_fields_but_the_command_are_optional() {
        let found = answers("{\"command\":\"true\",\"output\":null,\"status\":null,\"cwd\":\"/no/such/place\"}");
        assert_eq!(found[0]["proposals"], json!([]));
    }
}
