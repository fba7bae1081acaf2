//! Parses a configuration and reports its problems.

use std::fmt;

use serde::de::{self, Deserializer, Visitor};
use serde_path_to_error::Segment;
use toml::Spanned;
use toml::de::{DeTable, DeValue};

use super::{ByteSize, Config, Loaded, Problem, schema};

/// The most problems that are reported.
const PROBLEM_CAP: usize = 20;

/// The path of a key from the top level.
type KeyPath = Vec<String>;

impl Config {
    /// Parses the text of a configuration.
    ///
    /// A key that cannot be used is ignored. If the text is not valid TOML, all of it is ignored.
    pub(crate) fn parse(text: &str) -> Loaded {
        let mut table = match DeTable::parse(text) {
            Ok(table) => table,
            Err(error) => {
                let line = error.span().map(|span| line_of(text, span.start));
                let message =
                    format!("not valid TOML, so the defaults are used: {}", error.message().replace('\n', ", "));
                return Loaded { problems: vec![Problem::new(&message).line(line)], ..Loaded::default() };
            }
        };
        let mut problems = Vec::new();
        // Each round either succeeds or removes one key.
        let mut config = loop {
            let mut unknown = Vec::new();
            match deserialize(table.clone(), &mut unknown) {
                Ok(config) => {
                    problems.extend(unknown.iter().map(|path| unknown_key(path).line(key_line(&table, path, text))));
                    break config;
                }
                Err((path, error)) => {
                    let line = error.span().map(|span| line_of(text, span.start));
                    // serde calls the value of an enum a variant.
                    let message = error.message().replace("unknown variant", "unknown value");
                    problems.push(Problem::new(&message).key(&path.join(".")).line(line));
                    if !remove(table.get_mut(), &path) {
                        break Self::default();
                    }
                }
            }
        };
        for (key, message) in config.clamp() {
            let path: KeyPath = key.split('.').map(str::to_owned).collect();
            problems.push(Problem::new(&message).key(key).line(key_line(&table, &path, text)));
        }
        problems.sort_by_key(|problem| problem.line);
        problems.truncate(PROBLEM_CAP);
        Loaded { config, problems, ..Loaded::default() }
    }

    /// Limits values to their allowed range. Returns a message for each changed key.
    fn clamp(&mut self) -> Vec<(&'static str, String)> {
        let (history, capture, agent) = (&mut self.history, &mut self.capture, &mut self.agent);
        let mut changed = Vec::new();
        for (key, size, least, most) in [
            ("history.size", &mut history.size, ByteSize::mib(1), ByteSize::gib(1024)),
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
            ("capture.spill_days", &mut capture.spill_days, 0, 36_500),
            ("agent.steps", &mut agent.steps, 1, 10_000),
            ("agent.compact_at", &mut agent.compact_at, 2_000, 10_000_000),
            ("agent.idle_timeout", &mut agent.idle_timeout, 5, 3_600),
            ("agent.context_lines", &mut agent.context_lines, 0, 100_000),
            ("agent.command_timeout", &mut agent.command_timeout, 1, 86_400),
            ("agent.longest_timeout", &mut agent.longest_timeout, 1, 86_400),
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

/// Deserializes the configuration and collects unknown keys. The error contains the path of the key.
fn deserialize(table: Spanned<DeTable<'_>>, unknown: &mut Vec<KeyPath>) -> Result<Config, (KeyPath, toml::de::Error)> {
    let mut track = serde_path_to_error::Track::new();
    let tracked = serde_path_to_error::Deserializer::new(toml::Deserializer::from(table), &mut track);
    let result = serde_ignored::deserialize(tracked, |path| unknown.push(key_path(&path)));
    result.map_err(|error| {
        let path = track.path();
        let keys = path.iter().filter_map(|segment| match segment {
            Segment::Map { key } => Some(key.clone()),
            // A problem with an element is reported for the whole list.
            Segment::Seq { .. } | Segment::Enum { .. } | Segment::Unknown => None,
        });
        (keys.collect(), error)
    })
}

fn key_path(path: &serde_ignored::Path<'_>) -> KeyPath {
    use serde_ignored::Path;
    match path {
        Path::Root => KeyPath::new(),
        Path::Map { parent, key } => {
            let mut path = key_path(parent);
            path.push(key.clone());
            path
        }
        Path::Seq { parent, .. }
        | Path::Some { parent }
        | Path::NewtypeStruct { parent }
        | Path::NewtypeVariant { parent } => key_path(parent),
    }
}

fn unknown_key(path: &KeyPath) -> Problem {
    let full = path.join(".");
    let Some((key, parents)) = path.split_last() else { return Problem::new("unknown key") };
    Problem::new(&match schema::nearest(parents, key) {
        Some(known) => format!("unknown key `{full}`, did you mean `{known}`?"),
        None => format!("unknown key `{full}`"),
    })
}

fn remove(table: &mut DeTable<'_>, path: &[String]) -> bool {
    match path {
        [] => false,
        [key] => table.remove(key.as_str()).is_some(),
        [key, rest @ ..] => match table.get_mut(key.as_str()).map(Spanned::get_mut) {
            Some(DeValue::Table(inner)) => remove(inner, rest),
            Some(_) | None => false,
        },
    }
}

/// The line of a key.
fn key_line(table: &Spanned<DeTable<'_>>, path: &[String], text: &str) -> Option<usize> {
    let (last, parents) = path.split_last()?;
    let mut table = table.get_ref();
    for key in parents {
        table = table.get(key.as_str())?.get_ref().as_table()?;
    }
    let (key, _) = table.get_key_value(last.as_str())?;
    Some(line_of(text, key.span().start))
}

fn line_of(text: &str, at: usize) -> usize {
    text.bytes().take(at).filter(|&byte| byte == b'\n').count() + 1
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::config::{
        Agent, CaptureSettings, ConversationSettings, EditingMode, HistorySettings, LineSettings, Model, Redact,
    };
    use crate::provider::{CacheLifetime, Protocol};
    use crate::reflex::RulesRole;

    fn problems(text: &str) -> Vec<String> {
        let with_line = |problem: &Problem| format!("{}: {problem}", problem.line.unwrap_or(0));
        Config::parse(text).problems.iter().map(with_line).collect()
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
            [model]
            name = "openai/gpt-5"
            base_url = "http://10.0.0.1/v1"
            api_key_env = "MINE"
            protocol = "responses"
            plain_http = ["10.0.0.1"]
            window = 8192
            cache = "long"
            [history]
            enabled = false
            ignore = ['^pass\b', "TOKEN="]
            commands = 5
            size = "2 GiB"
            [conversations]
            enabled = false
            days = 30
            size = "5 MiB"

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
            command_timeout = 10
            longest_timeout = 20
            [line]
            mode = "vi"
        "#;
        let expected = Config {
            shell: Some("/bin/zsh".into()),
            reflex: RulesRole::Only,
            hint: true,
            nested_hint: true,
            theme: "dark".to_owned(),
            wrap: crate::render::Wrapping::Terminal,
            hotkey: "none".to_owned().try_into().unwrap(),
            model: Model {
                name: "openai/gpt-5".to_owned(),
                base_url: "http://10.0.0.1/v1".to_owned(),
                api_key_env: "MINE".to_owned(),
                protocol: Protocol::Responses,
                plain_http: vec!["10.0.0.1".to_owned()],
                window: 8_192,
                cache: CacheLifetime::Long,
            },
            history: HistorySettings {
                enabled: false,
                ignore: vec![r"^pass\b".to_owned(), "TOKEN=".to_owned()],
                commands: 5,
                size: ByteSize::gib(2),
            },
            conversations: ConversationSettings { enabled: false, days: 30, size: ByteSize::mib(5) },
            capture: CaptureSettings {
                head: ByteSize::new(0),
                tail: ByteSize::kib(1),
                spill: ByteSize::new(500_000_000),
                spill_total: ByteSize::new(1_000_000_000),
                spill_days: 1,
            },
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
                command_timeout: 10,
                longest_timeout: 20,
            },
            line: LineSettings { mode: EditingMode::Vi },
        };
        assert_eq!(Config::parse(text), Loaded { config: expected.clone(), ..Loaded::default() });
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
                "1: unknown key `colour`",
                "3: unknown key `history.ignor`, did you mean `ignore`?",
                "5: unknown key `captur`, did you mean `capture`?",
                "7: unknown key `history.sub`",
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
                "1: shell: invalid type: integer `3`, expected path string",
                "3: history.enabled: invalid type: string \"yes\", expected a boolean",
                "5: history.ignore: invalid type: integer `1`, expected a string",
                "7: capture.head: invalid value: string \"big\", expected a size such as 65536 or \"64 KiB\"",
                "8: capture.tail: invalid value: integer `-1`, expected a size such as 65536 or \"64 KiB\"",
            ]
        );
        assert_eq!(problems("wrap = 'pink'"), ["1: wrap: unknown value `pink`, expected `words` or `terminal`"]);
        assert_eq!(problems("history = 1"), ["1: history: invalid type: integer `1`, expected a table"]);
    }

    #[test]
    fn invalid_toml_gives_the_defaults_and_one_problem() {
        for text in ["a = 1\nb = [", "[history\nenabled = false", "=", "\0", &"[".repeat(100_000), &"a=".repeat(9)] {
            let loaded = Config::parse(text);
            assert_eq!(loaded.config, Config::default());
            assert_eq!(loaded.problems.len(), 1);
            let line = loaded.problems[0].to_string();
            assert!(line.starts_with("not valid TOML") && !line.contains('\n'), "{line}");
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
                "6: agent.idle_timeout: invalid type: string \"long\", expected a whole number",
            ]
        );
    }

    #[test]
    fn problems_contain_no_control_characters_of_the_file() {
        let lines = problems("\"\\u001b[2J\\n\" = 1\n");
        assert!(!lines[0].contains(['\x1b', '\n']), "{lines:?}");
        assert!(problems(&(0..99).map(|n| format!("k{n} = 1\n")).collect::<String>()).len() <= PROBLEM_CAP);
    }

    proptest::proptest! {
        #[test]
        fn any_text_is_parsed_without_a_panic(text in "(\\[?(history|capture|shell|x)\\]?|[a-z=\"\\[\\]{}. 0-9\n-]){0,12}") {
            let _ = Config::parse(&text);
        }
    }
}
