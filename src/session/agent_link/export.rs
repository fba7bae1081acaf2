//! `/export`: writes the conversation into a file.

use std::fs::OpenOptions;
use std::io::{self, Write};
use std::os::unix::fs::OpenOptionsExt;
use std::path::{Path, PathBuf};

use crate::agent::Conversation;
use crate::chat::Ending;
use crate::export::{self, Document, DocumentExchange, DocumentFormat};
use crate::text::human;

use super::orders::AgentThread;
use super::resume::SETTLING;
use super::slash::SlashError;

/// How many names are tried if files with the first ones exist.
const NAMES: u32 = 100;
/// The most characters of the title in a file name.
const LONGEST_NAME: usize = 40;

/// The arguments of `/export`.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(in crate::session) struct ExportOrder {
    format: DocumentFormat,
    /// As typed; `None` for a name made from the title.
    path: Option<PathBuf>,
}

impl ExportOrder {
    /// Reads the arguments: a format, a path, or both. A path alone names the format with its extension.
    pub(super) fn read(rest: &str) -> Result<ExportOrder, SlashError> {
        let (first, path) = rest.split_once(char::is_whitespace).unwrap_or((rest, ""));
        if rest.is_empty() {
            return Ok(ExportOrder { format: DocumentFormat::default(), path: None });
        }
        if let Some(format) = DocumentFormat::named(first) {
            let path = path.trim();
            return Ok(ExportOrder { format, path: (!path.is_empty()).then(|| path.into()) });
        }
        let path = PathBuf::from(rest);
        let format = path.extension().and_then(|extension| DocumentFormat::named(extension.to_str()?));
        match format {
            Some(format) => Ok(ExportOrder { format, path: Some(path) }),
            None => Err(SlashError::NoFormat(rest.to_owned())),
        }
    }

    /// Writes the document and returns words for the person.
    pub(super) fn carry_out(&self, document: &Document, cwd: &Path, home: Option<&Path>) -> String {
        if document.exchanges.is_empty() {
            return "nothing has been said yet, so there is nothing to export".to_owned();
        }
        let text = export::document(document, self.format);
        let written = match &self.path {
            Some(path) => {
                let path = cwd.join(in_home(path, home));
                create(&path, &text).map(|()| path)
            }
            None => create_named(&cwd.join(file_name(&document.title)), self.format.extension(), &text),
        };
        match written {
            Ok(path) => format!("exported to {} ({})", path.display(), human::size(text.len() as u64)),
            Err(error) if error.kind() == io::ErrorKind::AlreadyExists => {
                "a file with that name exists; choose another name".to_owned()
            }
            Err(error) => format!("the file could not be written: {error}"),
        }
    }
}

impl AgentThread {
    /// The conversation as it was recorded, or as far as it is in memory.
    pub(super) async fn document(&self) -> Document {
        self.setup.conversations.settled(SETTLING).await;
        self.recorded().unwrap_or_else(|| unrecorded(&self.conversation))
    }

    fn recorded(&self) -> Option<Document> {
        let (id, conversations) = (self.log.id()?, self.setup.conversations.conversations()?.ok()?);
        let (listed, entries) = (conversations.get(id).ok()??, conversations.branch(id).ok()?);
        Some(export::recorded(&listed, &entries, &conversations.pictures()))
    }
}

/// A conversation that is only in memory, where older exchanges may have been summarised.
fn unrecorded(conversation: &Conversation) -> Document {
    let exchanges: Vec<DocumentExchange> = conversation
        .exchanges()
        .map(|(question, messages)| DocumentExchange {
            question: question.to_owned(),
            asked: String::new(),
            model: String::new(),
            messages: messages.to_vec(),
            ending: Ending::Answered,
        })
        .collect();
    let title =
        exchanges.first().and_then(|first| first.question.lines().next()).unwrap_or("A conversation").to_owned();
    Document { title, facts: Vec::new(), exchanges }
}

/// The path with a leading `~` replaced.
fn in_home(path: &Path, home: Option<&Path>) -> PathBuf {
    match (path.strip_prefix("~"), home) {
        (Ok(rest), Some(home)) => home.join(rest),
        _ => path.to_owned(),
    }
}

/// A title as the name of a file.
fn file_name(title: &str) -> String {
    let letters: String =
        title.chars().map(|c| if c.is_alphanumeric() { c.to_ascii_lowercase() } else { ' ' }).collect();
    let name: String = letters.split_whitespace().collect::<Vec<_>>().join("-").chars().take(LONGEST_NAME).collect();
    if name.is_empty() { "conversation".to_owned() } else { name.trim_end_matches('-').to_owned() }
}

/// Creates a file that only its owner can read. An existing file is never replaced.
fn create(path: &Path, text: &str) -> io::Result<()> {
    let mut file = OpenOptions::new().write(true).create_new(true).mode(0o600).open(path)?;
    file.write_all(text.as_bytes())
}

/// Creates a file with this name, or with a number behind it if that exists.
fn create_named(stem: &Path, extension: &str, text: &str) -> io::Result<PathBuf> {
    let mut last = io::ErrorKind::AlreadyExists.into();
    for number in 1..=NAMES {
        let number = if number == 1 { String::new() } else { format!("-{number}") };
        let path = PathBuf::from(format!("{}{number}.{extension}", stem.display()));
        match create(&path, text) {
            Ok(()) => return Ok(path),
            Err(error) if error.kind() == io::ErrorKind::AlreadyExists => last = error,
            Err(error) => return Err(error),
        }
    }
    Err(last)
}

#[cfg(test)]
mod tests {
    use std::fs;
    use std::os::unix::fs::PermissionsExt;

    use super::*;

    fn document() -> Document {
        let (question, asked, model) = ("why did `make` fail?".to_owned(), String::new(), String::new());
        let exchange = DocumentExchange { question, asked, model, messages: Vec::new(), ending: Ending::Answered };
        Document { title: "why did `make` fail?".into(), facts: Vec::new(), exchanges: vec![exchange] }
    }

    #[test]
    fn the_format_is_a_word_or_the_end_of_the_path() {
        let order = |format, path: Option<&str>| Ok(ExportOrder { format, path: path.map(PathBuf::from) });
        assert_eq!(ExportOrder::read(""), order(DocumentFormat::Markdown, None));
        assert_eq!(ExportOrder::read("html"), order(DocumentFormat::Html, None));
        assert_eq!(ExportOrder::read("jsonl a b.txt"), order(DocumentFormat::JsonLines, Some("a b.txt")));
        assert_eq!(ExportOrder::read("~/a b.html"), order(DocumentFormat::Html, Some("~/a b.html")));
        assert!(ExportOrder::read("notes.pdf").unwrap_err().to_string().contains("md, jsonl or html"));
    }

    #[test]
    fn a_file_is_private_and_never_replaced() {
        let place = tempfile::tempdir().unwrap();
        let export =
            |rest: &str| ExportOrder::read(rest).unwrap().carry_out(&document(), place.path(), Some(place.path()));
        assert!(export("").starts_with("exported to "));
        assert!(export("").contains("why-did-make-fail-2.md"));
        let mode = fs::metadata(place.path().join("why-did-make-fail.md")).unwrap().permissions().mode();
        assert_eq!(mode & 0o777, 0o600);
        fs::write(place.path().join("kept.html"), "mine").unwrap();
        assert_eq!(export("~/kept.html"), "a file with that name exists; choose another name");
        assert_eq!(fs::read_to_string(place.path().join("kept.html")).unwrap(), "mine");
        assert!(export("no/such/place.html").starts_with("the file could not be written: "));
    }

    #[test]
    fn an_empty_conversation_is_not_written() {
        let place = tempfile::tempdir().unwrap();
        let said = ExportOrder::read("").unwrap().carry_out(&Document::default(), place.path(), None);
        assert_eq!(said, "nothing has been said yet, so there is nothing to export");
        assert_eq!(fs::read_dir(place.path()).unwrap().count(), 0);
    }
}
