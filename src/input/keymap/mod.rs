//! Which keys do what: the table of actions, the person's own keys, and the clashes between them.
//!
//! The hotkey is not in the table: it counts while a program has the keyboard, so it needs rules of its own ([`super::Hotkey`]). Neither are
//! the answers to an approval, which nobody may change by accident, nor the editing keys of the conversation line.

mod table;

use std::fmt;

use super::chord::{Chord, ChordError};
use super::key::{Code, Key, Mods};
use table::ACTIONS;
pub(crate) use table::KeyActionInfo;

/// When an action has its keys.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum KeyContext {
    /// While the agent works.
    Answer,
    /// In the conversation line.
    Line,
    /// In a list to pick from.
    List,
}

impl KeyContext {
    pub(crate) const ALL: [KeyContext; 3] = [KeyContext::Answer, KeyContext::Line, KeyContext::List];

    pub(crate) const fn words(self) -> &'static str {
        match self {
            KeyContext::Answer => "while the agent works",
            KeyContext::Line => "in the conversation line",
            KeyContext::List => "in a list",
        }
    }
}

/// Something that a key does.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum KeyAction {
    Stop,
    Background,
    Steer,
    Unfold,
    Thinking,
    Submit,
    Newline,
    Complete,
    CompleteBack,
    Previous,
    Next,
    Suggestion,
    Search,
    SearchNewer,
    Editor,
    ClearScreen,
    Cancel,
    Close,
    ListPick,
    ListLeave,
    ListUp,
    ListDown,
    ListPageUp,
    ListPageDown,
    ListFirst,
    ListLast,
}

impl KeyAction {
    const COUNT: usize = KeyAction::ListLast as usize + 1;

    /// The descriptions of all actions.
    pub(crate) fn all() -> impl Iterator<Item = &'static KeyActionInfo> {
        ACTIONS.iter()
    }

    /// The action of this name.
    pub(crate) fn named(name: &str) -> Option<KeyAction> {
        ACTIONS.iter().find(|info| info.name == name).map(|info| info.action)
    }

    fn info(self) -> &'static KeyActionInfo {
        &ACTIONS[self as usize]
    }
}

/// Why keys cannot be given to an action.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub(crate) enum BindError {
    #[error(transparent)]
    Chord(#[from] ChordError),
    #[error("`{0}` is a character that you type; add ctrl- or alt-, or use another key")]
    Typed(Chord),
    #[error(
        "ctrl-c must be one of its keys: it always stops an answer, so that you can always end what the agent does"
    )]
    CtrlCStays,
    #[error("it needs a key: without one a line could not be sent")]
    NeedsKey,
}

/// The keys of all actions.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct KeyMap {
    chords: [Vec<Chord>; KeyAction::COUNT],
}

impl Default for KeyMap {
    fn default() -> KeyMap {
        KeyMap { chords: std::array::from_fn(|at| ACTIONS[at].defaults.to_vec()) }
    }
}

impl KeyMap {
    /// Gives an action these keys and no others. Without keys the action is turned off.
    pub(crate) fn bind<S: AsRef<str>>(&mut self, action: KeyAction, keys: &[S]) -> Result<(), BindError> {
        let mut chords: Vec<Chord> = Vec::new();
        for key in keys {
            let chord: Chord = key.as_ref().parse()?;
            if chord.is_typed() && action != KeyAction::Steer {
                return Err(BindError::Typed(chord));
            }
            if !chords.contains(&chord) {
                chords.push(chord);
            }
        }
        match action {
            KeyAction::Stop if !chords.contains(&Chord::CTRL_C) => return Err(BindError::CtrlCStays),
            KeyAction::Submit if chords.is_empty() => return Err(BindError::NeedsKey),
            _ => self.chords[action as usize] = chords,
        }
        Ok(())
    }

    /// The keys of an action.
    pub(crate) fn chords(&self, action: KeyAction) -> &[Chord] {
        &self.chords[action as usize]
    }

    /// The key of an action that the screen names, if there is one.
    pub(crate) fn label(&self, action: KeyAction) -> Option<String> {
        self.chords(action).first().map(Chord::label)
    }

    /// All keys of an action as the screen names them. Empty if it is turned off.
    pub(crate) fn labels(&self, action: KeyAction) -> Vec<String> {
        self.chords(action).iter().map(Chord::label).collect()
    }

    /// What the keys of a list do, in words: `↑ ↓ move`, `Enter use`, `Esc leave`. Actions without a key are left out.
    pub(crate) fn list_hints(&self, action: &str, has_arrows: bool) -> Vec<String> {
        let arrow = |label: String| match (label.as_str(), has_arrows) {
            ("Up", true) => "↑".to_owned(),
            ("Down", true) => "↓".to_owned(),
            _ => label,
        };
        let moves = [KeyAction::ListUp, KeyAction::ListDown].into_iter().filter_map(|action| self.label(action));
        let moves: Vec<String> = moves.map(arrow).collect();
        let moves = (!moves.is_empty()).then(|| format!("{} move", moves.join(" ")));
        let pick = self.label(KeyAction::ListPick).map(|key| format!("{key} {action}"));
        let leave = self.label(KeyAction::ListLeave).map(|key| format!("{key} leave"));
        [moves, pick, leave].into_iter().flatten().collect()
    }

    /// Whether an action has other keys than without a configuration.
    pub(crate) fn is_changed(&self, action: KeyAction) -> bool {
        self.chords(action) != action.info().defaults
    }

    /// What a key does.
    pub(crate) fn action(&self, context: KeyContext, key: Key) -> Option<KeyAction> {
        let bound = |chord: Chord| {
            let mut of_context = ACTIONS.iter().filter(|info| info.context == context);
            of_context.find(|info| self.chords(info.action).contains(&chord)).map(|info| info.action)
        };
        // Most terminals send the same for both.
        let is_enter = key == Key::new(Code::Enter, Mods::CTRL);
        let enter = || is_enter.then(|| bound(Chord::of(Key::plain(Code::Enter)))).flatten();
        bound(Chord::of(key)).or_else(enter)
    }

    /// Takes each key that two actions have from one of them: a default key gives way to one that the person chose, and of two that are
    /// alike in this the later one in the table gives way. Some actions never give way ([`keeps`]).
    pub(crate) fn settle(self) -> (KeyMap, Vec<KeyClash>) {
        let mut settled = self.clone();
        let mut clashes = Vec::new();
        for (at, first) in ACTIONS.iter().enumerate() {
            for second in &ACTIONS[at + 1..] {
                for chord in self.shared(first, second) {
                    let is_second = !self.is_changed(first.action) && self.is_changed(second.action);
                    let is_second = is_second && !keeps(first, second, chord);
                    let (winner, loser) = if is_second { (second, first) } else { (first, second) };
                    settled.chords[loser.action as usize].retain(|other| *other != chord);
                    let changed = if self.is_changed(winner.action) { winner } else { loser };
                    clashes.push(KeyClash { chord, winner, loser, changed, is_loser_off: false });
                }
            }
        }
        for clash in &mut clashes {
            clash.is_loser_off = settled.chords(clash.loser.action).is_empty();
        }
        (settled, clashes)
    }

    /// The keys that two actions have at the same time. A list belongs to an answer, whose first two actions count everywhere in it.
    fn shared(&self, first: &KeyActionInfo, second: &KeyActionInfo) -> Vec<Chord> {
        let is_everywhere = matches!(first.action, KeyAction::Stop | KeyAction::Background);
        let is_in_list = is_everywhere && second.context == KeyContext::List;
        let meets = |chord: &Chord| first.context == second.context || is_in_list && chord.is_special();
        let others = self.chords(second.action);
        self.chords(first.action).iter().copied().filter(|chord| others.contains(chord) && meets(chord)).collect()
    }
}

/// Whether the first action keeps a key whatever the person chose for the second: Ctrl-C always stops an answer, a line can always be
/// sent, and a list does not take a key from the answer around it.
fn keeps(first: &KeyActionInfo, second: &KeyActionInfo, chord: Chord) -> bool {
    let is_stop = first.action == KeyAction::Stop && chord == Chord::CTRL_C;
    is_stop || first.action == KeyAction::Submit || first.context != second.context
}

/// A key that two actions have.
#[derive(Debug)]
pub(crate) struct KeyClash {
    chord: Chord,
    winner: &'static KeyActionInfo,
    loser: &'static KeyActionInfo,
    /// The action whose keys the person chose.
    changed: &'static KeyActionInfo,
    is_loser_off: bool,
}

impl KeyClash {
    /// The name of the action whose setting is in the configuration.
    pub(crate) fn setting(&self) -> &'static str {
        self.changed.name
    }
}

impl fmt::Display for KeyClash {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let (chord, winner, loser) = (self.chord.label(), self.winner.name, self.loser.name);
        write!(f, "{chord} is a key of `{winner}` and of `{loser}`; it counts for `{winner}`")?;
        if self.is_loser_off {
            write!(f, ", and `{loser}` has no key")?;
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn map(keys: &[(&str, &[&str])]) -> KeyMap {
        let mut map = KeyMap::default();
        keys.iter().for_each(|(name, keys)| map.bind(KeyAction::named(name).unwrap(), keys).unwrap());
        map
    }

    fn clashes(keys: &[(&str, &[&str])]) -> Vec<String> {
        map(keys).settle().1.iter().map(|clash| format!("{}: {clash}", clash.setting())).collect()
    }

    #[test]
    fn the_table_is_in_order_and_its_keys_are_parsed_and_do_not_clash() {
        for (at, info) in KeyAction::all().enumerate() {
            assert_eq!(info.action as usize, at, "{}", info.name);
            assert_eq!(KeyAction::named(info.name), Some(info.action));
            assert!(!info.defaults.is_empty() && !info.help.ends_with('.'), "{}", info.name);
            for chord in info.defaults {
                assert_eq!(chord.to_string().parse().as_ref(), Ok(chord), "{}", info.name);
            }
        }
        let (settled, clashes) = KeyMap::default().settle();
        assert!(clashes.is_empty() && settled == KeyMap::default(), "{clashes:?}");
    }

    #[test]
    fn a_key_means_something_in_its_context_only() {
        let keys = KeyMap::default();
        assert_eq!(keys.action(KeyContext::Answer, Key::ctrl('c')), Some(KeyAction::Stop));
        assert_eq!(keys.action(KeyContext::Line, Key::ctrl('c')), Some(KeyAction::Cancel));
        assert_eq!(keys.action(KeyContext::List, Key::ctrl('c')), None);
        assert_eq!(keys.action(KeyContext::Line, Key::new(Code::Enter, Mods::CTRL)), Some(KeyAction::Submit));
        assert_eq!(keys.action(KeyContext::Line, Key::ctrl('m')), Some(KeyAction::Submit));
        let keys = map(&[("unfold", &["alt-o", "F5"]), ("thinking", &[]), ("newline", &["ctrl-enter"])]);
        assert_eq!(keys.action(KeyContext::Answer, Key::alt('o')), Some(KeyAction::Unfold));
        assert_eq!(keys.action(KeyContext::Answer, Key::plain(Code::Function(5))), Some(KeyAction::Unfold));
        assert_eq!(keys.action(KeyContext::Answer, Key::ctrl('o')), None);
        assert_eq!(keys.action(KeyContext::Answer, Key::ctrl('t')), None);
        assert_eq!(keys.action(KeyContext::Line, Key::new(Code::Enter, Mods::CTRL)), Some(KeyAction::Newline));
        assert_eq!((keys.label(KeyAction::Unfold), keys.label(KeyAction::Thinking)), (Some("Alt-O".into()), None));
    }

    #[test]
    fn the_hint_of_a_list_names_the_keys_in_force() {
        assert_eq!(KeyMap::default().list_hints("use", true), ["↑ ↓ move", "Enter use", "Esc leave"]);
        assert_eq!(KeyMap::default().list_hints("use", false), ["Up Down move", "Enter use", "Esc leave"]);
        let keys = map(&[("list_leave", &["ctrl-q"]), ("list_up", &[]), ("list_pick", &["f2"])]);
        assert_eq!(keys.list_hints("use", true), ["↓ move", "F2 use", "Ctrl-Q leave"]);
    }

    #[test]
    fn keys_that_would_take_safety_or_typing_away_are_refused() {
        let refused = |action: KeyAction, keys: &[&str]| KeyMap::default().bind(action, keys).unwrap_err().to_string();
        assert!(refused(KeyAction::Stop, &[]).starts_with("ctrl-c must be one of its keys: it always stops"));
        assert!(refused(KeyAction::Stop, &["f5"]).starts_with("ctrl-c must be one of its keys"));
        assert!(refused(KeyAction::Submit, &[]).starts_with("it needs a key"));
        assert_eq!(
            refused(KeyAction::Unfold, &["ctrl-o", "x"]),
            "`x` is a character that you type; add ctrl- or alt-, or use another key"
        );
        assert!(KeyMap::default().bind(KeyAction::Stop, &["esc", "ctrl-c"]).is_ok());
        assert!(KeyMap::default().bind(KeyAction::Steer, &["!"]).is_ok());
        assert!(KeyMap::default().bind(KeyAction::Cancel, &[] as &[&str]).is_ok());
    }

    #[test]
    fn a_clash_names_both_actions_and_the_winner() {
        assert_eq!(
            clashes(&[("unfold", &["ctrl-t"])]),
            [
                "unfold: Ctrl-T is a key of `unfold` and of `thinking`; it counts for `unfold`, and `thinking` has no key"
            ]
        );
        assert_eq!(
            clashes(&[("thinking", &["ctrl-o", "f6"])]),
            [
                "thinking: Ctrl-O is a key of `thinking` and of `unfold`; it counts for `thinking`, and `unfold` has no key"
            ],
            "a default key gives way"
        );
        assert_eq!(
            clashes(&[("unfold", &["f5"]), ("thinking", &["f5", "f6"])]),
            ["unfold: F5 is a key of `unfold` and of `thinking`; it counts for `unfold`"],
            "of two of the person's own, the first in the table counts"
        );
        assert_eq!(
            clashes(&[("unfold", &["ctrl-c"])]),
            ["unfold: Ctrl-C is a key of `stop` and of `unfold`; it counts for `stop`, and `unfold` has no key"]
        );
        assert_eq!(
            clashes(&[("list_down", &["ctrl-z", "down"])]),
            ["list_down: Ctrl-Z is a key of `background` and of `list_down`; it counts for `background`"]
        );
        assert!(clashes(&[("unfold", &["ctrl-r"])]).is_empty(), "the line has other keys");
        assert!(clashes(&[("stop", &["esc", "ctrl-c"])]).is_empty(), "in a list Esc leaves the list");
        assert!(clashes(&[("unfold", &["ctrl-t"]), ("thinking", &["ctrl-o"])]).is_empty(), "swapped");
    }

    #[test]
    fn no_key_has_two_actions_after_clashes_are_settled() {
        let (keys, _) = map(&[("unfold", &["ctrl-t", "ctrl-c", "ctrl-z"]), ("editor", &["ctrl-r", "enter"])]).settle();
        for first in KeyAction::all() {
            for second in KeyAction::all().filter(|second| second.action as usize > first.action as usize) {
                assert_eq!(keys.shared(first, second), [], "{} {}", first.name, second.name);
            }
        }
        assert_eq!(keys.action(KeyContext::Answer, Key::ctrl('c')), Some(KeyAction::Stop));
        assert!(!keys.chords(KeyAction::Submit).is_empty(), "a line can always be sent");
    }
}
