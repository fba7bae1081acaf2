//! `grep`: searches files with ripgrep's engine, in this process.

use std::fs::File;
use std::io;
use std::path::{Path, PathBuf};

use encoding_rs_io::DecodeReaderBytesBuilder;
use grep_regex::{RegexMatcher, RegexMatcherBuilder};
use grep_searcher::{BinaryDetection, Searcher, SearcherBuilder, Sink, SinkContext, SinkMatch};
use schemars::JsonSchema;
use serde::Deserialize;
use serde_json::Value;
use tokio_util::sync::CancellationToken;

use super::held::{HeldError, Opener};
use super::result::{self, ListingPage};
use super::walk::{self, Pattern, Walked};
use super::{Context, Prepared, Tool, arguments, paths};
use crate::chat::{Outcome, ToolKind, ToolSpec};
use crate::guard::{Intent, MaskedReader};
use crate::text::sanitize;

const LINES: usize = 100;
const FILES: usize = 200;
const MOST_CONTEXT: usize = 20;

#[derive(Deserialize, JsonSchema)]
struct Arguments {
    /// Regular expression (Rust syntax)
    pattern: String,
    /// File or directory (.)
    path: Option<String>,
    mode: Option<Mode>,
    /// Only such files: *.rs, src/**/*.ts
    #[serde(alias = "include")]
    glob: Option<String>,
    #[serde(default, alias = "case_insensitive")]
    ignore_case: bool,
    /// Lines around each match
    #[serde(default)]
    context: usize,
    /// Results to skip
    #[serde(default)]
    offset: usize,
    limit: Option<usize>,
}

#[derive(Clone, Copy, Deserialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
enum Mode {
    Content,
    Files,
    Count,
}

pub(super) struct Grep;

impl Tool for Grep {
    fn spec(&self) -> ToolSpec {
        arguments::spec::<Arguments>(
            "grep",
            "Search file contents, skipping binary and git-ignored files. Modes: content (default: lines with numbers), files \
             (names), count (per file).",
        )
    }

    fn kind(&self) -> ToolKind {
        ToolKind::Search
    }

    fn prepare(&self, arguments: &Value, context: &Context) -> Result<Prepared, String> {
        let wish: Arguments = arguments::read(arguments)?;
        let root = paths::resolve(wish.path.as_deref().unwrap_or("."), context);
        let mode = wish.mode.unwrap_or(Mode::Content);
        let matcher = RegexMatcherBuilder::new()
            .case_insensitive(wish.ignore_case)
            .line_terminator(Some(b'\n'))
            .build(&wish.pattern)
            .map_err(|error| format!("bad argument pattern: {error}"))?;
        let glob = wish.glob.as_deref().map(|glob| Pattern::new(glob, "glob")).transpose()?;
        let shown = paths::shown(&root, context);
        let pattern = sanitize(&wish.pattern).replace('\n', " ");
        let default = if matches!(mode, Mode::Content) { LINES } else { FILES };
        let search = GrepSearch {
            root: root.clone(),
            matcher,
            glob,
            mode,
            around: wish.context.min(MOST_CONTEXT),
            context: context.clone(),
        };
        let page = ListingPage::new(wish.offset, wish.limit.unwrap_or(default).max(1));
        Ok(Prepared {
            title: format!("{pattern} in {shown}"),
            intent: Intent::Read { paths: vec![root] },
            preview: None,
            run: result::blocking(move |run| search.run(page, &run.cancel)),
        })
    }
}

struct GrepSearch {
    root: PathBuf,
    matcher: RegexMatcher,
    glob: Option<Pattern>,
    mode: Mode,
    around: usize,
    context: Context,
}

impl GrepSearch {
    fn run(&self, mut page: ListingPage, cancel: &CancellationToken) -> Outcome {
        if !self.root.exists() {
            return Outcome::failed(paths::missing(&self.root, &self.context));
        }
        let mut searcher = SearcherBuilder::new()
            .binary_detection(BinaryDetection::quit(0))
            .before_context(self.around)
            .after_context(self.around)
            .bom_sniffing(false)
            .build();
        let (mut unread, mut total) = (0, 0);
        let mut opener = Opener::default();
        let walked = walk::files(&self.root, &self.context, cancel, |path| {
            if self.glob.as_ref().is_some_and(|glob| !glob.matches(path, &self.root)) {
                return true;
            }
            let mut found = MatchCollector { mode: self.mode, page: &mut page, count: 0, is_full: false };
            if let Mode::Content = self.mode {
                found.page.heading(paths::shown(path, &self.context));
            }
            // Files that cannot be read are counted and skipped.
            let searched = opener.open(path).and_then(|file| self.search(&mut searcher, file, &mut found));
            unread += usize::from(searched.is_err());
            let (count, is_full) = (found.count, found.is_full);
            total += count;
            !is_full && (count == 0 || self.listed(path, count).is_none_or(|line| page.push(&line)))
        });
        let mut text = page.finish("no matches");
        if let (Mode::Count, Walked::All) = (self.mode, walked) {
            text.push_str(&format!("[{total} matching lines in all]\n"));
        }
        if walked == Walked::OutOfTime {
            text.push_str("[not everything was searched: it took too long; search a smaller directory]\n");
        }
        if unread > 0 {
            text.push_str(&format!("[{unread} files could not be read]\n"));
        }
        Outcome::done(text)
    }

    /// Searches the masked text, so that a pattern cannot reveal anything about a masked secret.
    fn search(&self, searcher: &mut Searcher, file: File, found: &mut MatchCollector<'_>) -> Result<(), HeldError> {
        let decoded = DecodeReaderBytesBuilder::new().utf8_passthru(true).build(file);
        let masked = MaskedReader::new(decoded, self.context.redactor.clone());
        Ok(searcher.search_reader(&self.matcher, masked, found)?)
    }

    /// The line for a file with matches, in a mode that does not show the matches themselves.
    fn listed(&self, path: &Path, count: u64) -> Option<String> {
        let name = paths::shown(path, &self.context);
        match self.mode {
            Mode::Content => None,
            Mode::Files => Some(name),
            Mode::Count => Some(format!("{name}:{count}")),
        }
    }
}

/// Collects the matches in one file.
struct MatchCollector<'a> {
    mode: Mode,
    page: &'a mut ListingPage,
    count: u64,
    is_full: bool,
}

impl MatchCollector<'_> {
    fn line(&mut self, number: Option<u64>, sign: char, bytes: &[u8]) -> bool {
        let line = result::line(&String::from_utf8_lossy(bytes));
        let goes_on = self.page.push(&format!("{}{sign}{line}", number.unwrap_or_default()));
        self.is_full = !goes_on;
        goes_on
    }
}

impl Sink for MatchCollector<'_> {
    type Error = io::Error;

    fn matched(&mut self, _: &Searcher, found: &SinkMatch<'_>) -> io::Result<bool> {
        self.count += 1;
        match self.mode {
            Mode::Content => Ok(self.line(found.line_number(), ':', found.bytes())),
            Mode::Files => Ok(false),
            Mode::Count => Ok(true),
        }
    }

    fn context(&mut self, _: &Searcher, near: &SinkContext<'_>) -> io::Result<bool> {
        match self.mode {
            Mode::Content => Ok(self.line(near.line_number(), '-', near.bytes())),
            Mode::Files | Mode::Count => Ok(true),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::tool::tests::Home;
    use serde_json::json;

    fn project() -> Home {
        let home = Home::new();
        home.write("app/src/a.rs", "fn one() {}\n// two\nfn Two() {}\n");
        home.write("app/src/b.txt", "fn three\n");
        home.write("app/bin", b"fn four\0\n");
        home.write("app/.gitignore", "target\n");
        home.write("app/target/x.rs", "fn five\n");
        home
    }

    #[test]
    fn matches_are_grouped_by_file() {
        let home = project();
        let found = home.done(&Grep, json!({"pattern": r"^fn \w+"}));
        assert_eq!(found, "src/a.rs\n1:fn one() {}\n3:fn Two() {}\nsrc/b.txt\n1:fn three\n");
        assert_eq!(home.done(&Grep, json!({"pattern": "nowhere"})), "no matches\n");
        let one = home.done(&Grep, json!({"pattern": "fn", "path": "src/b.txt"}));
        assert_eq!(one, "src/b.txt\n1:fn three\n");
    }

    #[test]
    fn modes_globs_case_and_context_are_applied() {
        let home = project();
        let grep = |arguments| home.done(&Grep, arguments);
        assert_eq!(grep(json!({"pattern": "fn", "mode": "files"})), "src/a.rs\nsrc/b.txt\n");
        let counted = "src/a.rs:2\nsrc/b.txt:1\n[3 matching lines in all]\n";
        assert_eq!(grep(json!({"pattern": "fn", "mode": "count"})), counted);
        assert_eq!(grep(json!({"pattern": "fn", "mode": "files", "glob": "*.rs"})), "src/a.rs\n");
        assert_eq!(grep(json!({"pattern": "fn", "mode": "files", "glob": "src/*.txt"})), "src/b.txt\n");
        let both = "src/a.rs\n2:// two\n3:fn Two() {}\n";
        assert_eq!(grep(json!({"pattern": "TWO", "ignore_case": "true"})), both);
        let around = "src/a.rs\n1-fn one() {}\n2:// two\n3-fn Two() {}\n";
        assert_eq!(grep(json!({"pattern": "two", "context": 1})), around);
    }

    #[test]
    fn results_come_in_pages() {
        let home = project();
        let page = |offset| home.done(&Grep, json!({"pattern": "fn", "limit": 2, "offset": offset}));
        assert_eq!(page(0), "src/a.rs\n1:fn one() {}\n3:fn Two() {}\n[more follows: go on with offset 2]\n");
        assert_eq!(page(2), "src/b.txt\n1:fn three\n");
        home.write("app/long", "fn a rather long line of code that goes on and on\n".repeat(1000));
        let text = home.done(&Grep, json!({"pattern": "fn", "limit": 1000}));
        assert!(text.len() <= result::RESULT_CAP && text.contains("[more follows"));
    }

    #[test]
    fn invalid_patterns_and_missing_paths_are_reported() {
        let home = project();
        assert!(home.failed(&Grep, json!({"pattern": "("})).starts_with("bad argument pattern: "));
        assert_eq!(home.failed(&Grep, json!({"pattern": "x", "path": "scr"})), "scr does not exist; did you mean src?");
    }

    #[test]
    fn searching_a_key_is_judged_like_reading_it() {
        let home = project();
        let prepared = home.prepare(&Grep, json!({"pattern": "x", "path": "~/.ssh"})).unwrap();
        assert_eq!(prepared.intent, Intent::Read { paths: vec![home.path(".ssh")] });
        assert_eq!(prepared.title, "x in ~/.ssh");
    }
}
