//! The best-known packages of a few registries.
//!
//! Only these packages are proposed. An attacker may have registered a name that looks like a common misspelling, so proposing
//! any other name could run a stranger's code.

use crate::reflex::typo;

/// A registry's best-known packages.
pub(super) struct Registry(&'static str);

pub(super) const PYTHON: Registry = Registry(include_str!("python.txt"));
pub(super) const NODE: Registry = Registry(include_str!("node.txt"));
pub(super) const RUST: Registry = Registry(include_str!("rust.txt"));
pub(super) const RUBY: Registry = Registry(include_str!("ruby.txt"));

impl Registry {
    /// Whether a package is well known. Registries treat `_` like `-` and ignore case.
    pub(super) fn has(&self, name: &str) -> bool {
        let name = folded(name);
        self.names().any(|known| folded(known) == name)
    }

    /// The known package whose name is similar to a misspelt one.
    pub(super) fn near(&self, name: &str) -> Option<&'static str> {
        typo::nearest(&folded(name), self.names())
    }

    /// The sentence about a package that is not well known. It follows the cause.
    pub(super) fn doubt(&self, name: &str) -> String {
        match self.near(name) {
            Some(near) => format!("{name} is not a well-known package, but {near} is: the name may be misspelt."),
            None => format!("{name} is not a well-known package: look it up before you install it."),
        }
    }

    fn names(&self) -> impl Iterator<Item = &'static str> {
        self.0.split_whitespace()
    }
}

fn folded(name: &str) -> String {
    name.to_lowercase().replace('_', "-")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_misspelt_package_is_doubted() {
        assert!(
            PYTHON.has("requests") && PYTHON.has("Flask_Login") && NODE.has("@types/node") && RUST.has("serde_json")
        );
        assert!(!PYTHON.has("reqests"));
        assert_eq!(PYTHON.near("reqests"), Some("requests"));
        assert!(NODE.doubt("expres").contains("express"));
        assert!(RUBY.doubt("zzzzzzzz").contains("look it up"));
    }
}
