//! The settings that a running session follows when the configuration is saved.
//!
//! They are made from the configuration on another thread (`watch`). The loop only puts them in place, so a key or a command is never
//! late for them. The agent's thread reads its own settings again before each question.

use regex::bytes::RegexSet;

use crate::capture::Limits;
use crate::config::{Config, Loaded, Paths, Problem, TerminalSettings};
use crate::input::{Editing, Hotkey, KeyMap};
use crate::render::{Themes, Wrapping};
use crate::store::HistoryLimits;

use super::Session;
use super::agent_link::Settings;

/// Settings of a running session.
pub(super) struct LiveSettings {
    agent: Settings,
    hotkey: Option<Hotkey>,
    keys: KeyMap,
    pub(super) hint: bool,
    nested_hint: bool,
    themes: Option<Themes>,
    is_read_aloud: bool,
    terminal: TerminalSettings,
    wrap: Wrapping,
    editing: Editing,
    limits: Limits,
    /// How large all spill files together may grow.
    spill_total: u64,
    ignore: Option<RegexSet>,
    history: Option<HistoryLimits>,
    /// What is wrong with the files, in one line.
    problem: Option<String>,
}

impl LiveSettings {
    /// Reads a theme and compiles patterns.
    pub(super) fn of(loaded: &Loaded, paths: &Paths) -> LiveSettings {
        let config = &loaded.config;
        let (agent, mut bad_values) = Settings::of(config);
        let (themes, bad_theme) = config.themes_of_choice(paths).unzip();
        let (ignore, bad_patterns) = ignored(config);
        let (keys, clashes) = config.key_map();
        bad_values.extend(clashes);
        bad_values.extend(bad_theme.flatten().into_iter().chain(bad_patterns));
        let problems: Vec<Problem> = loaded.problems.iter().cloned().chain(loaded.located(bad_values)).collect();
        LiveSettings {
            agent,
            hotkey: config.hotkey.key(),
            keys,
            hint: config.hint,
            nested_hint: config.nested_hint,
            themes,
            is_read_aloud: config.screen_reader,
            terminal: config.terminal.clone(),
            wrap: config.wrap,
            editing: config.line.editing(),
            limits: limits(config),
            spill_total: config.capture.spill_total.bytes(),
            ignore,
            history: history_limits(config),
            problem: summary(&problems),
        }
    }
}

/// How much of a command's output is kept.
pub(super) fn limits(config: &Config) -> Limits {
    Limits { head: config.capture.head_bytes(), tail: config.capture.tail_bytes(), spill: config.capture.spill.bytes() }
}

/// How many commands are kept. `None` if none are recorded.
pub(super) fn history_limits(config: &Config) -> Option<HistoryLimits> {
    config.history.enabled.then(|| config.history.limits())
}

/// The commands that are not recorded. `None` if nothing is configured, which costs neither time nor memory.
pub(super) fn ignored(config: &Config) -> (Option<RegexSet>, Vec<Problem>) {
    let ignore = (!config.history.ignore.is_empty()).then(|| config.ignore_set());
    ignore.map_or((None, Vec::new()), |(set, problems)| (Some(set), problems))
}

/// The problems of the settings, in one line.
pub(super) fn summary(problems: &[Problem]) -> Option<String> {
    let first = problems.first()?;
    Some(match problems.len() {
        1 => first.to_string(),
        count => format!("{first} (and {} more: see `shellmate doctor`)", count - 1),
    })
}

impl Session {
    /// Uses other settings from here on. A problem is said above the next prompt, unless it was said already or is mended by then.
    pub(super) fn adopt(&mut self, live: LiveSettings) {
        let label = live.hotkey.as_ref().map(Hotkey::label);
        self.nested.adopt(live.nested_hint, label);
        self.keyboard.adopt(live.hotkey);
        self.profile.adopt_keys(live.keys);
        self.profile.adopt(live.editing, live.wrap, live.themes, live.is_read_aloud);
        self.outer.adopt(live.terminal);
        self.books.recorder.adopt(live.limits, live.spill_total, live.ignore);
        self.store.adopt(live.history);
        self.books.recorder.hints.adopt(live.hint);
        self.agent.setup.adopt(live.agent);
        self.books.next_prompt.settings.replace(live.problem);
    }
}
