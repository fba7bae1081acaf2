use std::collections::VecDeque;
use std::fs;
use std::io;

use super::record::{self, Changes};
use crate::cli::questions::{Answer, Answers, agree, choose};
use crate::cli::terminal_program::TerminalProgram;
use crate::config::Paths;

/// Answers that were written before. After the last one the person leaves.
struct Script(VecDeque<&'static str>);

impl Answers for Script {
    fn read(&mut self, _prompt: &str) -> Answer<String> {
        Ok(self.0.pop_front().map(str::to_owned))
    }

    fn read_secret(&mut self, prompt: &str) -> Answer<String> {
        self.read(prompt)
    }
}

fn says(lines: &[&'static str]) -> Script {
    Script(lines.iter().copied().collect())
}

#[test]
fn a_number_enter_and_q_are_understood_and_other_words_are_asked_again() {
    let choices = ["a".to_owned(), "b".to_owned()];
    let chosen = |lines: &[&'static str]| choose("?", &choices, 1, &mut says(lines), &mut io::sink()).unwrap();
    assert_eq!(chosen(&["1"]), Some(0));
    assert_eq!(chosen(&[""]), Some(1));
    assert_eq!(chosen(&["q"]), None);
    assert_eq!(chosen(&["3", "0", "x", "2"]), Some(1));
    assert_eq!(chosen(&["A"]), Some(0), "a name is understood too");
    assert_eq!(chosen(&[]), None);
    let agreed = |lines: &[&'static str]| agree("?", false, &mut says(lines), &mut io::sink()).unwrap();
    assert_eq!((agreed(&["Y"]), agreed(&[""]), agreed(&["maybe", "no"])), (Some(true), Some(false), Some(false)));
    assert_eq!((agreed(&["q"]), agreed(&[])), (None, None));
}

#[test]
fn a_long_list_is_cut_and_searched_by_words() {
    let mut choices: Vec<String> = (1..=40).map(|number| format!("openai/gpt-{number}   400k")).collect();
    choices.push("back".to_owned());
    let mut shown = Vec::new();
    let chosen = choose("?", &choices, 0, &mut says(&["GPT-3", "openai/gpt-33"]), &mut shown).unwrap();
    assert_eq!(chosen, Some(32));
    let shown = String::from_utf8(shown).unwrap();
    let (list, found) = shown.split_once("  41  back\n").unwrap();
    assert!(list.contains("  19  openai/gpt-19") && !list.contains("gpt-20"), "{list}");
    assert!(list.contains("21 more: type a part of a name"), "{list}");
    assert!(found.contains("   3  openai/gpt-3 ") && found.contains("  39  openai/gpt-39"), "{found}");
    assert_eq!(found.lines().count(), 11, "{found}");
}

#[test]
fn the_lines_for_the_login_shell_name_the_way_back() {
    let lines = |login: &str, listed: &str| {
        let mut out = Vec::new();
        let (binary, login) = (std::path::Path::new("/opt/shellmate"), std::path::Path::new(login));
        super::advice::login_shell(binary, login, listed, &mut out).unwrap();
        String::from_utf8(out).unwrap()
    };
    let fresh = lines("/usr/bin/fish", "/bin/bash\n");
    assert!(fresh.contains("`chsh -s /usr/bin/fish` undoes it") && fresh.contains("tee -a /etc/shells"), "{fresh}");
    assert!(!lines("/usr/bin/fish", "/opt/shellmate\n").contains("/etc/shells"));
    let done = lines("/opt/shellmate", "/opt/shellmate\n");
    assert!(done.contains("is your login shell; `chsh -s /bin/bash` changes that"), "{done}");
}

fn paths(home: &std::path::Path) -> Paths {
    let home = home.as_os_str().to_owned();
    Paths::from_env(move |name| (name == "HOME").then(|| home.clone()), 0, None)
}

#[test]
fn undo_restores_the_file_or_its_absence_and_leaves_later_edits_alone() {
    let temp = tempfile::tempdir().unwrap();
    let paths = paths(temp.path());
    let file = paths.config_file().unwrap();
    assert!(record::undo(&paths).is_err(), "nothing was changed yet");
    let write = |before: Option<&str>, after: &str| {
        let before = before.map(str::to_owned);
        record::write(&paths, Changes { file: &file, before, after, server: None, key: None }).unwrap();
    };
    write(None, "theme = \"dark\"\n");
    record::undo(&paths).unwrap();
    assert!(!file.exists());

    let before = "# mine\ntheme = \"light\"\n";
    fs::write(&file, before).unwrap();
    write(Some(before), "# mine\ntheme = \"dark\"\n");
    fs::write(&file, "theme = \"mono\"\n").unwrap();
    let refusal = record::undo(&paths).unwrap_err().to_string();
    assert!(refusal.contains("was changed after `shellmate init`"), "{refusal}");
    assert_eq!(fs::read_to_string(&file).unwrap(), "theme = \"mono\"\n");
    fs::write(&file, "# mine\ntheme = \"dark\"\n").unwrap();
    record::undo(&paths).unwrap();
    assert_eq!(fs::read_to_string(&file).unwrap(), before);
    assert!(record::undo(&paths).is_err(), "it is undone once");
}

#[test]
fn every_terminal_has_lines_that_name_the_binary() {
    use TerminalProgram as Program;
    for program in [
        None,
        Some(Program::Tmux),
        Some(Program::VsCode),
        Some(Program::Kitty),
        Some(Program::Alacritty),
        Some(Program::WezTerm),
        Some(Program::GnomeTerminal),
        Some(Program::Iterm2),
        Some(Program::WindowsTerminal),
        Some(Program::Foot),
        Some(Program::Vte),
        Some(Program::Xterm),
    ] {
        let (_, lines) = super::advice::of_terminal(program, "/opt/shellmate");
        assert!(lines.iter().any(|line| line.contains("/opt/shellmate")), "{program:?}: {lines:?}");
    }
}
