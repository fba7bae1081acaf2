# shellcheck shell=bash
# shellcheck disable=SC2034,SC2154 # shellmate assigns some variables in front of this file, bash-start.sh others behind it
# The part of shellmate that runs inside a hosted bash. It reports prompts and commands in marks; docs/PROTOCOL.md
# lists the marks and the variables that the hooks keep.
#
# shellmate writes one file: a few assignments (__shellmate_nonce, __shellmate_fifo, …), then bash.sh, bash-hooks.sh,
# bash-keys.sh and bash-start.sh, without comments and indentation. bash reads this file instead of ~/.bashrc, or as
# $ENV when it starts in POSIX mode.
#
# - The functions are defined before any file of the user is read and while aliases are off, so no alias ends up in
#   them.
# - Later the user may define functions named like builtins, make variables read-only and set any option. So builtins
#   are called with `builtin`, all names start with __shellmate_, and hooks run through __shellmate_call.
# - The hooks do not fork. They leave $?, $_, PIPESTATUS, the history and the traps as they were.
# - bash is slow at parsing functions, so this file has only what every prompt and every plain command need. All other
#   functions are lazy: shellmate writes them to a second file (bash-prompt.sh, bash-others.sh; bash-enter.sh,
#   bash-keymap.sh; bash-ble.sh, bash-ble-query.sh). That file is read into the array __shellmate_lazy_code after the
#   first command, and its code is evaluated when a lazy function is called.

# Aliases stay off until the functions are defined. bash-start.sh turns them on again.
\builtin shopt -q expand_aliases && __shellmate_had_aliases=1
\builtin shopt -u expand_aliases

# Runs the hook "$@" without the options in __shellmate_off_flags, then sets those again that the user had set. The
# options would end a hook (-e, -u), trace it (-x), export its variables (-a) or take its arguments for assignments
# (-k). From bash 5.3 on, -m would report finished jobs while the output of hooks is discarded. If an interrupt ends a
# hook, the next call restores the options. `local -` cannot be used: before bash 5.2 it reads the history file again.
__shellmate_call() {
  if [[ $__shellmate_user_flags || $- == *[$__shellmate_off_flags]* ]]; then
    builtin : "${__shellmate_user_flags:=${-//[!$__shellmate_off_flags]/}}"
    builtin set "+$__shellmate_off_flags"
    "$@"
    builtin local __shellmate_flags="-$__shellmate_user_flags"
    __shellmate_user_flags=
    builtin set "$__shellmate_flags"
  else
    "$@"
  fi
}

# Sends a mark for each argument.
__shellmate_send() { builtin printf "$__shellmate_mark;%s\e\\\\" "$@" >/dev/tty; }

# Calls a lazy function.
__shellmate_lazy() {
  __shellmate_load
  "$@"
}

# Defines the lazy functions. On a continuation line those for Enter (part 1) must wait: while a quote is open, bash
# 5.2 writes outside its memory if a key's function parses much text or runs a command substitution.
__shellmate_load() {
  [[ ! $__shellmate_lazy_file ]] || __shellmate_fetch
  builtin local __shellmate_code="$__shellmate_lazy_code"
  ((__shellmate_lineno == 2)) || __shellmate_code+=${__shellmate_lazy_code[1]-}
  [[ $__shellmate_code ]] || builtin return 0
  ! builtin shopt -q expand_aliases || __shellmate_had_aliases=1
  builtin shopt -u expand_aliases
  builtin eval "$__shellmate_code"
  [[ ! ${__shellmate_had_aliases-} ]] || builtin shopt -s expand_aliases
  __shellmate_lazy_code='' __shellmate_had_aliases=''
  ((__shellmate_lineno == 2)) || __shellmate_lazy_code[1]=
}

# Copies the lazy functions from their file to a variable, which no cleanup of temporary files can delete. If the file
# is gone, queries become comments until shellmate has written the file again.
# shellcheck disable=SC2016 # the string is code for later
__shellmate_fetch() {
  if builtin mapfile -d '' __shellmate_lazy_code <"$__shellmate_lazy_file"; then
    __shellmate_lazy_file=
  else
    __shellmate_lazy_code=('__shellmate_inspect() { [[ $__shellmate_line != ">"?( *) ]] || READLINE_LINE="# $READLINE_LINE"; }')
  fi
}

# Sets __shellmate_field to $1, encoded as a field of a mark and cut to $2 bytes.
__shellmate_encode() {
  __shellmate_field=$1
  [[ ${#1} -le 16384 && $1 != *[%\;[:cntrl:]]* ]] || __shellmate_lazy __shellmate_escape "$@"
}

# Encodes the working directory for the next marks.
__shellmate_set_cwd() {
  __shellmate_encode "${PWD-}"
  __shellmate_last_pwd=${PWD-} __shellmate_cwd_field=$__shellmate_field
}
