//! Addresses: hosts and their keys, URLs, interfaces.

use std::path::Path;

use super::{Rule, pattern};
use crate::reflex::case::Case;
use crate::reflex::finding::{Confidence, Finding};
use crate::reflex::line;
use crate::reflex::world::World;
use crate::text;

const SSH: &[&str] = &["ssh", "scp", "sftp", "rsync", "git", "ssh-copy-id", "mosh", "sshfs"];
const INTERFACES: &[&str] =
    &["ifconfig", "ip", "iwconfig", "ethtool", "tcpdump", "nmcli", "ifup", "ifdown", "dhclient"];

pub(super) const RULES: &[Rule] = &[
    Rule {
        name: "ssh: a host key has changed",
        tools: SSH,
        signs: &["REMOTE HOST IDENTIFICATION HAS CHANGED", "POSSIBLE DNS SPOOFING"],
        apply: changed_key,
    },
    Rule {
        name: "URLs: a misspelt scheme",
        tools: &["curl", "wget", "http", "https", "xh", "git", "aria2c", "yt-dlp", "lynx"],
        signs: &[
            "not supported",
            "nsupported scheme",
            "nsupported protocol",
            "Unsupported URL",
            "remote helper",
            "No connection adapters",
            "bad/illegal format",
        ],
        apply: scheme,
    },
    Rule {
        name: "open: an address without its scheme",
        tools: &["open", "xdg-open", "gnome-open", "kde-open"],
        signs: &["does not exist", "o such file"],
        apply: open_address,
    },
    Rule {
        name: "a host's name, not a URL",
        tools: &[
            "ping",
            "ping6",
            "ssh",
            "nslookup",
            "dig",
            "host",
            "traceroute",
            "tracepath",
            "mtr",
            "telnet",
            "nc",
            "ncat",
        ],
        signs: &[
            "not known",
            "resolve",
            "can't find",
            "NXDOMAIN",
            "nvalid",
            "unknown host",
            "nknown host",
            "not found",
        ],
        apply: host_of_url,
    },
    Rule { name: "whois: a name, not an address", tools: &["whois"], signs: &[], apply: whois },
    Rule { name: "interfaces: a name", tools: INTERFACES, signs: &["evice", "SIOC"], apply: interface },
    Rule { name: "heroku: which app", tools: &["heroku"], signs: &["ultiple apps in"], apply: heroku_app },
];

fn changed_key(case: &Case<'_>, _: &dyn World) -> Option<Finding> {
    let said = pattern!(r#"(?:[Hh]ost key for (\S+?) has changed|-R ["']?([^"'\s]+?)["']?$)"#);
    let host =
        case.output.captures(said).and_then(|found| Some(found.iter().skip(1).flatten().next()?.as_str().to_owned()));
    let host = host.or_else(|| {
        let (_, typed) = case.subcommand()?;
        let host = typed.split(':').next().unwrap_or(typed);
        Some(host.rsplit('@').next().unwrap_or(host).to_owned())
    })?;
    let cause = format!(
        "{host} shows another key than before. If the machine was set up anew this is harmless; otherwise someone may be between you: \
         ask its administrator before you trust the new key."
    );
    Some(
        Finding::fix(
            Confidence::Sure,
            format!("ssh-keygen -R {}", line::quoted(&host)),
            "forgets the old key, once you are sure",
        )
        .because(cause),
    )
}

const SCHEMES: &[&str] = &["http", "https", "ftp", "ftps", "sftp", "ssh", "git", "file"];

fn scheme(case: &Case<'_>, _: &dyn World) -> Option<Finding> {
    if let Some(finding) = one_slash(case) {
        return Some(finding);
    }
    let (index, word, wrong) = case.words().iter().enumerate().skip(1).find_map(|(index, word)| {
        let (scheme, _) = word.text.split_once(':')?;
        let is_scheme = !scheme.is_empty() && scheme.chars().all(|c| c.is_ascii_alphanumeric());
        (is_scheme && !SCHEMES.contains(&scheme) && word.text[scheme.len()..].starts_with(":/"))
            .then_some((index, word, scheme))
    })?;
    // `htps` is as similar to `http` as to `https`. If the word ends with an s, `https` was meant.
    let lower = wrong.to_lowercase();
    let is_web = lower.starts_with('h') || lower.contains("tp") && !lower.contains('f');
    let near = match is_web && text::distance(&lower, "https").min(text::distance(&lower, "http")) <= 2 {
        true if lower.contains('s') => "https",
        true => "http",
        false => text::nearest(&lower, SCHEMES.iter().copied())?,
    };
    let rest = case.raw(index).replacen(&word.text[..wrong.len()], near, 1);
    Some(
        Finding::fix(Confidence::Sure, case.with_raw(index, &rest), "the scheme's right spelling")
            .because(format!("There is no protocol {wrong}.")),
    )
}

/// `http:/example.org`.
fn one_slash(case: &Case<'_>) -> Option<Finding> {
    let is_it = |text: &str| {
        let rest = text.strip_prefix("http:/").or_else(|| text.strip_prefix("https:/"));
        rest.is_some_and(|rest| rest.starts_with(|c: char| c.is_ascii_alphanumeric()))
    };
    let index = case.words().iter().position(|word| is_it(&word.text))?;
    let whole = case.raw(index).replacen(":/", "://", 1);
    Some(
        Finding::fix(Confidence::Sure, case.with_raw(index, &whole), "two slashes")
            .because("The address lacks a slash."),
    )
}

/// `open github.com`.
fn open_address(case: &Case<'_>, world: &dyn World) -> Option<Finding> {
    let (index, typed) = case.subcommand()?;
    let host = typed.split(['/', ':', '?']).next()?;
    let (_, end) = host.rsplit_once('.')?;
    let ends = [
        "com", "org", "net", "io", "dev", "edu", "gov", "de", "fr", "uk", "co", "in", "info", "me", "se", "nl", "app",
        "ru", "jp", "ly", "ai", "eu", "us", "ch", "at",
    ];
    let is_address = ends.contains(&end) || host.starts_with("www.") || host == "localhost";
    if !is_address || world.kind(Path::new(typed)).is_some() {
        return None;
    }
    Some(
        Finding::fix(Confidence::Sure, case.with_word(index, &format!("http://{typed}")), "an address of the web")
            .or(case.with_word(index, &format!("https://{typed}")), "over TLS")
            .because(format!("There is no file {typed} here; an address needs its scheme.")),
    )
}

/// `ping https://example.org/x`: the tool expects the name of a host.
fn host_of_url(case: &Case<'_>, _: &dyn World) -> Option<Finding> {
    let (index, typed) = case.operands().find(|(_, word)| word.contains("://"))?;
    let (_, rest) = typed.split_once("://")?;
    let host = rest.split(['/', '?', '#']).next()?;
    // ssh accepts a user but no port; the other tools accept neither.
    let host = if case.tool() == "ssh" { host } else { host.rsplit('@').next()? };
    let host = host.split(':').next().filter(|host| !host.is_empty())?;
    let cause = format!("{} expects the name of a host, not a URL.", case.tool());
    Some(Finding::fix(Confidence::Sure, case.with_word(index, host), "the host in the URL").because(cause))
}

/// whois knows only registered domains: not a URL, and not the subdomain in `en.wikipedia.org`.
fn whois(case: &Case<'_>, _: &dyn World) -> Option<Finding> {
    let (index, typed) = case.subcommand()?;
    if let Some((_, rest)) = typed.split_once("://") {
        let host = rest.split(['/', ':', '?']).next().filter(|host| !host.is_empty())?;
        return Some(
            Finding::fix(Confidence::Sure, case.with_word(index, host), "the name in it")
                .because("whois expects a name, not a URL."),
        );
    }
    if let Some((host, _)) =
        typed.split_once('/').filter(|(host, _)| host.contains('.') && !host.starts_with(|c: char| c.is_ascii_digit()))
    {
        return Some(
            Finding::fix(Confidence::Sure, case.with_word(index, host), "the name in it")
                .because("whois takes a name, no path."),
        );
    }
    let is_name =
        typed.split('.').all(|label| !label.is_empty()) && !typed.chars().all(|c| c.is_ascii_digit() || c == '.');
    let labels = typed.split('.').count();
    if !is_name || labels < 3 {
        return None;
    }
    let mut finding = Finding::cause(Confidence::Likely, "whois knows only the registered part of a name.");
    let mut rest = typed;
    for _ in 0..labels - 2 {
        rest = rest.split_once('.')?.1;
        finding = finding.or(case.with_word(index, rest), "the name above it");
    }
    Some(finding)
}

/// An interface that does not exist, with the existing ones.
fn interface(case: &Case<'_>, world: &dyn World) -> Option<Finding> {
    let said = pattern!(
        r#"(?:(\S+?): error fetching interface information: Device not found|Device "(.+?)" does not exist|Cannot find device "(.+?)"|(\S+?): No such device|(\S+?)\s+No such device|Device '(.+?)' not found|[Ii]nterface (\S+?):? (?:does not exist|doesn't exist))"#
    );
    let captures = case.output.captures(said)?;
    let wrong = captures.iter().skip(1).flatten().next()?.as_str().trim_matches(['\'', '"', ':']);
    let index = case.position(wrong)?;
    let there: Vec<String> = world.entries(Path::new("/sys/class/net")).into_iter().map(|entry| entry.name).collect();
    let cause = if there.is_empty() {
        format!("There is no interface {wrong}.")
    } else {
        format!("There is no interface {wrong}; there are {}.", there.join(", "))
    };
    let finding = Finding::cause(Confidence::Likely, cause);
    // Old and new names start with the kind of interface: `wlan0` is `wlp2s0`, `eth0` is `enp3s0`.
    let is_same_kind =
        |name: &&String| ["wl", "e"].iter().any(|kind| wrong.starts_with(kind) && name.starts_with(kind));
    let near = text::nearest(wrong, there.iter().map(String::as_str));
    Some(match near.or_else(|| there.iter().find(is_same_kind).map(String::as_str)) {
        Some(near) => {
            finding.or(case.with_word(index, near), "the nearest interface").or("ip link", "lists those that exist")
        }
        None => finding.or("ip link", "lists those that exist"),
    })
}

/// heroku lists the apps that could be meant.
fn heroku_app(case: &Case<'_>, _: &dyn World) -> Option<Finding> {
    let remote = pattern!(r"^[\s▸›!]*([\w-]+) \([\w-]+\)\s*$");
    let apps = case.output.lines().iter().filter_map(|line| Some(remote.captures(line)?.get(1)?.as_str()));
    let mut finding =
        Finding::cause(Confidence::Sure, "The directory belongs to several apps: say which one is meant.");
    for app in apps {
        finding = finding.or(case.with_inserted(case.words().len(), &format!("--app {app}")), "one of them");
    }
    Some(finding)
}
