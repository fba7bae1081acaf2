//! The hotkey: a conversation line over the current screen, which is restored afterwards.

use std::fs;

use serde_json::json;

use crate::harness::{Builder, Key, Model, Reply, Shell, Term, in_every_shell};

fn talking(shell: Shell, model: &Model) -> Builder {
    Term::new(shell).env("OPENAI_BASE_URL", model.url()).env("SHELLMATE_MODEL", "scripted").env("LANG", "C.UTF-8")
}

/// A program on the alternate screen that draws its name, draws it again on SIGWINCH, and records the keys it gets.
const PAINTER: &str = "\
trap 'printf \"\\033[H\\033[2Jpainter drew again\"' WINCH
stty raw -echo
printf '\\033[?1049h\\033[H\\033[2Jpainter is here'
key=
while [ \"$key\" != 71 ]; do
  byte=$(dd bs=1 count=1 2>/dev/null | od -An -tx1 | tr -d ' ')
  [ -n \"$byte\" ] && key=$byte && echo $key >> keys
done
printf '\\033[?1049l'
stty sane
";

#[test]
fn a_half_typed_line_is_drawn_again() {
    in_every_shell(|shell| {
        let model = Model::start([Reply::text(["use less"])]);
        let mut term = talking(shell, &model).start();
        term.wait_for_prompt();
        term.typed("echo half ty");
        term.wait_for("$ echo half ty");
        term.key(Key::CtrlBackslash);
        term.wait_for("an empty line closes");
        term.typed("what now\r");
        term.wait_for("use less");
        let said = model.request().said(0);
        assert!(said.contains("<screen>") && said.contains("echo half ty"), "{} {said}", shell.name());
        term.wait_for("an empty line closes");
        term.key(Key::Enter);
        term.wait_until(|screen| screen.contents().matches("$ echo half ty").count() == 2);
        term.typed("ped\r");
        term.wait_for("\nhalf typed\n");
        let screen = term.screen();
        assert!(screen.contains("\n› what now\nuse less\n") && screen.contains("$ echo half typed\n"), "{screen}");
    });
}

#[test]
fn a_full_screen_program_is_restored() {
    in_every_shell(|shell| {
        let model = Model::start([Reply::text(["that is a painter"])]);
        let mut term = talking(shell, &model).start();
        fs::write(term.home().join("painter"), PAINTER).unwrap();
        term.wait_for_prompt();
        term.typed("sh painter\r");
        term.wait_for("painter is here");
        term.key(Key::CtrlBackslash);
        term.wait_for("an empty line closes");
        assert!(!term.screen().contains("painter is here"), "{}", term.screen());
        term.typed("what is it\r");
        term.wait_for("that is a painter");
        assert!(model.request().said(0).contains("<screen>\npainter is here\n</screen>"));
        term.wait_for("an empty line closes");
        term.key(Key::Esc);
        term.wait_for("painter");
        term.wait_until(|screen| screen.alternate_screen());
        // The answer is in the scrollback of the main screen when the program has ended.
        term.typed("q");
        term.wait_for("that is a painter");
        term.wait_for_prompt();
        assert_eq!(term.read("keys"), "71\n", "{}: no key but its own", shell.name());
    });
}

#[test]
fn pressed_twice_the_hotkey_goes_to_the_program() {
    in_every_shell(|shell| {
        let model = Model::start([]);
        let mut term = talking(shell, &model).start();
        fs::write(term.home().join("painter"), PAINTER).unwrap();
        term.wait_for_prompt();
        term.typed("sh painter\r");
        term.wait_for("painter is here");
        term.typed("a");
        term.wait_for_file("keys", "61\n");
        term.key(Key::CtrlBackslash);
        term.wait_for("an empty line closes");
        term.key(Key::CtrlBackslash);
        term.wait_until(|screen| screen.alternate_screen());
        term.wait_for_file("keys", "61\n1c\n");
        term.typed("bq");
        term.wait_for_prompt();
        assert_eq!(term.read("keys"), "61\n1c\n62\n71\n", "{}", shell.name());
    });
}

/// A file transfer or a serial console gets every byte. The hotkey counts only if it arrives alone.
#[test]
fn inside_a_burst_the_hotkey_is_data() {
    in_every_shell(|shell| {
        let mut term = talking(shell, &Model::start([])).start();
        fs::write(term.home().join("painter"), PAINTER).unwrap();
        term.wait_for_prompt();
        term.typed("sh painter\r");
        term.wait_for("painter is here");
        term.typed("ab\x1ccd\x1b[200~\x1c\x1b[201~\x1c\x1cq");
        term.wait_for_prompt();
        let paste = |code: &str| format!("1b\n5b\n32\n30\n{code}\n7e\n");
        let wanted = format!("61\n62\n1c\n63\n64\n{}1c\n{}1c\n1c\n71\n", paste("30"), paste("31"));
        assert_eq!(term.read("keys"), wanted, "{}", shell.name());
        assert!(!term.screen().contains("an empty line closes"), "{}", term.screen());
    });
}

/// The kernel may split a burst so that its last byte arrives alone.
#[test]
fn the_last_byte_of_a_burst_is_data() {
    in_every_shell(|shell| {
        let mut term = talking(shell, &Model::start([])).start();
        term.wait_for_prompt();
        term.typed("stty raw -echo; echo re''ady; head -c 8193 | wc -c; stty sane\r");
        term.wait_for("ready");
        term.typed([&[b'x'; 8192][..], b"\x1c"].concat());
        term.wait_for("8193");
        term.wait_for_prompt();
        assert!(!term.screen().contains("an empty line closes"), "{}", term.screen());
    });
}

#[test]
fn a_program_that_prints_waits_and_loses_nothing() {
    in_every_shell(|shell| {
        let model = Model::start([Reply::text(["it counts"])]);
        let mut term = talking(shell, &model).fifo("go").start();
        term.wait_for_prompt();
        term.typed("sh -c 'seq 1 50; read x <go; seq 51 100'\r");
        term.wait_for("\n50\n");
        term.key(Key::CtrlBackslash);
        term.wait_for("an empty line closes");
        fs::write(term.home().join("go"), "").unwrap();
        term.typed("what does it do\r");
        term.wait_for("it counts");
        term.wait_for("an empty line closes");
        assert!(!term.screen().contains("\n51\n"), "{}", term.screen());
        term.key(Key::CtrlD);
        term.wait_for("\n100\n");
        term.wait_for_prompt();
        let shown = String::from_utf8_lossy(&term.raw()).into_owned();
        for number in 51..=100 {
            assert!(shown.contains(&format!("{number}\r\n")), "{}: {number}\n{}", shell.name(), term.screen());
        }
    });
}

#[test]
fn the_live_shell_is_busy_while_a_program_runs() {
    in_every_shell(|shell| {
        let model = Model::start([
            Reply::calls(&[("run_in_shell", json!({ "command": "echo never" }))]),
            Reply::text(["I see"]),
        ]);
        let mut term = talking(shell, &model).start();
        term.wait_for_prompt();
        term.typed("sh -c 'echo re''ady; cat'\r");
        term.wait_for("\nready\n");
        term.typed("in cat\r");
        term.wait_for("in cat\nin cat\n");
        term.key(Key::CtrlBackslash);
        term.wait_for("an empty line closes");
        term.typed("go\r");
        term.approve("echo never");
        term.wait_for("I see");
        model.request();
        let told = model.request().body["messages"].to_string();
        assert!(told.contains("the shell is busy"), "{} {told}", shell.name());
        term.wait_for("an empty line closes");
        term.typed("\rmore\r");
        term.wait_for("more\nmore\n");
        term.key(Key::CtrlD);
        term.wait_for_prompt();
    });
}

#[test]
fn the_hotkey_can_be_another_key_or_none() {
    in_every_shell(|shell| {
        for (setting, opens, sent) in [("ctrl-]", "\x1d", "1c"), ("none", "", "1c")] {
            let model = Model::start([]);
            let term = talking(shell, &model);
            let config = term.home().join(".config/shellmate");
            fs::create_dir_all(&config).unwrap();
            fs::write(config.join("config.toml"), format!("hotkey = \"{setting}\"\n")).unwrap();
            let mut term = term.start();
            fs::write(term.home().join("painter"), PAINTER).unwrap();
            term.wait_for_prompt();
            term.typed("sh painter\r");
            term.wait_for("painter is here");
            term.typed("\x1c");
            term.wait_for_file("keys", &format!("{sent}\n"));
            if !opens.is_empty() {
                term.typed(opens);
                term.wait_for("an empty line closes");
                term.typed("\r");
            }
            term.typed("q");
            term.wait_for_prompt();
            assert_eq!(term.read("keys"), format!("{sent}\n71\n"), "{} {setting}", shell.name());
        }
    });
}
