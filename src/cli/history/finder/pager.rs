//! The whole output of a command, on the alternate screen.

use crate::input::{Code, Input, Key};
use crate::store::StoredCommand;
use crate::text::{MIB, sanitize, width};

/// The most bytes of output in memory.
const CAP: usize = 16 * MIB;
/// What stands for a tab.
const TAB: &str = "    ";

/// The text of an output, and which part of it is shown.
pub(super) struct OutputPager {
    title: String,
    lines: Vec<String>,
    /// The first line and the first column that are shown.
    top: usize,
    left: usize,
}

/// How far Left and Right move.
const SIDEWAYS: usize = 20;

impl OutputPager {
    /// Reads the output, from its spill file if there is one. It begins at the end, which is what the person saw last.
    pub(super) fn new(stored: &StoredCommand, title: String) -> OutputPager {
        let mut text = String::new();
        let mut is_cut = false;
        // What cannot be read is missing at the end.
        let _ = stored.whole().write_text(stored.size, &mut |piece| {
            is_cut = is_cut || text.len() + piece.len() > CAP;
            if !is_cut {
                text.push_str(piece);
            }
            Ok(())
        });
        let mut lines: Vec<String> = sanitize(&text).lines().map(|line| line.replace('\t', TAB)).collect();
        if is_cut {
            lines.push(format!("(the rest is too long; `shellmate history show {}` prints it)", stored.entry.id));
        }
        if lines.is_empty() {
            lines.push("(no output)".to_owned());
        }
        OutputPager { title: sanitize(&title).replace(['\n', '\t'], " "), lines, top: usize::MAX, left: 0 }
    }

    /// Takes a key. Returns whether the person leaves.
    pub(super) fn input(&mut self, input: &Input, rows: usize) -> bool {
        let Input::Key(key) = input else { return false };
        let page = rows.saturating_sub(2).max(1);
        let last = self.lines.len().saturating_sub(rows.saturating_sub(1));
        let top = self.top.min(last);
        self.top = match key.code {
            Code::Esc | Code::Tab => return true,
            Code::Char('c' | 'd' | 'g' | 'i') if key.mods.ctrl => return true,
            Code::Char('q') if key.is_typed() => return true,
            Code::Up => top.saturating_sub(1),
            Code::Down | Code::Enter => top + 1,
            Code::Char('p') if *key == Key::ctrl('p') => top.saturating_sub(1),
            Code::Char('n') if *key == Key::ctrl('n') => top + 1,
            Code::Char('k') if key.is_typed() => top.saturating_sub(1),
            Code::Char('j') if key.is_typed() => top + 1,
            Code::PageUp => top.saturating_sub(page),
            Code::Char('b') if key.is_typed() => top.saturating_sub(page),
            Code::PageDown => top + page,
            Code::Char(' ' | 'f') if key.is_typed() => top + page,
            Code::Home => 0,
            Code::Char('g') if key.is_typed() => 0,
            Code::End => last,
            Code::Char('G') if key.is_typed() => last,
            Code::Left | Code::Right | Code::Char(_) | Code::Backspace => top,
            Code::Insert | Code::Delete | Code::Function(_) => top,
        }
        .min(last);
        if key.code == Code::Left {
            self.left = self.left.saturating_sub(SIDEWAYS);
        }
        if key.code == Code::Right {
            self.left += SIDEWAYS;
        }
        false
    }

    /// The rows of the screen.
    pub(super) fn frame(&self, rows: usize, columns: usize) -> Vec<String> {
        let room = rows.saturating_sub(1);
        let top = self.top.min(self.lines.len().saturating_sub(room));
        let shown = |line: &String| {
            let skipped = width::fit(line, self.left).len();
            width::fit(&line[skipped..], columns).to_owned()
        };
        let mut frame: Vec<String> = self.lines.iter().skip(top).take(room).map(shown).collect();
        frame.resize(room, String::new());
        let place = format!("{} of {}", (top + room).min(self.lines.len()), self.lines.len());
        let keys = format!("line {place}; arrows move, Tab or q back  {}", self.title);
        frame.push(format!("\x1b[7m{}", width::fit(&keys, columns)));
        frame
    }
}
