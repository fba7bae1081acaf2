//! `read_file`: reads numbered lines, or an image.

use std::io::{self, BufRead, BufReader, Read, Seek};
use std::path::PathBuf;

use base64::Engine;
use base64::engine::general_purpose::STANDARD;
use schemars::JsonSchema;
use serde::Deserialize;
use serde_json::Value;

use super::seen::Fingerprint;
use super::{Context, Prepared, Tool, arguments, file, paths, result};
use crate::chat::{Image, Outcome, ToolKind, ToolSpec};
use crate::guard::{Intent, MaskedReader};
use crate::manual;
use crate::text::{KIB, MIB, human};

/// Larger files are only read with an explicit range.
const UNASKED: u64 = 2 * MIB as u64;

/// The largest image that vendors accept.
const IMAGE_CAP: u64 = 5_000_000;

const LINES: usize = 2000;

#[derive(Deserialize, JsonSchema)]
struct Arguments {
    #[serde(alias = "file_path", alias = "file")]
    path: String,
    /// First line, from 1
    offset: Option<usize>,
    /// Number of lines (2000)
    limit: Option<usize>,
}

pub(super) struct ReadFile;

impl Tool for ReadFile {
    fn spec(&self) -> ToolSpec {
        arguments::spec::<Arguments>(
            "read_file",
            "Read a text file with line numbers (number, tab, line), or look at an image. Files over 2 MB need offset and limit.",
        )
    }

    fn kind(&self) -> ToolKind {
        ToolKind::Read
    }

    fn prepare(&self, arguments: &Value, context: &Context) -> Result<Prepared, String> {
        let Arguments { path: named, offset, limit } = arguments::read(arguments)?;
        if let Some(page) = manual::page(&named) {
            return page.map(|text| manual_page(named, text, offset, limit)).map_err(|error| error.to_string());
        }
        let path = paths::resolve(&named, context);
        let wish = LineRange::new(offset, limit);
        let title = wish.title(paths::shown(&path, context));
        let intent = Intent::Read { paths: vec![path.clone()] };
        let context = context.clone();
        let run = result::blocking(move |_| FileReader { path, context }.read(&wish).unwrap_or_else(Outcome::failed));
        Ok(Prepared { title, intent, preview: None, run })
    }
}

/// Reads a document of shellmate itself.
fn manual_page(address: String, text: String, offset: Option<usize>, limit: Option<usize>) -> Prepared {
    let wish = LineRange::new(offset, limit);
    let title = wish.title(address);
    let run = result::blocking(move |_| {
        let shown = numbered(text.as_bytes(), &wish, Some(total(text.as_bytes())));
        shown.map_or_else(|error| Outcome::failed(error.to_string()), Outcome::done)
    });
    Prepared { title, intent: Intent::Read { paths: Vec::new() }, preview: None, run }
}

/// The requested lines.
struct LineRange {
    start: usize,
    count: usize,
    is_range: bool,
}

impl LineRange {
    fn new(offset: Option<usize>, limit: Option<usize>) -> LineRange {
        let (start, count) = (offset.unwrap_or(1).max(1), limit.unwrap_or(LINES).max(1));
        LineRange { start, count, is_range: offset.is_some() || limit.is_some() }
    }

    /// The title of a call for these lines.
    fn title(&self, shown: String) -> String {
        if self.is_range { format!("{shown}:{}-{}", self.start, self.end() - 1) } else { shown }
    }

    fn end(&self) -> usize {
        self.start.saturating_add(self.count)
    }
}

struct FileReader {
    path: PathBuf,
    context: Context,
}

impl FileReader {
    fn read(&self, wish: &LineRange) -> Result<Outcome, String> {
        let name = paths::shown(&self.path, &self.context);
        let said = |error: io::Error| format!("cannot read {name}: {error}");
        let (mut file, about) = file::open(&self.path, &self.context)?;
        let size = human::size(about.len());
        let mut start = Vec::new();
        (&mut file).take(8 * KIB as u64).read_to_end(&mut start).map_err(said)?;
        file.rewind().map_err(said)?;
        if let Some(media_type) = media_type(&start) {
            if about.len() > IMAGE_CAP {
                return Err(format!("{name} is an image of {size}; the limit is 5 MB, so make it smaller first"));
            }
            let bytes = file::whole(file).map_err(said)?.unwrap_or_default();
            let image = Image { media_type: media_type.to_owned(), base64: STANDARD.encode(bytes) };
            return Ok(Outcome::Done { text: format!("{name}: {media_type}, {size}"), images: vec![image] });
        }
        if start.contains(&0) {
            return Err(format!("{name} is binary ({size}); look at it with a command such as file, strings or xxd"));
        }
        if about.len() > UNASKED && !wish.is_range {
            return Err(format!("{name} has {size}; ask for a range with offset and limit, or grep it"));
        }

        let again = file.try_clone().map_err(said)?;
        let whole = file::whole(file).map_err(said)?;
        let print = Fingerprint::of(&about, whole.as_deref());
        let range = wish.start..wish.end();
        if self.context.seen.has_shown(&self.path, &print, &range) {
            let lines = if wish.is_range { "these lines" } else { "it" };
            return Ok(Outcome::done(format!("{name} has not changed since you read {lines}; see above")));
        }
        let total = whole.as_deref().map(total);
        let mut file = again;
        let text = file.rewind().and_then(|()| {
            let masked = MaskedReader::new(file, self.context.redactor.clone());
            numbered(BufReader::new(masked), wish, total)
        });
        let text = text.map_err(said)?;
        self.context.seen.show(&self.path, print, range);
        Ok(Outcome::done(text))
    }
}

/// The number of lines. A last line without a newline counts.
fn total(bytes: &[u8]) -> usize {
    memchr::memchr_iter(b'\n', bytes).count() + usize::from(!bytes.is_empty() && !bytes.ends_with(b"\n"))
}

/// The requested lines with their numbers, up to the cap.
fn numbered(mut from: impl BufRead, wish: &LineRange, total: Option<usize>) -> io::Result<String> {
    let mut text = String::new();
    let (mut number, mut has_crlf) = (0, false);
    let mut more = false;
    let mut bytes = Vec::new();
    while next_line(&mut from, &mut bytes)? {
        number += 1;
        if number < wish.start {
            continue;
        }
        let content = match number {
            1 => bytes.strip_prefix(b"\xEF\xBB\xBF").unwrap_or(&bytes),
            _ => &bytes,
        };
        has_crlf |= content.ends_with(b"\r\n");
        let line = format!("{number}\t{}\n", result::line(&String::from_utf8_lossy(content)));
        more = number >= wish.end() || text.len() + line.len() > result::TEXT_CAP;
        if more {
            break;
        }
        text.push_str(&line);
    }
    if has_crlf {
        text.push_str("[lines end in CRLF]\n");
    }
    if more {
        let of = total.map(|total| format!(" of {total}")).unwrap_or_default();
        text.push_str(&format!("[lines {}–{}{of}; go on with offset {number}]\n", wish.start, number - 1));
    }
    if text.is_empty() {
        text = match number {
            0 => "[the file is empty]\n".to_owned(),
            lines => format!("[the file has only {lines} lines]\n"),
        };
    }
    Ok(text)
}

/// Reads one line into `into`. Only the first part of a very long line is kept. Returns false at the end.
fn next_line(from: &mut impl BufRead, into: &mut Vec<u8>) -> io::Result<bool> {
    const MOST: usize = 64 * KIB;
    into.clear();
    let mut read_any = false;
    loop {
        let available = from.fill_buf()?;
        if available.is_empty() {
            return Ok(read_any);
        }
        read_any = true;
        let newline = memchr::memchr(b'\n', available);
        let taken = newline.map_or(available.len(), |at| at + 1);
        into.extend_from_slice(&available[..taken.min(MOST.saturating_sub(into.len()))]);
        from.consume(taken);
        if newline.is_some() {
            return Ok(true);
        }
    }
}

/// The media type of an image, from its first bytes.
pub(crate) fn media_type(start: &[u8]) -> Option<&'static str> {
    match start {
        [0x89, b'P', b'N', b'G', b'\r', b'\n', 0x1A, b'\n', ..] => Some("image/png"),
        [0xFF, 0xD8, 0xFF, ..] => Some("image/jpeg"),
        [b'G', b'I', b'F', b'8', b'7' | b'9', b'a', ..] => Some("image/gif"),
        [b'R', b'I', b'F', b'F', _, _, _, _, b'W', b'E', b'B', b'P', ..] => Some("image/webp"),
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::guard::{OwnPlaces, Permissions, Surroundings, Verdict};
    use crate::tool::tests::Home;
    use serde_json::json;
    use std::fs;
    use std::os::unix::fs::symlink;

    #[test]
    fn lines_are_numbered_and_read_by_range() {
        let home = Home::new();
        home.write("app/a.txt", "\u{FEFF}one\r\ntwo\r\nthree");
        assert_eq!(home.done(&ReadFile, json!({"path": "a.txt"})), "1\tone\n2\ttwo\n3\tthree\n[lines end in CRLF]\n");
        home.write("app/b.txt", "1\n2\n3\n4\n");
        let part = home.done(&ReadFile, json!({"path": "~/app/b.txt", "offset": "2", "limit": 2}));
        assert_eq!(part, "2\t2\n3\t3\n[lines 2–3 of 4; go on with offset 4]\n");
        assert_eq!(home.done(&ReadFile, json!({"path": "b.txt", "offset": 9})), "[the file has only 4 lines]\n");
        home.write("app/empty", "");
        assert_eq!(home.done(&ReadFile, json!({"path": "empty"})), "[the file is empty]\n");
    }

    #[test]
    fn the_manual_is_read_without_a_question() {
        let home = Home::new();
        let read = |path: &str| ReadFile.prepare(&json!({"path": path, "limit": 3}), &home.context());
        let prepared = read("shellmate://docs/CONFIG.md").unwrap();
        assert_eq!(prepared.intent, Intent::Read { paths: vec![] });
        assert_eq!(prepared.title, "shellmate://docs/CONFIG.md:1-3");
        let text = home.done(&ReadFile, json!({"path": "shellmate://docs/CONFIG.md", "limit": 1}));
        assert!(text.starts_with("1\t# Configuration\n[lines 1–1 of "), "{text}");
        let list = home.done(&ReadFile, json!({"path": "shellmate://docs"}));
        assert!(list.contains("\tshellmate://docs/CONFIG.md  Configuration\n"), "{list}");
        assert_eq!(
            read("shellmate://docs/NOPE").err().unwrap(),
            "shellmate://docs/NOPE does not exist; shellmate://docs lists the documents"
        );
    }

    #[test]
    fn lines_from_the_middle_of_a_secret_are_masked() {
        let home = Home::new();
        let body = "MIIEvQIBADANBgkqhkiG9w0BAQEFAASCBKcwggSjAgEAAoIBAQC7VJTUt9Us8cKj\n".repeat(4);
        let key = format!("-----BEGIN PRIVATE KEY-----\n{body}-----END PRIVATE KEY-----\n");
        home.write("app/notes", format!("first\n{key}last\n"));
        let part = home.done(&ReadFile, json!({"path": "notes", "offset": 4, "limit": 5}));
        assert_eq!(part, "4\t\n5\t\n6\t\n7\t\n8\tlast\n");
    }

    #[test]
    fn a_long_file_ends_at_the_cap_and_says_how_to_go_on() {
        let home = Home::new();
        home.write("app/long", "a line that is not short\n".repeat(5000));
        let text = home.done(&ReadFile, json!({"path": "long"}));
        assert!(text.len() <= result::RESULT_CAP);
        let next: usize = text.rsplit("offset ").next().unwrap().trim_end_matches("]\n").parse().unwrap();
        assert!(text.ends_with(&format!("[lines 1–{} of 5000; go on with offset {next}]\n", next - 1)));
        assert!(home.done(&ReadFile, json!({"path": "long", "offset": next})).starts_with(&format!("{next}\t")));
    }

    #[test]
    fn an_unchanged_file_is_not_sent_again() {
        let home = Home::new();
        home.write("app/a", "one\n");
        let read = || home.done(&ReadFile, json!({"path": "a"}));
        assert_eq!(read(), "1\tone\n");
        assert_eq!(read(), "a has not changed since you read it; see above");
        assert_eq!(home.done(&ReadFile, json!({"path": "a", "limit": 1})), "1\tone\n");
        home.write("app/a", "two\n");
        assert_eq!(read(), "1\ttwo\n");
    }

    #[test]
    fn images_are_attached_and_other_binary_files_are_refused() {
        let home = Home::new();
        let png = [&b"\x89PNG\r\n\x1a\n"[..], &[0; 10]].concat();
        home.write("app/a.png", &png);
        let Outcome::Done { text, images } = home.call(&ReadFile, json!({"path": "a.png"})) else { panic!() };
        assert_eq!(text, "a.png: image/png, 18 B");
        assert_eq!(images, [Image { media_type: "image/png".into(), base64: STANDARD.encode(&png) }]);
        assert_eq!(media_type(b"RIFF1234WEBPVP8 "), Some("image/webp"));
        assert_eq!(media_type(b"\xFF\xD8\xFF\xE0"), Some("image/jpeg"));
        assert_eq!(media_type(b"GIF89a"), Some("image/gif"));
        home.write("app/huge.png", [&png[..], &vec![0; 5_000_000]].concat());
        assert!(home.failed(&ReadFile, json!({"path": "huge.png"})).contains("make it smaller"));
        home.write("app/prog", b"\x7fELF\0\0");
        assert!(home.failed(&ReadFile, json!({"path": "prog"})).starts_with("prog is binary (6 B)"));
    }

    #[test]
    fn a_large_file_needs_a_range() {
        let home = Home::new();
        home.write("app/log", "line\n".repeat(500_000));
        assert!(home.failed(&ReadFile, json!({"path": "log"})).contains("offset and limit"));
        let text = home.done(&ReadFile, json!({"path": "log", "offset": 499_999}));
        assert_eq!(text, "499999\tline\n500000\tline\n");
        // Larger than the files that are read as a whole.
        home.write("app/huge", "line\n".repeat(2_000_000));
        let text = home.done(&ReadFile, json!({"path": "huge", "offset": 1_900_000, "limit": 1}));
        assert_eq!(text, "1900000\tline\n[lines 1900000–1900000; go on with offset 1900001]\n");
        home.write("app/line", "x".repeat(10_000_000));
        let text = home.done(&ReadFile, json!({"path": "line", "limit": 1}));
        assert!(text.len() < 4096 && text.contains("more bytes]"));
    }

    #[test]
    fn a_missing_file_or_a_directory_is_reported() {
        let home = Home::new();
        home.write("app/main.rs", "");
        assert_eq!(home.failed(&ReadFile, json!({"path": "mian.rs"})), "mian.rs does not exist; did you mean main.rs?");
        assert_eq!(home.failed(&ReadFile, json!({"path": "."})), ". is a directory; use ls");
        assert_eq!(home.failed(&ReadFile, json!({})), "bad arguments: missing field `path`");
    }

    #[test]
    fn a_link_to_a_key_is_judged_as_the_key() {
        let home = Home::new();
        home.write(".ssh/id_rsa", "key");
        symlink(home.path(".ssh/id_rsa"), home.path("app/notes")).unwrap();
        let prepared = home.prepare(&ReadFile, json!({"path": "notes"})).unwrap();
        let (root, app) = (home.path(""), home.path("app"));
        let own = OwnPlaces::default();
        let around =
            Surroundings { cwd: &app, project: &app, home: Some(&root), own: &own, path: "".as_ref(), confines: false };
        let judged = Permissions::default().judge("read_file", &prepared.intent, &around);
        assert!(matches!(judged.verdict, Verdict::Deny(_)), "{judged:?}");
        assert!(prepared.intent.is_read());
        // The file that was judged is read, even if the link now points elsewhere.
        fs::remove_file(home.path("app/notes")).unwrap();
        home.write("app/notes", "other");
        let outcome = crate::tool::tests::finish(prepared);
        assert_eq!(outcome.text(), "1\tkey\n");
    }
}
