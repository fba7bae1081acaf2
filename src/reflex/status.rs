//! What an exit status means here.

use super::case::Case;

/// One line about the status, where it says more than that something failed.
pub(super) fn meaning(case: &Case<'_>) -> Option<String> {
    let words = match case.status? {
        126 => "it was found but could not be run (126)",
        127 => "there is no command of that name (127)",
        _ => return None,
    };
    Some(words.to_owned())
}
