//! Nothing waits in the session's loop but `poll`.
//!
//! A whole session runs under `strace`, which follows only the first thread of a process: the one with the loop. Every system call
//! between the first `poll` and the end of the shell has to be one that cannot wait, or that works on the loop's own descriptors.

use std::collections::BTreeMap;
use std::fs;
use std::path::Path;

use serde_json::json;

use crate::harness::{Key, Model, PROGRAM, Reply, STRACE, Shell, Term, can_trace, in_every_shell};

/// One system call with the functions it was made from, the innermost first.
struct Call {
    line: String,
    name: String,
    frames: Vec<String>,
}

impl Call {
    /// Reads the calls from what `strace -k` wrote.
    fn read_all(trace: &str) -> Vec<Call> {
        let mut calls: Vec<Call> = Vec::new();
        for line in trace.lines() {
            if let Some(frame) = line.strip_prefix(" > ") {
                calls.last_mut().into_iter().for_each(|call| call.frames.push(frame.to_owned()));
            } else if let Some((name, _)) = line.split_once('(').filter(|_| !line.starts_with(['-', '+'])) {
                calls.push(Call { line: line.to_owned(), name: name.to_owned(), frames: Vec::new() });
            }
        }
        calls
    }

    /// The path or kind of the descriptor that is the first argument, as `strace -y` shows it.
    fn descriptor(&self) -> &str {
        let argument = self.line.split([',', ')']).next().unwrap_or_default();
        argument.split_once('<').map_or("", |(_, shown)| shown.trim_end_matches('>'))
    }

    /// Whether the descriptor is a terminal, a pipe or a socket: never a file.
    fn is_on_own_descriptor(&self) -> bool {
        let shown = self.descriptor();
        let kinds = ["/dev/pts/", "/dev/ptmx", "/dev/tty", "pipe:", "socket:", "UNIX", "anon_inode:"];
        // The FIFO to the hook, opened without blocking.
        kinds.iter().any(|kind| shown.starts_with(kind)) || shown.ends_with("/directives")
    }

    fn cannot_wait(&self) -> bool {
        match self.name.as_str() {
            "poll" | "ppoll" | "restart_syscall" | "rt_sigreturn" => true,
            "read" | "write" | "recvfrom" | "sendto" | "ioctl" | "fcntl" | "close" => self.is_on_own_descriptor(),
            // Memory, without a file behind it.
            "mmap" => self.line.contains("MAP_ANONYMOUS"),
            "brk" | "munmap" | "mremap" | "madvise" | "mprotect" => true,
            // A thread is started, or woken. A pair of sockets wakes the loop.
            "clone" | "clone3" | "rt_sigprocmask" | "rt_sigaction" | "sched_getaffinity" | "socketpair" => true,
            "futex" => self.line.contains("FUTEX_WAKE"),
            "wait4" | "waitid" => self.line.contains("WNOHANG"),
            "kill" | "tgkill" | "getpid" | "getsid" | "getrandom" => true,
            _ => false,
        }
    }

    /// Why a call may stay though it could wait.
    fn excuse(&self) -> Option<&'static str> {
        let is_of_shell =
            self.line.contains("/proc/") && ["/stat", "/comm"].iter().any(|file| self.line.contains(file));
        let is_from = |names: &[&str]| self.frames.iter().any(|frame| names.iter().any(|name| frame.contains(name)));
        match self.name.as_str() {
            "openat" | "read" | "close" | "statx" | "lseek" if is_of_shell => {
                Some("names the program in front where another shell may have started; no device is behind /proc")
            }
            "openat" | "statx" | "lseek" | "fstat" if self.line.contains("/dev/pts/") => Some(
                "takes back keys that the shell has not read, when a conversation opens; no device is behind a pty",
            ),
            "futex" if is_from(&["malloc", "calloc", "realloc", "free"]) => {
                Some("threads share one heap, whose lock is held for a few instructions")
            }
            "futex" if is_from(&["tokio"]) => {
                Some("the agent's runtime is woken, whose lock is held for a few instructions")
            }
            _ => None,
        }
    }

    /// The functions that made the call, as far as they are known.
    fn place(&self) -> String {
        let names = self.frames.iter().filter_map(|frame| {
            let name = &frame[frame.find('(')? + 1..];
            Some(name.split("+0x").next().unwrap_or(name).to_owned())
        });
        names.take(8).collect::<Vec<_>>().join(" < ")
    }
}

/// The calls of the loop: from its first `poll` until the shell has ended. What comes then, with limits of its own, is the farewell.
fn of_the_loop(calls: Vec<Call>) -> Vec<Call> {
    let is_first = |call: &Call| call.name == "poll" && call.line.contains("/dev/ptmx");
    let has_ended = |call: &Call| call.name == "wait4" && call.line.contains("WIFEXITED");
    let polled: Vec<Call> = calls.into_iter().skip_while(|call| !is_first(call)).collect();
    assert!(polled.iter().any(has_ended), "the first thread has no loop that sees the shell end");
    polled.into_iter().take_while(|call| !has_ended(call)).collect()
}

/// What may have waited, each once: how often, one such call, and where it was made.
fn offenders(trace: &Path) -> String {
    let trace = fs::read_to_string(trace).unwrap();
    let mut found: BTreeMap<(String, String), (usize, String)> = BTreeMap::new();
    let calls = of_the_loop(Call::read_all(&trace)).into_iter();
    for call in calls.filter(|call| !call.cannot_wait() && call.excuse().is_none()) {
        let entry = found.entry((call.place(), call.name.clone())).or_insert((0, call.line));
        entry.0 += 1;
    }
    let lines = found.into_iter().map(|((place, _), (count, line))| format!("{count} × {line}\n    in {place}\n"));
    lines.collect()
}

/// A session with everything that a person does in one.
fn live(shell: Shell, term: &mut Term) {
    term.wait_for_prompt();
    term.run("echo some output");
    term.run("cd /usr");
    term.run("cd");
    term.run("sh -c 'exit 3'");
    term.run("gti --version");
    term.wait_for("perhaps `git --version`");
    term.run("seq 1 20000 | tail -n 15000");
    term.typed("sh -c 'sleep 0.1; echo from behind' &\r");
    term.wait_for_prompt();
    term.typed("> what happened\r");
    term.approve("echo the tool ran");
    term.answer("Which one?", '2');
    term.approve("export LIVE=1");
    term.wait_for("That was all.");
    term.wait_for_prompt();
    term.typed(">\r");
    term.wait_for("an empty line closes");
    term.typed("look at @no\t");
    term.wait_for("› look at @notes.txt");
    term.key(Key::Ctrl('g'));
    term.wait_for("from the editor");
    term.typed("\r");
    term.wait_for("So it is.");
    term.wait_for("an empty line closes");
    term.typed("\r");
    term.wait_for_prompt();
    term.run(&format!("echo status {}", shell.status()));
    assert!(term.exit().success());
}

#[test]
fn the_loop_makes_no_call_that_can_wait() {
    if !can_trace() {
        return;
    }
    in_every_shell(|shell| {
        let model = Model::start([
            Reply::calls(&[("bash", json!({ "command": "touch x; echo the tool ran" }))]),
            Reply::calls(&[("ask_user", json!({ "question": "Which one?", "choices": ["one", "two"] }))]),
            Reply::calls(&[("run_in_shell", json!({ "command": "export LIVE=1" }))]),
            Reply::text(["That ", "was all."]),
            Reply::text(["So it is."]),
        ]);
        let builder = Term::new(shell).config("hint = true\n").file("notes.txt", "notes\n");
        let trace = builder.place().join("trace");
        let strace = ["-y", "-k", "-o", trace.to_str().unwrap(), PROGRAM].map(str::to_owned);
        let mut term = builder
            .env("OPENAI_BASE_URL", model.url())
            .env("SHELLMATE_MODEL", "scripted")
            .env("EDITOR", "sh -c 'echo from the editor >> \"$1\"' edit")
            .program(STRACE)
            .args(strace)
            .start();
        live(shell, &mut term);
        let offenders = offenders(&trace);
        assert!(offenders.is_empty(), "{}: the loop may have waited:\n{offenders}", shell.name());
    });
}
