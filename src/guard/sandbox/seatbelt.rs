//! The sandbox of macOS, through `sandbox-exec`. Written from its manual pages; nobody has run it yet, so
//! no command is confined by it and only its tests compile it.

use std::collections::BTreeSet;
use std::path::{Path, PathBuf};

use super::plan::guarded_parents;
use super::temporary::TempParts;
use super::{Network, SandboxProfile};

/// Services that hold secrets, the clipboard, or start programs outside the sandbox.
const SERVICES: &[&str] = &[
    "com.apple.SecurityServer",
    "com.apple.securityd",
    "com.apple.securityd.xpc",
    "com.apple.pboard",
    "com.apple.coreservices.launchservicesd",
    "com.apple.coreservices.appleevents",
];

/// A Seatbelt profile: everything can be read except hidden paths, and only the writable paths can be written. A later rule wins.
pub(super) fn text(profile: &SandboxProfile, temp: &TempParts) -> String {
    let devices = ["/dev/null", "/dev/zero", "/dev/tty", "/dev/fd", "/dev/dtracehelper"].map(PathBuf::from);
    let writable = profile.writable.iter().chain([&temp.tmp]).chain(&devices);
    let mut lines = vec![
        "(version 1)".to_owned(),
        "(allow default)".to_owned(),
        "(deny file-write*)".to_owned(),
        rule("allow file-write*", writable),
        rule("deny file-write*", &profile.delicate),
        // Else another directory could take the place of the one around a delicate path.
        parents("deny file-write-unlink", profile),
        rule("deny file-read* file-write*", &profile.hidden),
        // Reading a socket and connecting to it are different rights.
        rule("deny network-outbound", &profile.hidden),
        "(deny process-info* (target others))".to_owned(),
        "(deny signal (target others))".to_owned(),
        "(allow signal (target children))".to_owned(),
        names("deny mach-lookup", SERVICES),
        // Programs outside the sandbox would do what they are told.
        "(deny appleevent-send)".to_owned(),
        "(deny job-creation)".to_owned(),
    ];
    match profile.network {
        Network::On => {}
        Network::Off => lines.push("(deny network*)".to_owned()),
    }
    lines.retain(|line| !line.is_empty());
    lines.join("\n")
}

/// A rule for these paths and everything below them. Empty without paths, because a rule without paths matches everything.
fn rule<'a>(action: &str, paths: impl IntoIterator<Item = &'a PathBuf>) -> String {
    let paths: Vec<String> = paths.into_iter().map(|path| format!("(subpath {})", quoted(path))).collect();
    if paths.is_empty() { String::new() } else { format!("({action} {})", paths.join(" ")) }
}

/// A rule for the directories between a writable one and the delicate paths in it.
fn parents(action: &str, profile: &SandboxProfile) -> String {
    let parents = profile.delicate.iter().flat_map(|path| guarded_parents(path, &profile.writable));
    let parents: BTreeSet<String> = parents.map(|path| format!("(literal {})", quoted(&path))).collect();
    let parents: Vec<String> = parents.into_iter().collect();
    if parents.is_empty() { String::new() } else { format!("({action} {})", parents.join(" ")) }
}

fn names(action: &str, names: &[&str]) -> String {
    let names: Vec<String> = names.iter().map(|name| format!("(global-name \"{name}\")")).collect();
    format!("({action} {})", names.join(" "))
}

fn quoted(path: &Path) -> String {
    let text = path.to_string_lossy();
    format!("\"{}\"", text.replace('\\', "\\\\").replace('"', "\\\""))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn hidden_paths_come_after_writable_ones_and_quotes_are_escaped() {
        let profile = SandboxProfile {
            cwd: "/a".into(),
            project: Some("/a\"b".into()),
            network: Network::Off,
            writable: vec!["/a\"b".into()],
            delicate: vec!["/a\"b/.git/hooks".into()],
            hidden: vec!["/home/me/.ssh".into()],
            shown: Vec::new(),
        };
        let parts = ["/t/tmp", "/t/run", "/t/hidden", "/t/hidden-file"].map(PathBuf::from);
        let [tmp, run, no_directory, no_file] = parts;
        let text = text(&profile, &TempParts { tmp, run, no_directory, no_file });
        let at = |words: &str| text.find(words).unwrap();
        assert!(at("(allow file-write* (subpath \"/a\\\"b\")") < at("(subpath \"/home/me/.ssh\")"));
        assert!(text.ends_with("(deny network*)") && !text.contains("(deny file-write* )"));
        assert!(at("(deny file-write* (subpath \"/a\\\"b/.git/hooks\"))") > at("(allow file-write*"));
        assert!(text.contains("(deny file-write-unlink (literal \"/a\\\"b/.git\"))"), "{text}");
        assert!(text.contains("(deny network-outbound (subpath \"/home/me/.ssh\"))"), "{text}");
        let depth = text.chars().fold(0, |depth, c| depth + i32::from(c == '(') - i32::from(c == ')'));
        assert_eq!(depth, 0, "{text}");
    }
}
