//! Chords: keys as the configuration and the screen name them, such as `ctrl-o`.

use std::fmt;
use std::str::FromStr;

use super::key::{Code, Key, Mods};

/// A key with its modifiers, in the only form that terminals send it in: Ctrl-I is Tab, and Ctrl-M is Enter.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Chord(Key);

/// Why a text is not a chord.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub(crate) enum ChordError {
    #[error(
        "`{0}` is not a key; write ctrl-o, alt-x, alt-enter, shift-tab, ctrl-\\, f5, esc, tab, enter, space, backspace, delete, up, home, pageup and so on"
    )]
    Unknown(String),
    #[error("terminals cannot send `{chord}`: {why}")]
    NotSent { chord: String, why: &'static str },
}

/// The spellings of the modifiers.
const MODIFIERS: [(&str, Mods); 10] = [
    ("ctrl", Mods::CTRL),
    ("control", Mods::CTRL),
    ("c", Mods::CTRL),
    ("alt", Mods::ALT),
    ("meta", Mods::ALT),
    ("option", Mods::ALT),
    ("a", Mods::ALT),
    ("m", Mods::ALT),
    ("shift", Mods::SHIFT),
    ("s", Mods::SHIFT),
];

/// The names of the keys that type no character. The first name of a key is the one that is shown.
const NAMES: [(&str, Code); 24] = [
    ("enter", Code::Enter),
    ("return", Code::Enter),
    ("tab", Code::Tab),
    ("esc", Code::Esc),
    ("escape", Code::Esc),
    ("space", Code::Char(' ')),
    ("backspace", Code::Backspace),
    ("delete", Code::Delete),
    ("del", Code::Delete),
    ("insert", Code::Insert),
    ("ins", Code::Insert),
    ("up", Code::Up),
    ("down", Code::Down),
    ("left", Code::Left),
    ("right", Code::Right),
    ("home", Code::Home),
    ("end", Code::End),
    ("pageup", Code::PageUp),
    ("page-up", Code::PageUp),
    ("pgup", Code::PageUp),
    ("pagedown", Code::PageDown),
    ("page-down", Code::PageDown),
    ("pgdn", Code::PageDown),
    ("pgdown", Code::PageDown),
];

impl Chord {
    pub(super) const CTRL_C: Chord = Chord(Key::ctrl('c'));

    /// The chord of a key that was pressed. Terminals with the kitty keyboard protocol tell Ctrl-I from Tab; others cannot, so nothing
    /// here does.
    pub(super) fn of(key: Key) -> Chord {
        let Key { code: Code::Char(letter), mods: mods @ Mods { ctrl: true, .. } } = key else { return Chord(key) };
        let without = Mods { ctrl: false, ..mods };
        Chord(match letter.to_ascii_lowercase() {
            'i' => Key::new(Code::Tab, without),
            'm' => Key::new(Code::Enter, without),
            '[' => Key::new(Code::Esc, without),
            '?' => Key::new(Code::Backspace, without),
            '@' => Key::new(Code::Char(' '), mods),
            '/' => Key::new(Code::Char('_'), mods),
            letter => Key::new(Code::Char(letter), mods),
        })
    }

    /// For tables of keys that are known to be sent.
    pub(super) const fn known(key: Key) -> Chord {
        Chord(key)
    }

    /// Whether the chord types a character.
    pub(super) const fn is_typed(&self) -> bool {
        self.0.is_typed()
    }

    /// Whether questions, lists and lines leave the key to the answer around them.
    pub(super) const fn is_special(&self) -> bool {
        self.0.is_special()
    }

    /// The chord as the screen names it: `Ctrl-O`.
    pub(crate) fn label(&self) -> String {
        if self.is_typed() {
            return self.to_string();
        }
        let capital = |part: &str| {
            if let Some(way) = part.strip_prefix("page") {
                return format!("Page{}", if way == "up" { "Up" } else { "Down" });
            }
            let mut letters = part.chars();
            letters.next().map(|first| first.to_ascii_uppercase()).into_iter().chain(letters).collect::<String>()
        };
        let (mods, name) = self.parts();
        mods.into_iter().chain([name.as_str()]).map(capital).collect::<Vec<_>>().join("-")
    }

    /// The names of the modifiers, and that of the key.
    fn parts(&self) -> (Vec<&'static str>, String) {
        let Chord(Key { code, mods }) = *self;
        let is_capital = matches!(code, Code::Char(letter) if mods.alt && letter.is_ascii_uppercase());
        let all = [(mods.ctrl, "ctrl"), (mods.alt, "alt"), (mods.shift || is_capital, "shift")];
        let mods = all.into_iter().filter_map(|(is_held, name)| is_held.then_some(name)).collect();
        let name = match code {
            Code::Function(number) => format!("f{number}"),
            Code::Char(letter) if letter != ' ' => match is_capital {
                true => letter.to_ascii_lowercase().to_string(),
                false => letter.to_string(),
            },
            code => {
                NAMES.iter().find(|(_, named)| *named == code).map(|(name, _)| *name).unwrap_or_default().to_owned()
            }
        };
        (mods, name)
    }
}

/// The chord as the configuration spells it: `ctrl-o`.
impl fmt::Display for Chord {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let (mods, name) = self.parts();
        mods.iter().try_for_each(|name| write!(f, "{name}-"))?;
        f.write_str(&name)
    }
}

impl FromStr for Chord {
    type Err = ChordError;

    fn from_str(text: &str) -> Result<Chord, ChordError> {
        let (mods, name) = split(text.trim());
        let code = code(name).ok_or_else(|| ChordError::Unknown(text.to_owned()))?;
        sent(code, mods).map_err(|why| ChordError::NotSent { chord: text.to_owned(), why })
    }
}

/// The modifiers and the name of the key. `^O` is another spelling of `ctrl-o`.
fn split(text: &str) -> (Mods, &str) {
    let (mut mods, mut rest) = (Mods::NONE, text);
    loop {
        if let Some(letter) = rest.strip_prefix('^').filter(|letter| letter.chars().count() == 1) {
            return (Mods { ctrl: true, ..mods }, letter);
        }
        let held = rest.split_once(['-', '+']).filter(|(_, after)| !after.is_empty());
        let held = held.and_then(|(name, after)| {
            let (_, held) = MODIFIERS.iter().find(|(known, _)| name.eq_ignore_ascii_case(known))?;
            Some((held, after))
        });
        let Some((held, after)) = held else { return (mods, rest) };
        mods = Mods { shift: mods.shift || held.shift, alt: mods.alt || held.alt, ctrl: mods.ctrl || held.ctrl };
        rest = after;
    }
}

fn code(name: &str) -> Option<Code> {
    let mut letters = name.chars();
    if let (Some(letter), None) = (letters.next(), letters.next()) {
        return (letter.is_ascii_graphic() || letter == ' ').then_some(Code::Char(letter));
    }
    let name = name.to_ascii_lowercase();
    let function = || name.strip_prefix('f')?.parse().ok().filter(|number| (1..=12).contains(number));
    let named = NAMES.iter().find(|(known, _)| *known == name).map(|(_, code)| *code);
    named.or_else(|| function().map(Code::Function))
}

/// The chord, or why terminals do not send it.
fn sent(code: Code, mods: Mods) -> Result<Chord, &'static str> {
    let Code::Char(letter) = code else {
        let is_sent = match code {
            Code::Esc => mods == Mods::NONE,
            Code::Backspace => !mods.ctrl && !mods.shift,
            Code::Tab => [Mods::NONE, Mods::SHIFT, Mods::ALT].contains(&mods),
            _ => true,
        };
        return is_sent.then_some(Chord(Key::new(code, mods))).ok_or("they send this key without the modifier");
    };
    if mods.shift && !letter.is_ascii_alphabetic() {
        return Err("with shift the key types another character; write that one");
    }
    if mods.ctrl {
        return match letter.to_ascii_lowercase() {
            _ if mods.shift => Err("with ctrl they leave shift out"),
            'a'..='z' | ' ' | '\\' | ']' | '^' | '_' | '[' | '@' | '/' | '?' => {
                let chord = Chord::of(Key::new(Code::Char(letter), mods));
                let is_sent = !(chord.0.code == Code::Esc && mods.alt);
                is_sent.then_some(chord).ok_or("it is the beginning of other keys")
            }
            _ => Err("ctrl is sent only with a letter, space or one of \\ ] ^ _ / @"),
        };
    }
    let letter = match mods {
        Mods { shift: true, .. } => letter.to_ascii_uppercase(),
        Mods { alt: true, .. } => letter.to_ascii_lowercase(),
        Mods { .. } => letter,
    };
    match letter {
        '[' | ']' | 'O' | 'P' if mods.alt => Err("it is the beginning of other keys"),
        letter => Ok(Chord(Key::new(Code::Char(letter), Mods { shift: false, ..mods }))),
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;
    use crate::input::{Decoder, Input};

    fn chord(text: &str) -> Chord {
        text.parse().unwrap_or_else(|error| panic!("{text}: {error}"))
    }

    /// The chord of the bytes that a terminal sends.
    fn pressed(bytes: &str) -> Chord {
        let mut decoder = Decoder::default();
        let inputs: Vec<Input> = bytes.bytes().filter_map(|byte| decoder.byte(byte)).collect();
        match inputs.into_iter().chain(decoder.settle()).next() {
            Some(Input::Key(key)) => Chord::of(key),
            other => panic!("{bytes:?} is {other:?}"),
        }
    }

    #[test]
    fn chords_are_spelled_in_many_ways_and_shown_in_one() {
        for (texts, spelled, label) in [
            (&["ctrl-o", "Ctrl-O", "CTRL+O", "C-o", "c-O", "^O", "^o", " control-o "][..], "ctrl-o", "Ctrl-O"),
            (&["alt-x", "M-x", "meta-X", "A-x"], "alt-x", "Alt-X"),
            (&["alt-shift-x", "M-S-x", "shift-alt-X"], "alt-shift-x", "Alt-Shift-X"),
            (&["alt-enter", "M-Return"], "alt-enter", "Alt-Enter"),
            (&["shift-tab", "S-TAB"], "shift-tab", "Shift-Tab"),
            (&["f5", "F5"], "f5", "F5"),
            (&["esc", "Escape", "ctrl-[", "^["], "esc", "Esc"),
            (&["ctrl-\\", "^\\"], "ctrl-\\", "Ctrl-\\"),
            (&["ctrl-_", "ctrl-/", "^/"], "ctrl-_", "Ctrl-_"),
            (&["ctrl-space", "ctrl-@"], "ctrl-space", "Ctrl-Space"),
            (&["tab", "ctrl-i"], "tab", "Tab"),
            (&["enter", "ctrl-m", "^M"], "enter", "Enter"),
            (&["alt-enter", "ctrl-alt-m"], "alt-enter", "Alt-Enter"),
            (&["pageup", "page-up", "PgUp"], "pageup", "PageUp"),
            (&["alt--", "alt+-"], "alt--", "Alt--"),
            (&["ctrl-alt-delete", "C-M-del"], "ctrl-alt-delete", "Ctrl-Alt-Delete"),
            (&[">"], ">", ">"),
            (&["s"], "s", "s"),
            (&["shift-s", "S"], "S", "S"),
            (&["ctrl-^", "^^"], "ctrl-^", "Ctrl-^"),
        ] {
            for text in texts {
                assert_eq!(chord(text).to_string(), spelled, "{text}");
                assert_eq!(chord(text).label(), label, "{text}");
            }
        }
    }

    #[test]
    fn what_terminals_cannot_send_is_refused_with_the_reason() {
        for (text, why) in [
            ("ctrl-shift-x", "with ctrl they leave shift out"),
            ("ctrl-1", "ctrl is sent only with a letter"),
            ("ctrl-tab", "without the modifier"),
            ("shift-backspace", "without the modifier"),
            ("alt-esc", "without the modifier"),
            ("ctrl-alt-[", "the beginning of other keys"),
            ("alt-[", "the beginning of other keys"),
            ("alt-shift-o", "the beginning of other keys"),
            ("shift-1", "write that one"),
        ] {
            let said = text.parse::<Chord>().unwrap_err().to_string();
            assert!(said.starts_with(&format!("terminals cannot send `{text}`: ")) && said.contains(why), "{said}");
        }
        for text in ["", "ctrl", "ctl-x", "ctrl-", "hyper-x", "f0", "f13", "ctrl-oo", "é", "super-a", "\t"] {
            let error = text.parse::<Chord>().unwrap_err();
            assert!(error.to_string().contains("is not a key; write ctrl-o"), "{text}: {error}");
        }
    }

    #[test]
    fn bytes_of_terminals_are_chords() {
        for (bytes, name) in [
            ("\x0f", "ctrl-o"),
            ("\x1b[111;5u", "ctrl-o"),
            ("\x1b[27;5;111~", "ctrl-o"),
            ("\x1b[27;6;79~", "ctrl-o"),
            ("\t", "tab"),
            ("\x1b[105;5u", "tab"),
            ("\r", "enter"),
            ("\x1b[109;5u", "enter"),
            ("\x1b\r", "alt-enter"),
            ("\x1b[13;2u", "shift-enter"),
            ("\x1b", "esc"),
            ("\x1b[27u", "esc"),
            ("\x1bx", "alt-x"),
            ("\x1bX", "alt-shift-x"),
            ("\x1b[120;4u", "alt-shift-x"),
            ("\x1b\x0f", "ctrl-alt-o"),
            ("\x1f", "ctrl-_"),
            ("\x1b[47;5u", "ctrl-_"),
            ("\0", "ctrl-space"),
            ("\x1b[Z", "shift-tab"),
            ("\x1b[15~", "f5"),
            ("\x1bOP", "f1"),
            ("\x1b[17;5~", "ctrl-f6"),
            ("\x1b[1;3A", "alt-up"),
            ("\x7f", "backspace"),
            ("\x1b\x7f", "alt-backspace"),
            (">", ">"),
        ] {
            assert_eq!(pressed(bytes), chord(name), "{bytes:?}");
        }
    }

    fn any_chord() -> impl Strategy<Value = Chord> {
        let letter = (0x20u8..0x7F).prop_map(|byte| Code::Char(char::from(byte)));
        let named = (0..NAMES.len()).prop_map(|at| NAMES[at].1);
        let code = prop_oneof![letter, named, (1u8..=12).prop_map(Code::Function)];
        let mods = any::<(bool, bool, bool)>().prop_map(|(shift, alt, ctrl)| Mods { shift, alt, ctrl });
        (code, mods).prop_filter_map("terminals do not send it", |(code, mods)| sent(code, mods).ok())
    }

    proptest! {
        #[test]
        fn every_chord_is_parsed_from_its_spelling_and_its_label(chord in any_chord()) {
            prop_assert_eq!(chord.to_string().parse::<Chord>(), Ok(chord));
            prop_assert_eq!(chord.label().parse::<Chord>(), Ok(chord));
        }

        #[test]
        fn a_chord_stays_the_same_when_it_is_pressed(chord in any_chord()) {
            prop_assert_eq!(Chord::of(chord.0), chord);
        }

        #[test]
        fn no_text_panics(text in "(ctrl|alt|shift|c|m|s|\\^|-|\\+|f[0-9]+|[a-zA-Z\\[\\]é ]){0,6}") {
            let _ = text.parse::<Chord>();
        }
    }
}
