//! Bounded searches.

use super::*;

fn meant(home: &Home, words: &str) -> Vec<String> {
    texts(&home.history().meant(words, 3).unwrap())
}

#[test]
fn words_mean_the_newest_command_that_has_them_in_its_text() {
    let home = Home::new();
    home.keep([
        printed("cargo test --lib", "ok"),
        printed("cargo test --doc", "ok"),
        printed("make", "cargo test went wrong"),
        printed("ls", "nothing"),
    ]);
    assert_eq!(meant(&home, "cargo test"), ["cargo test --doc", "cargo test --lib", "make"]);
    assert_eq!(meant(&home, "\"went wrong\""), ["make"], "words of the output");
    assert_eq!(meant(&home, "cargo tes"), ["cargo test --doc", "cargo test --lib", "make"], "an unfinished word");
    assert_eq!(meant(&home, "c"), Vec::<String>::new(), "one letter could be the beginning of anything");
    assert_eq!(meant(&home, "cargo nothing"), Vec::<String>::new(), "all words must be there");
    assert_eq!(meant(&home, " \"\" "), Vec::<String>::new());
}

#[test]
fn an_unfinished_word_stands_for_words_of_commands_and_outputs() {
    let home = Home::new();
    home.keep((0..50).map(|number| printed(&format!("echo tesa{number}"), "")));
    home.keep([
        printed("vim src/main.rs", ""),
        printed("ls", "Cargo.toml terribly.txt"),
        printed("make test", ""),
        printed("ls -l", "testing"),
    ]);
    assert_eq!(meant(&home, "src/mai"), ["vim src/main.rs"], "the last part of a word");
    assert_eq!(meant(&home, "ls terr"), ["ls"], "a word of an output");
    assert_eq!(meant(&home, "MAKE TES |"), Vec::<String>::new(), "signs must be there too");
    assert_eq!(meant(&home, "MAKE TES"), ["make test"], "fifty words of the index come before this one");
    assert_eq!(meant(&home, "zebr"), Vec::<String>::new());
    assert_eq!(meant(&home, "100%"), Vec::<String>::new());
    assert_eq!(meant(&Home::new(), "make tes"), Vec::<String>::new());
}

#[test]
fn the_newest_commands_come_first() {
    let home = Home::new();
    home.keep((0..30).map(|number| printed(&format!("make {number}"), "built")));
    let filter = Filter { limit: Some(2), ..Filter::default() };
    let found = home.history().newest(&["built".to_owned()], &filter).unwrap();
    assert_eq!((texts(&found.entries), found.reach), (vec!["make 29".to_owned(), "make 28".to_owned()], None));
    assert_eq!(texts(&home.history().newest(&[], &filter).unwrap().entries), ["make 29", "make 28"]);
    let nobody = Home::new();
    assert_eq!(nobody.history().newest(&[], &filter).unwrap(), NewestCommands::default());
}

/// A filter is checked for each command, which would take long in a long history.
#[test]
fn a_filter_looks_at_a_bounded_number_of_commands() {
    let home = Home::new();
    home.keep([printed("make", "built")]);
    let connection = rusqlite::Connection::open(home.path()).unwrap();
    connection.execute_batch("UPDATE sqlite_sequence SET seq = 200000 WHERE name = 'commands'").unwrap();
    home.keep([printed("ls", "")]);
    let filter = Filter { cwd: Some("/home/me".into()), limit: Some(5), ..Filter::default() };
    let found = home.history().newest(&[], &filter).unwrap();
    assert_eq!((texts(&found.entries), found.reach), (vec!["ls".to_owned()], Some(60_000)));
    let all = home.history().newest(&[], &Filter { limit: Some(5), ..Filter::default() }).unwrap();
    assert_eq!((all.entries.len(), all.reach), (2, None), "without a filter nothing is left out");
}

#[test]
fn searches_use_the_index_in_its_order() {
    let home = Home::new();
    home.keep([printed("make", "built")]);
    let connection = rusqlite::Connection::open(home.path()).unwrap();
    let plan = "EXPLAIN QUERY PLAN SELECT c.id FROM words CROSS JOIN commands AS c ON c.id = words.rowid
                WHERE words MATCH '\"built\"' AND c.status <> 0 ORDER BY words.rowid DESC LIMIT 20";
    let mut statement = connection.prepare(plan).unwrap();
    let steps: Vec<String> = statement.query_map([], |row| row.get(3)).unwrap().collect::<Result<_, _>>().unwrap();
    assert!(!steps.iter().any(|step| step.contains("TEMP B-TREE")), "no sort: {steps:?}");
    assert!(steps.iter().any(|step| step.contains("INTEGER PRIMARY KEY")), "{steps:?}");
}

#[test]
fn lines_are_visited_newest_first_in_slices_across_gaps() {
    let home = Home::new();
    home.keep((0..3).map(|number| printed(&format!("make {number}"), "built")));
    let gap = "PRAGMA foreign_keys = OFF; UPDATE commands SET id = id + 1000000 WHERE id = 3";
    rusqlite::Connection::open(home.path()).unwrap().execute_batch(gap).unwrap();
    let history = home.history();
    let visited = |filter: &Filter| {
        let (mut ids, mut before) = (Vec::new(), Some(crate::store::HistoryPosition::END));
        while let Some(next) = before {
            before = history.visit_before(next, filter, |line| ids.push((line.id, line.text.to_vec()))).unwrap();
        }
        ids
    };
    let line = |id, text: &str| (id, text.as_bytes().to_vec());
    assert_eq!(visited(&Filter::default()), [line(1_000_003, "make 2"), line(2, "make 1"), line(1, "make 0")]);
    assert_eq!(visited(&Filter { failed: true, ..Filter::default() }), []);
    assert_eq!(history.entry(2).unwrap().map(|entry| entry.command), Some(b"make 1".to_vec()));
    assert_eq!(history.entry(3).unwrap(), None);
}
