//! Slash commands: `> /help` and its kin.
//!
//! One table describes them all. `/help`, completion and dispatch are read from it, so a command exists once it has a row.

use crate::export::DocumentFormat;
use crate::provider::{Effort, UnknownEffort};
use crate::text;
use crate::usage::{Period, UnknownPeriod};

use super::export::ExportOrder;
use super::memory::MemoryOrder;

/// One slash command.
pub(in crate::session) struct SlashCommand {
    name: &'static str,
    /// The names that people bring from other tools.
    aliases: &'static [&'static str],
    /// As `/help` shows them; empty if the command takes none.
    arguments: &'static str,
    pub(in crate::session) help: &'static str,
    pub(in crate::session) completes: Completes,
    /// Turns the arguments into the call. The error is for the person.
    read: fn(&str) -> Result<Slash, SlashError>,
}

/// Why a line that looks like a slash command cannot be carried out. The text is for the person.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub(in crate::session) enum SlashError {
    #[error("{0} takes no arguments; a question begins without a slash")]
    NoArguments(String),
    #[error("{name} is a command for your shell here: {advice}")]
    InTheShell { name: String, advice: &'static str },
    #[error("there is no {name}{}; /help lists the commands", .near.map(|near| format!(" (did you mean {near}?)")).unwrap_or_default())]
    Unknown { name: String, near: Option<&'static str> },
    #[error("which level? off, minimal, low, medium, high or xhigh")]
    NoLevel,
    #[error(transparent)]
    Level(#[from] UnknownEffort),
    #[error(transparent)]
    Period(#[from] UnknownPeriod),
    #[error("`{0}` is not a number; `> /show 2` shows the second answer")]
    NotANumber(String),
    #[error("`{0}` is not a number of questions; `> /rewind 2` takes the last two back")]
    NotACount(String),
    #[error("which title? `> /name the build on arm`")]
    NoTitle,
    #[error("`{0}` is not a part of the context; the parts are system, tools and conversation")]
    UnknownPart(String),
    #[error("`{0}` does not say which format; `> /export html` and `> /export notes.md` do (md, jsonl, html)")]
    NoFormat(String),
    #[error("what should be remembered? `/remember TEXT` for this repository, `/remember -g TEXT` for everywhere")]
    NothingToRemember,
    #[error(
        "`/memory` shows your notes, `/memory edit` opens them, `/memory clear` deletes them, `/memory learn` proposes some; `-g` means those for everywhere"
    )]
    UnknownMemoryOrder,
}

/// What completion offers behind a command.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(in crate::session) enum Completes {
    Nothing,
    Models,
    Words(&'static [&'static str]),
}

/// A command that was read, by who carries it out.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(in crate::session) enum Slash {
    Session(SessionCommand),
    Agent(AgentCommand),
}

/// Commands for the session, which knows the requests and the keys.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(in crate::session) enum SessionCommand {
    Help,
    Fix,
    Show(Option<u64>),
    Retry,
}

/// Commands for the agent's thread, which holds the conversation.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(in crate::session) enum AgentCommand {
    Model(Option<String>),
    Models,
    Thinking(Effort),
    Context(ContextPart),
    Skills,
    New,
    /// List conversations, or continue the one with this number or these words.
    Resume(String),
    Fork,
    /// Take this many exchanges back.
    Rewind(usize),
    Name(String),
    /// Summarise the conversation; the words say what matters.
    Compact(String),
    /// What was used in this session, and in a period if one is named.
    Usage(Option<Period>),
    Copy,
    Export(ExportOrder),
    Memory(MemoryOrder),
    Quit,
}

/// Which part of the next request `/context` prints.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(in crate::session) enum ContextPart {
    /// The size of each part, and the new text in full.
    Whole,
    System,
    Tools,
    Conversation,
}

const PARTS: [(&str, ContextPart); 3] =
    [("system", ContextPart::System), ("tools", ContextPart::Tools), ("conversation", ContextPart::Conversation)];

const COMMANDS: &[SlashCommand] = &[
    SlashCommand::plain("/help", "this list", |_| Ok(Slash::Session(SessionCommand::Help))),
    SlashCommand::plain("/fix", "put a corrected form of the last command on your prompt; `> fix` does too", |_| {
        Ok(Slash::Session(SessionCommand::Fix))
    }),
    SlashCommand {
        arguments: "[NAME]",
        completes: Completes::Models,
        ..SlashCommand::plain(
            "/model",
            "which model is asked, or another from here on (provider/model[:effort])",
            |rest| Ok(Slash::Agent(AgentCommand::Model((!rest.is_empty()).then(|| rest.to_owned())))),
        )
    },
    SlashCommand::plain("/models", "the models that can be asked", |_| Ok(Slash::Agent(AgentCommand::Models))),
    SlashCommand {
        arguments: "LEVEL",
        completes: Completes::Words(&["off", "minimal", "low", "medium", "high", "xhigh"]),
        ..SlashCommand::plain("/thinking", "how hard it thinks: off, minimal, low, medium, high or xhigh", thinking)
    },
    SlashCommand {
        arguments: "[N]",
        ..SlashCommand::plain(
            "/show",
            "the last answer, or the Nth, again and unfolded; a request in the background comes to the front",
            show,
        )
    },
    SlashCommand {
        arguments: "[PART]",
        completes: Completes::Words(&["system", "tools", "conversation"]),
        ..SlashCommand::plain(
            "/context",
            "what the next question would send along, and its size; PART: system, tools or conversation",
            context,
        )
    },
    SlashCommand {
        aliases: &["/skill"],
        ..SlashCommand::plain("/skills", "the skills of this directory; `/skill:NAME [ARGUMENTS]` uses one", |_| {
            Ok(Slash::Agent(AgentCommand::Skills))
        })
    },
    SlashCommand {
        aliases: &["/clear", "/reset"],
        ..SlashCommand::plain("/new", "begin a new conversation", |_| Ok(Slash::Agent(AgentCommand::New)))
    },
    SlashCommand {
        arguments: "[N]",
        aliases: &["/continue", "/sessions"],
        ..SlashCommand::plain(
            "/resume",
            "earlier conversations, or go on with number N, or with the one that words find",
            |rest| Ok(Slash::Agent(AgentCommand::Resume(rest.to_owned()))),
        )
    },
    SlashCommand {
        aliases: &["/branch"],
        ..SlashCommand::plain("/fork", "go on in a copy; the conversation stays as it is", |_| {
            Ok(Slash::Agent(AgentCommand::Fork))
        })
    },
    SlashCommand {
        arguments: "[N]",
        ..SlashCommand::plain(
            "/rewind",
            "take the last N questions back; the first of them comes to your prompt",
            rewind,
        )
    },
    SlashCommand {
        arguments: "TITLE",
        aliases: &["/rename"],
        ..SlashCommand::plain("/name", "give the conversation a title", name)
    },
    SlashCommand {
        arguments: "[WHAT MATTERS]",
        aliases: &["/compress", "/summarize"],
        ..SlashCommand::plain("/compact", "summarise the conversation so far, so that it takes less room", |rest| {
            Ok(Slash::Agent(AgentCommand::Compact(rest.to_owned())))
        })
    },
    SlashCommand {
        aliases: &["/cost", "/stats", "/tokens"],
        arguments: "[PERIOD]",
        completes: Completes::Words(&Period::NAMES),
        ..SlashCommand::plain(
            "/usage",
            "tokens and cost, of this session or in a PERIOD: today, week, month or all",
            usage,
        )
    },
    SlashCommand::plain("/copy", "put the last answer on the clipboard", |_| Ok(Slash::Agent(AgentCommand::Copy))),
    SlashCommand {
        arguments: "[FORMAT] [PATH]",
        aliases: &["/save"],
        completes: Completes::Words(&DocumentFormat::NAMES),
        ..SlashCommand::plain("/export", "write the conversation to a file; FORMAT: md, jsonl or html", |rest| {
            ExportOrder::read(rest).map(|order| Slash::Agent(AgentCommand::Export(order)))
        })
    },
    SlashCommand {
        arguments: "[-g] TEXT",
        ..SlashCommand::plain("/remember", "keep a note for this repository; -g: for everywhere", |rest| {
            MemoryOrder::remember(rest).map(|order| Slash::Agent(AgentCommand::Memory(order)))
        })
    },
    SlashCommand {
        arguments: "[view|edit|clear|learn] [-g]",
        completes: Completes::Words(&MemoryOrder::WORDS),
        ..SlashCommand::plain("/memory", "your notes", |rest| {
            MemoryOrder::read(rest).map(|order| Slash::Agent(AgentCommand::Memory(order)))
        })
    },
    SlashCommand::plain("/retry", "ask the last question again", |_| Ok(Slash::Session(SessionCommand::Retry))),
    SlashCommand {
        aliases: &["/exit", "/bye", "/q"],
        ..SlashCommand::plain("/quit", "end the conversation; your shell stays", |_| {
            Ok(Slash::Agent(AgentCommand::Quit))
        })
    },
];

/// Commands of other tools that are subcommands here, and the one to run in the shell.
const IN_THE_SHELL: &[(&str, &str)] = &[
    ("/login", "`shellmate auth login` keeps a key"),
    ("/logout", "`shellmate auth logout` forgets a key"),
    ("/auth", "`shellmate auth` says which providers have a key"),
    ("/theme", "`shellmate theme` lists the themes, `shellmate config set theme NAME` chooses one"),
    ("/config", "`shellmate config edit` opens the settings, `shellmate config` prints them"),
    ("/settings", "`shellmate config edit` opens the settings, `shellmate config` prints them"),
    ("/doctor", "`shellmate doctor` looks for problems"),
    ("/history", "`shellmate history` lists the commands you ran"),
];

/// How to ask, and how to point at things.
const ASKING: [(&str, &str); 6] = [
    ("> QUESTION", "asks; the line never reaches the shell (begin it with a blank to mean a redirection)"),
    (">", "alone opens a line for a whole conversation; an empty Enter, Esc or Ctrl-D closes it"),
    ("@FILE", "sends a file, a picture or the names in a directory along"),
    ("@last", "sends the last command and its output along"),
    ("@ID", "sends an earlier command and its output along (`shellmate history` shows the IDs)"),
    ("@\"WORDS\"", "sends the recorded command along that matches these words best"),
];

/// What keys do while an answer is on its way.
const KEYS: [(&str, &str); 6] = [
    ("Ctrl-C", "stops the answer"),
    ("Ctrl-Z", "lets it go on in the background; so does a line that ends with ` &`"),
    (">", "opens a line to steer it; Esc closes the line"),
    ("Ctrl-O", "unfolds what a call printed"),
    ("Ctrl-T", "shows what the model thinks"),
    ("other keys", "wait for your prompt"),
];

impl SlashCommand {
    /// A command without arguments.
    const fn plain(
        name: &'static str,
        help: &'static str,
        read: fn(&str) -> Result<Slash, SlashError>,
    ) -> SlashCommand {
        SlashCommand { name, aliases: &[], arguments: "", help, completes: Completes::Nothing, read }
    }

    /// The name with its arguments, such as `/model [NAME]`.
    pub(in crate::session) fn usage(&self) -> String {
        format!("{} {}", self.name, self.arguments).trim_end().to_owned()
    }

    fn is_called(&self, word: &str) -> bool {
        self.name == word || self.aliases.contains(&word)
    }
}

/// The table.
pub(in crate::session) fn commands() -> impl Iterator<Item = &'static SlashCommand> {
    COMMANDS.iter()
}

/// The text of `/help`, with the name of the hotkey if there is one.
pub(in crate::session) fn help(hotkey: Option<&str>) -> String {
    let line = |usage: &str, help: &str| format!("{usage:<16} {help}");
    let mut lines: Vec<String> = ASKING.iter().map(|(usage, help)| line(usage, help)).collect();
    if let Some(key) = hotkey {
        lines.insert(2, line(key, "opens the same line over a running program (vim, ssh); twice sends the key to it"));
    }
    lines.push(String::new());
    lines.extend(commands().map(|command| line(&command.usage(), command.help)));
    lines.extend(["".to_owned(), "while an answer is on its way:".to_owned()]);
    lines.extend(KEYS.iter().map(|(key, help)| line(key, help)));
    lines.join("\n")
}

/// Directories at the root, which a question may be about. They are known by name: the loop does not ask the file system.
const ROOT_DIRECTORIES: [&str; 21] = [
    "/bin",
    "/boot",
    "/dev",
    "/etc",
    "/home",
    "/lib",
    "/media",
    "/mnt",
    "/nix",
    "/opt",
    "/proc",
    "/root",
    "/run",
    "/sbin",
    "/snap",
    "/srv",
    "/sys",
    "/tmp",
    "/usr",
    "/var",
    "/workspace",
];

/// Reads a line that is a slash command; a path is not one. The error is for the person.
pub(in crate::session) fn parse(line: &str) -> Option<Result<Slash, SlashError>> {
    let (word, rest) = line.split_once(char::is_whitespace).unwrap_or((line, ""));
    let is_one = word.strip_prefix('/').is_some_and(|name| name.chars().all(|c| c.is_ascii_alphabetic()));
    let is_one = is_one && !ROOT_DIRECTORIES.contains(&word);
    is_one.then(|| read(word, rest.trim()))
}

fn read(word: &str, rest: &str) -> Result<Slash, SlashError> {
    match commands().find(|command| command.is_called(word)) {
        Some(command) if command.arguments.is_empty() && !rest.is_empty() => {
            Err(SlashError::NoArguments(word.to_owned()))
        }
        Some(command) => (command.read)(rest),
        None => Err(unknown(word)),
    }
}

fn unknown(word: &str) -> SlashError {
    let name = word.to_owned();
    match IN_THE_SHELL.iter().find(|(command, _)| *command == word) {
        Some((_, advice)) => SlashError::InTheShell { name, advice },
        None => SlashError::Unknown { near: text::nearest(word, commands().map(|command| command.name)), name },
    }
}

fn thinking(rest: &str) -> Result<Slash, SlashError> {
    if rest.is_empty() {
        return Err(SlashError::NoLevel);
    }
    Ok(Slash::Agent(AgentCommand::Thinking(rest.parse()?)))
}

fn rewind(rest: &str) -> Result<Slash, SlashError> {
    let exchanges = match rest {
        "" => 1,
        _ => rest.parse().ok().filter(|count| *count > 0).ok_or_else(|| SlashError::NotACount(rest.to_owned()))?,
    };
    Ok(Slash::Agent(AgentCommand::Rewind(exchanges)))
}

fn name(rest: &str) -> Result<Slash, SlashError> {
    if rest.is_empty() {
        return Err(SlashError::NoTitle);
    }
    Ok(Slash::Agent(AgentCommand::Name(rest.to_owned())))
}

fn show(rest: &str) -> Result<Slash, SlashError> {
    let number = match rest {
        "" => None,
        _ => Some(rest.parse().map_err(|_| SlashError::NotANumber(rest.to_owned()))?),
    };
    Ok(Slash::Session(SessionCommand::Show(number)))
}

fn usage(rest: &str) -> Result<Slash, SlashError> {
    let period = if rest.is_empty() { None } else { Some(rest.parse()?) };
    Ok(Slash::Agent(AgentCommand::Usage(period)))
}

fn context(rest: &str) -> Result<Slash, SlashError> {
    let part = match rest {
        "" => Some(ContextPart::Whole),
        _ => PARTS.iter().find(|(name, _)| *name == rest).map(|(_, part)| *part),
    };
    let part = part.ok_or_else(|| SlashError::UnknownPart(rest.to_owned()))?;
    Ok(Slash::Agent(AgentCommand::Context(part)))
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The command, or what the person reads instead.
    fn read(line: &str) -> Result<Slash, String> {
        parse(line).unwrap().map_err(|error| error.to_string())
    }

    #[test]
    fn commands_are_read_and_mistakes_named() {
        assert_eq!(read("/model openai/x"), Ok(Slash::Agent(AgentCommand::Model(Some("openai/x".into())))));
        assert_eq!(read("/new"), Ok(Slash::Agent(AgentCommand::New)));
        assert_eq!(read("/show 12"), Ok(Slash::Session(SessionCommand::Show(Some(12)))));
        assert_eq!(read("/show"), Ok(Slash::Session(SessionCommand::Show(None))));
        assert!(read("/show it").unwrap_err().contains("`it` is not a number"));
        assert_eq!(
            read("/contxt").unwrap_err(),
            "there is no /contxt (did you mean /context?); /help lists the commands"
        );
        assert!(read("/zzzzzz").unwrap_err().starts_with("there is no /zzzzzz;"));
        assert!(read("/thinking").unwrap_err().starts_with("which level?"));
        assert!(read("/thinking hihg").is_err());
        assert_eq!(read("/thinking high"), Ok(Slash::Agent(AgentCommand::Thinking(Effort::High))));
        assert_eq!(read("/context tools"), Ok(Slash::Agent(AgentCommand::Context(ContextPart::Tools))));
        assert!(read("/context all").unwrap_err().contains("system, tools and conversation"));
        assert_eq!(read("/new one").unwrap_err(), "/new takes no arguments; a question begins without a slash");
    }

    #[test]
    fn habits_from_other_tools_do_what_they_did_there() {
        assert_eq!(read("/clear"), read("/new"));
        assert_eq!(read("/cost"), read("/usage"));
        assert_eq!(read("/exit"), read("/quit"));
        for (word, advice) in [
            ("/login", "shellmate auth login"),
            ("/theme", "shellmate config set theme NAME"),
            ("/config", "shellmate config edit"),
        ] {
            let said = read(word).unwrap_err();
            assert!(said.contains(advice) && !said.contains("did you mean"), "{said}");
        }
    }

    #[test]
    fn another_word_is_not_taken_for_a_slip() {
        for word in ["/undo", "/mcp", "/init", "/jobs", "/edit"] {
            let said = read(word).unwrap_err();
            assert!(!said.contains("did you mean"), "{said}");
        }
        for (word, meant) in [("/hlep", "/help"), ("/modle", "/model"), ("/usgae", "/usage"), ("/thinkng", "/thinking")]
        {
            assert!(read(word).unwrap_err().contains(&format!("did you mean {meant}?")), "{word}");
        }
    }

    #[test]
    fn every_row_of_the_table_is_read_completed_and_helped() {
        for command in commands() {
            let arguments = match (command.completes, command.arguments) {
                (Completes::Words(words), _) => words.to_vec(),
                (_, "[N]") => vec!["1"],
                (_, "") => vec![""],
                (..) => vec!["x"],
            };
            for argument in arguments {
                assert!(read(&format!("{} {argument}", command.name)).is_ok(), "{} {argument}", command.name);
            }
            assert!(help(None).contains(&command.usage()), "{}", command.name);
            for name in command.aliases.iter().chain([&command.name]) {
                let called = |other: &&SlashCommand| other.is_called(name);
                assert_eq!(commands().filter(called).count(), 1, "{name} has one meaning");
                assert!(!IN_THE_SHELL.iter().any(|(other, _)| other == name));
            }
        }
    }

    #[test]
    fn help_says_how_to_ask() {
        let said = help(Some("ctrl-\\"));
        for words in ["> QUESTION", "\n>  ", "ctrl-\\", "@FILE", "@last", "@ID", "Ctrl-Z"] {
            assert!(said.contains(words), "{words}: {said}");
        }
        assert!(!help(None).contains("ctrl-\\"));
    }

    #[test]
    fn a_path_is_part_of_a_question() {
        assert_eq!(parse("/etc/hosts is odd, why"), None);
        assert_eq!(parse("/tmp"), None);
        assert_eq!(parse("/var is full, why"), None);
        assert!(commands().all(|command| ROOT_DIRECTORIES.iter().all(|name| !command.is_called(name))));
        assert_eq!(parse("why"), None);
        assert_eq!(parse("./x"), None);
    }
}
