//! Commands typed with the wrong keyboard layout.

/// The keys of a Latin keyboard, and of other layouts in the same order.
const LATIN: &str = "qwertyuiop[]asdfghjkl;'zxcvbnm,./QWERTYUIOP{}ASDFGHJKL:\"ZXCVBNM<>?";
const OTHERS: &[&str] = &[
    "йцукенгшщзхъфывапролджэячсмитьбю.ЙЦУКЕНГШЩЗХЪФЫВАПРОЛДЖЭЯЧСМИТЬБЮ,",
    "йцукенгшщзхїфівапролджєячсмитьбю.ЙЦУКЕНГШЩЗХЇФІВАПРОЛДЖЄЯЧСМИТЬБЮ,",
    ";ςερτυθιοπ[]ασδφγηξκλ΄'ζχψωβνμ,./:΅ΕΡΤΥΘΙΟΠ{}ΑΣΔΦΓΗΞΚΛ¨\"ΖΧΨΩΒΝΜ<>?",
    "/'קראטוןםפ][שדגכעיחלךף,זסבהנמצתץ.",
    "ضصثقفغعهخحجچشسیبلاتنمکگظطزرذدپو./",
];

/// The initial, medial and final letters of Hangul syllables as the keys of the two-set layout.
const INITIALS: &[&str] =
    &["r", "R", "s", "e", "E", "f", "a", "q", "Q", "t", "T", "d", "w", "W", "c", "z", "x", "v", "g"];
const MEDIALS: &[&str] =
    &["k", "o", "i", "O", "j", "p", "u", "P", "h", "hk", "ho", "hl", "y", "n", "nj", "np", "nl", "b", "m", "ml", "l"];
const FINALS: &[&str] = &[
    "", "r", "R", "rt", "s", "sw", "sg", "e", "f", "fr", "fa", "fq", "ft", "fx", "fv", "fg", "a", "q", "qt", "t", "T",
    "d", "w", "c", "z", "x", "v", "g",
];
/// Letters that stand alone, in the order of Unicode from U+3131.
const LETTERS: &[&str] = &[
    "r", "R", "rt", "s", "sw", "sg", "e", "E", "f", "fr", "fa", "fq", "ft", "fx", "fv", "fg", "a", "q", "Q", "qt", "t",
    "T", "d", "w", "W", "c", "z", "x", "v", "g", "k", "o", "i", "O", "j", "p", "u", "P", "h", "hk", "ho", "hl", "y",
    "n", "nj", "np", "nl", "b", "m", "ml", "l",
];

/// The text typed with the same keys on a Latin keyboard, for each layout that has all of its letters.
pub(super) fn switched(text: &str) -> Vec<String> {
    let is_foreign = |c: char| !c.is_ascii() && c.is_alphabetic();
    if !text.chars().any(is_foreign) {
        return Vec::new();
    }
    if let Some(hangul) = from_hangul(text) {
        return vec![hangul];
    }
    OTHERS.iter().filter_map(|layout| from_layout(text, layout)).collect()
}

fn from_layout(text: &str, layout: &str) -> Option<String> {
    let key = |c: char| {
        let plain = match c {
            'ά' => 'α',
            'έ' => 'ε',
            'ή' => 'η',
            'ί' => 'ι',
            'ό' => 'ο',
            'ύ' => 'υ',
            'ώ' => 'ω',
            other => other,
        };
        match layout.chars().position(|known| known == plain) {
            Some(at) => LATIN.chars().nth(at),
            None => Some(c).filter(char::is_ascii),
        }
    };
    text.chars().map(key).collect()
}

fn from_hangul(text: &str) -> Option<String> {
    let mut keys = String::new();
    for c in text.chars() {
        let code = u32::from(c);
        if let Some(syllable) = code.checked_sub(0xAC00).filter(|syllable| *syllable < 11_172) {
            let syllable = usize::try_from(syllable).ok()?;
            keys.push_str(INITIALS[syllable / 588]);
            keys.push_str(MEDIALS[syllable % 588 / 28]);
            keys.push_str(FINALS[syllable % 28]);
        } else if let Some(letter) =
            code.checked_sub(0x3131).and_then(|letter| LETTERS.get(usize::try_from(letter).ok()?))
        {
            keys.push_str(letter);
        } else if c.is_ascii() {
            keys.push(c);
        } else {
            return None;
        }
    }
    Some(keys)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_same_keys_are_found_on_a_latin_keyboard() {
        assert_eq!(switched("пше ыефегы").first().map(String::as_str), Some("git status"));
        assert!(switched("γιτ στατθσ").contains(&"git status".to_owned()));
        assert_eq!(switched("햣 ㄴㅅㅁ셔ㄴ"), ["git status"]);
        assert!(switched("git status").is_empty());
    }

    #[test]
    fn every_layout_has_all_keys() {
        for layout in OTHERS {
            assert!(layout.chars().count() <= LATIN.chars().count());
        }
    }
}
