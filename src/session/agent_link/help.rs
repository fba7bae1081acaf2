//! The text of `> /help`.

use crate::input::KeyMap;
use crate::session::key_list::{answer_keys, closing_keys};
use crate::text::width;

use super::slash::commands;

/// The column of the explanations in `/help`.
const COLUMN: usize = 25;

/// How to ask, and how to refer to files and outputs.
const ASKING: [(&str, &str); 5] = [
    ("> QUESTION", "ask; the shell never sees the line (a blank before `>` makes it a redirection)"),
    ("@FILE", "in a question: attach a file, a picture or the names in a directory"),
    ("@last", "attach the last command with its output"),
    ("@ID", "attach an earlier command with its output (`shellmate history` lists the IDs)"),
    ("@\"WORDS\"", "attach the recorded command that matches these words best"),
];

/// How to answer a question.
const ANSWERING: [(&str, &str); 4] = [
    ("y, n", "yes or no, this once, when no other key follows; Enter confirms at once, and must where ⏎ stands"),
    ("a, p", "yes, and do not ask again in this session, in this project"),
    ("?", "what every key means, more answers, and the next page of a long text"),
    ("Esc", "no"),
];

/// One row of `/help`. A form that does not fit into its column has a row of its own.
pub(super) fn help_row(usage: &str, help: &str) -> String {
    let cells = width::cells(usage);
    let (gap, rest) = if cells < COLUMN { ("", COLUMN - cells) } else { ("\n", COLUMN) };
    format!("{usage}{gap}{}{help}", " ".repeat(rest))
}

/// The text of `/help`, with the name of the hotkey if there is one.
pub(in crate::session) fn help(keys: &KeyMap, hotkey: Option<&str>) -> String {
    let line = |usage: &str, help: &str| help_row(usage, help);
    let mut lines: Vec<String> = ASKING.iter().map(|(usage, help)| line(usage, help)).collect();
    let closing = format!("open a line for a conversation; {} closes it", closing_keys(keys));
    lines.insert(1, line(">", &closing));
    if let Some(key) = hotkey {
        lines.insert(
            2,
            line(key, "open the same line over a running program (vim, ssh); press it twice to send the key itself"),
        );
    }
    lines.push(String::new());
    lines.extend(commands().map(|command| line(&command.usage(), command.help)));
    lines.extend(["".to_owned(), "while the agent works:".to_owned()]);
    lines.extend(answer_keys(keys).iter().map(|(key, help)| line(key, help)));
    lines.extend(["".to_owned(), "when it asks:".to_owned()]);
    lines.extend(ANSWERING.iter().map(|(key, help)| line(key, help)));
    lines.extend(hotkey.map(|key| line(key, "answer, although keys of yours wait for the prompt")));
    lines.join("\n")
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::input::KeyAction;

    #[test]
    fn the_explanations_of_help_are_in_one_column() {
        for row in
            help(&KeyMap::default(), Some("ctrl-\\")).lines().filter(|row| !row.is_empty() && !row.ends_with(':'))
        {
            let (usage, help) = row.split_at(COLUMN);
            assert!(usage.ends_with(' ') && !help.starts_with(' '), "{row}");
        }
        assert_eq!(
            help_row("/a-name-of-twenty-four-ch X", "it"),
            format!("/a-name-of-twenty-four-ch X\n{}it", " ".repeat(COLUMN))
        );
    }

    #[test]
    fn help_says_how_to_ask() {
        let said = help(&KeyMap::default(), Some("ctrl-\\"));
        for words in ["> QUESTION", "\n>  ", "ctrl-\\", "@FILE", "@last", "@ID", "Ctrl-Z"] {
            assert!(said.contains(words), "{words}: {said}");
        }
        assert!(said.contains("an empty Enter, Esc or Ctrl-D closes it"), "{said}");
        assert!(!help(&KeyMap::default(), None).contains("ctrl-\\"));
        let mut keys = KeyMap::default();
        keys.bind(KeyAction::Unfold, &["alt-o"]).unwrap();
        keys.bind(KeyAction::Thinking, &[] as &[&str]).unwrap();
        let said = help(&keys, None);
        assert!(said.contains(&help_row("Alt-O", "unfold what a call printed")) && !said.contains("Ctrl-T"), "{said}");
    }
}
