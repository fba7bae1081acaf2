//! The documentation of shellmate, which is part of the binary.
//!
//! The model reads the documents as `shellmate://docs/NAME` ([`page`]). Without a model, [`Topic::of`] recognises questions about
//! shellmate itself and answers them from the documents. Uses: text.

mod ask;
mod settings;
mod table;
#[cfg(test)]
mod tests;
mod topics;

pub(crate) use topics::Topic;

/// The address of the documents.
const ADDRESS: &str = "shellmate://docs";

/// One document.
struct ManualDocument {
    name: &'static str,
    text: &'static str,
}

macro_rules! documents {
    ($($name:literal: $path:literal),* $(,)?) => {
        &[$(ManualDocument { name: $name, text: include_str!(concat!("../../", $path)) }),*]
    };
}

/// The README, and everything in `docs/`. Together they are small beside the binary, so they are not compressed.
const DOCUMENTS: &[ManualDocument] = documents! {
    "README.md": "README.md",
    "ARCHITECTURE.md": "docs/ARCHITECTURE.md",
    "BENCHMARKS.md": "docs/BENCHMARKS.md",
    "CHANGELOG.md": "docs/CHANGELOG.md",
    "CLI.md": "docs/CLI.md",
    "COMMANDS.md": "docs/COMMANDS.md",
    "CONFIG.md": "docs/CONFIG.md",
    "CONTRIBUTING.md": "docs/CONTRIBUTING.md",
    "FAQ.md": "docs/FAQ.md",
    "GETTING-STARTED.md": "docs/GETTING-STARTED.md",
    "HOOKS.md": "docs/HOOKS.md",
    "LOGIN-SHELL.md": "docs/LOGIN-SHELL.md",
    "MEMORY.md": "docs/MEMORY.md",
    "MODELS.md": "docs/MODELS.md",
    "PROTOCOL.md": "docs/PROTOCOL.md",
    "PROVIDERS.md": "docs/PROVIDERS.md",
    "REFLEX.md": "docs/REFLEX.md",
    "SECURITY.md": "docs/SECURITY.md",
    "SKILLS.md": "docs/SKILLS.md",
    "TROUBLESHOOTING.md": "docs/TROUBLESHOOTING.md",
    "USAGE.md": "docs/USAGE.md",
    "config.schema.json": "docs/config.schema.json",
};

/// There is no document with this address.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("{0} does not exist; shellmate://docs lists the documents")]
pub(crate) struct NoSuchPage(String);

/// The text behind an address: a document, or the list of documents. `None` if the address is not one of the manual's.
pub(crate) fn page(address: &str) -> Option<Result<String, NoSuchPage>> {
    let address = address.trim();
    let is_ours = address.get(..ADDRESS.len()).is_some_and(|start| start.eq_ignore_ascii_case(ADDRESS));
    let rest = address.get(ADDRESS.len()..).filter(|rest| is_ours && (rest.is_empty() || rest.starts_with('/')));
    let Some(rest) = rest else {
        let is_alike = address.to_ascii_lowercase().starts_with("shellmate:");
        return is_alike.then(|| Err(NoSuchPage(address.to_owned())));
    };
    let name = rest.trim_matches('/');
    if name.is_empty() {
        return Some(Ok(index()));
    }
    let document = DOCUMENTS.iter().find(|document| document.name.eq_ignore_ascii_case(name));
    Some(document.map(|document| document.text.to_owned()).ok_or_else(|| NoSuchPage(address.to_owned())))
}

/// One line for each document: its address and its title.
fn index() -> String {
    let title = |text: &'static str| {
        text.lines().find_map(|line| line.strip_prefix("# ")).unwrap_or("the configuration as a JSON schema")
    };
    DOCUMENTS.iter().map(|ManualDocument { name, text }| format!("{ADDRESS}/{name}  {}\n", title(text))).collect()
}

/// The settings that topics name, with a value and the same value as an argument of `shellmate config set`.
#[cfg(test)]
pub(crate) fn examples() -> Vec<(&'static str, &'static str, String)> {
    let example = |topic: &'static Topic| match topic.answer {
        topics::TopicAnswer::Setting(name, value, _) => Some((name, value, topics::argument(value))),
        topics::TopicAnswer::Words(..) => None,
    };
    table::TOPICS.iter().filter_map(example).collect()
}

/// The text of a document that is there.
fn document(name: &str) -> &'static str {
    DOCUMENTS.iter().find(|document| document.name == name).map_or("", |document| document.text)
}
