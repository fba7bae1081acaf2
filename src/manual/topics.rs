//! Something that people ask about shellmate, and its answer.

use super::settings::DocumentedSetting;

/// Something that people ask about.
#[derive(Debug, PartialEq, Eq)]
pub(crate) struct Topic {
    /// Patterns of questions: groups of words, of which each needs one. `@off` and `@where` are groups that many patterns need.
    pub(super) asks: &'static [&'static str],
    /// Other words that may be in such a question.
    pub(super) also: &'static str,
    pub(super) answer: TopicAnswer,
}

#[derive(Debug, PartialEq, Eq)]
pub(super) enum TopicAnswer {
    /// A setting: its name, a value as it is written in the configuration, and what else helps.
    Setting(&'static str, &'static str, &'static str),
    /// Not a setting: what helps, and the document that says more.
    Words(&'static str, &'static str),
}

impl Topic {
    /// The answer. `file` is the configuration file.
    pub(crate) fn answer(&self, file: &str) -> String {
        match self.answer {
            TopicAnswer::Words(words, document) => format!("{words}\n(from the built-in manual; more in {document})"),
            TopicAnswer::Setting(name, value, more) => {
                let Some(setting) = DocumentedSetting::named(name) else { return more.to_owned() };
                let default = setting.default.map_or("not set".to_owned(), |default| format!("default {default}"));
                let example = match name.split_once('.') {
                    Some((table, key)) => format!("[{table}]\n             {key} = {value}"),
                    None => format!("{name} = {value}"),
                };
                let command = format!("shellmate config set {name} {}", argument(value));
                let mut lines = vec![format!("`{name}` ({default}): {}", setting.description)];
                lines.extend([
                    format!("  in {file}:"),
                    format!("             {example}"),
                    format!("  or run:    {command}"),
                ]);
                lines.extend(more.lines().map(|line| format!("  {line}")));
                lines.push("(from the built-in manual; more in docs/CONFIG.md)".to_owned());
                lines.join("\n")
            }
        }
    }
}

/// A value as an argument of `shellmate config set`.
pub(super) fn argument(value: &str) -> String {
    let plain = value.trim_start_matches('[').trim_end_matches(']').trim_matches(['"', '\'']);
    let is_word = plain.chars().all(|c| c.is_alphanumeric() || "-_./:~".contains(c));
    if is_word && !plain.is_empty() { plain.to_owned() } else { format!("'{plain}'") }
}
