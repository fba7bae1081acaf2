//! Keeps data for a model within its tags.

/// The tags around data for a model. Data must not contain text that looks like one.
pub(crate) const TAGS: [&str; 18] = [
    "cwd",
    "date",
    "shell",
    "command",
    "output",
    "stdin",
    "file",
    "directory",
    "reference",
    "screen",
    "conventions",
    "skill",
    "memory",
    "excerpts",
    "summary",
    "earlier_questions",
    "exchange",
    "hook",
];

/// Escapes data so that it cannot imitate one of the tags around it: a blank is inserted after the bracket.
pub(crate) fn escape(text: &str) -> String {
    let mut safe = String::with_capacity(text.len());
    let mut rest = text;
    while let Some(at) = rest.find('<') {
        let after = &rest[at + 1..];
        let tag = after.strip_prefix('/').unwrap_or(after);
        safe.push_str(&rest[..rest.len() - tag.len()]);
        if TAGS.iter().any(|ours| tag.starts_with(ours)) {
            safe.push(' ');
        }
        rest = tag;
    }
    safe + rest
}
