//! Compares our reader of command lines with two other parsers of bash.
//!
//! The argument is a file with a line of JSON for each text that our reader calls silent: `{"text": …, "names": […]}`. The unit test
//! `silent_texts_are_written_for_the_other_parsers` writes it. A command that another parser finds in a text must be among the names. Both
//! parsers misread some texts; `is_misread` knows those that bash reads as we do.

use std::collections::BTreeSet;
use std::process::ExitCode;

use brush_parser::word::{WordPiece, WordPieceWithSource};
use brush_parser::{Parser, ParserOptions, word};
use serde_json::Value;

/// Commands that run another one. Our reader lists what they run.
const WRAPPERS: &[&str] =
    &["env", "timeout", "nice", "nohup", "time", "stdbuf", "ionice", "bash", "sh", "dash", "command"];

/// Whether tree-sitter misreads a text: for bash, words after the `]` of `[` are further arguments, for tree-sitter they are a command.
fn is_misread(parser: &str, text: &str) -> bool {
    let follows = |rest: &str| {
        rest.starts_with(' ') && !rest.trim_start_matches(' ').starts_with([';', '|', '&', '>', '<', '\n', ')'])
    };
    parser == "tree-sitter"
        && text.contains("[ ")
        && text.match_indices(" ]").any(|(at, bracket)| follows(&text[at + bracket.len()..]))
}

/// The names of all commands that tree-sitter finds.
fn by_tree_sitter(text: &str) -> BTreeSet<String> {
    let mut parser = tree_sitter::Parser::new();
    parser.set_language(&tree_sitter_bash::LANGUAGE.into()).expect("a language of this version");
    let tree = parser.parse(text, None).expect("a tree");
    let mut found = BTreeSet::new();
    let mut pending = vec![tree.root_node()];
    while let Some(node) = pending.pop() {
        let name = match node.kind() {
            "command_name" => Some(node),
            "declaration_command" | "unset_command" => node.child(0),
            _ => None,
        };
        found.extend(name.and_then(|name| name.utf8_text(text.as_bytes()).ok()).map(plain));
        pending.extend((0..node.child_count()).filter_map(|at| node.child(at)));
    }
    found
}

/// The names of all commands that brush finds, those in substitutions included. `None` if it cannot parse the text.
fn by_brush(text: &str) -> Option<BTreeSet<String>> {
    let options = ParserOptions::default();
    let program = Parser::new(text.as_bytes(), &options).parse_program().ok()?;
    let mut found = BTreeSet::new();
    let mut pending = vec![serde_json::to_value(program).ok()?];
    while let Some(value) = pending.pop() {
        match value {
            Value::Object(mut fields) => {
                // The text of a here-document whose end is quoted is not expanded.
                if fields.contains_key("here_end") && fields.get("requires_expansion") != Some(&Value::Bool(true)) {
                    fields.remove("doc");
                }
                let name = fields.get("word_or_name").and_then(|word| word.get("value")).and_then(Value::as_str);
                found.extend(name.map(plain));
                if let Some(text) = fields.get("value").and_then(Value::as_str)
                    && let Ok(pieces) = word::parse(text, &options)
                {
                    inner(&pieces, &mut found);
                }
                pending.extend(fields.into_iter().map(|(_, value)| value));
            }
            Value::Array(values) => pending.extend(values),
            _ => {}
        }
    }
    Some(found)
}

/// The commands in the substitutions of a word.
fn inner(pieces: &[WordPieceWithSource], found: &mut BTreeSet<String>) {
    for piece in pieces {
        match &piece.piece {
            WordPiece::CommandSubstitution(text) | WordPiece::BackquotedCommandSubstitution(text) => {
                found.extend(by_brush(text).into_iter().flatten());
            }
            WordPiece::DoubleQuotedSequence(pieces) | WordPiece::GettextDoubleQuotedSequence(pieces) => {
                inner(pieces, found);
            }
            _ => {}
        }
    }
}

/// A name without quotes.
fn plain(name: &str) -> String {
    name.chars().filter(|c| !matches!(c, '"' | '\'' | '\\')).collect()
}

fn main() -> ExitCode {
    let Some(path) = std::env::args().nth(1) else {
        eprintln!("usage: shellmate-oracles FILE");
        return ExitCode::from(2);
    };
    let lines = std::fs::read_to_string(path).expect("a file of texts");
    let (mut texts, mut unparsed, mut wrong) = (0, 0, 0);
    for line in lines.lines() {
        let entry: Value = serde_json::from_str(line).expect("a line of JSON");
        let text = entry["text"].as_str().unwrap_or_default();
        let names = entry["names"].as_array().into_iter().flatten().filter_map(Value::as_str);
        let names: BTreeSet<&str> = names.map(|name| name.rsplit('/').next().unwrap_or(name)).collect();
        texts += 1;
        let brush = by_brush(text);
        unparsed += usize::from(brush.is_none());
        for (parser, found) in [("tree-sitter", by_tree_sitter(text)), ("brush", brush.unwrap_or_default())] {
            let unseen: Vec<&String> = found
                .iter()
                .filter(|name| {
                    let base = name.rsplit('/').next().unwrap_or(name);
                    !base.is_empty() && !names.contains(base) && !WRAPPERS.contains(&base)
                })
                .collect();
            if !unseen.is_empty() && !is_misread(parser, text) {
                println!("{parser} sees {unseen:?} in {text:?}; we see {names:?}");
                wrong += 1;
            }
        }
    }
    println!("{texts} silent texts, {wrong} with a command that we do not see; brush could not parse {unparsed}");
    if wrong == 0 && texts > 0 { ExitCode::SUCCESS } else { ExitCode::FAILURE }
}
