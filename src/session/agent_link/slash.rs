//! Slash commands, such as `> /help`.
//!
//! One table describes them all. `/help`, completion and dispatch are read from it, so a command exists once it has a row.

use crate::export::DocumentFormat;
use crate::guard::PermissionMode;
use crate::provider::{Effort, UnknownEffort};
use crate::text;
use crate::usage::{Period, UnknownPeriod};

use super::export::ExportOrder;
use super::memory::MemoryOrder;
use super::pick_model::arguments as model;
use super::undo::DiffForm;

/// One slash command.
pub(in crate::session) struct SlashCommand {
    name: &'static str,
    /// Names of the same command in other tools.
    aliases: &'static [&'static str],
    /// The arguments as `/help` shows them; empty if the command takes none.
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
    #[error("`{0}` is not a number of questions; `> /undo 2` undoes what the last two changed")]
    NotAnUndoCount(String),
    #[error("`/diff` does not take `{0}`; `> /diff` shows lines, `> /diff --stat` only their numbers")]
    UnknownDiffForm(String),
    #[error("`{0}` is not a mode; the modes are ask, auto and plan")]
    UnknownMode(String),
    #[error(
        "`{0}` is not the number of an approval; `> /permissions` numbers them, `> /permissions revoke 2` takes the second back"
    )]
    NoGrant(String),
    #[error("which title? `> /name the build on arm`")]
    NoTitle,
    #[error("`{0}` is not a part of the context; the parts are system, tools and conversation")]
    UnknownPart(String),
    #[error("`{0}` is not a format (md, jsonl or html); for example `> /export html` or `> /export notes.md`")]
    NoFormat(String),
    #[error("what should be remembered? `/remember TEXT` for this repository, `/remember -g TEXT` for everywhere")]
    NothingToRemember,
    #[error(
        "`/memory` shows your notes, `/memory edit` opens them, `/memory clear` deletes them, `/memory learn` proposes some; `-g` means those for everywhere"
    )]
    UnknownMemoryOrder,
}

/// What completion offers after a command.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(in crate::session) enum Completes {
    Nothing,
    Models,
    Words(&'static [&'static str]),
}

/// A parsed command, by who carries it out.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(in crate::session) enum Slash {
    Session(SessionCommand),
    Agent(AgentCommand),
}

/// Commands for the session, which knows the requests and the keys.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(in crate::session) enum SessionCommand {
    Help,
    Keys,
    Fix,
    Show(Option<u64>),
    Retry,
}

/// Commands for the agent's thread, which holds the conversation.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(in crate::session) enum AgentCommand {
    /// Prints this list of the built-in commands, and the person's own.
    Help(String),
    /// Switches to the named model, or to one that the person picks, and may save it.
    Model {
        name: Option<String>,
        saves: bool,
    },
    Models,
    Thinking(Effort),
    Context(ContextPart),
    Skills,
    New,
    /// Lists conversations, or continues the one with this number or these words.
    Resume(String),
    Fork,
    /// Removes this many exchanges.
    Rewind(usize),
    Name(String),
    /// Undoes the file changes of this many queries.
    Undo(usize),
    Redo,
    Diff(DiffForm),
    /// Summarises the conversation; the text says what is important.
    Compact(String),
    /// Shows the usage of this session, and of a period if one is named.
    Usage(Option<Period>),
    Copy,
    Export(ExportOrder),
    Memory(MemoryOrder),
    /// Show or choose the mode.
    Mode(Option<PermissionMode>),
    /// List the rules and grants, or take back the grant with this number.
    Permissions(Option<usize>),
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
    SlashCommand::plain("/help", "show this list and your own commands", |_| Ok(Slash::Session(SessionCommand::Help))),
    SlashCommand {
        aliases: &["/keybindings", "/hotkeys", "/shortcuts"],
        ..SlashCommand::plain("/keys", "show the keys in force, and which ones you have changed", |_| {
            Ok(Slash::Session(SessionCommand::Keys))
        })
    },
    SlashCommand::plain("/fix", "put a corrected form of the last command on your prompt; `> fix` does too", |_| {
        Ok(Slash::Session(SessionCommand::Fix))
    }),
    SlashCommand {
        arguments: "[NAME] [--save]",
        completes: Completes::Models,
        ..SlashCommand::plain(
            "/model",
            "pick the model, or switch to provider/model[:effort]; --save keeps it",
            |rest| Ok(Slash::Agent(model(rest))),
        )
    },
    SlashCommand::plain("/models", "list the models that can be asked", |_| Ok(Slash::Agent(AgentCommand::Models))),
    SlashCommand {
        arguments: "LEVEL",
        completes: Completes::Words(&["off", "minimal", "low", "medium", "high", "xhigh"]),
        ..SlashCommand::plain(
            "/thinking",
            "set how hard the model thinks: off, minimal, low, medium, high or xhigh",
            thinking,
        )
    },
    SlashCommand {
        arguments: "[N]",
        ..SlashCommand::plain(
            "/show",
            "show the last answer, or the Nth, again and unfolded; bring a background request to the front",
            show,
        )
    },
    SlashCommand {
        arguments: "[PART]",
        completes: Completes::Words(&["system", "tools", "conversation"]),
        ..SlashCommand::plain(
            "/context",
            "show what the next question would send, and its size; PART: system, tools or conversation",
            context,
        )
    },
    SlashCommand {
        aliases: &["/skill"],
        ..SlashCommand::plain(
            "/skills",
            "list the skills of this directory; `/skill:NAME [ARGUMENTS]` uses one",
            |_| Ok(Slash::Agent(AgentCommand::Skills)),
        )
    },
    SlashCommand {
        aliases: &["/clear", "/reset"],
        ..SlashCommand::plain("/new", "start a new conversation", |_| Ok(Slash::Agent(AgentCommand::New)))
    },
    SlashCommand {
        arguments: "[N]",
        aliases: &["/continue", "/sessions"],
        ..SlashCommand::plain(
            "/resume",
            "list earlier conversations, or continue number N; words instead of N find one",
            |rest| Ok(Slash::Agent(AgentCommand::Resume(rest.to_owned()))),
        )
    },
    SlashCommand {
        aliases: &["/branch"],
        ..SlashCommand::plain("/fork", "continue in a copy of the conversation; the original stays as it is", |_| {
            Ok(Slash::Agent(AgentCommand::Fork))
        })
    },
    SlashCommand {
        arguments: "[N]",
        ..SlashCommand::plain(
            "/rewind",
            "remove the last N questions and their answers; the first one is on the line to edit",
            rewind,
        )
    },
    SlashCommand {
        arguments: "[N]",
        ..SlashCommand::plain("/undo", "undo what the last N questions changed in files; asks first", undo)
    },
    SlashCommand::plain("/redo", "repeat the changes that the last `/undo` took back", |_| {
        Ok(Slash::Agent(AgentCommand::Redo))
    }),
    SlashCommand {
        arguments: "[--stat]",
        completes: Completes::Words(&["--stat"]),
        ..SlashCommand::plain(
            "/diff",
            "show what the agent changed in this conversation; --stat: only the numbers",
            |rest| DiffForm::read(rest).map(|form| Slash::Agent(AgentCommand::Diff(form))),
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
            "show tokens and cost of this session, or of a PERIOD: today, week, month or all",
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
        arguments: "[ACTION] [-g]",
        completes: Completes::Words(&MemoryOrder::WORDS),
        ..SlashCommand::plain(
            "/memory",
            "show your notes; ACTION: view, edit, clear or learn (the model proposes some); -g: those for everywhere",
            |rest| MemoryOrder::read(rest).map(|order| Slash::Agent(AgentCommand::Memory(order))),
        )
    },
    SlashCommand {
        arguments: "[ask|auto|plan]",
        aliases: &["/modes"],
        completes: Completes::Words(&PermissionMode::NAMES),
        ..SlashCommand::plain("/mode", "show or set how much the agent may do without asking", mode)
    },
    SlashCommand::plain("/plan", "let the agent look but change nothing; `/mode ask` ends it", |_| {
        Ok(Slash::Agent(AgentCommand::Mode(Some(PermissionMode::Plan))))
    }),
    SlashCommand {
        arguments: "[revoke N]",
        aliases: &["/grants", "/approvals"],
        ..SlashCommand::plain(
            "/permissions",
            "show your rules and approvals, and what decided the last call",
            permissions,
        )
    },
    SlashCommand::plain("/retry", "ask the last question again", |_| Ok(Slash::Session(SessionCommand::Retry))),
    SlashCommand {
        aliases: &["/exit", "/bye", "/q"],
        ..SlashCommand::plain("/quit", "end the conversation; your shell stays", |_| {
            Ok(Slash::Agent(AgentCommand::Quit))
        })
    },
];

/// Commands of other tools that are subcommands here, with the command line to run in the shell.
const IN_THE_SHELL: &[(&str, &str)] = &[
    ("/login", "`shellmate auth login` keeps a key"),
    ("/logout", "`shellmate auth logout` forgets a key"),
    ("/auth", "`shellmate auth` says which providers have a key"),
    ("/theme", "`shellmate theme set` shows the themes and chooses one"),
    ("/config", "`shellmate config edit` opens the settings, `shellmate config` prints them"),
    ("/settings", "`shellmate config edit` opens the settings, `shellmate config` prints them"),
    ("/doctor", "`shellmate doctor` looks for problems"),
    ("/history", "`shellmate history` lists the commands you ran"),
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

/// Whether a built-in command, here or in other tools, has this name without its slash.
pub(crate) fn is_built_in(name: &str) -> bool {
    let word = format!("/{name}");
    commands().any(|command| command.is_called(&word)) || IN_THE_SHELL.iter().any(|(known, _)| *known == word)
}

/// The table.
pub(in crate::session) fn commands() -> impl Iterator<Item = &'static SlashCommand> {
    COMMANDS.iter()
}

/// Directories at the root of the file system, which a question may name. The list is fixed, because the loop does not ask the
/// file system.
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

/// Why a line that begins with a slash cannot be asked outside of a session: it means a command that works only there, or none. A text
/// of several lines was not typed as a command.
pub(crate) fn refusal_outside(text: &str) -> Option<String> {
    let line = Some(text.trim()).filter(|line| !line.contains('\n'))?;
    let word = line.split_whitespace().next()?;
    Some(match parse(line)? {
        Ok(_) => format!("{word} works only in a session of shellmate: `> {word}`"),
        Err(SlashError::Unknown { name, .. }) => {
            format!("there is no command {name}; `shellmate doctor` lists your own commands")
        }
        Err(error) => error.to_string(),
    })
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

fn undo(rest: &str) -> Result<Slash, SlashError> {
    let queries = match rest {
        "" => 1,
        _ => rest.parse().ok().filter(|count| *count > 0).ok_or_else(|| SlashError::NotAnUndoCount(rest.to_owned()))?,
    };
    Ok(Slash::Agent(AgentCommand::Undo(queries)))
}

fn name(rest: &str) -> Result<Slash, SlashError> {
    if rest.is_empty() {
        return Err(SlashError::NoTitle);
    }
    Ok(Slash::Agent(AgentCommand::Name(rest.to_owned())))
}

fn mode(rest: &str) -> Result<Slash, SlashError> {
    let mode = match rest {
        "" => None,
        _ => Some(PermissionMode::from_name(rest).ok_or_else(|| SlashError::UnknownMode(rest.to_owned()))?),
    };
    Ok(Slash::Agent(AgentCommand::Mode(mode)))
}

fn permissions(rest: &str) -> Result<Slash, SlashError> {
    let number = match rest.split_once(char::is_whitespace) {
        None if rest.is_empty() => None,
        Some(("revoke", number)) => Some(number.trim().parse().map_err(|_| SlashError::NoGrant(rest.to_owned()))?),
        Some(_) | None => return Err(SlashError::NoGrant(rest.to_owned())),
    };
    Ok(Slash::Agent(AgentCommand::Permissions(number)))
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
    use crate::input::KeyMap;

    /// The command, or the message for the person.
    fn read(line: &str) -> Result<Slash, String> {
        parse(line).unwrap().map_err(|error| error.to_string())
    }

    #[test]
    fn commands_are_parsed_and_mistakes_are_explained() {
        assert_eq!(read("/model openai/x"), Ok(Slash::Agent(model("openai/x"))));
        assert_eq!(model("--save openai/x"), AgentCommand::Model { name: Some("openai/x".into()), saves: true });
        assert_eq!(model("x --save"), AgentCommand::Model { name: Some("x".into()), saves: true });
        assert_eq!(model(""), AgentCommand::Model { name: None, saves: false });
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
    fn commands_of_other_tools_do_what_they_do_there() {
        assert_eq!(read("/clear"), read("/new"));
        assert_eq!(read("/cost"), read("/usage"));
        assert_eq!(read("/exit"), read("/quit"));
        for (word, advice) in [
            ("/login", "shellmate auth login"),
            ("/theme", "shellmate theme set"),
            ("/config", "shellmate config edit"),
        ] {
            let said = read(word).unwrap_err();
            assert!(said.contains(advice) && !said.contains("did you mean"), "{said}");
        }
    }

    #[test]
    fn undo_takes_a_number_and_diff_a_form() {
        assert_eq!(read("/undo"), Ok(Slash::Agent(AgentCommand::Undo(1))));
        assert_eq!(read("/undo 3"), Ok(Slash::Agent(AgentCommand::Undo(3))));
        for wrong in ["0", "-1", "all", "1 2"] {
            assert!(read(&format!("/undo {wrong}")).unwrap_err().contains("is not a number of questions"), "{wrong}");
        }
        assert_eq!(read("/diff"), Ok(Slash::Agent(AgentCommand::Diff(DiffForm::Lines))));
        assert_eq!(read("/diff --stat"), Ok(Slash::Agent(AgentCommand::Diff(DiffForm::Stat))));
        assert!(read("/diff HEAD").unwrap_err().contains("/diff --stat"));
    }

    #[test]
    fn another_word_is_not_taken_for_a_typing_error() {
        for word in ["/mcp", "/init", "/jobs", "/edit"] {
            let said = read(word).unwrap_err();
            assert!(!said.contains("did you mean"), "{said}");
        }
        for (word, meant) in [("/hlep", "/help"), ("/modle", "/model"), ("/usgae", "/usage"), ("/thinkng", "/thinking")]
        {
            assert!(read(word).unwrap_err().contains(&format!("did you mean {meant}?")), "{word}");
        }
    }

    #[test]
    fn every_row_of_the_table_is_parsed_completed_and_in_help() {
        for command in commands() {
            let arguments = match (command.completes, command.arguments) {
                (Completes::Words(words), _) => words.to_vec(),
                (_, "[N]") => vec!["1"],
                (_, "[revoke N]") => vec!["", "revoke 1"],
                (_, "") => vec![""],
                (..) => vec!["x"],
            };
            for argument in arguments {
                assert!(read(&format!("{} {argument}", command.name)).is_ok(), "{} {argument}", command.name);
            }
            assert!(super::super::help(&KeyMap::default(), None).contains(&command.usage()), "{}", command.name);
            for name in command.aliases.iter().chain([&command.name]) {
                let called = |other: &&SlashCommand| other.is_called(name);
                assert_eq!(commands().filter(called).count(), 1, "{name} has one meaning");
                assert!(!IN_THE_SHELL.iter().any(|(other, _)| other == name));
            }
        }
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
