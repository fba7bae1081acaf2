//! Where the value of a key comes from.

use std::collections::BTreeMap;
use std::fmt;
use std::path::Path;
use std::sync::Arc;

use toml::de::{DeTable, DeValue};

use super::{Layer, Problem, parse};

/// The lines of the keys of one file.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(super) struct LineNumbers {
    keys: BTreeMap<String, usize>,
    /// The lines of the entries of each list.
    entries: BTreeMap<String, Vec<usize>>,
}

impl LineNumbers {
    /// The lines of all keys of a table. `line_of` turns an offset into a line.
    pub(super) fn of(table: &DeTable<'_>, line_of: &dyn Fn(usize) -> usize) -> LineNumbers {
        let mut lines = LineNumbers::default();
        lines.add(table, "", line_of);
        lines
    }

    fn add(&mut self, table: &DeTable<'_>, prefix: &str, line_of: &dyn Fn(usize) -> usize) {
        for (key, value) in table {
            let name = format!("{prefix}{}", key.get_ref());
            self.keys.insert(name.clone(), line_of(key.span().start));
            match value.get_ref() {
                DeValue::Table(inner) => self.add(inner, &format!("{name}."), line_of),
                DeValue::Array(list) => {
                    let entries = list.iter().map(|entry| line_of(entry.span().start)).collect();
                    self.entries.insert(name, entries);
                }
                DeValue::String(_)
                | DeValue::Integer(_)
                | DeValue::Float(_)
                | DeValue::Boolean(_)
                | DeValue::Datetime(_) => {}
            }
        }
    }
}

/// Where a value comes from.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum Origin {
    Default,
    File {
        layer: Layer,
        path: Arc<Path>,
        line: usize,
    },
    /// An environment variable.
    Variable(&'static str),
}

impl fmt::Display for Origin {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Origin::Default => f.write_str("default"),
            Origin::File { path, line, .. } => write!(f, "{}:{line}", path.display()),
            Origin::Variable(name) => write!(f, "environment variable {name}"),
        }
    }
}

/// Where the settings of a project are in its file.
pub(crate) struct ProjectLines {
    path: Arc<Path>,
    lines: LineNumbers,
}

impl ProjectLines {
    pub(crate) fn of(path: &Path, text: &str) -> ProjectLines {
        let line_of = |at: usize| parse::line_of(text, at);
        let lines = DeTable::parse(text).map(|table| LineNumbers::of(table.get_ref(), &line_of));
        ProjectLines { path: path.into(), lines: lines.unwrap_or_default() }
    }

    /// The place of a key, or of an entry of its list.
    pub(crate) fn origin(&self, key: Option<&str>, entry: Option<usize>) -> Origin {
        let line = key.and_then(|key| {
            let entry = self.lines.entries.get(key).and_then(|entries| entries.get(entry?));
            entry.or_else(|| self.lines.keys.get(key))
        });
        Origin::File { layer: Layer::Project, path: Arc::clone(&self.path), line: line.copied().unwrap_or(1) }
    }
}

/// The origins of all keys that are set.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(crate) struct Origins {
    keys: BTreeMap<String, Origin>,
    /// The origin of each entry of the lists that are set.
    entries: BTreeMap<String, Vec<Origin>>,
}

impl Origins {
    /// A file sets these keys, over those of the files before it. The entries of `additive` lists are added.
    pub(super) fn add(&mut self, layer: Layer, path: &Path, lines: &LineNumbers, is_additive: impl Fn(&str) -> bool) {
        let path: Arc<Path> = path.into();
        let at = |line: &usize| Origin::File { layer, path: Arc::clone(&path), line: *line };
        self.keys.extend(lines.keys.iter().map(|(key, line)| (key.clone(), at(line))));
        for (key, lines) in &lines.entries {
            let entries = self.entries.entry(key.clone()).or_default();
            if !is_additive(key) {
                entries.clear();
            }
            entries.extend(lines.iter().map(at));
        }
    }

    /// The file of a project sets a key, or adds these entries of its list.
    pub(crate) fn add_project(&mut self, key: &str, lines: &ProjectLines, entries: &[usize]) {
        self.keys.insert(key.to_owned(), lines.origin(Some(key), None));
        let entries = entries.iter().map(|entry| lines.origin(Some(key), Some(*entry)));
        self.entries.entry(key.to_owned()).or_default().extend(entries);
    }

    /// An environment variable sets a key.
    pub(crate) fn set_by_variable(&mut self, key: &str, variable: &'static str) {
        self.keys.insert(key.to_owned(), Origin::Variable(variable));
    }

    /// Where the value of a key comes from.
    pub(crate) fn of(&self, key: &str) -> Origin {
        self.keys.get(key).cloned().unwrap_or(Origin::Default)
    }

    /// The origins of the entries of a list, in order.
    pub(crate) fn entries(&self, key: &str) -> &[Origin] {
        self.entries.get(key).map_or(&[], Vec::as_slice)
    }

    /// Adds the file and the line to a problem that names only a key.
    pub(crate) fn locate(&self, problem: Problem) -> Problem {
        let Some(key) = problem.key.as_deref().filter(|_| problem.file.is_none()) else { return problem };
        let entry = problem.entry.and_then(|entry| self.entries(key).get(entry));
        match entry.or_else(|| self.keys.get(key)) {
            Some(Origin::File { path, line, .. }) => {
                let file = Some(path.to_path_buf()).filter(|path| !path.as_os_str().is_empty());
                Problem { file, line: Some(*line), ..problem }
            }
            Some(Origin::Default | Origin::Variable(_)) | None => problem,
        }
    }
}
