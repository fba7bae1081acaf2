//! A location in a file.

use std::fmt;

/// Files that are recognised by their names and not by an extension.
const NAMED: &[&str] = &[
    "Makefile",
    "makefile",
    "GNUmakefile",
    "Dockerfile",
    "Containerfile",
    "Rakefile",
    "Gemfile",
    "Jenkinsfile",
    "BUILD",
    "WORKSPACE",
    "justfile",
    "Justfile",
    "Vagrantfile",
    "Podfile",
    "Procfile",
    "Brewfile",
    "CMakeLists.txt",
    "Caddyfile",
    "Kconfig",
];

/// Last parts of host names, which look like extensions of files.
const DOMAINS: &[&str] =
    &["com", "org", "net", "io", "dev", "local", "internal", "co", "uk", "de", "localhost", "lan", "svc"];

/// A line of a file, and perhaps a column: shown as `path:line:column`.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct SourceLocation {
    pub(super) path: String,
    pub(super) line: u32,
    pub(super) column: Option<u32>,
}

impl fmt::Display for SourceLocation {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}:{}", self.path, self.line)?;
        self.column.map_or(Ok(()), |column| write!(f, ":{column}"))
    }
}

impl SourceLocation {
    /// Makes a location from the groups of a regular expression.
    pub(super) fn caught(
        path: Option<regex::Match<'_>>,
        line: Option<regex::Match<'_>>,
        column: Option<regex::Match<'_>>,
    ) -> Option<SourceLocation> {
        let path = path?.as_str().trim_start_matches("file://").trim();
        let column = column.and_then(|column| column.as_str().parse().ok());
        Some(SourceLocation { path: path.to_owned(), line: line?.as_str().parse().ok()?, column })
    }

    /// Parses `path:line[:column]` or `path(line[,column])` at the start of a text. Returns the rest of the text too.
    pub(super) fn leading(text: &str) -> Option<(SourceLocation, &str)> {
        let text = text.trim_start().trim_start_matches("file://");
        let bytes = text.as_bytes();
        let is_before_number = |at: &usize| *at > 0 && bytes.get(at + 1).is_some_and(u8::is_ascii_digit);
        let at = memchr::memchr2_iter(b':', b'(', bytes).find(is_before_number)?;
        let path = &text[..at];
        if !is_path(path) {
            return None;
        }
        let (line, rest) = number(&text[at + 1..])?;
        let (column, rest) = if bytes[at] == b':' {
            rest.strip_prefix([':', '.']).and_then(number).map_or((None, rest), |(column, rest)| (Some(column), rest))
        } else {
            let (column, rest) = rest
                .strip_prefix(',')
                .map(str::trim_start)
                .and_then(number)
                .map_or((None, rest), |(column, rest)| (Some(column), rest));
            let (inside, rest) = rest.split_once(')')?;
            if !inside.chars().all(|c| c.is_ascii_digit() || ", -".contains(c)) {
                return None;
            }
            (column, rest)
        };
        // GNU tools may give a range: `a.y:3.5-9:` or `a.c:3:5-3:9:`.
        let rest = match rest.strip_prefix('-') {
            Some(range) if range.starts_with(|c: char| c.is_ascii_digit()) => {
                range.trim_start_matches(|c: char| c.is_ascii_digit() || c == '.')
            }
            _ => rest,
        };
        let is_end = rest.is_empty() || rest.starts_with([':', ' ', ',', ']', ')', '\t', ';', '-', '"', '\'']);
        is_end.then(|| {
            (SourceLocation { path: path.to_owned(), line, column }, rest.trim_start_matches([':', ' ', '\t', ',']))
        })
    }

    /// The first `path:line` anywhere in a text.
    pub(super) fn within(text: &str) -> Option<SourceLocation> {
        let words = text.split(|c: char| c.is_whitespace() || "()[]{}<>'\"`,;│".contains(c));
        words.filter(|word| word.contains(':')).find_map(|word| {
            let word = word.trim_start_matches("file://");
            SourceLocation::leading(word.trim_end_matches(['.', ':'])).map(|(place, _)| place)
        })
    }

    /// Whether the file belongs to a library, the language or the tool itself.
    pub(super) fn is_foreign(&self) -> bool {
        is_foreign(&self.path)
    }
}

/// Whether a path belongs to a library or to the language itself.
pub(super) fn is_foreign(path: &str) -> bool {
    const PARTS: &[&str] = &[
        "site-packages/",
        "dist-packages/",
        "/lib/python",
        "/lib64/python",
        "<frozen",
        "node_modules/",
        "node:",
        "internal/",
        "/go/src/",
        "/src/runtime/",
        "/src/testing/",
        "/pkg/mod/",
        "/rustc/",
        ".cargo/registry",
        "library/std/",
        "library/core/",
        "library/alloc/",
        "/gems/",
        "/lib/ruby/",
        "/vendor/",
        "vendor/bundle",
        "/usr/include/",
        "/deps/",
        "bun:",
        "ext:",
        "/usr/share/perl",
        "/perl5/",
        "<internal:",
        "/lib/erlang/",
        "phar://",
    ];
    PARTS.iter().any(|part| path.contains(part)) || path.starts_with("internal/") || path.starts_with('<')
}

fn number(text: &str) -> Option<(u32, &str)> {
    let end = text.find(|c: char| !c.is_ascii_digit()).unwrap_or(text.len());
    Some((text[..end].parse().ok()?, &text[end..]))
}

/// Whether a text looks like a path, and not like a host, a time or prose.
fn is_path(text: &str) -> bool {
    if text.is_empty() || text.len() > 300 {
        return false;
    }
    let name = text.rsplit(['/', '\\']).next().unwrap_or(text);
    let has_directory = name.len() < text.len();
    let extension = name.rsplit_once('.').map(|(_, extension)| extension).filter(|extension| {
        extension.len() <= 12
            && extension.starts_with(|c: char| c.is_ascii_alphabetic())
            && extension.chars().all(|c| c.is_ascii_alphanumeric() || "_+".contains(c))
    });
    let is_named = match extension {
        Some(extension) => has_directory || !DOMAINS.contains(&extension),
        None => NAMED.contains(&name) || has_directory && name.starts_with(|c: char| c.is_alphabetic() || c == '_'),
    };
    is_named && !is_prose(text)
}

/// Whether a text contains something that paths do not contain.
fn is_prose(text: &str) -> bool {
    let is_odd = |byte: u8| b"\"'`<>|*?=,;{}".contains(&byte);
    let is_spaced = text.contains(char::is_whitespace) && (!text.starts_with('/') || text.contains(": "));
    is_spaced || text.bytes().any(is_odd) || text.contains("://") || text.starts_with("node:")
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn leading(text: &str) -> Option<(String, &str)> {
        SourceLocation::leading(text).map(|(place, rest)| (place.to_string(), rest))
    }

    #[test]
    fn locations_are_read_in_their_usual_forms() {
        assert_eq!(leading("src/a.c:3:5: error: x"), Some(("src/a.c:3:5".into(), "error: x")));
        assert_eq!(leading("a.py:3: error: x"), Some(("a.py:3".into(), "error: x")));
        assert_eq!(leading("src/a.ts(3,5): error TS1: x"), Some(("src/a.ts:3:5".into(), "error TS1: x")));
        assert_eq!(leading("C:\\x\\a.cs(3): error"), Some(("C:\\x\\a.cs:3".into(), "error")));
        assert_eq!(leading("src/a.ts:3:5 - error TS1: x"), Some(("src/a.ts:3:5".into(), "- error TS1: x")));
        assert_eq!(leading("Makefile:3: *** x"), Some(("Makefile:3".into(), "*** x")));
        assert_eq!(leading("file:///a/b.mjs:3:5"), Some(("/a/b.mjs:3:5".into(), "")));
        assert_eq!(leading("a.nim(3, 6) Error: x"), Some(("a.nim:3:6".into(), "Error: x")));
        assert_eq!(leading("gram.y:3.5-9: error: x"), Some(("gram.y:3:5".into(), "error: x")));
    }

    #[test]
    fn hosts_times_and_prose_are_not_locations() {
        for text in [
            "12:30:45: x",
            "localhost:8080: refused",
            "example.com:443: x",
            "10.0.0.1:80: x",
            "http://a.b/c:80: x",
            "see a.c:3",
            "error: a",
        ] {
            assert_eq!(leading(text), None, "{text}");
        }
    }

    #[test]
    fn locations_are_found_within_a_text() {
        let found = |text| SourceLocation::within(text).map(|place| place.to_string());
        assert_eq!(found("    at f (/x/a.js:3:5)").as_deref(), Some("/x/a.js:3:5"));
        assert_eq!(found("unknown directive in /etc/nginx/nginx.conf:3").as_deref(), Some("/etc/nginx/nginx.conf:3"));
        assert_eq!(found("at 12:30:45, nothing"), None);
    }

    proptest! {
        #[test]
        fn any_text_is_read(text in "[ -~é:0-9.(),]{0,60}") {
            if let Some((place, rest)) = SourceLocation::leading(&text) {
                prop_assert!(text.ends_with(rest) && place.line < u32::MAX);
            }
            SourceLocation::within(&text);
        }
    }
}
