//! A list from which the person picks one entry: typed words filter it, arrows move, Enter picks.

use std::sync::Arc;

use crate::input::{Code, FilterText, Input, Key, KeyAction, KeyContext, KeyMap};
use crate::render::{self, PickRow, RenderOptions, TerminalMode};
use crate::text;
use crate::text::fuzzy::NameFit;

/// The most entries on the screen.
const SHOWN: usize = 10;
/// Screen rows that a list leaves free beside its own hint and line.
const FREE_ROWS: u16 = 4;

/// One entry of a list.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct PickItem {
    /// The number of the picked entry.
    pub id: i64,
    /// Facts in columns of equal width, such as the number and the age.
    pub facts: String,
    /// The text after the facts.
    pub text: String,
    /// Facts in columns behind the text.
    pub behind: String,
}

/// Entries to pick from, the best first.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct PickList {
    pub items: Vec<PickItem>,
    /// What Enter does, such as `continue`.
    pub action: &'static str,
    /// Whether the first word of each text is a name. Then the best match comes first, and letters may be left out.
    pub by_name: bool,
    /// The words that filter the list at first.
    pub filter: String,
}

/// What a key did to an open list.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Picked {
    /// The list is still open and must be drawn again.
    Changed,
    Nothing,
    /// This entry was picked.
    Item(i64),
    /// The person left without picking.
    Left,
}

/// An open list.
pub(super) struct Picker {
    list: PickList,
    keys: Arc<KeyMap>,
    filter: FilterText,
    /// The position of the selected entry among the matching ones.
    selected: usize,
    /// How many rows are on the screen, once it is drawn.
    drawn: usize,
    /// Whether a screen reader was told what the keys do.
    has_said_keys: bool,
    /// What stands in place of the hint, while the keys are for the prompt.
    note: Option<String>,
}

impl Picker {
    pub(super) fn new(list: PickList, keys: Arc<KeyMap>) -> Picker {
        let mut filter = FilterText::default();
        filter.push(&list.filter);
        Picker { list, keys, filter, selected: 0, drawn: 0, has_said_keys: false, note: None }
    }

    /// Shows these words in place of what the keys do. Returns whether they are others.
    pub(super) fn set_note(&mut self, note: Option<String>) -> bool {
        let is_other = self.note != note;
        self.note = note;
        is_other
    }

    /// The entries that contain every word of the filter, or whose names fit it.
    fn matching(&self) -> Vec<&PickItem> {
        if self.list.by_name {
            let filter = self.filter.as_str().trim().to_lowercase();
            let fit = |item: &&PickItem| NameFit::of(&filter, &format!("{} {}", item.text, item.behind).to_lowercase());
            let mut fitting: Vec<&PickItem> = self.list.items.iter().filter(|item| fit(item).is_some()).collect();
            fitting.sort_by_key(fit);
            return fitting;
        }
        let words: Vec<String> = self.filter.as_str().split_whitespace().map(str::to_lowercase).collect();
        let matches = |item: &&PickItem| {
            let text = format!("{} {} {}", item.facts, item.text, item.behind).to_lowercase();
            words.iter().all(|word| text.contains(word))
        };
        self.list.items.iter().filter(matches).collect()
    }

    /// Takes a key or pasted text.
    pub(super) fn input(&mut self, input: Input) -> Picked {
        let count = self.matching().len();
        let key = match input {
            Input::Paste(text) => return self.add(&text),
            Input::Key(key) => key,
        };
        let action = self.keys.action(KeyContext::List, key);
        match (action, key.code) {
            (Some(KeyAction::ListLeave), _) => Picked::Left,
            (Some(KeyAction::ListPick), _) => self.pick(),
            (Some(KeyAction::ListUp), _) => self.select(self.selected.saturating_sub(1), count),
            (Some(KeyAction::ListDown), _) => self.select(self.selected + 1, count),
            (Some(KeyAction::ListPageUp), _) => self.select(self.selected.saturating_sub(SHOWN), count),
            (Some(KeyAction::ListPageDown), _) => self.select(self.selected + SHOWN, count),
            (Some(KeyAction::ListFirst), _) => self.select(0, count),
            (Some(KeyAction::ListLast), _) => self.select(count, count),
            (_, Code::Backspace) => self.erase_letter(),
            _ if key == Key::ctrl('h') => self.erase_letter(),
            _ if key == Key::ctrl('u') => self.clear(),
            (_, Code::Char(letter)) if key.is_typed() => self.add(letter.encode_utf8(&mut [0; 4])),
            _ => Picked::Nothing,
        }
    }

    fn pick(&self) -> Picked {
        self.matching().get(self.selected).map_or(Picked::Nothing, |item| Picked::Item(item.id))
    }

    fn select(&mut self, wanted: usize, count: usize) -> Picked {
        self.selected = wanted.min(count.saturating_sub(1));
        Picked::Changed
    }

    fn add(&mut self, text: &str) -> Picked {
        self.filter.push(text);
        self.selected = 0;
        Picked::Changed
    }

    fn erase_letter(&mut self) -> Picked {
        self.selected = 0;
        if self.filter.erase_letter() { Picked::Changed } else { Picked::Nothing }
    }

    fn clear(&mut self) -> Picked {
        self.filter.clear();
        self.selected = 0;
        Picked::Changed
    }

    /// Draws the list in place of its earlier drawing.
    pub(super) fn draw(&mut self, options: &RenderOptions, out: &mut Vec<u8>) {
        if options.mode == TerminalMode::Reader {
            return self.say(out);
        }
        self.erase(out);
        let matching = self.matching();
        let room = usize::from(options.rows.saturating_sub(FREE_ROWS)).clamp(1, SHOWN);
        let first = self.selected.saturating_sub(room - 1);
        let rows = matching.iter().enumerate().skip(first).take(room);
        let row = |(at, item): (usize, &&PickItem)| ((*item).clone(), at == self.selected);
        let items: Vec<(PickItem, bool)> = rows.map(row).collect();
        let widest = self.list.items.iter().map(|item| text::width::cells(&item.text)).max().unwrap_or(0);
        let rows = items.iter().map(|(PickItem { facts, text, behind, .. }, is_selected)| PickRow {
            facts,
            text,
            behind,
            is_selected: *is_selected,
        });
        let rows: Vec<PickRow<'_>> = rows.collect();
        let place = match matching.len() {
            0 => "nothing matches".to_owned(),
            count => format!("{} of {count}", self.selected + 1),
        };
        let hint = self.note.clone().unwrap_or_else(|| format!("{place}; {}", self.hints(options.unicode)));
        out.extend_from_slice(&render::pick_list(&rows, widest, &hint, self.filter.as_str(), options));
        self.drawn = rows.len() + 2;
    }

    /// What the keys do.
    fn hints(&self, has_arrows: bool) -> String {
        let keys = self.keys.list_hints(self.list.action, has_arrows);
        ["type to filter".to_owned()].into_iter().chain(keys).collect::<Vec<_>>().join(", ")
    }

    /// Says the selected entry on a line of its own, for a screen reader. Before the first one it says what the keys do.
    fn say(&mut self, out: &mut Vec<u8>) {
        if !std::mem::replace(&mut self.has_said_keys, true) {
            out.extend_from_slice(format!("a list of {}: {}\r\n", self.list.items.len(), self.hints(false)).as_bytes());
        }
        let matching = self.matching();
        let words = match matching.get(self.selected) {
            Some(PickItem { facts, text, behind, .. }) => {
                let words = [facts.trim(), text, behind.trim()].join(" ");
                format!("{} of {}: {}", self.selected + 1, matching.len(), words.trim())
            }
            None => format!("nothing matches {}", self.filter.as_str()),
        };
        // Blanks only align columns.
        let words = text::sanitize(&words).split_whitespace().collect::<Vec<_>>().join(" ");
        out.extend_from_slice(words.as_bytes());
        out.extend_from_slice(b"\r\n");
    }

    /// Removes the list from the screen. The cursor is where its first row was.
    pub(super) fn erase(&mut self, out: &mut Vec<u8>) {
        if self.drawn > 0 {
            out.push(b'\r');
            if self.drawn > 1 {
                out.extend_from_slice(format!("\x1b[{}A", self.drawn - 1).as_bytes());
            }
            out.extend_from_slice(b"\x1b[J");
        }
        self.drawn = 0;
    }
}

#[cfg(test)]
mod tests {
    use std::num::NonZeroU16;

    use super::*;
    use crate::render::{ScreenSize, Theme, Wrapping};

    fn picker(count: i64) -> Picker {
        let item = |id| PickItem {
            id,
            facts: format!("{id:>4}"),
            text: format!("question number {id}"),
            behind: String::new(),
        };
        Picker::new(
            PickList {
                items: (1..=count).map(item).collect(),
                action: "continue",
                by_name: false,
                filter: String::new(),
            },
            Arc::default(),
        )
    }

    fn press(picker: &mut Picker, code: Code) -> Picked {
        picker.input(Input::Key(Key::plain(code)))
    }

    fn write(picker: &mut Picker, text: &str) {
        text.chars().for_each(|letter| assert_eq!(press(picker, Code::Char(letter)), Picked::Changed));
    }

    #[test]
    fn enter_picks_the_first_and_arrows_move_within_the_list() {
        let mut picker = picker(3);
        assert_eq!(press(&mut picker, Code::Enter), Picked::Item(1));
        press(&mut picker, Code::Up);
        assert_eq!(press(&mut picker, Code::Enter), Picked::Item(1));
        for _ in 0..9 {
            press(&mut picker, Code::Down);
        }
        assert_eq!(press(&mut picker, Code::Enter), Picked::Item(3));
        press(&mut picker, Code::Home);
        assert_eq!(press(&mut picker, Code::Enter), Picked::Item(1));
        assert_eq!(press(&mut picker, Code::Esc), Picked::Left);
    }

    #[test]
    fn the_person_chooses_the_keys() {
        let mut keys = KeyMap::default();
        keys.bind(KeyAction::ListLeave, &["ctrl-q"]).unwrap();
        keys.bind(KeyAction::ListPick, &["tab", "enter"]).unwrap();
        let mut picker = picker(3);
        picker.keys = Arc::new(keys.settle().0);
        assert_eq!(press(&mut picker, Code::Esc), Picked::Nothing);
        assert_eq!(press(&mut picker, Code::Tab), Picked::Item(1));
        assert_eq!(picker.input(Input::Key(Key::ctrl('q'))), Picked::Left);
    }

    #[test]
    fn words_filter_in_any_order_and_case() {
        let mut picker = picker(40);
        write(&mut picker, "17 NUMBER");
        assert_eq!(press(&mut picker, Code::Enter), Picked::Item(17));
        write(&mut picker, " zzz");
        assert_eq!(press(&mut picker, Code::Enter), Picked::Nothing);
        picker.input(Input::Key(Key::ctrl('u')));
        assert_eq!(picker.matching().len(), 40);
        picker.input(Input::Paste("number\n23".into()));
        assert_eq!(press(&mut picker, Code::Enter), Picked::Item(23));
    }

    #[test]
    fn names_are_ranked_by_how_well_they_fit() {
        let names = ["a/gpt-5-mini  400k", "b/old-gpt-5  8k", "b/gpt-5  400k", "c/gxpyt-z5", "d/claude"];
        let item = |(id, text): (usize, &&str)| PickItem {
            id: id as i64,
            facts: String::new(),
            text: (*text).to_owned(),
            behind: String::new(),
        };
        let items = names.iter().enumerate().map(item).collect();
        let mut picker =
            Picker::new(PickList { items, action: "use it", by_name: true, filter: String::new() }, Arc::default());
        assert_eq!(picker.matching().len(), 5);
        write(&mut picker, "GPT-5");
        let ids: Vec<i64> = picker.matching().iter().map(|item| item.id).collect();
        assert_eq!(ids, [2, 0, 1, 3], "exact, beginning, within, letters");
        assert_eq!(press(&mut picker, Code::Enter), Picked::Item(2));
        picker.input(Input::Key(Key::ctrl('u')));
        write(&mut picker, "clde");
        assert_eq!(press(&mut picker, Code::Enter), Picked::Item(4));
    }

    #[test]
    fn a_screen_reader_hears_the_keys_once_and_then_each_entry() {
        let mut picker = picker(3);
        let size = ScreenSize { columns: 80, rows: 24 };
        let mut options = RenderOptions::of_terminal(size, Theme::default(), Wrapping::default(), |_| String::new());
        options.mode = TerminalMode::Reader;
        let mut out = Vec::new();
        picker.draw(&options, &mut out);
        press(&mut picker, Code::Down);
        picker.draw(&options, &mut out);
        let said = String::from_utf8(out).unwrap();
        let keys = "a list of 3: type to filter, Up Down move, Enter continue, Esc leave";
        assert_eq!(said, format!("{keys}\r\n1 of 3: 1 question number 1\r\n2 of 3: 2 question number 2\r\n"));
    }

    #[test]
    fn a_list_is_drawn_in_place_of_itself_and_fits_the_window() {
        let mut picker = picker(100);
        let size = ScreenSize { columns: 20, rows: 8 };
        let options = RenderOptions::of_terminal(size, Theme::default(), Wrapping::default(), |_| String::new());
        let cells = |count| NonZeroU16::new(count).unwrap();
        let mut terminal = vt100::Parser::new(cells(8), cells(20), 0);
        terminal.process(b"$ > /resume\r\n");
        for _ in 0..30 {
            let mut out = Vec::new();
            picker.draw(&options, &mut out);
            terminal.process(&out);
            press(&mut picker, Code::Down);
        }
        let screen = terminal.screen().contents();
        assert_eq!(screen.lines().next(), Some("$ > /resume"), "{screen}");
        assert_eq!(screen.lines().filter(|line| line.contains("quest")).count(), 4, "{screen}");
        let mut out = Vec::new();
        picker.erase(&mut out);
        terminal.process(&out);
        assert_eq!(terminal.screen().contents().trim_end(), "$ > /resume");
    }
}
