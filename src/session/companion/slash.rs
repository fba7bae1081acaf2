//! Words to the agent itself: `> /help` and its kin.

use crate::text;

/// What can be said, with what it does.
const COMMANDS: [(&str, &str); 12] = [
    ("/help", "this list"),
    ("/fix", "put a corrected form of the last command on your prompt; `> fix` does too"),
    ("/model [NAME]", "which model is asked, or another from here on (provider/model[:effort])"),
    ("/models", "the models that can be asked"),
    ("/thinking LEVEL", "how hard it thinks: off, minimal, low, medium, high or xhigh"),
    ("/show [N]", "the last answer, or the Nth, again and unfolded; a request in the background comes to the front"),
    ("/context [PART]", "what the next question would send along, and its size; PART: system, tools or conversation"),
    ("/new", "begin a new conversation"),
    ("/usage", "tokens and cost so far"),
    ("/copy", "put the last answer on the clipboard"),
    ("/retry", "ask the last question again"),
    ("/quit", "end the conversation"),
];

/// What keys do while an answer is on its way, and what a line can end with.
const KEYS: [(&str, &str); 6] = [
    ("Ctrl-C", "stops the answer"),
    ("Ctrl-Z", "lets it go on in the background; so does a line that ends with ` &`"),
    (">", "opens a line to steer it; Esc closes the line"),
    ("Ctrl-O", "unfolds what a call printed"),
    ("Ctrl-T", "shows what the model thinks"),
    ("other keys", "wait for your prompt"),
];

/// One of them.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(in crate::session) enum Slash {
    Help,
    Model(Option<String>),
    Models,
    Thinking(String),
    /// For the session, which asks it as a question.
    Fix,
    /// For the session, which has seen it all.
    Show(Option<u64>),
    Context(Part),
    New,
    Usage,
    Copy,
    /// For the session, too.
    Retry,
    Quit,
}

/// What can be said, with what it does.
pub(in crate::session) fn commands() -> impl Iterator<Item = (&'static str, &'static str)> {
    COMMANDS.into_iter()
}

/// What of a request is to be seen.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(in crate::session) enum Part {
    /// All of it by size, and what is new in full.
    Whole,
    System,
    Tools,
    Conversation,
}

/// The list.
pub(super) fn help() -> String {
    let line = |(usage, what): &(&str, &str)| format!("{usage:<16} {what}");
    let lines: Vec<String> = COMMANDS.iter().map(line).collect();
    let keys: Vec<String> = KEYS.iter().map(line).collect();
    format!("{}\n\nwhile an answer is on its way:\n{}", lines.join("\n"), keys.join("\n"))
}

/// Reads a line that is words to the agent itself; a path is not. The error is for the person.
pub(in crate::session) fn parse(line: &str) -> Option<Result<Slash, String>> {
    let (word, rest) = line.split_once(char::is_whitespace).unwrap_or((line, ""));
    let is_one = word.strip_prefix('/').is_some_and(|name| name.chars().all(|c| c.is_ascii_alphabetic()));
    is_one.then(|| read(word, rest.trim()))
}

fn read(word: &str, rest: &str) -> Result<Slash, String> {
    let argument = (!rest.is_empty()).then(|| rest.to_owned());
    let alone = |slash: Slash| match &argument {
        None => Ok(slash),
        Some(_) => Err(format!("{word} stands alone; a question begins without a slash")),
    };
    match word {
        "/help" => alone(Slash::Help),
        "/fix" => alone(Slash::Fix),
        "/model" => Ok(Slash::Model(argument)),
        "/models" => alone(Slash::Models),
        "/thinking" => match argument {
            Some(level) => Ok(Slash::Thinking(level)),
            None => Err("which level? off, minimal, low, medium, high or xhigh".to_owned()),
        },
        "/show" => match argument.map(|number| number.parse()) {
            None => Ok(Slash::Show(None)),
            Some(Ok(number)) => Ok(Slash::Show(Some(number))),
            Some(Err(_)) => Err(format!("`{rest}` is no number; `> /show 2` shows the second answer")),
        },
        "/context" => match rest {
            "" => Ok(Slash::Context(Part::Whole)),
            "system" => Ok(Slash::Context(Part::System)),
            "tools" => Ok(Slash::Context(Part::Tools)),
            "conversation" => Ok(Slash::Context(Part::Conversation)),
            _ => Err(format!("`{rest}` is no part of it; the parts are system, tools and conversation")),
        },
        "/new" => alone(Slash::New),
        "/usage" => alone(Slash::Usage),
        "/copy" => alone(Slash::Copy),
        "/retry" => alone(Slash::Retry),
        "/quit" => alone(Slash::Quit),
        unknown => Err(format!("there is no {unknown}{}; /help lists what there is", nearest(unknown))),
    }
}

fn nearest(unknown: &str) -> String {
    let names = COMMANDS.iter().filter_map(|(usage, _)| usage.split(' ').next());
    text::nearest(unknown, names).map(|name| format!(" (did you mean {name}?)")).unwrap_or_default()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn commands_are_read_and_mistakes_named() {
        let read = |line: &str| parse(line).unwrap();
        assert_eq!(read("/model openai/x"), Ok(Slash::Model(Some("openai/x".into()))));
        assert_eq!(read("/new"), Ok(Slash::New));
        assert_eq!(read("/show 12"), Ok(Slash::Show(Some(12))));
        assert_eq!(read("/show"), Ok(Slash::Show(None)));
        assert!(read("/show it").unwrap_err().contains("`it` is no number"));
        assert_eq!(
            read("/contxt").unwrap_err(),
            "there is no /contxt (did you mean /context?); /help lists what there is"
        );
        assert!(read("/zzzzzz").unwrap_err().starts_with("there is no /zzzzzz;"));
        assert!(read("/thinking").is_err());
        assert_eq!(read("/context tools"), Ok(Slash::Context(Part::Tools)));
        assert!(read("/context all").unwrap_err().contains("system, tools and conversation"));
        assert_eq!(read("/new one").unwrap_err(), "/new stands alone; a question begins without a slash");
    }

    #[test]
    fn what_is_listed_can_be_said() {
        for (usage, _) in COMMANDS {
            let word = usage.replace(" [", " ").replace(']', "").replace("LEVEL", "high").replace(" PART", " tools");
            assert!(parse(&word.replace(" NAME", " x").replace(" N", " 1")).unwrap().is_ok(), "{usage}");
        }
    }

    #[test]
    fn a_path_is_part_of_a_question() {
        assert_eq!(parse("/etc/hosts is odd, why"), None);
        assert_eq!(parse("why"), None);
        assert_eq!(parse("./x"), None);
    }
}
