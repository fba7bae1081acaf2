//! The recorded session of the README: `docs/session.cast` (asciicast) and its last screen as `docs/session-dark.svg` and
//! `docs/session-light.svg`.
//!
//! The session runs in the real program with a scripted model. Its screens are recorded, not its bytes, and times that the program
//! prints are replaced, so that every run gives the same files. The test fails if a file is stale; `UPDATE_DOCS=1` writes them.

mod cast;
mod grid;
mod svg;

use std::fs;
use std::path::Path;

use serde_json::json;

use crate::harness::{Model, Reply, Shell, Term};
use cast::Cast;
use grid::Grid;

const ROWS: u16 = 31;
const COLUMNS: u16 = 84;

/// A script with a mistake: the file has semicolons.
const SCRIPT: &str = r#"#!/bin/sh
# totals FILE: adds up the column "amount"
awk -F, '
  NR == 1 { for (i = 1; i <= NF; i++) if ($i == "amount") column = i; next }
  { sum += $column }
  END { if (!column) { print "totals: no column \"amount\""; exit 1 }
        printf "total: %.2f\n", sum }' "$1"
"#;

const TABLE: &str = "date;customer;amount\n2026-03-02;Ito;1200.50\n2026-03-09;Okafor;83.00\n";

const TITLE: &str = "A session in bash: a script fails, a question gets an explanation and a fix, and the script runs";

/// The session while it is recorded.
struct Recording {
    term: Term,
    cast: Cast,
}

impl Recording {
    /// Waits until `text` is on the screen, and shows the screen `after` seconds.
    fn see(&mut self, after: f64, text: &str) {
        let mut grid = None;
        self.term.wait_until(|screen| {
            grid = Some(Grid::of(screen)).filter(|grid| grid.text().contains(text));
            grid.is_some()
        });
        self.cast.show(after, grid.expect("the screen that was waited for"));
    }

    /// Types word by word, as fast as people do.
    fn type_words(&mut self, text: &str) {
        let mut typed = String::new();
        for word in text.split_inclusive(' ') {
            typed.push_str(word);
            self.term.typed(word);
            self.see(0.07 * word.len() as f64, typed.trim_end());
        }
    }

    /// Presses Enter.
    fn enter(&mut self) {
        self.term.typed("\r");
    }
}

fn model() -> Model {
    let edit = json!({ "path": "totals", "old_string": "awk -F, '", "new_string": "awk -F';' '" });
    Model::start([
        Reply::calls(&[
            ("read_file", json!({ "path": "totals" })),
            ("read_file", json!({ "path": "sales.csv", "limit": 3 })),
        ]),
        Reply::text([
            "`sales.csv` separates its columns with semicolons, ",
            "but `totals` splits the lines at **commas**, so it finds no column `amount`.",
        ])
        .and_calls(&[("edit_file", edit)])
        .gated(),
        Reply::calls(&[("suggest_command", json!({ "command": "./totals sales.csv", "why": "" }))]),
        Reply::text(["Now it splits at semicolons. The command on your prompt runs it again."]).gated(),
    ])
}

fn record() -> Cast {
    let model = model();
    let term = Term::new(Shell::Bash)
        .file(".bashrc", "PS1='\\[\\e[34m\\]\\w\\[\\e[0m\\] $ '\ncd ~/report\n")
        .file("report/totals", SCRIPT)
        .file("report/sales.csv", TABLE)
        .no_sandbox()
        .env("OPENAI_BASE_URL", model.url())
        .env("SHELLMATE_MODEL", "demo")
        .size(ROWS, COLUMNS);
    let script = term.home().join("report/totals");
    fs::set_permissions(script, std::os::unix::fs::PermissionsExt::from_mode(0o755)).unwrap();
    let mut recording = Recording { term: term.start(), cast: Cast::new(ROWS, COLUMNS, TITLE) };
    recording.see(0.5, "~/report $ ");
    recording.type_words("./totals sales.csv");
    recording.enter();
    recording.see(0.4, "column \"amount\"\n~/report $ ");
    recording.type_words("> why did that fail? fix it");
    recording.enter();
    recording.see(1.0, "sales.csv:1-3\n⠹ working");
    model.release();
    recording.see(1.2, "with semicolons,");
    model.release();
    recording.see(0.6, "column amount.");
    model.release();
    model.release();
    recording.see(0.8, "? more");
    recording.term.typed("y");
    recording.see(0.5, "y yes, this once");
    recording.see(2.5, "→ on your prompt: ./totals sales.csv\n⠹ working");
    model.release();
    recording.see(0.8, "runs it again.");
    model.release();
    recording.see(0.5, "· 2.4s\n~/report $ ./totals sales.csv\n");
    recording.enter();
    recording.see(1.6, "total: 1283.50\n~/report $ ");
    recording.term.typed("exit\r");
    recording.term.wait_exit();
    recording.cast
}

#[test]
fn the_recorded_session_of_the_readme_is_current() {
    let cast = record();
    let last = cast.last();
    assert_eq!(cast.replayed().text(), last.text());
    let files = [
        ("session.cast", cast.lines()),
        ("session-dark.svg", svg::draw(last, &svg::DARK, TITLE)),
        ("session-light.svg", svg::draw(last, &svg::LIGHT, TITLE)),
    ];
    for (name, text) in files {
        let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("docs").join(name);
        if std::env::var_os("UPDATE_DOCS").is_some() {
            fs::write(&path, &text).unwrap();
        }
        let kept = fs::read_to_string(&path).unwrap_or_default();
        let different = kept.lines().zip(text.lines()).find(|(kept, text)| kept != text);
        assert!(
            kept == text,
            "docs/{name} is stale; UPDATE_DOCS=1 writes it. The first difference: {different:#?}\n{}",
            last.text()
        );
    }
}
