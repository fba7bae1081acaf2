//! Conventions of directories below the current one, which come with the result of the first call that touches a file there.
//!
//! What the model already has is found in the messages that are sent, so a text is sent again when it has changed or when it was
//! dropped from the conversation.

use std::path::{Path, PathBuf};

use super::find::FoundConventions;
use super::{CAP, fitting};
use crate::agent::calls::CallResult;
use crate::chat::{Message, Outcome, Part};
use crate::guard::Redactor;
use crate::repository;
use crate::text::human;

/// How a section begins and ends.
const BEGIN: &str = "<conventions path=";
const END: &str = "</conventions>";

/// Where calls were made, and what goes with their results.
pub(in crate::agent) struct Nearby<'a> {
    /// The current directory and the root of its repository, as real paths. `None` outside of a repository.
    place: Option<(PathBuf, PathBuf)>,
    home: Option<&'a Path>,
    /// The most bytes of all conventions in a request.
    cap: usize,
    redactor: &'a Redactor,
}

impl<'a> Nearby<'a> {
    pub(in crate::agent) fn new(cwd: &Path, home: Option<&'a Path>, cap: usize, redactor: &'a Redactor) -> Nearby<'a> {
        let real = cwd.canonicalize().ok();
        let place = real.and_then(|cwd| {
            let root = repository::root(&cwd)?.to_owned();
            Some((cwd, root))
        });
        Nearby { place, home, cap, redactor }
    }

    /// Adds the conventions of the directories that these calls have touched to their results. `messages` are sent with them.
    pub(in crate::agent) fn add_to(&self, results: &mut [CallResult], messages: impl Fn() -> Vec<Message>) {
        let mut sent: Option<Sent> = None;
        for CallResult { outcome, touched, .. } in results {
            let Outcome::Done { text, .. } = outcome else { continue };
            for section in self.sections(touched) {
                let sent = sent.get_or_insert_with(|| Sent::of(&messages()));
                if sent.has(&section) {
                    continue;
                }
                let gap = if text.ends_with('\n') { "" } else { "\n" };
                text.push_str(gap);
                text.push_str(&sent.add(section, self.cap));
            }
        }
    }

    /// The conventions between the current directory and these files, outermost first. They may have been sent.
    fn sections(&self, touched: &[PathBuf]) -> Vec<String> {
        let Some((cwd, root)) = &self.place else { return Vec::new() };
        let mut found = FoundConventions::default();
        for path in touched {
            let directory = if path.is_dir() { Some(path.as_path()) } else { path.parent() };
            let below = directory.into_iter().flat_map(Path::ancestors);
            let mut below: Vec<&Path> = below.take_while(|one| one.starts_with(cwd) && one != cwd).collect();
            // Another repository within this one has its own words, which nobody chose here.
            if directory.is_none_or(|directory| repository::root(directory) != Some(root)) {
                continue;
            }
            below.reverse();
            below.into_iter().for_each(|directory| found.add_first_of(directory, root, self.home));
        }
        let section = |file| fitting(std::slice::from_ref(file), CAP, self.redactor, &mut Vec::new());
        found.files.iter().flat_map(section).collect()
    }
}

/// The conventions that the model has.
struct Sent {
    sections: Vec<String>,
}

impl Sent {
    fn of(messages: &[Message]) -> Sent {
        let texts = messages.iter().flat_map(|message| &message.parts).filter_map(|part| match part {
            Part::Text(text) => Some(text.as_str()),
            Part::Result { outcome, .. } => Some(outcome.text()),
            Part::Thinking(_) | Part::Image(_) | Part::Call(_) => None,
        });
        let sections = texts.flat_map(|text| {
            let starts = text.match_indices(BEGIN).map(|(at, _)| at);
            starts.filter_map(|at| Some(text[at..at + text[at..].find(END)? + END.len()].to_owned()))
        });
        Sent { sections: sections.collect() }
    }

    fn has(&self, section: &str) -> bool {
        self.sections.iter().any(|sent| sent == section.trim_end())
    }

    /// The section if it fits, otherwise a line about it.
    fn add(&mut self, section: String, cap: usize) -> String {
        let used: usize = self.sections.iter().map(String::len).sum();
        if used + section.len() <= cap {
            self.sections.push(section.trim_end().to_owned());
            return section;
        }
        let name = section[BEGIN.len()..].split('"').nth(1).unwrap_or_default();
        format!(
            "[{name} is not sent: conventions have at most {} in all; read_file shows it]\n",
            human::size(cap as u64)
        )
    }
}
