# shellcheck shell=bash
# shellcheck disable=SC2034,SC2154 # shellmate assigns some in front of this file, and bash-start.sh others behind it
# How a hosted bash tells shellmate what it does; the marks are in docs/PROTOCOL.md. Bash reads this in place of ~/.bashrc, or as
# $ENV when it starts in posix mode, behind assignments written by shellmate. The functions come before any file of the user's, so
# that no alias is in them. Later a function may hide a builtin, a variable be read-only, any option be set: hence `builtin`, the
# names, and __shellmate_call. The hooks do not fork and leave $?, $_, PIPESTATUS, the history and the traps as they found them.
# This is what every prompt and a plain command need. The rest (bash-prompt.sh, bash-others.sh; bash-enter.sh; bash-ble.sh) waits
# until it is needed, because bash is slow to parse functions: in a file until the first command has ended, then in
# __shellmate_unread.
\builtin shopt -q expand_aliases && __shellmate_aliases=1
\builtin shopt -u expand_aliases

# Calls a hook with the options off that would end, show or export it, or take its arguments for assignments; and from bash 5.3
# that would report finished jobs after each command, where nobody sees it. (`local -` reads the history file again before bash
# 5.2.) What an interrupt keeps a call from putting back, the next one puts back.
__shellmate_call() {
  if [[ $__shellmate_options || $- == *[$__shellmate_off]* ]]; then
    builtin : "${__shellmate_options:=${-//[!$__shellmate_off]/}}"
    builtin set "+$__shellmate_off"
    "$@"
    builtin local __shellmate_o="-$__shellmate_options"
    __shellmate_options=
    builtin set "$__shellmate_o"
  else
    "$@"
  fi
}

__shellmate_say() { builtin printf "$__shellmate_mark;%s\e\\\\" "$@" >/dev/tty; }

# Calls a function of the rest.
__shellmate_rare() {
  __shellmate_read
  "$@"
}
# On a continuation line bash-enter.sh is left unread, and nothing of it runs: there bash forgets over much parsing, or a command
# substitution, that a quote is open, and writes in front of its own memory.
__shellmate_read() {
  [[ ! $__shellmate_rest ]] || __shellmate_fetch
  builtin local __shellmate_t="$__shellmate_unread"
  ((__shellmate_at == 2)) || __shellmate_t+=${__shellmate_unread[1]-}
  [[ $__shellmate_t ]] || builtin return 0
  ! builtin shopt -q expand_aliases || __shellmate_aliases=1
  builtin shopt -u expand_aliases
  builtin eval "$__shellmate_t"
  [[ ! ${__shellmate_aliases-} ]] || builtin shopt -s expand_aliases
  __shellmate_unread='' __shellmate_aliases=''
  ((__shellmate_at == 2)) || __shellmate_unread[1]=
}
# Nobody cleans up a variable as one does files. While the file is gone, a query becomes a comment; shellmate makes it anew.
# shellcheck disable=SC2016 # it is for later
__shellmate_fetch() {
  if builtin mapfile -d '' __shellmate_unread <"$__shellmate_rest"; then
    __shellmate_rest=
  else
    __shellmate_unread=('__shellmate_odd() { [[ $__shellmate_line != ">"?( *) ]] || READLINE_LINE="# $READLINE_LINE"; }')
  fi
}

# Sets __shellmate_field to $1 as a field of a mark, cut to $2 bytes.
__shellmate_encode() {
  __shellmate_field=$1
  [[ ${#1} -le 16384 && $1 != *[%\;[:cntrl:]]* ]] || __shellmate_rare __shellmate_escape "$@"
}

__shellmate_where() {
  __shellmate_encode "${PWD-}"
  __shellmate_pwd=${PWD-} __shellmate_cwd=$__shellmate_field
}

# First before a prompt, with $? and $_. What it leaves in __shellmate_next the caller evaluates, outside of any function.
__shellmate_precmd() {
  __shellmate_status=$1 __shellmate_arg=$2 __shellmate_next=
  if ((__shellmate_ended)); then
    [[ ! $__shellmate_query$__shellmate_kept ]] || __shellmate_rare __shellmate_twice "$1"
    builtin return
  fi
  __shellmate_ended=1 __shellmate_at=0 __shellmate_input=
  __shellmate_undress
  [[ ! -e ${__shellmate_fifo%/*}/renew ]] || __shellmate_rare __shellmate_renew
  [[ ! -t 9 ]] || __shellmate_input=$__shellmate_mark$';input\e\\' # PS1 and PS0 go to stderr, and the nonce to no file
  [[ $__shellmate_text != *bind* ]] || __shellmate_keys='' # bound anew, perhaps
  [[ $__shellmate_text != *DEBUG* ]] || __shellmate_next=$__shellmate_trap
  [[ ${PWD-} == "$__shellmate_pwd" ]] || __shellmate_where
  [[ ! $__shellmate_query ]] || __shellmate_rare __shellmate_ask "$1" || builtin return 0
  __shellmate_say "end;$1" "prompt;$__shellmate_cwd"
  [[ ${#PROMPT_COMMAND[@]} -le 2 && ${PROMPT_COMMAND-} != *$'\n'*$'\n'* && ! ${precmd_functions-} ]] || __shellmate_jobs
}

# A hook of the user's that calls `jobs`, as a prompt does that counts them, takes the notice of a job that has ended by then; and ours,
# which runs before, gives a job the time to end. So the notices are kept, and shown where bash would show them: behind all hooks.
__shellmate_jobs() {
  builtin local __shellmate_f="${__shellmate_fifo%/*}/jobs"
  builtin jobs -n >|"$__shellmate_f"
  [[ ! -s $__shellmate_f ]] || builtin read -r -d '' __shellmate_notices <"$__shellmate_f" || builtin :
}

# What it is called with is $_ again.
__shellmate_restore() { ((!__shellmate_status)) || builtin return "$__shellmate_status"; }

# Last before a prompt: sees that all hooks are in place, whatever was done to them, and expects a command.
__shellmate_last() {
  [[ ! ${BLE_VERSION-} ]] || ! __shellmate_rare __shellmate_ble last || builtin return 0
  [[ ${PROMPT_COMMAND[0]-} == "$__shellmate_first" && ${PROMPT_COMMAND[-1]} == "$__shellmate_final" ]] || __shellmate_hook
  if [[ ${PS0-} == *"$__shellmate_ps0" && ${PS1+set} ]] && builtin shopt -q promptvars; then
    builtin printf -v PS1 %s "${PS1%"$__shellmate_ps1"}$__shellmate_ps1"
  else
    __shellmate_append PS0 "$__shellmate_ps0"
    [[ ! ${PS1+set} ]] || __shellmate_append PS1 "$__shellmate_ps1"
  fi
  [[ ${PS1-} == *"$__shellmate_ps1" || ! $__shellmate_input ]] || __shellmate_say input
  [[ ! $__shellmate_notices ]] || { builtin printf '%s\n' "$__shellmate_notices" >/dev/tty && __shellmate_notices=''; }
  [[ $__shellmate_keys ]] || __shellmate_bind
  [[ ! $__shellmate_visual ]] || { __shellmate_visual_back && __shellmate_visual=; } # it was interrupted
  if ((__shellmate_late > 1)); then # Enter did not see it
    __shellmate_number=$__shellmate_late # HISTCMD as the last PS0 saw it
    __shellmate_read
  fi
  [[ ! $__shellmate_rest || ! $__shellmate_text ]] || __shellmate_fetch
  __shellmate_at=1 __shellmate_ended=0 __shellmate_start='' __shellmate_text='' __shellmate_room=65536 __shellmate_late=1
}

# Takes our end off PS1 once it is drawn: others look whether it is still what they made it.
__shellmate_undress() {
  [[ ${PS1-} != *"$__shellmate_ps1"* ]] || builtin printf -v PS1 %s "${PS1//"$__shellmate_ps1"/}"
}

# Makes $2 the end of the prompt string $1; takes it out where bash would show it as it is.
__shellmate_append() {
  builtin shopt -q promptvars || builtin set -- "$1" "$2" ''
  [[ ! ${3+off} && ${!1-} == *"$2" ]] || builtin printf -v "$1" '%s' "${!1//"$2"/}${3-$2}"
}

__shellmate_hook() {
  if [[ ${__bp_imported-}${bash_preexec_imported-} ]]; then
    __shellmate_rare __shellmate_preexec
  elif ((!${#PROMPT_COMMAND[@]} && BASH_VERSINFO[0] * 100 + BASH_VERSINFO[1] > 500)); then
    PROMPT_COMMAND=("$__shellmate_first" "$__shellmate_final")
  else
    __shellmate_rare __shellmate_around PROMPT_COMMAND "$__shellmate_first" "$__shellmate_final"
  fi
}
