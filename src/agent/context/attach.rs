//! Attaches what a query refers to with `@`: files, images, directories, earlier commands.

use std::fs::{self, File};
use std::io::{self, Read, Seek};
use std::path::{Path, PathBuf};

use super::excerpt::given;
use super::{Events, Fragment, Happened, Query, escape, name, shell};
use crate::agent::picture::{self, PictureError};
use crate::agent::regular;
use crate::chat::Image;
use crate::guard::{MaskedReader, Redactor};
use crate::store::{History, StoreError, StoredCommand};
use crate::text::{self, Clock, KIB, MIB, human};
use crate::tool::media_type;

/// The most bytes of one file, and of all attachments.
const FILE_CAP: usize = 32 * KIB;
const ATTACHED_CAP: usize = 96 * KIB;
/// The most bytes of all images, in base64.
const PICTURES_CAP: usize = 28 * MIB;
/// The most bytes that are read from a file.
const READ_CAP: u64 = 1024 * 1024;
const REFERENCES: usize = 12;
/// The most names of a directory.
const NAMES: usize = 200;
/// In a longer text an `@` is probably part of pasted code, so missing files are not reported.
const SHORT: usize = 4 * KIB;
const COMPLAINTS: usize = 3;
/// The most bytes of a command that the person is told was attached.
const SHOWN: usize = 120;

/// The attachments of a query, and notices about them.
#[derive(Debug, Default, PartialEq, Eq)]
pub(super) struct Attached {
    pub(super) fragments: Vec<Fragment>,
    /// Images, each named in a fragment.
    pub(super) images: Vec<Image>,
    /// One line each for the person.
    pub(super) notices: Vec<String>,
}

/// Why something after an `@` cannot be attached.
#[derive(Debug, thiserror::Error)]
enum AttachError {
    #[error("no command has been run yet")]
    NoLastCommand,
    #[error("there is no command {0} in the history")]
    NoCommand(i64),
    #[error(transparent)]
    History(#[from] StoreError),
    #[error("there is no file {0} and no recorded command with these words")]
    NoMatch(String),
    #[error("there is no file {0}, and commands are not being recorded")]
    NotRecording(String),
    #[error("there is no file {0}")]
    NoFile(String),
    #[error("{0} cannot be read ({1})")]
    Unreadable(String, io::Error),
    #[error("{0} is not a regular file")]
    NotRegular(String),
    #[error("{0} is not text")]
    NotText(String),
    #[error(transparent)]
    Picture(#[from] PictureError),
}

/// A reference after an `@`.
#[derive(Debug, Clone, PartialEq, Eq)]
enum Reference {
    Last,
    Command(i64),
    /// A path as typed, and the path without a punctuation mark at its end.
    Path(String, Option<String>),
    /// Text in quotes: a path, or else words of a command.
    Quoted(String),
}

/// Attaches everything that the query refers to.
pub(super) fn attach(query: &Query, history: Option<&Path>, clock: &Clock, redactor: &Redactor) -> Attached {
    let mut attached = Attached::default();
    let references = references(&query.text);
    let surplus = references.get(REFERENCES).map(|first| {
        format!("at most {REFERENCES} things are attached; {} and what follows are left out", typed(first))
    });
    for reference in references.into_iter().take(REFERENCES) {
        match found(&reference, query, history, clock, redactor) {
            Ok(Attachment { fragment, notice, image }) if attached.has_room_for(&fragment, image.as_ref()) => {
                attached.fragments.push(fragment);
                attached.notices.extend(notice);
                attached.images.extend(image);
            }
            Ok(_) => attached.notices.push(format!("{} no longer fits and is not attached", typed(&reference))),
            Err(why) => attached.notices.push(format!("{why}; {} is sent as text", typed(&reference))),
        }
    }
    attached.notices.extend(surplus);
    attached.notices.truncate(if query.text.len() <= SHORT { COMPLAINTS } else { 0 });
    attached
}

impl Attached {
    fn has_room_for(&self, fragment: &Fragment, image: Option<&Image>) -> bool {
        let words: usize = self.fragments.iter().chain([fragment]).map(|fragment| fragment.text.len()).sum();
        let pictures: usize = self.images.iter().chain(image).map(|image| image.base64.len()).sum();
        words <= ATTACHED_CAP && pictures <= PICTURES_CAP
    }
}

/// An attachment that was found.
struct Attachment {
    fragment: Fragment,
    /// One line for the person, if only a part fits or they may have meant something else.
    notice: Option<String>,
    image: Option<Image>,
}

impl From<Fragment> for Attachment {
    fn from(fragment: Fragment) -> Attachment {
        Attachment { fragment, notice: None, image: None }
    }
}

fn typed(reference: &Reference) -> String {
    match reference {
        Reference::Last => "@last".to_owned(),
        Reference::Command(id) => format!("@{id}"),
        Reference::Path(path, _) => format!("@{path}"),
        Reference::Quoted(text) => format!("@\"{text}\""),
    }
}

fn found(
    reference: &Reference,
    query: &Query,
    history: Option<&Path>,
    clock: &Clock,
    redactor: &Redactor,
) -> Result<Attachment, AttachError> {
    match reference {
        Reference::Last => {
            let last = query.view.last.as_ref().ok_or(AttachError::NoLastCommand)?;
            Ok(command("@last", last, clock, redactor).into())
        }
        Reference::Command(id) => {
            let none = || AttachError::NoCommand(*id);
            let history = History::open(history.ok_or_else(none)?)?;
            let stored = history.get(*id)?.ok_or_else(none)?;
            Ok(stored_command(stored, clock, redactor).into())
        }
        Reference::Quoted(text) if resolve(text, query).exists() => read(text, &resolve(text, query), redactor),
        Reference::Quoted(words) => meant(words, history, clock, redactor),
        Reference::Path(path, shorter) => {
            let shorter = shorter.as_ref().filter(|_| !resolve(path, query).exists());
            let path = shorter.filter(|path| resolve(path, query).exists()).unwrap_or(path);
            read(path, &resolve(path, query), redactor)
        }
    }
}

/// The recorded command that fits some words best.
fn meant(words: &str, history: Option<&Path>, clock: &Clock, redactor: &Redactor) -> Result<Attachment, AttachError> {
    let history = history.ok_or_else(|| AttachError::NotRecording(words.to_owned()))?;
    let history = History::open(history)?;
    let none = || AttachError::NoMatch(words.to_owned());
    let id = history.meant(words, 1)?.first().ok_or_else(none)?.id;
    let stored = history.get(id)?.ok_or_else(none)?;
    let text = redactor.mask(&String::from_utf8_lossy(&stored.entry.command));
    let line = text::beginning(text.lines().next().unwrap_or_default(), SHOWN).to_owned();
    let notice = Some(format!("@\"{words}\" is command {id}: {line}"));
    Ok(Attachment { notice, ..stored_command(stored, clock, redactor).into() })
}

/// A command of the history. An imported one is only a text.
fn stored_command(stored: StoredCommand, clock: &Clock, redactor: &Redactor) -> Fragment {
    let named = format!("@{}", stored.entry.id);
    let text = escape(&redactor.mask(&String::from_utf8_lossy(&stored.entry.command)));
    let origin = name(stored.entry.imported.as_deref().unwrap_or_default()).replace('"', "'");
    match Happened::stored(stored) {
        Some(happened) => command(&named, &happened, clock, redactor),
        None => {
            let most = Events::default().bytes;
            let text = format!(
                "<reference name=\"{named}\">\n<command imported_from=\"{origin}\" output=\"not recorded\">\n{}\n</command>\n</reference>\n",
                text::beginning(&text, most / 2)
            );
            Fragment::new("reference", most, named, text)
        }
    }
}

fn command(named: &str, happened: &Happened, clock: &Clock, redactor: &Redactor) -> Fragment {
    let most = Events::default();
    let events = shell::events(std::slice::from_ref(happened), most, clock, redactor);
    let text = format!("<reference name=\"{named}\">\n{events}</reference>\n");
    Fragment::new("reference", most.bytes, named, text)
}

fn resolve(path: &str, query: &Query) -> PathBuf {
    match path.strip_prefix("~/").and_then(|below| Some(query.view.home()?.join(below))) {
        Some(path) => path,
        None => query.view.cwd.join(path),
    }
}

fn read(typed: &str, path: &Path, redactor: &Redactor) -> Result<Attachment, AttachError> {
    let cannot = |error: io::Error| match error.kind() {
        io::ErrorKind::NotFound | io::ErrorKind::NotADirectory => AttachError::NoFile(typed.to_owned()),
        _ => AttachError::Unreadable(typed.to_owned(), error),
    };
    let shown = name(typed).replace('"', "'");
    let opened = regular::open(path).map_err(cannot)?;
    let (mut file, metadata) = opened.ok_or_else(|| AttachError::NotRegular(typed.to_owned()))?;
    if metadata.is_dir() {
        let entries = fs::read_dir(path).map_err(cannot)?.flatten();
        let named = |entry: fs::DirEntry| {
            let slash = if entry.path().is_dir() { "/" } else { "" };
            name(&format!("{}{slash}", entry.file_name().to_string_lossy()))
        };
        let mut names: Vec<String> = entries.take(10 * NAMES).map(named).collect();
        names.sort();
        let more = names.len().saturating_sub(NAMES);
        names.truncate(NAMES);
        let more = if more > 0 { format!("[… {more} more]\n") } else { String::new() };
        let text = format!("<directory path=\"{shown}\">\n{}\n{more}</directory>\n", names.join("\n"));
        return Ok(Fragment::new("directory", ATTACHED_CAP, typed, text).into());
    }
    if media_type(&beginning(&mut file).map_err(cannot)?).is_some() {
        let image = picture::read(&file, path)?;
        let about = format!("({}, {}, attached as a picture)", image.media_type, human::size(metadata.len()));
        let text = format!("<file path=\"{shown}\">\n{about}\n</file>\n");
        let fragment = Fragment::new("file", FILE_CAP, typed, text);
        return Ok(Attachment { fragment, notice: None, image: Some(image) });
    }
    let mut bytes = Vec::new();
    MaskedReader::new(file, redactor.clone()).take(READ_CAP).read_to_end(&mut bytes).map_err(cannot)?;
    if memchr::memchr(0, &bytes[..bytes.len().min(8 * KIB)]).is_some() {
        return Err(AttachError::NotText(typed.to_owned()));
    }
    let text = escape(&String::from_utf8_lossy(&bytes));
    let rest = format!("read_file {shown}");
    let unread = metadata.len().saturating_sub(READ_CAP);
    let unread = if unread > 0 { format!("[… {unread} more bytes: {rest} …]\n") } else { String::new() };
    let words = format!("<file path=\"{shown}\">\n{}\n{unread}</file>\n", given(&text, FILE_CAP, &rest));
    let size = |bytes: u64| human::size(bytes);
    let is_cut = text.len() > FILE_CAP || !unread.is_empty();
    let cut = is_cut
        .then(|| format!("{typed} is {} long; {} of it is attached", size(metadata.len()), size(FILE_CAP as u64)));
    Ok(Attachment { fragment: Fragment::new("file", FILE_CAP, typed, words), notice: cut, image: None })
}

/// The first bytes of a file, which determine whether it is an image. The next read begins with them again.
fn beginning(file: &mut File) -> io::Result<Vec<u8>> {
    let mut bytes = Vec::new();
    file.take(16).read_to_end(&mut bytes)?;
    file.rewind()?;
    Ok(bytes)
}

/// All references after an `@` at the start of a word, without duplicates.
fn references(text: &str) -> Vec<Reference> {
    let mut found = Vec::new();
    for (at, _) in text.match_indices('@') {
        let before = text[..at].chars().next_back();
        if !before.is_none_or(|c| c.is_whitespace() || "([{,;`'".contains(c)) {
            continue;
        }
        let rest = &text[at + 1..];
        let reference = match rest.strip_prefix('"') {
            Some(quoted) => match quoted.split_once('"') {
                Some((path, _)) if !path.is_empty() && !path.contains('\n') => Reference::Quoted(path.to_owned()),
                Some(_) | None => continue,
            },
            None => match rest.split(char::is_whitespace).next().and_then(word) {
                Some(reference) => reference,
                None => continue,
            },
        };
        if !found.contains(&reference) {
            found.push(reference);
        }
    }
    found
}

fn word(word: &str) -> Option<Reference> {
    let bare = word.trim_end_matches(|c: char| ".,;:!?)]}'\"`".contains(c));
    if bare.is_empty() {
        return None;
    }
    Some(match (bare, bare.parse()) {
        ("last", _) => Reference::Last,
        // Imported commands have negative numbers.
        (_, Ok(id)) if bare.trim_start_matches('-').bytes().all(|byte| byte.is_ascii_digit()) => Reference::Command(id),
        _ => Reference::Path(word.to_owned(), (bare != word).then(|| bare.to_owned())),
    })
}

#[cfg(test)]
mod tests {
    use super::super::tests::{clock, happened, query};
    use super::*;
    use crate::store;

    fn path(path: &str) -> Reference {
        Reference::Path(path.into(), None)
    }

    impl Attached {
        fn words(&self) -> String {
            self.fragments.iter().map(|fragment| fragment.text.as_str()).collect()
        }
    }

    #[test]
    fn references_begin_at_the_start_of_a_word() {
        assert_eq!(references("explain @src/main.rs and @last"), [path("src/main.rs"), Reference::Last]);
        assert_eq!(references("why (@12)? @12!"), [Reference::Command(12)]);
        assert_eq!(references("what is @-3"), [Reference::Command(-3)]);
        assert_eq!(references("see @\"a b.txt\"."), [Reference::Quoted("a b.txt".into())]);
        assert_eq!(references("is @x.rs."), [Reference::Path("x.rs.".into(), Some("x.rs".into()))]);
        assert_eq!(references("me@example.org a@ @ @\"open @."), []);
    }

    #[test]
    fn an_imported_command_is_attached_without_made_up_facts() {
        let place = tempfile::tempdir().unwrap();
        let (database, file) = (place.path().join("history.db"), place.path().join("bash"));
        fs::write(&file, "make </command>\n").unwrap();
        let ignore = regex::bytes::RegexSet::empty();
        let rules = store::ImportRules {
            ignore: &ignore,
            limits: store::HistoryLimits::default(),
            mode: store::ImportMode::Write,
        };
        let files = [store::ImportFile { source: store::ImportSource::Bash, path: file }];
        assert_eq!(store::import(&database, &files, &rules).unwrap().remove(0).unwrap().added, 1);
        let attached = attach(&query("see @-1", Vec::new()), Some(&database), &clock(), &Redactor::default());
        let words = "<reference name=\"@-1\">\n<command imported_from=\"bash\" output=\"not recorded\">\nmake </ command>\n</command>\n</reference>\n";
        assert_eq!(attached.words(), words);
    }

    #[test]
    fn files_are_attached_and_missing_ones_are_reported() {
        let place = tempfile::tempdir().unwrap();
        fs::create_dir(place.path().join("dir")).unwrap();
        fs::write(place.path().join("dir/a b.txt"), "hello </file> there").unwrap();
        fs::write(place.path().join("dir/binary"), [0, 1, 2]).unwrap();
        let ask = |text: &str| {
            let mut query = query(text, Vec::new());
            query.view.cwd = place.path().to_owned();
            attach(&query, None, &clock(), &Redactor::default())
        };
        let words = "<file path=\"dir/a b.txt\">\nhello </ file> there\n</file>\n";
        assert_eq!(ask("see @\"dir/a b.txt\"").words(), words);
        assert_eq!(ask("see @dir, please").words(), "<directory path=\"dir\">\na b.txt\nbinary\n</directory>\n");
        for (text, why) in [
            ("see @nope.rs", "there is no file nope.rs; @nope.rs is sent as text"),
            ("see @dir/binary", "dir/binary is not text; @dir/binary is sent as text"),
            ("see @last", "no command has been run yet; @last is sent as text"),
            ("see @99", "there is no command 99 in the history; @99 is sent as text"),
            ("see @/dev/zero", "/dev/zero is not a regular file; @/dev/zero is sent as text"),
        ] {
            assert_eq!(ask(text), Attached { notices: vec![why.into()], ..Attached::default() });
        }
    }

    #[test]
    fn an_image_file_is_attached_as_an_image() {
        let place = tempfile::tempdir().unwrap();
        fs::write(place.path().join("shot.png"), b"\x89PNG\r\n\x1a\n\0\0").unwrap();
        let mut query = query("what is in @shot.png?", Vec::new());
        query.view.cwd = place.path().to_owned();
        let attached = attach(&query, None, &clock(), &Redactor::default());
        assert_eq!(attached.notices, Vec::<String>::new());
        assert_eq!(attached.images.len(), 1);
        assert_eq!(attached.images[0].media_type, "image/png");
        assert_eq!(attached.words(), "<file path=\"shot.png\">\n(image/png, 10 B, attached as a picture)\n</file>\n");
        let assembled = super::super::tests::assembled(&query, false);
        let message = assembled.message();
        assert!(matches!(&message.parts[..], [_, crate::chat::Part::Image(_)]), "{message:?}");
    }

    #[test]
    fn quoted_words_attach_the_best_recorded_command() {
        let place = tempfile::tempdir().unwrap();
        let database = place.path().join("history.db");
        let session = store::RecordingSession { id: "a".into(), host: "box".into(), shell: "zsh".into() };
        let store = store::Store::open(database.clone(), store::HistoryLimits::default(), session);
        for (text, output) in [("cargo test --lib", "1 failed"), ("make </output>", "cargo went wrong"), ("ls", "")] {
            let Happened { command, output, size, .. } = happened(0, text, 1, output);
            store.record(store::CommandRecord { command, output: (*output).clone(), size });
        }
        store.close(std::time::Duration::from_secs(60));
        fs::write(place.path().join("cargo test"), "a file").unwrap();
        let ask = |text: &str, history: Option<&Path>, cwd: &Path| {
            let mut query = query(text, Vec::new());
            query.view.cwd = cwd.to_owned();
            attach(&query, history, &clock(), &Redactor::default())
        };
        let elsewhere = tempfile::tempdir().unwrap();
        let found = ask("why @\"cargo test\"", Some(&database), elsewhere.path());
        assert_eq!(found.notices, ["@\"cargo test\" is command 1: cargo test --lib"]);
        let words = found.words();
        assert!(words.starts_with("<reference name=\"@1\">\n<shell_events>\n<command id=\"1\""), "{words}");
        assert!(words.contains("1 failed"), "{words}");
        let output = ask("why @\"went wrong\"", Some(&database), elsewhere.path());
        assert!(output.words().contains("make </ output>"), "{}", output.words());
        assert_eq!(
            ask("see @\"cargo test\"", Some(&database), place.path()).words(),
            "<file path=\"cargo test\">\na file\n</file>\n"
        );
        let none = ask("see @\"zebra\"", Some(&database), elsewhere.path());
        let why = "there is no file zebra and no recorded command with these words; @\"zebra\" is sent as text";
        assert_eq!(none, Attached { notices: vec![why.into()], ..Attached::default() });
        let why = "there is no file zebra, and commands are not being recorded; @\"zebra\" is sent as text";
        assert_eq!(ask("see @\"zebra\"", None, elsewhere.path()).notices, [why]);
    }

    #[test]
    fn the_last_command_is_attached_with_its_output() {
        let mut query = query("why @last", Vec::new());
        query.view.last = Some(happened(7, "make", 2, "no rule\n"));
        let words = attach(&query, None, &clock(), &Redactor::default()).words();
        assert!(words.starts_with("<reference name=\"@last\">\n<shell_events>\n<command id=\"7\""), "{words}");
        assert!(words.contains("no rule"));
    }

    #[test]
    fn attachments_are_bounded() {
        let place = tempfile::tempdir().unwrap();
        let text: String = (0..20).map(|number| format!("@file{number} ")).collect();
        for number in 0..20 {
            fs::write(place.path().join(format!("file{number}")), "x\n".repeat(400_000)).unwrap();
        }
        let mut query = query(&text, Vec::new());
        query.view.cwd = place.path().to_owned();
        let attached = attach(&query, None, &clock(), &Redactor::default());
        let bytes = attached.words().len();
        assert!(bytes <= ATTACHED_CAP && bytes > FILE_CAP);
        assert!(attached.notices.len() == COMPLAINTS, "{:?}", attached.notices);
    }
}
