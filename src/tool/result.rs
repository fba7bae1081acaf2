//! Limits the size of results for the model.

use std::fs::DirBuilder;
use std::io::{self, Write};
use std::os::unix::fs::DirBuilderExt;
use std::path::{Path, PathBuf};

use super::{Context, Run, RunContext};
use crate::chat::Outcome;
use crate::text::{KIB, MIB, human};

/// The most bytes of one result that a model reads.
pub(super) const RESULT_CAP: usize = 16 * KIB;

/// The most bytes of one result that are kept on disk.
const SPILL_CAP: u64 = 64 * MIB as u64;

/// Bytes reserved for notes about a result, such as its exit code or where it was cut.
const NOTICE: usize = 512;

/// The most bytes of the result itself.
pub(super) const TEXT_CAP: usize = RESULT_CAP - NOTICE;

/// The most characters of one line.
pub(super) const LINE_CAP: usize = 2000;

/// Runs work that blocks on the disk on a thread for blocking work.
pub(super) fn blocking(work: impl FnOnce(RunContext) -> Outcome + Send + 'static) -> Run {
    Box::new(move |context| {
        Box::pin(async move {
            let done = tokio::task::spawn_blocking(move || work(context)).await;
            done.unwrap_or_else(|error| Outcome::failed(format!("the tool crashed: {error}")))
        })
    })
}

/// A private file with a complete result.
pub(super) struct ResultFile {
    file: tempfile::NamedTempFile,
    room: u64,
    trouble: Option<io::Error>,
}

impl ResultFile {
    /// Creates a file for one result of the named tool. Retention deletes files with this suffix.
    pub(super) fn create(directory: &Path, tool: &str) -> io::Result<ResultFile> {
        DirBuilder::new().recursive(true).mode(0o700).create(directory)?;
        let file = tempfile::Builder::new().prefix(&format!("{tool}-")).suffix(".out").tempfile_in(directory)?;
        Ok(ResultFile { file, room: SPILL_CAP, trouble: None })
    }

    /// Appends bytes. They are dropped after an error and beyond the cap.
    pub(super) fn push(&mut self, bytes: &[u8]) {
        let taken = usize::try_from(self.room).unwrap_or(usize::MAX).min(bytes.len());
        if self.trouble.is_none() {
            self.trouble = self.file.write_all(&bytes[..taken]).err();
            self.room -= taken as u64;
        }
    }

    /// Keeps the file and returns its path.
    pub(super) fn finish(self) -> io::Result<PathBuf> {
        if let Some(trouble) = self.trouble {
            return Err(trouble);
        }
        let (_, path) = self.file.keep().map_err(|error| error.error)?;
        Ok(path)
    }
}

/// Masks a result and cuts it to the cap. A longer result is written to a file, which is named in place of the middle.
pub(super) fn capped(text: &str, tool: &str, context: &Context) -> String {
    let masked = context.redactor.mask(text);
    if masked.len() <= TEXT_CAP {
        return masked;
    }
    let spilled = ResultFile::create(&context.spill, tool).and_then(|mut spill| {
        spill.push(text.as_bytes());
        spill.finish()
    });
    let whole = CompleteResult { at: spilled, lines: text.lines().count(), bytes: text.len() as u64 };
    cut(&masked, &whole)
}

/// The complete result that a text was cut from.
pub(super) struct CompleteResult {
    pub(super) at: io::Result<PathBuf>,
    pub(super) lines: usize,
    pub(super) bytes: u64,
}

/// The beginning and the end of a masked text, in the ratio 3:2, cut at line breaks if possible.
pub(super) fn cut(text: &str, whole: &CompleteResult) -> String {
    let head = beginning(text, TEXT_CAP * 3 / 5);
    let tail = end(&text[head.len()..], TEXT_CAP - head.len());
    let first = head.lines().count() + 1;
    let last = whole.lines.saturating_sub(tail.lines().count()).max(first);
    let size = human::size(whole.bytes);
    let rest = match &whole.at {
        Ok(path) => format!("the whole ({size}{IS_IN}{}{READ_IT}", path.display()),
        Err(error) => format!("the whole ({size}) could not be kept: {error}"),
    };
    let gap = if head.ends_with('\n') { "" } else { "\n" };
    format!("{head}{gap}[… lines {first}–{last} of {} left out; {rest} …]\n{tail}", whole.lines)
}

/// Around the path of the file with the whole of a cut result.
const IS_IN: &str = ") is in ";
const READ_IT: &str = ": read_file or grep it";

/// The file with the whole of a result, if the result was cut and names it.
pub(crate) fn file_of_whole(result: &str) -> Option<&str> {
    let (before, _) = result.split_once(READ_IT)?;
    let (_, path) = before.rsplit_once(IS_IN)?;
    path.starts_with('/').then_some(path)
}

fn beginning(text: &str, room: usize) -> &str {
    let most = &text[..boundary(text, (0..=room.min(text.len())).rev())];
    match most.rfind('\n') {
        Some(newline) if newline >= room / 2 => &most[..=newline],
        _ => most,
    }
}

fn end(text: &str, room: usize) -> &str {
    let most = &text[boundary(text, text.len().saturating_sub(room)..=text.len())..];
    match most.find('\n') {
        Some(newline) if newline < room / 2 => &most[newline + 1..],
        _ => most,
    }
}

/// The first of these offsets that is a character boundary.
fn boundary(text: &str, mut places: impl Iterator<Item = usize>) -> usize {
    places.find(|at| text.is_char_boundary(*at)).unwrap_or_default()
}

/// One line of a masked text, cut to the cap. The whole text must be masked before, because a single line may be part of a key.
pub(super) fn line(text: &str) -> String {
    let text = text.trim_end_matches(['\n', '\r']);
    match text.char_indices().nth(LINE_CAP) {
        None => text.to_owned(),
        Some((at, _)) => format!("{} [… {} more bytes]", &text[..at], text.len() - at),
    }
}

/// A page of a listing.
pub(super) struct ListingPage {
    offset: usize,
    limit: usize,
    seen: usize,
    text: String,
    /// The heading that is written before the next line on this page.
    heading: Option<String>,
    /// The offset of the next page, once this page is full.
    next: Option<usize>,
}

impl ListingPage {
    pub(super) fn new(offset: usize, limit: usize) -> ListingPage {
        ListingPage { offset, limit, seen: 0, text: String::new(), heading: None, next: None }
    }

    /// Sets a heading for the following lines. It is written only if one of them is on this page.
    pub(super) fn heading(&mut self, heading: String) {
        self.heading = Some(heading);
    }

    /// Adds a line. Returns false once the page is full.
    pub(super) fn push(&mut self, line: &str) -> bool {
        self.seen += 1;
        if self.seen <= self.offset {
            return true;
        }
        let heading = self.heading.as_ref().map_or(0, |heading| heading.len() + 1);
        let has_room = self.text.len() + heading + line.len() < TEXT_CAP;
        if self.seen > self.offset.saturating_add(self.limit) || !has_room {
            self.seen -= 1;
            self.next = Some(self.seen);
            return false;
        }
        for text in self.heading.take().as_deref().into_iter().chain([line]) {
            self.text.push_str(text);
            self.text.push('\n');
        }
        true
    }

    /// Sets the offset of the next page, if offsets do not count pushed lines.
    pub(super) fn go_on_at(&mut self, offset: usize) {
        self.next = Some(offset);
    }

    /// The text of the page, with a note if more follows.
    pub(super) fn finish(self, empty: &str) -> String {
        let mut text = self.text;
        if text.is_empty() {
            text = match self.seen {
                0 => format!("{empty}\n"),
                seen => format!("nothing after offset {}; there are {seen}\n", self.offset),
            };
        }
        if let Some(next) = self.next {
            text.push_str(&format!("[more follows: go on with offset {next}]\n"));
        }
        text
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::tool::tests::Home;
    use std::fs;
    use std::os::unix::fs::PermissionsExt;

    #[test]
    fn a_long_result_keeps_both_ends_and_its_file_is_private() {
        let home = Home::new();
        let spill = home.path("spill");
        let text: String = (1..=5000).map(|n| format!("line {n}\n")).collect();
        let shown = capped(&text, "bash", &home.context());
        assert!(shown.len() <= RESULT_CAP && shown.len() > TEXT_CAP, "{}", shown.len());
        assert!(shown.starts_with("line 1\nline 2\n") && shown.ends_with("line 4999\nline 5000\n"));
        let notice = shown.lines().find(|line| line.starts_with("[…")).unwrap();
        let before = shown.lines().position(|line| line == notice).unwrap();
        let after: usize = shown.lines().nth(before + 1).unwrap().strip_prefix("line ").unwrap().parse().unwrap();
        assert!(notice.starts_with(&format!("[… lines {}–{} of 5000 left out;", before + 1, after - 1)), "{notice}");

        let path = Path::new(notice.split(" is in ").nth(1).unwrap().split(": read").next().unwrap());
        assert_eq!(fs::read_to_string(path).unwrap(), text);
        assert_eq!(fs::metadata(path).unwrap().permissions().mode() & 0o777, 0o600);
        assert_eq!(fs::metadata(&spill).unwrap().permissions().mode() & 0o777, 0o700);
    }

    #[test]
    fn a_very_long_line_is_cut_between_characters() {
        let home = Home::new();
        let shown = capped(&"é".repeat(100_000), "bash", &home.context());
        assert!(shown.len() <= RESULT_CAP && shown.starts_with("éé") && shown.ends_with("éé"));
    }

    #[test]
    fn a_short_result_leaves_no_file() {
        let home = Home::new();
        assert_eq!(capped("short", "bash", &home.context()), "short");
        assert!(!home.path("spill").exists());
    }

    #[test]
    fn a_cut_inside_a_secret_reveals_no_part_of_it() {
        let home = Home::new();
        let token = format!("ghp_{}", "aB3dE5gH7jK9mN1pQ2rS4tU6vW8xY0zCaB3d");
        // The text consists of secrets, so every cut is inside one.
        let shown = capped(&format!("{token} ").repeat(2_000), "bash", &home.context());
        assert!(!shown.contains("ghp_") && !shown.contains("3dE5g") && shown.contains("left out"), "{shown}");
        for before in LINE_CAP - token.len()..LINE_CAP {
            let masked = home.context().redactor.mask(&format!("{} {token} and so on", "x".repeat(before)));
            let shown = line(&masked);
            assert!(!shown.contains("ghp_") && !shown.contains("3dE5g"), "{shown}");
        }
    }

    #[test]
    fn a_result_that_cannot_be_stored_says_so() {
        let home = Home::new();
        home.write("spill", "");
        let shown = capped(&"x\n".repeat(20_000), "bash", &home.context());
        assert!(shown.contains("could not be kept"), "{shown}");
    }

    #[test]
    fn a_page_names_the_offset_of_the_next() {
        let page = |offset| {
            let mut page = ListingPage::new(offset, 2);
            page.heading("top".to_owned());
            let _ = ["a", "b", "c"].iter().all(|line| page.push(line));
            page.finish("none")
        };
        assert_eq!(page(0), "top\na\nb\n[more follows: go on with offset 2]\n");
        assert_eq!(page(2), "top\nc\n");
        assert_eq!(page(9), "nothing after offset 9; there are 3\n");
        assert_eq!(ListingPage::new(0, 2).finish("none"), "none\n");
    }

    #[test]
    fn a_page_stays_below_the_cap() {
        let mut page = ListingPage::new(0, usize::MAX);
        while page.push(&"x".repeat(100)) {}
        let text = page.finish("");
        assert!(text.len() <= RESULT_CAP && text.ends_with("offset 157]\n"), "{}", &text[text.len() - 60..]);
    }
}
