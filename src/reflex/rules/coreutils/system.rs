//! Services, devices, disks, processes, memory.

use crate::reflex::case::Case;
use crate::reflex::finding::{Confidence, Finding};
use crate::reflex::line::quoted;
use crate::reflex::rules::{Rule, pattern};
use crate::reflex::typo;
use crate::reflex::world::{Kind, World};

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

pub(in crate::reflex::rules) const RULES: &[Rule] = &[
    Rule {
        name: "systemctl: the unit first",
        tools: &["systemctl", "service"],
        signs: &["nknown operation", "nknown command verb", "unrecognized service"],
        apply: systemctl_verb,
    },
    Rule {
        name: "systemctl: no such unit",
        tools: &["systemctl", "service", "journalctl"],
        signs: &["could not be found", "not found.", "not loaded"],
        apply: systemctl_unit,
    },
    Rule {
        name: "systemctl: a unit failed",
        tools: &["systemctl", "service"],
        signs: &["See \"systemctl status", "control process exited with error"],
        apply: systemctl_failed,
    },
    Rule {
        name: "a network device that is not there",
        tools: &["ifconfig", "ip", "iwconfig", "ethtool", "tcpdump"],
        signs: &["Device not found", "does not exist", "annot find device", "No such device"],
        apply: device,
    },
    Rule {
        name: "mount: no mount point",
        tools: &["mount"],
        signs: &["mount point does not exist", "mount point"],
        apply: mount_point,
    },
    Rule { name: "umount: busy", tools: &["umount"], signs: &["is busy", "not mounted"], apply: umount_busy },
    Rule {
        name: "the disk is full",
        tools: &[],
        signs: &["No space left on device", "ENOSPC", "Disk quota exceeded", "disk full", "Disk full"],
        apply: disk_full,
    },
    Rule { name: "too many open files", tools: &[], signs: &["oo many open files", "EMFILE"], apply: open_files },
    Rule {
        name: "out of memory",
        tools: &[],
        signs: &["annot allocate memory", "Out of memory", "out of memory", "OOM"],
        apply: memory,
    },
    Rule { name: "killed for its memory", tools: &[], signs: &[], apply: killed_for_memory },
    Rule {
        name: "kill: a name",
        tools: &["kill"],
        signs: &[
            "arguments must be process or job",
            "illegal pid",
            "illegal process id",
            "failed to parse argument",
            "not a pid or valid job",
        ],
        apply: kill_name,
    },
    Rule {
        name: "kill: nobody",
        tools: &["kill", "killall", "pkill"],
        signs: &["o such process", "no process found"],
        apply: kill_nobody,
    },
];

fn systemctl_verb(case: &Case<'_>, _: &dyn World) -> Option<Finding> {
    let operands: Vec<(usize, &str)> = case.operands().collect();
    let (first, verb) = *operands.first()?;
    if case.tool() == "systemctl" {
        if let [_, (second, other)] = operands.as_slice()
            && VERBS.contains(other)
            && !VERBS.contains(&verb)
        {
            let text = case.line.text();
            let (one, two) = (&case.words()[first].span, &case.words()[*second].span);
            let swapped = format!("{} {}", &text[two.clone()], &text[one.clone()]);
            return Some(Finding::fix(
                Confidence::Sure,
                case.line.with(one.start..two.end, &swapped),
                "what to do before the unit",
            ));
        }
        let meant = typo::nearest(verb, VERBS.iter().copied())?;
        return Some(Finding::fix(
            Confidence::Likely,
            case.with_word(first, meant),
            "the nearest of systemctl's words",
        ));
    }
    let (second, other) = *operands.get(1)?;
    VERBS.contains(&verb).then(|| {
        let text = case.line.text();
        let (one, two) = (&case.words()[first].span, &case.words()[second].span);
        let swapped = format!("{} {}", quoted(other), &text[one.clone()]);
        Finding::fix(Confidence::Sure, case.line.with(one.start..two.end, &swapped), "the service before what to do")
    })
}

fn systemctl_unit(case: &Case<'_>, world: &dyn World) -> Option<Finding> {
    let said = case.output.captures(pattern!(r"[Uu]nit (?:file )?['‘`]?([\w@.:-]+?)(?:\.service)?['’`]? (?:could not be found|not found|not loaded|does not exist)"))?;
    let wrong = said.get(1)?.as_str();
    let (index, typed) = case.operands().find(|(_, word)| word.trim_end_matches(".service") == wrong)?;
    let mut units: Vec<String> = Vec::new();
    for directory in ["/etc/systemd/system", "/usr/lib/systemd/system", "/lib/systemd/system"] {
        let entries = world.entries(std::path::Path::new(directory));
        units.extend(
            entries
                .into_iter()
                .filter(|entry| entry.kind != Kind::Directory)
                .filter_map(|entry| Some(entry.name.strip_suffix(".service")?.to_owned())),
        );
    }
    let finding = Finding::cause(
        Confidence::Likely,
        format!("There is no unit {wrong}: it is not installed, or has another name (`systemctl list-unit-files`)."),
    );
    // Usual names that differ between systems.
    let other = match wrong {
        "sshd" => Some("ssh"),
        "ssh" => Some("sshd"),
        "apache" | "httpd" => Some("apache2"),
        "apache2" => Some("httpd"),
        "mysqld" => Some("mysql"),
        "mysql" => Some("mariadb"),
        "redis" => Some("redis-server"),
        "crond" => Some("cron"),
        "cron" => Some("crond"),
        _ => None,
    };
    let meant = other
        .filter(|other| units.iter().any(|unit| unit == other))
        .or_else(|| typo::nearest(wrong, units.iter().map(String::as_str)));
    Some(match meant {
        Some(meant) => finding.or(case.with_word(index, &typed.replacen(wrong, meant, 1)), "the nearest unit"),
        None => finding,
    })
}

fn systemctl_failed(case: &Case<'_>, _: &dyn World) -> Option<Finding> {
    let said = case.output.captures(pattern!(r#""systemctl status ["']?([\w@.:-]+)"#))?;
    let unit = said.get(1)?.as_str();
    Some(
        Finding::fix(Confidence::Likely, format!("journalctl -xeu {unit}"), "what the service itself said")
            .or(format!("systemctl status {unit}"), "its state and last lines")
            .because(format!("{unit} was started and failed; its own words are in the journal.")),
    )
}

fn device(case: &Case<'_>, world: &dyn World) -> Option<Finding> {
    let said = case.output.captures(pattern!(r#"(?:^([\w.-]+): error fetching|Device "([\w.@-]+)" does not exist|[Cc]annot find device "([\w.@-]+)"|^([\w.-]+): No such device|SIOC\w+ .*?([\w.-]+): No such device)"#))?;
    let wrong = said.iter().skip(1).flatten().next()?.as_str();
    let names: Vec<String> =
        world.entries(std::path::Path::new("/sys/class/net")).into_iter().map(|entry| entry.name).collect();
    let finding = Finding::cause(
        Confidence::Likely,
        format!(
            "There is no network device {wrong}{}.",
            if names.is_empty() { String::new() } else { format!("; there are {}", names.join(", ")) }
        ),
    );
    let index = case.position(wrong);
    let mut others = names.iter().filter(|name| {
        *name != "lo" && !name.starts_with("docker") && !name.starts_with("veth") && !name.starts_with("br-")
    });
    let meant =
        typo::nearest(wrong, names.iter().map(String::as_str)).or_else(|| match (others.next(), others.next()) {
            (Some(only), None) => Some(only.as_str()),
            _ => None,
        });
    Some(match (meant, index) {
        (Some(meant), Some(index)) => finding.or(case.with_word(index, meant), "a device that is there"),
        _ => finding,
    })
}

fn mount_point(case: &Case<'_>, _: &dyn World) -> Option<Finding> {
    let said = case.output.captures(pattern!(
        r"mount(?:ing)?:? (?:mount point )?(\S+?)(?::| does not exist).*does not exist|mount point (\S+) does not exist"
    ))?;
    let point = said.iter().skip(1).flatten().next()?.as_str().trim_end_matches(':');
    let index = case.position(point)?;
    let sudo = if case.is_elevated() { "sudo " } else { "" };
    let shown = &case.line.text()[case.words()[index].span.clone()];
    Some(
        Finding::fix(
            Confidence::Likely,
            case.with_before(&format!("{sudo}mkdir -p {shown} &&")),
            "makes the directory to mount on",
        )
        .because(format!("There is no directory {point} to mount on.")),
    )
}

fn umount_busy(case: &Case<'_>, _: &dyn World) -> Option<Finding> {
    let (_, point) = case.operands().last()?;
    if case.output.says("not mounted") {
        return Some(Finding::cause(
            Confidence::Likely,
            format!("Nothing is mounted at {point}: `findmnt` lists what is."),
        ));
    }
    Some(
        Finding::fix(Confidence::Likely, format!("fuser -vm {}", quoted(point)), "who still uses it")
            .because("Somebody still has a file or the working directory there."),
    )
}

fn disk_full(case: &Case<'_>, _: &dyn World) -> Option<Finding> {
    if case.output.says("file watchers") || case.output.says("inotify") {
        return Some(
            Finding::fix(
                Confidence::Likely,
                "sudo sysctl fs.inotify.max_user_watches=524288",
                "allows more watches until the next start",
            )
            .because("The disk is not full: the system's limit for watched files is reached."),
        );
    }
    if case.output.says("quota") {
        return Some(
            Finding::fix(Confidence::Likely, "quota -s", "how much you have and may have")
                .because("Your quota on that file system is used up."),
        );
    }
    Some(
        Finding::fix(Confidence::Likely, "df -h .", "how full each file system is")
            .or("df -i .", "a file system can run out of inodes, too")
            .because("The file system has no room left (or no inodes)."),
    )
}

fn open_files(_: &Case<'_>, _: &dyn World) -> Option<Finding> {
    Some(
        Finding::fix(Confidence::Guess, "ulimit -n 4096", "more for what this shell starts")
            .because("The process may not have more files open: `ulimit -n` shows how many; a program that never closes its files needs mending instead."),
    )
}

fn memory(_: &Case<'_>, _: &dyn World) -> Option<Finding> {
    Some(Finding::cause(
        Confidence::Guess,
        "There was not enough memory: `free -h` shows what there is, `ulimit -v` and the container's limit what is allowed.",
    ))
}

fn killed_for_memory(case: &Case<'_>, world: &dyn World) -> Option<Finding> {
    (case.status == Some(137) && world.memory_kills() > 0).then(|| {
        Finding::cause(
            Confidence::Likely,
            "The kernel has killed processes here for lack of memory; this was probably one of them.",
        )
    })
}

fn kill_name(case: &Case<'_>, _: &dyn World) -> Option<Finding> {
    let (_, name) = case.operands().find(|(_, word)| word.parse::<u32>().is_err())?;
    Some(
        Finding::fix(
            Confidence::Likely,
            format!("pgrep -a {}", quoted(name)),
            "lists the processes of that name with their numbers",
        )
        .because("kill takes the numbers of processes, not names."),
    )
}

fn kill_nobody(_: &Case<'_>, _: &dyn World) -> Option<Finding> {
    Some(Finding::cause(Confidence::Likely, "There is no such process: it has ended already."))
}
