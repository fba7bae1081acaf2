//! Recognises commands that start an interactive shell, from their text alone.
//!
//! In doubt the answer is no: a missing notice does less harm than a notice in the middle of a program's output.

/// The kinds of nested shells; each is explained once.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(in crate::session) enum NestedKind {
    /// Another shell of the same user.
    Shell,
    /// A shell of another user, usually root.
    OtherUser,
    /// A shell on another machine.
    Remote,
    Container,
    /// A development environment: nix-shell, poetry shell.
    Environment,
}

/// A command that starts an interactive shell.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Entered {
    pub(super) kind: NestedKind,
    /// Whether the command's own process is the shell.
    pub(super) is_plain_shell: bool,
    words: Vec<String>,
}

const SHELLS: [&str; 12] = ["bash", "zsh", "fish", "sh", "dash", "ash", "ksh", "ksh93", "mksh", "tcsh", "csh", "rbash"];

/// The length of a name in /proc/PID/comm.
const COMM: usize = 15;

/// Options of ssh(1) whose value is the next word, if it is not part of the same one.
const SSH_VALUES: &str = "BbcDEeFIiJLlmOopQRSWw";
/// Options of ssh(1) with which no shell is started.
const SSH_NO_SHELL: &str = "fNGOQTVW";
/// The same for sudo(8) and doas(1).
const SUDO_VALUES: &str = "ughpCDRTUrt";

/// Whether this is the name of a shell.
pub(super) fn is_shell(name: &str) -> bool {
    SHELLS.contains(&name.trim_start_matches('-'))
}

impl Entered {
    /// Reads a command as it was typed.
    pub(super) fn by(text: &[u8]) -> Option<Entered> {
        let text = str::from_utf8(text).ok()?.trim();
        // A pipeline, a list, a redirection or a substitution is more than one command.
        if text.contains(['|', '&', ';', '<', '>', '(', ')', '`', '\n', '#']) {
            return None;
        }
        let words: Vec<&str> = text.split_whitespace().map(|word| word.trim_matches(['"', '\''])).collect();
        let kind = kind(&words)?;
        let is_plain_shell = words.first().is_some_and(|word| is_shell(base(word)));
        Some(Entered { kind, is_plain_shell, words: words.into_iter().map(str::to_owned).collect() })
    }

    /// Whether the command names this program, by the name that the system has for it.
    pub(super) fn names(&self, program: &str) -> bool {
        self.words.iter().any(|word| {
            let name = base(word);
            name.get(..COMM).unwrap_or(name) == program
        })
    }
}

fn base(word: &str) -> &str {
    word.rsplit('/').next().unwrap_or(word)
}

fn kind(words: &[&str]) -> Option<NestedKind> {
    let (word, rest) = words.split_first()?;
    let is_last_a_shell = || rest.last().is_some_and(|word| is_shell(base(word)));
    let has = |options: &[&str]| rest.iter().any(|word| options.contains(word));
    let starts = |is_one: bool, kind: NestedKind| is_one.then_some(kind);
    match base(word) {
        "command" | "time" => kind(rest),
        "env" => kind(rest.strip_prefix(&["-i"]).unwrap_or(rest)),
        _ if is_assignment(word) => kind(rest),
        name if is_shell(name) => starts(is_interactive(rest), NestedKind::Shell),
        "sudo" | "doas" => sudo(rest),
        "su" => starts(is_su(rest), NestedKind::OtherUser),
        "ssh" => starts(is_ssh(rest), NestedKind::Remote),
        "vagrant" => starts(rest.first() == Some(&"ssh") && !has(&["-c", "--command", "--"]), NestedKind::Remote),
        "docker" | "podman" | "nerdctl" | "kubectl" | "oc" | "lxc" | "incus" | "chroot" | "nsenter" | "unshare" => {
            starts(is_last_a_shell(), NestedKind::Container)
        }
        "distrobox" | "toolbox" | "toolbx" => {
            starts(rest.first() == Some(&"enter") && !has(&["--", "-e", "--exec"]), NestedKind::Container)
        }
        "machinectl" => starts(matches!(rest, ["shell"] | ["shell", _]), NestedKind::Container),
        "nix-shell" => starts(!has(&["--run", "--command", "--help", "--version"]), NestedKind::Environment),
        "nix" => {
            let is_one = matches!(rest.first(), Some(&("develop" | "shell")));
            starts(is_one && !has(&["-c", "--command", "--help"]), NestedKind::Environment)
        }
        "guix" => starts(rest.first() == Some(&"shell") && !has(&["--", "--help"]), NestedKind::Environment),
        "poetry" | "pipenv" | "hatch" => starts(rest == ["shell"], NestedKind::Environment),
        _ => None,
    }
}

fn is_assignment(word: &str) -> bool {
    let is_letter = |c: char| c.is_ascii_alphanumeric() || c == '_';
    word.split_once('=').is_some_and(|(name, _)| !name.is_empty() && name.chars().all(is_letter))
}

/// Whether a shell with these arguments is interactive: only options, and none that runs a command or prints something and exits.
fn is_interactive(arguments: &[&str]) -> bool {
    let mut words = arguments.iter();
    while let Some(word) = words.next() {
        match *word {
            "--rcfile" | "--init-file" | "--init-command" | "-C" | "-o" | "-O" | "+o" | "+O" => drop(words.next()),
            "--command" | "--help" | "--version" => return false,
            long if long.starts_with("--") => {}
            short if short.starts_with(['-', '+']) && !short.contains(['c', 'n']) => {}
            _ => return false,
        }
    }
    true
}

/// The arguments after the options, and the letters of all short options.
fn operands<'a>(arguments: &'a [&'a str], with_value: &str) -> (&'a [&'a str], String) {
    let (mut rest, mut letters) = (arguments, String::new());
    while let Some((word, after)) = rest.split_first() {
        let Some(option) = word.strip_prefix('-').filter(|option| !option.is_empty() && *option != "-") else { break };
        rest = after;
        if let Some(long) = option.strip_prefix('-') {
            letters.push(match long {
                "shell" => 's',
                "login" => 'i',
                _ => '?',
            });
            continue;
        }
        let value = option.find(|letter| with_value.contains(letter));
        letters.push_str(&option[..value.map_or(option.len(), |at| at + 1)]);
        if value.is_some_and(|at| at + 1 == option.len()) {
            rest = after.get(1..).unwrap_or_default();
        }
    }
    (rest, letters)
}

fn sudo(arguments: &[&str]) -> Option<NestedKind> {
    let (rest, letters) = operands(arguments, SUDO_VALUES);
    match rest {
        [] => letters.contains(['s', 'i']).then_some(NestedKind::OtherUser),
        // This could be the value of a long option.
        _ if letters.contains('?') => None,
        rest => match kind(rest)? {
            NestedKind::Shell => Some(NestedKind::OtherUser),
            other => Some(other),
        },
    }
}

fn is_su(arguments: &[&str]) -> bool {
    let operands = arguments.iter().filter(|word| !word.starts_with('-')).count();
    let known = |word: &&str| !word.starts_with('-') || matches!(*word, "-" | "-l" | "--login" | "-m" | "-p");
    operands <= 1 && arguments.iter().all(known)
}

fn is_ssh(arguments: &[&str]) -> bool {
    let (rest, letters) = operands(arguments, SSH_VALUES);
    // Options may follow the host.
    let Some((_, after)) = rest.split_first() else { return false };
    let (command, more) = operands(after, SSH_VALUES);
    command.is_empty() && ![letters, more].iter().any(|letters| letters.contains(|c| SSH_NO_SHELL.contains(c)))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn kind_of(text: &str) -> Option<NestedKind> {
        Entered::by(text.as_bytes()).map(|entered| entered.kind)
    }

    #[test]
    fn interactive_shells_are_known() {
        use NestedKind::*;
        for (text, expected) in [
            ("bash", Shell),
            ("bash --norc -i", Shell),
            ("/bin/zsh -f", Shell),
            ("LANG=C fish", Shell),
            ("env -i bash", Shell),
            ("command sh", Shell),
            ("sudo -s", OtherUser),
            ("sudo -i -u postgres", OtherUser),
            ("sudo --login", OtherUser),
            ("sudo bash", OtherUser),
            ("sudo -u postgres -H bash -l", OtherUser),
            ("sudo su -", OtherUser),
            ("su", OtherUser),
            ("su - root", OtherUser),
            ("doas -s", OtherUser),
            ("ssh host", Remote),
            ("ssh -p 22 -i key user@host", Remote),
            ("ssh -p22 user@host -t", Remote),
            ("ssh -oUser=x -J jump host", Remote),
            ("vagrant ssh", Remote),
            ("docker exec -it web bash", Container),
            ("docker exec -it \"$id\" /bin/sh", Container),
            ("docker compose exec web bash", Container),
            ("kubectl exec -it pod -- sh", Container),
            ("sudo chroot /mnt /bin/bash", Container),
            ("toolbox enter", Container),
            ("nix-shell -p hello", Environment),
            ("nix develop", Environment),
            ("poetry shell", Environment),
        ] {
            assert_eq!(kind_of(text), Some(expected), "{text}");
        }
    }

    #[test]
    fn other_commands_are_never_taken_for_an_interactive_shell() {
        for text in [
            "",
            "ls",
            "bash script.sh",
            "bash -c ls",
            "bash -xc ls",
            "bash --version",
            "bash < script",
            "bash | tee log",
            "echo x | bash",
            "bash; ls",
            "bash &",
            "bash -n x",
            "sudo ls",
            "sudo -u root",
            "sudo --user root -s ls",
            "sudo -s ls",
            "sudo bash -c id",
            "sudo vim /etc/hosts",
            "su -c id",
            "su root -c id",
            "su root script",
            "ssh host ls",
            "ssh -t host htop",
            "ssh host 'ls -l'",
            "ssh -N -L 1:h:2 host",
            "ssh -NL 1:h:2 host",
            "ssh -V",
            "ssh",
            "ssh host < script",
            "ssh-keygen",
            "docker exec web ls",
            "docker exec web bash -c ls",
            "docker run -it image",
            "docker ps",
            "kubectl logs pod",
            "nix-shell --run make",
            "nix-shell -p x --command ls",
            "nix build",
            "poetry run x",
            "fish_config",
            "vim",
            "man bash",
            "which bash",
            "exec zsh",
            "tmux",
        ] {
            assert_eq!(kind_of(text), None, "{text}");
        }
        assert_eq!(Entered::by(b"bash \xff"), None);
    }

    #[test]
    fn programs_are_recognised_by_the_name_that_the_system_has_for_them() {
        let entered = Entered::by(b"sudo /usr/bin/distrobox-enter-long enter; x");
        assert_eq!(entered, None);
        let entered = Entered::by(b"/usr/bin/ssh host").unwrap();
        assert!(entered.names("ssh") && entered.names("host") && !entered.names("vim"));
    }

    proptest::proptest! {
        /// Parsing ends for every text.
        #[test]
        fn any_text_is_read(text in "[ -~]{0,40}") {
            let _ = Entered::by(text.as_bytes());
        }
    }
}
