//! Translates messages of other languages into English, which the rules read.
//!
//! `tongues.txt` contains the most frequent messages of shells, the C library, coreutils and git in other languages.

use std::borrow::Cow;
use std::sync::LazyLock;

use super::signs::Signs;

const TABLE: &str = include_str!("tongues.txt");

/// The placeholder for any text in a message.
const GAP: &str = "{}";

/// Longer outputs are not translated, because they are logs rather than error messages.
const LONGEST: usize = 64 * 1024;

struct Saying {
    english: &'static str,
    foreign: &'static str,
}

/// All messages, and the signs that they are found by.
static SAYINGS: LazyLock<(Vec<Saying>, Signs)> = LazyLock::new(|| {
    let mut sayings: Vec<Saying> = Vec::new();
    let mut english = "";
    for line in TABLE.lines().filter(|line| !line.starts_with('#')) {
        match line.strip_prefix('\t') {
            Some(foreign) => sayings.push(Saying { english, foreign }),
            None => english = line,
        }
    }
    let signs = Signs::new(sayings.iter().map(Saying::sign));
    (sayings, signs)
});

/// The output with all known messages in English. Unchanged if it has none.
pub(super) fn in_english(output: &str) -> Cow<'_, str> {
    if output.len() > LONGEST || !SAYINGS.1.any_in(output) {
        return Cow::Borrowed(output);
    }
    let (sayings, signs) = &*SAYINGS;
    let mut english = String::with_capacity(output.len());
    for line in output.split_inclusive('\n') {
        let mut line = Cow::Borrowed(line);
        if signs.any_in(&line) {
            for saying in sayings {
                if let Some(said) = saying.said_in(&line) {
                    line = Cow::Owned(said);
                }
            }
        }
        english.push_str(&line);
    }
    Cow::Owned(english)
}

impl Saying {
    /// The longest fixed text of the message.
    fn sign(&self) -> &'static str {
        self.foreign.split(GAP).max_by_key(|piece| piece.len()).unwrap_or_default()
    }

    /// The line with this message in English, if the line contains it.
    fn said_in(&self, line: &str) -> Option<String> {
        let mut pieces = self.foreign.split(GAP);
        let mut gaps: Vec<&str> = Vec::new();
        let first = pieces.next().filter(|first| !first.is_empty());
        let found = line.find(first.or_else(|| pieces.next())?)?;
        let (start, mut at) = match first {
            Some(first) => (found, found + first.len()),
            // A placeholder at the beginning of a message begins after the name of the tool.
            None => {
                let start = line[..found].rfind(": ").map_or(0, |colon| colon + 2);
                gaps.push(&line[start..found]);
                (start, found + self.foreign.split(GAP).nth(1)?.len())
            }
        };
        for piece in pieces {
            let end = at + line[at..].find(piece)?;
            gaps.push(&line[at..end]);
            at = end + piece.len();
        }
        let mut gaps = gaps.into_iter();
        let english = self.english.split(GAP).enumerate().map(|(n, piece)| {
            let gap = if n == 0 { None } else { gaps.next() };
            format!("{}{piece}", gap.unwrap_or_default())
        });
        Some(format!("{}{}{}", &line[..start], english.collect::<String>(), &line[at..]))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn foreign_messages_are_translated() {
        for (foreign, english) in [
            ("bash: gti: Kommando nicht gefunden.\n", "bash: gti: command not found.\n"),
            ("bash: gti : commande introuvable", "bash: gti: command not found"),
            (
                "ls: Zugriff auf 'x' nicht möglich: Datei oder Verzeichnis nicht gefunden",
                "ls: cannot access 'x': No such file or directory",
            ),
            (
                "touch: 'a/b' kann nicht berührt werden: Datei oder Verzeichnis nicht gefunden",
                "touch: cannot touch 'a/b': No such file or directory",
            ),
            (
                "mv: impossible de déplacer 'a' vers 'b/c': Aucun fichier ou dossier de ce type",
                "mv: cannot move 'a' to 'b/c': No such file or directory",
            ),
            (
                "x\ngit: 'psuh' ist kein Git-Befehl. Siehe 'git --help'.",
                "x\ngit: 'psuh' is not a git command. Siehe 'git --help'.",
            ),
        ] {
            assert_eq!(in_english(foreign), english);
        }
        assert!(matches!(in_english("bash: gti: command not found"), Cow::Borrowed(_)));
    }

    #[test]
    fn every_translation_has_the_same_placeholders() {
        for saying in &SAYINGS.0 {
            let gaps = |text: &str| text.matches(GAP).count();
            assert_eq!(gaps(saying.english), gaps(saying.foreign), "{}", saying.foreign);
            assert!(saying.sign().len() > 4 && !saying.english.is_empty(), "{}", saying.foreign);
        }
    }
}
