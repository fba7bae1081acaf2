//! The conversation that a question belongs to: a new one, or one to continue.

use anyhow::Context;

use crate::agent::{Conversation, Past, ShellView, Unfinished, missing_pictures};
use crate::cli::report;
use crate::config::{Config, Paths};
use crate::store::{ConversationLog, ConversationRecorder, ListScope};

/// A conversation, where it is recorded, and what was said in it.
pub(super) struct BegunConversation {
    pub(super) recorder: ConversationRecorder,
    pub(super) log: ConversationLog,
    pub(super) said: Past,
}

impl BegunConversation {
    /// A new conversation, the last one of this repository, or the one with this number.
    pub(super) fn new(
        goes_on: bool,
        resume: Option<i64>,
        view: &ShellView,
        (paths, config): (&Paths, &Config),
    ) -> anyhow::Result<BegunConversation> {
        let session = crate::cli::environment("SHELLMATE_SESSION").unwrap_or_default();
        // Without the name of a terminal: a shell does not offer to continue a conversation of `ask`.
        let recorder = config.conversation_recorder(paths, &session, &view.host, String::new());
        if !goes_on && resume.is_none() {
            let log = recorder.begin();
            return Ok(BegunConversation { recorder, log, said: Past::default() });
        }
        let conversations = recorder.conversations().context("conversations are not recorded")??;
        let newest = || conversations.newest(ListScope::Here(&view.cwd), 1).map(|mut listed| listed.pop());
        let id = match resume {
            Some(id) => id,
            None => newest()?.context("no conversation has been recorded here yet")?.id,
        };
        let resumed = recorder.resume(id)?;
        let resumed =
            resumed.with_context(|| format!("there is no conversation {id}; `shellmate conversations` lists them"))?;
        let unfinished = if resumed.is_fork { Unfinished::LeftOut } else { Unfinished::Interrupted };
        let fork = format!("conversation {id} is in use in a terminal; this is a fork of it");
        report::notices(resumed.is_fork.then_some(fork));
        let restored = Conversation::restore(&resumed.entries, &resumed.pictures, unfinished);
        report::notices(missing_pictures(restored.missing));
        restored.end_unfinished(&resumed.log);
        Ok(BegunConversation { recorder, log: resumed.log, said: restored.conversation.past().clone() })
    }
}
