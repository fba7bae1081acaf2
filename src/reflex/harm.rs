//! Withholds corrections that could destroy more than the line they correct.
//!
//! A typing error must never turn a harmless command into a destructive one: `pip nistall x` is not `pip uninstall x`, and `fdsik /dev/sda`
//! is not `fsck /dev/sda`. The check compares words: every dangerous word of the proposal must have been typed.

use super::case::name_of;
use super::line::CommandLine;
use crate::text;
use crate::text::shell::Redirection;

/// Programs that destroy data, kill processes or shut down the machine.
const PROGRAMS: &[&str] = &[
    // Processes and the machine.
    "kill",
    "killall",
    "killall5",
    "pkill",
    "skill",
    "snice",
    "xkill",
    "fuser",
    "reboot",
    "shutdown",
    "halt",
    "poweroff",
    "init",
    "telinit",
    "kexec",
    // Files.
    "rm",
    "rmdir",
    "shred",
    "unlink",
    "truncate",
    "wipe",
    "srm",
    "rmmod",
    "trash-empty",
    // Disks and file systems.
    "dd",
    "ddrescue",
    "mkfs",
    "mke2fs",
    "mkswap",
    "mkdosfs",
    "mkntfs",
    "newfs",
    "fdisk",
    "cfdisk",
    "sfdisk",
    "gdisk",
    "sgdisk",
    "cgdisk",
    "parted",
    "gparted",
    "wipefs",
    "blkdiscard",
    "badblocks",
    "hdparm",
    "fsck",
    "e2fsck",
    "xfs_repair",
    "btrfstune",
    "resize2fs",
    "tune2fs",
    "debugfs",
    "mdadm",
    "cryptsetup",
    "dmsetup",
    "zpool",
    "zfs",
    "lvremove",
    "lvreduce",
    "vgremove",
    "vgreduce",
    "pvremove",
    "swapoff",
    "umount",
    "diskutil",
    "format",
    // Accounts, databases, firewalls, boot loaders.
    "userdel",
    "groupdel",
    "deluser",
    "delgroup",
    "chpasswd",
    "dropdb",
    "dropuser",
    "grub-install",
    "efibootmgr",
    "flashrom",
    "iptables",
    "ip6tables",
    "nft",
    "chattr",
];

/// Subcommands that remove something. They are synonyms: each is the word for it in some tool.
const REMOVALS: &[&str] = &["uninstall", "remove", "rm", "rmi", "del", "delete", "erase", "drop", "unpublish"];

/// Other destructive subcommands.
const VERBS: &[&str] = &[
    "autoremove",
    "purge",
    "destroy",
    "dropdb",
    "prune",
    "flushall",
    "flushdb",
    "wipe",
    "kill",
    "terminate",
    "drain",
    "evict",
    "truncate",
    "format",
    "poweroff",
    "reboot",
    "halt",
    "shutdown",
    "obliterate",
    "nuke",
];

/// Options that disable a protection or destroy more.
const OPTIONS: &[&str] = &[
    "--force",
    "--no-preserve-root",
    "--hard",
    "--purge",
    "--allow-downgrades",
    "--force-yes",
    "--force-all",
    "--delete",
    "--delete-after",
    "--delete-before",
    "--delete-excluded",
    "--remove-source-files",
    "--break-system-packages",
    "--nodeps",
    "--volumes",
    "--rmi",
    "-delete",
];

/// From this length on, a verb with one typing error is still recognised as that verb.
const UNMISTAKABLE: usize = 6;

/// Whether a proposal could destroy more than the line it corrects.
pub(super) fn is_worse(proposal: &str, typed: &str) -> bool {
    let known = dangers(typed);
    dangers(proposal).iter().any(|danger| !known.contains(danger) && !is_typed(danger, typed))
}

/// Whether the dangerous word was typed elsewhere in the line, or a long verb was typed with a single error: `apt remvoe vim`. The name of a
/// program must be typed exactly.
fn is_typed(danger: &Danger, typed: &str) -> bool {
    let (name, slips) = match danger {
        Danger::Program(name) => (name, 0),
        Danger::Removal(verb) | Danger::Verb(verb) => (verb, usize::from(verb.len() >= UNMISTAKABLE)),
        Danger::Option(_) | Danger::RecursiveRemoval | Danger::ForcedGit | Danger::OpenToAll | Danger::Overwrite(_) => {
            return false;
        }
    };
    let line = CommandLine::new(typed);
    line.parts().iter().flat_map(|part| &part.words).any(|word| text::distance(&word.text, name) <= slips)
}

/// A destructive part of a line.
#[derive(Debug)]
enum Danger {
    Program(String),
    Removal(String),
    Verb(String),
    Option(String),
    RecursiveRemoval,
    ForcedGit,
    OpenToAll,
    /// Output that is redirected to a device or a system file.
    Overwrite(String),
}

impl PartialEq for Danger {
    /// Synonyms for a removal are the same danger.
    fn eq(&self, other: &Danger) -> bool {
        match (self, other) {
            (Danger::Program(one), Danger::Program(other))
            | (Danger::Verb(one), Danger::Verb(other))
            | (Danger::Option(one), Danger::Option(other))
            | (Danger::Overwrite(one), Danger::Overwrite(other)) => one == other,
            _ => std::mem::discriminant(self) == std::mem::discriminant(other),
        }
    }
}

fn dangers(line: &str) -> Vec<Danger> {
    let mut found = Vec::new();
    for part in CommandLine::new(line).parts() {
        let words: Vec<&str> = part.words.iter().map(|word| word.text.as_str()).collect();
        let has = |any: &[&str]| words.iter().any(|word| any.contains(word));
        let short = |letter: char| {
            words.iter().any(|word| word.starts_with('-') && !word.starts_with("--") && word.contains(letter))
        };
        let name = name_of(part);
        if let Some(program) = words.get(name).map(|word| word.rsplit('/').next().unwrap_or(word))
            && (PROGRAMS.contains(&program) || program.starts_with("mkfs.") || program.starts_with("fsck."))
        {
            found.push(Danger::Program(program.to_owned()));
        }
        for word in words.iter().skip(name + 1) {
            let option = word.split('=').next().unwrap_or(word);
            if OPTIONS.contains(&option) {
                found.push(Danger::Option(option.to_owned()));
            } else if REMOVALS.contains(word) {
                found.push(Danger::Removal((*word).to_owned()));
            } else if VERBS.contains(word) {
                found.push(Danger::Verb((*word).to_owned()));
            }
        }
        if has(&["rm"]) && (short('r') || short('R') || has(&["--recursive"])) && short('f') {
            found.push(Danger::RecursiveRemoval);
        }
        if has(&["git"]) && (has(&["push", "tag", "clean", "checkout", "branch", "add"]) && short('f') || has(&["-D"]))
        {
            found.push(Danger::ForcedGit);
        }
        if has(&["chmod"]) && has(&["777", "0777", "a+rwx", "ugo+rwx"]) {
            found.push(Danger::OpenToAll);
        }
        found.extend(part.redirections.iter().filter_map(overwritten));
    }
    found
}

/// The device or system file that a redirection would replace.
fn overwritten(redirection: &Redirection) -> Option<Danger> {
    let target = redirection.target.text.as_str();
    let is_harmless = ["/dev/null", "/dev/stdout", "/dev/stderr", "/dev/tty"].contains(&target);
    let is_protected = ["/dev/", "/etc/", "/boot/", "/sys/", "/proc/"].iter().any(|root| target.starts_with(root));
    (redirection.kind.writes() && is_protected && !is_harmless).then(|| Danger::Overwrite(target.to_owned()))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn proposals_with_new_dangerous_words_are_worse() {
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
        assert!(is_worse("/sbin/fsck /dev/sda", "fdsik /dev/sda"));
        assert!(is_worse("echo x > /dev/sda", "ehco x > /dev/sdb"));
        assert!(!is_worse("echo x > /dev/null", "ehco x"));
    }

    #[test]
    fn a_misspelt_verb_is_corrected_but_never_to_its_opposite() {
        assert!(!is_worse("apt remove vim", "apt remvoe vim"));
        assert!(!is_worse("pip uninstall x", "pip uninstal x"));
        assert!(is_worse("pip uninstall x", "pip nistall x"));
        assert!(is_worse("pip uninstall x", "pip install x"));
        assert!(is_worse("docker rm x", "docker ru x"));
        assert!(is_worse("killall firefox", "kilall firefox"));
    }
}
