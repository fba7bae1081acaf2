//! The actions that have keys, with their default keys.

use super::{KeyAction, KeyContext};
use crate::input::chord::Chord;
use crate::input::key::{Code, Key, Mods};

/// An action, as the configuration and `/keys` describe it.
#[derive(Debug)]
pub(crate) struct KeyActionInfo {
    pub action: KeyAction,
    pub context: KeyContext,
    /// Its name in the configuration.
    pub name: &'static str,
    pub(super) defaults: &'static [Chord],
    /// What it does, without a subject.
    pub help: &'static str,
}

const fn row(
    action: KeyAction,
    context: KeyContext,
    name: &'static str,
    defaults: &'static [Chord],
    help: &'static str,
) -> KeyActionInfo {
    KeyActionInfo { action, context, name, defaults, help }
}

const fn ctrl(letter: char) -> Chord {
    Chord::known(Key::ctrl(letter))
}

const fn plain(code: Code) -> Chord {
    Chord::known(Key::plain(code))
}

const fn with(mods: Mods, code: Code) -> Chord {
    Chord::known(Key::new(code, mods))
}

/// All actions, in the order of `KeyAction`.
pub(super) static ACTIONS: [KeyActionInfo; KeyAction::COUNT] = {
    use KeyAction as A;
    use KeyContext::{Answer, Line, List};
    [
        row(A::Stop, Answer, "stop", &[Chord::CTRL_C], "stops the answer and its commands"),
        row(A::Background, Answer, "background", &[ctrl('z')], "continues the answer in the background"),
        row(A::Steer, Answer, "steer", &[plain(Code::Char('>'))], "opens a line to tell the agent something"),
        row(A::Unfold, Answer, "unfold", &[ctrl('o')], "unfolds what calls print"),
        row(A::Thinking, Answer, "thinking", &[ctrl('t')], "shows what the model thinks"),
        row(A::Submit, Line, "submit", &[plain(Code::Enter)], "sends it; if empty, closes it"),
        row(
            A::Newline,
            Line,
            "newline",
            &[with(Mods::ALT, Code::Enter), with(Mods::SHIFT, Code::Enter), ctrl('j')],
            "begins another row",
        ),
        row(A::Complete, Line, "complete", &[plain(Code::Tab)], "completes; again: the next"),
        row(A::CompleteBack, Line, "complete_back", &[with(Mods::SHIFT, Code::Tab)], "the previous completion"),
        row(A::Previous, Line, "previous", &[plain(Code::Up), ctrl('p')], "up a row or an older question"),
        row(A::Next, Line, "next", &[plain(Code::Down), ctrl('n')], "down a row or a newer question"),
        row(
            A::Suggestion,
            Line,
            "suggestion",
            &[plain(Code::Right), plain(Code::End), ctrl('f'), ctrl('e')],
            "accepts the dim suggestion",
        ),
        row(A::Search, Line, "search", &[ctrl('r')], "searches; again: an older one"),
        row(A::SearchNewer, Line, "search_newer", &[ctrl('s')], "searches; again: a newer one"),
        row(A::Editor, Line, "editor", &[ctrl('g')], "opens it in your editor"),
        row(A::ClearScreen, Line, "clear_screen", &[ctrl('l')], "clears the screen"),
        row(A::Cancel, Line, "cancel", &[Chord::CTRL_C], "empties it, or closes it"),
        row(A::Close, Line, "close", &[plain(Code::Esc), ctrl('d')], "closes it if it is empty"),
        row(A::ListPick, List, "list_pick", &[plain(Code::Enter), ctrl('j')], "picks the selected entry"),
        row(A::ListLeave, List, "list_leave", &[plain(Code::Esc), ctrl('d')], "leaves without picking"),
        row(A::ListUp, List, "list_up", &[plain(Code::Up), ctrl('p')], "selects the entry above"),
        row(
            A::ListDown,
            List,
            "list_down",
            &[plain(Code::Down), ctrl('n'), plain(Code::Tab)],
            "selects the entry below",
        ),
        row(A::ListPageUp, List, "list_page_up", &[plain(Code::PageUp)], "moves a page up"),
        row(A::ListPageDown, List, "list_page_down", &[plain(Code::PageDown)], "moves a page down"),
        row(A::ListFirst, List, "list_first", &[plain(Code::Home)], "selects the first entry"),
        row(A::ListLast, List, "list_last", &[plain(Code::End)], "selects the last entry"),
    ]
};
