//! Reads a text as TOML. The parts that are not TOML are left out and reported; the rest is used.

use std::borrow::Cow;
use std::ops::Range;

use toml::Spanned;
use toml::de::{DeArray, DeTable, DeValue, Error};

use super::parse::line_of;
use super::{Problem, schema};

/// The most errors of one text that are looked at. A file that is not TOML at all has one in every line.
const ERROR_CAP: usize = 200;
/// At most this many lines are blanked. For each, the text is parsed again.
const LOST_CAP: usize = 20;
/// After this error the parser reads no further.
const NO_VALUE: &str = "key with no value";

/// A text as TOML, without the parts that are not.
pub(super) struct ReadableToml<'a> {
    pub(super) table: Spanned<DeTable<'a>>,
    /// One problem for each part that was left out.
    pub(super) problems: Vec<Problem>,
}

/// A part of the text that is left out.
struct LeftOut {
    /// The key, or the list of an entry.
    key: Vec<String>,
    span: Range<usize>,
    is_secret: bool,
}

impl<'a> ReadableToml<'a> {
    /// Reads what `ReadableText` has left of a text.
    pub(super) fn read(text: &'a ReadableText<'_>) -> ReadableToml<'a> {
        let ReadableText { original, text, lost } = text;
        let (mut table, errors) = DeTable::parse_recoverable(text);
        let found = errors.iter().take(ERROR_CAP).map(|error| SyntaxError::new(error, text));
        let mut errors: Vec<SyntaxError<'_>> = found.chain(lost.iter().cloned()).collect();
        if errors.is_empty() {
            return ReadableToml { table, problems: Vec::new() };
        }
        errors.sort_by_key(|error| error.span.start);
        let mut cut = Cut { text: original, errors: &errors, headers: Vec::new(), left_out: Vec::new() };
        cut.find_headers(table.get_ref());
        cut.table(table.get_mut(), &mut Vec::new());
        let problems = cut.problems();
        ReadableToml { table, problems }
    }
}

/// A text without the lines after which the parser reads no further.
pub(super) struct ReadableText<'a> {
    original: &'a str,
    /// The text with blanks in place of these lines.
    text: Cow<'a, str>,
    lost: Vec<SyntaxError<'static>>,
}

impl<'a> ReadableText<'a> {
    pub(super) fn new(original: &'a str) -> ReadableText<'a> {
        let mut readable = ReadableText { original, text: Cow::Borrowed(original), lost: Vec::new() };
        while readable.lost.len() < LOST_CAP {
            let (_, errors) = DeTable::parse_recoverable(&readable.text);
            let Some(error) = errors.iter().find(|error| error.message().starts_with(NO_VALUE)) else { break };
            let SyntaxError { span, is_in_header, .. } = SyntaxError::new(error, original);
            let (start, end) = line_bounds(original, span.start);
            let blanks = " ".repeat(end - start);
            readable.text.to_mut().replace_range(start..end, &blanks);
            readable.lost.push(SyntaxError { span, message: NO_VALUE, is_in_header });
        }
        readable
    }
}

/// An error of the parser.
#[derive(Clone)]
struct SyntaxError<'a> {
    span: Range<usize>,
    message: &'a str,
    /// Whether it is in a line such as `[history]`.
    is_in_header: bool,
}

impl<'a> SyntaxError<'a> {
    fn new(error: &'a Error, text: &str) -> SyntaxError<'a> {
        let span = error.span().unwrap_or(0..0);
        let span = span.start.min(text.len())..span.end.min(text.len());
        let is_in_header = line_at(text, span.start).trim_start().starts_with('[');
        SyntaxError { span, message: error.message(), is_in_header }
    }
}

/// Takes the parts with errors out of a table.
struct Cut<'a> {
    text: &'a str,
    /// Sorted by their places.
    errors: &'a [SyntaxError<'a>],
    /// Where the lines such as `[history]` and `[[rules]]` begin.
    headers: Vec<usize>,
    left_out: Vec<LeftOut>,
}

impl Cut<'_> {
    fn find_headers(&mut self, table: &DeTable<'_>) {
        for value in table.values() {
            match value.get_ref() {
                DeValue::Table(inner) => {
                    self.headers.extend(self.header(value));
                    self.find_headers(inner);
                }
                DeValue::Array(list) => {
                    for entry in list {
                        if let (Some(header), DeValue::Table(inner)) = (self.header(entry), entry.get_ref()) {
                            self.headers.push(header);
                            self.find_headers(inner);
                        }
                    }
                }
                DeValue::String(_)
                | DeValue::Integer(_)
                | DeValue::Float(_)
                | DeValue::Boolean(_)
                | DeValue::Datetime(_) => {}
            }
        }
    }

    /// Where the line with the header of a table begins. An inline table has none.
    fn header(&self, value: &Spanned<DeValue<'_>>) -> Option<usize> {
        // After a broken header the parser lets the next table begin too early, but its end is right.
        let end = value.span().end.checked_sub(1)?;
        let is_header = value.get_ref().is_table() && self.text.as_bytes().get(end) == Some(&b']');
        is_header.then(|| line_bounds(self.text, end).0)
    }

    fn has_error(&self, span: Range<usize>) -> bool {
        self.errors.iter().any(|error| (span.start..=span.end).contains(&error.span.start))
    }

    /// The extent of an entry of a list: up to the next header. A broken header is one, too.
    fn extent(&self, start: usize) -> Range<usize> {
        let broken = self.errors.iter().filter(|error| error.is_in_header).map(|error| error.span.start);
        let (_, line_end) = line_bounds(self.text, start);
        let next = self.headers.iter().copied().chain(broken).filter(|at| *at > line_end).min();
        start..next.map_or(self.text.len(), |next| next - 1)
    }

    fn table(&mut self, table: &mut DeTable<'_>, path: &mut Vec<String>) {
        let mut broken = Vec::new();
        for (key, value) in table.iter_mut() {
            path.push(key.get_ref().to_string());
            let is_inline = self.text.get(value.span().start..).is_some_and(|rest| rest.starts_with('{'));
            match value.get_mut() {
                DeValue::Table(inner) if !is_inline => self.table(inner, path),
                DeValue::Array(list) if list.iter().any(|entry| self.header(entry).is_some()) => self.list(list, path),
                _ => {
                    // An error in the rest of the line is about this value, too. A value that the parser made up has no place.
                    let (_, end) = line_bounds(self.text, value.span().end.max(key.span().end));
                    let span = key.span().start..end;
                    if self.has_error(span.clone()) {
                        self.leave_out(path, span);
                        broken.push(key.get_ref().to_string());
                    }
                }
            }
            path.pop();
        }
        for key in broken {
            table.remove(key.as_str());
        }
    }

    /// An entry is used as a whole or not at all, because a rule without one of its conditions would apply too widely.
    fn list(&mut self, list: &mut DeArray<'_>, path: &[String]) {
        let entries = std::mem::replace(list, DeArray::new());
        for entry in entries {
            match self.header(&entry).map(|start| self.extent(start)).filter(|extent| self.has_error(extent.clone())) {
                Some(extent) => self.leave_out(path, extent),
                None => list.push(entry),
            }
        }
    }

    fn leave_out(&mut self, path: &[String], span: Range<usize>) {
        let names: Vec<&str> = path.iter().map(String::as_str).collect();
        let is_secret = schema::is_secret(&schema::schema(), &names);
        self.left_out.push(LeftOut { key: path.to_vec(), span, is_secret });
    }

    /// One problem for each part that was left out, and for each other line with an error.
    fn problems(&self) -> Vec<Problem> {
        let mut problems: Vec<Problem> = Vec::new();
        let mut said: Vec<*const LeftOut> = Vec::new();
        for error in self.errors {
            let line = line_of(self.text, error.span.start);
            let part = self.left_out.iter().find(|part| (part.span.start..=part.span.end).contains(&error.span.start));
            let is_said = match part {
                Some(part) if said.contains(&std::ptr::from_ref(part)) => true,
                Some(part) => {
                    said.push(part);
                    false
                }
                None => problems.last().is_some_and(|problem| problem.line == Some(line)),
            };
            if !is_said {
                problems.push(self.problem(error, line, part));
            }
        }
        problems
    }

    fn problem(&self, error: &SyntaxError<'_>, line: usize, part: Option<&LeftOut>) -> Problem {
        let at = error.span.start;
        let (line_start, _) = line_bounds(self.text, at);
        let column = self.text[line_start..at].chars().count() + 1;
        let is_secret = part.is_some_and(|part| part.is_secret);
        let mut message = format!("not valid TOML: {}", self.in_words(error, is_secret));
        let last_line = part.map_or(line, |part| line_of(self.text, part.span.end.min(self.text.trim_end().len())));
        if part.is_none() && error.is_in_header && error.message != "duplicate key" {
            message.push_str("; the settings below this line are not used");
        } else if last_line > line && !part.is_some_and(|part| self.headers.contains(&part.span.start)) {
            message.push_str(&format!("; lines {line} to {last_line} are not used"));
        }
        let problem = Problem::new(&message).line(Some(line)).column(column);
        match part {
            Some(part) => problem.key(&part.key.join(".")),
            None => problem,
        }
    }

    /// What is wrong and what to write instead.
    fn in_words(&self, error: &SyntaxError<'_>, is_secret: bool) -> String {
        let (what, expected) = error.message.split_once(", expected ").unwrap_or((error.message, ""));
        let found = &self.text[error.span.clone()];
        let line = line_at(self.text, error.span.start).trim();
        match what {
            "invalid basic string"
            | "invalid multi-line basic string"
            | "invalid literal string"
            | "invalid multi-line literal string" => format!("the closing {} is missing", expected.trim_matches('`')),
            "string values must be quoted" | "invalid boolean" => unquoted(found, is_secret),
            NO_VALUE | "invalid unquoted key" => no_setting(line).to_owned(),
            "duplicate key" if error.is_in_header => {
                format!("`{found}` is there twice; put its settings under one line")
            }
            "duplicate key" => format!("`{found}` is set twice; the first one is used"),
            "unclosed table" => "the closing ] is missing".to_owned(),
            "unclosed array table" => "the closing ]] is missing".to_owned(),
            "unclosed array" | "missing comma between array elements" => {
                "a comma or the closing ] is missing".to_owned()
            }
            "unclosed inline table" | "missing comma between key-value pairs" => {
                "a comma or the closing } is missing".to_owned()
            }
            "missing escaped value" => "a backslash in \"…\" has to be written twice; '…' takes it as it is".to_owned(),
            "unexpected key or value" => "only one setting fits on a line".to_owned(),
            "extra `=`" => "there is an `=` too many".to_owned(),
            _ => error.message.replace('\n', ", "),
        }
    }
}

/// What to write instead of a text without quotes.
fn unquoted(found: &str, is_secret: bool) -> String {
    let is_curly = |c: char| matches!(c, '“' | '”' | '„' | '‘' | '’' | '«' | '»');
    match found.to_ascii_lowercase().as_str() {
        "" => "the value is missing".to_owned(),
        "true" | "false" | "yes" | "no" | "on" | "off" | "t" | "f" => format!("write true or false, not {found}"),
        _ if found.contains(is_curly) => "use straight quotes: \"…\"".to_owned(),
        _ if is_secret || found.contains(['"', '\'', '\\', '=']) || found.chars().count() > 40 => {
            "text needs quotes: \"…\"".to_owned()
        }
        _ => format!("text needs quotes: \"{found}\""),
    }
}

/// What is wrong with a line that is not `key = value`.
fn no_setting(line: &str) -> &'static str {
    let key_end = line.find(|c: char| !(c.is_ascii_alphanumeric() || matches!(c, '_' | '-' | '.' | ' ' | '"')));
    match key_end.map(|at| &line[at..]) {
        Some(rest) if rest.starts_with(':') => "write KEY = VALUE, with = and not with :",
        Some(rest) if rest == line && (rest.starts_with("//") || rest.starts_with(';')) => "a comment begins with #",
        _ if line.starts_with('{') => "this looks like JSON; write KEY = VALUE, one on each line",
        Some(_) | None => "write KEY = VALUE; a key has only letters, numbers, _ and -",
    }
}

fn line_at(text: &str, at: usize) -> &str {
    let (start, end) = line_bounds(text, at);
    &text[start..end]
}

/// Where a line begins and ends.
fn line_bounds(text: &str, at: usize) -> (usize, usize) {
    let start = text[..at].rfind('\n').map_or(0, |newline| newline + 1);
    let end = text[at..].find('\n').map_or(text.len(), |newline| at + newline);
    (start, end)
}

#[cfg(test)]
mod tests {
    use crate::config::Config;

    /// The settings that are left, as `key = value`, and the problems.
    fn read(text: &str) -> (Config, Vec<String>) {
        let loaded = Config::parse(text);
        let said = |problem: &crate::config::Problem| {
            format!("{}:{}: {problem}", problem.line.unwrap_or(0), problem.column.unwrap_or(0))
        };
        (loaded.config, loaded.problems.iter().map(said).collect())
    }

    #[test]
    fn a_line_that_is_not_toml_leaves_the_others_in_use() {
        for (line, expected) in [
            ("theme = dark", "1:9: theme: not valid TOML: text needs quotes: \"dark\""),
            ("theme = “dark”", "1:9: theme: not valid TOML: use straight quotes: \"…\""),
            ("theme = \"dark", "1:14: theme: not valid TOML: the closing \" is missing"),
            ("theme = 'dark", "1:14: theme: not valid TOML: the closing ' is missing"),
            ("shell = /bin/zsh", "1:9: shell: not valid TOML: text needs quotes: \"/bin/zsh\""),
            ("hint = yes", "1:8: hint: not valid TOML: write true or false, not yes"),
            ("hint = True", "1:8: hint: not valid TOML: write true or false, not True"),
            ("hint =", "1:7: hint: not valid TOML: the value is missing"),
            ("hint == true", "1:7: hint: not valid TOML: there is an `=` too many"),
            ("hint true", "1:6: not valid TOML: write KEY = VALUE; a key has only letters, numbers, _ and -"),
            ("hint: true", "1:7: not valid TOML: write KEY = VALUE, with = and not with :"),
            ("// note", "1:4: not valid TOML: a comment begins with #"),
            ("; note", "1:3: not valid TOML: a comment begins with #"),
            ("hint = true, mode = \"ask\"", "1:12: hint: not valid TOML: only one setting fits on a line"),
            (
                "wrap = \"\\d\"",
                "1:10: wrap: not valid TOML: a backslash in \"…\" has to be written twice; '…' takes it as it is",
            ),
        ] {
            let (config, said) = read(&format!("{line}\nreflex = \"only\"\n[history]\ncommands = 7\n"));
            assert_eq!(said, [expected], "{line}");
            let defaults = Config { reflex: crate::reflex::RulesRole::Only, ..Config::default() };
            let history = crate::config::HistorySettings { commands: 7, ..defaults.history.clone() };
            assert_eq!(config, Config { history, ..defaults.clone() }, "{line}");
            let (config, said) = read(&format!("reflex = \"only\"\n{line}\n"));
            assert_eq!(config, defaults, "{line}");
            assert_eq!(said, [expected.replacen("1:", "2:", 1)], "{line}");
        }
    }

    #[test]
    fn what_an_unclosed_value_takes_with_it_is_named() {
        let (config, said) =
            read("hint = true\n[history]\nignore = [\"a\"\nsize = 5\nenabled = false\n[undo]\ndays = 3\n");
        assert!(config.hint && config.history == crate::config::HistorySettings::default());
        assert!(
            said[0].starts_with("4:1: history.ignore: not valid TOML: a comma or the closing ] is missing"),
            "{said:?}"
        );
        assert!(said[0].contains("lines "), "{said:?}");
        let (config, said) = read("hint = true\ntheme = \"\"\"dark\nwrap = \"terminal\"\n");
        assert!(config.hint);
        assert_eq!(said.len(), 1, "{said:?}");
        let (config, said) = read("hint = true\n[history\nsize = 5\n[undo]\ndays = 3\n");
        assert_eq!((config.hint, config.undo.days), (true, 3));
        assert_eq!(said, ["2:9: not valid TOML: the closing ] is missing; the settings below this line are not used"]);
    }

    #[test]
    fn a_rule_with_a_broken_line_is_left_out_as_a_whole() {
        let (config, said) = read(
            "[[rules]]\ncommand = git push\ndecision = 'allow'\n[[rules]]\ncommand = 'b'\ndecision = 'deny'\n\
             [[rules]\ncommand = 'c'\ndecision = 'deny'\n[[rules]]\ntool = 'x'\nhost\ndecision = 'allow'\n\
             [[rules]]\ncommand = 'd'\ndecision = 'ask'\n[sandbox]\nlevel = \n",
        );
        let commands: Vec<&str> = config.rules.iter().map(|rule| rule.command.as_str()).collect();
        assert_eq!(commands, ["b", "d"]);
        assert_eq!(
            said,
            [
                "2:11: rules: not valid TOML: text needs quotes: \"git push\"",
                "7:9: not valid TOML: the closing ]] is missing; the settings below this line are not used",
                "12:5: rules: not valid TOML: write KEY = VALUE; a key has only letters, numbers, _ and -",
                "18:9: sandbox.level: not valid TOML: the value is missing",
            ]
        );
    }

    #[test]
    fn a_key_or_table_that_is_there_twice_is_reported() {
        let (config, said) = read("hint = true\nhint = false\n[history]\ncommands = 5\n[history]\nenabled = false\n");
        assert_eq!((config.hint, config.history.commands, config.history.enabled), (true, 5, false));
        assert_eq!(
            said,
            [
                "2:1: not valid TOML: `hint` is set twice; the first one is used",
                "5:2: not valid TOML: `history` is there twice; put its settings under one line",
            ]
        );
    }

    #[test]
    fn a_key_without_quotes_is_not_quoted_on_the_screen() {
        let (_, said) = read("[providers.x]\nbase_url = 'https://a/v1'\napi_key = sk-12345\n");
        assert_eq!(said, ["3:11: providers.x.api_key: not valid TOML: text needs quotes: \"…\""]);
    }
}
