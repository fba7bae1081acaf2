//! Runs the person's hooks at the moments of an answer, and applies what they say.
//!
//! What a hook says is data: it is shown to the person as clean lines, bounded, and masked before a model reads it.

mod calls;
mod file;
#[cfg(test)]
mod tests;

use std::sync::Arc;

use serde_json::{Value, json};

pub(super) use calls::{CallHooks, HookedCall, RanCall};

use super::context::{Fragment, ShellView, escape};
use super::window::Transcript;
use super::window::compact::Reach;
use super::{Kit, Turn};
use crate::chat::{Ending, Event, Failure, FailureKind, Message, Part, Role};
use crate::guard::PermissionMode;
use crate::hook::{HookAnswer, HookDecision, HookEvent, HookRun, HookSet};
use crate::repository;
use crate::tool;

/// How often hooks may keep an answer from ending.
const MOST_CONTINUATIONS: u32 = 8;
/// The most bytes that hooks add to a question.
const CAP: usize = 64 * 1024;

/// The hooks of an answer.
#[derive(Debug, Clone, Default)]
pub(crate) struct HookKit {
    hooks: Arc<HookSet>,
    /// Where they run. `None` if there are none.
    place: Option<Arc<HookRun>>,
    /// Why the conversation begins with this question: `startup`, `resume`, `clear` or `compact`. `None` if it goes on.
    begins: Option<&'static str>,
}

impl Kit {
    /// Has these hooks run for a question with this view of the shell.
    pub(crate) fn use_hooks(
        &mut self,
        hooks: Arc<HookSet>,
        session: &str,
        begins: Option<&'static str>,
        view: &ShellView,
    ) {
        if hooks.is_empty() {
            return;
        }
        let place = Arc::new(HookRun {
            session: session.to_owned(),
            cwd: view.cwd.clone(),
            project: repository::real_root_or(&view.cwd),
            permission_mode: foreign(self.permissions.mode(&view.cwd, view.home())),
            environment: Arc::new(tool::child_environment(&view.environment)),
            conversation: Some(&self.places.spill)
                .filter(|path| !path.as_os_str().is_empty())
                .map(|path| file::path_in(path)),
        });
        self.hooks = HookKit { hooks, place: Some(place), begins };
    }

    /// The hooks, and where they run. `None` without hooks.
    pub(crate) fn session_hooks(&self) -> Option<(Arc<HookSet>, Arc<HookRun>)> {
        self.hooks.place.as_ref().map(|place| (Arc::clone(&self.hooks.hooks), Arc::clone(place)))
    }
}

/// The name that other agents give to a mode.
fn foreign(mode: PermissionMode) -> &'static str {
    match mode {
        PermissionMode::Ask => "default",
        PermissionMode::Auto => "acceptEdits",
        PermissionMode::Plan => "plan",
    }
}

impl Turn {
    /// Runs the hooks of an event. They are ended with the answer.
    async fn run_hooks(&self, event: HookEvent, subject: &[&str], place: &HookRun, fields: Value) -> HookAnswer {
        let fields = match fields {
            Value::Object(fields) => fields,
            other => unreachable!("the fields of an event are an object, not {other}"),
        };
        let is_slow = |line| self.front.hear(Event::Notice(line));
        let run = self.kit.hooks.hooks.run(event, subject, place, fields, &is_slow);
        let answer = self.cancel.run_until_cancelled(run).await.unwrap_or_default();
        answer.lines.iter().for_each(|line| self.front.hear(Event::Notice(line.clone())));
        answer
    }

    /// Writes the conversation for hooks that read it. Without hooks nothing is written.
    pub(super) fn write_for_hooks(&self, transcript: &Transcript) {
        let HookKit { place: Some(place), .. } = &self.kit.hooks else { return };
        if let Some(path) = &place.conversation
            && let Err(error) = file::write(path, place, self.query, &transcript.messages())
        {
            tracing::warn!(%error, "the conversation was not written for hooks");
        }
    }

    /// Runs the hooks before a question is sent. Returns what they add to it, or how the turn ends if they refuse it.
    pub(super) async fn hooks_before_question(&self, text: &str) -> Result<Option<Fragment>, Ending> {
        let HookKit { place: Some(place), begins, .. } = &self.kit.hooks else { return Ok(None) };
        let mut context = String::new();
        if let Some(source) = begins {
            let fields = json!({ "source": source });
            context = self.run_hooks(HookEvent::SessionStart, &[source], place, fields).await.context;
        }
        let fields = json!({ "prompt": text });
        let answer = self.run_hooks(HookEvent::UserPromptSubmit, &[], place, fields).await;
        if self.cancel.is_cancelled() {
            return Err(Ending::Interrupted);
        }
        if let Some(why) = refusal(&answer) {
            let words = format!("a hook refused the question: {}", one_line(why));
            return Err(Ending::Failed(Failure::new(FailureKind::Hook, words)));
        }
        context.push_str(if context.is_empty() { "" } else { "\n" });
        context.push_str(&answer.context);
        Ok((!context.trim().is_empty()).then(|| fragment(&self.kit.redactor.mask(&context))))
    }

    /// Runs the hooks before a message is sent that the person has typed during the answer. Returns what they add to it, or nothing if they
    /// refuse it. An error is how the turn ends if a hook ends it.
    pub(super) async fn hooks_before_steering(
        &self,
        words: &str,
        place: &tool::Context,
    ) -> Result<Option<String>, Ending> {
        let Some(here) = self.hooks_waiting(HookEvent::UserPromptSubmit, &[], place) else {
            return Ok(Some(String::new()));
        };
        let answer = self.run_hooks(HookEvent::UserPromptSubmit, &[], &here, json!({ "prompt": words })).await;
        if let Some(why) = &answer.stop {
            return Err(ended(why));
        }
        if let Some(why) = refusal(&answer) {
            self.front.hear(Event::Notice(format!("a hook refused the message: {}", one_line(why))));
            return Ok(None);
        }
        let context = Some(answer.context).filter(|context| !context.trim().is_empty());
        Ok(Some(context.map(|context| fragment(&self.kit.redactor.mask(&context)).text).unwrap_or_default()))
    }

    /// Runs the hooks at the end of an answer. Returns whether the answer goes on, because one of them says what is missing.
    pub(super) async fn hooks_go_on(&self, so_far: u32, place: &tool::Context, transcript: &mut Transcript) -> bool {
        let Some(here) = self.hooks_waiting(HookEvent::Stop, &[], place) else { return false };
        self.write_for_hooks(transcript);
        let messages = transcript.messages();
        let last = messages.iter().rev().find(|message| message.role == Role::Assistant).map(Message::text);
        let fields = json!({ "stop_hook_active": so_far > 0, "last_assistant_message": last.unwrap_or_default() });
        let answer = self.run_hooks(HookEvent::Stop, &[], &here, fields).await;
        let (Some(HookDecision::Block(why)), None) = (answer.decision, answer.stop) else { return false };
        if so_far == MOST_CONTINUATIONS {
            let words =
                format!("a hook asked to continue the answer, but has already done so {MOST_CONTINUATIONS} times");
            self.front.hear(Event::Notice(words));
            return false;
        }
        self.front.hear(Event::Notice(format!("a hook continued the answer: {}", one_line(&why))));
        let text = format!("<hook event=\"Stop\">\n{}\n</hook>", escape(&why));
        self.add(Message { role: Role::User, parts: vec![Part::Text(text)] }, transcript);
        true
    }

    /// Runs the hooks before a summary. Returns whether the conversation may be summarised.
    pub(super) async fn hooks_allow_summary(&self, reach: Reach<'_>, transcript: &Transcript) -> bool {
        let HookKit { place: Some(place), .. } = &self.kit.hooks else { return true };
        self.write_for_hooks(transcript);
        let (trigger, focus) = match reach {
            Reach::Needed => ("auto", ""),
            Reach::ByHand(focus) => ("manual", focus.trim()),
        };
        let fields = json!({ "trigger": trigger, "custom_instructions": focus });
        let answer = self.run_hooks(HookEvent::PreCompact, &[trigger], place, fields).await;
        let Some(HookDecision::Block(why)) = answer.decision else { return true };
        self.front.hear(Event::Notice(format!("a hook prevented the summary of the conversation: {}", one_line(&why))));
        false
    }

    /// Where the hooks of an event run, if there are any. The shell may have changed its directory and environment meanwhile.
    fn hooks_waiting(&self, event: HookEvent, subject: &[&str], place: &tool::Context) -> Option<HookRun> {
        let HookKit { hooks, place: Some(first), .. } = &self.kit.hooks else { return None };
        hooks.wait_for(event, subject).then(|| HookRun {
            session: first.session.clone(),
            cwd: place.cwd.clone(),
            project: repository::real_root_or(&place.cwd),
            permission_mode: foreign(self.kit.permissions.mode(&place.cwd, place.home())),
            environment: Arc::new(tool::child_environment(&place.environment)),
            conversation: first.conversation.clone(),
        })
    }
}

/// Why hooks refuse what the person has typed.
fn refusal(answer: &HookAnswer) -> Option<&str> {
    match (&answer.decision, &answer.stop) {
        (_, Some(why)) | (Some(HookDecision::Block(why)), None) => Some(why),
        (Some(HookDecision::Allow | HookDecision::Ask(_)) | None, None) => None,
    }
}

/// How a turn ends that a hook has ended.
pub(super) fn ended(why: &str) -> Ending {
    Ending::Failed(Failure::new(FailureKind::Hook, format!("a hook ended the answer: {}", one_line(why))))
}

/// What hooks add to a question. Its secrets are masked.
fn fragment(context: &str) -> Fragment {
    Fragment::given("hook_context", CAP, "your hooks", &escape(context), "not kept").tagged()
}

fn one_line(words: &str) -> String {
    crate::text::sanitize(words).split_whitespace().collect::<Vec<_>>().join(" ")
}
