//! Scripts that are read as only looking are run by bash, and nothing may come of them.

use std::fs;
use std::os::unix::fs::PermissionsExt;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

use proptest::prelude::*;
use proptest::strategy::ValueTree;
use proptest::test_runner::TestRunner;

use super::*;

/// Programs of the system that the scripts may look with.
const LOOKERS: &[&str] = &[
    "cat", "head", "tail", "wc", "ls", "sort", "uniq", "grep", "find", "sed", "awk", "tr", "cut", "env", "timeout",
    "nice", "bash", "sh", "xxd", "date", "seq", "basename", "stat", "du", "nohup", "diff",
];

/// Programs that must never be started.
const CHANGERS: &[&str] =
    &["touch", "rm", "cp", "mv", "mkdir", "tee", "cargo", "curl", "evil", "xargs", "python3", "git"];

/// Scripts made of commands, words and joints that belong together. Many of them only look; many look as if they did.
fn scripts() -> impl Strategy<Value = String> {
    let command = prop::sample::select(vec![
        "ls",
        "cat a",
        "cat",
        "head -n 1 a",
        "wc -l a b",
        "sort a",
        "sort -u",
        "sort -o",
        "uniq a",
        "uniq -c",
        "grep -n x a",
        "find . -name 'a*'",
        "find .",
        "sed -n 1p",
        "sed -n",
        "awk '{print $1}'",
        "awk",
        "echo hi",
        "echo",
        "printf '%s\\n' x",
        "printf",
        "test -f a",
        "[ -d sub ]",
        "[[ -f a ]]",
        "[[",
        "true",
        "false",
        "cd sub",
        "cd ..",
        "timeout 5 ls",
        "env",
        "env LANG=C ls",
        "nice ls",
        "bash -c 'ls'",
        "bash -c",
        "sh -c 'cat a'",
        "LANG=C ls",
        "LC_ALL=C",
        "X=1",
        "PATH=. ls",
        "touch x",
        "evil",
        "eval",
        "for f in a b; do cat $f; done",
        "for f in *; do",
        "if true; then ls; fi",
        "while false; do ls; done",
        "case a in a) ls;; esac",
        "(ls)",
        "{ ls; }",
        "ls() { evil; }",
        "f() { ls; }",
        "! ls",
        "time ls",
        "xxd -ps a",
        "xxd a",
        "date",
        "date +%s",
        "tr a b",
        "seq 3",
        "stat a",
        "du .",
        "tail -n 1 a",
        "diff a b",
        "nohup ls",
        "command -v ls",
        "((1))",
    ]);
    let word = prop::sample::select(vec![
        "a",
        "b",
        "sub",
        "out",
        "x",
        "-o",
        "-n",
        "-r",
        "--",
        "-",
        "*",
        "./*",
        "sub/*",
        "{a,b}",
        "~",
        "\"a\"",
        "'a b'",
        "$x",
        "\"$x\"",
        "${x}",
        "$HOME",
        "$?",
        "$(evil)",
        "$(touch x)",
        "\"$(evil)\"",
        "<(evil)",
        "$((x))",
        "$((1+1))",
        "-eq",
        "1",
        "]]",
        "]",
        "-delete",
        "-exec",
        "{}",
        "+",
        "\\;",
        "'w out'",
        "'BEGIN{system(\"evil\")}'",
        "%n",
        "-v",
        "'a[$(evil)]'",
        "--output=out",
        "--outp=out",
        "-uo",
        "out2",
        "evil",
        "'evil'",
        "#c",
        "a#b",
        "=",
        "-f",
        "-ps",
        "-c",
    ]);
    let redirection = prop::sample::select(vec![
        "",
        "",
        "",
        "",
        "",
        " >out",
        " >>out",
        " 2>&1",
        " 2>/dev/null",
        " >/dev/null",
        " <a",
        " <<<x",
        " <<<$(evil)",
        " &>out",
        " >|out",
        " 3>out",
        " >&2",
        " <>out",
        " {v}>out",
    ]);
    let joint = prop::sample::select(vec![
        "; ",
        "; ",
        " && ",
        " || ",
        " | ",
        " | ",
        "\n",
        " & ",
        " |& ",
        " #c\n",
        "; }",
        " )",
        "; done",
        "; fi",
        ";; esac",
        " <<E\n$(evil)\nE\n",
        " <<'E'\n$(evil)\nE\n",
        "\\\n",
        " ",
    ]);
    let piece = (command, prop::collection::vec(word, 0..3), redirection, joint);
    prop::collection::vec(piece, 1..4).prop_map(|pieces| {
        let mut text = String::new();
        for (command, words, redirection, joint) in pieces {
            text.push_str(command);
            words.iter().for_each(|word| text.extend([" ", word]));
            text.extend([redirection, joint]);
        }
        text
    })
}

/// A directory with files, and programs that leave a mark if they are started.
struct Trap {
    _directory: tempfile::TempDir,
    home: PathBuf,
    work: PathBuf,
    programs: PathBuf,
    log: PathBuf,
}

impl Trap {
    fn new() -> Self {
        let directory = tempfile::tempdir().unwrap();
        let base = directory.path().canonicalize().unwrap();
        let (home, work, programs, log) =
            (base.join("home"), base.join("home/work"), base.join("bin"), base.join("log"));
        fs::create_dir_all(work.join("sub")).unwrap();
        fs::create_dir(&programs).unwrap();
        for (name, text) in [
            ("a", "x 1\ny 2\n"),
            ("b", "x 1\n"),
            ("sub/c", "z\n"),
            ("-ofrom-a-pattern", "x\n"),
            ("ls", "#!/bin/sh\necho ls >> \"$LOG\"\n"),
        ] {
            fs::write(work.join(name), text).unwrap();
        }
        fs::set_permissions(work.join("ls"), fs::Permissions::from_mode(0o755)).unwrap();
        for name in LOOKERS {
            let real = ["/usr/bin", "/bin"].map(|directory| Path::new(directory).join(name));
            if let Some(real) = real.iter().find(|real| real.exists()) {
                std::os::unix::fs::symlink(real, programs.join(name)).unwrap();
            }
        }
        for name in CHANGERS {
            let program = programs.join(name);
            fs::write(&program, format!("#!/bin/sh\necho {name} >> \"$LOG\"\n")).unwrap();
            fs::set_permissions(&program, fs::Permissions::from_mode(0o755)).unwrap();
        }
        Trap { _directory: directory, home, work, programs, log }
    }

    fn reads_as_looking(&self, text: &str) -> bool {
        let place = CommandPlace { cwd: &self.work, home: Some(&self.home), project: &self.work, ..place() };
        read(text, &place).only_looks()
    }

    fn run(&self, text: &str) {
        let mut child = Command::new("timeout")
            .args(["5", "bash", "--noprofile", "--norc", "-c", text])
            .current_dir(&self.work)
            .env_clear()
            .env("PATH", &self.programs)
            .env("HOME", &self.home)
            .env("LOG", &self.log)
            // A value that runs a command where bash evaluates it as arithmetic.
            .env("x", "a[$(evil)]")
            .env("f", "a[$(evil)]")
            .stdin(Stdio::null())
            .stdout(Stdio::null())
            .stderr(Stdio::null())
            .spawn()
            .unwrap();
        child.wait().unwrap();
    }

    /// Every file with its content.
    fn files(&self) -> Vec<(PathBuf, Vec<u8>)> {
        let mut found = Vec::new();
        let mut pending = vec![self.home.clone()];
        while let Some(directory) = pending.pop() {
            for entry in fs::read_dir(directory).unwrap().flatten() {
                if entry.path().is_dir() {
                    pending.push(entry.path());
                }
                found.push((entry.path(), fs::read(entry.path()).unwrap_or_default()));
            }
        }
        found.sort();
        found
    }
}

/// Scripts: the same in every run, unless `TEST_SHELL_TEXTS` asks for new ones.
fn drawn(count: usize) -> Vec<String> {
    let is_new = std::env::var_os("TEST_SHELL_TEXTS").is_some_and(|value| value == "new");
    let mut runner = if is_new { TestRunner::default() } else { TestRunner::deterministic() };
    let strategy = scripts();
    (0..count).map(|_| strategy.new_tree(&mut runner).unwrap().current()).collect()
}

#[test]
fn scripts_that_only_look_change_nothing_when_bash_runs_them() {
    let trap = Trap::new();
    let before = trap.files();
    let mut texts: Vec<String> = tables::entries(tables::SILENT)
        .into_iter()
        .map(|(_, text)| text)
        .filter(|text| !text.contains("sleep"))
        .collect();
    texts.extend(drawn(6000));
    texts.retain(|text| trap.reads_as_looking(text));
    assert!(texts.len() > 400, "some scripts only look: {}", texts.len());
    let is_harmless = |text: &String| {
        !text.contains("find /") && !text.contains("tree") && !text.contains("/usr") && !text.contains("git")
    };
    for text in texts.iter().filter(|text| is_harmless(text)).take(700) {
        trap.run(text);
        let started = fs::read_to_string(&trap.log).unwrap_or_default();
        assert_eq!(started, "", "{text:?} started a program");
        assert!(trap.files() == before, "{text:?} changed a file");
    }
}

#[test]
fn the_trap_notices_what_scripts_do() {
    let trap = Trap::new();
    let before = trap.files();
    for text in ["evil", "ls $(evil)", "[[ $x -eq 1 ]]", "PATH=. ls", "echo $((x))"] {
        trap.run(text);
        assert_ne!(fs::read_to_string(&trap.log).unwrap_or_default(), "", "{text}");
        fs::remove_file(&trap.log).unwrap();
    }
    trap.run("ls > out");
    assert!(trap.files() != before);
}

/// `tests/oracles` compares them with what other parsers see (docs/CONTRIBUTING.md).
#[test]
fn silent_texts_are_written_for_the_other_parsers() {
    let Some(path) = std::env::var_os("TEST_ORACLE_TEXTS") else { return };
    let listed = tables::entries(tables::SILENT).into_iter().map(|(_, text)| text);
    let mut lines = String::new();
    for text in listed.chain(drawn(20_000)) {
        let reading = reading(&text);
        if reading.only_looks() {
            let names: Vec<&String> = reading.parts.iter().filter_map(|part| part.words.first()).collect();
            lines.push_str(&format!("{}\n", serde_json::json!({ "text": text, "names": names })));
        }
    }
    assert!(lines.lines().count() > 1000, "{}", lines.lines().count());
    fs::write(path, lines).unwrap();
}
