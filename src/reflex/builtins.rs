//! Names that bash, zsh or fish run by themselves.

/// What a person types of the shells' own words; keywords that begin a command are among them.
const BUILTINS: &[&str] = &[
    ".", ":", "[", "[[", "abbr", "alias", "and", "argparse", "autoload", "begin", "bg", "bind", "bindkey", "break",
    "breakpoint", "builtin", "caller", "case", "cd", "cdh", "command", "commandline", "compdef", "compgen", "complete",
    "compopt", "contains", "continue", "coproc", "count", "declare", "dirh", "dirs", "disable", "disown", "echo",
    "echotc", "emit", "emulate", "enable", "end", "eval", "exec", "exit", "export", "false", "fc", "fg", "fish_add_path",
    "fish_config", "for", "foreach", "funced", "funcsave", "function", "functions", "getopts", "hash", "help", "history",
    "if", "isatty", "jobs", "kill", "let", "limit", "local", "logout", "mapfile", "math", "nextd", "noglob", "not", "or",
    "popd", "prevd", "print", "printf", "pushd", "pwd", "random", "read", "readarray", "readonly", "realpath", "rehash",
    "repeat", "return", "sched", "select", "set", "set_color", "setopt", "shift", "shopt", "source", "status", "string",
    "suspend", "switch", "test", "time", "times", "trap", "true", "type", "typeset", "ulimit", "umask", "unalias",
    "unfunction", "unhash", "unlimit", "unset", "unsetopt", "until", "vared", "wait", "whence", "where", "which", "while",
    "zcompile", "zle", "zmodload", "zmv", "zparseopts", "zstyle",
];

/// The shells' own names, for [`Machine::new`](super::Machine::new).
pub fn builtins() -> Vec<String> {
    BUILTINS.iter().map(|name| (*name).to_owned()).collect()
}
