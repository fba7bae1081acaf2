//! Explains exit statuses.

use super::case::Case;

const TABLE: &str = include_str!("statuses.txt");

/// The signals that end a process, with their usual cause.
const SIGNALS: &[(i32, &str, &str)] = &[
    (1, "SIGHUP", "its terminal was closed"),
    (2, "SIGINT", "Ctrl-C"),
    (3, "SIGQUIT", "Ctrl-\\"),
    (4, "SIGILL", "an instruction the processor does not know: built for another one"),
    (5, "SIGTRAP", "a breakpoint or a check of its own"),
    (6, "SIGABRT", "it ended itself: a failed assertion, an uncaught exception, or corrupted memory"),
    (7, "SIGBUS", "it touched memory that is not backed: a file cut short, or a full /dev/shm"),
    (8, "SIGFPE", "an impossible calculation, mostly a division by zero"),
    (9, "SIGKILL", "somebody killed it, often the kernel for lack of memory"),
    (11, "SIGSEGV", "a segmentation fault: it touched memory that is not its own"),
    (13, "SIGPIPE", "the program that read its output has ended, which is harmless in a pipe"),
    (14, "SIGALRM", "a timer of its own ran out"),
    (15, "SIGTERM", "it was asked to end"),
    (24, "SIGXCPU", "it used up its processor time"),
    (25, "SIGXFSZ", "a file grew past the allowed size"),
    (31, "SIGSYS", "a system call that a sandbox forbids"),
];

/// One line about the status, if it means more than a general failure.
pub(super) fn meaning(case: &Case<'_>) -> Option<String> {
    let status = case.status?;
    // A tool that was not found has no statuses of its own.
    let is_missing = status == 127 && case.says_missing();
    if let Some(words) = documented(case.tool(), status).filter(|_| !is_missing) {
        return Some(format!("{} ended with {status}: {words}.", case.tool()));
    }
    let is_builtin = super::builtins::is_builtin(case.tool());
    match status {
        2 if is_builtin => Some(format!("{} ended with 2: it was used wrongly.", case.tool())),
        126 => Some("126: it was found but could not be run.".to_owned()),
        // A missing script or an unset variable also gives 127, so this applies only if the shell says so or prints nothing.
        127 if case.output.lines().is_empty() || says_unknown(case) => {
            Some("127: there is no command of that name.".to_owned())
        }
        128.. => by_signal(status - 128),
        // Some programs report the signal of a child as a negative number.
        ..0 => by_signal(-status),
        _ => None,
    }
}

fn says_unknown(case: &Case<'_>) -> bool {
    ["ommand not found", ": not found", "nknown command"].iter().any(|words| case.output.says(words))
}

fn by_signal(signal: i32) -> Option<String> {
    let (_, name, cause) = SIGNALS.iter().find(|(number, ..)| *number == signal)?;
    Some(format!("{}: it was ended by {name} ({cause}).", 128 + signal))
}

/// The meaning from the tool's manual.
fn documented(tool: &str, status: i32) -> Option<&'static str> {
    let code = status.to_string();
    TABLE.lines().filter(|line| !line.starts_with('#')).find_map(|line| {
        let (tools, rest) = line.split_once(' ')?;
        let (number, words) = rest.split_once(' ')?;
        (number == code && tools.split(',').any(|name| name == tool)).then_some(words)
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::reflex::FailedCommand;

    fn says(command: &str, status: i32) -> Option<String> {
        let cwd = std::path::Path::new("/");
        meaning(&Case::new(&FailedCommand { command, output: "", status: Some(status), cwd }))
    }

    #[test]
    fn documented_statuses_of_a_tool_are_explained() {
        assert!(says("curl -sf http://x/", 22).unwrap().contains("400 or above"));
        assert!(says("sudo rsync a b", 23).unwrap().contains("not transferred"));
        assert!(says("timeout 5 sleep 9", 124).unwrap().contains("time was up"));
        assert!(says("grep x y", 1).unwrap().contains("no line matched"));
        assert_eq!(says("./a.out", 1), None);
    }

    #[test]
    fn a_signal_is_named() {
        assert!(says("./a.out", 139).unwrap().contains("SIGSEGV"));
        assert!(says("./a.out", 137).unwrap().contains("memory"));
        assert!(says("./a.out", 130).unwrap().contains("Ctrl-C"));
        assert!(says("./a.out", -9).unwrap().contains("SIGKILL"));
        assert_eq!(says("./a.out", 200), None);
    }

    #[test]
    fn every_line_of_the_table_is_read() {
        for line in TABLE.lines().filter(|line| !line.starts_with('#')) {
            let mut fields = line.splitn(3, ' ');
            let (tools, number, words) = (fields.next().unwrap(), fields.next().unwrap(), fields.next().unwrap());
            assert!(!tools.is_empty() && number.parse::<u8>().is_ok() && !words.is_empty(), "{line}");
        }
    }
}
