//! What the agent may do in one run of `shellmate ask`.

use crate::config::{Config, Paths, PermissionSettings};
use crate::guard::{PermissionMode, PermissionRule, Permissions, RuleDecision, RuleText};

use super::report;

#[derive(Debug, clap::Args)]
pub(super) struct LimitArgs {
    /// Approve all commands and edits that need approval. Without it you are asked; without a terminal they are refused. What is denied
    /// stays denied.
    #[arg(long)]
    pub(super) yes: bool,

    /// Allow commands without a question, such as `cargo test *`, or files (`path=docs/**`), a host (`host=docs.rs`) or a tool
    /// (`tool=write_file`). May be given several times.
    #[arg(long, value_name = "RULE")]
    allow: Vec<String>,

    /// Forbid commands, files, hosts or tools, written as for --allow. May be given several times.
    #[arg(long, value_name = "RULE")]
    deny: Vec<String>,

    /// Only look: no file is changed, and only commands run that change nothing.
    #[arg(long, conflicts_with = "yes")]
    read_only: bool,
}

/// The permissions of this run: the configuration's, with the rules of the options.
pub(super) fn of(args: &LimitArgs, config: &Config, paths: &Paths) -> anyhow::Result<Permissions> {
    let (PermissionSettings { rules, modes }, problems) = config.permissions();
    report::notices(problems);
    let mut rules = rules.to_vec();
    for (texts, decision, origin) in
        [(&args.allow, RuleDecision::Allow, "--allow"), (&args.deny, RuleDecision::Deny, "--deny")]
    {
        for text in texts {
            rules.push(PermissionRule::new(rule_text(text, decision), origin)?);
        }
    }
    let permissions = Permissions::new(rules.into(), modes, config.grants(paths));
    if args.read_only {
        permissions.choice.set(Some(PermissionMode::Plan));
    }
    Ok(permissions)
}

/// Reads a rule: a condition and its pattern with `=` between them, or a command.
fn rule_text(text: &str, decision: RuleDecision) -> RuleText {
    let [tool, path, command, host, reason] = [const { String::new() }; 5];
    let mut rule = RuleText { tool, path, command, host, decision, reason };
    match text.split_once('=') {
        Some(("tool", pattern)) => rule.tool = pattern.to_owned(),
        Some(("path", pattern)) => rule.path = pattern.to_owned(),
        Some(("host", pattern)) => rule.host = pattern.to_owned(),
        Some(("command", pattern)) => rule.command = pattern.to_owned(),
        Some(_) | None => rule.command = text.to_owned(),
    }
    rule
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_rule_names_its_condition_or_is_a_command() {
        let read = |text: &str| PermissionRule::new(rule_text(text, RuleDecision::Deny), "--deny").unwrap().to_string();
        assert_eq!(read("git push *"), "deny command \"git push *\"");
        assert_eq!(read("path=~/notes"), "deny path \"~/notes\"");
        assert_eq!(read("host=*.example.org"), "deny host \"*.example.org\"");
        assert_eq!(read("make CC=gcc"), "deny command \"make CC=gcc\"");
    }
}
