//! Devices, disks, processes, memory.

use crate::reflex::case::Case;
use crate::reflex::finding::{Confidence, Finding};
use crate::reflex::line::quoted;
use crate::reflex::rules::{Rule, pattern};
use crate::reflex::typo;
use crate::reflex::world::World;

pub(in crate::reflex::rules) const RULES: &[Rule] = &[
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
            format!("Nothing is mounted at {point}: `findmnt` lists all mounts."),
        ));
    }
    Some(
        Finding::fix(Confidence::Likely, format!("fuser -vm {}", quoted(point)), "who still uses it")
            .because("A process still has an open file or its working directory there."),
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
            .because("The process has reached its limit of open files: `ulimit -n` shows it. A program that never closes its files has to be fixed instead."),
    )
}

fn memory(_: &Case<'_>, _: &dyn World) -> Option<Finding> {
    Some(Finding::cause(
        Confidence::Guess,
        "There was not enough memory: `free -h` shows how much there is, `ulimit -v` and the container's limit how much is allowed.",
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
