//! Comparison with the shells themselves. One process reads hundreds of texts, so that the tests stay quick.

use std::ffi::OsStr;
use std::os::unix::ffi::OsStrExt;
use std::process::{Command, Stdio};

use proptest::prelude::*;
use proptest::strategy::ValueTree;
use proptest::test_runner::TestRunner;

use super::parse::parse;
use super::quote::Dialect;
use super::script::{Script, Simple};
use super::tests::noise;
use super::{Expansion, ExpansionKind, Quoting, Token, Word, quote, tokens};

/// Texts per process.
const BATCH: usize = 400;

/// Values of a strategy: the same in every run, unless `TEST_SHELL_TEXTS` asks for new ones.
fn drawn<T: std::fmt::Debug>(strategy: &impl Strategy<Value = T>, count: usize) -> Vec<T> {
    let is_new = std::env::var_os("TEST_SHELL_TEXTS").is_some_and(|value| value == "new");
    let mut runner = if is_new { TestRunner::default() } else { TestRunner::deterministic() };
    (0..count).map(|_| strategy.new_tree(&mut runner).unwrap().current()).collect()
}

/// Runs a script with arguments and returns what it prints, or `None` if the shell is not installed.
fn run(shell: &[&str], script: &str, arguments: &[&str]) -> Option<Vec<u8>> {
    let is_required = shell[0] == "bash" || std::env::var_os("CI").is_some_and(|value| value == "true");
    let output = Command::new(shell[0])
        .args(&shell[1..])
        .arg(OsStr::from_bytes(script.as_bytes()))
        .args(arguments)
        .env_clear()
        .env("PATH", std::env::var_os("PATH").unwrap_or_default())
        .env("LC_ALL", "C.UTF-8")
        .stdin(Stdio::null())
        .stderr(Stdio::null())
        .output();
    match output {
        Ok(output) => Some(output.stdout),
        Err(error) if is_required => panic!("{}: {error}", shell[0]),
        Err(_) => None,
    }
}

const BASH: &[&str] = &["bash", "--noprofile", "--norc", "-c"];
const RESTRICTED: &[&str] = &["bash", "--noprofile", "--norc", "-r", "-c"];

/// The words of an `echo` made of pieces whose quoting is valid.
fn quoted_line() -> impl Strategy<Value = String> {
    let piece = prop_oneof![
        "[a-zé0-9_/.,:=@%+~^!{}\\[\\]-]{1,4}",
        "'[ -&(-~é\n]{0,5}'",
        "\"[ !#%-\\[\\]-_a-zé~{}\n]{0,5}\"",
        r#""\\["\\$`a!é]""#,
        r"\\[ -~é]",
        r"\$'([ -&(-\[\]-~]|\\[abefnrtv'\\]|\\x[2-6][0-9a-f]|\\[0-1][0-7]{2}){0,4}'",
        r#"\$"[a-z ]{0,4}""#,
        "\\\\\n",
        "#",
    ];
    let word = prop::collection::vec(piece, 1..4).prop_map(|pieces| pieces.concat());
    let blank = prop::sample::select(vec![" ", "  ", "\t", " \\\n "]);
    prop::collection::vec((word, blank), 1..5)
        .prop_map(|words| words.into_iter().map(|(word, blank)| word + blank).collect())
}

#[test]
fn literal_words_are_those_that_bash_passes_to_a_command() {
    let lines: Vec<String> = drawn(&quoted_line(), BATCH * 3)
        .into_iter()
        .filter(|line| {
            // Without the lines that a comment divides: what follows the comment would be run.
            let is_literal = |script: Script| script.expansions().is_empty() && script.commands.len() == 1;
            parse(&format!("show {line}")).is_ok_and(is_literal)
        })
        .collect();
    assert!(lines.len() > BATCH, "most lines are literal: {}", lines.len());
    for batch in lines.chunks(BATCH) {
        // Each line is a function's argument list: an error in one line cannot hide the next.
        let mut script = "show() { printf '%s\\0' \"$#\" \"$@\"; }\n".to_owned();
        for line in batch {
            script.push_str(&format!("eval {}\n", quote::word(&format!("show {line}"), Dialect::Posix)));
        }
        let printed = run(BASH, &script, &[]).unwrap();
        let mut read = printed.split(|byte| *byte == 0).map(|word| String::from_utf8_lossy(word).into_owned());
        for line in batch {
            let count: usize = read.next().unwrap().parse().unwrap_or_else(|_| panic!("bash rejects {line:?}"));
            let wanted: Vec<String> = read.by_ref().take(count).collect();
            let script = parse(&format!("show {line}")).unwrap();
            let words = &script.simple_commands()[0].words[1..];
            let found: Vec<&str> = words.iter().map(|word| word.text.as_str()).collect();
            assert_eq!(found, wanted, "{line:?}");
            let lenient: Vec<String> = tokens(&format!("show {line}"))
                .map_while(|token| if let Token::Word(word) = token { Some(word.text) } else { None })
                .skip(1)
                .collect();
            assert_eq!(lenient, wanted, "{line:?}");
        }
    }
}

/// Commands made of pieces that belong together, so that many of them are complete.
fn command_line() -> impl Strategy<Value = String> {
    let word = prop::sample::select(vec![
        "a", "b=1", "'c d'", "\"e $f\"", "$(g)", "`h`", "<(i)", "${j:-k}", "$((1+2))", "l*", "{m,n}", "2>&1", ">o",
        "<<<p", "&>q", "#r", "!", "{", "}", "if", "then", "fi", "do", "done", "in", "esac", "time", "[[", "]]", "s[1]",
        "t=(u v)", "w()", "case", "for", "x", "==", "-f", "while", "((1))", "function", "coproc", "else", "~", "$'y'",
    ]);
    let joint = prop::sample::select(vec![
        " ", " ", " ", "", ";", "; ", " && ", " | ", "\n", " & ", "(", ")", " ( ", " ) ", "|&", "||", ";;", "\\\n",
        "<<E", "\nE\n",
    ]);
    let frame = prop::sample::select(vec![
        ("", ""),
        ("( ", " )"),
        ("{ ", "; }"),
        ("if ", "; then z; fi"),
        ("for x in 1; do ", "; done"),
        ("case x in y) ", ";; esac"),
        ("$( ", " )"),
        ("f() { ", "; }"),
        ("[[ ", " ]]"),
        ("while ", "; do z; done"),
    ]);
    (frame, prop::collection::vec((word, joint), 1..7)).prop_map(|((open, close), pieces)| {
        let inner: String = pieces.into_iter().map(|(word, joint)| format!("{word}{joint}")).collect();
        format!("{open}{inner}{close}")
    })
}

/// The words of every simple command, then those of the commands in substitutions. Bash prints substitutions and arrays with other blanks
/// and without comments.
fn simple_commands(script: &Script) -> Vec<Vec<String>> {
    let text = |word: &Word| {
        let is_reprinted = |found: &Expansion| source(found).is_some() || found.kind == ExpansionKind::Array;
        if word.expansions.iter().any(is_reprinted) { "$(…)".to_owned() } else { word.text.replace("\\\n", "") }
    };
    let words = |simple: &Simple| {
        let assignments = simple.assignments.iter().map(|assignment| &assignment.word);
        assignments.chain(&simple.words).map(text).collect()
    };
    let mut found: Vec<Vec<String>> = script.simple_commands().into_iter().map(words).collect();
    let inner = script.expansions().into_iter().filter_map(source).filter_map(|source| parse(source).ok());
    found.extend(inner.flat_map(|script| simple_commands(&script)));
    found
}

fn source(found: &Expansion) -> Option<&str> {
    match &found.kind {
        ExpansionKind::Command { source } | ExpansionKind::Process { source } => Some(source),
        _ => None,
    }
}

#[test]
fn complete_commands_are_those_that_bash_reads() {
    let mut texts = drawn(&command_line(), BATCH * 5);
    texts.extend(drawn(&noise(), BATCH * 5));
    texts.retain(|text| parse(text).is_ok());
    assert!(texts.len() > BATCH / 2, "some texts are complete: {}", texts.len());
    let mut compared = 0;
    for batch in texts.chunks(BATCH) {
        // A function's body is parsed and not run. A restricted shell opens no file should one be run after all. Bash prints the function as
        // it has read it, which shows commands that only one of the two readers sees.
        let probe = r#"for text; do eval "f() {"$'\n:\n'"$text"$'\n}' && declare -f f; printf '\0'; done"#;
        let mut arguments = vec!["bash"];
        arguments.extend(batch.iter().map(String::as_str));
        let printed = run(RESTRICTED, probe, &arguments).unwrap();
        let functions = printed.split(|byte| *byte == 0).map(String::from_utf8_lossy);
        for (text, function) in batch.iter().zip(functions) {
            let script = parse(text).unwrap();
            assert!(!function.is_empty(), "bash rejects {text:?}, read as {script:#?}");
            let Ok(function) = parse(&function) else { continue };
            compared += 1;
            assert_eq!(simple_commands(&script), simple_commands(&function)[1..], "{text:?}");
        }
    }
    assert!(
        compared > texts.len() / 2,
        "bash prints most commands in a form that is read: {compared} of {}",
        texts.len()
    );
}

#[test]
fn quoted_words_come_back_from_every_shell() {
    let words: Vec<String> = drawn(&"[ -~é\n\t]{0,12}", BATCH);
    for (shell, dialect) in [
        (BASH, Dialect::Posix),
        (&["zsh", "-f", "-c"][..], Dialect::Posix),
        (&["fish", "--no-config", "-c"][..], Dialect::Fish),
    ] {
        let quoted: Vec<String> = words.iter().map(|word| quote::word(word, dialect)).collect();
        let Some(printed) = run(shell, &format!("printf '%s\\0' {}", quoted.join(" ")), &[]) else { continue };
        let read: Vec<_> = printed.split(|byte| *byte == 0).map(String::from_utf8_lossy).collect();
        assert_eq!(read[..words.len()], words, "{}", shell[0]);
    }
}

#[test]
fn a_bare_word_is_the_text_itself() {
    for line in drawn(&quoted_line(), BATCH) {
        for token in tokens(&line) {
            if let Token::Word(word) = token
                && word.quoting == Quoting::Bare
            {
                assert_eq!(word.text, line[word.span].replace("\\\n", ""));
            }
        }
    }
}
