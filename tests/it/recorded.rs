//! Records whole sessions for `src/session/recorded.rs` to replay. To record them again, or to add some:
//!
//!     cargo nextest run --run-ignored only -E 'test(recorded::)'
//!     UPDATE_STREAMS=1 cargo test --lib recorded      # then read what changed in tests/streams/*.json

use std::path::Path;

use crate::harness::{Key, Shell, Term, in_every_shell};

/// Starts a shell, runs `act`, exits, and writes the output of the shell to a file with nonce and paths replaced.
fn record(shell: Shell, name: &str, rc: &str, act: impl Fn(&mut Term)) {
    let builder = Term::new(shell).rc(rc);
    let recording = builder.place().join("recording");
    let mut term = builder.env("SHELLMATE_RECORD", &recording).start();
    term.wait_for_prompt();
    act(&mut term);
    term.exit();
    let mut bytes = std::fs::read(recording).unwrap();
    let hello = memchr::memmem::find(&bytes, b";hello;").expect("the hooks said hello");
    let nonce = bytes[hello - 32..hello].to_vec();
    let host = nix::unistd::gethostname().unwrap().into_encoded_bytes();
    for (what, instead) in [
        (nonce.as_slice(), "0".repeat(32)),
        (term.home().as_os_str().as_encoded_bytes(), "/home/me".to_owned()),
        (format!("file://{}/", String::from_utf8_lossy(&host)).as_bytes(), "file://host/".to_owned()),
    ] {
        while let Some(at) = memchr::memmem::find(&bytes, what) {
            bytes.splice(at..at + what.len(), instead.bytes());
        }
    }
    let file = format!("tests/streams/{}-{name}.bytes", shell.name());
    std::fs::write(Path::new(env!("CARGO_MANIFEST_DIR")).join(file), bytes).unwrap();
}

#[test]
#[ignore = "writes tests/streams"]
fn an_everyday_session() {
    in_every_shell(|shell| {
        record(shell, "everyday", "", |term| {
            term.run("echo one");
            term.run("false");
            term.run("");
            term.run("echo two; echo three");
            term.run("printf 'no newline'");
            term.run(" echo private");
            term.give_up("echo never run");
            if shell == Shell::Fish {
                term.typed("for i in 1 2\recho line $i\rend\r");
            } else {
                term.typed("for i in 1 2; do\recho line $i\rdone\r");
            }
            term.wait_for("line 2\n");
            term.wait_for_prompt();
            term.typed("sh -c 'echo ready; exec sleep 100'\r");
            term.wait_for("\nready\n");
            term.key(Key::CtrlC);
            term.wait_for_prompt();
            term.typed("sh -c 'trap \"echo woken; exit 5\" CONT; echo stoppable; while :; do sleep 0.1; done'\r");
            term.wait_for("\nstoppable\n");
            term.key(Key::CtrlZ);
            term.wait_for_prompt();
            term.run("fg");
            term.run("sh -c 'echo from the background' & wait");
            term.run("printf '10%%\\r50%%\\r\\033[K100%%\\n'");
            term.run("> what was that");
            term.run("cd /usr/share");
            term.run("echo 'a;b%25 ż'");
        });
    });
}

#[test]
#[ignore = "writes tests/streams"]
fn a_session_in_vi_mode() {
    in_every_shell(|shell| {
        let rc = match shell {
            Shell::Bash => "set -o vi",
            Shell::Zsh => "bindkey -v; KEYTIMEOUT=1",
            Shell::Fish => "fish_vi_key_bindings",
        };
        record(shell, "vi", rc, |term| {
            term.typed("echo on");
            term.wait_for("echo on");
            term.key(Key::Esc);
            let end = term.cursor().1;
            term.wait_until(|screen| match shell {
                Shell::Fish => screen.contents().contains("[N]"),
                Shell::Bash | Shell::Zsh => screen.cursor_position().1 < end,
            });
            term.typed("ae\r");
            term.wait_for_prompt();
            term.run("> from insert mode");
            term.run("false");
        });
    });
}

#[test]
#[ignore = "writes tests/streams"]
fn a_session_with_programs() {
    in_every_shell(|shell| {
        record(shell, "programs", "", |term| {
            // vim would query the terminal, whose reply may arrive after vim has ended.
            term.typed("vim -u NONE -N --cmd 'set t_u7= t_RV= t_RB= t_RF=' note\r");
            term.wait_until(|screen| screen.alternate_screen() && screen.contents().contains("[New]"));
            term.typed("i> text");
            term.wait_for("> text");
            term.key(Key::Esc);
            term.typed(":q!\r");
            term.wait_for_prompt();
            // Like a shell over ssh, with its own prompts and marks.
            term.typed("env 'PS1=\\[\\e]133;A\\a\\]far$ \\[\\e]133;B\\a\\]' bash --norc\r");
            term.wait_for("far$");
            term.typed("echo over there\r");
            term.wait_for("\nover there\n");
            term.typed("exit 4\r");
            term.wait_for_prompt();
            // A mark without the nonce has no effect.
            term.run("printf '\\033]7771;11111111111111111111111111111111;end;7\\aforged\\n'");
            term.run("printf '\\033]133;D;9\\a\\033]133;A\\aforged too\\n'");
            term.run("printf '\\033]7771;unfinished'");
            term.run("printf '\\a'; true");
        });
    });
}
