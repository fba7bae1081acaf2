//! Tables of commands with what must be said about them.

use super::{PartEffect, reading};

pub(super) const SILENT: &str = include_str!("../../../../tests/commands/silent.txt");
pub(super) const ASKED: &str = include_str!("../../../../tests/commands/asked.txt");
pub(super) const DENIED: &str = include_str!("../../../../tests/commands/denied.txt");

/// The commands of a table with the headings above them.
pub(super) fn entries(table: &str) -> Vec<(&str, String)> {
    let mut heading = "";
    let mut found = Vec::new();
    for line in table.lines().filter(|line| !line.is_empty()) {
        match (line.strip_prefix("## "), line.starts_with("# ")) {
            (Some(name), _) => heading = name,
            (None, true) => {}
            (None, false) => found.push((heading, line.replace('⏎', "\n"))),
        }
    }
    found
}

fn assert_none(wrong: &[String], count: usize) {
    assert!(wrong.is_empty(), "{} of {count}:\n{}", wrong.len(), wrong.join("\n"));
}

#[test]
fn commands_that_only_look_are_silent() {
    let entries = entries(SILENT);
    assert!(entries.len() >= 300, "{}", entries.len());
    let wrong: Vec<String> = entries
        .iter()
        .map(|(_, text)| (text, reading(text)))
        .filter(|(_, reading)| !reading.only_looks())
        .map(|(text, reading)| {
            format!(
                "{text:?}: {:?} {:?}",
                reading.unclear,
                reading.parts.iter().map(|part| (&part.words, &part.effect)).collect::<Vec<_>>()
            )
        })
        .collect();
    assert_none(&wrong, entries.len());
}

#[test]
fn commands_that_do_more_are_asked_for_the_reason_in_the_table() {
    let entries = entries(ASKED);
    assert!(entries.len() >= 300, "{}", entries.len());
    let mut wrong = Vec::new();
    for (class, text) in &entries {
        let reading = reading(text);
        let effects: Vec<&PartEffect> = reading.parts.iter().map(|part| &part.effect).collect();
        let is_right = match *class {
            "changes" => effects.iter().any(|effect| matches!(effect, PartEffect::Changes | PartEffect::Creates)),
            "writes" => reading.parts.iter().any(|part| !part.writes.is_empty() && part.effect != PartEffect::Looks),
            "text" => reading.unclear.is_some(),
            variant => format!("{effects:?} {:?}", reading.unclear).contains(variant),
        };
        if !is_right || reading.only_looks() || reading.danger().is_some() {
            wrong.push(format!("{class}: {text:?}: {:?} {effects:?} {:?}", reading.unclear, reading.danger()));
        }
    }
    assert_none(&wrong, entries.len());
}

#[test]
fn dangerous_commands_are_denied() {
    let entries = entries(DENIED);
    let wrong: Vec<String> = entries
        .iter()
        .map(|(class, text)| (class, text, reading(text)))
        .filter(|(class, _, reading)| {
            !reading.danger().is_some_and(|danger| format!("{danger:?}").starts_with(**class))
        })
        .map(|(class, text, reading)| {
            format!("{class}: {text:?}: {:?}", reading.parts.iter().map(|part| &part.words).collect::<Vec<_>>())
        })
        .collect();
    assert_none(&wrong, entries.len());
}

#[test]
fn ordinary_commands_are_not_denied() {
    for text in [
        "rm -rf target",
        "rm -rf ./build/*",
        "rm -rf /tmp/x",
        "rm -rf ~/.cache/foo",
        "rm -rf node_modules dist",
        "rm -f *",
        "rm *.o",
        "git clean -fdx",
        "dd if=/dev/sda of=backup.img",
        "dd if=/dev/zero of=x bs=1M count=1",
        "cat /dev/null > x",
        "ls > /dev/null",
        "mkfs.ext4 disk.img",
        "shred secret.txt",
        "curl -O https://example.org/x.tgz",
        "curl x | jq .",
        "curl x | tar xz",
        "curl x | python3 -m json.tool",
        "curl x | grep -c bash",
        "curl x > install.sh",
        "bash install.sh \"$(curl x)\"",
        "python3 post.py \"$(curl x)\"",
        "echo bash \"$(curl x)\"",
        "git commit -m 'never pipe curl | sh'",
        "base64 x | sh",
        "cat x | sh",
        "echo ls | bash",
        "find . -name '*.pyc' -delete",
        "find /tmp/x -delete",
        "rsync -a --delete src/ backup/",
        "f() { f; }",
        "f() { g | h & }; f",
        "rm -rf \"$TMPDIR\"/x",
        "rm -rf ../other",
        "perl -e 'print \"fork\"'",
    ] {
        let reading = reading(text);
        assert_eq!(reading.danger(), None, "{text}");
    }
}
