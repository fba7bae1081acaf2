//! Units of systemd and services of System V: names, and the order of words.

use std::path::Path;

use super::{Rule, pattern};
use crate::reflex::case::Case;
use crate::reflex::finding::{Confidence, Finding};
use crate::reflex::typo;
use crate::reflex::world::World;
use crate::text;

pub(super) const RULES: &[Rule] = &[
    Rule {
        name: "systemctl: the unit before the verb",
        tools: &["systemctl"],
        signs: &["Unknown operation", "Unknown command verb"],
        apply: order,
    },
    Rule {
        name: "systemctl: a unit's name",
        tools: &["systemctl", "service", "journalctl"],
        signs: &["not found", "not loaded", "could not be found", "unrecognized service", "does not exist"],
        apply: unit,
    },
    Rule {
        name: "service: the verb before the name",
        tools: &["service"],
        signs: &["unrecognized service"],
        apply: service_order,
    },
    Rule {
        name: "systemctl: a misspelt verb",
        tools: &["systemctl"],
        signs: &["nknown operation", "nknown command verb"],
        apply: verb,
    },
    Rule {
        name: "systemctl: a unit failed",
        tools: &["systemctl", "service"],
        signs: &["See \"systemctl status", "control process exited with error"],
        apply: unit_failed,
    },
];

const VERBS: &[&str] = &[
    "start",
    "stop",
    "restart",
    "reload",
    "status",
    "enable",
    "disable",
    "mask",
    "unmask",
    "cat",
    "edit",
    "show",
    "is-active",
    "is-enabled",
    "is-failed",
    "daemon-reload",
    "list-units",
    "list-unit-files",
    "list-timers",
    "try-restart",
    "reload-or-restart",
    "reset-failed",
    "kill",
    "poweroff",
    "reboot",
    "suspend",
    "hibernate",
    "isolate",
    "get-default",
    "set-default",
];

/// Directories of units.
const UNIT_DIRECTORIES: &[&str] =
    &["/etc/systemd/system", "/lib/systemd/system", "/usr/lib/systemd/system", "/run/systemd/system", "/etc/init.d"];

/// Common services, for systems whose directories cannot be read.
const COMMON_UNITS: &[&str] = &[
    "apache2",
    "bluetooth",
    "caddy",
    "chronyd",
    "containerd",
    "cron",
    "cups",
    "docker",
    "fail2ban",
    "firewalld",
    "grafana-server",
    "haproxy",
    "httpd",
    "jenkins",
    "kubelet",
    "libvirtd",
    "mariadb",
    "memcached",
    "mongod",
    "mysql",
    "NetworkManager",
    "nginx",
    "postgresql",
    "prometheus",
    "rabbitmq-server",
    "redis",
    "redis-server",
    "rsyslog",
    "smbd",
    "snapd",
    "ssh",
    "sshd",
    "supervisor",
    "systemd-networkd",
    "systemd-resolved",
    "tomcat9",
    "ufw",
    "vsftpd",
];

/// `systemctl nginx start`.
fn order(case: &Case<'_>, _: &dyn World) -> Option<Finding> {
    let said = pattern!(r"Unknown (?:operation|command verb) (?:['‘“](.+?)['’”]|(\S+?)\.?(?:,.*)?$)");
    let captures = case.output.captures(said)?;
    let wrong = captures.iter().skip(1).flatten().next()?.as_str();
    let first = case.position(wrong)?;
    let second = first + 1;
    let verb = case.word(second)?;
    if !VERBS.contains(&verb) || VERBS.contains(&wrong) || case.words().len() > second + 1 {
        return None;
    }
    let words = case.words();
    let line = case.line.text();
    let swapped = format!(
        "{}{}{}{}{}",
        &line[..words[first].span.start],
        case.raw(second),
        &line[words[first].span.end..words[second].span.start],
        case.raw(first),
        &line[words[second].span.end..]
    );
    Some(
        Finding::fix(Confidence::Sure, swapped, "the verb comes before the unit")
            .because(format!("systemctl takes what to do first, then to whom: {verb} {wrong}.")),
    )
}

/// `systemctl strat nginx`.
fn verb(case: &Case<'_>, _: &dyn World) -> Option<Finding> {
    let (index, wrong) = case.operands().next()?;
    let is_swapped = case.word(index + 1).is_some_and(|next| VERBS.contains(&next));
    let meant = typo::nearest(wrong, VERBS.iter().copied()).filter(|_| !is_swapped)?;
    Some(Finding::fix(Confidence::Likely, case.with_word(index, meant), "the nearest of systemctl's words"))
}

/// `service restart nginx`.
fn service_order(case: &Case<'_>, _: &dyn World) -> Option<Finding> {
    let (verb, name) = (case.word(1)?, case.word(2)?);
    if !VERBS.contains(&verb) || case.words().len() != 3 {
        return None;
    }
    let command = case.with_command(&format!("{} {} {}", case.raw(0), case.raw(2), case.raw(1)));
    Some(
        Finding::fix(Confidence::Sure, command, "the service comes before the verb")
            .because(format!("service takes the name first, then what to do: {name} {verb}.")),
    )
}

/// A unit that does not exist, and the most similar existing one.
fn unit(case: &Case<'_>, world: &dyn World) -> Option<Finding> {
    let said = pattern!(
        r"(?:Unit (?:file )?(\S+?)(?:\.service)?(?: could)? not (?:be )?(?:found|loaded)|Unit (?:file )?(\S+?)(?:\.service)? (?:could not be found|not found|does not exist)|Failed to \S+ (\S+?)(?:\.service)?: Unit \S+ not (?:found|loaded)|^(\S+?): unrecognized service)"
    );
    let captures = case.output.captures(said)?;
    let wrong = captures.iter().skip(1).flatten().next()?.as_str().trim_matches(['\'', '"', ':']);
    let (index, typed) = case
        .words()
        .iter()
        .enumerate()
        .skip(1)
        .find(|(_, word)| word.text == wrong || word.text.strip_suffix(".service") == Some(wrong))?;
    if VERBS.contains(&wrong) {
        return None;
    }
    let suffix = if typed.text.ends_with(".service") { ".service" } else { "" };
    let cause = format!("This machine has no service {wrong}.");
    let units: Vec<String> = UNIT_DIRECTORIES
        .iter()
        .flat_map(|directory| world.entries(Path::new(directory)))
        .map(|entry| entry.name.strip_suffix(".service").unwrap_or(&entry.name).to_owned())
        .collect();
    let usual = other_name(wrong).filter(|other| units.iter().any(|unit| unit == other));
    let here = units.iter().map(String::as_str).filter(|name| *name != wrong);
    let near = usual
        .or_else(|| text::nearest(wrong, here))
        .or_else(|| text::nearest(wrong, COMMON_UNITS.iter().copied().filter(|name| *name != wrong)));
    let list = "systemctl list-unit-files --type=service";
    Some(match near {
        Some(near) => {
            Finding::fix(Confidence::Likely, case.with_word(index, &format!("{near}{suffix}")), "the nearest service")
                .or(list, "lists those that exist")
                .because(cause)
        }
        None => Finding::cause(Confidence::Likely, cause).or(list, "lists those that exist"),
    })
}

/// Services with different names on different systems.
fn other_name(unit: &str) -> Option<&'static str> {
    Some(match unit {
        "sshd" => "ssh",
        "ssh" => "sshd",
        "apache" | "httpd" => "apache2",
        "apache2" => "httpd",
        "mysqld" => "mysql",
        "mysql" => "mariadb",
        "redis" => "redis-server",
        "crond" => "cron",
        "cron" => "crond",
        _ => return None,
    })
}

fn unit_failed(case: &Case<'_>, _: &dyn World) -> Option<Finding> {
    let said = case.output.captures(pattern!(r#""systemctl status ["']?([\w@.:-]+)"#))?;
    let unit = said.get(1)?.as_str();
    Some(
        Finding::fix(Confidence::Likely, format!("journalctl -xeu {unit}"), "what the service itself said")
            .or(format!("systemctl status {unit}"), "its state and last lines")
            .because(format!("{unit} was started and failed; its own words are in the journal.")),
    )
}
