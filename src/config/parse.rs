//! Parses a configuration and reports its problems.

use std::fmt;

use serde::Deserialize;
use serde::de::{self, Deserializer, Visitor};
use serde_path_to_error::Segment;
use toml::Spanned;
use toml::de::{DeArray, DeTable, DeValue};

use super::origin::LineNumbers;
use super::syntax::{ReadableText, ReadableToml};
use super::{ByteSize, Config, Loaded, Problem, layers, words};

/// The most problems of one file that are reported.
pub(super) const PROBLEM_CAP: usize = 20;

/// A step from a table or a list to a value in it.
#[derive(Debug, Clone, PartialEq, Eq)]
enum PathStep {
    Key(String),
    Entry(usize),
}

/// The way to a value from the top level.
type ValuePath = Vec<PathStep>;

/// The usable part of a configuration file.
#[derive(Debug, Clone, Default, PartialEq)]
pub(super) struct ParsedFile {
    pub(super) table: toml::Table,
    /// Where its keys are.
    pub(super) lines: LineNumbers,
    /// The keys and entries that were ignored, in order.
    pub(super) problems: Vec<Problem>,
    /// Whether some of it is not valid TOML.
    pub(super) is_broken: bool,
}

impl ParsedFile {
    /// Parses the text of a file. What is not valid TOML is left out, so is a key that cannot be used, and an entry of a list.
    pub(super) fn parse(text: &str) -> ParsedFile {
        let readable = ReadableText::new(text);
        let ReadableToml { mut table, mut problems } = ReadableToml::read(&readable);
        let is_broken = !problems.is_empty();
        // Each round either succeeds or removes one key or entry.
        loop {
            let mut unknown = Vec::new();
            match deserialize(table.clone(), &mut unknown) {
                Ok(_) => {
                    problems.extend(unknown.iter().map(|path| unknown_key(path).line(key_line(&table, path, text))));
                    for path in &unknown {
                        remove(table.get_mut(), path);
                    }
                    break;
                }
                Err((value, error)) => {
                    let path = usable_part(&value);
                    let line = error.span().map(|span| line_of(text, span.start)).or(key_line(&table, &path, text));
                    let message = words::of_error(error.message(), &schema_path(&value));
                    problems.push(Problem::new(&message).key(&key_text(&path)).line(line));
                    if !remove(table.get_mut(), &path) {
                        table.get_mut().clear();
                    }
                }
            }
        }
        problems.sort_by_key(|problem| problem.line);
        let more = problems.len().saturating_sub(PROBLEM_CAP);
        problems.truncate(PROBLEM_CAP);
        if more > 0 {
            let last = problems.last().and_then(|problem| problem.line);
            problems.push(Problem::new(&format!("this file has {more} more problems")).line(last));
        }
        let lines = LineNumbers::of(table.get_ref(), &|at| line_of(text, at));
        let table = toml::Table::deserialize(toml::Deserializer::from(table)).unwrap_or_default();
        ParsedFile { table, lines, problems, is_broken }
    }
}

impl Config {
    /// Parses the text of one file.
    pub(crate) fn parse(text: &str) -> Loaded {
        layers::of_text(text)
    }

    /// Limits values to their allowed range. Returns a message for each changed key.
    pub(super) fn clamp(&mut self) -> Vec<(&'static str, String)> {
        let Config { history, conversations, undo, grants, capture, agent, terminal, model, .. } = self;
        let mut changed = Vec::new();
        for (key, size, least, most) in [
            ("history.size", &mut history.size, ByteSize::mib(1), ByteSize::gib(1024)),
            ("conversations.size", &mut conversations.size, ByteSize::new(0), ByteSize::gib(1024)),
            ("undo.size", &mut undo.size, ByteSize::new(0), ByteSize::gib(1024)),
            ("capture.head", &mut capture.head, ByteSize::new(0), ByteSize::gib(1)),
            ("capture.tail", &mut capture.tail, ByteSize::new(0), ByteSize::gib(1)),
            ("capture.spill", &mut capture.spill, ByteSize::new(0), ByteSize::gib(1024)),
            ("capture.spill_total", &mut capture.spill_total, ByteSize::new(0), ByteSize::gib(1024)),
            ("agent.context_size", &mut agent.context_size, ByteSize::new(0), ByteSize::mib(1)),
        ] {
            let wish = std::mem::replace(size, (*size).clamp(least, most));
            if *size != wish {
                changed.push((key, format!("{wish} is not between {least} and {most}; {size} is used")));
            }
        }
        for (key, number, least, most) in [
            ("history.commands", &mut history.commands, 1, 100_000_000),
            ("conversations.days", &mut conversations.days, 0, 36_500),
            ("undo.days", &mut undo.days, 0, 36_500),
            ("grants.days", &mut grants.days, 0, 36_500),
            ("model.window", &mut model.window, 0, 100_000_000),
            ("capture.spill_days", &mut capture.spill_days, 0, 36_500),
            ("agent.steps", &mut agent.steps, 1, 10_000),
            ("agent.compact_at", &mut agent.compact_at, 2_000, 10_000_000),
            ("agent.idle_timeout", &mut agent.idle_timeout, 5, 3_600),
            ("agent.context_lines", &mut agent.context_lines, 0, 100_000),
            ("agent.command_timeout", &mut agent.command_timeout, 1, 86_400),
            ("agent.longest_timeout", &mut agent.longest_timeout, 1, 86_400),
            ("terminal.notify_after", &mut terminal.notify_after, 0, 86_400),
        ] {
            let wish = std::mem::replace(number, (*number).clamp(least, most));
            if *number != wish {
                changed.push((key, format!("{wish} is not between {least} and {most}; {number} is used")));
            }
        }
        if agent.longest_timeout < agent.command_timeout {
            let (wish, least) = (agent.longest_timeout, agent.command_timeout);
            agent.longest_timeout = least;
            changed.push(("agent.longest_timeout", format!("{wish} is less than command_timeout; {least} is used")));
        }
        changed
    }
}

/// Deserializes a whole number. The error message for other values says "a whole number".
pub(super) fn whole_number<'de, D: Deserializer<'de>>(deserializer: D) -> Result<u64, D::Error> {
    deserializer.deserialize_any(WholeNumber)
}

struct WholeNumber;

impl Visitor<'_> for WholeNumber {
    type Value = u64;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("a whole number")
    }

    fn visit_u64<E: de::Error>(self, number: u64) -> Result<u64, E> {
        Ok(number)
    }

    fn visit_i64<E: de::Error>(self, number: i64) -> Result<u64, E> {
        u64::try_from(number).map_err(|_| E::invalid_value(de::Unexpected::Signed(number), &self))
    }
}

/// Deserializes the configuration and collects unknown keys. The error contains the way to the value.
fn deserialize(
    table: Spanned<DeTable<'_>>,
    unknown: &mut Vec<ValuePath>,
) -> Result<Config, (ValuePath, toml::de::Error)> {
    let mut track = serde_path_to_error::Track::new();
    let tracked = serde_path_to_error::Deserializer::new(toml::Deserializer::from(table), &mut track);
    let result = serde_ignored::deserialize(tracked, |path| unknown.push(value_path(&path)));
    result.map_err(|error| {
        let path = track.path();
        let steps = path.iter().filter_map(|segment| match segment {
            Segment::Map { key } => Some(PathStep::Key(key.clone())),
            Segment::Seq { index } => Some(PathStep::Entry(*index)),
            Segment::Enum { .. } | Segment::Unknown => None,
        });
        (steps.collect(), error)
    })
}

/// What is not used if a value is wrong: its entry, if it is in a list. An entry is used as a whole or not at all, because a rule
/// without one of its conditions would apply too widely.
fn usable_part(value: &[PathStep]) -> ValuePath {
    let entry = value.iter().rposition(|step| matches!(step, PathStep::Entry(_)));
    value[..entry.map_or(value.len(), |entry| entry + 1)].to_vec()
}

/// The path of a value in the schema.
fn schema_path(value: &[PathStep]) -> Vec<String> {
    let name = |step: &PathStep| match step {
        PathStep::Key(key) => key.clone(),
        PathStep::Entry(index) => index.to_string(),
    };
    value.iter().map(name).collect()
}

fn value_path(path: &serde_ignored::Path<'_>) -> ValuePath {
    use serde_ignored::Path;
    let (parent, step) = match path {
        Path::Root => return ValuePath::new(),
        Path::Map { parent, key } => (parent, Some(PathStep::Key(key.clone()))),
        Path::Seq { parent, index } => (parent, Some(PathStep::Entry(*index))),
        Path::Some { parent } | Path::NewtypeStruct { parent } | Path::NewtypeVariant { parent } => (parent, None),
    };
    value_path(parent).into_iter().chain(step).collect()
}

/// The keys of a path with dots. An entry is named by its list.
fn key_text(path: &[PathStep]) -> String {
    keys(path).join(".")
}

fn keys(path: &[PathStep]) -> Vec<String> {
    let key = |step: &PathStep| match step {
        PathStep::Key(key) => Some(key.clone()),
        PathStep::Entry(_) => None,
    };
    path.iter().filter_map(key).collect()
}

fn unknown_key(path: &[PathStep]) -> Problem {
    let path = keys(path);
    match path.split_last() {
        Some((key, parents)) => Problem::new(&words::unknown_key(parents, key)),
        None => Problem::new("unknown key"),
    }
}

/// Removes a value. False if it is not there.
fn remove(table: &mut DeTable<'_>, path: &[PathStep]) -> bool {
    match path {
        [PathStep::Key(key)] => table.remove(key.as_str()).is_some(),
        [PathStep::Key(key), rest @ ..] => match table.get_mut(key.as_str()) {
            Some(value) => remove_in(value, rest),
            None => false,
        },
        [] | [PathStep::Entry(_), ..] => false,
    }
}

fn remove_in(value: &mut Spanned<DeValue<'_>>, path: &[PathStep]) -> bool {
    match (value.get_mut(), path) {
        (DeValue::Table(inner), path) => remove(inner, path),
        (DeValue::Array(list), [PathStep::Entry(index)]) if *index < list.len() => {
            let others = std::mem::replace(list, DeArray::new()).into_iter().enumerate().filter(|(at, _)| at != index);
            *list = others.map(|(_, entry)| entry).collect();
            true
        }
        (DeValue::Array(list), [PathStep::Entry(index), rest @ ..]) => {
            list.get_mut(*index).is_some_and(|entry| remove_in(entry, rest))
        }
        (_, _) => false,
    }
}

/// The line of a key, or of an entry.
fn key_line(table: &Spanned<DeTable<'_>>, path: &[PathStep], text: &str) -> Option<usize> {
    let (first, rest) = path.split_first()?;
    let PathStep::Key(first) = first else { return None };
    let (key, mut value) = table.get_ref().get_key_value(first.as_str())?;
    let mut at = key.span().start;
    for step in rest {
        (at, value) = match step {
            PathStep::Key(name) => {
                let (key, value) = value.get_ref().as_table()?.get_key_value(name.as_str())?;
                (key.span().start, value)
            }
            PathStep::Entry(index) => {
                let value = value.get_ref().as_array()?.get(*index)?;
                (value.span().start, value)
            }
        };
    }
    Some(line_of(text, at))
}

pub(super) fn line_of(text: &str, at: usize) -> usize {
    text.bytes().take(at).filter(|&byte| byte == b'\n').count() + 1
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::config::SandboxSettings;
    use crate::config::{
        Agent, CaptureSettings, ConversationSettings, EditingMode, GrantSettings, HistorySettings, LineSettings, Model,
        NotifyMode, Redact, ScopeSettings, TerminalSettings,
    };
    use crate::guard::{Network, SandboxLevel};
    use crate::provider::{CacheLifetime, Protocol};
    use crate::reflex::RulesRole;

    fn problems(text: &str) -> Vec<String> {
        let with_line = |problem: &Problem| format!("{}: {problem}", problem.line.unwrap_or(0));
        Config::parse(text).problems.iter().map(with_line).collect()
    }

    fn dollars(amount: &str) -> crate::config::dollars::Dollars {
        serde_json::from_str(amount).unwrap()
    }

    #[test]
    fn every_key_is_read() {
        let text = r#"
            shell = "/bin/zsh"
            reflex = "only"
            hint = true
            hotkey = "none"
            theme = "dark"
            wrap = "terminal"
            screen_reader = true
            mode = "auto"
            [model]
            name = "openai/gpt-5"
            fast = "openai/gpt-5-mini"
            plan = "openai/gpt-5:high"
            base_url = "http://10.0.0.1/v1"
            api_key_env = "MINE"
            protocol = "responses"
            plain_http = ["10.0.0.1"]
            window = 8192
            cache = "long"
            [limits]
            query = 0.5
            day = 5
            [history]
            enabled = false
            ignore = ['^pass\b', "TOKEN="]
            commands = 5
            size = "2 GiB"
            key = "ctrl-r"
            [conversations]
            enabled = false
            days = 30
            size = "5 MiB"
            [undo]
            enabled = false
            days = 3
            size = "1 MiB"

            [capture]
            head = 0
            tail = "1KiB"
            spill = "500 MB"
            spill_total = 1_000_000_000
            spill_days = 1
            [redact]
            patterns = ['EMP-[0-9]+']
            exempt = ["^test-"]
            [agent]
            steps = 7
            idle_timeout = 300
            context_lines = 50
            context_size = "4 KiB"
            compact_at = 100000
            conventions = false
            skills = false
            skill_paths = ["~/skills"]
            memory = true
            lang = "de"
            command_timeout = 10
            longest_timeout = 20
            [line]
            mode = "vi"
            [keys]
            unfold = "f5"
            [terminal]
            notify = "bell"
            notify_after = 60
            title = false
            progress = false
            [sandbox]
            level = "read-only"
            network = "off"
            write = ["~/out"]
            hide = ["/srv/private"]
            [grants]
            days = 7
            [[rules]]
            command = "git push *"
            decision = "deny"
            reason = "not from here"
            [[scope]]
            path = "~/src"
            mode = "plan"
            model = "ollama/qwen3"
            allow = ["ollama"]
            deny = ["*/gpt-*"]
        "#;
        let expected = Config {
            shell: Some("/bin/zsh".into()),
            reflex: RulesRole::Only,
            hint: true,
            nested_hint: true,
            welcome: true,
            theme: crate::config::ThemeChoice::One("dark".to_owned()),
            wrap: crate::render::Wrapping::Terminal,
            screen_reader: true,
            hotkey: "none".to_owned().try_into().unwrap(),
            model: Model {
                name: "openai/gpt-5".to_owned(),
                fast: "openai/gpt-5-mini".to_owned(),
                plan: "openai/gpt-5:high".to_owned(),
                base_url: "http://10.0.0.1/v1".to_owned(),
                api_key_env: "MINE".to_owned(),
                protocol: Protocol::Responses,
                plain_http: vec!["10.0.0.1".to_owned()],
                window: 8_192,
                cache: CacheLifetime::Long,
            },
            providers: std::collections::BTreeMap::new(),
            limits: crate::config::LimitSettings { query: dollars("0.5"), day: dollars("5"), month: dollars("0") },
            history: HistorySettings {
                enabled: false,
                ignore: vec![r"^pass\b".to_owned(), "TOKEN=".to_owned()],
                commands: 5,
                size: ByteSize::gib(2),
                key: "ctrl-r".to_owned().try_into().unwrap(),
            },
            conversations: ConversationSettings { enabled: false, days: 30, size: ByteSize::mib(5) },
            undo: crate::config::UndoSettings { enabled: false, days: 3, size: ByteSize::mib(1) },
            capture: CaptureSettings {
                head: ByteSize::new(0),
                tail: ByteSize::kib(1),
                spill: ByteSize::new(500_000_000),
                spill_total: ByteSize::new(1_000_000_000),
                spill_days: 1,
            },
            sandbox: SandboxSettings {
                level: SandboxLevel::ReadOnly,
                network: Network::Off,
                write: vec!["~/out".into()],
                hide: vec!["/srv/private".into()],
            },
            mode: crate::guard::PermissionMode::Auto,
            rules: vec![crate::guard::RuleText {
                tool: String::new(),
                path: String::new(),
                command: "git push *".to_owned(),
                host: String::new(),
                decision: crate::guard::RuleDecision::Deny,
                reason: "not from here".to_owned(),
            }],
            scope: vec![ScopeSettings {
                path: "~/src".into(),
                mode: Some(crate::guard::PermissionMode::Plan),
                model: "ollama/qwen3".to_owned(),
                allow: vec!["ollama".to_owned()],
                deny: vec!["*/gpt-*".to_owned()],
            }],
            grants: GrantSettings { days: 7 },
            redact: Redact { patterns: vec!["EMP-[0-9]+".to_owned()], exempt: vec!["^test-".to_owned()] },
            agent: Agent {
                steps: 7,
                idle_timeout: 300,
                context_lines: 50,
                context_size: ByteSize::kib(4),
                compact_at: 100_000,
                conventions: false,
                skills: false,
                skill_paths: vec!["~/skills".into()],
                memory: true,
                lang: "de".to_owned().try_into().unwrap(),
                command_timeout: 10,
                longest_timeout: 20,
            },
            keys: serde_json::from_str("{\"unfold\": [\"F5\"]}").unwrap(),
            line: LineSettings { mode: EditingMode::Vi },
            terminal: TerminalSettings { notify: NotifyMode::Bell, notify_after: 60, title: false, progress: false },
        };
        let loaded = Config::parse(text);
        assert_eq!((&loaded.config, loaded.problems), (&expected, Vec::new()));
        assert_eq!(Config::parse(&toml::to_string(&expected).unwrap()).config, expected);
        assert_eq!(Config::parse("\u{FEFF}# only a comment\r\n"), Loaded::default());
    }

    #[test]
    fn an_unknown_key_is_reported_with_a_similar_one() {
        let text = "colour = 1\n[history]\nignor = []\ncommands = 7\n[captur]\nhead = 1\n[history.sub]\nx = 1\n";
        assert_eq!(Config::parse(text).config.history.commands, 7);
        assert_eq!(
            problems(text),
            [
                "1: unknown key `colour`; `shellmate config get` lists all keys",
                "3: unknown key `history.ignor`, did you mean `history.ignore`?",
                "5: unknown key `captur`, did you mean `capture`?",
                "7: unknown key `history.sub`, [history] has `commands`, `enabled`, `ignore`, `key`, `size`",
            ]
        );
    }

    #[test]
    fn a_wrong_value_only_affects_its_key() {
        let text = "shell = 3\n[history]\nenabled = \"yes\"\ncommands = 7\nignore = [1]\n[capture]\nhead = \"big\"\ntail = -1\n";
        assert_eq!(Config::parse(text).config.history, HistorySettings { commands: 7, ..HistorySettings::default() });
        assert_eq!(
            problems(text),
            [
                "1: shell: expected a path in quotes, not 3",
                "3: history.enabled: expected true or false, not \"yes\"",
                "5: history.ignore: expected text in quotes, not 1",
                "7: capture.head: expected a size such as 65536 or \"64 KiB\", not \"big\"",
                "8: capture.tail: expected a size such as 65536 or \"64 KiB\", not -1",
            ]
        );
        assert_eq!(problems("wrap = 'pink'"), ["1: wrap: unknown value `pink`, expected `words` or `terminal`"]);
        let table = "1: history: expected a table with `commands`, `enabled`, `ignore`, `key`, `size`, not 1";
        assert_eq!(problems("history = 1"), [table]);
    }

    #[test]
    fn one_wrong_entry_of_a_list_does_not_drop_the_others() {
        let text = "[[rules]]\ncommand = 'a'\ndecision = 'deny'\n\n[[rules]]\ncommand = 'b'\ndecision = 'forbid'\n\n\
                    [[rules]]\ncomand = 'c'\ndecision = 'ask'\n\n[[rules]]\ncommand = 'd'\n\n[[rules]]\ncommand = 'e'\n\
                    decision = 'ask'\n\n[[scope]]\npath = '~/a'\nmode = 'all'\n[[scope]]\npath = '~/b'\nmode = 'plan'\n\
                    [redact]\npatterns = ['x', 1, 'y', '(']\n[agent]\nskill_paths = [true, '~/s']\n";
        let loaded = Config::parse(text);
        let commands: Vec<&str> = loaded.config.rules.iter().map(|rule| rule.command.as_str()).collect();
        assert_eq!(commands, ["a", "e"], "a rule is used as it is written, or not at all");
        assert_eq!(loaded.config.scope.len(), 1);
        assert_eq!(loaded.config.redact.patterns, ["x", "y", "("]);
        assert_eq!(loaded.config.agent.skill_paths, [std::path::PathBuf::from("~/s")]);
        let all = loaded.all_problems();
        let lines: Vec<String> =
            all.iter().map(|problem| format!("{}: {problem}", problem.line.unwrap_or(0))).collect();
        assert_eq!(
            lines,
            [
                "7: rules: unknown value `forbid`, expected one of `allow`, `ask`, `deny`",
                "10: rules: unknown key `comand`, did you mean `command`?",
                "13: rules: the key `decision` is missing",
                "22: scope: unknown value `all`, expected one of `ask`, `auto`, `plan`",
                "27: redact.patterns: expected text in quotes, not 1",
                "29: agent.skill_paths: expected a path in quotes, not true",
                "27: redact.patterns: `(` is not a regular expression: unclosed group",
            ]
        );
    }

    #[test]
    fn a_key_in_the_wrong_table_is_reported_with_its_place() {
        assert_eq!(
            problems("commands = 5\n[history]\ntheme = 'dark'\n"),
            [
                "1: unknown key `commands`, did you mean `history.commands`?",
                "3: unknown key `history.theme`, did you mean `theme`?",
            ]
        );
    }

    #[test]
    fn what_is_accepted_is_said_in_words_of_people() {
        for (text, expected) in [
            ("mode = true", "mode: expected \"ask\", \"auto\" or \"plan\""),
            ("[sandbox]\nnetwork = 1", "sandbox.network: expected \"off\" or \"on\""),
            ("rules = 'x'", "rules: expected tables with [[rules]], not \"x\""),
            ("[rules]\ncommand = 'x'", "rules: expected tables with [[rules]], not a table"),
            ("[history]\nignore = '^a'", "history.ignore: expected a list such as [\"…\"], not \"^a\""),
            ("[[scope]]\npath = '~/a'\nallow = 'x'", "scope: expected a list such as [\"…\"], not \"x\""),
            ("[[providers]]\nname = 'x'", "providers: expected a table, not a list"),
            ("[history]\ncommands = 99999999999999999999999", "expected a whole number, not 99999999999999999999999"),
            (
                "[providers.a]\nbase_url = 'http://a'\napi_key = { evn = 'X' }",
                "expected text, { env = \"NAME\" } or { command = \"PROGRAM\" }, not a table with the key `evn`",
            ),
            ("[model]\napi_key = 'sk-1'", "unknown key `model.api_key`, did you mean `model.api_key_env`?"),
            ("[agent]\nzzzz = 1", "unknown key `agent.zzzz`, [agent] has `command_timeout`"),
        ] {
            let said = problems(text);
            assert_eq!(said.len(), 1, "{text}: {said:?}");
            assert!(said[0].contains(expected), "{text}\n  {}", said[0]);
        }
    }

    #[test]
    fn a_text_that_is_no_toml_at_all_gives_the_defaults_and_few_problems() {
        for text in ["=", "\0", &"[".repeat(100_000), &"a=".repeat(9), &"}\n".repeat(9_999)] {
            let loaded = Config::parse(text);
            assert_eq!(loaded.config, Config::default());
            assert!((1..=PROBLEM_CAP + 1).contains(&loaded.problems.len()), "{:?}", loaded.problems);
            let line = loaded.problems[0].to_string();
            assert!(line.contains("not valid TOML") && !line.contains('\n'), "{line}");
            assert!(loaded.problems[0].line.is_some());
        }
    }

    #[test]
    fn values_are_limited_to_their_range() {
        let text = "[history]\ncommands = 0\n[capture]\nhead = 0\ntail = \"2 GiB\"\n";
        let config = Config::parse(text).config;
        assert_eq!(
            (config.history.commands, config.capture.head_bytes(), config.capture.tail_bytes()),
            (1, 0, 1 << 30)
        );
        assert_eq!(
            problems(text),
            [
                "2: history.commands: 0 is not between 1 and 100000000; 1 is used",
                "5: capture.tail: 2 GiB is not between 0 B and 1 GiB; 1 GiB is used",
            ]
        );
        assert_eq!(
            problems("[model]\nwindow = 9_999_999_999\n[undo]\ndays = 99_999\nsize = '2 TiB'\n"),
            [
                "2: model.window: 9999999999 is not between 0 and 100000000; 100000000 is used",
                "4: undo.days: 99999 is not between 0 and 36500; 36500 is used",
                "5: undo.size: 2 TiB is not between 0 B and 1 TiB; 1 TiB is used",
            ]
        );
    }

    #[test]
    fn contradictory_limits_of_the_agent_are_reported() {
        let text = "[agent]\nsteps = 0\ncontext_size = \"1 GiB\"\ncommand_timeout = 100\nlongest_timeout = 10\nidle_timeout = \"long\"\n";
        let agent = Config::parse(text).config.agent;
        assert_eq!((agent.limits().steps, agent.limits().events.bytes), (1, 1 << 20));
        assert_eq!((agent.timeouts().longest.as_secs(), agent.patience().silence.as_secs()), (100, 120));
        assert_eq!(
            problems(text),
            [
                "2: agent.steps: 0 is not between 1 and 10000; 1 is used",
                "3: agent.context_size: 1 GiB is not between 0 B and 1 MiB; 1 MiB is used",
                "5: agent.longest_timeout: 10 is less than command_timeout; 100 is used",
                "6: agent.idle_timeout: expected a whole number, not \"long\"",
            ]
        );
    }

    #[test]
    fn problems_contain_no_control_characters_of_the_file() {
        let lines = problems("\"\\u001b[2J\\n\" = 1\n");
        assert!(!lines[0].contains(['\x1b', '\n']), "{lines:?}");
        assert!(problems(&(0..99).map(|n| format!("k{n} = 1\n")).collect::<String>()).len() <= PROBLEM_CAP + 1);
    }

    proptest::proptest! {
        #[test]
        fn any_text_is_parsed_without_a_panic(text in "(\\[?(history|capture|shell|x)\\]?|[a-z=\"\\[\\]{}. 0-9\n-]){0,12}") {
            let _ = Config::parse(&text);
        }
    }
}
