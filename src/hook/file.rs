//! Reads `hooks.json`.

use std::fs::OpenOptions;
use std::io::{self, Read};
use std::os::unix::fs::OpenOptionsExt;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::{Duration, SystemTime};

use serde_json::{Map, Value};

use super::commands::{HookCommand, HookGroup, HookSet};
use super::event::HookEvent;
use super::matcher::Matcher;

/// The largest file that is read, in bytes.
const LARGEST: u64 = 256 * 1024;
/// The most commands of one file.
const MOST: usize = 256;
/// How long a hook may take unless the file says otherwise.
const TIMEOUT: Duration = Duration::from_secs(600);
const LONGEST_TIMEOUT: Duration = Duration::from_secs(3600);
const SHORTEST_TIMEOUT: Duration = Duration::from_millis(100);
/// How long a hook may take at the end of a session.
const FAREWELL: Duration = Duration::from_millis(1500);

/// Events of other agents that have no counterpart here. Their hooks are not a mistake, so they are skipped silently.
const FOREIGN: &[&str] = &[
    "Notification",
    "SubagentStart",
    "SubagentStop",
    "PostToolUseFailure",
    "PostCompact",
    "StopFailure",
    "Setup",
    "TeammateIdle",
    "TaskCreated",
    "TaskCompleted",
    "ConfigChange",
    "CwdChanged",
    "FileChanged",
    "WorktreeCreate",
    "WorktreeRemove",
    "InstructionsLoaded",
    "PermissionDenied",
    "Elicitation",
    "ElicitationResult",
    "PostToolBatch",
];

/// Why a file, or a part of it, is not used.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub(crate) enum HookFileProblem {
    #[error("cannot read {file}: {why}")]
    Unreadable { file: String, why: String },
    #[error("{file} is not used: {why}")]
    Broken { file: String, why: String },
    #[error("{file}: {what}")]
    Skipped { file: String, what: String },
}

/// The person's own `hooks.json`. It is read again when it has changed.
#[derive(Debug, Default)]
pub(crate) struct HookFile {
    path: Option<PathBuf>,
    stamp: Option<(SystemTime, u64)>,
    hooks: Arc<HookSet>,
}

impl HookFile {
    pub(crate) fn new(path: Option<PathBuf>) -> HookFile {
        HookFile { path, ..HookFile::default() }
    }

    /// The hooks of the file as it is now, and what is wrong with it if it was read again. A file that has not changed costs one `stat`.
    pub(crate) fn current(&mut self) -> (Arc<HookSet>, Vec<HookFileProblem>) {
        let Some(path) = &self.path else { return (Arc::default(), Vec::new()) };
        let about = std::fs::metadata(path).ok();
        let stamp = about.and_then(|about| Some((about.modified().ok()?, about.len())));
        if stamp == self.stamp {
            return (Arc::clone(&self.hooks), Vec::new());
        }
        let (hooks, problems) = match stamp {
            Some(_) => HookSet::load(path),
            None => (HookSet::default(), Vec::new()),
        };
        (self.stamp, self.hooks) = (stamp, Arc::new(hooks));
        (Arc::clone(&self.hooks), problems)
    }
}

impl HookSet {
    fn load(path: &Path) -> (HookSet, Vec<HookFileProblem>) {
        let file = path.display().to_string();
        match read(path) {
            Ok(text) => HookSet::parse(&text, &file),
            Err(error) => (HookSet::default(), vec![HookFileProblem::Unreadable { file, why: error.to_string() }]),
        }
    }

    /// Reads the text of a file. Entries that cannot be used are reported and left out.
    pub(crate) fn parse(text: &[u8], file: &str) -> (HookSet, Vec<HookFileProblem>) {
        let broken = |why: String| (HookSet::default(), vec![HookFileProblem::Broken { file: file.to_owned(), why }]);
        let whole: Value = match serde_json::from_slice(text) {
            Ok(whole) => whole,
            Err(error) => return broken(error.to_string()),
        };
        let Some(events) = whole.get("hooks").and_then(Value::as_object) else {
            return broken("it has no object \"hooks\"".to_owned());
        };
        let mut reader = HookReader { count: 0, groups: Vec::new(), skipped: Vec::new() };
        events.iter().for_each(|(name, groups)| reader.event(name, groups));
        let skipped = reader.skipped.into_iter().map(|what| HookFileProblem::Skipped { file: file.to_owned(), what });
        (HookSet { groups: reader.groups }, skipped.collect())
    }
}

/// Reads a regular file of bounded size. A FIFO in its place is not waited for.
fn read(path: &Path) -> io::Result<Vec<u8>> {
    let file = OpenOptions::new().read(true).custom_flags(nix::libc::O_NONBLOCK).open(path)?;
    let about = file.metadata()?;
    if !about.is_file() {
        return Err(io::Error::other("it is not a regular file"));
    }
    if about.len() > LARGEST {
        return Err(io::Error::other("it is too large"));
    }
    let mut text = Vec::new();
    file.take(LARGEST).read_to_end(&mut text)?;
    Ok(text)
}

/// A file that is being read.
struct HookReader {
    /// The commands so far.
    count: usize,
    groups: Vec<HookGroup>,
    skipped: Vec<String>,
}

impl HookReader {
    fn event(&mut self, name: &str, groups: &Value) {
        if FOREIGN.contains(&name) {
            return;
        }
        let Some(event) = HookEvent::from_name(name) else {
            self.skipped.push(format!("there is no event {name:?}"));
            return;
        };
        match groups.as_array() {
            Some(groups) => groups.iter().for_each(|group| self.group(event, group)),
            None => self.skipped.push(format!("{name} is not a list")),
        }
    }

    fn group(&mut self, event: HookEvent, group: &Value) {
        let name = event.name();
        let pattern = match group.get("matcher").filter(|_| event.has_matcher()) {
            None | Some(Value::Null) => "",
            Some(Value::String(pattern)) => pattern,
            Some(_) => return self.skipped.push(format!("a matcher of {name} is not a string")),
        };
        let matcher = match Matcher::new(pattern) {
            Ok(matcher) => matcher,
            Err(_) => return self.skipped.push(format!("the matcher {pattern:?} of {name} is not a pattern")),
        };
        let Some(entries) = group.get("hooks").and_then(Value::as_array) else {
            return self.skipped.push(format!("an entry of {name} has no list \"hooks\""));
        };
        let commands = entries.iter().filter_map(|entry| self.command(event, entry)).collect();
        self.groups.push(HookGroup { event, matcher, pattern: pattern.to_owned(), commands });
    }

    fn command(&mut self, event: HookEvent, entry: &Value) -> Option<HookCommand> {
        let read =
            entry.as_object().ok_or("a hook is not an object".to_owned()).and_then(|entry| command(event, entry));
        match read {
            Ok(_) if self.count == MOST => {
                self.skipped.push(format!("only the first {MOST} hooks are used"));
                self.count += 1;
                None
            }
            Ok(_) if self.count > MOST => None,
            Ok(command) => {
                self.count += 1;
                Some(command)
            }
            Err(what) => {
                self.skipped.push(format!("{}: {what}", event.name()));
                None
            }
        }
    }
}

fn command(event: HookEvent, entry: &Map<String, Value>) -> Result<HookCommand, String> {
    match entry.get("type").and_then(Value::as_str) {
        Some("command") => {}
        Some(other) => return Err(format!("hooks of the type {other:?} are not supported")),
        None => return Err("a hook has no \"type\"".to_owned()),
    }
    let command = entry.get("command").and_then(Value::as_str).unwrap_or_default();
    if command.trim().is_empty() || command.contains('\0') {
        return Err("a hook has no \"command\"".to_owned());
    }
    let arguments = match entry.get("args") {
        None | Some(Value::Null) => None,
        Some(Value::Array(words)) => {
            let words: Option<Vec<String>> = words.iter().map(|word| word.as_str().map(str::to_owned)).collect();
            Some(words.ok_or("\"args\" is not a list of strings")?)
        }
        Some(_) => return Err("\"args\" is not a list of strings".to_owned()),
    };
    let fails_closed = match entry.get("failClosed") {
        None | Some(Value::Null) => false,
        Some(Value::Bool(fails_closed)) => *fails_closed,
        Some(_) => return Err("\"failClosed\" is neither true nor false".to_owned()),
    };
    Ok(HookCommand { command: command.to_owned(), arguments, timeout: timeout(event, entry)?, fails_closed })
}

fn timeout(event: HookEvent, entry: &Map<String, Value>) -> Result<Duration, String> {
    let longest = if event == HookEvent::SessionEnd { FAREWELL } else { LONGEST_TIMEOUT };
    let asked = match entry.get("timeout") {
        None | Some(Value::Null) => TIMEOUT,
        Some(seconds) => {
            let seconds = seconds.as_f64().filter(|seconds| *seconds > 0.0);
            let seconds = seconds.ok_or("\"timeout\" is not a number of seconds")?;
            Duration::try_from_secs_f64(seconds).unwrap_or(LONGEST_TIMEOUT)
        }
    };
    Ok(asked.clamp(SHORTEST_TIMEOUT, longest))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn parsed(text: &str) -> (HookSet, Vec<String>) {
        let (hooks, problems) = HookSet::parse(text.as_bytes(), "hooks.json");
        (hooks, problems.iter().map(ToString::to_string).collect())
    }

    fn only(text: &str) -> HookCommand {
        let (hooks, problems) = parsed(text);
        assert_eq!(problems, [] as [&str; 0]);
        hooks.groups[0].commands[0].clone()
    }

    #[test]
    fn a_file_of_another_agent_is_read_as_it_is() {
        let text = r#"{
            "$schema": "https://example.org/hooks.json",
            "hooks": {
                "PreToolUse": [{"matcher": "Bash", "hooks": [{"type": "command", "command": "check.sh", "timeout": 5}]}],
                "Stop": [{"matcher": "ignored(", "hooks": []}, {"hooks": [{"type": "command", "command": "say done"}]}],
                "Notification": [{"hooks": [{"type": "command", "command": "notify-send"}]}]
            }
        }"#;
        let (hooks, problems) = parsed(text);
        assert_eq!(problems, [] as [&str; 0]);
        let commands: Vec<(HookEvent, &str)> = hooks
            .groups
            .iter()
            .flat_map(|group| group.commands.iter().map(|one| (group.event, &*one.command)))
            .collect();
        assert_eq!(commands, [(HookEvent::PreToolUse, "check.sh"), (HookEvent::Stop, "say done")]);
        assert_eq!(hooks.groups[0].commands[0].timeout, Duration::from_secs(5));
    }

    #[test]
    fn a_timeout_is_in_seconds_and_bounded() {
        let timeout = |event: &str, field: &str| {
            only(&format!(r#"{{"hooks":{{"{event}":[{{"hooks":[{{"type":"command","command":"x"{field}}}]}}]}}}}"#))
                .timeout
        };
        assert_eq!(timeout("PreToolUse", ""), TIMEOUT);
        assert_eq!(timeout("PreToolUse", r#","timeout":0.5"#), Duration::from_millis(500));
        assert_eq!(timeout("PreToolUse", r#","timeout":1e300"#), LONGEST_TIMEOUT);
        assert_eq!(timeout("SessionEnd", ""), FAREWELL);
        assert_eq!(timeout("SessionEnd", r#","timeout":1"#), Duration::from_secs(1));
    }

    #[test]
    fn what_cannot_be_used_is_named_and_the_rest_is_used() {
        let hook = |fields: &str| {
            let good = r#"{"type":"command","command":"good"}"#;
            let text = format!(r#"{{"hooks":{{"PreToolUse":[{{"hooks":[{{{fields}}},{good}]}}]}}}}"#);
            let (hooks, problems) = parsed(&text);
            assert_eq!(hooks.groups[0].commands.len(), 1, "{fields}");
            problems.join("; ")
        };
        assert_eq!(
            hook(r#""type":"prompt","prompt":"x""#),
            "hooks.json: PreToolUse: hooks of the type \"prompt\" are not supported"
        );
        assert_eq!(hook(r#""command":"x""#), "hooks.json: PreToolUse: a hook has no \"type\"");
        assert_eq!(hook(r#""type":"command""#), "hooks.json: PreToolUse: a hook has no \"command\"");
        for bad in [r#""timeout":"5""#, r#""timeout":0"#, r#""timeout":-1"#] {
            let said = hook(&format!(r#""type":"command","command":"x",{bad}"#));
            assert_eq!(said, "hooks.json: PreToolUse: \"timeout\" is not a number of seconds", "{bad}");
        }
        assert_eq!(
            hook(r#""type":"command","command":"x","failClosed":"yes""#),
            "hooks.json: PreToolUse: \"failClosed\" is neither true nor false"
        );
        let broken = parsed(r#"{"hooks":{"PreToolUse":[{"matcher":"Bash(","hooks":[]}]}}"#).1;
        assert_eq!(broken, ["hooks.json: the matcher \"Bash(\" of PreToolUse is not a pattern"]);
        assert_eq!(parsed(r#"{"hooks":{"PreToolUs":[]}}"#).1, ["hooks.json: there is no event \"PreToolUs\""]);
        assert_eq!(parsed(r#"{"hooks":{"Stop":{}}}"#).1, ["hooks.json: Stop is not a list"]);
        assert_eq!(parsed("[]").1, ["hooks.json is not used: it has no object \"hooks\""]);
        assert!(parsed("{").1[0].starts_with("hooks.json is not used: EOF"));
    }

    #[test]
    fn the_number_of_hooks_is_bounded() {
        let one = r#"{"type":"command","command":"x"}"#;
        let text = format!(r#"{{"hooks":{{"Stop":[{{"hooks":[{}]}}]}}}}"#, vec![one; MOST + 5].join(","));
        let (hooks, problems) = parsed(&text);
        assert_eq!(hooks.groups[0].commands.len(), MOST);
        assert_eq!(problems, ["hooks.json: only the first 256 hooks are used"]);
    }

    #[test]
    fn a_file_is_read_again_only_when_it_has_changed() {
        let home = tempfile::tempdir().unwrap();
        let path = home.path().join("hooks.json");
        let mut file = HookFile::new(Some(path.clone()));
        assert!(file.current().0.is_empty());
        std::fs::write(&path, "{").unwrap();
        assert_eq!(file.current().1.len(), 1);
        assert_eq!(file.current().1.len(), 0, "a problem is reported once");
        std::fs::write(&path, r#"{"hooks":{"Stop":[{"hooks":[{"type":"command","command":"x"}]}]}}"#).unwrap();
        let (hooks, problems) = file.current();
        assert!(hooks.wait_for(HookEvent::Stop, &[]) && problems.is_empty());
        std::fs::remove_file(&path).unwrap();
        assert!(file.current().0.is_empty());
    }

    #[test]
    fn only_a_regular_file_of_bounded_size_is_read() {
        let home = tempfile::tempdir().unwrap();
        let fifo = home.path().join("fifo");
        nix::unistd::mkfifo(&fifo, nix::sys::stat::Mode::from_bits_truncate(0o600)).unwrap();
        let said = |path: &Path| HookSet::load(path).1[0].to_string();
        assert!(said(&fifo).ends_with("it is not a regular file"), "{}", said(&fifo));
        let large = home.path().join("large");
        std::fs::write(&large, vec![b' '; LARGEST as usize + 1]).unwrap();
        assert!(said(&large).ends_with("it is too large"), "{}", said(&large));
    }
}
