//! The rules, a file for each family.

mod build;
mod c;
mod containers;
mod coreutils;
mod git;
mod go;
mod java;
mod known;
mod make;
mod manager;
mod node;
mod own_words;
mod packages;
mod paths;
mod permission;
mod php;
mod ports;
mod python;
mod quoting;
mod remote;
mod ruby;
mod rust;
mod services;
mod shells;
mod swap;
mod texts;
mod unknown;

use super::case::Case;
use super::finding::Finding;
use super::world::World;

/// Something known about failures of one kind.
pub(super) struct Rule {
    /// For tests and the log.
    pub(super) name: &'static str,
    /// The commands it is about; empty if any.
    pub(super) tools: &'static [&'static str],
    /// Text of which one piece must be in the output, as it is; empty if the command alone tells. Looked for before any pattern
    /// is compiled, which is what keeps an answer quick.
    pub(super) signs: &'static [&'static str],
    pub(super) apply: fn(&Case<'_>, &dyn World) -> Option<Finding>,
}

impl Rule {
    pub(super) fn concerns(&self, case: &Case<'_>) -> bool {
        (self.tools.is_empty() || self.tools.contains(&case.tool()))
            && (self.signs.is_empty() || self.signs.iter().any(|sign| case.output.shows(sign)))
    }
}

/// Every rule. Of two that believe themselves equally, the earlier family wins.
pub(super) fn all() -> impl Iterator<Item = &'static Rule> {
    [
        build::RULES,
        c::RULES,
        containers::RULES,
        coreutils::archives::RULES,
        coreutils::files::RULES,
        coreutils::options::RULES,
        coreutils::search::RULES,
        coreutils::system::RULES,
        git::branches::RULES,
        git::changes::RULES,
        git::commands::RULES,
        git::remotes::RULES,
        go::RULES,
        java::RULES,
        make::RULES,
        node::MODULES,
        node::REGISTRY,
        node::RULES,
        node::YARN,
        packages::RULES,
        paths::RULES,
        permission::RULES,
        php::RULES,
        ports::RULES,
        python::PIP,
        python::PYTEST,
        python::RULES,
        quoting::RULES,
        remote::RULES,
        ruby::RULES,
        rust::CRATES,
        rust::RULES,
        rust::RUSTUP,
        services::RULES,
        shells::RULES,
        texts::RULES,
        unknown::RULES,
        // What any tool says comes behind what is known of this one.
        own_words::RULES,
    ]
    .into_iter()
    .flatten()
}

/// All that rules look for in an output before they look closer.
pub(super) fn signs() -> impl Iterator<Item = &'static str> {
    all().flat_map(|rule| rule.signs.iter().copied()).chain(texts::signs())
}

/// Compiles a pattern whose `\w`, `\d`, `\s` and `\b` are those of ASCII: tools name things so, and the tables of Unicode would take most
/// of the time of an answer to compile.
pub(super) fn compiled(text: &str) -> Result<regex::Regex, regex::Error> {
    let plain = text.replace(r"\w", "[0-9A-Za-z_]").replace(r"\d", "[0-9]").replace(r"\b", r"(?-u:\b)");
    let plain = plain.replace(r"\s", r"[\t-\r\x20]").replace(r"\S", r"[^\t-\r\x20]");
    regex::Regex::new(&plain)
}

/// A pattern that is compiled when it is first needed.
macro_rules! pattern {
    ($text:literal) => {{
        static PATTERN: std::sync::LazyLock<regex::Regex> = std::sync::LazyLock::new(|| {
            $crate::reflex::rules::compiled($text).unwrap_or_else(|_| unreachable!("tested: {}", $text))
        });
        &*PATTERN
    }};
}
pub(super) use pattern;
