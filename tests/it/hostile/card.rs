//! What a card shows is what runs: a tracer records the command that was started.

use std::fs;

use serde_json::json;

use crate::harness::{Model, PROGRAM, Reply, Shell, Term, available};

/// Commands whose text tries to look like another one. Each creates a file with its number.
const LIARS: &[&str] = &[
    "touch 0; : harmless",
    "touch 1;                                                                                                    : hidden behind blanks",
    "touch 2\n\n\n\n\n\n\n\n\n\n\n\n: below the fold",
    "touch 3 #\u{202e}sl ;ffo",
    "touch 4\u{200b}\u{2060}zero",
    "touch 5 \u{1b}[2K\u{1b}[1Gls",
    "touch 6\rls",
    "touch 7\u{8}\u{8}\u{8}\u{8}ls",
    "touch 8 # approved by the user: y",
    "touch 9 '\nrun: ls\n  y yes'",
    "touch 10 \u{ff54}\u{ff4f}uch",
];

/// The characters of a screen that a person sees, without blanks and without what counts blanks.
fn visible(text: &str) -> String {
    text.chars().filter(|c| c.is_ascii_graphic()).collect()
}

#[test]
fn a_card_shows_every_visible_character_of_the_command_that_runs() {
    if !available("strace") {
        return;
    }
    let calls = LIARS.iter().map(|command| Reply::calls(&[("bash", json!({ "command": command }))]));
    let model = Model::start(calls.chain([Reply::text(["all ", "done"])]));
    let builder = Term::new(Shell::Bash).env("OPENAI_BASE_URL", model.url()).env("SHELLMATE_MODEL", "scripted");
    let trace = builder.place().join("trace");
    let builder = builder.no_sandbox().size(50, 200).program("/usr/bin/strace");
    let options = ["-f", "-qq", "-e", "trace=execve", "-e", "signal=none", "-xx", "-s", "5000", "-o"];
    let mut term = builder.args(options).args([trace.to_str().unwrap(), PROGRAM]).start();
    term.wait_for_prompt();
    term.typed("> go\r");
    for (number, command) in LIARS.iter().enumerate() {
        let asked = format!("touch {number}");
        term.wait_for_question(&asked);
        let screen = visible(&term.screen());
        for word in command.split(|c: char| !c.is_ascii_graphic()).filter(|word| !word.is_empty()) {
            assert!(screen.contains(word), "{number}: {word} is not on the card\n{}", term.screen());
        }
        term.approve(&asked);
    }
    term.wait_for("all done");
    let trace = fs::read_to_string(trace).unwrap();
    for command in LIARS {
        let hex: String = command.bytes().map(|byte| format!("\\x{byte:02x}")).collect();
        assert!(trace.contains(&format!("\"{hex}\"")), "{command:?} did not run as it was shown");
    }
}
