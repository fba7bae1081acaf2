//! What a rule found, and the answer made of it.

use serde::Serialize;

use super::case::Case;
use super::line::Line;
use super::moved::Moved;
use super::world::World;
use super::{MOST_PROPOSALS, harm, status};
use crate::text;

/// How much a rule believes itself.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum Confidence {
    /// Worth a line in a list, not a place on the prompt.
    Guess,
    /// Right far more often than not.
    Likely,
    /// The tool said it itself, or nothing else can have been meant.
    Sure,
}

/// A command to run instead.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub(crate) struct Proposal {
    pub command: String,
    /// Why, in a few words.
    pub why: String,
}

/// What one rule has to say.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Finding {
    pub(super) confidence: Confidence,
    /// The cause in one or two sentences.
    pub(super) cause: Option<String>,
    /// Best first.
    pub(super) proposals: Vec<Proposal>,
}

impl Finding {
    /// A cause, so far without a remedy.
    pub(super) fn cause(confidence: Confidence, words: impl Into<String>) -> Finding {
        Finding { confidence, cause: Some(words.into()), proposals: Vec::new() }
    }

    /// A remedy that needs no words about its cause.
    pub(super) fn fix(confidence: Confidence, command: impl Into<String>, why: impl Into<String>) -> Finding {
        Finding { confidence, cause: None, proposals: Vec::new() }.or(command, why)
    }

    /// Adds a proposal behind those there are.
    pub(super) fn or(mut self, command: impl Into<String>, why: impl Into<String>) -> Finding {
        self.proposals.push(Proposal { command: command.into(), why: why.into() });
        self
    }

    /// Says the cause too.
    pub(super) fn because(mut self, words: impl Into<String>) -> Finding {
        self.cause = Some(words.into());
        self
    }
}

/// What the rules have to say about a failure.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize)]
pub(crate) struct Answer {
    /// For a person, in a few lines; empty if there is nothing to explain.
    pub explanation: String,
    /// Best first, at most three.
    pub proposals: Vec<Proposal>,
    /// Whether the first proposal may be put on the prompt without a further question.
    #[serde(skip)]
    pub is_confident: bool,
}

impl Answer {
    /// Puts together what the rules found, the surest first.
    /// `lines` are those of the output that are worth repeating.
    pub(super) fn compose(
        case: &Case<'_>,
        findings: Vec<Finding>,
        lines: Vec<String>,
        (world, moved): (&dyn World, Option<&Moved>),
    ) -> Answer {
        let mut answer = Answer::default();
        let mut causes: Vec<String> = Vec::new();
        let typed = case.line.text();
        let needs_no_sudo = world.is_root() && !typed.contains("sudo ");
        let mut is_withheld = false;
        for finding in findings {
            let is_first = answer.proposals.is_empty();
            for (rank, mut proposal) in finding.proposals.into_iter().enumerate() {
                if needs_no_sudo && !is_elevation(&proposal.command, typed) {
                    proposal.command = without_sudo(proposal.command);
                }
                if let Some(moved) = moved {
                    proposal.command = moved.shortened(proposal.command, typed);
                }
                let is_new = proposal.command.trim() != typed.trim()
                    && answer.proposals.iter().all(|known| known.command != proposal.command);
                let is_harmful = harm::is_worse(&proposal.command, typed);
                if is_harmful && rank == 0 && is_first && !is_withheld {
                    is_withheld = true;
                    causes.push(withheld(&proposal.command));
                }
                // A runner-up to a correction that is withheld was not meant either.
                let is_sound = is_clean(&proposal.command, typed) && !is_repetitive(&proposal.command, typed);
                if is_new && !is_withheld && !is_harmful && is_sound {
                    answer.proposals.push(proposal);
                }
            }
            if is_first && !answer.proposals.is_empty() {
                answer.is_confident = finding.confidence > Confidence::Guess;
            }
            // Guesses do not explain anything once something surer has.
            if finding.confidence > Confidence::Guess || causes.is_empty() {
                causes.extend(finding.cause.filter(|cause| !causes.contains(cause)));
            }
        }
        answer.proposals.truncate(MOST_PROPOSALS);
        let meaning = status::meaning(case);
        answer.explanation = meaning.into_iter().chain(lines).chain(causes).collect::<Vec<_>>().join("\n");
        answer
    }
}

/// Says why the nearest correction is not proposed. Nothing in it may steer a terminal.
fn withheld(command: &str) -> String {
    let command = text::sanitize(command).replace('\n', "⏎");
    format!("No command is proposed: the nearest, `{command}`, could destroy something that was not asked for.")
}

/// Whether a proposal can be put on a prompt: nothing in it steers a terminal or is invisible, and it has no line that was not typed.
fn is_clean(proposal: &str, typed: &str) -> bool {
    let lines = |text: &str| text.trim_end().lines().count();
    let hides = proposal.lines().any(|line| text::hides(line.trim_end()));
    text::sanitize(proposal) == proposal && !hides && lines(proposal) <= lines(typed).max(1)
}

/// Whether a proposal says something twice in a row that was typed once: `prove -r -r`, `terraform init && terraform init`.
fn is_repetitive(proposal: &str, typed: &str) -> bool {
    let repeats = |text: &str| {
        let line = Line::new(text);
        let parts: Vec<Vec<&str>> =
            line.parts().iter().map(|part| part.words.iter().map(|word| word.text.as_str()).collect()).collect();
        let words = parts.iter().map(|words| words.windows(2).filter(|pair| pair[0] == pair[1]).count()).sum::<usize>();
        words + parts.windows(2).filter(|pair| pair[0] == pair[1]).count()
    };
    repeats(proposal) > repeats(typed)
}

/// Whether a proposal is what was typed, run as root: then it was not root who was refused.
fn is_elevation(proposal: &str, typed: &str) -> bool {
    let plain = |text: &str| text.split_whitespace().filter(|word| *word != "sudo").collect::<Vec<_>>().join(" ");
    plain(proposal) == plain(typed)
}

/// A command without the `sudo` that root does not need. As another user is another matter.
fn without_sudo(command: String) -> String {
    match command.strip_prefix("sudo ") {
        Some(rest) if !rest.starts_with('-') => rest.to_owned(),
        _ => command,
    }
}
