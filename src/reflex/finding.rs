//! The result of a rule, and the diagnosis composed of all results.

use serde::Serialize;

use super::case::Case;
use super::line::CommandLine;
use super::moved::Moved;
use super::world::World;
use super::{MOST_PROPOSALS, harm, status};
use crate::text;

/// How certain a rule is.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum Confidence {
    /// Possible. Listed, but not put on the prompt.
    Guess,
    /// Right in most cases.
    Likely,
    /// Certain: the tool suggested it, or no other correction is possible.
    Sure,
}

/// A command to run instead.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub(crate) struct Proposal {
    pub command: String,
    /// The reason, in a few words.
    pub why: String,
}

/// The result of one rule.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Finding {
    pub(super) confidence: Confidence,
    /// The cause in one or two sentences.
    pub(super) cause: Option<String>,
    /// Best first.
    pub(super) proposals: Vec<Proposal>,
}

impl Finding {
    /// A finding with a cause and no proposal yet.
    pub(super) fn cause(confidence: Confidence, words: impl Into<String>) -> Finding {
        Finding { confidence, cause: Some(words.into()), proposals: Vec::new() }
    }

    /// A finding with a proposal and no cause.
    pub(super) fn fix(confidence: Confidence, command: impl Into<String>, why: impl Into<String>) -> Finding {
        Finding { confidence, cause: None, proposals: Vec::new() }.or(command, why)
    }

    /// Adds a proposal after the existing ones.
    pub(super) fn or(mut self, command: impl Into<String>, why: impl Into<String>) -> Finding {
        self.proposals.push(Proposal { command: command.into(), why: why.into() });
        self
    }

    /// Adds the cause.
    pub(super) fn because(mut self, words: impl Into<String>) -> Finding {
        self.cause = Some(words.into());
        self
    }
}

/// The explanation of a failed command, with corrected commands.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize)]
pub(crate) struct Diagnosis {
    /// A few lines for the person. Empty if there is nothing to explain.
    pub explanation: String,
    /// Best first, at most three.
    pub proposals: Vec<Proposal>,
    /// Whether the first proposal can be put on the prompt without asking.
    #[serde(skip)]
    pub is_confident: bool,
}

impl Diagnosis {
    /// Composes the findings of all rules, the most certain first. `lines` are the lines of the output that are quoted.
    pub(super) fn compose(
        case: &Case<'_>,
        findings: Vec<Finding>,
        lines: Vec<String>,
        (world, moved): (&dyn World, Option<&Moved>),
    ) -> Diagnosis {
        let mut answer = Diagnosis::default();
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
                // If a correction is withheld, the less likely ones of the same finding are withheld too.
                let is_sound = is_clean(&proposal.command, typed) && !is_repetitive(&proposal.command, typed);
                if is_new && !is_withheld && !is_harmful && is_sound {
                    answer.proposals.push(proposal);
                }
            }
            if is_first && !answer.proposals.is_empty() {
                answer.is_confident = finding.confidence > Confidence::Guess;
            }
            // The cause of a guess is used only if there is no more certain cause.
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

/// Explains why the nearest correction is not proposed. Control characters in the command are replaced.
fn withheld(command: &str) -> String {
    let command = text::sanitize(command).replace('\n', "⏎");
    format!("No command is proposed: the nearest, `{command}`, could destroy data that you did not mean to touch.")
}

/// Whether a proposal can be put on a prompt: it has no control or invisible characters, and no more lines than were typed.
fn is_clean(proposal: &str, typed: &str) -> bool {
    let lines = |text: &str| text.trim_end().lines().count();
    let hides = proposal.lines().any(|line| text::hides(line.trim_end()));
    text::sanitize(proposal) == proposal && !hides && lines(proposal) <= lines(typed).max(1)
}

/// Whether a proposal repeats a word or a command that was typed once: `prove -r -r`, `terraform init && terraform init`.
fn is_repetitive(proposal: &str, typed: &str) -> bool {
    let repeats = |text: &str| {
        let line = CommandLine::new(text);
        let parts: Vec<Vec<&str>> =
            line.parts().iter().map(|part| part.words.iter().map(|word| word.text.as_str()).collect()).collect();
        let words = parts.iter().map(|words| words.windows(2).filter(|pair| pair[0] == pair[1]).count()).sum::<usize>();
        words + parts.windows(2).filter(|pair| pair[0] == pair[1]).count()
    };
    repeats(proposal) > repeats(typed)
}

/// Whether a proposal is the typed line run with `sudo`. It is useless for root.
fn is_elevation(proposal: &str, typed: &str) -> bool {
    let plain = |text: &str| text.split_whitespace().filter(|word| *word != "sudo").collect::<Vec<_>>().join(" ");
    plain(proposal) == plain(typed)
}

/// Removes `sudo`, which root does not need. `sudo` with options is kept, because it may switch to another user.
fn without_sudo(command: String) -> String {
    match command.strip_prefix("sudo ") {
        Some(rest) if !rest.starts_with('-') => rest.to_owned(),
        _ => command,
    }
}
