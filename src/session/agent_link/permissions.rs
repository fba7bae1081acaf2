//! Carries out `/mode` and `/permissions`.

use crate::agent::ShellView;
use crate::guard::{PermissionMode, Verdict};

use super::orders::AgentThread;

impl AgentThread {
    /// Chooses a mode for this session, or says which one is in force.
    pub(super) fn mode(&self, mode: Option<PermissionMode>, view: &ShellView) -> String {
        let Some(mode) = mode else {
            let now = self.permissions.mode(&view.cwd, view.home());
            let line = |mode: PermissionMode| {
                let mark = if mode == now { "*" } else { " " };
                format!("{mark} {:<5} {}", mode.name(), mode.meaning())
            };
            return PermissionMode::ALL.map(line).join("\n");
        };
        self.permissions.choice.set(Some(mode));
        format!("{} mode: {}", mode.name(), mode.meaning())
    }

    /// The rules and grants with their origin, and what decided about the last call.
    pub(super) fn permissions(&self, view: &ShellView) -> String {
        let mode = self.permissions.mode(&view.cwd, view.home());
        let mut lines = vec![format!("mode: {} ({})", mode.name(), mode.meaning())];
        if !self.permissions.rules.is_empty() {
            lines.push("rules:".to_owned());
            lines.extend(self.permissions.rules.iter().map(|rule| format!("  {rule}, from {}", rule.origin())));
        }
        let grants = self.permissions.grants.listed();
        match grants.is_empty() {
            true => lines.push("approvals: none".to_owned()),
            false => {
                lines.push("approvals (`/permissions revoke N` takes one back):".to_owned());
                let line = |(number, (grant, until)): (usize, &(crate::guard::Grant, String))| {
                    format!("  {number}. {}, {until}", grant.covered())
                };
                lines.extend((1..).zip(&grants).map(line));
            }
        }
        lines.extend(self.last_decision());
        lines.join("\n")
    }

    fn last_decision(&self) -> Option<String> {
        let (call, judgement) = self.permissions.last()?;
        let verdict = match judgement.verdict {
            Verdict::Allow => "allowed",
            Verdict::Ask => "asked",
            Verdict::Deny(_) => "denied",
        };
        Some(format!("last call: {call} was {verdict} by {}", judgement.by.words()))
    }

    /// Takes back the approval with this number.
    pub(super) fn revoke(&self, number: usize) -> String {
        match self.permissions.grants.revoke(number) {
            Ok(Some(grant)) => format!("taken back: {}", grant.covered()),
            Ok(None) => format!("there is no approval {number}; `> /permissions` lists them"),
            Err(error) => error.to_string(),
        }
    }
}
