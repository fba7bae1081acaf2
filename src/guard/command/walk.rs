//! Follows a parsed text and collects its parts.

use super::argument::{Argument, Certainty, arguments, is_constant};
use super::danger::{self, CommandDanger};
use super::scope::Scope;
use super::simple::{self, Around};
use super::unclear::{self, Unclear};
use super::{CommandPlace, CommandReading, PartEffect, ReadPart, lenient, paths, wrapper};
use crate::text::shell::parse::parse;
use crate::text::shell::script::{
    Assignment, CommandNode, Compound, CompoundKind, HereDocument, Listed, Script, Simple,
};
use crate::text::shell::{Expansion, ExpansionKind, Operator, Redirection, Word};

/// How many parts are collected.
const MOST_PARTS: usize = 500;

/// How many texts may be inside each other.
const DEEPEST_TEXT: usize = 20;

/// How many values of a loop's variable are followed one by one.
const MOST_VALUES: usize = 16;

/// Reads a text that passed the first checks.
pub(super) fn read_text(text: &str, place: &CommandPlace<'_>) -> Result<CommandReading, Unclear> {
    let script = parse(text).map_err(Unclear::Unparsed)?;
    let mut walk = Walk { reading: CommandReading::default(), depth: 0, values: 0 };
    let mut scope = Scope::new(place);
    walk.text(&CommandText { text, here_documents: &script.here_documents }, &script, &mut scope, &Around::default());
    if walk.reading.parts.is_empty() {
        walk.reading.unclear.get_or_insert(Unclear::Empty);
    }
    Ok(walk.reading)
}

/// A text with the bodies of its here-documents.
struct CommandText<'a> {
    text: &'a str,
    here_documents: &'a [HereDocument],
}

struct Walk {
    reading: CommandReading,
    /// Texts around the current one.
    depth: usize,
    /// Values of loop variables around the current command.
    values: usize,
}

impl Walk {
    fn ask(&mut self, why: Unclear) {
        self.reading.unclear.get_or_insert(why);
    }

    fn text(&mut self, source: &CommandText<'_>, script: &Script, scope: &mut Scope<'_>, around: &Around) {
        script.visit(&mut |command| {
            if let CommandNode::Compound(Compound { kind: CompoundKind::Function, words, .. }) = command {
                scope.functions.extend(words.first().map(|name| name.text.clone()));
            }
        });
        self.script(source, script, scope, around);
    }

    /// A text inside another one: a substitution, or the script of `sh -c`.
    fn inner(&mut self, text: &str, scope: &Scope<'_>, around: &Around) {
        self.depth += 1;
        let checked = unclear::check_text(text).and_then(|()| parse(text).map_err(Unclear::Unparsed));
        match checked {
            Ok(script) if self.depth <= DEEPEST_TEXT && self.reading.parts.len() < MOST_PARTS => {
                let source = CommandText { text, here_documents: &script.here_documents };
                self.text(&source, &script, &mut scope.clone(), around);
            }
            Ok(_) => self.ask(Unclear::TooComplex),
            Err(why) => {
                self.ask(why);
                self.reading.parts.extend(lenient::parts(text, scope.place));
            }
        }
        self.depth -= 1;
    }

    fn script(&mut self, source: &CommandText<'_>, script: &Script, scope: &mut Scope<'_>, around: &Around) {
        let mut chain = scope.cwds.clone();
        let mut fetched = around.fetched.clone();
        for (at, listed) in script.commands.iter().enumerate() {
            let is_pipe = |operator: Option<Operator>| operator.is_some_and(Operator::is_pipe);
            let is_piped =
                is_pipe(listed.operator) || is_pipe(script.commands.get(at + 1).and_then(|next| next.operator));
            if matches!(
                listed.operator,
                Some(Operator::Semicolon | Operator::Newline | Operator::Or | Operator::Background)
            ) {
                scope.may_be_in(&chain);
                chain = scope.cwds.clone();
            }
            if !is_pipe(listed.operator) {
                fetched.clone_from(&around.fetched);
            }
            let mut inside = around.clone();
            inside.fetched.clone_from(&fetched);
            inside.is_asked |= is_background(&script.commands[at..], script.end);
            let first = self.reading.parts.len();
            if is_piped {
                self.node(source, &listed.command, &mut scope.clone(), &inside);
            } else {
                self.node(source, &listed.command, scope, &inside);
            }
            let brought = self.reading.parts[first..].iter().find_map(|part| {
                let words: Vec<Argument> = part.words.iter().map(Argument::literal).collect();
                danger::brings_text(&words)
            });
            fetched = fetched.or(brought);
        }
    }

    fn node(&mut self, source: &CommandText<'_>, command: &CommandNode, scope: &mut Scope<'_>, around: &Around) {
        if self.reading.parts.len() >= MOST_PARTS {
            return self.ask(Unclear::TooComplex);
        }
        match command {
            CommandNode::Simple(simple) => self.simple(source, simple, scope, around),
            CommandNode::Compound(compound) => self.compound(source, compound, scope, around),
        }
    }

    fn compound(&mut self, source: &CommandText<'_>, compound: &Compound, scope: &mut Scope<'_>, around: &Around) {
        let mut around = around.clone();
        self.redirections(source, &compound.redirections, &mut around, scope);
        self.substitutions(compound.words.iter(), scope);
        let is_own = !around.writes.is_empty() || around.danger.is_some();
        if is_own {
            let reading = simple::read(&[], around.clone(), scope);
            self.reading.parts.extend(reading.parts);
        }
        around.writes.clear();
        around.danger = None;
        match compound.kind {
            CompoundKind::Function => return self.function(source, compound, scope, &around),
            CompoundKind::Subshell => {
                let mut inside = scope.clone();
                return compound.bodies.iter().for_each(|body| self.script(source, body, &mut inside, &around));
            }
            CompoundKind::For => self.bind(source, compound, scope),
            CompoundKind::Select => self.ask(Unclear::Construct("`select`")),
            CompoundKind::Conditional | CompoundKind::Arithmetic => self.expression(source, compound),
            CompoundKind::Case => self.plain_values(source, &compound.words),
            CompoundKind::Group | CompoundKind::If | CompoundKind::While | CompoundKind::Until => {}
        }
        for body in &compound.bodies {
            let before = scope.cwds.clone();
            self.script(source, body, scope, &around);
            if compound.kind != CompoundKind::Group {
                scope.may_be_in(&before);
            }
        }
    }

    /// Gives a loop's variable its values.
    fn bind(&mut self, source: &CommandText<'_>, compound: &Compound, scope: &mut Scope<'_>) {
        let Some((name, words)) = compound.words.split_first() else { return };
        let is_harmless = name.text.chars().all(|c| c.is_ascii_lowercase() || c.is_ascii_digit() || c == '_');
        if !is_harmless {
            let is_name = name.text.chars().all(|c| c.is_ascii_alphanumeric() || c == '_');
            self.ask(if is_name { Unclear::Assignment(name.text.clone()) } else { Unclear::Expression });
        }
        let mut values: Vec<Argument> = words.iter().flat_map(|word| arguments(word, source.text, scope)).collect();
        if values.is_empty() || values.len() > MOST_VALUES {
            values = vec![Argument::unknown("", Unclear::Value(format!("${}", name.text)))];
        }
        scope.variables.insert(name.text.clone(), values);
    }

    /// `[[ … ]]` and `(( … ))`. Arithmetic evaluates the text of variables, subscripts with commands included.
    fn expression(&mut self, source: &CommandText<'_>, compound: &Compound) {
        let raw = source.text.get(compound.span.clone()).unwrap_or_default();
        if compound.kind == CompoundKind::Arithmetic {
            let is_harmless = compound.words.iter().all(|word| is_constant(&word.text));
            if !is_harmless {
                self.ask(Unclear::Expression);
            }
        } else {
            const NUMERIC: &[&str] = &["-eq", "-ne", "-lt", "-le", "-gt", "-ge"];
            let is_numeric = raw.split_whitespace().any(|word| NUMERIC.contains(&word));
            let is_number = |word: &Word| {
                let text = word.text.trim_start_matches('-');
                matches!(text, "$?" | "$#") || !text.is_empty() && text.bytes().all(|byte| byte.is_ascii_digit())
            };
            let tests_variable = raw.split_whitespace().any(|word| matches!(word, "-v" | "-R"));
            if tests_variable || is_numeric && !compound.words.iter().all(is_number) {
                self.ask(Unclear::Expression);
            }
            self.plain_values(source, &compound.words);
        }
        self.reading.parts.push(ReadPart {
            words: vec![if compound.kind == CompoundKind::Arithmetic { "((" } else { "[[" }.to_owned()],
            effect: PartEffect::Looks,
            reads: Vec::new(),
            writes: Vec::new(),
            redirected: Vec::new(),
            danger: None,
            fixed_words: None,
            raises: false,
        });
    }

    /// Asks if a value is more than a plain variable: `${x:=…}` sets one, `${!x}` evaluates a subscript.
    fn plain_values(&mut self, source: &CommandText<'_>, words: &[Word]) {
        for found in words.iter().flat_map(|word| &word.expansions) {
            let raw = source.text.get(found.span.clone()).unwrap_or_default();
            let name = raw.strip_prefix("${").and_then(|rest| rest.strip_suffix('}')).or(raw.strip_prefix('$'));
            let is_plain = match found.kind {
                ExpansionKind::Parameter => name
                    .is_some_and(|name| name.len() == 1 || name.chars().all(|c| c.is_ascii_alphanumeric() || c == '_')),
                ExpansionKind::Arithmetic => is_constant(raw),
                ExpansionKind::Glob | ExpansionKind::Brace | ExpansionKind::Tilde => true,
                _ => false,
            };
            if !is_plain {
                self.ask(Unclear::Value(raw.to_owned()));
            }
        }
    }

    fn function(&mut self, source: &CommandText<'_>, compound: &Compound, scope: &Scope<'_>, around: &Around) {
        let Some(name) = compound.words.first().map(|name| name.text.clone()) else { return };
        let mut around = around.clone();
        around.ask(Unclear::FunctionDefinition(name.clone()));
        if compound.bodies.iter().any(|body| multiplies(body, &name)) {
            around.danger = Some(CommandDanger::ForkBomb(name.clone()));
        }
        let mut inside = scope.clone();
        let body = Around { fetched: around.fetched.clone(), ..Around::default() };
        self.reading.parts.extend(simple::read(&[Argument::literal(&name)], around, scope).parts);
        compound.bodies.iter().for_each(|script| self.script(source, script, &mut inside, &body));
    }

    fn simple(&mut self, source: &CommandText<'_>, simple: &Simple, scope: &mut Scope<'_>, around: &Around) {
        let assigned = simple.assignments.iter().map(|assignment| &assignment.word);
        self.substitutions(simple.words.iter().chain(assigned), scope);
        if let Some(name) = self.looped_variable(source, simple, scope) {
            return self.each_value(source, simple, scope, around, &name);
        }
        let mut around = around.clone();
        self.redirections(source, &simple.redirections, &mut around, scope);
        for assignment in &simple.assignments {
            let value = assigned_value(assignment, source, scope);
            around.assignment(&assignment.name, Some(&value));
            if simple.words.is_empty() {
                scope.variables.insert(assignment.name.clone(), vec![value]);
            }
        }
        let mut words: Vec<Argument> =
            simple.words.iter().flat_map(|word| arguments(word, source.text, scope)).collect();
        // The name must be literal even if the values in it are known.
        if let (Some(typed), Some(name)) = (simple.words.first(), words.first_mut())
            && typed.literal().is_none()
        {
            name.known = Certainty::Unknown(Unclear::CommandName(typed.text.clone()));
        }
        self.fetched_text(&words, &mut around);
        let reading = simple::read(&words, around, scope);
        self.reading.parts.extend(reading.parts);
        for script in reading.scripts {
            let mut inside = scope.clone();
            inside.functions.clear();
            let around = Around {
                writes: Vec::new(),
                reads: Vec::new(),
                unclear: None,
                danger: None,
                is_external: false,
                ..script.around
            };
            self.inner(&script.text, &inside, &around);
        }
        change_directory(&words, scope);
    }

    /// A loop's variable with several values that the command uses.
    fn looped_variable(&self, source: &CommandText<'_>, simple: &Simple, scope: &Scope<'_>) -> Option<String> {
        let targets = simple.redirections.iter().map(|redirection| &redirection.target);
        let used = simple.words.iter().chain(targets).flat_map(|word| &word.expansions);
        let names = used.filter(|found| found.kind == ExpansionKind::Parameter).filter_map(|found| {
            let raw = source.text.get(found.span.clone())?;
            let end = |text: &str| text.find(|c: char| !c.is_ascii_alphanumeric() && c != '_').unwrap_or(text.len());
            let name = raw.trim_start_matches("${").trim_start_matches('$');
            Some(&name[..end(name)])
        });
        let mut looped = names.filter(|name| scope.variables.get(*name).is_some_and(|values| values.len() > 1));
        looped.next().map(str::to_owned)
    }

    /// Reads a command once for each value of a loop's variable, as one part.
    fn each_value(
        &mut self,
        source: &CommandText<'_>,
        simple: &Simple,
        scope: &mut Scope<'_>,
        around: &Around,
        name: &str,
    ) {
        let values = scope.variables.get(name).cloned().unwrap_or_default();
        let first = self.reading.parts.len();
        self.values += 1;
        for value in values {
            let mut inside = scope.clone();
            let value = if self.values > 2 { Argument::unknown("", Unclear::TooComplex) } else { value };
            inside.variables.insert(name.to_owned(), vec![value]);
            self.simple(source, simple, &mut inside, around);
            scope.may_be_in(&inside.cwds);
        }
        self.values -= 1;
        let read = self.reading.parts.split_off(first);
        for part in read {
            if !self.reading.parts[first..].contains(&part) {
                self.reading.parts.push(part);
            }
        }
    }

    fn redirections(
        &mut self,
        source: &CommandText<'_>,
        redirections: &[Redirection],
        around: &mut Around,
        scope: &Scope<'_>,
    ) {
        self.substitutions(redirections.iter().map(|redirection| &redirection.target), scope);
        for redirection in redirections {
            let targets = arguments(&redirection.target, source.text, scope);
            let unknown = Argument::unknown(&redirection.target.text, Unclear::Value(redirection.target.text.clone()));
            around.redirection(redirection, if let [target] = &targets[..] { target } else { &unknown }, scope);
            for here in source.here_documents.iter().filter(|here| here.redirection == redirection.span.start) {
                self.here_document(source, here, around, scope);
            }
            let sources = redirection.target.expansions.iter().filter_map(command_source);
            around.fetched = around.fetched.take().or_else(|| sources.filter_map(fetches).next());
        }
    }

    fn here_document(&mut self, source: &CommandText<'_>, here: &HereDocument, around: &mut Around, scope: &Scope<'_>) {
        for found in &here.expansions {
            let raw = source.text.get(found.span.clone()).unwrap_or_default();
            match command_source(found) {
                Some(inner) => {
                    self.inner(inner, scope, &Around::default());
                    around.ask(Unclear::Substitution(raw.to_owned()));
                    around.fetched = around.fetched.take().or_else(|| fetches(inner));
                }
                None if found.kind == ExpansionKind::Arithmetic && is_constant(raw) => {}
                None if scope.value(raw.trim_start_matches('$')).is_some() => {}
                None => around.ask(Unclear::Value(raw.to_owned())),
            }
        }
    }

    /// The commands inside words.
    fn substitutions<'w>(&mut self, words: impl Iterator<Item = &'w Word>, scope: &Scope<'_>) {
        for inner in words.flat_map(|word| &word.expansions).filter_map(command_source) {
            self.inner(inner, scope, &Around::default());
        }
    }

    /// `sh -c "$(curl …)"`, `bash <(curl …)`, `eval "$(wget …)"`, `$(curl …)`: text that is fetched and run.
    fn fetched_text(&mut self, words: &[Argument], around: &mut Around) {
        let command = wrapper::innermost(words);
        let Some(from) = danger::run_texts(command).iter().find_map(|text| fetches(text)) else { return };
        let runner = command.first().filter(|name| name.is_literal()).map_or("the shell", |name| &name.text).to_owned();
        around.danger.get_or_insert(CommandDanger::RunsFetched { from, runner });
    }
}

fn assigned_value(assignment: &Assignment, source: &CommandText<'_>, scope: &Scope<'_>) -> Argument {
    let mut read = arguments(&assignment.word, source.text, scope);
    let text = &assignment.word.text;
    match read.pop() {
        Some(value) if read.is_empty() => {
            let after = value.text.split_once('=').map(|(_, after)| after.to_owned()).unwrap_or_default();
            // `~` directly after the sign stands for the home directory.
            let home = scope.value("HOME").map(|home| home.text).filter(|_| after == "~" || after.starts_with("~/"));
            match (home, &value.known) {
                (Some(home), _) => Argument::literal(format!("{home}{}", &after[1..])),
                (None, Certainty::Pattern) => Argument::literal(after),
                (None, known) => Argument { text: after, known: known.clone() },
            }
        }
        _ => Argument::unknown(text, Unclear::Value(text.clone())),
    }
}

/// Follows `cd`.
fn change_directory(words: &[Argument], scope: &mut Scope<'_>) {
    let Some((name, rest)) =
        words.split_first().filter(|(name, _)| matches!(name.text.as_str(), "cd" | "pushd" | "popd"))
    else {
        return;
    };
    let operands: Vec<&Argument> =
        rest.iter().filter(|word| !matches!(word.text.as_str(), "-P" | "-L" | "--" | "-e")).collect();
    let home = scope.value("HOME");
    let target = match (&operands[..], home.as_ref()) {
        ([], Some(home)) if name.text == "cd" => home,
        ([target], _) if target.is_literal() && !target.text.starts_with(['-', '+']) && name.text != "popd" => target,
        _ => return scope.cwds.clear(),
    };
    let target = target.text.clone();
    for cwd in &mut scope.cwds {
        *cwd = paths::normal(&cwd.join(&target));
    }
    scope.cwds.dedup();
}

/// Whether the list of commands that begins here runs in the background.
fn is_background(commands: &[Listed], end: Option<Operator>) -> bool {
    let operators = commands[1..].iter().map(|listed| listed.operator).chain([end]);
    let mut ends = operators.filter(|operator| {
        !matches!(operator, Some(Operator::And | Operator::Or | Operator::Pipe | Operator::PipeBoth))
    });
    ends.next().flatten() == Some(Operator::Background)
}

/// Whether a function's body starts the function in the background or several times in a pipeline.
fn multiplies(body: &Script, name: &str) -> bool {
    let calls = |listed: &Listed| {
        let script = Script { commands: vec![listed.clone()], end: None, here_documents: Vec::new() };
        script.simple_commands().iter().any(|simple| simple.words.first().is_some_and(|word| word.text == name))
    };
    let is_multiplied = body.commands.iter().enumerate().any(|(at, listed)| {
        let is_piped = listed.operator.is_some_and(Operator::is_pipe)
            || body.commands.get(at + 1).and_then(|next| next.operator).is_some_and(Operator::is_pipe);
        calls(listed) && (is_piped || is_background(&body.commands[at..], body.end))
    });
    let mut is_nested = false;
    body.visit(&mut |command| {
        if let CommandNode::Compound(compound) = command {
            is_nested |= compound.bodies.iter().any(|inner| multiplies(inner, name));
        }
    });
    is_multiplied || is_nested
}

fn command_source(found: &Expansion) -> Option<&str> {
    match &found.kind {
        ExpansionKind::Command { source } | ExpansionKind::Process { source } => Some(source),
        _ => None,
    }
}

/// What fetches or decodes text among the commands of a text.
pub(super) fn fetches(text: &str) -> Option<String> {
    lenient::commands(text).iter().find_map(|command| danger::brings_text(command))
}
