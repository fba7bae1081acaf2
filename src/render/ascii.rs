//! Text for a terminal that knows no UTF-8.

/// Replaces what is not ASCII, by a likeness where there is one.
///
/// Each character becomes as many cells as it had, so that widths hold.
pub(super) fn ascii(text: &str) -> String {
    use unicode_segmentation::UnicodeSegmentation;
    let mut out = String::with_capacity(text.len());
    for grapheme in text.graphemes(true) {
        match grapheme.chars().next() {
            Some(c) if grapheme.is_ascii() => out.push(c),
            Some(c) => out.extend(std::iter::repeat_n(likeness(c), crate::text::width::cells(grapheme))),
            None => {}
        }
    }
    out
}

fn likeness(c: char) -> char {
    match c {
        '‘' | '’' | '‚' | '′' => '\'',
        '“' | '”' | '„' | '″' | '«' | '»' => '"',
        '‐' | '‑' | '‒' | '–' | '—' | '─' | '−' => '-',
        '│' | '┃' => '|',
        '•' | '·' | '●' | '×' => '*',
        '…' => '.',
        '→' => '>',
        '←' => '<',
        '\u{A0}' => ' ',
        _ => '?',
    }
}
