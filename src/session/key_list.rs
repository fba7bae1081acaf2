//! The keys in force, as `/keys` and `/help` list them.

use crate::input::{Hotkey, KeyAction, KeyActionInfo, KeyContext, KeyMap};

/// What the answers to an approval are, and how keys are changed.
const NOTES: [&str; 2] = [
    "`shellmate config set keys.ACTION KEY` changes a key, `[]` turns an action off; the hotkey is the setting `hotkey`",
    "fixed: the answers to an approval (y, n, a, p, g, w, m, Esc); the editing keys of the line (`[line] mode`)",
];

/// The text of `/keys`.
pub(super) fn keys(keys: &KeyMap, hotkey: Option<&Hotkey>) -> String {
    let usual = KeyMap::default();
    let mut lines = Vec::new();
    let mut changed = Vec::new();
    for context in KeyContext::ALL {
        lines.push(format!("{}:", context.words()));
        let infos: Vec<_> = KeyAction::all().filter(|info| info.context == context).collect();
        let row = |info: &&KeyActionInfo| {
            let is_changed = keys.is_changed(info.action);
            KeyRow { name: info.name, keys: keys.labels(info.action).join(", "), help: info.help, is_changed }
        };
        lines.extend(aligned(&infos.iter().map(row).collect::<Vec<_>>()));
        let usual = |info: &&KeyActionInfo| format!("{} {}", info.name, usual.labels(info.action).join(", "));
        changed.extend(infos.iter().filter(|info| keys.is_changed(info.action)).map(usual));
    }
    lines.push("everywhere:".to_owned());
    let label = hotkey.map(Hotkey::label).unwrap_or_default();
    let is_changed = label != HOTKEY;
    let help = "opens the conversation line, over a program too";
    lines.extend(aligned(&[KeyRow { name: "hotkey", keys: label, help, is_changed }]));
    changed.extend(is_changed.then(|| format!("hotkey {HOTKEY}")));
    if !changed.is_empty() {
        lines.push(format!("{CHANGED}changed by your configuration; the defaults: {}", changed.join("; ")));
    }
    lines.extend(NOTES.map(str::to_owned));
    lines.join("\n")
}

/// The default hotkey.
const HOTKEY: &str = "Ctrl-\\";

const CHANGED: &str = "* ";

/// An action with its keys.
struct KeyRow {
    name: &'static str,
    keys: String,
    help: &'static str,
    /// Whether the default keys are not in force.
    is_changed: bool,
}

/// One line for each action, in columns.
fn aligned(rows: &[KeyRow]) -> Vec<String> {
    let name_width = KeyAction::all().map(|info| info.name.len()).max().unwrap_or_default();
    let shown = |row: &KeyRow| if row.keys.is_empty() { "off".to_owned() } else { row.keys.clone() };
    let key_width = rows.iter().map(|row| shown(row).len()).max().unwrap_or_default();
    let line = |row: &KeyRow| {
        let mark = if row.is_changed { CHANGED } else { "  " };
        format!("{mark}{:<name_width$}  {:<key_width$}  {}", row.name, shown(row), row.help)
    };
    rows.iter().map(line).collect()
}

/// What keys do while an answer is in progress, for `/help`. Actions without a key are left out.
pub(super) fn answer_keys(keys: &KeyMap) -> Vec<(String, &'static str)> {
    let rows = [
        (KeyAction::Stop, "stop the answer"),
        (KeyAction::Background, "continue in the background; so does a question that ends with ` &`"),
        (KeyAction::Steer, "open a line to steer it; Esc closes the line"),
        (KeyAction::Unfold, "unfold what a call printed"),
        (KeyAction::Thinking, "show what the model thinks"),
    ];
    let row = |(action, help)| Some((keys.labels(action).join(", "), help)).filter(|(keys, _)| !keys.is_empty());
    rows.into_iter().filter_map(row).chain([("other keys".to_owned(), "are kept for your prompt")]).collect()
}

/// The keys that close an empty line: `an empty Enter, Esc or Ctrl-D`.
pub(super) fn closing_keys(keys: &KeyMap) -> String {
    let submit = keys.label(KeyAction::Submit).map(|key| format!("an empty {key}"));
    let mut all: Vec<String> = submit.into_iter().chain(keys.labels(KeyAction::Close)).collect();
    match all.pop() {
        Some(last) if !all.is_empty() => format!("{} or {last}", all.join(", ")),
        last => last.unwrap_or_default(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_action_is_listed_in_columns_and_changes_are_marked() {
        let usual = keys(&KeyMap::default(), "ctrl-\\".parse().ok().as_ref());
        for info in KeyAction::all() {
            assert!(usual.lines().any(|line| line.starts_with(&format!("  {} ", info.name))), "{usual}");
        }
        assert!(!usual.contains("* ") && usual.lines().rev().skip(2).all(|line| line.len() <= 80), "{usual}");
        assert!(usual.contains("\neverywhere:\n  hotkey          Ctrl-\\  opens"), "{usual}");
        let mut own = KeyMap::default();
        own.bind(KeyAction::Unfold, &["alt-o", "f5"]).unwrap();
        own.bind(KeyAction::Thinking, &[] as &[&str]).unwrap();
        let shown = keys(&own, None);
        for line in [
            "while the agent works:",
            "  stop            Ctrl-C     stops the answer and its commands",
            "* unfold          Alt-O, F5  unfolds what calls print",
            "* thinking        off        shows what the model thinks",
            "* hotkey          off  opens the conversation line, over a program too",
            "* changed by your configuration; the defaults: unfold Ctrl-O; thinking Ctrl-T; hotkey Ctrl-\\",
        ] {
            assert!(shown.lines().any(|shown| shown == line), "{line}\n{shown}");
        }
    }

    #[test]
    fn keys_that_close_the_line_are_named() {
        assert_eq!(closing_keys(&KeyMap::default()), "an empty Enter, Esc or Ctrl-D");
        let mut own = KeyMap::default();
        own.bind(KeyAction::Close, &[] as &[&str]).unwrap();
        assert_eq!(closing_keys(&own), "an empty Enter");
    }
}
