//! What is known about the shell while a command line is followed: directory, variables, functions.

use std::collections::{HashMap, HashSet};
use std::path::{Path, PathBuf};

use super::CommandPlace;
use super::argument::Argument;

/// How many directories a command may run in before none is taken as known.
const MOST_DIRECTORIES: usize = 4;

/// Parameters that are always a number.
const NUMBERS: &[&str] = &["?", "#", "$", "!", "UID", "EUID", "PPID", "BASHPID", "LINENO", "SECONDS", "RANDOM"];

#[derive(Debug, Clone)]
pub(super) struct Scope<'a> {
    pub(super) place: &'a CommandPlace<'a>,
    /// The directories the next command may run in: several after a `cd` that may fail, none if they are not known.
    pub(super) cwds: Vec<PathBuf>,
    /// Values of the variables that the text sets. A loop's variable has several.
    pub(super) variables: HashMap<String, Vec<Argument>>,
    /// Functions that the text defines anywhere.
    pub(super) functions: HashSet<String>,
}

impl<'a> Scope<'a> {
    pub(super) fn new(place: &'a CommandPlace<'a>) -> Self {
        let cwds = vec![place.cwd.to_owned()];
        Scope { place, cwds, variables: HashMap::new(), functions: HashSet::new() }
    }

    /// The value of a parameter, if there is exactly one.
    pub(super) fn value(&self, name: &str) -> Option<Argument> {
        if let Some(values) = self.variables.get(name) {
            let [value] = &values[..] else { return None };
            return Some(value.clone());
        }
        if NUMBERS.contains(&name) || is_pipe_status(name) {
            return Some(Argument::literal("0"));
        }
        match name {
            "HOME" => self.place.home.and_then(Path::to_str).map(Argument::literal),
            "PWD" => self.cwd_text().map(Argument::literal),
            _ => None,
        }
    }

    pub(super) fn cwd_text(&self) -> Option<String> {
        let [cwd] = &self.cwds[..] else { return None };
        cwd.to_str().map(str::to_owned)
    }

    /// Adds directories that the next command may run in as well.
    pub(super) fn may_be_in(&mut self, others: &[PathBuf]) {
        if self.cwds.is_empty() || others.is_empty() {
            self.cwds.clear();
            return;
        }
        for other in others {
            if !self.cwds.contains(other) {
                self.cwds.push(other.clone());
            }
        }
        if self.cwds.len() > MOST_DIRECTORIES {
            self.cwds.clear();
        }
    }
}

/// `PIPESTATUS[1]`
fn is_pipe_status(name: &str) -> bool {
    let index = name.strip_prefix("PIPESTATUS[").and_then(|rest| rest.strip_suffix(']'));
    name == "PIPESTATUS"
        || index.is_some_and(|index| !index.is_empty() && index.bytes().all(|byte| byte.is_ascii_digit()))
}
