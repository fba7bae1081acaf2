//! Options of commands, by a list of those that are known.
//!
//! A list is a text such as `-n= -q --lines= --color? --exclude-from=@`. `=` is for an option with a value, `?` for a value that is given
//! only in the same word, `@` for a value that is a file to be read. `-#` stands for a number such as `-5`.

use super::argument::{Argument, Certainty};
use super::unclear::Unclear;

/// The options and operands of a command whose options are all in the list.
#[derive(Debug, Default)]
pub(super) struct ParsedOptions<'a> {
    /// Options as in the list, without their dashes, with the value they have.
    pub(super) options: Vec<(String, Option<Argument>)>,
    pub(super) operands: Vec<&'a Argument>,
    /// Values of options that are files to be read.
    pub(super) files: Vec<Argument>,
}

/// Why options could not be read.
#[derive(Debug, PartialEq, Eq)]
pub(super) enum OptionError {
    /// An option that is not in the list, or one without its value.
    Unlisted,
    Unclear(Unclear),
}

/// What file names that a pattern matches may be taken for.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum PatternRisk {
    /// Every option of the command is harmless.
    Harmless,
    /// A file name that begins with a dash may be a harmful option.
    Options,
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum ValueKind {
    None,
    Required,
    Attached,
    File,
}

impl ParsedOptions<'_> {
    pub(super) fn has(&self, names: &[&str]) -> bool {
        self.options.iter().any(|(name, _)| names.contains(&name.as_str()))
    }

    fn add(&mut self, name: &str, kind: ValueKind, value: Option<Argument>) {
        if kind == ValueKind::File {
            self.files.extend(value.clone());
        }
        self.options.push((name.to_owned(), value));
    }
}

/// Reads arguments as GNU programs do: options may follow operands, `--` ends them.
pub(super) fn parse<'a>(
    listed: &str,
    arguments: &'a [Argument],
    risk: PatternRisk,
) -> Result<ParsedOptions<'a>, OptionError> {
    let mut parsed = ParsedOptions::default();
    let mut rest = arguments.iter();
    while let Some(argument) = rest.next() {
        match &argument.known {
            Certainty::Unknown(why) => return Err(OptionError::Unclear(why.clone())),
            Certainty::Pattern => {
                let is_option = argument.text.starts_with(super::paths::PATTERN) || argument.text.starts_with('-');
                if is_option && risk == PatternRisk::Options {
                    return Err(OptionError::Unclear(Unclear::PatternOption(argument.text.clone())));
                }
                parsed.operands.push(argument);
            }
            Certainty::Literal if argument.text == "--" => {
                parsed.operands.extend(rest.by_ref());
            }
            Certainty::Literal => match argument.text.strip_prefix("--") {
                Some(long) => long_option(listed, long, &mut rest, &mut parsed)?,
                None if argument.text.len() > 1 && argument.text.starts_with('-') => {
                    short_options(listed, &argument.text[1..], &mut rest, &mut parsed)?;
                }
                None => parsed.operands.push(argument),
            },
        }
    }
    match parsed.operands.iter().find_map(|operand| operand.why_unknown()) {
        Some(why) => Err(OptionError::Unclear(why.clone())),
        None => Ok(parsed),
    }
}

/// Reads the options before the first operand, as programs do that run another one. Returns how many arguments they are.
pub(super) fn leading<'a>(listed: &str, arguments: &'a [Argument]) -> Result<(ParsedOptions<'a>, usize), OptionError> {
    let mut parsed = ParsedOptions::default();
    let mut rest = arguments.iter();
    loop {
        let count = arguments.len() - rest.len();
        let Some(argument) = rest.next() else { return Ok((parsed, count)) };
        if !argument.is_literal() || !argument.text.starts_with('-') || argument.text.len() == 1 {
            return Ok((parsed, count));
        }
        match argument.text.strip_prefix("--") {
            Some("") => return Ok((parsed, count + 1)),
            Some(long) => long_option(listed, long, &mut rest, &mut parsed)?,
            None => short_options(listed, &argument.text[1..], &mut rest, &mut parsed)?,
        }
    }
}

fn long_option<'a>(
    listed: &str,
    text: &str,
    rest: &mut std::slice::Iter<'a, Argument>,
    parsed: &mut ParsedOptions<'a>,
) -> Result<(), OptionError> {
    let (name, value) = match text.split_once('=') {
        Some((name, value)) => (name, Some(Argument::literal(value))),
        None => (text, None),
    };
    let kind = find(listed, "--", name).ok_or(OptionError::Unlisted)?;
    let value = match (kind, value) {
        (ValueKind::None, Some(_)) => return Err(OptionError::Unlisted),
        (ValueKind::Required | ValueKind::File, None) => Some(next_value(rest)?),
        (_, value) => value,
    };
    parsed.add(name, kind, value);
    Ok(())
}

fn short_options<'a>(
    listed: &str,
    cluster: &str,
    rest: &mut std::slice::Iter<'a, Argument>,
    parsed: &mut ParsedOptions<'a>,
) -> Result<(), OptionError> {
    if cluster.bytes().all(|byte| byte.is_ascii_digit()) && find(listed, "-", "#").is_some() {
        parsed.add("#", ValueKind::None, Some(Argument::literal(cluster)));
        return Ok(());
    }
    for (at, letter) in cluster.char_indices() {
        let name = letter.to_string();
        let kind = find(listed, "-", &name).ok_or(OptionError::Unlisted)?;
        let attached = &cluster[at + letter.len_utf8()..];
        let attached = (!attached.is_empty()).then(|| Argument::literal(attached));
        match (kind, attached) {
            (ValueKind::None, _) => {
                parsed.add(&name, kind, None);
                continue;
            }
            (ValueKind::Required | ValueKind::File, None) => parsed.add(&name, kind, Some(next_value(rest)?)),
            (_, value) => parsed.add(&name, kind, value),
        }
        break;
    }
    Ok(())
}

fn next_value(rest: &mut std::slice::Iter<'_, Argument>) -> Result<Argument, OptionError> {
    let value = rest.next().ok_or(OptionError::Unlisted)?;
    match &value.known {
        Certainty::Literal => Ok(value.clone()),
        // Several files may match: those after the first are operands, or options.
        Certainty::Pattern => Err(OptionError::Unclear(Unclear::PatternOption(value.text.clone()))),
        Certainty::Unknown(why) => Err(OptionError::Unclear(why.clone())),
    }
}

/// The kind of an option in the list. Names are exact: what an abbreviation stands for depends on the program's version.
fn find(listed: &str, dashes: &str, name: &str) -> Option<ValueKind> {
    listed.split_whitespace().find_map(|option| {
        let rest = option.strip_prefix(dashes)?.strip_prefix(name)?;
        match rest {
            "" => Some(ValueKind::None),
            "=" => Some(ValueKind::Required),
            "?" => Some(ValueKind::Attached),
            "=@" => Some(ValueKind::File),
            _ => None,
        }
    })
}
