//! Tests with real files.

use std::fs::{self, Permissions};
use std::os::unix::fs::{PermissionsExt, symlink};

use serde_json::{Value, json};

use super::EditFile;
use crate::guard::{EditReach, Intent};
use crate::tool::Preview;
use crate::tool::read::ReadFile;
use crate::tool::tests::{Home, finish};
use crate::tool::write::WriteFile;

fn edit(old: &str, new: &str) -> Value {
    json!({"path": "a.rs", "edits": [{"old_string": old, "new_string": new}]})
}

fn with(content: &str) -> Home {
    let home = Home::new();
    home.write("app/a.rs", content);
    home
}

#[test]
fn the_whole_change_is_shown_before_it_is_made() {
    let home = with("one\ntwo\n");
    let prepared = home.prepare(&EditFile, edit("two", "three")).unwrap();
    let path = home.path("app/a.rs");
    assert_eq!(prepared.intent, Intent::Write { path: path.clone(), reach: EditReach::Unknown });
    let (before, after) = ("one\ntwo\n".to_owned(), "one\nthree\n".to_owned());
    assert_eq!(prepared.preview, Some(Preview::Edit { path, before, after }));
    assert_eq!(home.read("app/a.rs"), "one\ntwo\n");
    assert_eq!(finish(prepared).text(), "a.rs: 1 edit made, now 2 lines");
    assert_eq!(home.read("app/a.rs"), "one\nthree\n");
}

#[test]
fn several_edits_are_made_in_order_or_not_at_all() {
    let home = with("a\nb\nb\n");
    let edits =
        json!([{"old": "a", "new": "c"}, {"old": "c", "new": "d"}, {"old": "b", "new": "e", "replace_all": "true"}]);
    assert_eq!(home.done(&EditFile, json!({"path": "a.rs", "edits": edits})), "a.rs: 3 edits made, now 3 lines");
    assert_eq!(home.read("app/a.rs"), "d\ne\ne\n");
    let edits = json!([{"old": "d", "new": "f"}, {"old": "zzz", "new": ""}]);
    let message = home.failed(&EditFile, json!({"path": "a.rs", "edits": edits}));
    assert_eq!(
        message,
        "edits[1]: old_string was not found in a.rs. Nothing there is like it; read the file again\nNo edit was made."
    );
    assert_eq!(home.read("app/a.rs"), "d\ne\ne\n");
}

#[test]
fn a_single_edit_needs_no_list() {
    let home = with("old\n");
    home.done(&EditFile, json!({"file_path": "a.rs", "old_string": "old", "new_string": "new"}));
    assert_eq!(home.read("app/a.rs"), "new\n");
    home.done(&EditFile, json!({"path": "a.rs", "edits": {"old_string": "new", "new_string": "newer"}}));
    assert_eq!(home.read("app/a.rs"), "newer\n");
}

#[test]
fn several_matches_are_reported_with_their_lines() {
    let home = with("x\ny\nx\n");
    assert_eq!(
        home.failed(&EditFile, edit("x", "z")),
        "old_string occurs 2 times in a.rs, at lines 1, 3. Add surrounding lines, or set replace_all"
    );
}

#[test]
fn a_text_that_is_not_found_is_reported_with_the_nearest_lines() {
    let home = with("fn main() {\n\tlet name = “x”;\n\tprintln!(\"hello\");\n\treturn;\n}\n");
    let said = |old: &str| home.failed(&EditFile, edit(old, "")).replace("old_string was not found in a.rs. ", "");
    assert_eq!(
        said("    println!(\"hello\");\n    return;"),
        "The nearest differs in indentation:\n3\t\tprintln!(\"hello\");\n4\t\treturn;"
    );
    assert_eq!(said("println!( \"hello\");"), "The nearest is:\n3\t\tprintln!(\"hello\");");
    assert_eq!(said("fn  main() {"), "The nearest differs in whitespace:\n1\tfn main() {");
    assert_eq!(said("\tlet name = \"x\";"), "The nearest differs in quotes or dashes:\n2\t\tlet name = “x”;");
    assert_eq!(said("FN main()"), "The nearest differs in upper and lower case:\n1\tfn main() {");
    assert_eq!(said("3\t\tprintln!(\"hello\");"), "It is there without the line numbers that read_file shows");
    assert_eq!(said("}  \n"), "The nearest differs in whitespace at line ends:\n5\t}");
    let nearest = said("fn main() {\n\tlet name = 5;\n\treturn;\n}");
    assert!(nearest.starts_with("The nearest is:\n1\tfn main() {\n2\t"), "{nearest}");
}

#[test]
fn line_endings_and_the_byte_order_mark_are_kept() {
    let home = with("\u{FEFF}one\r\ntwo\r\nthree\r\n");
    home.done(&EditFile, edit("one\ntwo", "1\n2\n2.5"));
    assert_eq!(home.read("app/a.rs"), "\u{FEFF}1\r\n2\r\n2.5\r\nthree\r\n");
    home.done(&EditFile, edit("three", "3\n4"));
    assert_eq!(home.read("app/a.rs"), "\u{FEFF}1\r\n2\r\n2.5\r\n3\r\n4\r\n");
    home.write("app/a.rs", "a\nb\r\nc\nd\n");
    home.done(&EditFile, edit("b\nc", "B\nC"));
    assert_eq!(home.read("app/a.rs"), "a\nB\r\nC\nd\n");
}

#[test]
fn mode_and_link_are_kept() {
    let home = Home::new();
    home.write("real.sh", "old");
    fs::set_permissions(home.path("real.sh"), Permissions::from_mode(0o755)).unwrap();
    symlink(home.path("real.sh"), home.path("app/a.rs")).unwrap();
    home.done(&EditFile, edit("old", "new"));
    assert!(home.path("app/a.rs").is_symlink());
    assert_eq!(home.read("real.sh"), "new");
    assert_eq!(fs::metadata(home.path("real.sh")).unwrap().permissions().mode() & 0o777, 0o755);
}

#[test]
fn a_file_that_changed_since_it_was_read_is_not_edited() {
    let home = with("one two\n");
    home.done(&ReadFile, json!({"path": "a.rs"}));
    home.write("app/a.rs", "one two three\n");
    assert!(home.failed(&EditFile, edit("one", "1")).contains("has changed since you read it"));
    home.done(&ReadFile, json!({"path": "a.rs"}));
    let asked = home.prepare(&EditFile, edit("one", "1")).unwrap();
    home.write("app/a.rs", "one, while you were thinking\n");
    assert!(finish(asked).is_failed());
    assert_eq!(home.read("app/a.rs"), "one, while you were thinking\n");
}

#[test]
fn an_edited_file_can_be_edited_again_without_reading_it() {
    let home = with("one\n");
    home.done(&ReadFile, json!({"path": "a.rs"}));
    home.done(&EditFile, edit("one", "two"));
    home.done(&EditFile, edit("two", "three"));
    assert_eq!(home.done(&ReadFile, json!({"path": "a.rs"})), "1\tthree\n");
}

#[test]
fn an_edit_does_not_allow_overwriting_an_unread_file() {
    let home = with("one\nunread\n");
    home.done(&EditFile, edit("one", "two"));
    assert!(home.failed(&WriteFile, json!({"path": "a.rs", "content": ""})).contains("not read"));
}

#[test]
fn files_that_cannot_be_edited_are_reported() {
    let home = with("one\n");
    assert!(home.failed(&EditFile, edit("", "x")).contains("old_string is empty"));
    assert!(home.failed(&EditFile, edit("one", "one")).contains("are the same"));
    assert!(home.failed(&EditFile, json!({"path": "a.rs", "edits": []})).contains("there are none"));
    assert!(
        home.failed(&EditFile, json!({"path": "b.rs", "old_string": "a", "new_string": "b"}))
            .contains("did you mean a.rs?")
    );
    home.write("app/a.rs", b"caf\xE9");
    assert!(home.failed(&EditFile, edit("caf", "x")).contains("not UTF-8"));
}

#[test]
fn a_directory_swapped_for_a_link_after_the_question_is_not_edited_through() {
    let home = Home::new();
    home.write("app/sub/a.rs", "one\n");
    home.write("private/a.rs", "one\n");
    let edit = json!({"path": "sub/a.rs", "old_string": "one", "new_string": "two"});
    let asked = home.prepare(&EditFile, edit).unwrap();
    fs::rename(home.path("app/sub"), home.path("app/aside")).unwrap();
    symlink(home.path("private"), home.path("app/sub")).unwrap();
    assert!(finish(asked).text().contains("its directory was replaced"));
    assert_eq!(home.read("private/a.rs"), "one\n");
    assert_eq!(home.read("app/aside/a.rs"), "one\n");
}
