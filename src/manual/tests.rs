use std::collections::BTreeSet;
use std::fs;
use std::path::Path;

use super::table::TOPICS;
use super::topics::TopicAnswer;
use super::*;

/// The setting that answers a question, or the first words of the answer.
fn answered(question: &str) -> Option<&'static str> {
    Topic::of(question).map(|topic| match topic.answer {
        TopicAnswer::Setting(name, ..) => name,
        TopicAnswer::Words(words, _) => words,
    })
}

#[test]
fn questions_about_shellmate_are_answered() {
    let wanted = [
        ("how do I change the hotkey", "hotkey"),
        ("How can I turn off the hotkey?", "hotkey"),
        ("which key opens the conversation line", "hotkey"),
        ("how do I change the keys", "keys.unfold"),
        ("how can I configure the keybindings of shellmate?", "keys.unfold"),
        ("which key unfolds the output", "keys.unfold"),
        ("how do I rebind a key", "keys.unfold"),
        ("where is the history kept", "The history is"),
        ("where are my commands stored", "The history is"),
        ("where's the history database", "The history is"),
        ("how do I turn recording off", "history.enabled"),
        ("how do I stop shellmate from recording my commands?", "history.enabled"),
        ("how can I disable the history", "history.enabled"),
        ("how do I pause the recording", "history.enabled"),
        ("how do I keep a command out of the history", "history.ignore"),
        ("how do I exclude commands with passwords from recording", "history.ignore"),
        ("how long is the history kept", "history.commands"),
        ("how do I forget a command", "`shellmate history forget ID`"),
        ("how do I delete the last command from the history", "`shellmate history forget ID`"),
        ("how do I clear my history", "`shellmate history forget ID`"),
        ("how do I search the history", "`shellmate history search`"),
        ("how much output is kept", "capture.tail"),
        ("how do I switch the model", "model.name"),
        ("how do I use a different model by default", "model.name"),
        ("which model do you use", "model.name"),
        ("how do I connect a model", "`shellmate auth login PROVIDER`"),
        ("how do I add an API key", "`shellmate auth login PROVIDER`"),
        ("how do I use ollama", "`shellmate auth login PROVIDER`"),
        ("where is my api key stored", "Keys that"),
        ("how do I make it my login shell", "Try `shellmate -l`"),
        ("how do I make shellmate my default shell", "Try `shellmate -l`"),
        ("how do I start shellmate automatically in every terminal", "Try `shellmate -l`"),
        ("how do I use a different shell", "shell"),
        ("how do I turn off the hint", "hint"),
        ("how do I get rid of the dim line after a failed command", "hint"),
        ("how do I turn off the hint in ssh", "nested_hint"),
        ("how do I change the theme", "theme"),
        ("how do I use the dark theme", "theme"),
        ("how do I turn off line wrapping", "wrap"),
        ("how do I turn off the built-in rules", "reflex"),
        ("how do I mask more secrets", "redact.patterns"),
        ("what is sent to the model", "`> /context` shows"),
        ("how much of my output is sent to the model", "agent.context_size"),
        ("how do I stop it from reading AGENTS.md", "agent.conventions"),
        ("where do I put a skill", "agent.skill_paths"),
        ("how do I turn on the memory", "agent.memory"),
        ("where are my notes kept", "agent.memory"),
        ("how do I use vi keys", "line.mode"),
        ("how do I change the agent's command timeout", "agent.command_timeout"),
        ("how many steps may a question take", "agent.steps"),
        ("when is the conversation summarised", "agent.compact_at"),
        ("how do I set the context window", "model.window"),
        ("how do I change the thinking level", "`> /thinking LEVEL`"),
        ("how do I start a new conversation", "`> /new`"),
        ("how do I stop an answer", "Ctrl-C"),
        ("what slash commands are there", "`> /help`"),
        ("where is the configuration file", "The settings are"),
        ("how do I change your settings", "The settings are"),
        ("where is the log of shellmate", "SHELLMATE_LOG=debug"),
        ("how do I attach a file", "`@path`"),
        ("how much did that cost so far", "`> /usage`"),
        ("how do I uninstall shellmate", "`exit` leaves"),
        ("how do I empty a file", "A line that begins"),
    ];
    let is_wrong =
        |(question, answer): &&(&str, &str)| !answered(question).is_some_and(|found| found.starts_with(answer));
    let wrong: Vec<_> = wanted.iter().filter(is_wrong).map(|(question, _)| (question, answered(question))).collect();
    assert!(wrong.is_empty(), "{wrong:#?}");
}

#[test]
fn other_questions_are_not_answered() {
    for question in [
        "how do I change the branch",
        "how do I switch the branch",
        "how do I change the hotkey of tmux",
        "how do I undo the last commit",
        "how do I turn off the firewall",
        "where is the config of nginx",
        "where is the nginx log",
        "where are the logs",
        "how do I record my screen",
        "how do I change the password",
        "how do I forget a wifi network",
        "how do I delete a file",
        "how do I delete the remote branch",
        "how do I change the theme of vscode",
        "how do I make zsh my login shell",
        "how do I turn off the computer",
        "how do I change the hostname",
        "how do I change the window size",
        "how do I use a model in django",
        "how do I train a model",
        "how do I see the history of a file",
        "where is the bash history kept",
        "where is the git history stored",
        "how do I turn off wrapping in vim",
        "how do I set a variable",
        "how do I set the default editor",
        "how do I change the key of a dictionary",
        "how do I change my shell prompt",
        "how do I connect to a server",
        "how do I set a timeout for curl",
        "how do I set a timeout for a command",
        "how do I stop tracking a file",
        "how do I run a command in the background",
        "how do I add a file",
        "how do I redirect output to a file",
        "how do I turn off the cache",
        "how do I start a local server",
        "how do I start nginx automatically",
        "how do I find old files",
        "how do I change the color of ls",
        "which shell am I using",
        "what are you thinking",
        "why did you stop",
        "can I get a hint",
        "can I get a summary",
        "what conventions does this project use",
        "how do I mask a service",
        "how do I resume a job",
        "how do I free memory",
        "how much memory is used",
        "how do I delete a release note",
        "what is the history of unix",
        "where is my ssh key",
        "how does it work",
        "what can you tell me about this",
        "change it",
        "how do I",
        "",
        "write a test for the history of the hotkey",
    ] {
        assert_eq!(answered(question), None, "{question}");
    }
}

#[test]
fn an_answer_names_the_setting_its_default_the_file_and_an_example() {
    let answer = |question| Topic::of(question).unwrap().answer("~/.config/shellmate/config.toml");
    let hotkey = answer("how do I change the hotkey");
    assert!(
        hotkey.starts_with("`hotkey` (default \"ctrl-\\\\\"): The key that opens the conversation line"),
        "{hotkey}"
    );
    for part in ["in ~/.config/shellmate/config.toml:", "hotkey = \"ctrl-]\"", "shellmate config set hotkey 'ctrl-]'"] {
        assert!(hotkey.contains(part), "{part}: {hotkey}");
    }
    let recording = answer("how do I turn recording off");
    assert!(recording.contains("[history]\n             enabled = false\n"), "{recording}");
    assert!(recording.contains("shellmate config set history.enabled false"), "{recording}");
    for (question, example) in [
        ("how do I turn off the hint", "hint = false"),
        ("how do I turn on the hint", "hint = true"),
        ("how do I turn off the memory", "memory = false"),
        ("how do I turn on the memory", "memory = true"),
        ("how do I turn off the built-in rules", "reflex = \"off\""),
    ] {
        assert!(answer(question).contains(example), "{}", answer(question));
    }
    assert!(answer("how do I use another shell").starts_with("`shell` (not set): The shell to start"));
}

#[test]
fn every_topic_names_settings_commands_and_documents_that_exist() {
    for topic in TOPICS {
        let words = topic.answer("config.toml");
        if let TopicAnswer::Setting(name, ..) = topic.answer {
            assert!(settings::DocumentedSetting::named(name).is_some(), "{name}");
        }
        let ends = |c: char| c == '`' || c == '.' || c == ',';
        for (at, _) in words.match_indices("`shellmate ") {
            let command = words[at + 1..].split(ends).next().unwrap_or_default();
            let verbs = command.split(' ').take_while(|word| word.chars().all(|c| c.is_ascii_lowercase()));
            let verbs: Vec<&str> = verbs.collect();
            assert!(document("CLI.md").contains(&format!("## `{}`", verbs.join(" "))), "{command}");
        }
        for (at, _) in words.match_indices("docs/") {
            let name = words[at + 5..].split([')', ' ', '\n', '`']).next().unwrap_or_default().trim_end_matches('.');
            assert!(DOCUMENTS.iter().any(|document| document.name == name), "{name}");
        }
    }
}

#[test]
fn every_document_is_in_the_binary() {
    let docs = Path::new(env!("CARGO_MANIFEST_DIR")).join("docs");
    let names = fs::read_dir(docs).unwrap().flatten().map(|entry| entry.file_name().into_string().unwrap());
    let wanted: BTreeSet<String> =
        names.filter(|name| name.ends_with(".md") || name.ends_with(".json")).chain(["README.md".to_owned()]).collect();
    let present: BTreeSet<String> = DOCUMENTS.iter().map(|document| document.name.to_owned()).collect();
    assert_eq!(present, wanted, "add the file to the list in src/manual/mod.rs");
    let size: usize = DOCUMENTS.iter().map(|document| document.text.len()).sum();
    assert!(size < 300_000, "{size} bytes");
}

#[test]
fn pages_are_found_by_their_address() {
    let title = |address: &str| page(address).unwrap().unwrap().lines().next().unwrap_or_default().to_owned();
    assert_eq!(title("shellmate://docs/CONFIG.md"), "# Configuration");
    assert_eq!(title(" shellmate://docs/config.md"), "# Configuration");
    assert_eq!(title("shellmate://docs"), "shellmate://docs/README.md  shellmate");
    assert!(page("shellmate://docs/").unwrap().unwrap().contains("shellmate://docs/config.schema.json  the config"));
    assert_eq!(page("docs/CONFIG.md"), None);
    for missing in
        ["shellmate://docs/NOPE.md", "shellmate://docs/../Cargo.toml", "shellmate://docsCONFIG.md", "shellmate:x"]
    {
        let error = page(missing).unwrap().unwrap_err().to_string();
        assert_eq!(error, format!("{missing} does not exist; shellmate://docs lists the documents"));
    }
}
