//! No tool reveals a part of a masked secret, or reads a file that was not judged.

use std::fs;
use std::os::unix::fs::symlink;

use proptest::prelude::*;
use serde_json::{Value, json};

use super::Tool;
use super::edit::EditFile;
use super::glob::Glob;
use super::grep::Grep;
use super::list::Ls;
use super::read::ReadFile;
use super::tests::{Home, finish};

/// How many consecutive characters of a secret must not be visible.
const WINDOW: usize = 8;

/// Pseudo-random letters and digits that occur nowhere else in these tests.
fn noise(length: usize) -> String {
    let mut state = 0x2545_F491_4F6C_DD1Du64;
    let alphabet = b"ABCDEFGHJKLMNPQRSTUVWXYZabcdefghijkmnpqrstuvwxyz23456789";
    let mut draw = || {
        state ^= state << 13;
        state ^= state >> 7;
        state ^= state << 17;
        char::from(alphabet[usize::try_from(state % alphabet.len() as u64).unwrap()])
    };
    (0..length).map(|_| draw()).collect()
}

fn key_block(lines: usize) -> (String, String) {
    let body = noise(lines * 64);
    let wrapped: Vec<&str> = (0..lines).map(|line| &body[line * 64..(line + 1) * 64]).collect();
    let begin = "-----BEGIN RSA PRIVATE KEY-----";
    (format!("{begin}\n{}\n-----END RSA PRIVATE KEY-----", wrapped.join("\n")), body)
}

/// Texts that contain a secret, each with the secret.
fn planted() -> Vec<(String, String)> {
    let token = format!("ghp_{}", noise(36));
    let password = noise(20);
    vec![
        key_block(25),
        (format!("export GITHUB={token} # mine"), token),
        (format!("db:\n  password: {password}\n  user: me"), password.clone()),
        (format!("postgres://me:{password}@db.example.org/app"), password),
    ]
}

fn assert_hidden(secret: &str, shown: &str, how: &Value) {
    for start in 0..=secret.len() - WINDOW {
        let window = &secret[start..start + WINDOW];
        assert!(!shown.contains(window), "{window} of a secret is shown by {how}:\n{shown}");
    }
}

#[test]
fn a_key_read_line_by_line_stays_masked() {
    let home = Home::new();
    let (block, body) = key_block(25);
    // One file that is read as a whole, and one that is too large for that.
    let some = (0..27).collect::<Vec<usize>>();
    for (filler, lines) in [(10, &some[..]), (600_000, &[1, 14])] {
        let text = format!("{0}{block}\n{0}", "some text here\n".repeat(filler));
        home.write("app/notes.txt", &text);
        for line in lines {
            let wish = json!({"path": "notes.txt", "offset": filler + 1 + line, "limit": 1});
            assert_hidden(&body, &home.done(&ReadFile, wish.clone()), &wish);
        }
    }
}

#[test]
fn a_search_reveals_nothing_about_a_secret() {
    let home = Home::new();
    for (text, secret) in planted() {
        home.write("app/notes.txt", format!("before\n{text}\nafter\n"));
        for pattern in [&secret[..4], &secret[secret.len() - 6..], &secret[..secret.len() / 2]] {
            for mode in ["content", "files", "count"] {
                let found = home.done(&Grep, json!({"pattern": format!("{pattern}|zzz"), "mode": mode}));
                let missed = home.done(&Grep, json!({"pattern": "qqqqqq|zzz", "mode": mode}));
                assert_eq!(found, missed, "{pattern} in {mode} mode");
            }
        }
        for context in [0, 3] {
            let wish = json!({"pattern": "[A-Za-z0-9]{20}|before|BEGIN", "context": context});
            assert_hidden(&secret, &home.done(&Grep, wish.clone()), &wish);
        }
    }
}

#[test]
fn utf_16_is_masked_before_it_is_searched() {
    let home = Home::new();
    let (text, body) = key_block(4);
    let units = format!("\u{FEFF}title\r\n{text}\r\n");
    let bytes: Vec<u8> = units.encode_utf16().flat_map(u16::to_le_bytes).collect();
    home.write("app/windows.txt", bytes);
    assert_eq!(home.done(&Grep, json!({"pattern": "title"})), "windows.txt\n1:title\n");
    let wish = json!({"pattern": "."});
    assert_hidden(&body, &home.done(&Grep, wish.clone()), &wish);
}

#[test]
fn an_edit_cannot_be_used_to_guess_a_secret() {
    let home = Home::new();
    for (text, secret) in planted() {
        home.write("app/notes.txt", format!("before\n{text}\nafter\n"));
        let guess = |old: &str| {
            let edits = json!([{"old_string": old, "new_string": "x"}, {"old_string": "not there", "new_string": "x"}]);
            home.failed(&EditFile, json!({"path": "notes.txt", "edits": edits}))
        };
        let right = guess(&secret[..5]);
        assert!(right.starts_with("edits[0]: old_string was not found"), "{right}");
        let near = guess(&format!("{}!", &secret[..secret.len() - 1]));
        assert_hidden(&secret, &near, &json!("edit_file"));
    }
    home.write("app/notes.txt", "password: hunter22\nuser: me\n");
    home.done(&EditFile, json!({"path": "notes.txt", "old_string": "user: me", "new_string": "user: you"}));
    assert_eq!(home.read("app/notes.txt"), "password: hunter22\nuser: you\n");
}

fn arguments() -> impl Strategy<Value = (&'static str, Value)> {
    let range =
        (1usize..60, 1usize..40).prop_map(|(offset, limit)| ("read", json!({"offset": offset, "limit": limit})));
    let pattern = prop_oneof![
        Just(".".to_owned()),
        Just("[0-9]".to_owned()),
        Just("(?i)password|token|key|//".to_owned()),
        "[A-Za-z0-9]{1,2}",
        Just(r"\S{12,}$".to_owned()),
    ];
    let search = (pattern, 0usize..20, 0usize..40).prop_map(|(pattern, context, offset)| {
        ("grep", json!({"pattern": pattern, "context": context, "offset": offset}))
    });
    prop_oneof![range, search]
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(200))]

    #[test]
    fn no_arguments_reveal_a_part_of_a_secret(
        which in 0usize..4, before in 0usize..30, (tool, mut wish) in arguments()
    ) {
        let home = Home::new();
        let (text, secret) = planted().swap_remove(which);
        let lines = |count: usize| (0..count).map(|line| format!("line {line} of it\n")).collect::<String>();
        home.write("app/notes.txt", format!("{}{text}\n{}", lines(before), lines(20)));
        wish["path"] = json!("notes.txt");
        let tool: &dyn Tool = if tool == "read" { &ReadFile } else { &Grep };
        assert_hidden(&secret, home.call(tool, wish.clone()).text(), &wish);
    }
}

/// Describes a call on `path`, replaces `~/app/sub` with a link to `~/.ssh`, then runs the call.
fn swapped(tool: &dyn Tool, path: &str) -> String {
    let home = Home::new();
    home.write("app/sub/id", "harmless");
    home.write("app/sub/config", "harmless");
    home.write(".ssh/id", "PRIVATE");
    home.write(".ssh/config", "PRIVATE");
    home.write(".ssh/hidden", "PRIVATE");
    let call = home.prepare(tool, json!({"path": path, "pattern": if tool.spec().name == "glob" { "*" } else { "." }}));
    let call = call.unwrap();
    fs::rename(home.path("app/sub"), home.path("app/aside")).unwrap();
    symlink(home.path(".ssh"), home.path("app/sub")).unwrap();
    finish(call).text().to_owned()
}

#[test]
fn a_link_put_in_place_of_a_judged_directory_is_not_followed() {
    let became_link = "has become a symbolic link";
    for path in ["sub/id", "sub/config"] {
        let said = swapped(&ReadFile, path);
        assert!(said.contains(became_link), "{said}");
    }
    let said = swapped(&Ls, "sub");
    assert!(said.contains(became_link) && !said.contains("hidden"), "{said}");
    for path in ["sub", "sub/config"] {
        let said = swapped(&Grep, path);
        assert!(!said.contains("PRIVATE") && !said.contains("hidden"), "{said}");
    }
    let said = swapped(&Glob, "sub");
    assert!(!said.contains("hidden") && !said.contains("config"), "{said}");
}

#[test]
fn a_link_put_in_place_of_a_judged_file_is_not_followed() {
    let home = Home::new();
    home.write("app/notes", "harmless");
    home.write(".netrc", "PRIVATE");
    let [read, grep] = [&ReadFile as &dyn Tool, &Grep]
        .map(|tool| home.prepare(tool, json!({"path": "notes", "pattern": "."})).unwrap());
    fs::remove_file(home.path("app/notes")).unwrap();
    symlink(home.path(".netrc"), home.path("app/notes")).unwrap();
    for call in [read, grep] {
        let said = finish(call).text().to_owned();
        assert!(!said.contains("PRIVATE"), "{said}");
    }
}
