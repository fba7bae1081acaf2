//! CPU time and memory, compared with `script` in the same run.
//!
//! Measured on the release build that `tests/run` names in `SHELLMATE_RELEASE`. Processes are counted in any build.

use std::io::Read;
use std::path::PathBuf;
use std::process::{Command, Stdio};

use crate::harness::{
    Authority, Builder, CertificateKind, HttpVersion, Model, PROGRAM, Reply, Shell, Term, available, in_every_shell,
};

/// Bytes of the flood; enough for a few dozen clock ticks.
const FLOOD: u64 = 60_000_000;
/// Bytes of each kind of stream with many escapes.
const ESCAPES: u64 = 24_000_000;
/// Allowed CPU time relative to `script`, whether output goes to a spill file or not.
const FACTOR: f64 = 1.3;
/// The same where the cursor is hidden and shown in every line, each of which is a mode to follow. Measured: 1.2 to 1.4.
const MODES_FACTOR: f64 = 1.7;
/// How much of the machine's own noise is allowed for, at most.
const MOST_NOISE: f64 = 1.5;
/// Threads whose work does not grow with the output: they open the history, remove old files, and record each command once.
const RECORDERS: [&str; 3] = ["store", "journal", "sweep"];
/// How often both programs are measured at most.
const TRIES: usize = 12;
/// Allowed memory of a session before its first query, and after large outputs.
const MEMORY_KIB: u64 = 12 * 1024;
/// While commands follow each other without a pause, pages of code that only the start needs are still mapped.
const BUSY_MEMORY_KIB: u64 = 14 * 1024;
/// Allowed memory of a session after a query, and of `shellmate ask`.
const AFTER_A_QUERY_KIB: u64 = 40 * 1024;
const ASK_KIB: u64 = 30 * 1024;
/// CPU time of `shellmate ask` up to its answer; the budget is 60 ms of waiting, which a busy machine cannot measure.
const ASK_SECONDS: f64 = 0.06;

fn release() -> Option<PathBuf> {
    let path = std::env::var_os("SHELLMATE_RELEASE").map(PathBuf::from);
    if path.is_none() {
        eprintln!("SKIPPED: no release build; `tests/run` makes one");
    }
    path
}

fn ours(program: PathBuf) -> Term {
    Term::new(Shell::Bash).program(program).args(["--shell", "/bin/bash"]).start()
}

/// CPU seconds of one process without its children.
fn cpu_seconds(pid: i32) -> f64 {
    let stat = std::fs::read_to_string(format!("/proc/{pid}/stat")).unwrap();
    let fields: Vec<&str> = stat.rsplit(')').next().unwrap().split_whitespace().collect();
    let ticks: f64 = fields[11..=12].iter().map(|field| field.parse::<f64>().unwrap()).sum();
    ticks / 100.0
}

fn resident_kib(pid: i32) -> u64 {
    let status = std::fs::read_to_string(format!("/proc/{pid}/status")).unwrap();
    let line = status.lines().find(|line| line.starts_with("VmRSS:")).unwrap();
    line.split_whitespace().nth(1).unwrap().parse().unwrap()
}

/// CPU seconds of the threads that see every byte of the output.
fn stream_seconds(pid: i32) -> f64 {
    let tasks = std::fs::read_dir(format!("/proc/{pid}/task")).unwrap().map(|task| task.unwrap().path());
    let nanoseconds = |task: PathBuf| -> Option<f64> {
        let name = std::fs::read_to_string(task.join("comm")).ok()?;
        let is_recorder = RECORDERS.contains(&name.trim());
        let used = std::fs::read_to_string(task.join("schedstat")).ok().filter(|_| !is_recorder)?;
        used.split_whitespace().next()?.parse().ok()
    };
    tasks.filter_map(nanoseconds).sum::<f64>() / 1e9
}

/// CPU seconds for the output of `write`, repeated.
fn flood(term: &mut Term, write: &str, bytes: u64) -> f64 {
    term.wait_for_prompt();
    let before = stream_seconds(term.pid());
    term.count_only(true);
    let start = term.total();
    term.typed(format!("stty -opost; {write} | head -c {bytes}; stty opost\r"));
    term.wait_for_total(start + bytes);
    stream_seconds(term.pid()) - before
}

/// Checks that our CPU time is at most `factor` times that of `script`. The runs of `script` differ only by the noise of the machine, which
/// is allowed for.
fn assert_costs_like_script(name: &str, write: &str, bytes: u64, factor: f64) {
    let Some(program) = release() else { return };
    if !available("script") || !Shell::Bash.available() {
        eprintln!("SKIPPED: no script or no bash to compare with");
        return;
    }
    let mut seen: Vec<(f64, f64)> = Vec::new();
    // Other work on the machine only ever adds to the time of a run, so the shortest runs are compared.
    let least = |seen: &[(f64, f64)], which: fn(&(f64, f64)) -> f64| seen.iter().map(which).fold(f64::MAX, f64::min);
    let noise = |seen: &[(f64, f64)]| {
        let most = seen.iter().map(|run| run.1).fold(0.0, f64::max);
        (most / least(seen, |run| run.1)).min(MOST_NOISE)
    };
    while seen.is_empty() || least(&seen, |run| run.0) > least(&seen, |run| run.1) * factor * noise(&seen) {
        assert!(seen.len() < TRIES, "{name}: ours and script's, in seconds for {bytes} bytes: {seen:?}");
        let script = Term::new(Shell::Bash).program("/usr/bin/script").args(["-q", "-c", "/bin/bash", "/dev/null"]);
        seen.push((flood(&mut ours(program.clone()), write, bytes), flood(&mut script.start(), write, bytes)));
    }
    eprintln!("{name}: ours and script's, in seconds: {seen:?}");
}

#[test]
fn a_flood_costs_little_more_than_copying_it() {
    // The lines of a log, and what an editor draws, which hides the cursor meanwhile.
    let log = "2026-11-16 INFO worker request took 12 ms status=200";
    let drawn = r"\e[?25l\e[7;5Hlet \e[38;5;81mrows\e[m = load();\e[K\e[?25h";
    for (line, factor) in [(log, FACTOR), (drawn, MODES_FACTOR)] {
        assert_costs_like_script(line, &format!("yes $'{line}'"), FLOOD, factor);
    }
}

/// What terminal benchmarks send: cells with many attributes, few and none, regions that scroll, cursor motion, wide characters,
/// synchronized updates.
fn dense_streams() -> Vec<(&'static str, String)> {
    let frame = |cells: &dyn Fn(usize) -> String| (0..4000).map(cells).collect::<String>();
    let (row, column) = (|at: usize| at * 7 % 24 + 1, |at: usize| at * 31 % 80 + 1);
    let letter = |at: usize| char::from(b'a' + (at % 26) as u8);
    let region = |top: usize, bottom: usize| format!("\x1b[{top};{bottom}r\x1b[{bottom};1H{}", "y\r\n".repeat(4000));
    let dense = |at: usize| {
        let colour = at % 156 + 100;
        format!("\x1b[38;5;{colour}m\x1b[48;5;{}m\x1b[1;3;4m{}", 255 - colour, letter(at))
    };
    let medium = |at: usize| format!("\x1b[{};1H\x1b[38;5;{}mword\x1b[m other\x1b[K", row(at), at % 256);
    let light = |at: usize| if at.is_multiple_of(2000) { "\x1b[H".to_owned() } else { letter(at / 2000).to_string() };
    let motion = |at: usize| format!("\x1b[{};{}H{}", row(at), column(at), letter(at));
    let synchronized = |at: usize| match at % 40 {
        0 => "\x1b[?2026h\x1b[H".to_owned(),
        39 => "\x1b[?2026l".to_owned(),
        _ => format!("\x1b[3{}m{}", at % 8, letter(at)),
    };
    let unicode = |at: usize| char::from_u32(0xA1 + at as u32).unwrap_or('漢').to_string();
    let full_line = |at: usize| format!("{}\r\n", letter(at).to_string().repeat(79));
    vec![
        ("dense cells", frame(&dense)),
        ("medium cells", frame(&medium)),
        ("light cells", frame(&light)),
        ("cursor motion", frame(&motion)),
        ("synchronized updates", frame(&synchronized)),
        ("unicode", frame(&unicode)),
        ("scrolling", frame(&|_| "y\r\n".to_owned())),
        ("full lines scrolling", frame(&full_line)),
        ("a region scrolling at the top", region(1, 23)),
        ("a region scrolling at the bottom", region(2, 24)),
        ("a small region scrolling at the top", region(1, 12)),
        ("a small region scrolling at the bottom", region(12, 24)),
    ]
}

/// Every stream costs like copying it, with `first` printed before it.
fn assert_streams_cost_like_script(first: &str, streams: impl IntoIterator<Item = (&'static str, String)>) {
    let place = tempfile::tempdir().unwrap();
    for (name, frame) in streams {
        let file = place.path().join(name.replace(' ', "-"));
        std::fs::write(&file, first.to_owned() + &frame.repeat(1_000_000 / frame.len() + 1)).unwrap();
        assert_costs_like_script(name, &format!("while cat {}; do :; done", file.display()), ESCAPES, FACTOR);
    }
}

/// On the alternate screen, as benchmarks send them, nothing is kept.
#[test]
fn streams_dense_with_escapes_cost_like_text() {
    assert_streams_cost_like_script("\x1b[?1049h", dense_streams());
}

/// On the main screen all of it is kept, in memory and in the spill file.
#[test]
fn streams_that_are_kept_cost_like_text() {
    let kinds = ["dense cells", "cursor motion", "unicode", "full lines scrolling", "a region scrolling at the top"];
    assert_streams_cost_like_script("", dense_streams().into_iter().filter(|(name, _)| kinds.contains(name)));
}

#[test]
fn a_tab_is_small_after_large_outputs() {
    let Some(program) = release() else { return };
    let mut term = ours(program);
    for _ in 0..3 {
        flood(&mut term, "yes 'a line of a large output'", FLOOD);
        term.count_only(false);
        // The prompt after the flood may have been counted without being parsed; an empty line shows a new one.
        term.typed("\r");
    }
    term.run("echo hello");
    term.wait_for_state(|| resident_kib(term.pid()) <= MEMORY_KIB, &true);
}

#[test]
fn a_tab_is_small() {
    let Some(program) = release() else { return };
    let mut term = ours(program);
    term.wait_for_prompt();
    for _ in 0..20 {
        term.run("echo hello");
    }
    assert!(resident_kib(term.pid()) <= BUSY_MEMORY_KIB, "{} KiB", resident_kib(term.pid()));
    // A session gives memory back once all is calm.
    term.wait_for_state(|| resident_kib(term.pid()) <= MEMORY_KIB, &true);
}

#[test]
fn a_tab_stays_small_after_a_query() {
    let Some(program) = release() else { return };
    let model = Model::start([Reply::text(["It is **done**.\n\n```rust\nfn main() {}\n```\n"])]);
    let builder = Term::new(Shell::Bash).program(program).args(["--shell", "/bin/bash"]);
    let mut term = builder.env("OPENAI_BASE_URL", model.url()).env("SHELLMATE_MODEL", "scripted").start();
    term.wait_for_prompt();
    term.typed("> go\r");
    term.wait_for("fn main() {}");
    term.wait_for_prompt();
    let resident = resident_kib(term.pid());
    assert!(resident <= AFTER_A_QUERY_KIB, "{resident} KiB");
}

/// CPU time and memory of one `shellmate ask` with the model at this URL.
fn assert_cheap_to_ask(model: &Model, url: &str, prepare: impl Fn(Builder) -> Builder) {
    let Some(program) = release() else { return };
    let builder = Term::new(Shell::Bash).program(program).args(["ask", "hi"]);
    let builder = prepare(builder.env("OPENAI_BASE_URL", url).env("SHELLMATE_MODEL", "scripted"));
    let mut child = builder.command().stdin(Stdio::null()).stdout(Stdio::piped()).spawn().unwrap();
    model.release();
    child.stdout.take().unwrap().read_exact(&mut [0; 5]).unwrap();
    let pid = i32::try_from(child.id()).unwrap();
    let (seconds, resident) = (cpu_seconds(pid), resident_kib(pid));
    model.release();
    child.wait().unwrap();
    assert!(seconds <= ASK_SECONDS, "{url} {seconds:.2} s");
    assert!(resident <= ASK_KIB, "{url} {resident} KiB");
}

#[test]
fn asking_once_is_cheap() {
    let model = Model::start([Reply::text(["hello"]).gated()]);
    assert_cheap_to_ask(&model, &model.url(), |builder| builder);
}

#[test]
fn asking_over_tls_is_cheap_though_every_authority_is_read() {
    let model = Model::start([Reply::text(["hello"]).gated()]);
    let authorities: Vec<Authority> = (0..150).map(|_| Authority::new()).collect();
    let bundle = tempfile::NamedTempFile::new().unwrap();
    let all: String = authorities.iter().map(|authority| std::fs::read_to_string(authority.file()).unwrap()).collect();
    std::fs::write(bundle.path(), all).unwrap();
    let address = authorities[0].serve("localhost", CertificateKind::Good, HttpVersion::Two, &model.address());
    let url = format!("https://localhost:{}/v1", address.port());
    assert_cheap_to_ask(&model, &url, |builder| builder.env("SSL_CERT_FILE", bundle.path()));
}

/// How many process ids ten empty prompts use, in a private process namespace.
fn forks_of_ten_prompts(builder: Builder) -> u32 {
    let mut term = builder.start();
    term.wait_for_prompt();
    let number = |term: &mut Term| -> u32 {
        term.run(
            "sh -c 'echo $$' >| number".replace(">|", if term.shell() == Shell::Fish { ">" } else { ">|" }).as_str(),
        );
        term.read("number").trim().parse().unwrap()
    };
    let before = number(&mut term);
    (0..10).for_each(|_| term.run(""));
    number(&mut term) - before
}

#[test]
fn no_process_is_started_for_a_prompt() {
    let possible =
        |flags: &str| Command::new("unshare").args([flags, "true"]).status().is_ok_and(|status| status.success());
    let Some(flags) = ["-pf", "-rpf"].into_iter().find(|flags| possible(flags)) else {
        eprintln!("SKIPPED: no process namespace");
        return;
    };
    in_every_shell(|shell| {
        let start = |program: &str| Term::new(shell).program("/usr/bin/unshare").args([flags, program]);
        let ours = forks_of_ten_prompts(start(PROGRAM));
        let bare = forks_of_ten_prompts(start(shell.name()));
        // Threads use process ids too: fish starts some at any time, and a session starts its own during the first prompts. Ten
        // prompts must use fewer than ten.
        assert!(ours < bare + 8, "{}: {ours}, bare {bare}", shell.name());
    });
}
