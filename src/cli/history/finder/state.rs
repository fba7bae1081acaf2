//! The typed words, the hits and the selected one. Pure: keys and hits in, steps out.

use crate::input::{Code, FilterText, Input, Key};

use super::search::SearchHits;

/// What to do after a key or a result.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum FinderStep {
    Nothing,
    /// The key means something only once the hits of the typed words are known.
    Wait,
    Redraw,
    /// The words have changed.
    Search,
    /// This command was chosen.
    Take(i64),
    /// Enter was pressed, and nothing matches.
    NoMatch,
    /// Show the whole output of this command.
    Show(i64),
    /// The person leaves without choosing.
    Leave,
}

pub(super) struct FinderState {
    filter: FilterText,
    /// The number of the search for the typed words.
    number: u64,
    hits: SearchHits,
    /// The position of the selected hit.
    selected: usize,
    /// Whether the person has selected it. Otherwise the best hit is selected, whichever it is.
    is_chosen: bool,
}

impl FinderState {
    pub(super) fn new(typed: &str) -> FinderState {
        let mut filter = FilterText::default();
        filter.push(typed);
        FinderState { filter, number: 1, hits: SearchHits::default(), selected: 0, is_chosen: false }
    }

    pub(super) fn filter(&self) -> &str {
        self.filter.as_str()
    }

    pub(super) fn number(&self) -> u64 {
        self.number
    }

    pub(super) fn hits(&self) -> &SearchHits {
        &self.hits
    }

    pub(super) fn selected(&self) -> usize {
        self.selected
    }

    pub(super) fn selected_id(&self) -> Option<i64> {
        self.hits.best.get(self.selected).copied()
    }

    /// Takes the result of a search. Results of earlier words are ignored.
    pub(super) fn found(&mut self, hits: SearchHits) -> FinderStep {
        if hits.number != self.number {
            return FinderStep::Nothing;
        }
        let chosen = self.selected_id().filter(|_| self.is_chosen);
        let place = chosen.and_then(|id| hits.best.iter().position(|hit| *hit == id));
        self.selected = place.unwrap_or(if self.is_chosen { self.selected } else { 0 });
        self.hits = hits;
        self.selected = self.selected.min(self.hits.best.len().saturating_sub(1));
        FinderStep::Redraw
    }

    /// Takes a key or pasted text. `page` is the number of rows of the list.
    pub(super) fn input(&mut self, input: &Input, page: usize) -> FinderStep {
        let is_leaving = |key: Key| key.code == Code::Esc || [Key::ctrl('c'), Key::ctrl('g')].contains(&key);
        if let Input::Key(key) = *input
            && (is_leaving(key) || key == Key::ctrl('d') && self.filter().is_empty())
        {
            return FinderStep::Leave;
        }
        if self.hits.number != self.number && !is_editing(input) {
            return FinderStep::Wait;
        }
        match input {
            Input::Paste(text) => self.edit(|filter| filter.push(text)),
            Input::Key(key) => self.key(*key, page),
        }
    }

    fn key(&mut self, key: Key, page: usize) -> FinderStep {
        let (up, down) = (self.selected.saturating_sub(1), self.selected + 1);
        match key.code {
            Code::Enter => self.selected_id().map_or(FinderStep::NoMatch, FinderStep::Take),
            Code::Tab => self.selected_id().map_or(FinderStep::Nothing, FinderStep::Show),
            Code::Up => self.select(up),
            Code::Down => self.select(down),
            Code::PageUp => self.select(self.selected.saturating_sub(page)),
            Code::PageDown => self.select(self.selected + page),
            Code::Home => self.select(0),
            Code::End => self.select(usize::MAX),
            Code::Backspace => self.edit(|filter| {
                filter.erase_letter();
            }),
            Code::Char(letter) if key.is_typed() => self.edit(|filter| filter.push(letter.encode_utf8(&mut [0; 4]))),
            Code::Char(letter) if key == Key::ctrl(letter) => match letter {
                'j' => self.selected_id().map_or(FinderStep::NoMatch, FinderStep::Take),
                'i' => self.selected_id().map_or(FinderStep::Nothing, FinderStep::Show),
                'p' | 's' => self.select(up),
                'n' | 'r' => self.select(down),
                'h' => self.edit(|filter| {
                    filter.erase_letter();
                }),
                'u' => self.edit(FilterText::clear),
                'w' => self.edit(FilterText::erase_word),
                _ => FinderStep::Nothing,
            },
            Code::Esc | Code::Char(_) | Code::Left | Code::Right | Code::Insert | Code::Delete | Code::Function(_) => {
                FinderStep::Nothing
            }
        }
    }

    fn edit(&mut self, change: impl FnOnce(&mut FilterText)) -> FinderStep {
        let before = self.filter.clone();
        change(&mut self.filter);
        if self.filter == before {
            return FinderStep::Nothing;
        }
        self.number += 1;
        (self.selected, self.is_chosen) = (0, false);
        FinderStep::Search
    }

    fn select(&mut self, wanted: usize) -> FinderStep {
        self.selected = wanted.min(self.hits.best.len().saturating_sub(1));
        self.is_chosen = self.selected > 0;
        FinderStep::Redraw
    }
}

/// Whether an input changes the words, whatever the hits are.
fn is_editing(input: &Input) -> bool {
    match input {
        Input::Paste(_) => true,
        Input::Key(key) => {
            key.is_typed()
                || key.code == Code::Backspace
                || [Key::ctrl('h'), Key::ctrl('u'), Key::ctrl('w')].contains(key)
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn press(state: &mut FinderState, code: Code) -> FinderStep {
        state.input(&Input::Key(Key::plain(code)), 10)
    }

    fn hits(state: &FinderState, best: &[i64]) -> SearchHits {
        SearchHits { number: state.number(), best: best.to_vec(), count: best.len(), is_done: true }
    }

    #[test]
    fn keys_move_within_the_hits() {
        let mut state = FinderState::new("");
        assert_eq!(state.found(hits(&state, &[9, 8, 7])), FinderStep::Redraw);
        assert_eq!(press(&mut state, Code::Up), FinderStep::Redraw);
        assert_eq!(press(&mut state, Code::Enter), FinderStep::Take(9));
        state.input(&Input::Key(Key::ctrl('r')), 10);
        assert_eq!(press(&mut state, Code::Tab), FinderStep::Show(8));
        press(&mut state, Code::End);
        assert_eq!(press(&mut state, Code::Enter), FinderStep::Take(7));
        press(&mut state, Code::PageUp);
        assert_eq!(state.selected_id(), Some(9));
        for leave in [Key::plain(Code::Esc), Key::ctrl('c'), Key::ctrl('d'), Key::ctrl('g')] {
            assert_eq!(state.input(&Input::Key(leave), 10), FinderStep::Leave);
        }
    }

    #[test]
    fn enter_waits_for_the_hits_of_the_typed_words() {
        let mut state = FinderState::new("a");
        state.found(hits(&state, &[1]));
        let before = hits(&state, &[1]);
        assert_eq!(press(&mut state, Code::Char('b')), FinderStep::Search);
        assert_eq!(press(&mut state, Code::Enter), FinderStep::Wait);
        assert_eq!(state.found(before), FinderStep::Nothing);
        assert_eq!(press(&mut state, Code::Enter), FinderStep::Wait);
        assert_eq!(state.found(hits(&state, &[5, 4])), FinderStep::Redraw);
        assert_eq!(press(&mut state, Code::Enter), FinderStep::Take(5));
    }

    #[test]
    fn a_chosen_command_stays_selected_while_better_ones_are_found() {
        let mut state = FinderState::new("x");
        state.found(hits(&state, &[5, 4]));
        press(&mut state, Code::Down);
        state.found(hits(&state, &[3, 5, 4]));
        assert_eq!(state.selected_id(), Some(4));
        press(&mut state, Code::Home);
        state.found(hits(&state, &[2, 3, 5, 4]));
        assert_eq!(state.selected_id(), Some(2), "the best one, whichever it is");
    }

    #[test]
    fn control_d_leaves_only_if_nothing_is_typed_and_no_hit_is_no_match() {
        let mut state = FinderState::new("x");
        state.found(hits(&state, &[]));
        assert_eq!(state.input(&Input::Key(Key::ctrl('d')), 10), FinderStep::Nothing);
        assert_eq!(press(&mut state, Code::Enter), FinderStep::NoMatch);
        assert_eq!(press(&mut state, Code::Tab), FinderStep::Nothing);
        assert_eq!(press(&mut state, Code::Backspace), FinderStep::Search);
        assert_eq!(state.input(&Input::Key(Key::ctrl('d')), 10), FinderStep::Leave);
    }
}
