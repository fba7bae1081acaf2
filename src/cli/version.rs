//! `shellmate --version`, with `--verbose` for reports of problems: how this program was built. Nothing about the machine or its user.

use std::io::Write;
use std::process::ExitCode;

use anyhow::Result;

use crate::store;

/// Prints the version, and with `verbose` a line for each fact about the build.
pub(super) fn print(verbose: bool, out: &mut impl Write) -> Result<ExitCode> {
    writeln!(out, "shellmate {}", env!("CARGO_PKG_VERSION"))?;
    if verbose {
        for (name, value) in facts() {
            writeln!(out, "{name}: {value}")?;
        }
    }
    out.flush()?;
    Ok(ExitCode::SUCCESS)
}

fn facts() -> [(&'static str, String); 7] {
    let known =
        |value: Option<&str>, otherwise: &str| value.filter(|value| !value.is_empty()).unwrap_or(otherwise).to_owned();
    let linked = if cfg!(target_feature = "crt-static") { "statically" } else { "dynamically" };
    [
        ("commit", known(option_env!("SHELLMATE_BUILD_COMMIT"), "unknown")),
        ("target", known(option_env!("SHELLMATE_BUILD_TARGET"), "unknown")),
        ("linked", linked.to_owned()),
        ("profile", known(option_env!("SHELLMATE_BUILD_PROFILE"), "unknown")),
        ("features", known(option_env!("SHELLMATE_BUILD_FEATURES"), "none")),
        ("rustc", known(option_env!("SHELLMATE_BUILD_RUSTC"), "unknown")),
        ("sqlite", store::sqlite_version().to_owned()),
    ]
}

#[cfg(test)]
mod tests {
    use super::*;

    fn printed(verbose: bool) -> String {
        let mut out = Vec::new();
        print(verbose, &mut out).unwrap();
        String::from_utf8(out).unwrap()
    }

    #[test]
    fn the_version_is_one_line_and_how_it_was_built_follows_on_request() {
        let version = concat!("shellmate ", env!("CARGO_PKG_VERSION"), "\n");
        assert_eq!(printed(false), version);
        let text = printed(true);
        let facts: Vec<(&str, &str)> =
            text.strip_prefix(version).unwrap().lines().map(|line| line.split_once(": ").unwrap()).collect();
        let names: Vec<&str> = facts.iter().map(|(name, _)| *name).collect();
        assert_eq!(names, ["commit", "target", "linked", "profile", "features", "rustc", "sqlite"]);
        assert!(facts.iter().all(|(_, value)| !value.is_empty() && !value.contains('/')), "{text}");
        assert!(facts[5].1.starts_with("1.") && facts[6].1.starts_with("3."), "{text}");
    }
}
