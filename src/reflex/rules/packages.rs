//! Package managers: corrections that rewrite the line.

use super::{Rule, pattern};
use crate::reflex::case::Case;
use crate::reflex::finding::{Confidence, Finding};
use crate::reflex::world::World;
use crate::text;

const PACMAN: &[&str] = &["pacman", "yay", "paru", "pikaur", "pamac"];
const ENVS: &[&str] = &["pyenv", "rbenv", "goenv", "nodenv", "plenv", "jenv"];
const APT: &[&str] = &["apt", "apt-get", "aptitude"];

pub(super) const RULES: &[Rule] = &[
    Rule {
        name: "pacman: a small letter for an operation",
        tools: PACMAN,
        signs: &["invalid option"],
        apply: operation,
    },
    Rule { name: "apt-get: what apt-cache does", tools: &["apt-get"], signs: &["nvalid operation"], apply: apt_cache },
    Rule { name: "apt: a package's name", tools: APT, signs: &["Unable to locate package"], apply: package_name },
    Rule {
        name: "brew: casks",
        tools: &["brew"],
        signs: &["brew cask", "--cask", "nknown command: cask"],
        apply: cask,
    },
    Rule {
        name: "brew: a cask needed first",
        tools: &["brew"],
        signs: &["brew cask install", "brew install --cask"],
        apply: cask_first,
    },
    Rule {
        name: "choco: the package's installer",
        tools: &["choco", "cinst"],
        signs: &["was not found"],
        apply: choco,
    },
    Rule { name: "version managers: list", tools: ENVS, signs: &["no such command"], apply: list_versions },
    Rule {
        name: "version managers: a missing version",
        tools: ENVS,
        signs: &["not installed"],
        apply: missing_version,
    },
];

/// `-ss` for `-Ss`: operations of pacman are upper-case letters.
fn operation(case: &Case<'_>, _: &dyn World) -> Option<Finding> {
    let letter = &case.output.captures(pattern!(r"invalid option (?:-- )?'?-?(\w)'?"))?[1];
    let is_it = |text: &str| text.starts_with('-') && !text.starts_with("--") && text[1..].starts_with(letter);
    let (index, word) = case.words().iter().enumerate().skip(1).find(|(_, word)| is_it(&word.text))?;
    if !"sqrufdtv".contains(letter) {
        return None;
    }
    let meant = format!("-{}{}", letter.to_uppercase(), word.text.get(2..)?);
    let cause = format!("{} names what it does with a capital letter.", case.tool());
    Some(
        Finding::fix(Confidence::Sure, case.with_word(index, &meant), "the operation's letter is capital")
            .because(cause),
    )
}

/// `search` and `show` are commands of apt-cache, not of apt-get.
fn apt_cache(case: &Case<'_>, _: &dyn World) -> Option<Finding> {
    let (_, operation) = case.subcommand()?;
    let is_its = ["search", "show", "policy", "depends", "rdepends", "showpkg", "madison"].contains(&operation);
    is_its.then(|| {
        Finding::fix(Confidence::Sure, case.with_word(0, "apt-cache"), format!("{operation} belongs to apt-cache"))
            .because(format!("apt-get has no {operation}."))
    })
}

/// Common names of packages, and Debian's names for them.
const DEBIAN_NAMES: &[(&str, &str)] = &[
    ("node", "nodejs"),
    ("golang-go", "golang"),
    ("go", "golang-go"),
    ("python", "python3"),
    ("pip", "python3-pip"),
    ("pip3", "python3-pip"),
    ("python-pip", "python3-pip"),
    ("docker", "docker.io"),
    ("docker-compose-v2", "docker-compose-plugin"),
    ("java", "default-jdk"),
    ("openjdk", "default-jdk"),
    ("psql", "postgresql-client"),
    ("postgres", "postgresql"),
    ("mysql", "default-mysql-server"),
    ("rg", "ripgrep"),
    ("fd", "fd-find"),
    ("ag", "silversearcher-ag"),
    ("gcc-c++", "g++"),
    ("vim-enhanced", "vim"),
    ("httpd", "apache2"),
    ("redis", "redis-server"),
    ("dig", "dnsutils"),
    ("bind-utils", "dnsutils"),
    ("ifconfig", "net-tools"),
    ("netcat", "netcat-openbsd"),
    ("nc", "netcat-openbsd"),
    ("ssh", "openssh-client"),
    ("sshd", "openssh-server"),
    ("chromium-browser", "chromium"),
    ("openssl-devel", "libssl-dev"),
    ("libssl", "libssl-dev"),
    ("openssl-dev", "libssl-dev"),
    ("python3-devel", "python3-dev"),
    ("python-dev", "python3-dev"),
    ("python-devel", "python3-dev"),
    ("zlib-devel", "zlib1g-dev"),
    ("zlib", "zlib1g-dev"),
    ("ps", "procps"),
    ("top", "procps"),
    ("ping", "iputils-ping"),
    ("7z", "p7zip-full"),
    ("p7zip", "p7zip-full"),
    ("sqlite", "sqlite3"),
    ("make-essential", "build-essential"),
    ("build-essentials", "build-essential"),
    ("ncurses-devel", "libncurses-dev"),
    ("libpq", "libpq-dev"),
];

/// Packages whose names are often mistyped.
const COMMON: &[&str] = &[
    "ansible",
    "apache2",
    "build-essential",
    "ca-certificates",
    "clang",
    "cmake",
    "cowsay",
    "cron",
    "curl",
    "default-jdk",
    "docker.io",
    "emacs",
    "ffmpeg",
    "firefox",
    "fzf",
    "gcc",
    "gdb",
    "gimp",
    "git",
    "gnupg",
    "golang",
    "gparted",
    "graphviz",
    "haproxy",
    "htop",
    "imagemagick",
    "inkscape",
    "iptables",
    "jq",
    "libreoffice",
    "lsof",
    "mariadb-server",
    "maven",
    "memcached",
    "mysql-server",
    "nano",
    "neofetch",
    "neovim",
    "net-tools",
    "nginx",
    "nmap",
    "nodejs",
    "npm",
    "openssh-server",
    "php",
    "postgresql",
    "postgresql-client",
    "python3",
    "python3-pip",
    "python3-venv",
    "rabbitmq-server",
    "redis-server",
    "ripgrep",
    "rsync",
    "ruby",
    "screen",
    "shellcheck",
    "snapd",
    "software-properties-common",
    "sqlite3",
    "strace",
    "sudo",
    "tcpdump",
    "tmux",
    "traceroute",
    "tree",
    "unzip",
    "valgrind",
    "vim",
    "virtualenv",
    "vlc",
    "wget",
    "wireshark",
    "xclip",
    "zip",
    "zsh",
];

fn package_name(case: &Case<'_>, _: &dyn World) -> Option<Finding> {
    let name = case.output.captures(pattern!(r"Unable to locate package (\S+)"))?.get(1)?.as_str();
    let index = case.position(name)?;
    let known = DEBIAN_NAMES.iter().find(|(known, _)| *known == name);
    let (meant, why) = match known {
        Some((_, meant)) => (*meant, "its name in Debian and Ubuntu"),
        None => {
            let begins = COMMON
                .iter()
                .find(|known| name.len() > 3 && known.strip_prefix(name).is_some_and(|rest| rest.starts_with('-')));
            let near = || text::nearest(name, COMMON.iter().copied()).filter(|near| text::distance(name, near) <= 2);
            (begins.copied().or_else(near)?, "the nearest common package")
        }
    };
    Some(Finding::fix(Confidence::Sure, case.with_word(index, meant), why))
}

/// `brew cask install x` has become `brew install --cask x`.
fn cask(case: &Case<'_>, _: &dyn World) -> Option<Finding> {
    let index = case.position("cask").filter(|index| *index == 1)?;
    let operation = case.word(index + 1)?;
    let moved = format!("{operation} --cask");
    let rest = case.words().get(index + 1)?;
    let line = case.line.text();
    let command = format!("{}{moved}{}", &line[..case.words()[index].span.start], &line[rest.span.end..]);
    Some(
        Finding::fix(Confidence::Sure, command, "how casks are named now")
            .because("Homebrew no longer has the command cask; use --cask instead."),
    )
}

/// A formula that needs a cask to be installed first.
fn cask_first(case: &Case<'_>, _: &dyn World) -> Option<Finding> {
    if case.position("cask") == Some(1) {
        return None;
    }
    let said = pattern!(r"^\s*(brew (?:cask install|install --cask|install --cask) [\w@./-]+)\s*$");
    let needed = case.output.captures(said)?;
    let first = needed.get(1)?.as_str();
    Some(Finding::fix(Confidence::Sure, case.with_before(&format!("{first} &&")), "what it needs first"))
}

/// Many Chocolatey packages come as `name.install`.
fn choco(case: &Case<'_>, _: &dyn World) -> Option<Finding> {
    let arguments = case.words().iter().enumerate().skip(1);
    let mut packages = arguments
        .filter(|(_, word)| !word.text.starts_with(['-', '/']) && word.text != "install" && !word.text.contains('='));
    let (index, package) = packages.next()?;
    let is_install = case.tool() == "cinst" || case.word(1) == Some("install");
    if !is_install || package.text.ends_with(".install") {
        return None;
    }
    let meant = format!("{}.install", package.text);
    Some(Finding::fix(Confidence::Likely, case.with_word(index, &meant), "the name of many packages' installers"))
}

fn list_versions(case: &Case<'_>, _: &dyn World) -> Option<Finding> {
    let index = case.position("list").filter(|index| *index == 1)?;
    let tool = case.tool();
    Some(
        Finding::fix(Confidence::Sure, case.with_raw(index, "versions"), "which are installed")
            .or(case.with_raw(index, "install --list"), "which could be")
            .because(format!("{tool} has no command list.")),
    )
}

fn missing_version(case: &Case<'_>, _: &dyn World) -> Option<Finding> {
    let version = case.output.captures(pattern!(r"version [`'](.+?)['`] (?:is )?not installed"))?.get(1)?.as_str();
    let is_plain = version.chars().all(|c| c.is_ascii_alphanumeric() || ".-_".contains(c));
    let tool = case.tool();
    is_plain.then(|| {
        Finding::fix(Confidence::Sure, format!("{tool} install {version}"), "installs it")
            .or(format!("{tool} versions"), "which are installed")
            .because(format!("Version {version} is not installed."))
    })
}
