//! The rules, one file per family.

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

/// A rule for one kind of failure.
pub(super) struct Rule {
    /// The name, for tests and the log.
    pub(super) name: &'static str,
    /// The commands that it applies to. Empty for all commands.
    pub(super) tools: &'static [&'static str],
    /// Texts of which one must be in the output. Empty if the command alone decides. They are searched before any pattern is compiled, which
    /// keeps a diagnosis fast.
    pub(super) signs: &'static [&'static str],
    pub(super) apply: fn(&Case<'_>, &dyn World) -> Option<Finding>,
}

impl Rule {
    pub(super) fn concerns(&self, case: &Case<'_>) -> bool {
        (self.tools.is_empty() || self.tools.contains(&case.tool()))
            && (self.signs.is_empty() || self.signs.iter().any(|sign| case.output.shows(sign)))
    }
}

/// Every rule. Of two findings with the same confidence, the one of the earlier family comes first.
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
        // The general rules come after those for particular tools.
        own_words::RULES,
    ]
    .into_iter()
    .flatten()
}

/// The signs of all rules.
pub(super) fn signs() -> impl Iterator<Item = &'static str> {
    all().flat_map(|rule| rule.signs.iter().copied()).chain(texts::signs())
}

/// Compiles a pattern in which `\w`, `\d`, `\s` and `\b` match ASCII only. Names in the output of tools are ASCII, and compiling the Unicode
/// tables would take most of the time of a diagnosis.
pub(super) fn compiled(text: &str) -> Result<regex::Regex, regex::Error> {
    let plain = text.replace(r"\w", "[0-9A-Za-z_]").replace(r"\d", "[0-9]").replace(r"\b", r"(?-u:\b)");
    let plain = plain.replace(r"\s", r"[\t-\r\x20]").replace(r"\S", r"[^\t-\r\x20]");
    regex::Regex::new(&plain)
}

/// A pattern that is compiled on first use.
macro_rules! pattern {
    ($text:literal) => {{
        static PATTERN: std::sync::LazyLock<regex::Regex> = std::sync::LazyLock::new(|| {
            $crate::reflex::rules::compiled($text).unwrap_or_else(|_| unreachable!("tested: {}", $text))
        });
        &*PATTERN
    }};
}
pub(super) use pattern;
