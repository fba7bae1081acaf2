//! Commands of a text that could not be parsed, as far as its words can be seen. Denials apply to them.

use super::argument::{Argument, arguments};
use super::scope::Scope;
use super::simple::{self, Around};
use super::unclear::Unclear;
use super::{CommandPlace, ReadPart, danger};
use crate::text::shell::{ExpansionKind, Operator, Token, tokens};

/// How much of a text is looked at, in bytes.
const LONGEST_LOOK: usize = 64 * 1024;

/// How many commands are looked at.
const MOST_COMMANDS: usize = 300;

/// How many texts may be inside each other.
const DEEPEST_TEXT: usize = 8;

/// Reserved words that a command may follow.
const BEFORE_COMMANDS: &[&str] =
    &["if", "then", "else", "elif", "while", "until", "do", "{", "!", "time", "function", "coproc"];

/// The parts of a text. They are incomplete.
pub(super) fn parts(text: &str, place: &CommandPlace<'_>) -> Vec<ReadPart> {
    let mut found = Vec::new();
    let scope = Scope::new(place);
    collect(text, &scope, None, DEEPEST_TEXT, &mut found);
    found
}

/// The words of every command, those in substitutions included.
pub(super) fn commands(text: &str) -> Vec<Vec<Argument>> {
    let place = CommandPlace {
        cwd: std::path::Path::new("/"),
        home: None,
        project: std::path::Path::new("/"),
        path: std::ffi::OsStr::new(""),
        is_confined: false,
    };
    parts(text, &place).into_iter().map(|part| part.words.into_iter().map(Argument::literal).collect()).collect()
}

fn collect(text: &str, scope: &Scope<'_>, input: Option<String>, depth: usize, found: &mut Vec<ReadPart>) {
    let mut end = text.len().min(LONGEST_LOOK);
    while !text.is_char_boundary(end) {
        end -= 1;
    }
    let text = &text[..end];
    let mut words: Vec<Argument> = Vec::new();
    let mut around = Around { fetched: input.clone(), ..Around::default() };
    for token in tokens(text).map(Some).chain([None]) {
        if found.len() > MOST_COMMANDS {
            return;
        }
        match token {
            Some(Token::Word(word)) => {
                for inner in word.expansions.iter().filter_map(|found| match &found.kind {
                    ExpansionKind::Command { source } | ExpansionKind::Process { source } => Some(source),
                    _ => None,
                }) {
                    if depth > 0 {
                        collect(inner, scope, None, depth - 1, found);
                    }
                }
                let is_reserved = words.is_empty() && BEFORE_COMMANDS.contains(&word.text.as_str());
                let is_assignment = words.is_empty() && word.assigned_name().is_some();
                if !is_reserved && !is_assignment {
                    words.extend(arguments(&word, text, scope));
                }
            }
            Some(Token::Redirection(redirection)) => {
                for target in arguments(&redirection.target, text, scope) {
                    around.redirection(&redirection, &target, scope);
                }
            }
            Some(Token::Operator(operator, _)) => {
                let brought = finish(&mut words, &mut around, scope, depth, found);
                let is_pipe = matches!(operator, Operator::Pipe | Operator::PipeBoth);
                around.fetched = if is_pipe { brought } else { input.clone() };
            }
            None => drop(finish(&mut words, &mut around, scope, depth, found)),
        }
    }
}

/// Adds the command whose words were read. Returns what brings its output, if nobody has seen that.
fn finish(
    words: &mut Vec<Argument>,
    around: &mut Around,
    scope: &Scope<'_>,
    depth: usize,
    found: &mut Vec<ReadPart>,
) -> Option<String> {
    let words = std::mem::take(words);
    let mut around = std::mem::take(around);
    if words.is_empty() && around.writes.is_empty() && around.danger.is_none() {
        return around.fetched;
    }
    let fetched = around.fetched.clone();
    around.ask(Unclear::Construct("something that could not be parsed"));
    let reading = simple::read(&words, around, scope);
    let brought = reading
        .parts
        .iter()
        .find_map(|part| danger::brings_text(&part.words.iter().map(Argument::literal).collect::<Vec<_>>()));
    found.extend(reading.parts);
    for script in reading.scripts {
        if depth > 0 {
            collect(&script.text, scope, script.around.fetched, depth - 1, found);
        }
    }
    fetched.or(brought)
}
