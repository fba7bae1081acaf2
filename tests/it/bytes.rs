//! All bytes pass in both directions, unchanged, with bounded memory.

use crate::harness::{Builder, Shell, Term, available, in_every_shell, shells};

fn memory(pid: i32, key: &str) -> u64 {
    let status = std::fs::read_to_string(format!("/proc/{pid}/status")).unwrap();
    let line = status.lines().find(|line| line.starts_with(key)).unwrap();
    line.split_whitespace().nth(1).unwrap().parse().unwrap()
}

/// Every byte value, and escape sequences that are incomplete or look like marks.
fn awkward() -> Vec<u8> {
    let mut all: Vec<u8> = (0..=255u8).filter(|byte| ![b'\n', b'\t'].contains(byte)).collect();
    for sequence in [
        &b"\x1b"[..],
        b"\x1b\x1b\x1b",
        b"\x1b]0;never ended",
        b"\x1b\\",
        b"\x1b]7771",
        b"\x18",
        b"\x1b]7771;",
        b"\x1b[0m",
        b"\x1b]7771;0123456789abcdef0123456789abcdef;end;0",
        b"\x07",
        b"\x1b]7771;0123456789abcdef0123456789abcdef;query;> x;kept\x1b\\",
        b"\x1bPdevice control\x1b\\",
        b"\x1bP never ended \x1b[31m",
        b"\x1b_application\x1b\\",
        b"\x1b^private\x1b\\",
        b"\x1bX string\x1b\\",
        "✳ 漢字 \u{9c} \u{2733}".as_bytes(),
        b"\xe2\x9c\xb3\x9c\x9d\x90",
        b"\x1b]8;;http://example.com\x1b\\link\x1b]8;;\x1b\\",
        b"\x1b[?1049h\x1b[?1049l\x1b[?2004h\x1b[?2004l",
        b"\x1b[38;2;1;2;3m\x1b[m",
        b"\x1b]1337;File=inline=1:aGVsbG8=\x07",
        b"\x1b(0lqk\x1b(B",
        b"\x1b]",
        b"\x1b[",
        b"\x1b]7771;\xff\xfe;\x80",
        b"\x05\x0e\x0f\x11\x13",
        b"\x1bc",
    ] {
        all.extend_from_slice(sequence);
    }
    all
}

/// The bytes between two words in the output.
fn between<'a>(raw: &'a [u8], start: &[u8], end: &[u8]) -> &'a [u8] {
    let at = |needle: &[u8]| raw.windows(needle.len()).rposition(|window| window == needle).expect("both words came");
    &raw[at(start) + start.len()..at(end)]
}

#[test]
fn every_byte_of_output_arrives_as_it_is() {
    in_every_shell(|shell| {
        let seen = |builder: Builder| {
            let mut term = builder.file("awkward", awkward()).start();
            term.wait_for_prompt();
            term.typed("stty -opost; printf 'STA''RT'; cat awkward; printf '\\030\\033\\\\EN''D'; stty opost\r");
            term.wait_for_raw(b"END");
            between(&term.raw(), b"START", b"END").to_vec()
        };
        let bare = seen(Term::new(shell).bare());
        let ours = seen(Term::new(shell));
        assert!(ours == bare, "{}\nours: {}\nbare: {}", shell.name(), ours.escape_ascii(), bare.escape_ascii());
        assert!(bare.starts_with(&awkward()));
    });
}

#[test]
fn bytes_that_cannot_be_a_mark_are_not_delayed() {
    in_every_shell(|shell| {
        let mut term = Term::new(shell).start();
        term.wait_for_prompt();
        // No bytes follow, so a scanner that waits for more would wait forever.
        for (number, (written, bytes)) in [
            ("\\033]0;ti", &b"\x1b]0;ti"[..]),
            ("\\033]777;", b"\x1b]777;"),
            ("\\033]7772", b"\x1b]7772"),
            ("\\033]77710", b"\x1b]77710"),
            ("\\033P", b"\x1bP"),
            ("\\033_", b"\x1b_"),
            ("\\033[", b"\x1b["),
            ("\\342\\234", b"\xe2\x9c"),
            ("\\033\\033[", b"\x1b\x1b["),
        ]
        .into_iter()
        .enumerate()
        {
            term.typed(format!("printf 'GO{number}''{written}'; head -n 1\r"));
            term.wait_for_raw(&[format!("GO{number}").as_bytes(), bytes].concat());
            // Ends any sequence that the bytes have started.
            term.typed("\r");
            term.typed("printf '\\030\\033\\\\\\033c'\r");
            term.typed("true\r");
            term.wait_for_prompt();
        }
    });
}

/// Reads `bytes` bytes of raw input into the file `got`.
fn reader(bytes: usize) -> String {
    format!("stty raw -echo; printf 'REA''DY'; head -c {bytes} > got; stty sane; echo do''ne\r")
}

#[test]
fn every_byte_of_input_arrives_as_it_is() {
    in_every_shell(|shell| {
        let all: Vec<u8> = (0..=255u8).chain(awkward()).collect();
        // The hotkey is the only key that shellmate takes.
        let mut term = Term::new(shell).config("hotkey = \"none\"\n").start();
        term.wait_for_prompt();
        term.typed(reader(all.len()));
        term.wait_for_raw(b"READY");
        term.typed(&all);
        term.wait_for("done");
        assert_eq!(std::fs::read(term.home().join("got")).unwrap(), all, "{}", shell.name());
    });
}

#[test]
fn a_paste_of_ten_megabytes_arrives_whole() {
    in_every_shell(|shell| {
        let text: Vec<u8> = (0..10_000_000u32).map(|n| b'a' + (n % 7919 % 26) as u8).collect();
        let mut term = Term::new(shell).start();
        term.wait_for_prompt();
        term.typed(reader(text.len()));
        term.wait_for_raw(b"READY");
        term.typed(&text);
        term.wait_for("done");
        let got = std::fs::read(term.home().join("got")).unwrap();
        assert!(got == text, "{}: {} bytes", shell.name(), got.len());
        let peak = memory(term.pid(), "VmHWM:");
        assert!(peak < 40 * 1024, "{}: {peak} KiB at the most", shell.name());
    });
}

#[test]
fn a_terminal_without_a_description_shows_each_line_once() {
    in_every_shell(|shell| {
        let mut term = Term::new(shell).env("TERM", "xterm-unheard-of").start();
        term.wait_for_prompt();
        term.run("echo o''ne");
        term.run("> a question");
        term.run("echo t''wo");
        let screen = term.screen();
        assert!(screen.contains("[1]$ echo o''ne\none\n[2]$ > a question\n"), "{}\n{screen}", shell.name());
        assert!(screen.contains("\n[3]$ echo t''wo\ntwo\n"), "{}\n{screen}", shell.name());
        assert_eq!(screen.matches("echo o''ne").count(), 1, "{}\n{screen}", shell.name());
    });
}

#[test]
fn the_drawing_of_an_editor_is_not_repeated() {
    in_every_shell(|shell| {
        let mut term = Term::new(shell).size(12, 60).start();
        term.wait_for_prompt();
        term.run(r"printf '\033[?1049h\033[5;1Hti''lde\033[?1049l'");
        let long = format!("echo {}", "word ".repeat(20));
        term.run(long.trim_end());
        assert!(!term.screen().contains("tilde"), "{}\n{}", shell.name(), term.describe());
        term.run(r"printf '\033[?1049h\033[5;1Hti''lde\033[?1049l'");
        term.run("> a question");
        assert!(!term.screen().contains("tilde"), "{}\n{}", shell.name(), term.describe());
    });
}

#[test]
fn a_flood_arrives_whole_and_memory_stays_flat() {
    // This amount is enough to show a leak.
    let megabytes: u64 = std::env::var("TEST_FLOOD_MB").ok().and_then(|text| text.parse().ok()).unwrap_or(100);
    for shell in shells() {
        let mut term = Term::new(shell).start();
        term.wait_for_prompt();
        let bytes = megabytes * 1_000_000;
        term.count_only(true);
        let before = term.total();
        term.typed(format!(
            "stty -opost; yes 0123456789012345678901234567890123456789 | head -c {bytes}; stty opost; touch over\r"
        ));
        term.wait_for_total(before + bytes);
        let peak = memory(term.pid(), "VmHWM:");
        assert!(peak < 40 * 1024, "{}: {peak} KiB at the most", shell.name());
        term.count_only(false);
        term.typed("clear\r");
        term.typed("echo af''ter\r");
        term.wait_for("after\n");
    }
}

/// Writes until the terminal accepts nothing for half a second, and prints how much was written.
const FILLER: &str = r#"
import os, select, sys
os.set_blocking(1, False)
total = 0
while select.select([], [1], [], 0.5)[1]:
    try:
        total += os.write(1, b"x" * 4096)
    except BlockingIOError:
        pass
    if total > 64_000_000:
        break
os.set_blocking(1, True)
open("total", "w").write(str(total))
open("news", "w").write("full")
"#;

#[test]
fn a_terminal_that_stops_reading_stops_the_program() {
    if !available("python3") {
        return;
    }
    for shell in shells() {
        let builder = Term::new(shell).file("fill.py", FILLER);
        nix::unistd::mkfifo(&builder.home().join("news"), nix::sys::stat::Mode::S_IRWXU).unwrap();
        let news = builder.home().join("news");
        let mut term = builder.start();
        term.wait_for_prompt();
        term.stop_reading(true);
        term.typed("python3 fill.py\r");
        let (sender, receiver) = std::sync::mpsc::channel();
        std::thread::spawn(move || sender.send(std::fs::read_to_string(news)));
        let full = receiver.recv_timeout(crate::harness::patience());
        let total: u64 = term.read("total").parse().unwrap();
        assert!(full.is_ok() && total < 8_000_000, "{}: {total} bytes were taken in", shell.name());
        let peak = memory(term.pid(), "VmHWM:");
        assert!(peak < 40 * 1024, "{}: {peak} KiB at the most", shell.name());
        term.stop_reading(false);
        term.wait_for_prompt();
        term.run("clear");
        term.run("echo ali''ve");
        term.wait_for("\nalive\n");
    }
}

#[test]
fn a_program_that_does_not_read_does_not_stop_the_screen() {
    in_every_shell(|shell| {
        let text = vec![b'k'; 3_000_000];
        let builder = Term::new(shell);
        let go = builder.home().join("go");
        nix::unistd::mkfifo(&go, nix::sys::stat::Mode::S_IRWXU).unwrap();
        let mut term = builder.start();
        term.wait_for_prompt();
        term.typed(format!(
            "stty raw -echo; printf 'REA''DY'; cat go; head -c {} > got; stty sane; echo do''ne\r",
            text.len()
        ));
        term.wait_for_raw(b"READY");
        let typing = term.typed_meanwhile(text.clone());
        // The program reads only `go` and no keys. Its output is still shown.
        std::fs::write(&go, "the screen goes on").unwrap();
        term.wait_for("the screen goes on");
        term.wait_for("done");
        assert_eq!(typing.join().unwrap(), Ok(()));
        assert!(std::fs::read(term.home().join("got")).unwrap() == text, "{}", shell.name());
    });
}

#[test]
fn idle_costs_nothing() {
    let switches = |pid: i32| -> u64 {
        let tasks = std::fs::read_dir(format!("/proc/{pid}/task")).unwrap().flatten();
        let counts = tasks.map(|task| {
            let status = std::fs::read_to_string(task.path().join("status")).unwrap();
            let lines = status.lines().filter(|line| line.contains("ctxt_switches"));
            lines.map(|line| line.split_whitespace().nth(1).unwrap().parse::<u64>().unwrap()).sum::<u64>()
        });
        counts.sum()
    };
    let mut clock = Term::new(Shell::Bash).bare().start();
    clock.wait_for_prompt();
    for shell in shells() {
        let mut term = Term::new(shell).start();
        term.wait_for_prompt();
        term.run("echo one");
        term.wait_for_history(|records| !records.is_empty());
        // This test needs time to pass; `sleep` in another terminal is the clock. The first second is not counted.
        clock.run("sleep 1");
        let before = switches(term.pid());
        clock.run("sleep 3");
        assert_eq!(switches(term.pid()) - before, 0, "{}: it woke up", shell.name());
    }
}

#[test]
fn only_marks_are_removed_from_the_output() {
    // Standard marks replace ours. Apart from them the output is byte for byte that of the bare shell.
    let without_marks = |raw: &[u8]| {
        let mut out = Vec::new();
        let mut rest = raw;
        while let Some(at) = rest.windows(2).position(|two| two == b"\x1b]") {
            out.extend_from_slice(&rest[..at]);
            let end = rest[at..].windows(2).position(|two| two == b"\x1b\\").map(|end| at + end + 2);
            let bell = rest[at..].iter().position(|byte| *byte == 7).map(|end| at + end + 1);
            let end = [end, bell].into_iter().flatten().min().unwrap_or(rest.len());
            let ours = [&b"\x1b]133;"[..], b"\x1b]7;"].iter().any(|start| rest[at..].starts_with(start));
            if !ours {
                out.extend_from_slice(&rest[at..end]);
            }
            rest = &rest[end..];
        }
        out.extend_from_slice(rest);
        out
    };
    // readline draws the line again around a function bound to Enter; `differential` compares the screens.
    // fish highlights a line while it is typed, with timing that differs.
    for shell in shells().into_iter().filter(|shell| *shell == Shell::Zsh) {
        let stream = |builder: Builder| {
            let mut term = builder.start();
            term.wait_for_prompt();
            for command in ["echo one", "false", "", "seq 5"] {
                term.run(command);
            }
            term.exit();
            let raw = term.raw();
            term.without_place(&String::from_utf8_lossy(&without_marks(&raw)))
        };
        let (ours, bare) = (stream(Term::new(shell)), stream(Term::new(shell).bare()));
        assert_eq!(ours, bare, "{}", shell.name());
    }
}

#[test]
fn bash_draws_an_accepted_line_once() {
    // For this terminal shellmate adds nothing to the output of the shell.
    let set = |builder: Builder, rc: &str| {
        builder.env("TERM", "linux").size(30, 60).rc(&format!("PS2='more$((++M))> '\n{rc}"))
    };
    let long = format!("echo {}", "0123456789 ".repeat(12));
    let lines = [
        ("true", ""),
        ("", ""),
        ("echo \"a;b\" 100%", ""),
        ("echo no newline", "\x01"),
        ("echo é 漢字", "\x02\x02"),
        (&long, ""),
        (&long, "\x01\x06\x06"),
        (&long, "\x02\x02"),
        ("# filled to the last column: 0123456789 0123456789 012345", ""),
        ("printf 'no newline'", ""),
        ("echo behind it", ""),
    ];
    for rc in ["", "PS1='\\[\\e]0;title\\a\\]first\\n'$PS1", "bind 'set enable-bracketed-paste off'"] {
        let seen = |builder: Builder| {
            let mut term = set(builder, rc).start();
            term.wait_for_prompt();
            for (line, keys) in lines {
                term.typed(line);
                let end: String = line.chars().rev().take(5).collect::<Vec<_>>().into_iter().rev().collect();
                term.wait_for(end.trim_end());
                term.typed(keys);
                term.typed("\r");
                term.wait_for_prompt();
            }
            for (part, next) in [("for word in a b; do", "more1>"), ("echo \"<$word>\"", "more2>"), ("", "more3>")] {
                term.typed(part);
                term.wait_for(part);
                term.typed("\r");
                term.wait_for(next);
            }
            term.typed("done");
            term.wait_for("> done");
            term.typed("\r");
            term.wait_for("<b>");
            term.wait_for_prompt();
            term.run("stty -echo");
            term.run("echo unseen");
            term.exit();
            // A repeated carriage return makes no difference.
            let mut raw = term.raw();
            raw.dedup_by(|one, before| *one == b'\r' && *before == b'\r');
            String::from_utf8_lossy(&raw).into_owned()
        };
        let (ours, bare) = (seen(Term::new(Shell::Bash)), seen(Term::new(Shell::Bash).bare()));
        let same = ours.bytes().zip(bare.bytes()).take_while(|(ours, bare)| ours == bare).count();
        let rest = |text: &str| text.as_bytes()[same.saturating_sub(20)..].escape_ascii().to_string();
        assert!(ours == bare, "{rc}\nours: {}\nbare: {}", rest(&ours), rest(&bare));
    }
}

#[test]
fn a_job_that_prints_while_a_line_is_accepted_loses_nothing() {
    let mut term = Term::new(Shell::Bash).start();
    term.wait_for_prompt();
    term.typed("for ((i = 0; i < 2000; i++)); do echo \"<$i>\"; done &\r");
    for _ in 0..100 {
        term.typed("true\r");
    }
    term.typed("wait; echo o''ver\r");
    term.wait_for("\nover\n");
    let raw = String::from_utf8_lossy(&term.raw()).into_owned();
    for number in 0..2000 {
        assert!(raw.contains(&format!("<{number}>\r\n")), "{number}");
    }
}
