//! Keys of the person's own choice: `[keys]` in the configuration, and `> /keys`.

use std::fs;

use serde_json::json;

use crate::harness::{Builder, Key, Model, Reply, Shell, Term, in_every_shell};

/// A terminal with these keys, high enough for the whole list.
fn with_keys(shell: Shell, model: &Model, keys: &str) -> Builder {
    let config = format!("[sandbox]\nlevel = \"off\"\n[keys]\n{keys}");
    let builder = Term::new(shell).env("OPENAI_BASE_URL", model.url()).env("SHELLMATE_MODEL", "scripted");
    builder.config(&config).size(60, 120)
}

/// An answer whose first call prints 40 lines, and whose text arrives piece by piece.
fn counting() -> Model {
    Model::start([
        Reply::calls(&[("bash", json!({ "command": "touch x; seq 101 140" }))]),
        Reply::text(["Counted", " so far", " to the end."]).gated(),
    ])
}

/// Asks, approves the call, and waits until the model is to write its text.
fn ask_to_count(term: &mut Term, model: &Model) {
    term.wait_for_prompt();
    term.typed("> count\r");
    term.approve("seq");
    model.request();
    model.request();
}

#[test]
fn another_key_unfolds_the_output_and_the_default_one_does_not() {
    in_every_shell(|shell| {
        let model = counting();
        let mut term = with_keys(shell, &model, "unfold = ['alt-o', 'f5']\n").start();
        ask_to_count(&mut term, &model);
        term.wait_for("… 37 more lines (Alt-O or > /show 1)");
        term.key(Key::Ctrl('o'));
        model.release();
        term.wait_for("Counted");
        assert!(!term.screen().contains("  123\n"), "{}", term.screen());
        // Unfolded output is shown below the text that is being written.
        term.key(Key::Alt('o'));
        model.release();
        term.wait_for("so far");
        model.release();
        model.release();
        term.wait_for("to the end.");
        term.wait_for("  123\n");
    });
}

#[test]
fn an_action_that_is_turned_off_is_not_offered() {
    let model = counting();
    let mut term = with_keys(Shell::Bash, &model, "unfold = []\nthinking = 'f6'\n").start();
    ask_to_count(&mut term, &model);
    term.wait_for("… 37 more lines (> /show 1)");
    term.key(Key::Ctrl('o'));
    (0..4).for_each(|_| model.release());
    term.wait_for("to the end.");
    assert!(!term.screen().contains("  123\n"), "{}", term.screen());
    term.typed("clear\r");
    term.typed("> /keys\r");
    term.wait_for("fixed: the answers to an approval");
    let screen = term.screen();
    for line in [
        "while the agent works:",
        "  stop            Ctrl-C  stops the answer and its commands",
        "* unfold          off     unfolds what calls print",
        "* thinking        F6      shows what the model thinks",
        "in the conversation line:",
        "  newline         Alt-Enter, Shift-Enter, Ctrl-J  begins another row",
        "in a list:",
        "* changed by your configuration; the defaults: unfold Ctrl-O; thinking Ctrl-T",
    ] {
        assert!(screen.lines().any(|shown| shown.trim_end() == line), "{line}\n{screen}");
    }
}

#[test]
fn esc_stops_an_answer_if_it_is_chosen_and_ctrl_c_always_does() {
    in_every_shell(|shell| {
        for key in [Key::Esc, Key::CtrlC] {
            let model = Model::start([Reply::text(["One", " more"]).gated()]);
            let mut term = with_keys(shell, &model, "stop = ['esc', 'ctrl-c']\n").start();
            term.wait_for_prompt();
            term.typed("> first\r");
            model.request();
            model.release();
            term.wait_for("One");
            term.wait_for("Esc stops");
            term.key(key);
            term.wait_for_prompt();
            assert!(!term.screen().contains("more"), "{}", term.screen());
        }
    });
}

#[test]
fn a_clash_and_a_wrong_key_are_said_at_the_start_and_by_the_doctor() {
    let model = Model::start([]);
    let clash = "config.toml:4: keys.unfold: Ctrl-T is a key of `unfold` and of `thinking`; it counts for `unfold`";
    let mut term = with_keys(Shell::Zsh, &model, "unfold = 'ctrl-t'\n").size(60, 250).start();
    term.wait_for_prompt();
    term.wait_for(clash);
    let doctor = term.shellmate(&["doctor"]);
    assert!(doctor.stdout.contains(clash), "{}", doctor.stdout);
    let mut term = with_keys(Shell::Bash, &model, "stop = []\nunfold = 'ctl-x'\n").size(60, 250).start();
    term.wait_for_prompt();
    term.wait_for("config.toml:4: keys.stop: ctrl-c must be one of its keys: it always stops an answer");
    term.run("> /keys");
    assert!(term.screen().contains("  unfold          Ctrl-O  unfolds"), "{}", term.screen());
}

#[test]
fn saved_keys_count_without_a_restart() {
    in_every_shell(|shell| {
        let model = Model::start([]);
        let mut term = with_keys(shell, &model, "").start();
        term.wait_for_prompt();
        term.run("> /keys");
        assert!(term.screen().contains("  unfold          Ctrl-O  unfolds"), "{}", term.screen());
        let file = term.home().join(".config/shellmate/config.toml");
        fs::write(&file, "[keys]\nunfold = 'f5'\nclose = 'ctrl-q'\n").unwrap();
        let lists_it = |term: &mut Term| {
            term.run("clear");
            term.run("> /keys");
            term.screen().contains("* unfold          F5      unfolds what calls print")
        };
        assert!((0..200).any(|_| lists_it(&mut term)), "{}", term.screen());
        term.run("clear");
        term.typed(">\r");
        term.wait_for("an empty line closes");
        term.key(Key::Ctrl('q'));
        term.wait_for_prompt();
    });
}
