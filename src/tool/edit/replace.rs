//! Applies edits to a text.

use std::borrow::Cow;
use std::ops::Range;

use super::{Edit, miss};
use crate::guard::Redactor;

/// How many line numbers are listed when a text occurs several times.
const PLACES: usize = 10;

/// Applies all edits one after the other. The error names the edit that cannot be applied and why.
pub(super) fn all(text: &str, edits: &[Edit], name: &str, redactor: &Redactor) -> Result<String, String> {
    if edits.is_empty() {
        return Err("bad argument edits: there are none".to_owned());
    }
    let has_crlf = 2 * text.matches("\r\n").count() > text.matches('\n').count();
    let mut text = Cow::Borrowed(text);
    for (index, edit) in edits.iter().enumerate() {
        let which = if edits.len() == 1 { String::new() } else { format!("edits[{index}]: ") };
        let after = one(&text, edit, has_crlf, redactor).map_err(|why| {
            let rest = if edits.len() == 1 { "" } else { "\nNo edit was made." };
            format!("{which}{} {name}{}{rest}", why.problem, why.detail)
        })?;
        text = Cow::Owned(after);
    }
    Ok(text.into_owned())
}

/// Why an edit cannot be applied: the parts of the message before and after the file's name.
struct EditRefusal {
    problem: String,
    detail: String,
}

fn one(text: &str, edit: &Edit, has_crlf: bool, redactor: &Redactor) -> Result<String, EditRefusal> {
    let refusal = |problem: &str, detail: &str| EditRefusal { problem: problem.to_owned(), detail: detail.to_owned() };
    if edit.old_string.is_empty() {
        return Err(refusal("old_string is empty: use write_file to write", ", or name the text to be replaced"));
    }
    if edit.old_string == edit.new_string {
        return Err(refusal("old_string and new_string are the same: nothing to change in", ""));
    }
    // Models write `\n`. The line ending of the file is tried first.
    let ways: [fn(&str) -> Cow<'_, str>; 2] = if has_crlf { [crlf, verbatim] } else { [verbatim, crlf] };
    let secrets = redactor.secret_ranges(text);
    let Some(way) = ways.into_iter().find(|way| !places(text, &way(&edit.old_string), &secrets).is_empty()) else {
        let nearest = miss::explain(&redactor.mask_in_place(text), &edit.old_string);
        return Err(refusal("old_string was not found in", &format!(". {nearest}")));
    };
    let (old, new) = (way(&edit.old_string), way(&edit.new_string));
    let places = places(text, &old, &secrets);
    if places.len() > 1 && !edit.replace_all {
        let lines: Vec<String> = places.iter().take(PLACES).map(|at| line_of(text, *at).to_string()).collect();
        let more = if places.len() > PLACES { ", …" } else { "" };
        return Err(EditRefusal {
            problem: format!("old_string occurs {} times in", places.len()),
            detail: format!(", at lines {}{more}. Add surrounding lines, or set replace_all", lines.join(", ")),
        });
    }
    let mut after = String::with_capacity(text.len());
    let mut from = 0;
    for at in places {
        after.push_str(&text[from..at]);
        after.push_str(&new);
        from = at + old.len();
    }
    after.push_str(&text[from..]);
    Ok(after)
}

/// The offsets of a text outside of secrets. The model does not see secrets and must not learn about them by guessing.
fn places(text: &str, old: &str, secrets: &[Range<usize>]) -> Vec<usize> {
    let is_visible = |at: &usize| {
        let next = secrets.partition_point(|secret| secret.end <= *at);
        secrets.get(next).is_none_or(|secret| secret.start >= at + old.len())
    };
    text.match_indices(old).map(|(at, _)| at).filter(is_visible).collect()
}

fn verbatim(text: &str) -> Cow<'_, str> {
    Cow::Borrowed(text)
}

fn crlf(text: &str) -> Cow<'_, str> {
    Cow::Owned(text.replace("\r\n", "\n").replace('\n', "\r\n"))
}

fn line_of(text: &str, at: usize) -> usize {
    text[..at].matches('\n').count() + 1
}
