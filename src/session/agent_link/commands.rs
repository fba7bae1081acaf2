//! Carries out the slash commands that concern the conversation.

use std::sync::Arc;

use tokio_util::sync::CancellationToken;

use crate::agent::{Project, Query, ShellView, Skills, record_compaction, shown_path};
use crate::provider::{ModelPreference, Resolved};
use crate::text::human;

use super::consent::Gate;
use super::orders::{AgentThread, ports};
use super::sending;
use super::slash::{AgentCommand, ContextPart};
use super::{AgentSetup, News};

pub(super) const NO_MODEL: &str = "no model is connected";

impl AgentThread {
    /// Carries out a command and returns the words for the person.
    pub(super) async fn command(&mut self, command: AgentCommand, query: &Query) -> String {
        match command {
            AgentCommand::Help(built_in) => self.help(&built_in, &query.view),
            AgentCommand::Model { name, saves } => self.choose_model(name, saves, &query.view).await,
            AgentCommand::Thinking(effort) => {
                let preference = ModelPreference { effort: Some(effort), ..self.preference.clone() };
                self.switch(preference, &query.view).await.unwrap_or_else(|words| words)
            }
            AgentCommand::Models => self.models(&query.view).await,
            AgentCommand::Context(part) => {
                query.view.settled().await;
                self.context(part, query).await
            }
            AgentCommand::Skills => self.skills(&query.view),
            AgentCommand::New => {
                self.begin_conversation();
                "started a new conversation".into()
            }
            AgentCommand::Resume(wanted) => self.resume(&wanted, &query.view).await,
            AgentCommand::Fork => self.fork().await,
            AgentCommand::Rewind(exchanges) => self.rewind(exchanges, &query.view).await,
            AgentCommand::Undo(queries) => self.undo(queries, &query.view).await,
            AgentCommand::Redo => self.redo(&query.view).await,
            AgentCommand::Diff(form) => self.diff(form, &query.view).await,
            AgentCommand::Name(title) => self.name(&title).await,
            AgentCommand::Compact(focus) => self.compact(&focus, query).await,
            AgentCommand::Quit => {
                self.begin_conversation();
                "ended the conversation; the next question starts a new one".into()
            }
            AgentCommand::Usage(period) => self.usage_words(period, &query.view).await,
            AgentCommand::Copy => match self.conversation.last_answer() {
                Some(answer) => {
                    let size = human::size(answer.len() as u64);
                    self.link.say(News::Copy(answer));
                    format!("copied ({size}), if your terminal allows it")
                }
                None => "there is no answer to copy yet".into(),
            },
            AgentCommand::Memory(order) => self.memory(order, &query.view).await,
            AgentCommand::Mode(mode) => self.mode(mode, &query.view),
            AgentCommand::Permissions(None) => self.permissions(&query.view),
            AgentCommand::Permissions(Some(number)) => self.revoke(number),
            AgentCommand::Export(order) => order.carry_out(&self.document().await, &query.view.cwd, query.view.home()),
        }
    }

    fn skills(&self, view: &ShellView) -> String {
        let AgentSetup { places, settings, .. } = &self.setup;
        let mut settings = settings.agent.skills();
        if !settings.is_on {
            return "skills are off; `skills = true` in `[agent]` of the configuration turns them on".to_owned();
        }
        let mut unused = String::new();
        match Project::of(&view.cwd, &self.setup.trust) {
            Some(Ok(project)) => match project.skills() {
                Some(skills) if project.is_trusted() => settings.paths.insert(0, skills),
                Some(skills) => {
                    let place = shown_path(&skills, view.home());
                    unused =
                        format!("\nnot used: the skills in {place}, until you trust the project (`shellmate trust`)");
                }
                None => {}
            },
            Some(Err(error)) => unused = format!("\nnot used: the project's skills: {error}"),
            None => {}
        }
        skill_words(&Skills::find(&view.cwd, places.config.as_deref(), view.home(), &settings), view) + &unused
    }

    async fn models(&mut self, view: &ShellView) -> String {
        let lists = match self.list(view).await {
            Ok(lists) => lists,
            Err(failure) => return failure.words,
        };
        let names = lists.iter().flat_map(|list| match &list.models {
            Ok(_) => list.names(),
            Err(error) => vec![format!("{}: {error}", list.vendor)],
        });
        let names: Vec<String> = names.collect();
        if names.is_empty() { "no provider is connected".into() } else { names.join("\n") }
    }

    async fn context(&mut self, part: ContextPart, query: &Query) -> String {
        let query = Query { text: sending::PLACEHOLDER.to_owned(), ..query.clone() };
        query.view.settled().await;
        match self.resolve(&self.preference.clone(), &query.view).await {
            Ok(Some(mut resolved)) => {
                if self.may_ask(&resolved) {
                    resolved.learn_window().await;
                }
                let (mut kit, ports) = (self.kit(resolved), ports(&Arc::new(self.link.clone())));
                self.hooks.for_command(&query.view, &self.link).equip_silently(&mut kit, &query.view);
                sending::words(&kit.preview(&self.conversation, &ports, &query), part)
            }
            Ok(None) => format!("{NO_MODEL}, so nothing would be sent"),
            Err(failure) => failure.words,
        }
    }

    /// Summarises the conversation.
    async fn compact(&mut self, focus: &str, query: &Query) -> String {
        let resolved = match self.resolve(&self.preference.clone(), &query.view).await {
            Ok(Some(resolved)) => resolved,
            Ok(None) => return NO_MODEL.into(),
            Err(failure) => return failure.words,
        };
        if !self.may_ask(&resolved) {
            return needs_consent(&resolved);
        }
        let mut turn = self.turn(resolved, Arc::new(self.link.clone()), CancellationToken::new());
        let fast = self.fast_model(&query.view, &self.link.clone()).await;
        Arc::make_mut(&mut turn.kit).fast = fast;
        let hooks = self.hooks.for_command(&query.view, &self.link);
        hooks.equip_silently(Arc::make_mut(&mut turn.kit), &query.view);
        let (compacted, usage) = turn.compact(focus).await;
        self.spend(usage);
        match compacted {
            Some(compacted) => {
                record_compaction(&self.log_for_now(), &compacted);
                self.conversation.compact(compacted);
                self.hooks.begin("compact");
                "the next question sends the summary".into()
            }
            None => "there is too little to summarise".into(),
        }
    }

    /// Whether anything may be sent to the model's server without a question to the person.
    pub(super) fn may_ask(&self, resolved: &Resolved) -> bool {
        let gate = Gate::before(resolved, self.setup.servers.as_deref(), &self.declined);
        gate.is_none_or(|gate| gate.has_consent())
    }

    /// Switches to another model, if it exists. The error is for the person.
    pub(super) async fn switch(&mut self, preference: ModelPreference, view: &ShellView) -> Result<String, String> {
        match self.resolve(&preference, view).await {
            Ok(Some(resolved)) => {
                self.preference = preference;
                Ok(format!("from here on: {}", told(&resolved)))
            }
            Ok(None) => Err(NO_MODEL.into()),
            Err(failure) => Err(failure.words),
        }
    }
}

/// Shown if the model's server was found by itself and the person has not agreed to it yet.
pub(super) fn needs_consent(resolved: &Resolved) -> String {
    format!("{} was found on this machine; ask it a question first to agree to it", resolved.host)
}

/// A list of skills, with their problems.
fn skill_words(skills: &Skills, view: &ShellView) -> String {
    let mut lines: Vec<String> = Vec::new();
    for skill in &skills.list {
        let hidden = if skill.is_offered { "" } else { " (only when you call it)" };
        lines.push(format!("/skill:{}{hidden}  {}", skill.name, skill.description));
        lines.push(format!("    {}", shown_path(&skill.file, view.home())));
    }
    if lines.is_empty() {
        lines.push(
            "no skills here; put one into .agents/skills/NAME/SKILL.md of a project or of your home directory".into(),
        );
    }
    lines.extend(skills.problems.iter().map(|problem| format!("problem: {problem}")));
    lines.join("\n")
}

/// A model, its effort and its server.
pub(super) fn told(resolved: &Resolved) -> String {
    let found = if resolved.is_discovered() { ", found on this machine" } else { "" };
    format!("{} ({}) at {}{found}", resolved.name(), resolved.effort, resolved.host)
}
