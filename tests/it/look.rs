//! How answers look: themes, and the list to choose one from.

use crate::harness::{Builder, Key, Model, PROGRAM, Reply, Shell, Term, in_every_shell};

/// A terminal that asks this model.
fn asking(shell: Shell, model: &Model) -> Builder {
    Term::new(shell).env("OPENAI_BASE_URL", model.url()).env("SHELLMATE_MODEL", "scripted")
}

/// A terminal with a shell, and `shellmate` on its PATH.
fn with_shellmate(builder: Builder) -> Term {
    let mut term = builder.env("COLORTERM", "truecolor").size(30, 100).start();
    term.wait_for_prompt();
    term.run(&format!("shellmate() {{ {PROGRAM} \"$@\"; }}"));
    term
}

#[test]
fn esc_leaves_the_list_of_themes_and_changes_nothing() {
    let config = "theme = \"gruvbox-dark\" # mine\n";
    let mut term = with_shellmate(Term::new(Shell::Bash).config(config));
    term.run("echo before");
    let before = term.screen();
    term.typed("shellmate theme preview\r");
    term.wait_for("theme 8 of 16;");
    term.wait_for("▸ gruvbox-dark");
    // The colour of code in this theme, and in the next one.
    term.wait_for_raw(b"\x1b[38;2;142;192;124mcode");
    term.key(Key::Down);
    term.wait_for("▸ solarized-light");
    term.wait_for_raw(b"\x1b[38;2;33;125;118mcode");
    for sample in
        ["Heading", "cargo test", "+let port = 8080;", "? run cargo install ripgrep", "✗ an error", "a notice"]
    {
        term.wait_for(sample);
    }
    term.key(Key::Esc);
    term.wait_for_prompt();
    assert!(term.screen().starts_with(before.trim_end()), "{}", term.screen());
    assert!(!term.screen().contains("solarized"), "{}", term.screen());
    assert_eq!(term.read(".config/shellmate/config.toml"), config);
}

#[test]
fn enter_uses_the_selected_theme() {
    let mut term = with_shellmate(Term::new(Shell::Bash).config("hint = true # kept\n"));
    term.typed("shellmate theme set\r");
    term.wait_for("theme 1 of 16;");
    term.key(Key::Down);
    term.wait_for("▸ dark");
    term.typed("\r");
    term.wait_for("theme = \"dark\" in ");
    assert_eq!(term.read(".config/shellmate/config.toml"), "hint = true # kept\ntheme = \"dark\"\n");
    let refused = term.shellmate(&["theme", "set", "drak"]);
    assert!(!refused.status.success() && refused.stderr.contains("did you mean `dark`?"), "{}", refused.stderr);
    let no_terminal = term.shellmate(&["theme", "set"]);
    assert!(no_terminal.stderr.contains("the list needs a terminal; "), "{}", no_terminal.stderr);
}

#[test]
fn the_list_of_themes_fits_a_narrow_window_and_honours_no_color() {
    let mut term = with_shellmate(Term::new(Shell::Bash).env("NO_COLOR", "1"));
    term.resize(20, 40);
    term.typed("shellmate theme preview rose-pine\r");
    term.wait_for("▸ rose-pine");
    term.wait_for("NO_COLOR is set, so no theme has colours");
    term.wait_for("theme 13 of 16;");
    term.wait_for("Words with weight");
    assert!(!String::from_utf8_lossy(&term.raw()).contains("[38;2;"));
    term.typed("q");
    term.wait_for_prompt();
}

#[test]
fn a_pair_of_themes_follows_colorfgbg() {
    for (variable, code) in [("0;15", "\x1b[38;2;5;80;174mcode"), ("15;0", "\x1b[38;2;142;192;124mcode")] {
        let model = Model::start([Reply::text(["some `code`\n"])]);
        let builder = asking(Shell::Bash, &model).env("COLORTERM", "truecolor").env("COLORFGBG", variable);
        let mut term = builder.config("theme = { light = 'light', dark = 'gruvbox-dark' }\n").start();
        term.wait_for_prompt();
        term.run("> go");
        term.wait_for_raw(code.as_bytes());
    }
}

#[test]
fn a_late_reply_of_the_terminal_never_reaches_the_shell() {
    in_every_shell(|shell| {
        let model = Model::start([Reply::text(["fine\n"])]);
        let mut term = asking(shell, &model).config("theme = 'auto'\n").start();
        term.wait_for_prompt();
        term.be_slow();
        term.run("> go");
        term.wait_for_raw(b"\x1b]11;?\x1b\\\x1b[5n");
        term.typed("echo la\x1b]11;rgb:ffff/ffff/ffff\x1b\\\x1b[0nte\r");
        term.wait_for("\nlate\n");
    });
}
