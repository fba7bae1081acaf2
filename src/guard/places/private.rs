//! The best-known places of keys, passwords, tokens, wallets, mail and histories.
//!
//! The tables are the only ones: what they list is denied to the tools of the agent and hidden from its commands. The few differences have
//! tables of their own, with a reason.

use std::path::Path;

/// What a path holds.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum PrivateFile {
    No,
    /// A secret wherever it lies.
    Always(&'static str),
    /// A secret unless it belongs to the project, where it is the person's to show.
    OutsideProject(&'static str),
}

const KEYS: &str = "private keys";
const CLOUD: &str = "credentials of a cloud or a service";
const TOKENS: &str = "tokens of a tool";
const AGENT: &str = "credentials of an AI tool";
const PASSWORDS: &str = "passwords";
const BROWSER: &str = "a browser profile";
const WALLET: &str = "a wallet";
const MAIL: &str = "mail or messages";
const HISTORY: &str = "a history of what was typed";
const DISPLAY: &str = "the key of a display";
const SYSTEM: &str = "secrets of the system";

/// Paths below a home directory. A directory stands for everything in it. Denied and hidden.
const IN_HOME: &[(&str, &str)] = &[
    (".ssh", KEYS),
    (".gnupg", KEYS),
    (".pki", KEYS),
    (".age", KEYS),
    (".config/age", KEYS),
    (".config/sops", KEYS),
    (".putty", KEYS),
    (".step/secrets", KEYS),
    (".minisign", KEYS),
    (".aws", CLOUD),
    (".azure", CLOUD),
    (".kube", CLOUD),
    (".docker/config.json", CLOUD),
    (".docker/contexts", CLOUD),
    (".config/containers/auth.json", CLOUD),
    (".config/gcloud", CLOUD),
    (".boto", CLOUD),
    (".s3cfg", CLOUD),
    (".oci", CLOUD),
    (".bluemix", CLOUD),
    (".aliyun", CLOUD),
    (".config/doctl", CLOUD),
    (".config/hcloud", CLOUD),
    (".config/scw", CLOUD),
    (".config/linode-cli", CLOUD),
    (".config/flyctl", CLOUD),
    (".fly", CLOUD),
    (".config/heroku", CLOUD),
    (".config/netlify", CLOUD),
    (".config/vercel", CLOUD),
    (".local/share/com.vercel.cli", CLOUD),
    (".wrangler", CLOUD),
    (".config/.wrangler", CLOUD),
    (".config/rclone", CLOUD),
    (".config/ngrok", CLOUD),
    (".ngrok2", CLOUD),
    (".cloudflared", CLOUD),
    (".terraform.d/credentials.tfrc.json", CLOUD),
    (".terraformrc", CLOUD),
    (".pulumi/credentials.json", CLOUD),
    (".vault-token", CLOUD),
    (".config/op", PASSWORDS),
    (".config/Bitwarden", PASSWORDS),
    (".config/Bitwarden CLI", PASSWORDS),
    (".config/keepassxc", PASSWORDS),
    (".config/KeePass", PASSWORDS),
    (".config/1Password", PASSWORDS),
    (".1password", PASSWORDS),
    (".password-store", PASSWORDS),
    (".local/share/gopass", PASSWORDS),
    (".local/share/keyrings", PASSWORDS),
    (".local/share/kwalletd", PASSWORDS),
    (".lpass", PASSWORDS),
    ("Library/Keychains", PASSWORDS),
    (".config/gh", TOKENS),
    (".config/hub", TOKENS),
    (".config/glab-cli", TOKENS),
    (".config/tea", TOKENS),
    (".git-credentials", TOKENS),
    (".config/git/credentials", TOKENS),
    (".cargo/credentials", TOKENS),
    (".cargo/credentials.toml", TOKENS),
    (".gem/credentials", TOKENS),
    (".bundle/config", TOKENS),
    (".composer/auth.json", TOKENS),
    (".config/composer/auth.json", TOKENS),
    (".m2/settings.xml", TOKENS),
    (".m2/settings-security.xml", TOKENS),
    (".gradle/gradle.properties", TOKENS),
    (".nuget/NuGet.Config", TOKENS),
    (".nuget/NuGet/NuGet.Config", TOKENS),
    (".yarnrc", TOKENS),
    (".config/pypoetry/auth.toml", TOKENS),
    (".hex/hex.config", TOKENS),
    (".config/gist", TOKENS),
    (".jira.d", TOKENS),
    (".config/configstore", TOKENS),
    (".snowflake", TOKENS),
    (".snowsql", TOKENS),
    (".databrickscfg", TOKENS),
    (".kaggle", TOKENS),
    (".cache/huggingface/token", AGENT),
    (".huggingface", AGENT),
    (".claude/.credentials.json", AGENT),
    (".claude.json", AGENT),
    (".codex/auth.json", AGENT),
    (".gemini/oauth_creds.json", AGENT),
    (".config/github-copilot", AGENT),
    (".local/share/opencode/auth.json", AGENT),
    (".config/io.datasette.llm/keys.json", AGENT),
    (".aider.conf.yml", AGENT),
    (".continue/config.json", AGENT),
    (".mozilla", BROWSER),
    (".config/google-chrome", BROWSER),
    (".config/chromium", BROWSER),
    (".config/BraveSoftware", BROWSER),
    (".config/microsoft-edge", BROWSER),
    (".config/vivaldi", BROWSER),
    (".config/opera", BROWSER),
    ("snap/firefox/common/.mozilla", BROWSER),
    (".var/app/org.mozilla.firefox", BROWSER),
    (".local/share/epiphany", BROWSER),
    ("Library/Application Support/Google/Chrome", BROWSER),
    ("Library/Application Support/Firefox", BROWSER),
    ("Library/Safari", BROWSER),
    ("Library/Cookies", BROWSER),
    (".bitcoin", WALLET),
    (".ethereum", WALLET),
    (".electrum", WALLET),
    (".monero", WALLET),
    (".config/solana", WALLET),
    (".config/Exodus", WALLET),
    (".config/Ledger Live", WALLET),
    (".thunderbird", MAIL),
    (".mutt", MAIL),
    (".muttrc", MAIL),
    (".mbsyncrc", MAIL),
    (".msmtprc", MAIL),
    (".fetchmailrc", MAIL),
    (".local/share/evolution", MAIL),
    (".local/share/TelegramDesktop", MAIL),
    (".config/Signal", MAIL),
    (".config/Slack", MAIL),
    (".config/discord", MAIL),
    ("Maildir", MAIL),
    ("Library/Mail", MAIL),
    ("Library/Messages", MAIL),
    (".bash_history", HISTORY),
    (".zsh_history", HISTORY),
    (".zhistory", HISTORY),
    (".histfile", HISTORY),
    (".local/share/fish/fish_history", HISTORY),
    (".local/share/atuin", HISTORY),
    (".python_history", HISTORY),
    (".node_repl_history", HISTORY),
    (".irb_history", HISTORY),
    (".psql_history", HISTORY),
    (".mysql_history", HISTORY),
    (".sqlite_history", HISTORY),
    (".rediscli_history", HISTORY),
    (".lesshst", HISTORY),
    (".viminfo", HISTORY),
    (".wget-hsts", HISTORY),
    (".Xauthority", DISPLAY),
    (".ICEauthority", DISPLAY),
];

/// Paths of `IN_HOME` that commands can read: their programs fail if the file is empty.
const NEEDED_BY_COMMANDS: &[&str] = &[".m2/settings.xml"];

/// Paths below a home directory that are hidden from commands, although tools may read some of their files: the agent reads skills and
/// settings of other agents as text, and a command has no business with the sockets of virtual machines.
const HIDDEN_IN_HOME: &[&str] = &[
    ".claude",
    ".codex",
    ".gemini",
    ".config/shellmate",
    ".local/state/shellmate",
    ".docker",
    ".colima",
    ".orbstack/run",
    ".lima",
    ".minikube",
];

/// File names that are secrets in every directory.
const ANYWHERE: &[(&str, &str)] = &[
    ("id_rsa", KEYS),
    ("id_dsa", KEYS),
    ("id_ecdsa", KEYS),
    ("id_ed25519", KEYS),
    ("id_ecdsa_sk", KEYS),
    ("id_ed25519_sk", KEYS),
    ("authorized_keys", KEYS),
    ("wallet.dat", WALLET),
];

/// File names that are secrets outside the project.
const OUTSIDE_PROJECT: &[(&str, &str)] = &[
    (".netrc", PASSWORDS),
    ("_netrc", PASSWORDS),
    (".authinfo", PASSWORDS),
    (".authinfo.gpg", PASSWORDS),
    (".pgpass", PASSWORDS),
    (".my.cnf", PASSWORDS),
    (".mylogin.cnf", PASSWORDS),
    (".htpasswd", PASSWORDS),
    (".npmrc", TOKENS),
    (".yarnrc.yml", TOKENS),
    (".pypirc", TOKENS),
    (".env", TOKENS),
];

/// Paths of the system. Denied and hidden.
const OF_SYSTEM: &[&str] = &[
    "/etc/shadow",
    "/etc/shadow-",
    "/etc/gshadow",
    "/etc/gshadow-",
    "/etc/master.passwd",
    "/etc/sudoers",
    "/etc/sudoers.d",
    "/etc/ssl/private",
    "/etc/krb5.keytab",
    "/etc/wireguard",
    "/etc/NetworkManager/system-connections",
    "/var/lib/sss/secrets",
];

/// Paths of the system that are hidden from commands only: sockets and data of container engines, and interfaces of the kernel.
const HIDDEN_OF_SYSTEM: &[&str] = &[
    "/nix/var/nix/daemon-socket",
    "/var/lib/docker",
    "/var/lib/containerd",
    "/var/snap/docker/common/run",
    "/sys/kernel/debug",
    "/sys/kernel/tracing",
    "/sys/kernel/security",
];

/// Files and directories of a home directory whose contents are run at the start of a shell, a session or a timer.
const START_IN_HOME: &[&str] = &[
    ".bashrc",
    ".bash_profile",
    ".bash_login",
    ".bash_logout",
    ".bash_aliases",
    ".profile",
    ".zshrc",
    ".zshenv",
    ".zprofile",
    ".zlogin",
    ".zlogout",
    ".kshrc",
    ".cshrc",
    ".tcshrc",
    ".login",
    ".inputrc",
    ".config/fish",
    ".config/zsh",
    ".config/bash",
    ".config/nushell",
    ".oh-my-zsh",
    ".xinitrc",
    ".xprofile",
    ".xsession",
    ".xsessionrc",
    ".config/autostart",
    ".config/systemd",
    ".local/share/systemd",
    ".config/environment.d",
    ".config/plasma-workspace/env",
    ".pam_environment",
    ".config/direnv/direnvrc",
    ".direnvrc",
    ".local/share/applications",
    ".local/share/dbus-1",
    "Library/LaunchAgents",
];

/// The same of the system.
const START_OF_SYSTEM: &[&str] = &[
    "/etc/profile",
    "/etc/profile.d",
    "/etc/bash.bashrc",
    "/etc/bashrc",
    "/etc/zsh",
    "/etc/zshrc",
    "/etc/zshenv",
    "/etc/fish",
    "/etc/environment",
    "/etc/crontab",
    "/etc/anacrontab",
    "/etc/cron.d",
    "/etc/cron.hourly",
    "/etc/cron.daily",
    "/etc/cron.weekly",
    "/etc/cron.monthly",
    "/etc/rc.local",
    "/etc/init.d",
    "/etc/systemd",
    "/etc/xdg/autostart",
    "/etc/ld.so.preload",
    "/etc/ld.so.conf",
    "/etc/ld.so.conf.d",
    "/etc/udev/rules.d",
    "/usr/lib/systemd",
    "/lib/systemd",
    "/var/spool/cron",
    "/var/spool/at",
    "/Library/LaunchAgents",
    "/Library/LaunchDaemons",
];

/// Hidden places of a home directory that hold nothing private: sources and caches of packages, and settings without secrets.
const HARMLESS: &[&str] = &[
    ".gitconfig",
    ".gitignore",
    ".gitignore_global",
    ".config/git/config",
    ".config/git/ignore",
    ".editorconfig",
    ".vimrc",
    ".config/nvim",
    ".tmux.conf",
    ".config/tmux",
    ".inputrc",
    ".bashrc",
    ".bash_profile",
    ".bash_aliases",
    ".profile",
    ".zshrc",
    ".zprofile",
    ".config/fish/config.fish",
    ".config/fish/functions",
    ".config/starship.toml",
    ".cargo/registry",
    ".cargo/git",
    ".cargo/config.toml",
    ".rustup",
    ".npm/_logs",
    ".nvm",
    ".pyenv",
    ".rbenv",
    ".local/lib",
    ".local/bin",
    ".local/share/man",
    ".m2/repository",
    ".gradle/caches",
    ".cache/go-build",
    ".cache/pip",
    ".agents/skills",
    ".claude/skills",
];

/// What a path holds, by its place below a home directory or in the system, or by its name.
pub(super) fn holds(path: &Path, home: Option<&Path>) -> PrivateFile {
    let of_system = OF_SYSTEM.iter().any(|place| path.starts_with(place)) || shows_a_process(path);
    if of_system {
        return PrivateFile::Always(SYSTEM);
    }
    let in_home = |below: &Path| IN_HOME.iter().find(|(place, _)| below.starts_with(place)).map(|(_, what)| *what);
    let below = home.and_then(|home| path.strip_prefix(home).ok()).or_else(|| in_a_home(path));
    if let Some(what) = below.and_then(in_home) {
        return PrivateFile::Always(what);
    }
    if let Some(what) = in_a_copied_home(path) {
        return PrivateFile::OutsideProject(what);
    }
    let name = path.file_name().map(|name| name.to_string_lossy()).unwrap_or_default();
    let named = |list: &[(&str, &'static str)]| list.iter().find(|(known, _)| *known == name).map(|(_, what)| *what);
    match (named(ANYWHERE), named(OUTSIDE_PROJECT)) {
        (Some(what), _) => PrivateFile::Always(what),
        (None, Some(what)) => PrivateFile::OutsideProject(what),
        (None, None) if name.starts_with(".env.") => PrivateFile::OutsideProject(TOKENS),
        (None, None) => PrivateFile::No,
    }
}

/// The paths below a home directory that commands do not see.
pub(crate) fn hidden_in_home() -> impl Iterator<Item = &'static str> {
    let private = IN_HOME.iter().map(|(place, _)| *place).filter(|place| !NEEDED_BY_COMMANDS.contains(place));
    let named = ANYWHERE.iter().chain(OUTSIDE_PROJECT).map(|(name, _)| *name);
    private.chain(named).chain(HIDDEN_IN_HOME.iter().copied())
}

/// The paths of the system that commands do not see. Everything in `/run` is hidden too.
pub(crate) fn hidden_of_system() -> impl Iterator<Item = &'static str> {
    OF_SYSTEM.iter().chain(HIDDEN_OF_SYSTEM).copied()
}

/// Whether a path is run at the start of a shell, a session or a timer.
pub(super) fn starts_programs(path: &Path, home: Option<&Path>) -> bool {
    let below = home.and_then(|home| path.strip_prefix(home).ok()).or_else(|| in_a_home(path));
    below.is_some_and(|below| START_IN_HOME.iter().any(|place| below.starts_with(place)))
        || START_OF_SYSTEM.iter().any(|place| path.starts_with(place))
}

/// Whether a hidden path, relative to the home directory, is known to be harmless.
pub(super) fn is_harmless(below: &Path) -> bool {
    HARMLESS.iter().any(|place| below.starts_with(place))
}

/// Whether a file may be a key by the end of its name. It may as well be a certificate.
pub(super) fn may_be_key(path: &Path) -> bool {
    let extension = path.extension().and_then(|extension| extension.to_str()).unwrap_or_default();
    matches!(extension, "pem" | "key" | "p12" | "pfx" | "jks" | "kdbx" | "keystore" | "ovpn")
}

/// The part of a path below somebody's home directory: `/root`, `/home/NAME`, `/Users/NAME`.
fn in_a_home(path: &Path) -> Option<&Path> {
    if let Ok(below) = path.strip_prefix("/root") {
        return Some(below);
    }
    let below = path.strip_prefix("/home").or_else(|_| path.strip_prefix("/Users")).ok()?;
    let mut parts = below.components();
    parts.next()?;
    Some(parts.as_path())
}

/// What a path holds if a home directory can be anywhere: a backup, the home of a service, the root of a container. Only hidden places of
/// `IN_HOME` count, because their names are used for nothing else.
fn in_a_copied_home(path: &Path) -> Option<&'static str> {
    let mut parts = path.components();
    loop {
        let below = parts.as_path();
        let first = parts.next()?.as_os_str().as_encoded_bytes();
        if first.starts_with(b".")
            && let Some((_, what)) = IN_HOME.iter().find(|(place, _)| below.starts_with(place))
        {
            return Some(what);
        }
    }
}

/// Whether a path shows the environment or the memory of a process.
fn shows_a_process(path: &Path) -> bool {
    let name = path.file_name().and_then(|name| name.to_str()).unwrap_or_default();
    path.starts_with("/proc") && matches!(name, "environ" | "mem" | "auxv" | "cmdline_history" | "kcore")
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::collections::BTreeSet;

    #[test]
    fn every_place_is_listed_once_and_there_are_enough() {
        let places: BTreeSet<&str> = IN_HOME.iter().map(|(place, _)| *place).collect();
        assert_eq!(places.len(), IN_HOME.len());
        assert!(places.len() >= 80, "{}", places.len());
    }

    #[test]
    fn commands_do_not_see_what_tools_may_not_read() {
        let hidden: Vec<&Path> = hidden_in_home().map(Path::new).collect();
        let (home, is_hidden) =
            (Path::new("/h"), |place: &str| hidden.iter().any(|hidden| Path::new(place).starts_with(hidden)));
        for (place, _) in IN_HOME.iter().filter(|(place, _)| !NEEDED_BY_COMMANDS.contains(place)) {
            assert!(is_hidden(place), "{place}");
        }
        for place in [".netrc", ".npmrc", ".env", "id_rsa"] {
            assert!(is_hidden(place) && holds(&home.join(place), Some(home)) != PrivateFile::No, "{place}");
        }
        for place in NEEDED_BY_COMMANDS {
            assert!(!is_hidden(place) && holds(&home.join(place), Some(home)) != PrivateFile::No, "{place}");
        }
        for place in hidden_of_system().filter(|place| !HIDDEN_OF_SYSTEM.contains(place)) {
            assert_ne!(holds(Path::new(place), None), PrivateFile::No, "{place}");
        }
    }

    #[test]
    fn no_harmless_place_is_a_private_one() {
        let home = Path::new("/home/me");
        for place in HARMLESS {
            assert_eq!(holds(&home.join(place), Some(home)), PrivateFile::No, "{place}");
        }
    }
}
