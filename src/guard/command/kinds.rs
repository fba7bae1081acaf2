//! Kinds of programs, by name.

/// Shells that read commands.
const SHELLS: &[&str] =
    &["sh", "bash", "zsh", "dash", "ksh", "ksh93", "mksh", "fish", "csh", "tcsh", "ash", "rbash", "busybox", "pwsh"];

/// Programs that run a text in their own language.
const INTERPRETERS: &[&str] = &[
    "python",
    "python2",
    "python3",
    "pypy",
    "pypy3",
    "perl",
    "ruby",
    "node",
    "nodejs",
    "deno",
    "bun",
    "php",
    "lua",
    "luajit",
    "tclsh",
    "wish",
    "osascript",
    "Rscript",
    "julia",
    "guile",
    "sbcl",
    "ghci",
    "scala",
    "groovy",
    "irb",
    "ipython",
    "ts-node",
    "tsx",
    "expect",
    "gdb",
    "lldb",
    "emacs",
    "vim",
    "vi",
    "nvim",
    "ed",
    "ex",
    "awk",
    "gawk",
    "mawk",
    "nawk",
    "sqlite3",
    "psql",
    "mysql",
    "nix-shell",
];

/// Programs that bring text from another machine.
const FETCHERS: &[&str] = &[
    "curl", "wget", "wget2", "fetch", "http", "https", "httpie", "xh", "aria2c", "lynx", "links", "w3m", "nc", "ncat",
    "netcat", "socat", "ftp", "lftp", "ssh", "scp", "axel", "openssl", "telnet", "gh", "aws", "gsutil",
];

/// Programs that run another one with the rights of another user.
const RAISES: &[&str] = &["sudo", "sudoedit", "doas", "su", "runuser", "pkexec", "run0", "please"];

/// Whether the text of a command names `sudo` or its kin anywhere, in quotes and comments too.
pub(crate) fn mentions_other_rights(command: &str) -> bool {
    let is_part = |letter: char| letter.is_alphanumeric() || letter == '_' || letter == '-';
    command.split(|letter: char| !is_part(letter)).any(|word| RAISES.contains(&word))
}

/// Builtins of bash that run a text as commands.
pub(super) const RUNS_TEXT: &[&str] =
    &["eval", "source", ".", "trap", "mapfile", "readarray", "bind", "complete", "compgen", "fc"];

/// Builtins that change the shell that runs the rest of the text.
pub(super) const SHELL_STATE: &[&str] = &[
    "export", "declare", "typeset", "local", "readonly", "alias", "unalias", "set", "shopt", "unset", "enable", "hash",
    "read", "getopts", "let", "umask", "ulimit", "pushd", "popd", "dirs", "history", "shift", "exec", "builtin",
    "coproc", "disown", "suspend",
];

/// Builtins that are also in the table of commands that only look.
pub(super) const BUILTINS: &[&str] = &[
    "echo", "printf", "pwd", "true", "false", "test", "[", ":", "cd", "exit", "return", "break", "continue", "type",
    "command",
];

/// The name without its directory.
pub(super) fn base(name: &str) -> &str {
    name.rsplit('/').next().unwrap_or(name)
}

/// Whether a list has this name, or this name without its version: `python3.11` is `python`.
fn has(list: &[&str], name: &str) -> bool {
    let base = base(name);
    list.contains(&base) || list.contains(&base.trim_end_matches(|c: char| c.is_ascii_digit() || c == '.' || c == '-'))
}

pub(super) fn is_shell(name: &str) -> bool {
    has(SHELLS, name)
}

pub(super) fn is_interpreter(name: &str) -> bool {
    has(INTERPRETERS, name)
}

/// Whether a program runs another one with the rights of another user.
pub(super) fn raises_rights(name: &str) -> bool {
    RAISES.contains(&base(name))
}

pub(super) fn is_fetcher(name: &str) -> bool {
    has(FETCHERS, name)
}
