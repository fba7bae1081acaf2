//! The everyday tools: grep, tar, find, chmod, man, systemctl and their kin.

use super::{Rule, pattern};
use crate::reflex::case::Case;
use crate::reflex::finding::{Confidence, Finding};
use crate::reflex::line::quoted;
use crate::reflex::near;
use crate::reflex::typo;
use crate::reflex::world::{Kind, World};

const GREP: &[&str] = &["grep", "egrep", "fgrep", "zgrep"];

const PREDICATES: &[&str] = &[
    "-name",
    "-iname",
    "-type",
    "-path",
    "-ipath",
    "-regex",
    "-iregex",
    "-size",
    "-mtime",
    "-mmin",
    "-newer",
    "-empty",
    "-exec",
    "-execdir",
    "-delete",
    "-print",
    "-print0",
    "-printf",
    "-prune",
    "-maxdepth",
    "-mindepth",
    "-not",
    "-user",
    "-group",
    "-perm",
    "-atime",
    "-ctime",
    "-follow",
    "-xdev",
    "-mount",
    "-quit",
    "-ls",
    "-links",
    "-inum",
    "-samefile",
    "-readable",
    "-writable",
    "-executable",
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

/// Long options of the GNU tools that are typed most.
const LONG: &[&str] = &[
    "--all",
    "--almost-all",
    "--archive",
    "--color",
    "--count",
    "--delete",
    "--directory",
    "--dry-run",
    "--exclude",
    "--exclude-dir",
    "--extended-regexp",
    "--extract",
    "--file",
    "--fixed-strings",
    "--help",
    "--human-readable",
    "--ignore-case",
    "--include",
    "--interactive",
    "--invert-match",
    "--line-number",
    "--lines",
    "--list",
    "--max-depth",
    "--no-clobber",
    "--numeric-sort",
    "--only-matching",
    "--output",
    "--parents",
    "--preserve",
    "--progress",
    "--quiet",
    "--recursive",
    "--reverse",
    "--silent",
    "--sort",
    "--summarize",
    "--symbolic",
    "--unique",
    "--update",
    "--verbose",
    "--version",
    "--word-regexp",
];

pub(super) const RULES: &[Rule] = &[
    Rule { name: "grep: a directory", tools: GREP, signs: &["s a directory"], apply: grep_directory },
    Rule {
        name: "grep: the file before the pattern",
        tools: GREP,
        signs: &["No such file or directory"],
        apply: grep_order,
    },
    Rule {
        name: "grep: a broken pattern",
        tools: GREP,
        signs: &[
            "nmatched",
            "nvalid regular expression",
            "nvalid preceding",
            "railing backslash",
            "parentheses not balanced",
            "brackets ([ ]) not balanced",
            "repetition-operator",
        ],
        apply: grep_pattern,
    },
    Rule {
        name: "find: an unquoted pattern",
        tools: &["find"],
        signs: &["paths must precede expression", "unknown primary or operator", "unknown option"],
        apply: find_pattern,
    },
    Rule {
        name: "find: an unknown predicate",
        tools: &["find"],
        signs: &["unknown predicate", "unknown primary", "unknown operand"],
        apply: find_predicate,
    },
    Rule {
        name: "find: -exec has no end",
        tools: &["find"],
        signs: &["missing argument to `-exec", "no terminating \";\""],
        apply: find_exec,
    },
    Rule { name: "find: no path", tools: &["find"], signs: &["illegal option --"], apply: find_path },
    Rule { name: "tar: -f is missing", tools: &["tar"], signs: &["missing -f option"], apply: tar_file },
    Rule {
        name: "tar: no operation",
        tools: &["tar"],
        signs: &["must specify one of the", "Must specify one of", "May not specify more than one"],
        apply: tar_operation,
    },
    Rule {
        name: "an archive of another kind",
        tools: &["tar", "unzip", "gunzip", "gzip", "bunzip2", "xz", "zcat"],
        signs: &[
            "not in gzip format",
            "does not look like a tar archive",
            "nrecognized archive format",
            "End-of-central-directory",
            "not a bzip2 file",
            "not recognized",
            "unknown suffix",
            "Child returned status",
        ],
        apply: archive_kind,
    },
    Rule { name: "unzip: no such archive", tools: &["unzip"], signs: &["cannot find or open"], apply: unzip_missing },
    Rule {
        name: "chmod, chown: the file first",
        tools: &["chmod", "chown", "chgrp"],
        signs: &["nvalid mode", "nvalid file mode", "nvalid user", "illegal user name", "nvalid group"],
        apply: mode_first,
    },
    Rule {
        name: "ln: a directory",
        tools: &["ln"],
        signs: &["hard link not allowed for directory", "s a directory"],
        apply: hard_link,
    },
    Rule { name: "ln: the wrong order", tools: &["ln"], signs: &["File exists"], apply: link_order },
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
    Rule { name: "man: no page", tools: &["man"], signs: &["o manual entry for"], apply: man_missing },
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
    Rule { name: "dd: an operand", tools: &["dd"], signs: &["unrecognized operand"], apply: dd_operand },
    Rule {
        name: "xargs: a quote in a name",
        tools: &["xargs"],
        signs: &["unmatched single quote", "unmatched double quote", "unterminated quote"],
        apply: xargs_quote,
    },
    Rule {
        name: "one dash for two",
        tools: &[],
        signs: &["invalid option", "illegal option", "unknown option", "nrecognized option", "bad option"],
        apply: one_dash,
    },
    Rule {
        name: "a misspelt long option",
        tools: &[],
        signs: &[
            "unrecognized option",
            "unknown option",
            "nrecognized argument",
            "unexpected argument",
            "o such option",
        ],
        apply: long_option,
    },
    Rule {
        name: "the tool's own help",
        tools: &[],
        signs: &["for more information", "for details", "for help"],
        apply: own_help,
    },
    Rule {
        name: "open: an address without its protocol",
        tools: &["open", "xdg-open", "gnome-open", "kde-open"],
        signs: &["does not exist", "No such file", "not found"],
        apply: open_address,
    },
    Rule {
        name: "whois: an address",
        tools: &["whois"],
        signs: &["o match", "nvalid", "rror", "o whois server"],
        apply: whois,
    },
    Rule { name: "killed for its memory", tools: &[], signs: &[], apply: killed_for_memory },
    Rule {
        name: "out of memory",
        tools: &[],
        signs: &["annot allocate memory", "Out of memory", "out of memory", "OOM"],
        apply: memory,
    },
    Rule {
        name: "missing operands",
        tools: &[],
        signs: &["missing operand", "missing destination file operand", "missing file operand"],
        apply: missing_operand,
    },
];

fn grep_directory(case: &Case<'_>, _: &dyn World) -> Option<Finding> {
    let recursive = case.words().iter().any(|word| {
        word.text.starts_with('-') && !word.text.starts_with("--") && word.text.contains(['r', 'R'])
            || word.text == "--recursive"
    });
    (!recursive).then(|| {
        Finding::fix(Confidence::Sure, case.with_inserted(1, "-r"), "through the directory")
            .because("grep reads files; a directory only with -r.")
    })
}

fn grep_order(case: &Case<'_>, world: &dyn World) -> Option<Finding> {
    let operands: Vec<(usize, &str)> = case.operands().collect();
    let [(first, file), rest @ ..] = operands.as_slice() else { return None };
    let missing = rest.iter().any(|(_, word)| case.output.says(&format!("{word}: No such file")));
    let exists = near::exists(file, world);
    if rest.is_empty() || !missing || !exists {
        return None;
    }
    let last = rest.last()?.0;
    let words = case.words();
    let text = case.line.text();
    let moved =
        format!("{} {}", &text[words[*first + 1].span.start..words[last].span.end], &text[words[*first].span.clone()]);
    Some(
        Finding::fix(
            Confidence::Sure,
            case.line.with(words[*first].span.start..words[last].span.end, &moved),
            "the pattern before the file",
        )
        .because("grep takes the pattern first, then the files."),
    )
}

fn grep_pattern(case: &Case<'_>, _: &dyn World) -> Option<Finding> {
    let fixed = case.words().iter().any(|word| word.text.starts_with("-F") || word.text == "--fixed-strings");
    (!fixed).then(|| {
        Finding::fix(Confidence::Likely, case.with_inserted(1, "-F"), "the text as it is")
            .because("As a pattern, the text has a bracket, a parenthesis or a backslash without its other half.")
    })
}

/// `find . -name *.c`.
fn find_pattern(case: &Case<'_>, _: &dyn World) -> Option<Finding> {
    let text = case.line.text();
    let words = case.words();
    let mut line = text.to_owned();
    for index in (1..words.len()).rev() {
        let raw = &text[words[index].span.clone()];
        let follows = words[index - 1].text.as_str();
        if ["-name", "-iname", "-path", "-ipath", "-wholename"].contains(&follows)
            && raw.contains(['*', '?', '['])
            && !raw.contains(['\'', '"', '\\'])
        {
            line.replace_range(words[index].span.clone(), &quoted(raw));
        }
    }
    (line != text).then(|| {
        Finding::fix(Confidence::Sure, line, "the pattern in quotes")
            .because("The shell made file names of the pattern before find saw it.")
    })
}

fn find_predicate(case: &Case<'_>, _: &dyn World) -> Option<Finding> {
    let said = case.output.captures(pattern!(
        r"unknown (?:predicate|primary|operand|primary or operator):? [`'‘]?-{0,2}([\w-]+)[`'’]?"
    ))?;
    let index = case
        .words()
        .iter()
        .position(|word| word.text.trim_start_matches('-') == &said[1] && word.text.starts_with('-'))?;
    let typed = case.word(index)?;
    if let Some(known) = PREDICATES.iter().find(|known| typed.strip_prefix('-') == Some(**known)) {
        return Some(Finding::fix(Confidence::Sure, case.with_word(index, known), "find's words have one dash"));
    }
    let meant = typo::nearest(typed, PREDICATES.iter().copied().filter(|known| *known != "-delete"))?;
    Some(
        Finding::fix(Confidence::Likely, case.with_word(index, meant), "the nearest of find's words")
            .because(format!("find knows no {typed}.")),
    )
}

fn find_exec(case: &Case<'_>, _: &dyn World) -> Option<Finding> {
    let last = case.words().last()?;
    let text = case.line.text();
    // A bare ; ends the command for the shell: put the backslash before it.
    let rest = text[last.span.end..].trim_start();
    let cause = "What follows -exec must end in \\; or +.";
    Some(if rest.starts_with(';') {
        let at = text.len() - rest.len();
        let gap = if text[..at].ends_with(' ') { "" } else { " " };
        Finding::fix(
            Confidence::Sure,
            case.line.with(at..at + 1, &format!("{gap}\\;")),
            "the end of -exec, kept from the shell",
        )
        .because(cause)
    } else {
        Finding::fix(Confidence::Sure, case.with_inserted(usize::MAX, "\\;"), "with the end of -exec").because(cause)
    })
}

fn find_path(case: &Case<'_>, _: &dyn World) -> Option<Finding> {
    case.word(1).is_some_and(|word| word.starts_with('-') && PREDICATES.contains(&word)).then(|| {
        Finding::fix(Confidence::Sure, case.with_inserted(1, "."), "below this directory")
            .because("This find wants a directory to begin in.")
    })
}

fn tar_file(case: &Case<'_>, _: &dyn World) -> Option<Finding> {
    let flags = case.word(1)?;
    let is_flags = flags.trim_start_matches('-').chars().all(|c| c.is_ascii_alphabetic())
        && !flags.starts_with("--")
        && !flags.contains('f')
        && flags.contains(['x', 'c', 't']);
    (is_flags && case.words().len() > 2).then(|| {
        Finding::fix(Confidence::Sure, case.with_raw(1, &format!("{flags}f")), "with the archive's name")
            .because("Without f, tar reads and writes a tape or the terminal.")
    })
}

fn tar_operation(case: &Case<'_>, _: &dyn World) -> Option<Finding> {
    let is_archive = |word: &str| {
        [".tar", ".tgz", ".tbz2", ".txz", ".tar.gz", ".tar.bz2", ".tar.xz", ".tar.zst"]
            .iter()
            .any(|ending| word.ends_with(ending))
    };
    let operands: Vec<(usize, &str)> = case.operands().collect();
    let cause = "tar must be told what to do: x to extract, c to create, t to list.";
    match operands.as_slice() {
        [(index, archive)] if is_archive(archive) && case.words().len() == 2 => {
            Some(Finding::fix(Confidence::Guess, case.with_inserted(*index, "-xf"), "to extract it").because(cause))
        }
        [(flags_at, flags), ..] if case.output.says("more than one") => Some(Finding::cause(
            Confidence::Likely,
            format!(
                "{} asks for two things at once: extract (x), create (c) or list (t).",
                case.word(*flags_at).unwrap_or(flags)
            ),
        )),
        _ => Some(Finding::cause(Confidence::Likely, cause)),
    }
}

fn archive_kind(case: &Case<'_>, _: &dyn World) -> Option<Finding> {
    let (index, archive) = case.operands().find(|(_, word)| word.contains('.') && !word.ends_with('/'))?;
    let shown = &case.line.text()[case.words()[index].span.clone()];
    let ends = |endings: &[&str]| endings.iter().any(|ending| archive.ends_with(ending));
    let tool = case.tool();
    let cause = format!("{archive} is not an archive of the kind {tool} was told.");
    let finding = |command: String, why: &str| {
        Some(Finding::fix(Confidence::Likely, command, why.to_owned()).because(cause.clone()))
    };
    if ends(&[".zip", ".jar", ".whl", ".apk"]) && tool != "unzip" {
        return finding(case.with_command(&format!("unzip {shown}")), "a zip archive");
    }
    if ends(&[".tar.gz", ".tgz", ".tar.bz2", ".tar.xz", ".tar", ".tar.zst", ".txz", ".tbz2"]) && tool != "tar" {
        return finding(case.with_command(&format!("tar -xf {shown}")), "a tar archive");
    }
    if tool == "tar" {
        let flags = case.word(1).filter(|flags| !flags.starts_with("--") && flags.contains('x'))?;
        let plain: String = flags.chars().filter(|c| !"zjJ".contains(*c)).collect();
        if plain != flags {
            return finding(case.with_raw(1, &plain), "tar finds out the compression by itself");
        }
    }
    Some(Finding::cause(Confidence::Likely, format!("{cause} `file {shown}` tells what it is.")))
}

fn unzip_missing(case: &Case<'_>, world: &dyn World) -> Option<Finding> {
    let (index, typed) = case.operands().next()?;
    let meant = near::path(typed, world)?;
    Some(
        Finding::fix(Confidence::Likely, case.with_word(index, &meant), "the nearest file")
            .because(format!("There is no {typed}.")),
    )
}

/// `chmod script.sh +x`.
fn mode_first(case: &Case<'_>, world: &dyn World) -> Option<Finding> {
    let operands: Vec<(usize, &str)> =
        case.words().iter().enumerate().skip(1).map(|(index, word)| (index, word.text.as_str())).collect();
    let [(first, file), (second, mode)] = operands.as_slice() else { return None };
    let is_mode = case.tool() != "chmod" || mode.contains(['+', '=', '-']) || mode.chars().all(|c| c.is_digit(8));
    if !is_mode || case.tool() != "chmod" && !near::exists(file, world) || mode.contains('/') {
        return None;
    }
    let text = case.line.text();
    let (one, other) = (&case.words()[*first].span, &case.words()[*second].span);
    let swapped = format!("{} {}", &text[other.clone()], &text[one.clone()]);
    let what = if case.tool() == "chmod" { "mode" } else { "owner" };
    Some(
        Finding::fix(
            Confidence::Likely,
            case.line.with(one.start..other.end, &swapped),
            format!("the {what} before the file"),
        )
        .because(format!("{} takes the {what} first.", case.tool())),
    )
}

fn hard_link(case: &Case<'_>, _: &dyn World) -> Option<Finding> {
    (!case.has_word(&["-s", "--symbolic"])).then(|| {
        Finding::fix(Confidence::Sure, case.with_inserted(1, "-s"), "a symbolic link")
            .because("Only a symbolic link can lead to a directory.")
    })
}

fn link_order(case: &Case<'_>, world: &dyn World) -> Option<Finding> {
    let operands: Vec<(usize, &str)> = case.operands().collect();
    let [(first, target), (second, link)] = operands.as_slice() else { return None };
    let cause = format!("{link} is there already; ln takes what is there first, then the new name.");
    if near::exists(target, world) || !case.has_word(&["-s", "--symbolic"]) {
        return Some(Finding::cause(
            Confidence::Likely,
            format!("{link} is there already, and ln does not replace it."),
        ));
    }
    let text = case.line.text();
    let (one, other) = (&case.words()[*first].span, &case.words()[*second].span);
    let swapped = format!("{}{}{}", &text[other.clone()], &text[one.end..other.start], &text[one.clone()]);
    Some(
        Finding::fix(Confidence::Likely, case.line.with(one.start..other.end, &swapped), "what is there first")
            .because(cause),
    )
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

fn man_missing(case: &Case<'_>, world: &dyn World) -> Option<Finding> {
    let said = case.output.captures(pattern!(r"o manual entry for (\S+?)(?: in section (\S+))?\.?$"))?;
    let name = said.get(1)?.as_str();
    let index = case.position(name)?;
    let finding = Finding::cause(Confidence::Likely, format!("There is no manual page for {name} here."));
    if said.get(2).is_some() {
        return Some(finding.or(case.with_command(&format!("man {}", quoted(name))), "in any section"));
    }
    if !world.has(name) {
        let near = typo::nearest(name, world.commands().iter().map(String::as_str));
        if let Some(near) = near.filter(|near| near.len() > 2) {
            return Some(
                finding
                    .or(case.with_word(index, near), "the nearest command")
                    .or(format!("{} --help", quoted(name)), "its own help"),
            );
        }
    }
    Some(finding.or(case.with_command(&format!("{} --help", quoted(name))), "its own help"))
}

fn systemctl_verb(case: &Case<'_>, _: &dyn World) -> Option<Finding> {
    let operands: Vec<(usize, &str)> = case.operands().collect();
    let (first, verb) = *operands.first()?;
    if case.tool() == "systemctl" {
        if let [_, (second, other)] = operands.as_slice() {
            if VERBS.contains(other) && !VERBS.contains(&verb) {
                let text = case.line.text();
                let (one, two) = (&case.words()[first].span, &case.words()[*second].span);
                let swapped = format!("{} {}", &text[two.clone()], &text[one.clone()]);
                return Some(Finding::fix(
                    Confidence::Sure,
                    case.line.with(one.start..two.end, &swapped),
                    "what to do before the unit",
                ));
            }
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

fn dd_operand(case: &Case<'_>, _: &dyn World) -> Option<Finding> {
    let said = case.output.captures(pattern!(r"unrecognized operand [`'‘](.+?)['’`]"))?;
    Some(Finding::cause(
        Confidence::Likely,
        format!("dd's words are pairs such as if=FILE, of=FILE, bs=1M, count=1; {} is none of them.", &said[1]),
    ))
}

fn xargs_quote(case: &Case<'_>, _: &dyn World) -> Option<Finding> {
    let has_own = case.has_word(&["-0", "--null", "-d", "--delimiter"]);
    (!has_own).then(|| {
        Finding::fix(Confidence::Likely, case.with_inserted(1, "-d '\\n'"), "one name a line, as it is")
            .because("A name that xargs reads has a quote in it.")
    })
}

/// `-help`, `-version`, `-h` where the tool has only `--help`.
fn one_dash(case: &Case<'_>, _: &dyn World) -> Option<Finding> {
    let words = case.words();
    let at = words.iter().position(|word| {
        ["-help", "-version", "-verbose", "-recursive", "-force", "-quiet", "-all"].contains(&word.text.as_str())
    });
    if let Some(index) = at {
        let word = &words[index].text;
        return Some(Finding::fix(
            Confidence::Likely,
            case.with_raw(index, &format!("-{word}")),
            "long options have two dashes",
        ));
    }
    let index = case.position("-h").filter(|_| words.len() == 2 && case.output.says("--help"))?;
    Some(Finding::fix(Confidence::Likely, case.with_raw(index, "--help"), "the tool's word for it"))
}

fn long_option(case: &Case<'_>, _: &dyn World) -> Option<Finding> {
    if case.tool() == "git" {
        return None;
    }
    let said = case.output.captures(pattern!(r"(?:nrecognized option|nknown option|nrecognized arguments?|nexpected argument|o such option):? ?[`'‘]?(--[\w-]+)"))?;
    let wrong = said.get(1)?.as_str();
    let index =
        case.words().iter().position(|word| word.text == wrong || word.text.starts_with(&format!("{wrong}=")))?;
    let word = &case.words()[index];
    let raw = &case.line.text()[word.span.clone()];
    // What the tool itself says comes first: a tip, or the options of its usage.
    let tip = case.output.captures(pattern!(r"(?:similar (?:argument|option)(?: exists)?:?|[Dd]id you mean|[Pp]erhaps you meant|possible options?:?) *[`'‘(]?(--[\w-]+)"));
    let tip = tip.as_ref().and_then(|tip| tip.get(1)).map(|tip| tip.as_str());
    let usage: Vec<&str> = case
        .output
        .lines()
        .iter()
        .filter(|line| !line.contains(wrong))
        .flat_map(|line| pattern!(r"--[a-z][\w-]+").find_iter(line))
        .map(|found| found.as_str())
        .collect();
    let listed = typo::nearest(wrong, usage.iter().copied());
    let gnu = [
        "ls", "grep", "cp", "mv", "mkdir", "tar", "du", "df", "sort", "head", "tail", "wc", "ln", "cat", "touch",
        "uniq", "rsync", "sed", "diff", "tree",
    ];
    let usual = gnu.contains(&case.tool()).then(|| typo::nearest(wrong, LONG.iter().copied())).flatten();
    let (meant, confidence) = match (tip, listed, usual) {
        (Some(tip), ..) => (tip, Confidence::Sure),
        (None, Some(listed), _) => (listed, Confidence::Likely),
        (None, None, Some(usual)) => (usual, Confidence::Likely),
        (None, None, None) => {
            return Some(Finding::cause(Confidence::Likely, format!("{} has no option {wrong}.", case.tool())));
        }
    };
    raw.starts_with(wrong).then(|| {
        Finding::fix(
            confidence,
            case.line.with(word.span.start..word.span.start + wrong.len(), meant),
            "the nearest option",
        )
        .because(format!("{} has no option {wrong}.", case.tool()))
    })
}

/// `Try 'ls --help' for more information.`
fn own_help(case: &Case<'_>, _: &dyn World) -> Option<Finding> {
    let said = case.output.captures(pattern!(r#"(?i)(?:try|run|see|use):? +[`'‘"“]?([\w./-]+(?: [\w-]+)*? (?:--help|-h|help))[`'’"”]?(?: or .+?)? for (?:more information|details|help|usage)"#))?;
    let command = said.get(1)?.as_str();
    let tool = command.split(' ').next()?.rsplit('/').next()?;
    (tool == case.tool()).then(|| Finding::fix(Confidence::Guess, case.with_command(command), "the tool's own advice"))
}

fn open_address(case: &Case<'_>, world: &dyn World) -> Option<Finding> {
    let (index, word) = case.operands().next()?;
    let host = word.split('/').next()?;
    let has_domain = host.starts_with("www.")
        || [".com", ".org", ".net", ".io", ".edu", ".dev", ".me", ".info", ".co", ".de"]
            .iter()
            .any(|ending| host.ends_with(ending));
    (has_domain && !word.contains("://") && !near::exists(word, world)).then(|| {
        Finding::fix(
            Confidence::Likely,
            case.with_raw(index, &format!("https://{}", &case.line.text()[case.words()[index].span.clone()])),
            "as an address of the web",
        )
    })
}

fn whois(case: &Case<'_>, _: &dyn World) -> Option<Finding> {
    let (index, word) = case.operands().next()?;
    let host = word.split_once("://").map_or(word, |(_, rest)| rest).split('/').next()?;
    let bare = if host == word {
        host.strip_prefix("www.")
            .or_else(|| host.split_once('.').filter(|(_, rest)| rest.contains('.')).map(|(_, rest)| rest))?
    } else {
        host
    };
    Some(Finding::fix(Confidence::Likely, case.with_word(index, bare), "whois knows domains"))
}

fn killed_for_memory(case: &Case<'_>, world: &dyn World) -> Option<Finding> {
    (case.status == Some(137) && world.memory_kills() > 0).then(|| {
        Finding::cause(
            Confidence::Likely,
            "The kernel has killed processes here for lack of memory; this was probably one of them.",
        )
    })
}

fn memory(_: &Case<'_>, _: &dyn World) -> Option<Finding> {
    Some(Finding::cause(
        Confidence::Guess,
        "There was not enough memory: `free -h` shows what there is, `ulimit -v` and the container's limit what is allowed.",
    ))
}

fn missing_operand(case: &Case<'_>, _: &dyn World) -> Option<Finding> {
    let cause = match case.tool() {
        "cp" | "mv" | "ln" if case.operands().count() == 1 => {
            format!("{} needs a destination behind what it is to take.", case.tool())
        }
        tool => format!("{tool} needs to be told what to work on."),
    };
    Some(Finding::cause(Confidence::Likely, cause))
}
