//! Messages in other languages, put into the words that rules know.
//!
//! Rules read English. `tongues.txt` has what shells, the C library, coreutils and git say most often in other languages; a message that
//! is there is read as if it had been English.

use std::borrow::Cow;
use std::sync::LazyLock;

use super::signs::Signs;

const TABLE: &str = include_str!("tongues.txt");

/// What stands for any text in a message.
const GAP: &str = "{}";

/// A longer output is a log, not a complaint.
const LONGEST: usize = 64 * 1024;

struct Saying {
    english: &'static str,
    foreign: &'static str,
}

/// The sayings, and what is looked for of each.
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

/// An output with the messages that are known in English; as it is, if there are none.
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
    /// The longest text in it.
    fn sign(&self) -> &'static str {
        self.foreign.split(GAP).max_by_key(|piece| piece.len()).unwrap_or_default()
    }

    /// The line with this message in English, if it is there.
    fn said_in(&self, line: &str) -> Option<String> {
        let mut pieces = self.foreign.split(GAP);
        let mut gaps: Vec<&str> = Vec::new();
        let first = pieces.next().filter(|first| !first.is_empty());
        let found = line.find(first.or_else(|| pieces.next())?)?;
        let (start, mut at) = match first {
            Some(first) => (found, found + first.len()),
            // A name at the beginning of a message follows the name of the tool.
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
    fn messages_are_read_in_english() {
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
    fn every_saying_has_the_gaps_of_its_english() {
        for saying in &SAYINGS.0 {
            let gaps = |text: &str| text.matches(GAP).count();
            assert_eq!(gaps(saying.english), gaps(saying.foreign), "{}", saying.foreign);
            assert!(saying.sign().len() > 4 && !saying.english.is_empty(), "{}", saying.foreign);
        }
    }
}
