//! A dim line above the prompt of the first few starts that says what `> ` does and how to hide the line.
//!
//! The starts are counted in a file of the state directory: one byte for each. If it cannot be written, the line is not shown, because
//! it would come back for ever.

use std::fs::OpenOptions;
use std::io::{self, Seek, Write};
use std::os::unix::fs::OpenOptionsExt;
use std::path::{Path, PathBuf};

use crate::config::private_dir;

/// How many starts show the line.
const STARTS: u64 = 3;

/// It fits into 80 columns.
const WORDS: &str = "type `> why?` to ask shellmate; `shellmate config set welcome false` hides this";

/// Where starts are counted, if the line may be shown at all.
#[derive(Debug, Clone, Default)]
pub(super) struct Welcome(Option<PathBuf>);

impl Welcome {
    /// The line is shown if it is configured and the terminal can draw above its prompt, which that of Emacs cannot.
    pub(super) fn new(is_wanted: bool, counter: Option<PathBuf>, get: impl Fn(&str) -> Option<String>) -> Welcome {
        let is_plain = get("TERM").is_none_or(|term| term.is_empty() || term == "dumb" || term.starts_with("eterm"));
        Welcome(counter.filter(|_| is_wanted && !is_plain && get("INSIDE_EMACS").is_none()))
    }

    pub(super) fn is_wanted(&self) -> bool {
        self.0.is_some()
    }

    /// Counts this start and returns the line if it is one of the first. Reads and writes a file.
    pub(super) fn line(&self) -> Option<String> {
        let counted = count(self.0.as_deref()?);
        let is_early = counted.inspect_err(|error| tracing::debug!(%error, "this start was not counted"));
        is_early.unwrap_or(false).then(|| WORDS.to_owned())
    }
}

/// Whether this is one of the first starts. Later ones are not counted.
fn count(path: &Path) -> io::Result<bool> {
    if std::fs::metadata(path).is_ok_and(|found| found.len() >= STARTS) {
        return Ok(false);
    }
    // The history of commands makes the same directory, but perhaps later.
    path.parent().map_or(Ok(()), private_dir)?;
    let mut file = OpenOptions::new().append(true).create(true).mode(0o600).open(path)?;
    file.write_all(b".")?;
    // The system appends one byte after the other, so that tabs which start at once have different positions.
    Ok(file.stream_position()? <= STARTS)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::text::width;

    fn xterm(name: &str) -> Option<String> {
        (name == "TERM").then(|| "xterm".to_owned())
    }

    #[test]
    fn the_first_three_starts_show_the_line() {
        let temp = tempfile::tempdir().unwrap();
        let welcome = Welcome::new(true, Some(temp.path().join("state/starts")), xterm);
        let shown: Vec<bool> = (0..5).map(|_| welcome.line().is_some()).collect();
        assert_eq!(shown, [true, true, true, false, false]);
        assert_eq!(std::fs::read(temp.path().join("state/starts")).unwrap(), b"...");
    }

    #[test]
    fn tabs_that_start_at_once_show_it_three_times_together() {
        let temp = tempfile::tempdir().unwrap();
        let welcome = Welcome::new(true, Some(temp.path().join("starts")), xterm);
        let begin = std::sync::Barrier::new(16);
        let start = || {
            begin.wait();
            welcome.line().is_some()
        };
        let shown = std::thread::scope(|scope| {
            let tabs: Vec<_> = (0..16).map(|_| scope.spawn(start)).collect();
            tabs.into_iter().map(|tab| tab.join().unwrap()).filter(|shown| *shown).count()
        });
        assert_eq!(shown, 3);
    }

    #[test]
    fn a_start_that_cannot_be_counted_shows_nothing() {
        let temp = tempfile::tempdir().unwrap();
        std::fs::write(temp.path().join("state"), "").unwrap();
        assert_eq!(Welcome::new(true, Some(temp.path().join("state/starts")), xterm).line(), None);
        assert_eq!(Welcome::new(true, None, xterm).line(), None);
    }

    #[test]
    fn dumb_terminals_and_emacs_get_no_line() {
        let counter = || Some(PathBuf::from("/nowhere/starts"));
        assert!(Welcome::new(true, counter(), xterm).is_wanted());
        assert!(!Welcome::new(false, counter(), xterm).is_wanted());
        assert!(!Welcome::new(true, counter(), |_| None).is_wanted());
        assert!(!Welcome::new(true, counter(), |name| (name == "TERM").then(|| "dumb".to_owned())).is_wanted());
        assert!(!Welcome::new(true, counter(), |name| (name == "TERM").then(|| "eterm-color".to_owned())).is_wanted());
        let emacs = |name: &str| if name == "INSIDE_EMACS" { Some("29.1".to_owned()) } else { xterm(name) };
        assert!(!Welcome::new(true, counter(), emacs).is_wanted());
    }

    #[test]
    fn the_line_fits_into_a_common_terminal() {
        assert!(width::cells(WORDS) < 80);
    }
}
