//! Where the value of a key comes from.

use std::collections::BTreeMap;
use std::fmt;
use std::path::Path;
use std::sync::Arc;

use toml::de::{DeTable, DeValue};

use super::{Layer, Problem};

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
