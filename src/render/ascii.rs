//! Text for terminals without UTF-8.

/// Replaces non-ASCII characters, with a similar ASCII character if there is one.
///
/// The replacement of a character has the same width.
pub(super) fn ascii(text: &str) -> String {
    use unicode_segmentation::UnicodeSegmentation;
    let mut out = String::with_capacity(text.len());
    for grapheme in text.graphemes(true) {
        match grapheme.chars().next() {
            Some(c) if grapheme.is_ascii() => out.push(c),
            Some(c) => out.extend(std::iter::repeat_n(similar_ascii(c), crate::text::width::cells(grapheme))),
            None => {}
        }
    }
    out
}

fn similar_ascii(c: char) -> char {
    match c {
        '‘' | '’' | '‚' | '′' => '\'',
        '“' | '”' | '„' | '″' | '«' | '»' => '"',
        '‐' | '‑' | '‒' | '–' | '—' | '─' | '−' => '-',
        '│' | '┃' => '|',
        '•' | '·' | '●' | '×' => '*',
        '…' | '░' => '.',
        '█' | '▏' | '▎' | '▍' | '▌' | '▋' | '▊' | '▉' => '#',
        '→' | '⇥' => '>',
        '←' | '⌫' => '<',
        '↑' => '^',
        '↓' => 'v',
        // As `cat -E` shows the end of a line.
        '⏎' => '$',
        '\u{A0}' => ' ',
        _ => '?',
    }
}
