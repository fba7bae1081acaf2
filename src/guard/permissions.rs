//! Judges calls.
//!
//! The order is fixed: built-in denials, the person's deny rules, grants, the most specific of the person's other rules, and then what
//! the mode says. A command is judged part by part, and the strictest part decides.

use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, PoisonError};

use super::command::{self, CommandPlace, CommandReading, Extent, PartEffect, ReadPart, Touched};
use super::offers;
use super::places::{EditReach, PathKind, is_delicate};
use super::rule::Candidate;
use super::{
    Grant, GrantOffer, GrantScope, GrantWidth, Grants, Intent, ModeChoice, PermissionMode, PermissionRule,
    RuleDecision, Surroundings,
};
use crate::scope;

/// What is to be done about a call.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum Verdict {
    Allow,
    /// Only with a yes from the person.
    Ask,
    /// Not even with a yes. The words say why, to person and model alike.
    Deny(String),
}

/// A verdict and what decided it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Judgement {
    pub verdict: Verdict,
    pub by: DecidedBy,
}

/// What decided about a call.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum DecidedBy {
    /// A built-in denial.
    Denial,
    /// A rule of the person, as one line with its origin.
    Rule(String),
    /// A grant, as one line.
    Grant(String),
    /// A hook of the person.
    Hook,
    /// What the mode says about such calls. The words say what the call would do.
    Mode(PermissionMode, String),
}

impl DecidedBy {
    /// For the person.
    pub(crate) fn words(&self) -> String {
        match self {
            DecidedBy::Denial => "a built-in denial".to_owned(),
            DecidedBy::Rule(rule) => format!("the rule {rule}"),
            DecidedBy::Grant(grant) => format!("your approval of {grant}"),
            DecidedBy::Hook => "a hook".to_owned(),
            DecidedBy::Mode(mode, why) => format!("{} mode: {why}", mode.name()),
        }
    }
}

/// Whether the person has said yes to a call.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Consent {
    /// They were asked, or a rule or a grant of theirs covers it.
    Given,
    /// It runs without their knowledge, so it gets less: no network.
    Silent,
}

/// The rules, grants and modes of a session. Clones share the grants, the chosen mode and the last decision.
#[derive(Debug, Clone, Default)]
pub(crate) struct Permissions {
    pub rules: Arc<Vec<PermissionRule>>,
    /// The rules of the project. They cannot loosen the person's own, and lift no denial.
    pub project: Arc<Vec<PermissionRule>>,
    pub grants: Grants,
    /// The mode that the person has chosen with `/mode` or on a card.
    pub choice: ModeChoice,
    /// The modes of the settings.
    pub modes: Arc<ModeSettings>,
    last: Arc<Mutex<Option<(String, Judgement)>>>,
}

/// The modes of the settings.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(crate) struct ModeSettings {
    pub usual: PermissionMode,
    /// Directories with modes of their own, such as `~/src`. The deepest one counts.
    pub directories: Vec<(PathBuf, PermissionMode)>,
}

impl Permissions {
    pub(crate) fn new(rules: Arc<Vec<PermissionRule>>, modes: Arc<ModeSettings>, grants: Grants) -> Permissions {
        Permissions { rules, modes, grants, ..Permissions::default() }
    }

    /// The mode in this directory.
    pub(crate) fn mode(&self, cwd: &Path, home: Option<&Path>) -> PermissionMode {
        let ModeSettings { usual, directories, .. } = &*self.modes;
        let here = directories.iter().filter_map(|(path, mode)| Some((scope::depth(path, cwd, home)?, *mode)));
        let deepest = || here.max_by_key(|(depth, _)| *depth).map(|(_, mode)| mode);
        self.choice.get().or_else(deepest).unwrap_or(*usual)
    }

    /// The mode that the settings have for a directory, whatever the person has chosen for the session.
    pub(crate) fn set_mode(&self, cwd: &Path, home: Option<&Path>) -> PermissionMode {
        Permissions { choice: ModeChoice::default(), ..self.clone() }.mode(cwd, home)
    }

    /// Judges a call of a tool, and remembers the decision for `/permissions`.
    pub(crate) fn judge(&self, tool: &str, intent: &Intent, around: &Surroundings<'_>) -> Judgement {
        let judgement =
            Judge { permissions: self, tool, around, mode: self.mode(around.cwd, around.home) }.judge(intent);
        let mut last = self.last.lock().unwrap_or_else(PoisonError::into_inner);
        *last = Some((intent.in_short(), judgement.clone()));
        judgement
    }

    /// Whether a call of a tool is known to change nothing.
    pub(crate) fn only_looks(&self, tool: &str, intent: &Intent, around: &Surroundings<'_>) -> bool {
        let judge = Judge { permissions: self, tool, around, mode: self.mode(around.cwd, around.home) };
        judge.only_looks(intent)
    }

    /// The last call and what decided about it.
    pub(crate) fn last(&self) -> Option<(String, Judgement)> {
        self.last.lock().unwrap_or_else(PoisonError::into_inner).clone()
    }

    /// The grants that the person may give instead of a single yes: for the call itself, and for all calls that begin with the same
    /// words. A grant that would not cover the call is not offered.
    pub(crate) fn offers(&self, tool: &str, intent: &Intent, around: &Surroundings<'_>) -> GrantOffers {
        let judge = Judge { permissions: self, tool, around, mode: self.mode(around.cwd, around.home) };
        let reading = match intent {
            Intent::Run { command, cwd, .. } | Intent::RunInShell { command, cwd } => Some(judge.reading(command, cwd)),
            Intent::Read { .. } | Intent::Write { .. } => None,
            Intent::OtherTerminals | Intent::Ask | Intent::Suggest { .. } => None,
        };
        let (exact, wide) = offers::of(intent, around, reading.as_ref());
        let covers = |offer: &GrantOffer| {
            let trial = Permissions { grants: Grants::default(), ..self.clone() };
            let offer = GrantOffer { scope: GrantScope::Session, ..offer.clone() };
            trial.grants.add(offer).is_ok()
                && Judge { permissions: &trial, ..judge }.judge(intent).verdict == Verdict::Allow
        };
        let can_last = self.grants.can_last();
        let can_be_kept = |offer: &GrantOffer| can_last || offer.scope == GrantScope::Session;
        let kept = |offers: Vec<GrantOffer>| offers.into_iter().filter(can_be_kept).filter(covers).collect();
        let in_auto = Judge { mode: PermissionMode::Auto, ..judge }.judge(intent).verdict == Verdict::Allow;
        GrantOffers { exact: kept(exact), wide: kept(wide), auto: in_auto && judge.mode == PermissionMode::Ask }
    }
}

/// What the person may say instead of a single yes.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(crate) struct GrantOffers {
    /// Grants for exactly this call.
    pub exact: Vec<GrantOffer>,
    /// Grants for commands that begin with the same words.
    pub wide: Vec<GrantOffer>,
    /// Whether the call needs no question in auto mode.
    pub auto: bool,
}

impl GrantOffers {
    pub(crate) fn of(&self, width: GrantWidth) -> &[GrantOffer] {
        match width {
            GrantWidth::Exact => &self.exact,
            GrantWidth::Wide => &self.wide,
        }
    }

    pub(crate) fn find(&self, width: GrantWidth, scope: GrantScope) -> Option<&GrantOffer> {
        self.of(width).iter().find(|offer| offer.scope == scope)
    }
}

/// One judgement in the making.
#[derive(Clone, Copy)]
struct Judge<'a> {
    permissions: &'a Permissions,
    tool: &'a str,
    around: &'a Surroundings<'a>,
    mode: PermissionMode,
}

impl Judge<'_> {
    fn judge(&self, intent: &Intent) -> Judgement {
        let judgement = self.judge_alone(intent);
        let is_denied = matches!(judgement.verdict, Verdict::Deny(_));
        if self.mode != PermissionMode::Plan || is_denied || self.only_looks(intent) {
            return judgement;
        }
        let why = "in plan mode nothing is changed; say what you would do (`/mode ask` ends plan mode)";
        Judgement {
            verdict: Verdict::Deny(why.to_owned()),
            by: DecidedBy::Mode(self.mode, "it may change something".to_owned()),
        }
    }

    /// Whether a call changes nothing.
    fn only_looks(&self, intent: &Intent) -> bool {
        match intent {
            Intent::Read { .. } | Intent::OtherTerminals | Intent::Ask | Intent::Suggest { .. } => true,
            Intent::Run { command, cwd, .. } => self.reading(command, cwd).only_looks(),
            Intent::Write { .. } | Intent::RunInShell { .. } => false,
        }
    }

    /// The judgement without plan mode, which forbids all changes.
    fn judge_alone(&self, intent: &Intent) -> Judgement {
        match intent {
            Intent::Read { paths } => self.strictest(paths.iter().map(|path| self.read(path, intent))),
            Intent::Write { path, reach } => self.write(path, *reach, intent),
            Intent::Run { command, cwd, .. } => self.run(command, cwd, intent),
            Intent::RunInShell { command, cwd } => self.run_in_shell(command, cwd, intent),
            Intent::OtherTerminals => self.granted(intent).unwrap_or_else(|| self.ask("it reads another terminal")),
            Intent::Suggest { command } => self.suggest(command),
            Intent::Ask => self.allow("it asks you"),
        }
    }

    fn allow(&self, why: &str) -> Judgement {
        Judgement { verdict: Verdict::Allow, by: DecidedBy::Mode(self.mode, why.to_owned()) }
    }

    fn ask(&self, why: &str) -> Judgement {
        Judgement { verdict: Verdict::Ask, by: DecidedBy::Mode(self.mode, why.to_owned()) }
    }

    /// Something may change. In auto mode that is silent if it can be undone.
    fn change(&self, why: &str, is_undoable: bool) -> Judgement {
        if self.mode == PermissionMode::Auto && is_undoable { self.allow(why) } else { self.ask(why) }
    }

    /// The strictest of several judgements. Without any, nothing is touched.
    fn strictest(&self, all: impl Iterator<Item = Judgement>) -> Judgement {
        let rank = |judgement: &Judgement| match judgement.verdict {
            Verdict::Allow => 0,
            Verdict::Ask => 1,
            Verdict::Deny(_) => 2,
        };
        // The first of the strictest, so that the words name the part that comes first.
        let strictest = all.reduce(|first, next| if rank(&next) > rank(&first) { next } else { first });
        strictest.unwrap_or_else(|| self.allow("it only looks"))
    }

    fn read(&self, path: &Path, intent: &Intent) -> Judgement {
        self.path_denial(path, self.around.kind_for_reading(path), "read")
            .or_else(|| self.rule(self.path_candidate(path), RuleChoice::Denials))
            .or_else(|| self.granted(intent))
            .or_else(|| self.rule(self.path_candidate(path), RuleChoice::Others))
            .unwrap_or_else(|| match self.around.kind_for_reading(path) {
                PathKind::Personal => self.ask("it reads a personal file"),
                PathKind::Ordinary | PathKind::Private(_) | PathKind::StartFile | PathKind::Own => {
                    self.allow("it only looks")
                }
            })
    }

    fn write(&self, path: &Path, reach: EditReach, intent: &Intent) -> Judgement {
        let (candidate, delicate) = (self.path_candidate(path), is_delicate(path, reach, self.around.project));
        self.path_denial(path, self.around.kind_for_writing(path), "changed")
            .or_else(|| self.rule(candidate, RuleChoice::Denials))
            .or_else(|| self.granted(intent))
            .or_else(|| {
                self.rule(candidate, RuleChoice::Others).filter(|rule| !delicate || rule.verdict != Verdict::Allow)
            })
            .unwrap_or_else(|| match delicate {
                true => self.change("other programs run or trust this file", false),
                false => self.change("it changes a file", self.around.in_project(path)),
            })
    }

    fn run(&self, command: &str, cwd: &Path, intent: &Intent) -> Judgement {
        let reading = self.reading(command, cwd);
        if let Some(denied) = self.denial(&reading) {
            return denied;
        }
        if intent.exception().is_some() {
            return self.ask("it wants more than the sandbox allows");
        }
        let mut writes = reading.parts.iter().flat_map(|part| &part.writes);
        let delicate = writes.any(|write| is_delicate(&write.path, EditReach::Unknown, self.around.project));
        if !delicate && let Some(granted) = self.granted(intent) {
            return granted;
        }
        let judgement = match &reading.unclear {
            Some(why) => self.change(&why.to_string(), self.around.confines),
            None => self.strictest(reading.parts.iter().map(|part| self.part(part, cwd))),
        };
        if delicate && judgement.verdict == Verdict::Allow {
            return self.change("other programs run or trust a file that it changes", false);
        }
        judgement
    }

    /// The person's own shell is not confined: only a change of directory or environment may be granted.
    fn run_in_shell(&self, command: &str, cwd: &Path, intent: &Intent) -> Judgement {
        let reading = self.reading(command, cwd);
        let denied = self.denial(&reading);
        let granted = || reading.changes_only_the_shell().then(|| self.granted(intent)).flatten();
        denied.or_else(granted).unwrap_or_else(|| self.change("it runs in your shell, unconfined", false))
    }

    /// A command on the prompt is not run, but a careless Enter would run it.
    fn suggest(&self, command: &str) -> Judgement {
        let reading = self.reading(command, self.around.cwd);
        let danger = reading.parts.iter().find_map(|part| self.danger(part));
        danger.unwrap_or_else(|| self.allow("it is put on your prompt and not run"))
    }

    fn reading(&self, command: &str, cwd: &Path) -> CommandReading {
        let Surroundings { project, home, path, .. } = *self.around;
        command::read(command, &CommandPlace { cwd, home, project, path, is_confined: self.around.confines })
    }

    /// A built-in denial or a deny rule that matches a part of the command.
    fn denial(&self, reading: &CommandReading) -> Option<Judgement> {
        let of_part = |part: &ReadPart| {
            let reads = part.reads.iter().map(|read| (&read.path, self.around.kind_for_reading(&read.path), "read"));
            let writes =
                part.writes.iter().map(|write| (&write.path, self.around.kind_for_writing(&write.path), "changed"));
            let by_rule = |path: Option<&Path>| {
                let candidate = Candidate { tool: self.tool, path, words: Some(&part.words) };
                self.rule(candidate, RuleChoice::Denials)
            };
            self.danger(part)
                .or_else(|| reads.chain(writes).find_map(|(path, kind, verb)| self.path_denial(path, kind, verb)))
                .or_else(|| by_rule(None))
                .or_else(|| part.reads.iter().chain(&part.writes).find_map(|touched| by_rule(Some(&touched.path))))
        };
        reading.parts.iter().find_map(of_part)
    }

    fn danger(&self, part: &ReadPart) -> Option<Judgement> {
        let danger = part.danger.as_ref()?;
        let is_lifted = self.allowing().any(|rule| rule.names_command(&part.words));
        let verdict =
            Verdict::Deny(format!("{danger}; only a rule in the configuration that names the command allows it"));
        (!is_lifted).then_some(Judgement { verdict, by: DecidedBy::Denial })
    }

    /// One part of a command that nothing denies.
    fn part(&self, part: &ReadPart, cwd: &Path) -> Judgement {
        let candidate = Candidate { tool: self.tool, path: None, words: Some(&part.words) };
        let is_readable = !matches!(part.effect, PartEffect::Unclear(_));
        let find = |part: &ReadPart| self.permissions.grants.find(|grant| grant.covers_words(&part.words, cwd));
        let granted = || {
            let is_fixed = is_readable && part.fixed_words.is_some();
            is_fixed.then(|| find(part)).flatten().map(|grant| self.by_grant(&grant))
        };
        let ruled = || {
            let rule = self.rule(candidate, RuleChoice::Others)?;
            (is_readable || rule.verdict != Verdict::Allow).then_some(rule)
        };
        let decided = granted().or_else(ruled);
        // A redirection is a write of its own, which the words of a command do not cover.
        if let Some(decided) = decided {
            let writes = part.redirected.iter().map(|write| self.write_of_command(&write.path));
            return self.strictest([decided].into_iter().chain(writes));
        }
        match &part.effect {
            PartEffect::Looks => self.strictest(part.reads.iter().map(|read| self.touched(read))),
            PartEffect::Creates => self.strictest(part.writes.iter().map(|write| self.write_of_command(&write.path))),
            PartEffect::Changes => self.change("it may change something", self.around.confines),
            PartEffect::Unclear(why) => self.change(&why.to_string(), self.around.confines),
        }
    }

    /// A file or directory that a command writes. What it writes is not known.
    fn write_of_command(&self, path: &Path) -> Judgement {
        let reach = EditReach::Unknown;
        self.write(path, reach, &Intent::Write { path: path.to_owned(), reach })
    }

    /// A file or directory that a command reads.
    fn touched(&self, read: &Touched) -> Judgement {
        let path = &read.path;
        let holds_home = self.around.home.is_some_and(|home| home.starts_with(path));
        match read.extent {
            Extent::Below if holds_home => self.ask("it reads everything in your home directory"),
            Extent::Below | Extent::Itself => self.read(path, &Intent::Read { paths: vec![path.clone()] }),
        }
    }

    fn path_candidate<'a>(&'a self, path: &'a Path) -> Candidate<'a> {
        Candidate { tool: self.tool, path: Some(path), words: None }
    }

    /// The built-in denial of a path, unless a rule names it.
    fn path_denial(&self, path: &Path, kind: PathKind, verb: &str) -> Option<Judgement> {
        let what = match kind {
            PathKind::Ordinary | PathKind::Personal => return None,
            PathKind::Private(what) => format!("it holds {what}"),
            PathKind::StartFile => "programs run it when a shell, a session or a timer starts".to_owned(),
            PathKind::Own => "it belongs to shellmate".to_owned(),
        };
        // A rule about the whole home directory does not lift the denial of a key in it; a rule about the key or its directory does.
        let lifts = |rule: &&PermissionRule| {
            let place = rule.literal_path(self.around);
            let is_denied = |place: &Path| match verb {
                "read" => self.around.kind_for_reading(place) == kind,
                _ => self.around.kind_for_writing(place) == kind,
            };
            rule.names_path(path, self.around) && place.is_some_and(|place| is_denied(&place))
        };
        if self.allowing().any(|rule| lifts(&rule)) {
            return None;
        }
        let why = format!(
            "{what}, so it may not be {verb}: {}; only a rule in the configuration that names it allows it",
            path.display()
        );
        Some(Judgement { verdict: Verdict::Deny(why), by: DecidedBy::Denial })
    }

    fn allowing(&self) -> impl Iterator<Item = &PermissionRule> {
        self.permissions.rules.iter().filter(|rule| rule.decision() == RuleDecision::Allow)
    }

    fn most_specific<'r>(
        &self,
        rules: &'r [PermissionRule],
        candidate: Candidate<'_>,
        choice: RuleChoice,
    ) -> Option<&'r PermissionRule> {
        let matching = rules.iter().filter(|rule| choice.includes(rule.decision()));
        let matching = matching.filter(|rule| rule.matches(candidate, self.around));
        matching.max_by_key(|rule| (rule.specificity(), rule.decision()))
    }

    /// The most specific rule that matches. Of equally specific ones the strictest counts.
    fn rule(&self, candidate: Candidate<'_>, choice: RuleChoice) -> Option<Judgement> {
        let Permissions { rules, project, .. } = self.permissions;
        let best = |rules| self.most_specific(rules, candidate, choice);
        let rule = match (best(rules), best(project)) {
            (Some(own), Some(project)) if project.decision() > own.decision() => project,
            (Some(own), _) => own,
            (None, project) => project?,
        };
        let verdict = match rule.decision() {
            RuleDecision::Allow => Verdict::Allow,
            RuleDecision::Ask => Verdict::Ask,
            RuleDecision::Deny if rule.text.reason.is_empty() => {
                Verdict::Deny(format!("a rule of the user forbids it: {rule}"))
            }
            RuleDecision::Deny => Verdict::Deny(rule.text.reason.clone()),
        };
        Some(Judgement { verdict, by: DecidedBy::Rule(format!("{rule}, from {}", rule.origin())) })
    }

    fn granted(&self, intent: &Intent) -> Option<Judgement> {
        let grant = self.permissions.grants.find(|grant| grant.covers(intent, self.around))?;
        Some(self.by_grant(&grant))
    }

    fn by_grant(&self, grant: &Grant) -> Judgement {
        Judgement { verdict: Verdict::Allow, by: DecidedBy::Grant(grant.covered()) }
    }
}

/// Which rules are looked at.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum RuleChoice {
    Denials,
    Others,
}

impl RuleChoice {
    fn includes(self, decision: RuleDecision) -> bool {
        (decision == RuleDecision::Deny) == (self == RuleChoice::Denials)
    }
}
