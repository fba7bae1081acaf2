//! The moments at which hooks run.

use serde::{Deserialize, Serialize};

/// When a hook runs. The names are those of the file.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub(crate) enum HookEvent {
    /// Before the first question of a conversation, and after a conversation was resumed, cleared or summarised.
    SessionStart,
    /// When the shell ends or another conversation begins.
    SessionEnd,
    /// Before a question is sent.
    UserPromptSubmit,
    /// Before a call is judged.
    PreToolUse,
    /// Before the person is asked about a call.
    PermissionRequest,
    /// After a call has run.
    PostToolUse,
    /// Before the conversation is summarised.
    PreCompact,
    /// When the model has answered.
    Stop,
}

impl HookEvent {
    pub(crate) const ALL: [HookEvent; 8] = [
        HookEvent::SessionStart,
        HookEvent::SessionEnd,
        HookEvent::UserPromptSubmit,
        HookEvent::PreToolUse,
        HookEvent::PermissionRequest,
        HookEvent::PostToolUse,
        HookEvent::PreCompact,
        HookEvent::Stop,
    ];

    pub(crate) fn name(self) -> &'static str {
        match self {
            HookEvent::SessionStart => "SessionStart",
            HookEvent::SessionEnd => "SessionEnd",
            HookEvent::UserPromptSubmit => "UserPromptSubmit",
            HookEvent::PreToolUse => "PreToolUse",
            HookEvent::PermissionRequest => "PermissionRequest",
            HookEvent::PostToolUse => "PostToolUse",
            HookEvent::PreCompact => "PreCompact",
            HookEvent::Stop => "Stop",
        }
    }

    pub(super) fn from_name(name: &str) -> Option<HookEvent> {
        HookEvent::ALL.into_iter().find(|event| event.name() == name)
    }

    /// Whether the matcher of a hook counts. These two events have nothing that it could match.
    pub(super) fn has_matcher(self) -> bool {
        !matches!(self, HookEvent::UserPromptSubmit | HookEvent::Stop)
    }

    /// Whether a hook's plain output is context for the model.
    pub(super) fn takes_plain_text(self) -> bool {
        matches!(self, HookEvent::SessionStart | HookEvent::UserPromptSubmit)
    }

    /// Whether a hook can keep from happening what the event announces.
    pub(super) fn can_block(self) -> bool {
        !matches!(self, HookEvent::SessionStart | HookEvent::SessionEnd)
    }
}
