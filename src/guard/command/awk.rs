//! Programs of sed, awk and jq that only look.

use super::options::ParsedOptions;

/// Whether the program among the arguments is one that only looks.
pub(super) fn is_harmless(name: &str, parsed: &ParsedOptions<'_>) -> bool {
    let operand = || parsed.operands.first().filter(|program| program.is_literal());
    match name {
        "sed" => {
            let scripts: Vec<&str> = parsed
                .options
                .iter()
                .filter(|(option, _)| matches!(option.as_str(), "e" | "expression"))
                .filter_map(|(_, script)| script.as_ref().map(|script| script.text.as_str()))
                .collect();
            let is_quiet = parsed.has(&["n", "quiet", "silent"]);
            match operand() {
                _ if !is_quiet => false,
                _ if !scripts.is_empty() => scripts.iter().all(|script| prints_lines(script)),
                Some(program) => prints_lines(&program.text),
                None => false,
            }
        }
        "jq" => operand().is_some_and(|program| is_plain_jq(&program.text)),
        _ => operand().is_some_and(|program| is_plain_awk(&program.text)),
    }
}

/// A script of sed that prints lines by their numbers: `5p`, `1,20p`, `$p`.
fn prints_lines(script: &str) -> bool {
    let is_address = |text: &str| text == "$" || !text.is_empty() && text.bytes().all(|byte| byte.is_ascii_digit());
    script.split(';').all(|command| {
        let Some(range) = command.trim().strip_suffix('p') else { return false };
        match range.split_once(',') {
            Some((from, to)) => is_address(from) && is_address(to),
            None => is_address(range),
        }
    })
}

/// A program of awk that runs nothing, writes no file and reads only its operands.
fn is_plain_awk(program: &str) -> bool {
    const UNSAFE: &[&str] = &["system", "getline", "|", ">", "@", "ENVIRON", "ARGV", "ARGC"];
    !UNSAFE.iter().any(|word| program.contains(word))
}

/// A filter of jq that loads no module and does not print the environment.
fn is_plain_jq(program: &str) -> bool {
    let is_word = |c: char| c.is_ascii_alphanumeric() || c == '_';
    let mut rest = program;
    let mut before = ' ';
    while let Some(start) = rest.find(is_word) {
        if let Some(c) = rest[..start].chars().next_back() {
            before = c;
        }
        let length = rest[start..].find(|c| !is_word(c)).unwrap_or(rest.len() - start);
        let word = &rest[start..start + length];
        let is_key = before == '.' && !rest[..start].ends_with("..");
        if !is_key && matches!(word, "env" | "ENV" | "import" | "include" | "modulemeta" | "input_filename") {
            return false;
        }
        before = 'a';
        rest = &rest[start + length..];
    }
    true
}
