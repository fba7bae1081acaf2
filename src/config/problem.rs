//! Problems of a configuration.

use std::fmt;
use std::path::{Path, PathBuf};

use serde::Serialize;

use crate::text::sanitize;

/// The longest message. Longer ones quote large parts of the file.
const MESSAGE_CAP: usize = 300;

/// A problem of a configuration file whose key was ignored. It is displayed as one line.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub(crate) struct Problem {
    /// The file that contains the problem, if there is one.
    pub file: Option<PathBuf>,
    /// The line, counted from 1.
    pub line: Option<usize>,
    /// The column, counted from 1, if the line is not valid TOML.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub column: Option<usize>,
    /// The key with dots, if the problem is about a key.
    pub key: Option<String>,
    /// The entry of the list that the key names, counted from 0.
    #[serde(skip)]
    pub entry: Option<usize>,
    /// What is wrong and what is expected.
    pub message: String,
}

impl Problem {
    pub(crate) fn new(message: &str) -> Self {
        Self { file: None, line: None, column: None, key: None, entry: None, message: one_line(message) }
    }

    pub(crate) fn key(self, key: &str) -> Self {
        Self { key: Some(one_line(key)), ..self }
    }

    pub(crate) fn line(self, line: Option<usize>) -> Self {
        Self { line, ..self }
    }

    pub(super) fn column(self, column: usize) -> Self {
        Self { column: Some(column), ..self }
    }

    /// Whether it is about a text that is not valid TOML.
    pub(super) fn is_about_syntax(&self) -> bool {
        self.column.is_some()
    }

    /// Names an entry of the list that the key names.
    pub(super) fn entry(self, entry: usize) -> Self {
        Self { entry: Some(entry), ..self }
    }

    pub(crate) fn file(self, file: &Path) -> Self {
        Self { file: Some(file.to_owned()), ..self }
    }
}

impl fmt::Display for Problem {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if let Some(file) = &self.file {
            write!(f, "{}:", one_line(&file.to_string_lossy()))?;
            if let Some(line) = self.line {
                write!(f, "{line}:")?;
                if let Some(column) = self.column {
                    write!(f, "{column}:")?;
                }
            }
            f.write_str(" ")?;
        }
        if let Some(key) = &self.key {
            write!(f, "{key}: ")?;
        }
        f.write_str(&self.message)
    }
}

/// Removes control characters and line breaks, because a problem quotes the file on the terminal.
fn one_line(text: &str) -> String {
    let mut line: String = sanitize(text.trim()).replace(['\n', '\t'], " ");
    if let Some((cut, _)) = line.char_indices().nth(MESSAGE_CAP) {
        line.truncate(cut);
        line.push('…');
    }
    line
}
