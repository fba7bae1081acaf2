//! JavaScript and TypeScript: stack traces, package managers, bundlers, linters. Test runners are in `runners`.

use super::page::OutputPage;
use super::place::SourceLocation;
use super::{FormatReader, Remark};
use crate::reflex::rules::pattern;

pub(super) const READERS: &[FormatReader] = &[
    FormatReader { signs: &["    at "], read: stacks },
    FormatReader { signs: &["npm ERR!", "npm error"], read: npm },
    FormatReader { signs: &["ERR_PNPM", " ELIFECYCLE "], read: pnpm },
    FormatReader { signs: &["error Command failed", "error An unexpected", "YN0", "Usage Error:"], read: yarn },
    FormatReader { signs: &["  error  ", "✖ ", " error: "], read: eslint },
    FormatReader {
        signs: &["ERROR in ", "Module not found:", "Module build failed", "Failed to compile"],
        read: webpack,
    },
    FormatReader { signs: &["[ERROR] ", "[vite", "error during build", "RollupError"], read: esbuild },
    FormatReader { signs: &["[error] ", "SyntaxError: "], read: prettier },
];

/// A frame of a stack: `    at f (/x/a.js:3:5)` or `    at file:///x/a.mjs:3:5`.
pub(super) fn frame(line: &str) -> Option<SourceLocation> {
    let rest = line.trim_start().strip_prefix("at ")?.trim_end_matches(" {");
    let inside = rest
        .strip_suffix(')')
        .and_then(|rest| rest.rsplit_once('('))
        .map_or(rest.rsplit(' ').next().unwrap_or(rest), |(_, inside)| inside);
    let inside = inside.trim_start_matches("async ").trim_start_matches("file://");
    let caught = pattern!(r"^(.+?):([0-9]+):([0-9]+)$").captures(inside)?;
    // Rust's backtraces have the same form.
    if caught[1].ends_with(".rs") {
        return None;
    }
    SourceLocation::caught(caught.get(1), caught.get(2), caught.get(3))
}

fn is_exception(line: &str) -> bool {
    pattern!(r"^(?:\[cause\]: |Uncaught |error: Uncaught |Unhandled |Caused by: )*(?:\(in promise\) )?\[?[A-Za-z_$.]*(?:Error|Exception|Failure|Rejection)\b(?: \[[A-Z_0-9]+\])?(?::|$| )").is_match(line.trim())
}

fn stacks(page: &OutputPage<'_>) -> Vec<Remark> {
    let mut remarks = Vec::new();
    let mut at = 0;
    while at < page.lines.len() {
        if frame(page.lines[at]).is_none() {
            at += 1;
            continue;
        }
        let start = at;
        while at < page.lines.len() && page.lines[at].trim_start().starts_with("at ") {
            at += 1;
        }
        let own = page.lines[start..at].iter().filter_map(|line| frame(line)).find(|place| !place.is_foreign());
        let said = page.before(start, 25).find(|line| is_exception(line)).map(str::trim);
        // The stack of a syntax error does not name the file with the error; a line above the source excerpt does.
        let above = || {
            let heading = page
                .before(start, 25)
                .filter(|line| !line.starts_with(' '))
                .find_map(|line| SourceLocation::leading(line).filter(|(_, rest)| rest.is_empty()));
            heading.map(|(place, _)| place).filter(|place| !place.is_foreign())
        };
        let place =
            if said.is_some_and(|said| said.starts_with("SyntaxError")) { above().or(own) } else { own.or_else(above) };
        if let Some(said) = said.filter(|_| place.is_some() || remarks.is_empty()) {
            remarks.push(Remark::cause(
                start.saturating_sub(1),
                place,
                said.trim_end_matches(" {").trim_start_matches("[cause]: "),
            ));
        }
    }
    remarks
}

/// npm's own errors: the code and the lines that follow. If a script failed, npm only reports that.
fn npm(page: &OutputPage<'_>) -> Vec<Remark> {
    let said: Vec<(usize, &str)> = page
        .numbered()
        .filter_map(|(at, line)| {
            Some((at, line.strip_prefix("npm ERR!").or_else(|| line.strip_prefix("npm error"))?.trim()))
        })
        .filter(|(_, words)| !words.is_empty())
        .collect();
    let code = said.iter().find_map(|(_, words)| words.strip_prefix("code "));
    let is_noise = |words: &str| {
        let keys = [
            "code ",
            "syscall ",
            "path ",
            "errno ",
            "argv ",
            "node v",
            "npm  v",
            "A complete log",
            "Linux ",
            "Darwin ",
            "command ",
            "cwd ",
            "location ",
            "workspace ",
        ];
        keys.iter().any(|key| words.starts_with(key))
            || words.ends_with("-debug.log")
            || words.ends_with("-debug-0.log")
    };
    let Some(&(at, first)) = said.iter().find(|(_, words)| !is_noise(words)) else {
        return code.map(|code| Remark::trail(said[0].0, format!("npm: code {code}"))).into_iter().collect();
    };
    let is_script = matches!(code, Some("ELIFECYCLE"))
        || first.contains("Exit status")
        || first.starts_with("Lifecycle script")
        || first.starts_with("Test failed");
    let words = match code {
        Some(code) if !first.contains(code) => format!("npm: {code}: {first}"),
        _ => format!("npm: {first}"),
    };
    vec![if is_script || code.is_some_and(|code| code.bytes().all(|c| c.is_ascii_digit())) {
        Remark::trail(at, words)
    } else {
        Remark::cause(at, None, words)
    }]
}

fn pnpm(page: &OutputPage<'_>) -> Vec<Remark> {
    let said = page.numbered().filter_map(|(at, line)| {
        let line = line.trim();
        if line.contains("ELIFECYCLE") {
            Some(Remark::trail(at, line))
        } else {
            line.contains("ERR_PNPM").then(|| Remark::cause(at, None, line))
        }
    });
    said.collect()
}

fn yarn(page: &OutputPage<'_>) -> Vec<Remark> {
    let mut remarks = Vec::new();
    for (at, line) in page.numbered() {
        if line.starts_with("error Command failed") {
            remarks.push(Remark::trail(at, line));
        } else if line.starts_with("error ")
            || line.starts_with("Usage Error:")
            || line.contains("➤ YN") && !line.contains("YN0000") && !line.contains("YN0013")
        {
            remarks.push(Remark::cause(at, None, line));
        }
    }
    remarks
}

/// A file's path on a line of its own, and `  3:5  error  message  rule` below it. stylelint and others print the same.
fn eslint(page: &OutputPage<'_>) -> Vec<Remark> {
    let mut remarks = Vec::new();
    let mut path = "";
    for (at, line) in page.numbered() {
        if !line.starts_with(' ') {
            if line.contains(['/', '.', '\\']) && !line.trim().contains(' ') {
                path = line.trim();
            }
            continue;
        }
        let mut words = line.split_whitespace();
        let Some((row, column)) = words.next().and_then(|word| word.split_once(':')) else { continue };
        let (Ok(row), Ok(column)) = (row.parse(), column.parse()) else { continue };
        let is_error = words.next().is_some_and(|severity| matches!(severity, "error" | "✖" | "Error" | "error:"));
        if is_error && !path.is_empty() {
            let said = words.collect::<Vec<_>>().join(" ");
            remarks.push(Remark::cause(
                at,
                Some(SourceLocation { path: path.to_owned(), line: row, column: Some(column) }),
                format!("error {said}"),
            ));
        }
    }
    remarks
}

/// `ERROR in ./src/a.js 3:5`, `ERROR in src/a.ts:3:5`, with the message on the lines that follow.
fn webpack(page: &OutputPage<'_>) -> Vec<Remark> {
    let mut remarks = Vec::new();
    for (at, line) in page.numbered() {
        let heading = line.strip_prefix("ERROR in ").or_else(|| line.starts_with("./").then_some(line));
        if let Some(heading) = heading {
            let caught = pattern!(r"^(\S+?)(?:[ :]\(?([0-9]+)[:,]([0-9]+))").captures(heading);
            let place = caught.and_then(|caught| SourceLocation::caught(caught.get(1), caught.get(2), caught.get(3)));
            let said = page.next_words(at).unwrap_or_default();
            if place.is_some() || line.starts_with("ERROR in ") {
                let words = if place.is_some() { said.to_owned() } else { format!("{heading}: {said}") };
                remarks.push(Remark::cause(at, place, words));
            }
        } else if line.starts_with("Module not found:") || line.starts_with("Module build failed") {
            remarks.push(Remark::cause(at, None, line));
        }
    }
    remarks
}

/// `✘ [ERROR] message`, an empty line, `    src/a.js:3:5:`; vite's and rollup's `file: /x/a.js:3:5`.
fn esbuild(page: &OutputPage<'_>) -> Vec<Remark> {
    let mut remarks = Vec::new();
    for (at, line) in page.numbered() {
        if let Some((_, words)) = line.split_once("[ERROR] ").filter(|_| line.starts_with(['✘', 'X', '>'])) {
            let place = page.after(at, 6).iter().find_map(|line| SourceLocation::leading(line)).map(|(place, _)| place);
            remarks.push(Remark::cause(at, place, words));
        } else if let Some(rest) =
            line.trim_start().strip_prefix("file: ").or_else(|| line.trim_start().strip_prefix("File: "))
        {
            let place = SourceLocation::leading(rest).map(|(place, _)| place);
            let said = page.before(at, 8).find(|line| line.to_lowercase().contains("error"));
            remarks.extend(said.filter(|_| place.is_some()).map(|said| Remark::cause(at, place.clone(), said.trim())));
        }
    }
    remarks
}

/// `src/a.js: SyntaxError: message (3:5)` of prettier, babel and rollup.
fn prettier(page: &OutputPage<'_>) -> Vec<Remark> {
    let pattern =
        pattern!(r"^(?:\[error\] )?(?:SyntaxError: |ERROR )?(\S+?\.[a-z]+): (\w*Error: .*?) ?\(([0-9]+):([0-9]+)\)");
    let caught = page.numbered().filter_map(|(at, line)| Some((at, pattern.captures(line)?)));
    caught
        .map(|(at, caught)| {
            Remark::cause(at, SourceLocation::caught(caught.get(1), caught.get(3), caught.get(4)), &caught[2])
        })
        .collect()
}
