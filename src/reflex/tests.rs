//! The corpus: real outputs of tools, and the diagnosis that is expected.
//!
//! `tests/reflex/*.toml` contains the cases. Each runs on a simulated machine that the case describes.

use std::fs;
use std::path::{Path, PathBuf};

use proptest::prelude::*;
use serde::Deserialize;

use super::rules;
use super::world::{DirectoryEntry, FileKind};
use super::*;
use crate::growth::assert_linear;

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct File {
    case: Vec<Told>,
}

/// One case of the corpus.
#[derive(Deserialize, Default)]
#[serde(deny_unknown_fields, default)]
struct Told {
    command: String,
    output: String,
    status: Option<i32>,
    /// Programs and names that can be run.
    commands: Vec<String>,
    /// Paths that exist, relative to the directory or absolute: `dir/` is a directory, `file*` is executable.
    files: Vec<String>,
    /// Contents of files: `[path, text]`.
    contents: Vec<(String, String)>,
    variables: Vec<(String, String)>,
    listeners: Vec<(u16, u32, String)>,
    memory_kills: u64,
    recent: Vec<String>,
    is_root: bool,
    /// The best proposal. Absent if it does not matter, empty if there must be none.
    first: Option<String>,
    /// Commands that must be among the proposals.
    also: Vec<String>,
    /// Text that the explanation must contain.
    explains: Vec<String>,
}

impl World for Told {
    fn commands(&self) -> &[String] {
        &self.commands
    }

    fn entries(&self, directory: &Path) -> Vec<DirectoryEntry> {
        let directory = tidy(directory);
        let mut found: Vec<DirectoryEntry> = Vec::new();
        for file in &self.files {
            let path = tidy(Path::new(file.trim_end_matches('*')));
            let Ok(inside) = path.strip_prefix(&directory) else { continue };
            let mut names = inside.components();
            let Some(name) = names.next() else { continue };
            let name = name.as_os_str().to_string_lossy().into_owned();
            let kind = if names.next().is_some() { Some(FileKind::Directory) } else { self.kind(&path) };
            let is_outside = path.is_absolute() != directory.is_absolute();
            if let Some(kind) = kind.filter(|_| !is_outside && found.iter().all(|entry| entry.name != name)) {
                found.push(DirectoryEntry { name, kind });
            }
        }
        found
    }

    fn kind(&self, path: &Path) -> Option<FileKind> {
        let wanted = tidy(path);
        self.files.iter().find_map(|file| {
            let known = tidy(Path::new(file.trim_end_matches('*')));
            if known == wanted {
                Some(if file.ends_with('/') {
                    FileKind::Directory
                } else if file.ends_with('*') {
                    FileKind::Program
                } else {
                    FileKind::File
                })
            } else {
                known.starts_with(&wanted).then_some(FileKind::Directory).filter(|_| !wanted.as_os_str().is_empty())
            }
        })
    }

    fn read(&self, path: &Path) -> Option<String> {
        let wanted = tidy(path);
        self.contents.iter().find(|(known, _)| tidy(Path::new(known)) == wanted).map(|(_, text)| text.clone())
    }

    fn variable(&self, name: &str) -> Option<String> {
        self.variables.iter().find(|(known, _)| known == name).map(|(_, value)| value.clone())
    }

    fn listener(&self, port: u16) -> Option<(u32, String)> {
        self.listeners.iter().find(|(known, ..)| *known == port).map(|(_, pid, name)| (*pid, name.clone()))
    }

    fn memory_kills(&self) -> u64 {
        self.memory_kills
    }

    fn recent(&self) -> &[String] {
        &self.recent
    }

    fn is_root(&self) -> bool {
        self.is_root
    }
}

/// A path without `.`, so that `./x` and `x` are equal.
fn tidy(path: &Path) -> PathBuf {
    path.components().filter(|part| !matches!(part, std::path::Component::CurDir)).collect()
}

fn corpus() -> &'static [(String, Told)] {
    static CORPUS: std::sync::LazyLock<Vec<(String, Told)>> = std::sync::LazyLock::new(read_corpus);
    &CORPUS
}

fn read_corpus() -> Vec<(String, Told)> {
    let directory = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/reflex");
    let mut files: Vec<PathBuf> = fs::read_dir(directory).unwrap().map(|entry| entry.unwrap().path()).collect();
    files.retain(|path| path.extension().is_some_and(|extension| extension == "toml"));
    files.sort();
    let cases = files.iter().flat_map(|file| {
        let name = file.file_stem().unwrap().to_string_lossy().into_owned();
        let read: File = toml::from_str(&fs::read_to_string(file).unwrap()).unwrap_or_else(|e| panic!("{name}: {e}"));
        read.case.into_iter().enumerate().map(move |(n, case)| (format!("{name} {}: {}", n + 1, case.command), case))
    });
    cases.collect()
}

impl Told {
    fn answer(&self) -> Diagnosis {
        let status = self.status.or(Some(1));
        diagnose(
            &FailedCommand { command: &self.command, output: &self.output, status, cwd: Path::new("/home/u/app") },
            self,
        )
    }

    /// How the diagnosis differs from the expected one, if it does.
    fn complaint(&self) -> Option<String> {
        let answer = self.answer();
        let commands: Vec<&str> = answer.proposals.iter().map(|proposal| proposal.command.as_str()).collect();
        let first = commands.first().copied().unwrap_or_default();
        if self.first.as_ref().is_some_and(|wanted| wanted != first) {
            return Some(format!("wanted {:?}, proposed {commands:?}", self.first));
        }
        if let Some(missing) = self.also.iter().find(|wanted| !commands.contains(&wanted.as_str())) {
            return Some(format!("wanted {missing:?} too, proposed {commands:?}"));
        }
        let silent = self.explains.iter().find(|words| !answer.explanation.contains(words.as_str()))?;
        Some(format!("wanted {silent:?} in:\n{}", answer.explanation))
    }
}

#[test]
fn every_case_of_the_corpus_is_answered() {
    let complaints: Vec<String> =
        corpus().iter().filter_map(|(name, case)| Some(format!("{name}\n    {}", case.complaint()?))).collect();
    assert!(complaints.is_empty(), "{} cases:\n{}", complaints.len(), complaints.join("\n"));
}

#[test]
fn no_first_proposal_of_the_corpus_is_harmful() {
    for (name, case) in corpus() {
        if let Some(first) = case.answer().proposals.first() {
            assert!(!harm::is_worse(&first.command, &case.command), "{name}: {}", first.command);
        }
    }
}

/// Harmless and destructive lines as people type them. In a line that ends with a bar the second word is misspelt, otherwise the first.
const DESTRUCTIVE: &str = include_str!("../../tests/reflex/destructive.txt");
const HARMLESS: &str = include_str!("../../tests/reflex/harmless.txt");

/// The programs of a typical machine.
const PROGRAMS: &str = include_str!("../../tests/reflex/programs.txt");

/// The usual typing errors: two letters swapped, one left out, one doubled, one replaced by its neighbour on the keyboard.
fn slips(word: &str) -> Vec<String> {
    let letters: Vec<char> = word.chars().collect();
    let keys = "qwertyuiopasdfghjklzxcvbnm";
    let mut found = Vec::new();
    for at in 0..letters.len() {
        let mut swapped = letters.clone();
        if at + 1 < letters.len() {
            swapped.swap(at, at + 1);
        }
        let dropped: String = [&letters[..at], &letters[at + 1..]].concat().iter().collect();
        let doubled: String = [&letters[..=at], &letters[at..]].concat().iter().collect();
        let mut beside = letters.clone();
        if let Some(key) = keys.find(letters[at]) {
            beside[at] = keys.as_bytes()[(key + 1) % keys.len()].into();
        }
        found.extend([swapped.into_iter().collect(), dropped, doubled, beside.into_iter().collect()]);
    }
    found.retain(|slip: &String| slip != word && !slip.is_empty());
    found
}

fn lines(text: &str) -> impl Iterator<Item = Vec<&str>> {
    let lines = text.lines().filter(|line| !line.starts_with('#') && !line.is_empty());
    lines.map(|line| line.split_whitespace().collect())
}

/// Whether a word makes a line destructive: a program as the first word, or a subcommand after it.
fn is_destructive(at: usize, word: &str) -> bool {
    lines(DESTRUCTIVE).any(|words| {
        let is_verb = words.last() == Some(&"|");
        words[usize::from(is_verb)] == word && is_verb == (at > 0)
    })
}

/// The lines of a text with every second kind of typing error, and the output of the shell or the tool.
fn misspelt(text: &str) -> Vec<(String, String)> {
    let mut cases = Vec::new();
    for mut words in lines(text) {
        let at = usize::from(words.pop_if(|word| *word == "|").is_some());
        for slip in slips(words[at]).into_iter().step_by(2) {
            let output = match at {
                0 => format!("bash: {slip}: command not found"),
                _ => format!("{}: unknown command \"{slip}\"", words[0]),
            };
            let typed: Vec<&str> =
                words.iter().enumerate().map(|(n, word)| if n == at { &slip } else { *word }).collect();
            cases.push((typed.join(" "), output));
        }
    }
    cases
}

/// The number of first proposals for misspelt lines, and those with destructive words that were not typed.
fn destructive_proposals(text: &str) -> (usize, Vec<String>) {
    let tools = lines(DESTRUCTIVE).chain(lines(HARMLESS)).map(|words| words[0]);
    let commands = tools.chain(PROGRAMS.split_whitespace()).map(str::to_owned).collect();
    let world = Told { commands, ..Told::default() };
    let cases = misspelt(text);
    let harmful = cases.iter().filter_map(|(command, output)| {
        let failure = FailedCommand { command, output, status: Some(127), cwd: Path::new("/") };
        let first = diagnose(&failure, &world).proposals.into_iter().next()?.command;
        let typed: Vec<&str> = command.split_whitespace().collect();
        let mut words = first.split_whitespace().enumerate();
        let is_harmful = words.any(|(at, word)| !typed.contains(&word) && is_destructive(at, word));
        is_harmful.then(|| format!("{command} → {first}"))
    });
    (cases.len(), harmful.collect())
}

#[test]
fn a_misspelt_harmless_command_never_becomes_a_destructive_one() {
    let (count, harmful) = destructive_proposals(HARMLESS);
    assert!(count >= 200, "only {count} misspelt lines");
    assert!(harmful.is_empty(), "{} of {count}:\n{}", harmful.len(), harmful.join("\n"));
}

#[test]
fn a_misspelt_destructive_command_never_becomes_another_destructive_one() {
    let (count, harmful) = destructive_proposals(DESTRUCTIVE);
    assert!(count >= 200, "only {count} misspelt lines");
    // A long verb with one typing error may be corrected to that verb. No other destructive word is ever proposed.
    let is_own_verb = |line: &String| {
        lines(DESTRUCTIVE).any(|words| words.contains(&"|") && line.ends_with(&words[..words.len() - 1].join(" ")))
    };
    let others: Vec<&String> = harmful.iter().filter(|line| !is_own_verb(line)).collect();
    assert!(others.is_empty(), "{} of {count}: {others:#?}", others.len());
}

/// Output of about this size that contains the signs of every rule, so that every pattern is tried.
fn strewn(size: usize) -> String {
    let signs: Vec<&str> = rules::all().flat_map(|rule| rule.signs.iter().copied()).collect();
    let words = "lorem ipsum 'dolor' `sit` amet: consectetur/adipiscing.elit:12:3 ";
    let mut text = String::new();
    let mut n = 0;
    while text.len() < size {
        text.push_str(words);
        text.push_str(signs[n % signs.len()]);
        text.push_str(if n % 3 == 0 { "\n" } else { " " });
        n += 1;
    }
    text
}

#[test]
fn time_is_linear_in_the_output() {
    let cases = corpus();
    // The size is below the cap on lines, so that the whole output is examined.
    for command in ["git push origin main", "cp a b/c", "./run.sh x | tail", "frobnicate 'x y' > out"] {
        assert_linear(command, 1_000_000, strewn, |output| {
            diagnose(&FailedCommand { command, output, status: Some(1), cwd: Path::new("/") }, &cases[0].1);
        });
    }
}

#[test]
fn proposals_contain_no_control_characters() {
    let world = Told { commands: vec!["git".into(), "ls".into()], ..Told::default() };
    for (command, output) in [
        ("gti \u{1b}[31m x", "bash: gti: command not found"),
        ("gti \u{202e}x", "bash: gti: command not found"),
        ("git psuh", "git: 'psuh' is not a git command\n\nThe most similar command is\n\tpu\u{1b}]0;x\u{7}sh\u{9b}2J"),
        (
            "git push",
            "fatal: The current branch x has no upstream branch.\n\n    git push --set-upstream origin x\r\u{8}",
        ),
        ("foo br", "unknown command br, did you mean 'bar\u{0}'?"),
    ] {
        let answer = diagnose(&FailedCommand { command, output, status: Some(1), cwd: Path::new("/") }, &world);
        for proposal in answer.proposals {
            assert_eq!(crate::text::sanitize(&proposal.command), proposal.command);
        }
    }
}

#[test]
fn proposals_contain_no_invisible_characters() {
    let world = Told { commands: vec!["git".into(), "ls".into()], ..Told::default() };
    let proposed = |command: &str, output: &str| {
        let answer = diagnose(&FailedCommand { command, output, status: Some(1), cwd: Path::new("/") }, &world);
        answer.proposals.into_iter().map(|proposal| proposal.command).collect::<Vec<_>>()
    };
    let upstream = |branch: &str| {
        let advice = format!("    git push --set-upstream origin {branch}\n");
        proposed("git push", &format!("fatal: The current branch x has no upstream branch.\n\n{advice}"))
    };
    assert_eq!(upstream("x"), ["git push --set-upstream origin x"]);
    let far = format!("x{}; rm y", " ".repeat(2_500));
    for hidden in ["x\u{200B}", "x\u{3164}y", "x\u{E0041}", "x\u{00AD}", far.as_str()] {
        let proposed = upstream(hidden);
        assert!(proposed.iter().all(|command| !crate::text::hides(command)), "{proposed:?}");
    }
    assert_eq!(
        proposed("gti status ", "bash: gti: command not found"),
        ["git status "],
        "a blank at the end is harmless"
    );
}

#[test]
fn time_is_linear_in_the_command() {
    let told = &corpus()[0].1;
    /// A command that repeats a text, and what the shell says of it.
    type Repeated = (&'static str, usize, fn(String) -> (String, String));
    let commands: [Repeated; 7] = [
        ("x", 300_000, |long| (long.clone(), format!("bash: {long}: command not found"))),
        ("x", 300_000, |long| {
            let answer = "tar: invalid option -- 'x'\nTry 'tar --help' for more information.";
            (format!("tar -{long}"), answer.into())
        }),
        ("x", 300_000, |long| {
            (format!("git {long}"), format!("git: '{long}' is not a git command. See 'git --help'."))
        }),
        ("a-", 100_000, |long| (long.clone(), format!("bash: {long}: command not found"))),
        ("'", 100_000, |long| (long + "'", "bash: unexpected EOF while looking for matching `''".into())),
        ("cp a/b ", 20_000, |long| (long, "cp: cannot stat 'a/b': No such file or directory".into())),
        ("a;", 50_000, |long| (long, "bash: a: command not found".into())),
    ];
    for (unit, times, case) in commands {
        let what = case(unit.to_owned()).0;
        assert_linear(
            &what,
            times,
            |times| case(unit.repeat(times)),
            |(command, output)| {
                diagnose(&FailedCommand { command, output, status: Some(1), cwd: Path::new("/") }, told);
            },
        );
    }
}

#[test]
fn rule_names_are_unique() {
    let mut names: Vec<&str> = rules::all().map(|rule| rule.name).collect();
    names.sort_unstable();
    let all = names.len();
    names.dedup();
    assert_eq!(names.len(), all);
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(64))]

    /// Any output with any command of the corpus. The signs of all rules are mixed in, so that most rules are applied.
    #[test]
    fn no_rule_panics(command in "[ -~é\n]{0,40}", output in "[ -~é\t\n]{0,400}", at in any::<prop::sample::Index>()) {
        let signs: Vec<&str> = rules::all().flat_map(|rule| rule.signs.iter().copied()).collect();
        let sign = at.get(&signs);
        let cases = corpus();
        let told = &at.get(cases).1;
        for command in [&command, &told.command] {
            for output in [format!("{output}{sign}"), format!("{sign}{output}"), format!("{output}\n{}", told.output)] {
                diagnose(&FailedCommand { command, output: &output, status: Some(1), cwd: Path::new("/") }, told);
            }
        }
    }
}
