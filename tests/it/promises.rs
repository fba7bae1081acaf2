//! docs/SECURITY.md names a test for each promise. Those tests exist.

use std::collections::BTreeSet;
use std::fs;
use std::path::Path;

/// The names of all test functions in `src/` and `tests/`.
fn tests() -> BTreeSet<String> {
    let root = Path::new(env!("CARGO_MANIFEST_DIR"));
    let mut found = BTreeSet::new();
    let mut pending = vec![root.join("src"), root.join("tests")];
    while let Some(directory) = pending.pop() {
        for entry in fs::read_dir(directory).unwrap().flatten() {
            let path = entry.path();
            if path.is_dir() {
                pending.push(path);
            } else if path.extension().is_some_and(|extension| extension == "rs") {
                found.extend(named(&fs::read_to_string(path).unwrap()));
            }
        }
    }
    found
}

/// The functions after `#[test]`, whatever attributes are between.
fn named(source: &str) -> Vec<String> {
    let mut is_test = false;
    let mut found = Vec::new();
    for line in source.lines().map(str::trim) {
        if line.starts_with("#[test]") {
            is_test = true;
        } else if let Some(rest) = line.strip_prefix("fn ").filter(|_| is_test) {
            found.extend(rest.split('(').next().map(str::to_owned));
            is_test = false;
        }
    }
    found
}

#[test]
fn every_test_that_security_names_exists() {
    let text = include_str!("../../docs/SECURITY.md");
    let rows = text.lines().filter(|line| line.starts_with("| ") && !line.starts_with("| promise"));
    let code = |text: &str| -> Vec<String> { text.split('`').skip(1).step_by(2).map(str::to_owned).collect() };
    let is_name = |word: &String| {
        word.contains('_') && word.chars().all(|c| c.is_ascii_lowercase() || c.is_ascii_digit() || c == '_')
    };
    let tests = tests();
    let named: Vec<String> = rows.flat_map(code).filter(is_name).collect();
    assert!(named.len() >= 40, "{}", named.len());
    let unknown: Vec<&String> = named.iter().filter(|name| !tests.contains(*name)).collect();
    assert_eq!(unknown, Vec::<&String>::new());
    // A promise without a test is none.
    let promises = text
        .split("| promise | test |")
        .skip(1)
        .flat_map(|table| table.lines().skip(2).take_while(|line| line.starts_with('|')));
    for promise in promises {
        let last = promise.trim_end_matches('|').rsplit('|').next().unwrap_or_default();
        assert!(code(last).iter().any(is_name) || last.contains("tests/"), "{promise}");
    }
}
