//! The screen below a conversation that the hotkey has opened: a prompt that is being edited, or a program.
//!
//! Meanwhile the pty is not read, so a program that prints has to wait, and nothing is lost. The text of the screen is sent with
//! the first question, and the screen is drawn again at the end.

use crate::track::Zone;

use super::{Effect, Floor, Talk, Under, View};

/// The screen below a conversation.
pub(in crate::session) struct Cover {
    /// The hotkey as the program in the foreground would have received it.
    pub(super) key: Vec<u8>,
    is_full_screen: bool,
    at_prompt: bool,
    /// The bytes that draw the screen again.
    restore: Vec<u8>,
    /// The text on the screen, until a question has sent it.
    pub(super) text: Option<String>,
}

/// Opens a conversation over the current screen.
pub(super) fn cover(key: &[u8], view: &View<'_>, effects: &mut Vec<Effect>) -> Floor {
    let (size, modes) = (view.size(), &view.books.modes);
    let is_full_screen = modes.full_screen();
    let at_prompt = matches!(view.books.zone(), Zone::Prompt | Zone::Input) && !is_full_screen;
    let shown = view.books.screen.shown(size.rows, size.cols, at_prompt);
    let (undo, redo) = (modes.undo(), modes.redo());
    effects.push(Effect::ShowRedraw);
    let restore = if is_full_screen {
        // A scroll region of the program would apply to our lines too.
        effects.push(Effect::Overlay([b"\x1b[r\x1b[0m\x1b(B", &*undo].concat()));
        [redo, shown.whole].concat()
    } else {
        let below = if shown.is_blank { 0 } else { usize::from(shown.below) + 1 };
        effects.push(Effect::Overlay([&*undo, b"\x1b[0m\r", &b"\n".repeat(below)].concat()));
        if at_prompt {
            effects.push(Effect::AnswerBegins);
        }
        [shown.lines, redo].concat()
    };
    let text = Some(shown.text).filter(|text| !text.is_empty());
    let cover = Cover { key: key.to_vec(), is_full_screen, at_prompt, restore, text };
    Talk::begin(Under::Screen(Box::new(cover)), view, effects)
}

impl Cover {
    /// Draws the screen again and gives it back to the program.
    pub(super) fn uncover(self, effects: &mut Vec<Effect>) -> Floor {
        let restore = if self.at_prompt { Effect::PromptAgain } else { Effect::Overlay };
        effects.push(restore(self.restore));
        if self.is_full_screen {
            effects.push(Effect::Redraw);
        }
        // Keys that were typed during the last answer.
        effects.push(Effect::SendHeld);
        Floor::Shell
    }
}
