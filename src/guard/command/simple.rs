//! What one simple command does.

use super::argument::{Argument, Certainty};
use super::looks::LookJudgement;
use super::options::{PatternRisk, parse};
use super::scope::Scope;
use super::unclear::Unclear;
use super::wrapper::{Wrapper, unwrap};
use super::{
    CommandDanger, Extent, PartEffect, ReadPart, Touched, danger, find, fixed, kinds, looks, operands, paths, program,
};
use crate::text::shell::{Redirection, RedirectionKind};

/// Variables that may be set for a command without a question.
pub(super) fn is_harmless_variable(name: &str) -> bool {
    matches!(name, "LANG" | "TZ" | "NO_COLOR" | "FORCE_COLOR" | "CI" | "RUST_BACKTRACE" | "RUST_LOG")
        || name.starts_with("LC_")
}

/// What is around a command: its redirections, assignments, wrappers and input.
#[derive(Debug, Clone, Default)]
pub(super) struct Around {
    pub(super) reads: Vec<Touched>,
    pub(super) writes: Vec<Touched>,
    pub(super) unclear: Option<Unclear>,
    pub(super) danger: Option<CommandDanger>,
    /// Whether a wrapper or the background makes it more than a look.
    pub(super) is_asked: bool,
    /// What brought the text on the standard input, if a program fetched or decoded it.
    pub(super) fetched: Option<String>,
    /// Whether the command is run by a program that passes names, so that builtins of the shell do not count.
    pub(super) is_external: bool,
    /// Whether it runs with the rights of another user.
    pub(super) raises: bool,
}

impl Around {
    /// Notes a reason to ask. The first reason stays.
    pub(super) fn ask(&mut self, why: Unclear) {
        self.unclear.get_or_insert(why);
    }

    /// Notes what a redirection opens.
    pub(super) fn redirection(&mut self, redirection: &Redirection, target: &Argument, scope: &Scope<'_>) {
        if matches!(redirection.descriptor, Some(crate::text::shell::Descriptor::Variable(_))) {
            self.ask(Unclear::Assignment("of a redirection".into()));
        }
        let is_write = redirection.kind.writes();
        match redirection.kind {
            RedirectionKind::HereDocument | RedirectionKind::HereDocumentWithoutTabs => return,
            RedirectionKind::HereString => {
                if let Certainty::Unknown(why) = &target.known {
                    self.ask(why.clone());
                }
                return;
            }
            RedirectionKind::DuplicateInput | RedirectionKind::DuplicateOutput if is_descriptor(&target.text) => return,
            _ => {}
        }
        match &target.known {
            Certainty::Unknown(why) => self.ask(why.clone()),
            Certainty::Pattern => self.ask(Unclear::Value(target.text.clone())),
            Certainty::Literal => {}
        }
        if ["/dev/tcp/", "/dev/udp/"].iter().any(|start| target.text.starts_with(start)) {
            self.ask(Unclear::Network);
            if !is_write {
                self.fetched = Some(target.text.clone());
            }
            return;
        }
        if !is_write {
            paths::add(&mut self.reads, target, Extent::Itself, scope);
        } else if !is_sink(&target.text) {
            self.danger = self.danger.take().or_else(|| danger::device(&target.text, scope));
            paths::add(&mut self.writes, target, Extent::Itself, scope);
            self.is_asked = true;
        }
    }

    /// Notes an assignment before a command.
    pub(super) fn assignment(&mut self, name: &str, value: Option<&Argument>) {
        match value.map(|value| &value.known) {
            _ if !is_harmless_variable(name) => self.ask(Unclear::Assignment(name.to_owned())),
            Some(Certainty::Unknown(why)) => self.ask(why.clone()),
            Some(Certainty::Literal | Certainty::Pattern) | None => {}
        }
    }
}

/// `1`, `-`, `2-`
fn is_descriptor(text: &str) -> bool {
    let number = text.strip_suffix('-').unwrap_or(text);
    number.bytes().all(|byte| byte.is_ascii_digit()) && !text.is_empty()
}

/// Files that take output without keeping it.
fn is_sink(path: &str) -> bool {
    let is_numbered = path.strip_prefix("/dev/fd/").is_some_and(is_descriptor);
    is_numbered || matches!(path, "/dev/null" | "/dev/tty" | "/dev/stdout" | "/dev/stderr")
}

/// The parts of a command that are not scripts, and the scripts that it runs.
pub(super) struct SimpleReading {
    pub(super) parts: Vec<ReadPart>,
    /// Texts that it runs in a shell of their own, and whether nothing else is unusual about that.
    pub(super) scripts: Vec<InnerScript>,
}

/// A text that a command runs as a script.
pub(super) struct InnerScript {
    pub(super) text: String,
    pub(super) around: Around,
}

/// Reads a command with its wrappers.
pub(super) fn read(arguments: &[Argument], around: Around, scope: &Scope<'_>) -> SimpleReading {
    let mut reading = SimpleReading { parts: Vec::new(), scripts: Vec::new() };
    follow(arguments, around, scope, &mut reading);
    reading
}

fn follow(arguments: &[Argument], mut around: Around, scope: &Scope<'_>, reading: &mut SimpleReading) {
    let Some(name) = arguments.first().filter(|name| name.is_literal()) else {
        return reading.parts.push(part(arguments, around, scope));
    };
    around.raises |= kinds::raises_rights(&name.text);
    if scope.functions.contains(&name.text) && !around.is_external {
        around.ask(Unclear::Function(name.text.clone()));
    }
    let is_lookup =
        name.text == "command" && arguments.get(1).is_some_and(|option| matches!(option.text.as_str(), "-v" | "-V"));
    match unwrap(arguments).filter(|_| !is_lookup) {
        None => {
            if name.text == "find" {
                commands_of_find(&arguments[1..], &around, scope, reading);
            }
            if matches!(name.text.as_str(), "eval") {
                let text: Vec<&str> = arguments[1..].iter().map(|word| word.text.as_str()).collect();
                let mut around = around.clone();
                around.is_asked = true;
                reading.scripts.push(InnerScript { text: text.join(" "), around });
            }
            reading.parts.push(part(arguments, around, scope));
        }
        Some(wrapper) => {
            let is_builtin =
                kinds::BUILTINS.contains(&name.text.as_str()) || name.text == "builtin" || name.text == "exec";
            if !is_builtin && let Err(why) = program::check(&name.text, scope) {
                around.ask(why);
            }
            wrapped(&name.text, wrapper, around, scope, reading);
        }
    }
}

fn wrapped(name: &str, wrapper: Wrapper<'_>, mut around: Around, scope: &Scope<'_>, reading: &mut SimpleReading) {
    around.is_external |= !matches!(name, "builtin" | "command" | "exec");
    match wrapper {
        Wrapper::Transparent(command) => follow(command, around, scope, reading),
        Wrapper::Env { assignments, command } => {
            for word in assignments {
                let variable = word.text.split('=').next().unwrap_or_default();
                around.assignment(variable, Some(word));
            }
            follow(command, around, scope, reading);
        }
        Wrapper::Asked(command) => {
            let first = reading.parts.len();
            around.is_asked = true;
            follow(command, around, scope, reading);
            // A grant for the command does not cover it with other rights.
            reading.parts[first..].iter_mut().for_each(|part| part.fixed_words = None);
        }
        Wrapper::Input(command) => {
            let mut words = command.to_vec();
            let added = format!("arguments of {name}");
            words.push(Argument::unknown("…", Unclear::InputArguments(name.to_owned())));
            around.ask(Unclear::InputArguments(name.to_owned()));
            if let Some(from) = &around.fetched
                && command.first().is_some_and(|inner| kinds::is_shell(&inner.text))
            {
                around.danger = Some(CommandDanger::RunsFetched { from: from.clone(), runner: added });
            }
            follow(&words, around, scope, reading);
        }
        Wrapper::Script { text, is_plain } => {
            match &text.known {
                Certainty::Unknown(why) => around.ask(why.clone()),
                Certainty::Pattern => around.ask(Unclear::Value(text.text.clone())),
                Certainty::Literal => {}
            }
            around.is_asked |= !is_plain;
            let touches = !around.reads.is_empty() || !around.writes.is_empty();
            if touches || around.unclear.is_some() || around.danger.is_some() {
                reading.parts.push(part(&[Argument::literal(name)], around.clone(), scope));
            }
            reading.scripts.push(InnerScript { text: text.text.clone(), around });
        }
    }
}

/// The commands that `find` runs, with the files that it finds as arguments.
fn commands_of_find(rest: &[Argument], around: &Around, scope: &Scope<'_>, reading: &mut SimpleReading) {
    let parts = find::parts(rest);
    for command in find::commands(parts.expression) {
        let mut words: Vec<Argument> = Vec::new();
        for word in command {
            let is_found = word.text.contains("{}");
            words.push(if is_found {
                Argument::unknown(&word.text, Unclear::Value("{}".into()))
            } else {
                word.clone()
            });
        }
        let mut around = Around { is_asked: true, is_external: true, ..around.clone() };
        for root in &parts.roots {
            paths::add(&mut around.reads, root, Extent::Below, scope);
        }
        follow(&words, around, scope, reading);
    }
}

/// One command without wrappers.
fn part(arguments: &[Argument], around: Around, scope: &Scope<'_>) -> ReadPart {
    let words: Vec<String> = arguments.iter().map(|word| word.text.clone()).collect();
    let mut found = ReadPart {
        words,
        effect: PartEffect::Changes,
        reads: around.reads.clone(),
        writes: around.writes.clone(),
        redirected: around.writes.clone(),
        danger: around.danger.clone().or_else(|| danger::of_command(arguments, scope)),
        fixed_words: fixed::words(arguments),
        raises: around.raises,
    };
    if let Some(from) = &around.fetched
        && danger::runs_input(arguments)
    {
        let runner = arguments.first().map(|name| name.text.clone()).unwrap_or_default();
        found.danger.get_or_insert(CommandDanger::RunsFetched { from: from.clone(), runner });
    }
    let judged = judge(arguments, &around, scope);
    match judged {
        LookJudgement::Looks(reads) => {
            add_all(&mut found.reads, reads);
            found.effect = PartEffect::Looks;
        }
        LookJudgement::Changes | LookJudgement::Unclear(_) => {
            let touched = operands::touched(arguments, scope);
            add_all(&mut found.reads, touched.reads);
            add_all(&mut found.writes, touched.writes);
            if let LookJudgement::Unclear(why) = judged {
                found.effect = PartEffect::Unclear(why);
            }
        }
    }
    if found.effect == PartEffect::Changes && creates(arguments, &around, scope) {
        found.effect = PartEffect::Creates;
    }
    if around.is_asked && found.effect == PartEffect::Looks {
        found.effect = PartEffect::Changes;
    }
    if let Some(why) = around.unclear {
        found.effect = PartEffect::Unclear(why);
    }
    found
}

/// Whether a command creates exactly the paths that are its operands.
fn creates(arguments: &[Argument], around: &Around, scope: &Scope<'_>) -> bool {
    let Some((name, rest)) = arguments.split_first() else { return false };
    let options = match name.text.as_str() {
        "mkdir" => "-p -v --parents --verbose",
        "touch" => "-a -c -m --no-create",
        _ => return false,
    };
    let parsed = parse(options, rest, PatternRisk::Options);
    let is_plain = rest.iter().all(Argument::is_literal) && parsed.is_ok_and(|parsed| !parsed.operands.is_empty());
    let is_system = !around.is_external && program::check(&name.text, scope).is_ok();
    is_plain && is_system && !around.raises && around.writes.is_empty() && !scope.cwds.is_empty()
}

pub(super) fn add_all(touched: &mut Vec<Touched>, more: Vec<Touched>) {
    for path in more {
        if !touched.contains(&path) {
            touched.push(path);
        }
    }
}

fn judge(arguments: &[Argument], around: &Around, scope: &Scope<'_>) -> LookJudgement {
    let Some((name, rest)) = arguments.split_first() else { return LookJudgement::Looks(Vec::new()) };
    if !name.is_literal() {
        return LookJudgement::Unclear(Unclear::CommandName(name.text.clone()));
    }
    let text = name.text.as_str();
    if kinds::RUNS_TEXT.contains(&text) {
        return LookJudgement::Unclear(Unclear::RunsText(text.to_owned()));
    }
    if kinds::SHELL_STATE.contains(&text) {
        return LookJudgement::Unclear(Unclear::ShellState(text.to_owned()));
    }
    if text == "cd" && !around.is_external {
        return match rest.iter().find(|word| !word.is_literal()).map(|word| &word.known) {
            Some(Certainty::Unknown(why)) => LookJudgement::Unclear(why.clone()),
            Some(_) => LookJudgement::Unclear(Unclear::Value("the directory".into())),
            None => LookJudgement::Looks(Vec::new()),
        };
    }
    let judged = looks::judge(kinds::base(text), rest, scope);
    let LookJudgement::Looks(_) = judged else { return judged };
    let is_builtin = kinds::BUILTINS.contains(&text) && !around.is_external;
    if !is_builtin && let Err(why) = program::check(text, scope) {
        return LookJudgement::Unclear(why);
    }
    // Without a known directory, it is not known what relative paths mean.
    if scope.cwds.is_empty() && !is_builtin {
        return LookJudgement::Unclear(Unclear::Directory(text.to_owned()));
    }
    judged
}
