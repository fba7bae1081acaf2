//! Commands that run another command: `env`, `timeout`, `sudo`, `xargs`, `sh -c`.

use super::argument::Argument;
use super::kinds;
use super::options::leading;

/// What a command runs besides itself.
#[derive(Debug)]
pub(super) enum Wrapper<'a> {
    /// The command after it, as it would run alone.
    Transparent(&'a [Argument]),
    /// The command after it, with these assignments.
    Env { assignments: Vec<&'a Argument>, command: &'a [Argument] },
    /// The command after it, in a way that must be asked about: with other rights, in the shell's place, under a tracer.
    Asked(&'a [Argument]),
    /// The command after it, with arguments from its input.
    Input(&'a [Argument]),
    /// A text as a script of a shell. `is_plain` says that the shell has no other option.
    Script { text: &'a Argument, is_plain: bool },
}

impl Wrapper<'_> {
    /// A script of a shell that reads start files, or whose grammar is another one.
    fn with_questions(self) -> Self {
        match self {
            Wrapper::Script { text, .. } => Wrapper::Script { text, is_plain: false },
            other => other,
        }
    }
}

const SUDO: &str = "-A -b -B -E -H -i -K -k -l -n -N -P -S -s -V -v -C= -D= -g= -h= -p= -R= -r= -T= -t= -U= -u= --askpass --background --bell \
    --close-from= --chdir= --preserve-env? --group= --set-home --login --remove-timestamp --reset-timestamp --non-interactive \
    --preserve-groups --prompt= --chroot= --role= --stdin --shell --type= --user= --command-timeout= --other-user=";
const XARGS: &str = "-0 -a=@ -d= -E= -e? -I= -i? -J= -L= -l? -n= -P= -p -r -R= -S= -s= -t -x --null --arg-file=@ --delimiter= --eof? --replace? \
    --max-lines? --max-args= --max-procs= --interactive --no-run-if-empty --max-chars= --verbose --exit --show-limits --process-slot-var= \
    --open-tty -o";

/// Wrappers that change nothing about their command, with their options and how many operands precede the command.
const TRANSPARENT: &[(&str, &str, usize)] = &[
    ("nohup", "", 0),
    ("nice", "-# -n= --adjustment=", 0),
    ("timeout", "-s= -k= -v -p -f --signal= --kill-after= --foreground --preserve-status --verbose", 1),
    ("time", "-p", 0),
    ("stdbuf", "-i= -o= -e= --input= --output= --error=", 0),
    ("ionice", "-c= -n= -t --class= --classdata= --ignore", 0),
];

/// Wrappers whose commands are always asked about.
const ASKED: &[(&str, &str, usize)] = &[
    ("sudo", SUDO, 0),
    ("doas", "-n -s -C= -L -u=", 0),
    ("pkexec", "--user= --disable-internal-agent --keep-cwd", 0),
    ("command", "-p", 0),
    ("builtin", "", 0),
    ("exec", "-a= -c -l", 0),
    ("setsid", "-c -f -w --ctty --fork --wait", 0),
    ("busybox", "", 0),
    ("toybox", "", 0),
    ("chroot", "--groups= --userspec= --skip-chdir", 1),
    (
        "flock",
        "-s -x -e -u -n -w= -o -E= -F -c --shared --exclusive --nonblock --timeout= --close --no-fork --verbose",
        1,
    ),
    ("strace", "-f -ff -c -C -d -q -r -t -tt -T -v -x -y -e= -o= -s= -p= -a= -b= -E= -I= -O= -P= -S= -u= -X=", 0),
    (
        "watch",
        "-b -c -d? -e -g -n= -p -t -x --beep --color --differences? --errexit --interval= --precise --no-title --exec",
        0,
    ),
    ("caffeinate", "-d -i -m -s -u -t= -w=", 0),
    ("unbuffer", "-p", 0),
    ("taskset", "-a -c -p --all-tasks --cpu-list --pid", 1),
    ("chrt", "-a -b -d -f -i -o -r -p -m -v", 1),
];

/// Reads the command that `arguments` begins with as a wrapper. A wrapper without a command, or with unknown options, is none.
pub(super) fn unwrap(arguments: &[Argument]) -> Option<Wrapper<'_>> {
    let (name, rest) = arguments.split_first()?;
    let name = kinds::base(&name.text);
    let after = |table: &[(&str, &str, usize)]| {
        let (_, options, operands) = *table.iter().find(|(listed, ..)| *listed == name)?;
        let (_, count) = leading(options, rest).ok()?;
        let command = rest.get(count + operands..)?;
        (!command.is_empty()).then_some(command)
    };
    if kinds::is_shell(name) && name != "busybox" {
        let is_posix = matches!(name, "sh" | "bash" | "dash");
        return script(rest).map(|found| if is_posix { found } else { found.with_questions() });
    }
    if let Some(command) = after(TRANSPARENT) {
        return Some(Wrapper::Transparent(command));
    }
    if let Some(command) = after(ASKED) {
        return Some(Wrapper::Asked(without_assignments(command)));
    }
    match name {
        "env" => env(rest),
        "xargs" | "gxargs" => {
            let (_, count) = leading(XARGS, rest).ok()?;
            Some(Wrapper::Input(&rest[count..])).filter(|_| count < rest.len())
        }
        "parallel" => Some(Wrapper::Input(&rest[rest.iter().position(|word| !word.text.starts_with('-'))?..])),
        "su" | "runuser" => {
            let at = rest.iter().position(|word| matches!(word.text.as_str(), "-c" | "--command"))?;
            Some(Wrapper::Script { text: rest.get(at + 1)?, is_plain: false })
        }
        _ => None,
    }
}

fn env(rest: &[Argument]) -> Option<Wrapper<'_>> {
    let (parsed, count) =
        leading("-i -0 -v -u= -C= --ignore-environment --null --unset= --chdir= --debug", rest).ok()?;
    let operands = &rest[count..];
    let assignments: Vec<&Argument> = operands.iter().take_while(|word| word.text.contains('=')).collect();
    let command = &operands[assignments.len()..];
    match (command.is_empty(), parsed.options.is_empty()) {
        (true, _) => None,
        (false, true) => Some(Wrapper::Env { assignments, command }),
        (false, false) => Some(Wrapper::Asked(command)),
    }
}

/// The text after `-c` of a shell.
fn script(rest: &[Argument]) -> Option<Wrapper<'_>> {
    for (at, word) in rest.iter().enumerate() {
        let text = word.text.as_str();
        if !text.starts_with(['-', '+']) || text == "--" || text == "-" {
            return None;
        }
        if !text.starts_with("--") && text.starts_with('-') && text.contains('c') {
            let script = rest[at + 1..].iter().find(|word| !word.text.starts_with('-'))?;
            return Some(Wrapper::Script {
                text: script,
                is_plain: at == 0 && text == "-c" && rest.get(1) == Some(script),
            });
        }
        if matches!(text, "-o" | "+o" | "-O" | "+O" | "--rcfile" | "--init-file") {
            // The value of the option is not an operand.
            return script(rest.get(at + 2..)?).map(Wrapper::with_questions);
        }
    }
    None
}

/// `sudo NAME=value command`
fn without_assignments(command: &[Argument]) -> &[Argument] {
    let count =
        command.iter().take_while(|word| word.text.contains('=') && !word.text.starts_with(['/', '.', '='])).count();
    if count < command.len() { &command[count..] } else { command }
}

/// The command inside all wrappers: a script's shell stays.
pub(super) fn innermost(arguments: &[Argument]) -> &[Argument] {
    match unwrap(arguments) {
        Some(
            Wrapper::Transparent(command)
            | Wrapper::Asked(command)
            | Wrapper::Input(command)
            | Wrapper::Env { command, .. },
        ) => innermost(command),
        Some(Wrapper::Script { .. }) | None => arguments,
    }
}
