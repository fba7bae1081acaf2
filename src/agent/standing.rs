//! Context that is sent once, and again only when it has changed: conventions, skills and the person's notes.
//!
//! It goes with a question and is never changed afterwards, so that the providers' caches stay valid.

use std::borrow::Cow;
use std::collections::BTreeMap;
use std::hash::{DefaultHasher, Hash, Hasher};

use serde::{Deserialize, Serialize};

use super::Kit;
use super::context::{Fragment, Query};
use super::conventions::{self, Conventions};
use super::language;
use super::memory::{self, Notebook, SentNotes};
use super::skills::{self, CalledSkill, Catalogue, SentSkills, SkillCall, Skills, UnknownSkill};

/// The most bytes about the language of answers.
const LANGUAGE_CAP: usize = 256;

/// What the model has been sent of it.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default)]
pub(crate) struct StandingState {
    /// The fingerprint of the conventions that were sent last.
    conventions: Option<u64>,
    /// The fingerprint of the notes that were sent last.
    memory: Option<u64>,
    /// The language that the model was told last; empty for English again.
    language: Option<String>,
    /// The skills that the model was told about. `None` before the first question.
    skills: Option<SentSkills>,
    /// The skills that the person has called, with fingerprints of their texts. `None` if a summary has replaced the text.
    called: BTreeMap<String, Option<u64>>,
}

impl StandingState {
    /// Notes that a summary has replaced what was sent.
    pub(in crate::agent) fn forget(&mut self) {
        (self.conventions, self.memory, self.language, self.skills) = (None, None, None, None);
        self.called.values_mut().for_each(|fingerprint| *fingerprint = None);
    }
}

/// What goes with a question.
#[derive(Debug, Default)]
pub(super) struct Standing {
    pub(super) fragments: Vec<Fragment>,
    /// One line each for the person.
    pub(super) notices: Vec<String>,
    /// What the model has been sent after this question.
    pub(super) state: StandingState,
}

impl Standing {
    /// Collects what has to be sent in a model's window. `called` is the skill that the question calls.
    pub(super) fn gather(
        kit: &Kit,
        query: &Query,
        before: &StandingState,
        window: u32,
        call: Option<CalledSkill>,
    ) -> Standing {
        let mut standing = Standing { state: before.clone(), ..Standing::default() };
        standing.add_language(kit, query);
        standing.add_conventions(kit, query, window);
        standing.add_memory(kit, query, window);
        standing.add_skills(kit, query, window);
        if let Some(called) = call {
            standing.add_called(called);
        }
        standing
    }

    fn add_language(&mut self, kit: &Kit, query: &Query) {
        let tag = kit.language.told(&query.view.environment);
        let told = self.state.language.as_deref();
        if told.unwrap_or_default() == tag.as_deref().unwrap_or_default() {
            return;
        }
        let text = language::words(tag.as_deref());
        self.state.language = Some(tag.unwrap_or_default());
        let fragment = Fragment::new("language", LANGUAGE_CAP, "the language of your shell", text);
        self.fragments.push(fragment.tagged());
    }

    fn add_conventions(&mut self, kit: &Kit, query: &Query, window: u32) {
        let Kit { redactor, places, limits, .. } = kit;
        if !limits.conventions {
            return;
        }
        let cap = conventions::cap(window);
        let (own, home) = (places.config.as_deref(), query.view.home());
        let found = Conventions::of(&query.view.cwd, own, home, cap, redactor);
        if found.text.is_empty() || self.state.conventions == Some(found.fingerprint()) {
            return;
        }
        self.state.conventions = Some(found.fingerprint());
        self.notices.extend(found.notices);
        let origin = "the conventions of this project";
        self.fragments.push(Fragment::new("conventions", conventions::CAP, origin, found.text));
    }

    fn add_memory(&mut self, kit: &Kit, query: &Query, window: u32) {
        let Some(directory) = kit.places.memory.clone().filter(|_| kit.limits.memory) else { return };
        let cap = memory::CAP.min(window as usize / 4);
        let SentNotes { text, notice } = Notebook::new(directory).sent(&query.view.cwd, cap, &kit.redactor);
        let mut hasher = DefaultHasher::new();
        text.hash(&mut hasher);
        let fingerprint = Some(hasher.finish());
        if text.is_empty() || self.state.memory == fingerprint {
            return;
        }
        self.state.memory = fingerprint;
        self.notices.extend(notice);
        self.fragments.push(Fragment::new("memory", memory::CAP, "your notes", text));
    }

    fn add_skills(&mut self, kit: &Kit, query: &Query, window: u32) {
        let found = kit.skills_of(query);
        let home = query.view.home();
        let catalogue = Catalogue::of(&found, self.state.skills.as_ref(), home, window, &kit.redactor);
        self.notices.extend(catalogue.notices);
        if !catalogue.text.is_empty() {
            self.fragments.push(Fragment::new("skills", skills::CAP, "the skills", catalogue.text));
        }
        self.state.skills = Some(catalogue.sent);
        // A summary keeps no instructions, but the person has called these skills for the whole conversation.
        let replaced = |skill: &&skills::Skill| self.state.called.get(&skill.name) == Some(&None);
        let again: Vec<CalledSkill> = found
            .list
            .iter()
            .filter(replaced)
            .filter_map(|skill| CalledSkill::load(skill, home, &kit.redactor))
            .collect();
        again.into_iter().for_each(|called| self.add_called(called));
    }

    /// Adds the text of a skill, unless the model has it.
    fn add_called(&mut self, called: CalledSkill) {
        let CalledSkill { name, fragment, fingerprint, notice } = called;
        if self.state.called.insert(name, Some(fingerprint)) != Some(Some(fingerprint)) {
            self.notices.extend(notice);
            self.fragments.push(fragment);
        }
    }
}

impl Kit {
    /// The skills that can be used where the question is asked.
    fn skills_of(&self, query: &Query) -> Skills {
        Skills::find(&query.view.cwd, self.places.config.as_deref(), query.view.home(), &self.skills)
    }

    /// Loads the skill that a question calls. Returns it with the question that the model reads.
    pub(super) fn called_skill<'q>(
        &self,
        query: &'q Query,
    ) -> Result<(Cow<'q, Query>, Option<CalledSkill>), UnknownSkill> {
        let Some(call) = SkillCall::read(&query.text) else { return Ok((Cow::Borrowed(query), None)) };
        let called = call.load(&self.skills_of(query), query.view.home(), &self.redactor)?;
        Ok((Cow::Owned(Query { text: call.question(), ..query.clone() }), Some(called)))
    }
}
