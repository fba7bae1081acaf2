//! What the program costs, in counts: instructions, reads and writes, memory, processes.
//!
//! Times depend on what else runs on the machine, counts hardly do. The release build that `tests/run` names in `SHELLMATE_RELEASE` is
//! measured. Processes are counted in any build.

use std::io::{Read, Write};
use std::path::Path;
use std::process::{Command, Stdio};

use crate::harness::{
    Authority, Builder, CertificateKind, HttpVersion, Model, PROGRAM, Reply, Shell, Term, available, can_count,
    in_every_shell, instructions, release, transfers,
};

/// Bytes of the stream whose reads and writes are counted.
const STREAM: u64 = 8_000_000;
/// Bytes of two streams whose instructions are counted. Start, prompts and end are in both, so their difference is the stream.
const SHORT: u64 = 1_000_000;
const LONG: u64 = 6_000_000;
/// Allowed reads and writes relative to `script`.
const TRANSFERS: f64 = 1.1;
/// How often a stream is counted at most. A read returns less when the program that writes has to wait for its turn, and more reads
/// take more instructions, so the least counts are compared.
const TRIES: usize = 5;
/// Allowed instructions for each byte of lines of text. Measured: 1.5 to 2.2.
const LINES: f64 = 2.5;
/// The same for streams with many escapes or wide characters. Measured: 2.5 to 3.9.
const ESCAPES: f64 = 4.2;
/// The same for synchronized updates, which are modes to follow. Measured: 7.5 to 8.2.
const SYNCHRONIZED: f64 = 9.5;
/// The same for lines that each hide and show the cursor, which are modes too. Measured: 18.3 to 18.7.
const DRAWN: f64 = 21.0;
/// Allowed memory of a session before its first query, and after large outputs.
const MEMORY_KIB: u64 = 12 * 1024;
/// The part of it that is no mapped file. Which pages of a file are mapped depends on what else uses it.
const OWN_MEMORY_KIB: u64 = 4 * 1024;
/// Bytes of a large output.
const FLOOD: u64 = 60_000_000;
/// Allowed memory of a session after a query, and of `shellmate ask`.
const AFTER_A_QUERY_KIB: u64 = 40 * 1024;
const ASK_KIB: u64 = 30 * 1024;
/// Allowed instructions of one `shellmate ask`, and of one over TLS that reads 150 authorities. Measured: 46 to 63 and 58 to 78 million.
const ASK: u64 = 75_000_000;
const ASK_OVER_TLS: u64 = 95_000_000;
/// Allowed instructions for each byte of text that is read and searched for secrets. Measured: 120 to 121.
const MASKING: f64 = 125.0;
/// Ending a command with a large output starts work that is not the same each time; without the history there is none.
const NO_HISTORY: &str = "[history]\nenabled = false\n";

fn ours(program: &Path) -> Builder {
    Term::new(Shell::Bash).program(program).args(["--shell", "/bin/bash"])
}

/// A row of `/proc/PID/status`, in KiB.
fn memory_kib(pid: i32, row: &str) -> u64 {
    let status = std::fs::read_to_string(format!("/proc/{pid}/status")).unwrap();
    let line = status.lines().find(|line| line.starts_with(row)).unwrap();
    line.split_whitespace().nth(1).unwrap().parse().unwrap()
}

fn resident_kib(pid: i32) -> u64 {
    memory_kib(pid, "VmRSS:")
}

/// Shows so many bytes of the output of `write`, repeated. Returns the reads and writes before.
fn flood(term: &mut Term, write: &str, bytes: u64) -> u64 {
    term.wait_for_prompt();
    let before = transfers(term.pid());
    term.count_only(true);
    let start = term.total();
    term.typed(format!("stty -opost; {write} | head -c {bytes}; stty opost\r"));
    term.wait_for_total(start + bytes);
    before
}

/// What one stream costs, in the least of some runs.
#[derive(Debug)]
struct StreamCost {
    /// Instructions of a session with the short and with the long stream.
    short: u64,
    long: u64,
    /// Reads and writes of ours and of `script`.
    ours: u64,
    script: u64,
}

impl StreamCost {
    const UNKNOWN: StreamCost = StreamCost { short: u64::MAX, long: u64::MAX, ours: u64::MAX, script: u64::MAX };

    /// Runs a stream, the output of `write`, once in each way.
    fn count(&mut self, program: &Path, write: &str) {
        let instructions = |bytes: u64| {
            let mut term = ours(program).config(NO_HISTORY).counted().start();
            flood(&mut term, write, bytes);
            assert!(term.exit().success());
            instructions(term.place(), term.pid())
        };
        let reads_and_writes = |builder: Builder| {
            let mut term = builder.start();
            let before = flood(&mut term, write, STREAM);
            transfers(term.pid()) - before
        };
        let script = Term::new(Shell::Bash).program("/usr/bin/script").args(["-q", "-c", "/bin/bash", "/dev/null"]);
        self.short = self.short.min(instructions(SHORT));
        self.long = self.long.min(instructions(LONG));
        self.ours = self.ours.min(reads_and_writes(ours(program)));
        self.script = self.script.min(reads_and_writes(script));
    }

    fn instructions_per_byte(&self) -> f64 {
        (self.long as f64 - self.short as f64) / (LONG - SHORT) as f64
    }

    fn is_within(&self, most: f64) -> bool {
        self.instructions_per_byte() <= most && self.ours as f64 <= self.script as f64 * TRANSFERS
    }
}

/// Checks the instructions for each byte of the output of `write`, and that it is read and written in pieces as large as those of
/// `script`.
fn assert_is_passed_on(name: &str, write: &str, most: f64) {
    let Some(program) = release() else { return };
    if !can_count() || !available("script") || !Shell::Bash.available() {
        return;
    }
    let mut cost = StreamCost::UNKNOWN;
    let is_cheap = (0..TRIES).any(|_| {
        cost.count(&program, write);
        cost.is_within(most)
    });
    let each = cost.instructions_per_byte();
    eprintln!("{name}: {each:.2} instructions for each byte, {cost:?}");
    assert!(is_cheap, "{name}: {each:.2} instructions for each byte, at most {most} are allowed; {cost:?}");
}

#[test]
fn a_flood_costs_little_more_than_copying_it() {
    // The lines of a log, and what an editor draws, which hides the cursor meanwhile.
    let log = "2026-11-16 INFO worker request took 12 ms status=200";
    let drawn = r"\e[?25l\e[7;5Hlet \e[38;5;81mrows\e[m = load();\e[K\e[?25h";
    for (line, most) in [(log, LINES), (drawn, DRAWN)] {
        assert_is_passed_on(line, &format!("yes $'{line}'"), most);
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

/// Every stream is passed on like text, with `first` printed before it.
fn assert_streams_are_passed_on(first: &str, streams: impl IntoIterator<Item = (&'static str, String)>) {
    let place = tempfile::tempdir().unwrap();
    for (name, frame) in streams {
        let file = place.path().join(name.replace(' ', "-"));
        std::fs::write(&file, first.to_owned() + &frame.repeat(1_000_000 / frame.len() + 1)).unwrap();
        let most = match name {
            "synchronized updates" => SYNCHRONIZED,
            name if name.contains("scrolling") => LINES,
            _ => ESCAPES,
        };
        assert_is_passed_on(name, &format!("while cat {}; do :; done", file.display()), most);
    }
}

/// On the alternate screen, as benchmarks send them, nothing is kept.
#[test]
fn streams_dense_with_escapes_cost_like_text() {
    let streams = dense_streams().into_iter().filter(|(name, _)| !name.contains("scrolling"));
    assert_streams_are_passed_on("\x1b[?1049h", streams);
}

/// The same on the alternate screen.
#[test]
fn streams_that_scroll_cost_like_text() {
    let streams = dense_streams().into_iter().filter(|(name, _)| name.contains("scrolling"));
    assert_streams_are_passed_on("\x1b[?1049h", streams);
}

/// On the main screen all of it is kept, in memory and in the spill file.
#[test]
fn streams_that_are_kept_cost_like_text() {
    let kinds = ["dense cells", "cursor motion", "unicode", "full lines scrolling", "a region scrolling at the top"];
    assert_streams_are_passed_on("", dense_streams().into_iter().filter(|(name, _)| kinds.contains(name)));
}

/// Waits until the memory of a session is small. It gives memory back once it is calm.
fn assert_is_small(term: &Term) {
    let memory = || ["RssAnon:", "VmRSS:"].map(|row| memory_kib(term.pid(), row));
    term.wait_for_state(
        || {
            let [own, resident] = memory();
            own <= OWN_MEMORY_KIB && resident <= MEMORY_KIB
        },
        &true,
    );
    eprintln!("own memory and all of it, in KiB: {:?}", memory());
}

#[test]
fn a_tab_is_small_after_large_outputs() {
    let Some(program) = release() else { return };
    let mut term = ours(&program).start();
    for _ in 0..3 {
        flood(&mut term, "yes 'a line of a large output'", FLOOD);
        term.count_only(false);
        // The prompt after the flood may have been counted without being parsed; an empty line shows a new one.
        term.typed("\r");
    }
    term.run("echo hello");
    assert_is_small(&term);
}

#[test]
fn a_tab_is_small() {
    let Some(program) = release() else { return };
    let mut term = ours(&program).start();
    term.wait_for_prompt();
    for _ in 0..20 {
        term.run("echo hello");
    }
    assert_is_small(&term);
}

#[test]
fn a_tab_stays_small_after_a_query() {
    let Some(program) = release() else { return };
    let model = Model::start([Reply::text(["It is **done**.\n\n```rust\nfn main() {}\n```\n"])]);
    let mut term = asking(ours(&program), &model.url()).start();
    term.wait_for_prompt();
    term.typed("> go\r");
    term.wait_for("fn main() {}");
    term.wait_for_prompt();
    let resident = resident_kib(term.pid());
    assert!(resident <= AFTER_A_QUERY_KIB, "{resident} KiB");
}

fn asking(builder: Builder, url: &str) -> Builder {
    builder.env("OPENAI_BASE_URL", url).env("SHELLMATE_MODEL", "scripted")
}

/// A question for the model at this URL.
fn question(program: &Path, url: &str) -> Builder {
    asking(Term::new(Shell::Bash).program(program).args(["ask", "hi"]), url)
}

/// Memory when the answer has come. The model holds back the end of its answer.
fn memory_of_an_answer(model: &Model, question: &Builder) -> u64 {
    let mut child = question.command().stdin(Stdio::null()).stdout(Stdio::piped()).spawn().unwrap();
    model.release();
    child.stdout.take().unwrap().read_exact(&mut [0; 5]).unwrap();
    let resident = resident_kib(i32::try_from(child.id()).unwrap());
    model.release();
    child.wait().unwrap();
    resident
}

/// Instructions of a question with this text on stdin.
fn instructions_of_an_answer(question: Builder, text: &str) -> u64 {
    let question = question.counted();
    let mut child = question.command().stdin(Stdio::piped()).stdout(Stdio::piped()).spawn().unwrap();
    let pid = i32::try_from(child.id()).unwrap();
    child.stdin.take().unwrap().write_all(text.as_bytes()).unwrap();
    let output = child.wait_with_output().unwrap();
    assert!(output.stdout.starts_with(b"hello"), "{output:?}");
    instructions(question.place(), pid)
}

/// Checks memory and instructions of one `shellmate ask` with the model at this URL.
fn assert_cheap_to_ask(model: &Model, url: &str, most: u64, prepare: impl Fn(Builder) -> Builder) {
    let Some(program) = release() else { return };
    let resident = memory_of_an_answer(model, &prepare(question(&program, url)));
    assert!(resident <= ASK_KIB, "{url} {resident} KiB");
    if can_count() {
        let count = instructions_of_an_answer(prepare(question(&program, url)), "");
        eprintln!("{url}: {count} instructions");
        assert!(count <= most, "{url}: {count} instructions, more than {most}");
    }
}

#[test]
fn asking_once_is_cheap() {
    let model = Model::start([Reply::text(["hello"]).gated(), Reply::text(["hello"])]);
    assert_cheap_to_ask(&model, &model.url(), ASK, |builder| builder);
}

#[test]
fn asking_over_tls_is_cheap_though_every_authority_is_read() {
    let model = Model::start([Reply::text(["hello"]).gated(), Reply::text(["hello"])]);
    let authorities: Vec<Authority> = (0..150).map(|_| Authority::new()).collect();
    let bundle = tempfile::NamedTempFile::new().unwrap();
    let all: String = authorities.iter().map(|authority| std::fs::read_to_string(authority.file()).unwrap()).collect();
    std::fs::write(bundle.path(), all).unwrap();
    let address = authorities[0].serve("localhost", CertificateKind::Good, HttpVersion::Two, &model.address());
    let url = format!("https://localhost:{}/v1", address.port());
    assert_cheap_to_ask(&model, &url, ASK_OVER_TLS, |builder| builder.env("SSL_CERT_FILE", bundle.path()));
}

#[test]
fn masking_ordinary_text_takes_few_instructions() {
    let Some(program) = release().filter(|_| can_count()) else { return };
    let prose =
        "The tracker follows each command by its marks and keeps the passing output in a ring that never grows.\n";
    let code =
        "    let found = self.lines.iter().filter(|line| line.len() > most).map(Line::key).collect::<Vec<_>>();\n";
    let log = "2026-01-01 12:00:00.123 INFO worker 17 processed the request in 12 ms from 10.0.0.1:8080\n";
    let lines = [prose, code, log].concat();
    let model = Model::start((0..2 * TRIES).map(|_| Reply::text(["hello"])));
    // `ask` keeps 4 MiB of its input. The model sees less of it, but all of it is searched.
    let texts = [1_400_000, 4_000_000].map(|bytes| lines.repeat(bytes / lines.len()));
    let mut least = [u64::MAX; 2];
    let mut each = f64::MAX;
    // Threads that are not done when the answer is there have done more or less.
    let is_cheap = (0..TRIES).any(|_| {
        for (least, text) in least.iter_mut().zip(&texts) {
            *least = instructions_of_an_answer(question(&program, &model.url()), text).min(*least);
            let sent = model.request().body["messages"].as_array().and_then(|all| all.last()).unwrap().to_string();
            assert!(sent.contains("The tracker follows") && !sent.contains("[masked"), "{sent}");
        }
        each = (least[1] - least[0]) as f64 / (texts[1].len() - texts[0].len()) as f64;
        each <= MASKING
    });
    eprintln!("{each:.1} instructions for each byte of ordinary text, {least:?}");
    assert!(is_cheap, "{each:.1} instructions for each byte, more than {MASKING}: {least:?}");
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
