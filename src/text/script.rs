//! Letters of other scripts that look like ASCII letters.

/// How many different non-ASCII characters are listed.
const NAMED: usize = 4;

/// Lists the non-ASCII characters of a name with their code points. Returns `None` if the name is plain ASCII.
pub(crate) fn not_ascii(name: &str) -> Option<String> {
    let mut found: Vec<char> = name.chars().filter(|c| !c.is_ascii()).collect();
    found.sort_unstable();
    found.dedup();
    let names: Vec<String> =
        found.iter().take(NAMED).map(|c| format!("{} U+{:04X}", glyph(*c), u32::from(*c))).collect();
    let more = if found.len() > NAMED { ", …" } else { "" };
    (!found.is_empty()).then(|| format!("not ASCII: {}{more}", names.join(", ")))
}

/// Returns the first word that mixes ASCII letters with letters of a script that resembles Latin.
pub(crate) fn mixed_word(text: &str) -> Option<&str> {
    let is_mixed = |word: &&str| word.chars().any(|c| c.is_ascii_alphabetic()) && word.chars().any(resembles_latin);
    text.split(|c: char| !c.is_alphanumeric()).find(is_mixed)
}

/// Whether a character belongs to a script with letters that look like Latin ones.
fn resembles_latin(c: char) -> bool {
    matches!(c,
        '\u{0370}'..='\u{058F}'     // Greek, Cyrillic, Armenian
        | '\u{13A0}'..='\u{13FF}'   // Cherokee
        | '\u{1C80}'..='\u{1C8F}' | '\u{1F00}'..='\u{1FFF}' | '\u{2C80}'..='\u{2CFF}' | '\u{2DE0}'..='\u{2DFF}'
        | '\u{A4D0}'..='\u{A4FF}' | '\u{A640}'..='\u{A69F}' | '\u{AB70}'..='\u{ABBF}'
        | '\u{FF10}'..='\u{FF5A}'   // fullwidth
        | '\u{1D400}'..='\u{1D7FF}' // mathematical letters
    )
}

fn glyph(c: char) -> String {
    let shown = super::spelled(c.encode_utf8(&mut [0; 4]));
    if shown.starts_with("U+") { String::new() } else { shown }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn non_ascii_lookalikes_are_listed_with_their_code_points() {
        assert_eq!(not_ascii("src/main.rs"), None);
        assert_eq!(not_ascii("p\u{430}y").unwrap(), "not ASCII: а U+0430");
        assert_eq!(not_ascii("p\u{200B}y").unwrap(), "not ASCII:  U+200B");
        assert!(not_ascii("äöüßé").unwrap().ends_with(", …"));
        assert_eq!(mixed_word("cat p\u{430}ypal.txt"), Some("p\u{430}ypal"));
        assert_eq!(mixed_word("git commit -m 'привет Übung'"), None);
    }
}
