//! What is never proposed unasked.

use super::line::Line;

/// Whether a proposal could destroy more than the line it corrects.
pub(super) fn is_worse(proposal: &str, typed: &str) -> bool {
    dangers(proposal).iter().any(|danger| !dangers(typed).contains(danger))
}

/// The destructive things in a line, each by a name of its own.
fn dangers(text: &str) -> Vec<String> {
    let mut found = Vec::new();
    for part in Line::new(text).parts() {
        let words: Vec<&str> = part.words.iter().map(|word| word.text.as_str()).collect();
        let has = |any: &[&str]| words.iter().any(|word| any.contains(word));
        let short = |letter: char| {
            words.iter().any(|word| word.starts_with('-') && !word.starts_with("--") && word.contains(letter))
        };
        if has(&[
            "--force",
            "--no-preserve-root",
            "--hard",
            "--purge",
            "--allow-downgrades",
            "--force-yes",
            "--break-system-packages",
        ]) {
            found.push("a force option".into());
        }
        if has(&["rm"]) && (short('r') || short('R') || has(&["--recursive"])) && short('f') {
            found.push("rm -rf".into());
        }
        if has(&["rm", "rmdir", "shred", "unlink"]) {
            found.push("removal".into());
        }
        if has(&["git"]) && (has(&["push", "tag", "clean", "checkout", "branch", "add"]) && short('f') || has(&["-D"]))
        {
            found.push("a forced git".into());
        }
        if has(&["chmod"]) && has(&["777", "0777", "a+rwx", "ugo+rwx"]) {
            found.push("chmod 777".into());
        }
        let by_name = ["dd", "mkfs", "fdisk", "wipefs", "kill", "pkill", "killall"];
        found.extend(
            words
                .iter()
                .filter(|word| by_name.contains(word) || word.starts_with("mkfs."))
                .map(|word| (*word).to_owned()),
        );
    }
    found
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn nothing_more_destructive_than_what_was_typed() {
        assert!(is_worse("git push --force", "git push"));
        assert!(is_worse("git push -f", "git push"));
        assert!(!is_worse("git push --force origin x", "git psuh --force origin x"));
        assert!(!is_worse("git push --force-with-lease", "git push"));
        assert!(is_worse("rm -rf x", "rm x"));
        assert!(!is_worse("rm -r x", "rm x"));
        assert!(is_worse("chmod 777 x && ./x", "./x"));
        assert!(!is_worse("chmod +x x && ./x", "./x"));
        assert!(!is_worse("sudo kill 1", "kill 1"));
        assert!(is_worse("kill 1 && make", "make"));
        assert!(is_worse("rm .git/index.lock && git commit", "git commit"));
    }
}
