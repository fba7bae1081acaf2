//! Completion of commands, their arguments and `@` references.

use std::sync::{Arc, OnceLock};

use super::pane::EditorScreen;
use super::{EditOutcome, LineEditor, QueryHistory};
use crate::input::key::{Code, Key};
use crate::input::keymap::KeyAction;
use crate::text::{sanitize, width};

/// The most rows of the list.
const ROWS: usize = 8;
/// The most completions in the list.
const OFFERS: usize = 200;
/// The fewest characters for which an earlier query is shown as a hint.
const HINTED: usize = 3;

/// The hint in an empty line.
const WELCOME: &str = "ask, or /help; an empty line closes";

/// The possible completions. The caller collects them when it opens the line.
#[derive(Default)]
pub(crate) struct Offers {
    pub verbs: Vec<Verb>,
    /// More commands, which another thread may fill in later.
    pub late: Arc<OnceLock<Vec<Verb>>>,
    /// Commands whose output can be referred to, newest first.
    pub recent: Vec<RecentCommand>,
}

/// A `/command`.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Verb {
    /// Such as `/model [NAME]`.
    pub usage: String,
    /// One line of help.
    pub help: String,
    /// The words that can follow it. Another thread may fill them in later.
    pub arguments: Arc<OnceLock<Vec<String>>>,
}

/// A command that was run.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct RecentCommand {
    /// Its id in the history.
    pub id: i64,
    pub text: String,
}

impl Offers {
    /// All commands that are known so far.
    fn verbs(&self) -> impl Iterator<Item = &Verb> {
        self.verbs.iter().chain(self.late.get().into_iter().flatten())
    }
}

/// What can be referred to with the text that was typed after an `@`.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(crate) struct FoundReferences {
    pub paths: Vec<FoundPath>,
    /// The commands that have the typed words, best first. The first one is attached if the words are sent.
    pub commands: Vec<RecentCommand>,
}

/// A path that begins with the typed text.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct FoundPath {
    /// With a slash at the end of a directory.
    pub path: String,
    /// What would be attached: `directory`, `12 KiB`, `picture, 3 KiB`.
    pub help: String,
}

impl Verb {
    fn name(&self) -> &str {
        self.usage.split(' ').next().unwrap_or_default()
    }

    /// The arguments that are known so far.
    fn arguments(&self) -> &[String] {
        self.arguments.get().map(Vec::as_slice).unwrap_or_default()
    }

    fn takes_more(&self) -> bool {
        self.usage.contains(' ')
    }
}

/// One completion.
#[derive(Debug, Clone, PartialEq, Eq)]
struct Offer {
    /// The text that is inserted.
    typed: String,
    /// The text that the list shows.
    shown: String,
    help: String,
    /// Whether a blank is inserted after it.
    wants_blank: bool,
}

/// How the text before the cursor can go on.
enum Offered {
    /// From this offset on.
    Known(usize, Vec<Offer>),
    /// With a path that begins with what is typed, or with one of the commands that can be referred to.
    Paths { start: usize, typed: String, is_quoted: bool, references: Vec<Offer> },
}

/// The list below the line.
#[derive(Debug)]
pub(super) struct Menu {
    offers: Vec<Offer>,
    chosen: Option<usize>,
    /// The offset in the text that the completions replace from.
    start: usize,
}

impl Menu {
    /// The rows to show, each with its help and whether it is selected.
    pub(super) fn lines(&self, screen: &EditorScreen) -> Vec<((String, String), bool)> {
        let rows = ROWS.min(usize::from(screen.rows / 2).max(1));
        let first = self.chosen.map_or(0, |chosen| (chosen + 1).saturating_sub(rows));
        let shown = self.offers.iter().enumerate().skip(first).take(rows);
        let widest = shown.clone().map(|(_, offer)| width::cells(&offer.shown)).max().unwrap_or(0);
        let line = |(at, offer): (usize, &Offer)| {
            let blank = " ".repeat(widest - width::cells(&offer.shown));
            let help = if offer.help.is_empty() { String::new() } else { format!("{blank}  {}", offer.help) };
            ((format!("  {}", offer.shown), help), self.chosen == Some(at))
        };
        let mut lines: Vec<_> = shown.map(line).collect();
        let left = self.offers.len() - first - lines.len();
        if left > 0 {
            lines.push(((String::new(), format!("  … {left} more")), false));
        }
        lines
    }
}

impl LineEditor {
    /// Completes the text before the cursor as far as it is certain, and lists what it could be. Paths have to be found first.
    pub(super) fn complete(&mut self, offers: &Offers) -> EditOutcome {
        match offered(self.text.as_str(), self.text.cursor(), offers) {
            Offered::Known(start, found) => self.offer(start, found),
            Offered::Paths { typed, .. } => return EditOutcome::Find(typed),
        }
        EditOutcome::Open
    }

    /// Completes with what was found for `typed`, if that is still before the cursor.
    pub(crate) fn found(&mut self, typed: &str, found: &FoundReferences, offers: &Offers) {
        match offered(self.text.as_str(), self.text.cursor(), offers) {
            Offered::Paths { start, typed: wanted, is_quoted, mut references } if wanted == typed => {
                references.extend(found.paths.iter().take(OFFERS).map(|path| file_offer(path, is_quoted)));
                references.extend(found.commands.iter().filter(|_| is_quoted).map(command_offer));
                self.offer(start, references);
            }
            Offered::Paths { .. } | Offered::Known(..) => {}
        }
    }

    fn offer(&mut self, start: usize, found: Vec<Offer>) {
        let typed = self.text.as_str()[start..self.text.cursor()].to_owned();
        match &found[..] {
            [] => {}
            [one] => {
                let blank = if one.wants_blank { " " } else { "" };
                self.text.replace(start..self.text.cursor(), &format!("{}{blank}", one.typed));
            }
            many => {
                let common = common_beginning(many.iter().map(|offer| offer.typed.as_str()));
                if common.len() > typed.len() {
                    self.text.replace(start..self.text.cursor(), &common);
                }
                self.menu = Some(Menu { offers: found, chosen: None, start });
            }
        }
    }

    /// Handles a key while the list is open. `action` is that of the key in the line. Returns `None` if the key is not for the list.
    pub(super) fn menu_key(&mut self, key: Key, action: Option<KeyAction>) -> Option<EditOutcome> {
        let mut menu = self.menu.take()?;
        let count = menu.offers.len();
        menu.chosen = match (action, menu.chosen) {
            (Some(KeyAction::Complete | KeyAction::Next), chosen) => {
                Some(chosen.map_or(0, |chosen| (chosen + 1) % count))
            }
            (Some(KeyAction::CompleteBack | KeyAction::Previous), chosen) => {
                Some((chosen.unwrap_or(0) + count - 1) % count)
            }
            // The selected completion is already in the text.
            (Some(KeyAction::Submit), Some(chosen)) => {
                if menu.offers[chosen].wants_blank {
                    self.text.insert(' ');
                }
                return Some(EditOutcome::Open);
            }
            _ if key.code == Code::Esc => return Some(EditOutcome::Open),
            _ => return None,
        };
        if let Some(offer) = menu.chosen.and_then(|chosen| menu.offers.get(chosen)) {
            self.text.replace(menu.start..self.text.cursor(), &offer.typed);
        }
        self.menu = Some(menu);
        Some(EditOutcome::Open)
    }
}

/// The completions for the text before the cursor, and the offset that they replace from.
fn offered(text: &str, cursor: usize, offers: &Offers) -> Offered {
    let before = &text[..cursor];
    if before.starts_with('/') && !before.contains(char::is_whitespace) {
        let verbs = offers.verbs().filter(|verb| verb.name().starts_with(before));
        return Offered::Known(0, verbs.map(verb_offer).collect());
    }
    if let Some((name, rest)) = before.split_once(' ').filter(|_| before.starts_with('/'))
        && let Some(verb) = offers.verbs().find(|verb| verb.name() == name && !verb.arguments().is_empty())
    {
        let typed = rest.trim_start();
        let words = verb.arguments().iter().filter(|word| word.starts_with(typed));
        let offer = |word: &String| Offer {
            typed: word.clone(),
            shown: sanitize(word),
            help: String::new(),
            wants_blank: true,
        };
        return Offered::Known(cursor - typed.len(), words.take(OFFERS).map(offer).collect());
    }
    let Some(start) = reference_start(before) else { return Offered::Known(cursor, Vec::new()) };
    let typed = &before[start + 1..];
    let quoted = typed.strip_prefix('"');
    let references = if quoted.is_none() { references(typed, offers) } else { Vec::new() };
    Offered::Paths { start, typed: quoted.unwrap_or(typed).to_owned(), is_quoted: quoted.is_some(), references }
}

fn verb_offer(verb: &Verb) -> Offer {
    let typed = verb.name().to_owned();
    let wants_blank = verb.takes_more();
    Offer { typed, shown: verb.usage.clone(), help: verb.help.clone(), wants_blank }
}

/// The offset of the `@` before the cursor that begins a reference: at the start of a word, or before an open quote.
fn reference_start(before: &str) -> Option<usize> {
    let begins_word =
        |at: usize| before[..at].chars().next_back().is_none_or(|c| c.is_whitespace() || "([{,;".contains(c));
    let quoted = before.rmatch_indices("@\"").map(|(at, _)| at).find(|&at| begins_word(at));
    if let Some(at) = quoted.filter(|&at| !before[at + 2..].contains('"')) {
        return Some(at);
    }
    let (at, _) = before.rmatch_indices('@').find(|&(at, _)| begins_word(at))?;
    (!before[at..].contains(char::is_whitespace) && !before[at..].contains('"')).then_some(at)
}

/// The completions for a reference, given the text after `@`.
fn references(wanted: &str, offers: &Offers) -> Vec<Offer> {
    let mut found = Vec::new();
    if "last".starts_with(wanted) && !offers.recent.is_empty() {
        let help = offers.recent.first().map(|recent| one_line(&recent.text)).unwrap_or_default();
        found.push(Offer { typed: "@last".into(), shown: "@last".into(), help, wants_blank: true });
    }
    if !wanted.starts_with(|c: char| !c.is_ascii_digit()) {
        let numbers = offers.recent.iter().filter(|recent| recent.id.to_string().starts_with(wanted));
        // Without a digit they would bury the files.
        found.extend(numbers.take(if wanted.is_empty() { 5 } else { OFFERS }).map(command_offer));
    }
    found
}

fn command_offer(command: &RecentCommand) -> Offer {
    let name = format!("@{}", command.id);
    Offer { typed: name.clone(), shown: name, help: one_line(&command.text), wants_blank: true }
}

fn file_offer(FoundPath { path, help }: &FoundPath, is_quoted: bool) -> Offer {
    let is_directory = path.ends_with('/');
    let needs_quotes = is_quoted || path.contains(|c: char| c.is_whitespace() || "\"'()[]{},;".contains(c));
    let typed = match (needs_quotes, is_directory) {
        (false, _) => format!("@{path}"),
        (true, true) => format!("@\"{path}"),
        (true, false) => format!("@\"{path}\""),
    };
    Offer {
        typed,
        shown: format!("@{}", sanitize(path).replace('\n', " ")),
        help: help.clone(),
        wants_blank: !is_directory,
    }
}

fn one_line(text: &str) -> String {
    sanitize(text).replace(['\n', '\t'], " ")
}

fn common_beginning<'a>(mut words: impl Iterator<Item = &'a str>) -> String {
    let Some(first) = words.next() else { return String::new() };
    let common = |common: &'a str, word: &str| {
        let same = common.char_indices().zip(word.chars()).find(|((_, one), other)| one != other);
        let end = same.map_or(common.len().min(word.len()), |((at, _), _)| at);
        &common[..end]
    };
    words.fold(first, common).to_owned()
}

/// A dim suggestion after the cursor.
#[derive(Debug, Default, PartialEq, Eq)]
pub(super) struct Hint {
    /// The text that accepting the hint inserts.
    pub(super) typed: String,
    /// The help that is shown.
    pub(super) help: String,
}

/// Suggests the rest of a command with its help, or the rest of an earlier query.
pub(super) fn hint(text: &str, history: &QueryHistory, offers: &Offers) -> Hint {
    let explains = |help: &str| Hint { typed: String::new(), help: help.to_owned() };
    if text.is_empty() {
        return explains(WELCOME);
    }
    if text.starts_with('/') && !text.contains('\n') {
        let (name, rest) = text.split_once(' ').map_or((text, None), |(name, rest)| (name, Some(rest)));
        let mut verbs = offers.verbs().filter(|verb| verb.name().starts_with(name));
        return match (verbs.next(), verbs.next(), rest) {
            (Some(verb), None, None) => Hint { typed: verb.name()[name.len()..].to_owned(), help: verb.help.clone() },
            (Some(verb), Some(_), None) if verb.name() == name => explains(&verb.help),
            (Some(verb), _, Some("")) if verb.name() == name && verb.takes_more() => explains(&verb.help),
            _ => Hint::default(),
        };
    }
    if text.chars().count() < HINTED || text.contains('\n') {
        return Hint::default();
    }
    let earlier = history.newest_first().find(|entry| entry.len() > text.len() && entry.starts_with(text));
    let rest = earlier.map(|entry| &entry[text.len()..]).filter(|rest| !rest.contains('\n'));
    Hint { typed: rest.unwrap_or_default().to_owned(), help: String::new() }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::input::key::Input;

    fn offers() -> Offers {
        let verb = |usage: &str, arguments: &[&str]| Verb {
            usage: usage.into(),
            help: format!("what {usage} does"),
            arguments: Arc::new(OnceLock::from(arguments.iter().map(|word| word.to_string()).collect::<Vec<_>>())),
        };
        Offers {
            verbs: vec![verb("/model [NAME]", &["a/x", "a/y", "b"]), verb("/models", &[]), verb("/new", &[])],
            recent: vec![
                RecentCommand { id: 12, text: "cargo\ntest".into() },
                RecentCommand { id: 7, text: "ls".into() },
            ],
            ..Offers::default()
        }
    }

    fn found_path(path: &str) -> FoundPath {
        FoundPath { path: path.into(), help: "1 KiB".into() }
    }

    #[test]
    fn quoted_words_complete_to_the_commands_that_have_them() {
        let (offers, history) = (offers(), QueryHistory::default());
        let press =
            |line: &mut LineEditor, letter| line.input(Input::Key(Key::plain(Code::Char(letter))), &history, &offers);
        let commands = vec![RecentCommand { id: 12, text: "cargo\ntest".into() }];
        let found = FoundReferences { commands, ..FoundReferences::default() };
        for (typed, wanted, completed) in [("why @\"cargo te", "cargo te", "why @12 "), ("why @car", "car", "why @car")]
        {
            let mut line = LineEditor::new(Default::default(), Arc::default());
            typed.chars().for_each(|letter| drop(press(&mut line, letter)));
            line.found(wanted, &found, &offers);
            assert_eq!(line.text(), completed);
        }
        assert_eq!(command_offer(&found.commands[0]).help, "cargo test");
    }

    /// What a text could become, with the paths that are there.
    fn typed(text: &str) -> Vec<String> {
        let found = match offered(text, text.len(), &offers()) {
            Offered::Known(_, found) => found,
            Offered::Paths { typed, is_quoted, mut references, .. } => {
                let paths =
                    ["src/", "src/main.rs", "a b.txt", "it's"].into_iter().filter(|path| path.starts_with(&typed));
                references.extend(paths.map(|path| file_offer(&found_path(path), is_quoted)));
                references
            }
        };
        found.into_iter().map(|offer| offer.typed).collect()
    }

    #[test]
    fn paths_that_come_late_complete_only_what_is_still_typed() {
        let (offers, history) = (offers(), QueryHistory::default());
        let mut line = LineEditor::new(Default::default(), Arc::default());
        let press = |line: &mut LineEditor, key| line.input(Input::Key(Key::plain(key)), &history, &offers);
        "@sr".chars().for_each(|letter| drop(press(&mut line, Code::Char(letter))));
        assert_eq!(press(&mut line, Code::Tab), EditOutcome::Find("sr".into()));
        let paths = |path: &str| FoundReferences { paths: vec![found_path(path)], ..FoundReferences::default() };
        line.found("other", &paths("other.rs"), &offers);
        assert_eq!(line.text(), "@sr");
        line.found("sr", &paths("src/"), &offers);
        assert_eq!(line.text(), "@src/");
    }

    #[test]
    fn arguments_that_arrive_late_are_completed_too() {
        let later = Arc::new(OnceLock::new());
        let verb = Verb { usage: "/model [NAME]".into(), help: String::new(), arguments: Arc::clone(&later) };
        let offers = Offers { verbs: vec![verb], ..Offers::default() };
        let found = |text: &str| match offered(text, text.len(), &offers) {
            Offered::Known(_, found) => found.len(),
            Offered::Paths { .. } => 0,
        };
        assert_eq!((found("/model a"), found("/skill:p")), (0, 0));
        later.set(vec!["a/x".to_owned()]).unwrap();
        let skill =
            Verb { usage: "/skill:pdf [ARGUMENTS]".into(), help: "Reads PDFs".into(), arguments: Arc::default() };
        offers.late.set(vec![skill]).unwrap();
        assert_eq!((found("/model a"), found("/skill:p")), (1, 1));
        assert_eq!(hint("/skill:p", &QueryHistory::default(), &offers).typed, "df");
    }

    #[test]
    fn commands_and_their_arguments_are_completed() {
        assert_eq!(typed("/mo"), ["/model", "/models"]);
        assert_eq!(typed("/model a"), ["a/x", "a/y"]);
        assert_eq!(typed("/new x"), Vec::<String>::new());
        assert_eq!(typed("say /mo"), Vec::<String>::new());
    }

    #[test]
    fn references_complete_to_commands_and_files() {
        assert_eq!(typed("why @"), ["@last", "@12", "@7", "@src/", "@src/main.rs", "@\"a b.txt\"", "@\"it's\""]);
        assert_eq!(typed("why @1"), ["@12"]);
        assert_eq!(typed("see (@s"), ["@src/", "@src/main.rs"]);
        assert_eq!(typed("see @\"a "), ["@\"a b.txt\""]);
        assert_eq!(typed("see @\"a b.txt\" and"), Vec::<String>::new());
        assert_eq!(typed("me@s"), Vec::<String>::new(), "an address is no reference");
    }

    #[test]
    fn hints_complete_a_command_or_an_earlier_query() {
        let mut history = QueryHistory::default();
        history.add("why did that fail");
        let hint = |text| super::hint(text, &history, &offers());
        assert_eq!(hint("why d").typed, "id that fail");
        assert_eq!(hint("wh"), Hint::default());
        assert_eq!(hint("/n").typed, "ew");
        assert_eq!(hint("/models"), Hint { typed: String::new(), help: "what /models does".into() });
        assert_eq!(hint("").help, WELCOME);
    }

    #[test]
    fn the_common_prefix_ends_at_a_character_boundary() {
        assert_eq!(common_beginning(["@äb", "@äc"].into_iter()), "@ä");
        assert_eq!(common_beginning(["@ab", "@a"].into_iter()), "@a");
        assert_eq!(common_beginning([].into_iter()), "");
    }
}
