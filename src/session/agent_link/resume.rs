//! Carries out the slash commands about recorded conversations: `/resume`, `/fork`, `/rewind` and `/name`.

use std::collections::HashSet;
use std::time::{Duration, SystemTime};

use crate::agent::{
    Conversation, RecordedEntry, Rewound, ShellView, Unfinished, missing_pictures, queries, record_name, record_rewind,
};
use crate::provider::ModelPreference;
use crate::store::{Conversations, EntryKind, ListScope, ListedConversation, StoreError};
use crate::text::{self, human};

use super::super::prompt::{PickItem, PickList};
use super::News;
use super::orders::AgentThread;

/// How long a command waits until the last messages are written.
pub(super) const SETTLING: Duration = Duration::from_secs(2);
/// How many conversations `/resume` lists, of this repository and of all. Older ones are found by words.
const LISTED: usize = 1_000;
/// How many exchanges are searched for a conversation by its words.
const FOUND: usize = 10;
/// The most bytes of a title in a list or an answer.
const TITLE: usize = 72;

const NOT_RECORDED: &str = "conversations are not recorded here, so there is none to go back to (`history.enabled`)";

impl AgentThread {
    /// `/resume`: lists conversations, or continues the named one.
    pub(super) async fn resume(&mut self, wanted: &str, view: &ShellView) -> String {
        self.setup.conversations.settled(SETTLING).await;
        let conversations = match self.setup.conversations.conversations() {
            None => return NOT_RECORDED.to_owned(),
            Some(Err(error)) => return unreadable(&error),
            Some(Ok(conversations)) => conversations,
        };
        let found = match wanted {
            "" => match list(&conversations, view, self.log.id()) {
                Ok(list) if list.items.is_empty() => return "no other conversation has been recorded yet".to_owned(),
                Ok(list) => match self.link.pick(list).await {
                    Some(id) => conversations.get(id),
                    None => return "the conversation was not changed".to_owned(),
                },
                Err(error) => Err(error),
            },
            wanted => find(&conversations, wanted, self.log.id()),
        };
        match found {
            Ok(Some(listed)) if Some(listed.id) == self.log.id() => {
                format!("this is conversation {} already", listed.id)
            }
            Ok(Some(listed)) => self.continue_with(listed, view).await,
            Ok(None) => format!("no conversation matches `{wanted}`; `> /resume` lists the newest"),
            Err(error) => unreadable(&error),
        }
    }

    async fn continue_with(&mut self, listed: ListedConversation, view: &ShellView) -> String {
        let resumed = match self.setup.conversations.resume(listed.id) {
            Ok(Some(resumed)) => resumed,
            Ok(None) => return format!("conversation {} was forgotten", listed.id),
            Err(error) => return unreadable(&error),
        };
        let unfinished = if resumed.is_fork { Unfinished::LeftOut } else { Unfinished::Interrupted };
        let restored = Conversation::restore(&resumed.entries, &resumed.pictures, unfinished);
        self.begin_conversation();
        self.log = resumed.log;
        self.ledger = self.recorded_changes(listed.id, &resumed.entries);
        restored.end_unfinished(&self.log);
        let mut lines = vec![match resumed.is_fork {
            true => format!("conversation {} is in use in another terminal; this is a fork of it:", listed.id),
            false => format!("conversation {} goes on:", listed.id),
        }];
        lines[0].push(' ');
        lines[0].push_str(&short(&listed.title()));
        if let Some(question) = restored.last_question.filter(|question| short(question) != short(&listed.title())) {
            lines.push(format!("your last question was: {}", short(&question)));
        }
        if restored.damaged > 0 {
            lines.push(format!("{} entries could not be read and are left out", restored.damaged));
        }
        lines.extend(missing_pictures(restored.missing));
        self.conversation = restored.conversation;
        self.hooks.begin("resume");
        lines.extend(self.return_to_model(listed.model, view).await);
        lines.join("\n")
    }

    /// Switches to the model of a resumed conversation, unless the person has chosen another one here. Returns a notice if it is
    /// not available.
    async fn return_to_model(&mut self, model: Option<String>, view: &ShellView) -> Option<String> {
        let model = model.filter(|model| !model.is_empty() && self.preference.model.is_none())?;
        let now = self.resolve(&self.preference.clone(), view).await.ok().flatten().map(|resolved| resolved.name());
        if now.as_deref() == Some(&model) {
            return None;
        }
        let preference = ModelPreference { model: Some(model.clone()), ..self.preference.clone() };
        match self.resolve(&preference, view).await {
            Ok(Some(resolved)) if resolved.name() == model => {
                self.preference = preference;
                Some(format!("from here on: {model}"))
            }
            Ok(_) | Err(_) => {
                Some(format!("{model} is not available any more; {} answers", now.unwrap_or("no model".into())))
            }
        }
    }

    /// `/fork`: leaves the conversation as it is and continues in a copy.
    pub(super) async fn fork(&mut self) -> String {
        if !self.setup.conversations.is_on() {
            return NOT_RECORDED.to_owned();
        }
        self.setup.conversations.settled(SETTLING).await;
        let (id, fork) = (self.log.id(), self.setup.conversations.fork(&self.log));
        let (Some(id), Some(fork)) = (id, fork) else { return NOTHING_YET.to_owned() };
        self.log.leave();
        self.log = fork;
        format!("your next question begins a fork; `> /resume {id}` goes back to where it began")
    }

    /// `/rewind`: removes the last exchanges, offers to undo their changes, and lets the person edit their first question.
    pub(super) async fn rewind(&mut self, exchanges: usize, view: &ShellView) -> String {
        let Rewound { question, queries } = match self.conversation.rewind(exchanges) {
            Some(rewound) => {
                record_rewind(&self.log_for_now(), exchanges, self.conversation.past());
                rewound
            }
            None => match self.rewind_in_store(exchanges).await {
                Ok(rewound) => rewound,
                Err(words) => return words,
            },
        };
        self.link.say(News::AskAgain(question));
        let what = if exchanges == 1 { "the last question".into() } else { format!("the last {exchanges} questions") };
        let taken = format!("took {what} back; you can edit it and ask again");
        match self.offer_undo(queries, view).await {
            Some(undone) => format!("{taken}\n{undone}"),
            None => taken,
        }
    }

    /// The same for exchanges that were replaced by a summary: the store has the whole text.
    async fn rewind_in_store(&mut self, exchanges: usize) -> Result<Rewound, String> {
        let asked = self.conversation.past().asked();
        if exchanges > asked {
            return Err(match asked {
                0 => NOTHING_YET.to_owned(),
                1 => "only one question has been asked".to_owned(),
                asked => format!("only {asked} questions have been asked"),
            });
        }
        self.setup.conversations.settled(SETTLING).await;
        let unknown = || "it was summarised, and the whole text is not recorded".to_owned();
        let conversations = self.setup.conversations.conversations().ok_or_else(unknown)?;
        let conversations = conversations.map_err(|error| unreadable(&error))?;
        let mut entries = conversations.written(&self.log).map_err(|error| unreadable(&error))?;
        let ended: Vec<Option<i64>> =
            entries.iter().filter(|entry| entry.kind == EntryKind::End).map(|entry| entry.exchange).collect();
        let first = if ended.len() == asked { ended[asked - exchanges] } else { None };
        let at = entries.iter().position(|entry| first == Some(entry.id)).ok_or_else(unknown)?;
        let Ok(RecordedEntry::Question { words, .. }) = RecordedEntry::read(&entries[at]) else {
            return Err(unknown());
        };
        let queries = queries(&entries[at..]);
        entries.truncate(at);
        self.log_for_now().rewind(exchanges);
        self.spend(self.conversation.usage());
        let restored = Conversation::restore(&entries, &conversations.pictures(), Unfinished::LeftOut);
        self.conversation = restored.conversation;
        Ok(Rewound { question: words, queries })
    }

    /// `/name`: gives the conversation a title.
    pub(super) async fn name(&mut self, title: &str) -> String {
        if !self.setup.conversations.is_on() {
            return NOT_RECORDED.to_owned();
        }
        self.setup.conversations.settled(SETTLING).await;
        let Some(id) = self.log.id() else { return NOTHING_YET.to_owned() };
        let title = text::sanitize(title);
        record_name(&self.log, &title);
        format!("conversation {id} is called: {}", short(&title))
    }
}

const NOTHING_YET: &str = "nothing has been asked yet";

fn unreadable(error: &StoreError) -> String {
    format!("the conversations cannot be read: {error}")
}

/// The conversation with this number, or with these words: in its title (newest first), or else in its messages.
fn find(
    conversations: &Conversations,
    wanted: &str,
    current: Option<i64>,
) -> Result<Option<ListedConversation>, StoreError> {
    if let Ok(id) = wanted.parse() {
        return conversations.get(id);
    }
    if let Some(titled) = conversations.titled(wanted)? {
        return Ok(Some(titled));
    }
    let words: Vec<&str> = wanted.split_whitespace().collect();
    let found = conversations.search(&words, FOUND)?;
    let best = found.iter().find(|one| Some(one.conversation) != current).or(found.first());
    best.map_or(Ok(None), |one| conversations.get(one.conversation))
}

/// The newest conversations without the current one, those of this repository first.
fn list(conversations: &Conversations, view: &ShellView, current: Option<i64>) -> Result<PickList, StoreError> {
    let here = conversations.newest(ListScope::Here(&view.cwd), LISTED)?;
    let ids: HashSet<i64> = here.iter().map(|one| one.id).collect();
    let mut others = conversations.newest(ListScope::All, LISTED)?;
    others.retain(|one| !ids.contains(&one.id));
    let now = SystemTime::now();
    let item = |one: &ListedConversation| {
        let age = human::age(now.duration_since(one.touched_at).unwrap_or_default());
        let place = one.repository.file_name().unwrap_or_default().to_string_lossy();
        let place = if ids.contains(&one.id) { String::new() } else { format!("{place}: ") };
        let opening = match (&one.name, &one.opening) {
            (Some(_), Some(opening)) => format!(": {}", short(opening)),
            _ => String::new(),
        };
        let model = one.model.as_ref().map(|model| format!("  ({model})")).unwrap_or_default();
        let text = format!("{place}{}{opening}{model}", short(&one.title()));
        PickItem { id: one.id, facts: format!("{:>4}  {age:>4}", one.id), text, behind: String::new() }
    };
    let listed = here.iter().chain(&others).filter(|one| Some(one.id) != current);
    Ok(PickList { items: listed.map(item).collect(), action: "continues it", by_name: false, filter: String::new() })
}

/// A title on one line.
fn short(words: &str) -> String {
    let line = words.split_whitespace().collect::<Vec<_>>().join(" ");
    match text::beginning(&line, TITLE) {
        whole if whole.len() == line.len() => line,
        beginning => format!("{beginning}…"),
    }
}
