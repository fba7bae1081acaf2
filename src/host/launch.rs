//! Builds the arguments, environment and files with which each shell reads its own start files and shellmate's hooks.

use std::ffi::{OsStr, OsString};
use std::fs::{DirBuilder, OpenOptions};
use std::io::{self, Write};
use std::os::unix::ffi::OsStrExt;
use std::os::unix::fs::{DirBuilderExt, OpenOptionsExt};
use std::os::unix::process::CommandExt;
use std::path::{Path, PathBuf};
use std::process::Command;

use super::HostError;
use super::finder_key::finder_binding;
use super::kind::ShellKind;
use super::own_command::own_command;
use crate::text::shell::quote::{self, Dialect};

const BASH: &str = concat!(
    include_str!("../../shell-integration/bash.sh"),
    include_str!("../../shell-integration/bash-hooks.sh"),
    include_str!("../../shell-integration/bash-keys.sh"),
    include_str!("../../shell-integration/bash-start.sh")
);
/// The lazy functions of bash (see bash.sh) in three parts, separated by NUL: for the prompt, for Enter, for ble.sh.
const BASH_LAZY: &str = concat!(
    include_str!("../../shell-integration/bash-prompt.sh"),
    include_str!("../../shell-integration/bash-others.sh"),
    "\0",
    include_str!("../../shell-integration/bash-enter.sh"),
    include_str!("../../shell-integration/bash-keymap.sh"),
    "\0",
    include_str!("../../shell-integration/bash-ble.sh"),
    include_str!("../../shell-integration/bash-ble-query.sh")
);
const BASH_LAZY_NAME: &str = "bash-lazy";
const ZSH: &str = concat!(
    include_str!("../../shell-integration/zsh-line.zsh"),
    include_str!("../../shell-integration/zsh-query.zsh"),
    include_str!("../../shell-integration/zsh.zsh")
);
const FISH: &str = concat!(
    include_str!("../../shell-integration/fish.fish"),
    include_str!("../../shell-integration/fish-keys.fish"),
    include_str!("../../shell-integration/fish-query.fish")
);

/// The options of shellmate's own command line that are passed on to the shell.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(crate) struct StartOptions {
    /// shellmate's own `argv[0]`. A leading `-` asks for a login shell. A slash means that it was started by path.
    pub arg0: OsString,
    /// Whether `-l` was given. A leading `-` in `arg0` has the same meaning.
    pub login: bool,
    /// The arguments after `--`.
    pub args: Vec<OsString>,
}

impl StartOptions {
    fn dash(&self) -> bool {
        self.arg0.as_encoded_bytes().starts_with(b"-")
    }
}

/// Forms the shell's `argv[0]` like shellmate's own: a path, a name, or a name with the leading `-` of a login shell.
fn arg0_for(program: &Path, ours: &OsStr) -> OsString {
    let name = program.file_name().unwrap_or(program.as_os_str());
    let ours = ours.as_encoded_bytes();
    if ours.starts_with(b"-") {
        let mut arg0 = OsString::from("-");
        arg0.push(name);
        arg0
    } else if ours.contains(&b'/') {
        program.as_os_str().to_owned()
    } else {
        name.to_owned()
    }
}

/// Everything needed to start a shell.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Launch {
    pub program: PathBuf,
    pub arg0: OsString,
    pub args: Vec<OsString>,
    /// Changes to the environment. `None` removes a variable.
    pub env: Vec<(OsString, Option<OsString>)>,
    /// Files that contain the nonce. They are deleted once the integration has sent its first mark.
    pub secrets: Vec<PathBuf>,
}

/// The values that are passed to an integration script.
pub(crate) struct Integration<'a> {
    /// The session's private directory.
    pub directory: &'a Path,
    pub nonce: &'a str,
    /// The FIFO from which the hook reads directives.
    pub fifo: &'a Path,
    /// The letter that opens the finder of the history together with Ctrl, and the path of this program.
    pub finder: Option<(char, &'a Path)>,
    /// The path of this program, if `PATH` does not find it as `shellmate`.
    pub command: Option<&'a Path>,
}

impl Integration<'_> {
    /// The line that defines the command `shellmate`, if it is needed.
    fn command(&self, kind: ShellKind) -> Vec<u8> {
        self.command.map(|program| own_command(kind, program)).unwrap_or_default()
    }

    /// The script with the lines that bind the key of the finder, if there is one.
    fn with_finder(&self, kind: ShellKind, script: &str) -> Vec<u8> {
        let binding = self.finder.and_then(|(letter, program)| finder_binding(kind, letter, program.as_os_str()));
        let binding = binding.map(|lines| lean(&String::from_utf8_lossy(&lines))).unwrap_or_default();
        [lean(script), binding].concat().into_bytes()
    }
}

/// Starts the shell with exactly these arguments. `SHELL` and `_` name the shell if they named shellmate.
pub(crate) fn exact(program: &Path, arg0: &OsStr, args: Vec<OsString>) -> Launch {
    let is_us = |name: &str| {
        let named = std::env::var_os(name).map(PathBuf::from).and_then(|path| path.canonicalize().ok());
        named.is_some() && named == std::env::current_exe().ok()
    };
    let names_us = ["SHELL", "_"].into_iter().filter(|name| is_us(name));
    Launch {
        program: program.to_owned(),
        arg0: arg0_for(program, arg0),
        args,
        env: names_us.map(|name| (name.into(), Some(program.into()))).collect(),
        secrets: Vec::new(),
    }
}

/// Starts the shell without an integration.
pub(crate) fn plain(program: &Path, wishes: &StartOptions) -> Launch {
    let login = wishes.login.then(|| OsString::from("-l"));
    exact(program, &wishes.arg0, login.into_iter().chain(wishes.args.iter().cloned()).collect())
}

/// The same launch with the shell's own start files left out, as far as the shell can.
pub(crate) fn without_start_files(launch: Launch) -> Launch {
    let options: &[&str] = match ShellKind::of(&launch.program) {
        ShellKind::Bash => &["--noprofile", "--norc"],
        ShellKind::Zsh => &["-f"],
        ShellKind::Fish => &["--no-config"],
        ShellKind::Other => &[],
    };
    // A POSIX shell has no option for this, but reads only the file in `ENV`.
    let env = launch.env.into_iter().chain([("ENV".into(), None)]).collect();
    let args = options.iter().map(OsString::from).chain(launch.args).collect();
    Launch { args, env, ..launch }
}

/// Replaces this process with the shell. Returns only if that fails.
pub(crate) fn exec(launch: &Launch) -> HostError {
    let mut command = Command::new(&launch.program);
    command.arg0(&launch.arg0).args(&launch.args);
    for (name, value) in &launch.env {
        match value {
            Some(value) => command.env(name, value),
            None => command.env_remove(name),
        };
    }
    HostError::NotExecutable { path: launch.program.clone(), source: command.exec() }
}

impl Launch {
    /// Adds the hooks for a known shell. `variable` reads the environment that the shell would inherit.
    pub(crate) fn integrate(
        &mut self,
        wishes: &StartOptions,
        integration: &Integration<'_>,
        variable: impl Fn(&str) -> Option<OsString>,
    ) -> io::Result<()> {
        match ShellKind::of(&self.program) {
            ShellKind::Bash => self.integrate_bash(wishes, integration, variable),
            ShellKind::Zsh => self.integrate_zsh(wishes, integration, variable),
            ShellKind::Fish => self.integrate_fish(integration),
            ShellKind::Other => Ok(()),
        }
    }

    /// bash reads the file of `--rcfile` instead of `~/.bashrc`. A login shell ignores `--rcfile` but reads `$ENV` in POSIX mode. The
    /// script leaves POSIX mode before any of the user's files are read.
    fn integrate_bash(
        &mut self,
        wishes: &StartOptions,
        integration: &Integration<'_>,
        variable: impl Fn(&str) -> Option<OsString>,
    ) -> io::Result<()> {
        let BashArguments { login, posix, norc, noprofile, rcfile, others } = BashArguments::read(wishes, &variable);
        let flag = |set: bool| OsString::from(if set { "1" } else { "" });
        let script = integration.directory.join("bash");
        let lazy = integration.directory.join(BASH_LAZY_NAME);
        let env = variable("ENV");
        let values = [
            ("nonce", integration.nonce.into()),
            ("fifo", integration.fifo.into()),
            ("lazy_file", lazy.clone().into()),
            ("login", flag(login)),
            ("norc", flag(norc)),
            ("noprofile", flag(noprofile)),
            ("posix", flag(posix)),
            ("rcfile", rcfile),
            ("env_set", flag(env.is_some())),
            ("env", env.unwrap_or_default()),
            ("histfile_set", flag(variable("HISTFILE").is_some())),
        ];
        // The first command, so that `bash -x` does not print the nonce and `bash -a` does not export it.
        let mut text = b"{ __shellmate_start_flags=${-//[!avx]/}; set +avx; } 2>/dev/null\n".to_vec();
        text.extend(preamble(&values, "__shellmate_", "=", Dialect::Posix));
        text.extend(integration.command(ShellKind::Bash));
        write_secret(&script, &text, &integration.with_finder(ShellKind::Bash, BASH))?;
        write_secret(&lazy, b"", lean(BASH_LAZY).as_bytes())?;
        // With `--rcfile` bash would still read the system-wide bashrc, which `--norc` excludes too.
        let mut args: Vec<OsString> = if login || norc || posix {
            self.env.push(("ENV".into(), Some(script.clone().into())));
            vec!["--posix".into()]
        } else {
            vec!["--rcfile".into(), script.clone().into()]
        };
        if wishes.login {
            args.push("-l".into());
        }
        args.extend(others);
        self.args = args;
        self.secrets.push(script);
        Ok(())
    }

    /// zsh reads `$ZDOTDIR/.zshenv` first. The integration's `.zshenv` restores the user's `ZDOTDIR`, so zsh reads the user's own files
    /// from then on.
    fn integrate_zsh(
        &mut self,
        wishes: &StartOptions,
        integration: &Integration<'_>,
        variable: impl Fn(&str) -> Option<OsString>,
    ) -> io::Result<()> {
        let directory = integration.directory.join("zsh");
        DirBuilder::new().mode(0o700).recursive(true).create(&directory)?;
        let script = directory.join(".zshenv");
        let no_rcs = |arg: &OsStr| matches!(arg.to_str(), Some("-f" | "--no-rcs" | "--norcs"));
        let flag = |set: bool| OsString::from(if set { "1" } else { "" });
        let zdotdir = variable("ZDOTDIR");
        let values = [
            ("nonce", integration.nonce.into()),
            ("fifo", integration.fifo.into()),
            ("zdotdir_set", flag(zdotdir.is_some())),
            ("zdotdir", zdotdir.unwrap_or_default()),
            ("norcs", flag(wishes.args.iter().any(|arg| no_rcs(arg)))),
        ];
        let mut text = preamble(&values, "__shellmate_", "=", Dialect::Posix);
        text.extend(integration.command(ShellKind::Zsh));
        write_secret(&script, &text, &integration.with_finder(ShellKind::Zsh, ZSH))?;
        self.args.retain(|arg| !no_rcs(arg));
        self.env.push(("ZDOTDIR".into(), Some(directory.into())));
        self.secrets.push(script);
        Ok(())
    }

    /// fish runs `--init-command` after the user's configuration and before the first prompt.
    fn integrate_fish(&mut self, integration: &Integration<'_>) -> io::Result<()> {
        let script = integration.directory.join("fish");
        let values = [("fifo", integration.fifo.into()), ("renew_file", integration.directory.join("renew").into())];
        let mut text = preamble(&values, "set -g __shellmate_", " ", Dialect::Fish);
        // The nonce is inside a function, because fish lists variables but prints a function only if asked for it by name.
        let mark = format!(
            "function __shellmate_mark\nbuiltin printf '\\e]7771;{}%s%s%s%s%s%s\\e\\\\\\\\' $argv >/dev/tty\nend\n",
            integration.nonce
        );
        text.extend(mark.as_bytes());
        text.extend(integration.command(ShellKind::Fish));
        write_secret(&script, &text, &integration.with_finder(ShellKind::Fish, FISH))?;
        let mut source = OsString::from("source ");
        source.push(bytes_to_os(quote::bytes(script.as_os_str().as_bytes(), Dialect::Fish)));
        self.args.push("--init-command".into());
        self.args.push(source);
        self.secrets.push(script);
        Ok(())
    }
}

/// Writes the files again that a shell may still read, after the session's directory was deleted.
pub(crate) fn restore(kind: ShellKind, directory: &Path) -> io::Result<()> {
    match kind {
        ShellKind::Bash => write_secret(&directory.join(BASH_LAZY_NAME), b"", lean(BASH_LAZY).as_bytes()),
        ShellKind::Zsh | ShellKind::Fish | ShellKind::Other => Ok(()),
    }
}

fn bytes_to_os(bytes: Vec<u8>) -> OsString {
    use std::os::unix::ffi::OsStringExt;
    OsString::from_vec(bytes)
}

/// Assignments of these values, one per line.
fn preamble(values: &[(&str, OsString)], set: &str, equals: &str, dialect: Dialect) -> Vec<u8> {
    let mut out = Vec::new();
    for (name, value) in values {
        out.extend_from_slice(format!("{set}{name}{equals}").as_bytes());
        out.extend_from_slice(&quote::bytes(value.as_bytes(), dialect));
        out.push(b'\n');
    }
    out
}

/// Writes a new file that only the user may read. Fails if the path exists, even as a symbolic link.
fn write_secret(path: &Path, preamble: &[u8], script: &[u8]) -> io::Result<()> {
    let mut file = OpenOptions::new().write(true).create_new(true).mode(0o600).open(path)?;
    file.write_all(&[preamble, script].concat())
}

/// Removes comments and indentation, because the shell reads every character of the script at each start.
fn lean(script: &str) -> String {
    let mut out = String::with_capacity(script.len());
    for line in script.lines().map(str::trim_start).filter(|line| !line.is_empty() && !line.starts_with('#')) {
        out.push_str(line);
        out.push('\n');
    }
    out
}

/// The start options of bash. shellmate starts bash with other options, so its script does what these ask for.
#[derive(Default)]
struct BashArguments {
    login: bool,
    posix: bool,
    norc: bool,
    noprofile: bool,
    rcfile: OsString,
    /// The arguments that are passed to bash unchanged.
    others: Vec<OsString>,
}

impl BashArguments {
    fn read(wishes: &StartOptions, variable: impl Fn(&str) -> Option<OsString>) -> BashArguments {
        let mut asked = BashArguments {
            login: wishes.login || wishes.dash(),
            posix: variable("POSIXLY_CORRECT").is_some(),
            ..BashArguments::default()
        };
        let mut given = wishes.args.iter();
        while let Some(arg) = given.next() {
            match arg.to_str().unwrap_or_default() {
                "--norc" => asked.norc = true,
                "--noprofile" => asked.noprofile = true,
                "--posix" => asked.posix = true,
                "--login" | "-l" => {
                    asked.login = true;
                    asked.others.push(arg.clone());
                }
                "--rcfile" | "--init-file" => asked.rcfile = given.next().cloned().unwrap_or_default(),
                _ => asked.others.push(arg.clone()),
            }
        }
        asked
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The script as bash prints it after parsing, without blank lines.
    fn understood(script: &str) -> Option<Vec<String>> {
        let directory = tempfile::tempdir().ok()?;
        let file = directory.path().join("script");
        std::fs::write(&file, script).ok()?;
        let printed = Command::new("bash").arg("--pretty-print").arg(file).output().ok()?;
        let text = printed.status.success().then(|| String::from_utf8(printed.stdout))?.ok()?;
        Some(text.lines().filter(|line| !line.is_empty()).map(str::to_owned).collect())
    }

    #[test]
    fn bash_parses_a_script_without_comments_like_the_original() {
        let version = Command::new("bash").args(["-c", "((BASH_VERSINFO[0] * 100 + BASH_VERSINFO[1] > 501))"]).status();
        if !version.is_ok_and(|status| status.success()) {
            writeln!(io::stderr(), "SKIPPED: bash before 5.2 does not print what it has understood").unwrap();
            return;
        }
        for script in [BASH, BASH_LAZY].into_iter().flat_map(|text| text.split('\0')) {
            let lean = lean(script);
            assert!(lean.len() < script.len());
            let whole = understood(script).unwrap();
            assert!(whole.len() > 50);
            assert_eq!(understood(&lean), Some(whole));
        }
    }

    #[test]
    fn removing_comments_keeps_the_separators_between_sections() {
        assert_eq!(lean("a\n  # b\n\0# c\n\n  d\n"), "a\n\0# c\nd\n");
    }
}
