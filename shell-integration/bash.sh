# shellcheck shell=bash
# shellcheck disable=SC2016,SC2034 # code in strings is for later, and some variables are only for it
# shellcheck disable=SC2154 # shellmate assigns them in front of this file
# How a hosted bash tells shellmate what it does; the marks are in docs/PROTOCOL.md. Bash reads this in place of ~/.bashrc, or as
# $ENV when it starts in posix mode, behind assignments written by shellmate. The functions come before any file of the user's, so
# that no alias is in them. Later a function may hide a builtin, a variable be read-only, any option be set: hence `builtin`, the
# names, and __shellmate_call. The hooks do not fork and leave $?, $_, PIPESTATUS, the history and the traps as they found them.
# This is what every prompt and a plain command need. The rest, bash-enter.sh and bash-prompt.sh, waits in
# __shellmate_unread: bash is slow to parse functions, and nobody cleans up a variable as one does files.
\builtin shopt -q expand_aliases && __shellmate_aliases=1
\builtin shopt -u expand_aliases

# Calls a hook with the options off that would end, show or export it, or take its arguments for assignments; and from bash 5.3
# that would report finished jobs after each command, where nobody sees it. (`local -` reads the history file again before bash
# 5.2.) What an interrupt keeps a call from putting back, the next one puts back.
__shellmate_call() {
  if [[ ! $__shellmate_options && $- != *[$__shellmate_off]* ]]; then
    "$@"
    builtin return
  fi
  builtin : "${__shellmate_options:=${-//[!$__shellmate_off]/}}"
  builtin set "+$__shellmate_off"
  "$@"
  builtin local __shellmate_o="-$__shellmate_options"
  __shellmate_options=
  builtin set "$__shellmate_o"
}

__shellmate_say() { builtin printf "$__shellmate_mark;%s\e\\\\" "$@" >/dev/tty; }

# Calls a function of the rest.
__shellmate_rare() {
  __shellmate_read
  "$@"
}
__shellmate_read() {
  [[ $__shellmate_unread ]] || builtin return 0
  ! builtin shopt -q expand_aliases || __shellmate_aliases=1
  builtin shopt -u expand_aliases
  builtin eval "$__shellmate_unread"
  [[ ! ${__shellmate_aliases-} ]] || builtin shopt -s expand_aliases
  __shellmate_unread='' __shellmate_aliases=''
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
    if [[ $__shellmate_query == run ]]; then
      # An interrupt or an error in the file that we ran has brought us here.
      [[ ${__shellmate_ran-} ]] || __shellmate_say "ran;$1"
      __shellmate_wait
    elif [[ $__shellmate_kept ]]; then
      __shellmate_next="{ $__shellmate_put"$'\n'"$__shellmate_kept"$'\n} >&8 2>&9 8>&- 9>&-'
    fi
    builtin return
  fi
  __shellmate_ended=1 __shellmate_at=0 __shellmate_input=
  [[ ! -t 9 ]] || __shellmate_input=$__shellmate_mark$';input\e\\' # PS1 and PS0 go to stderr, and the nonce to no file
  [[ $__shellmate_text != *bind* ]] || __shellmate_keys='' # bound anew, perhaps
  [[ $__shellmate_text != *DEBUG* ]] || __shellmate_next=$__shellmate_trap
  [[ ${PWD-} == "$__shellmate_pwd" ]] || __shellmate_where
  if [[ $__shellmate_query ]]; then
    __shellmate_environment
    __shellmate_say "end;$1" "wait;$((++__shellmate_count));$__shellmate_cwd"
    __shellmate_wait
  else
    __shellmate_say "end;$1" "prompt;$__shellmate_cwd"
  fi
}

__shellmate_restore() { builtin return "$__shellmate_status"; } # and what it is called with is $_ again

# Last before a prompt: sees that all hooks are in place, whatever was done to them, and expects a command.
__shellmate_last() {
  [[ ${PROMPT_COMMAND[0]-} == "$__shellmate_first" && ${PROMPT_COMMAND[-1]} == "$__shellmate_final" ]] || __shellmate_hook
  if [[ ${PS0-} != *"$__shellmate_ps0" || ${PS1-} != *"$__shellmate_ps1" ]] || ! builtin shopt -q promptvars; then
    __shellmate_append PS0 "$__shellmate_ps0"
    [[ ! ${PS1+set} ]] || __shellmate_append PS1 "$__shellmate_ps1"
    [[ ${PS1-} == *"$__shellmate_ps1" || ! $__shellmate_input ]] || __shellmate_say input
  fi
  [[ $__shellmate_keys ]] || __shellmate_bind
  [[ ! $__shellmate_visual ]] || { __shellmate_visual_back && __shellmate_visual=; } # it was interrupted
  if ((__shellmate_late > 1)); then # Enter did not see it
    __shellmate_number=$__shellmate_late # HISTCMD as the last PS0 saw it
    __shellmate_read
  fi
  __shellmate_at=1 __shellmate_ended=0 __shellmate_start='' __shellmate_text='' __shellmate_room=65536 __shellmate_late=1
}

# Makes $2 the end of the prompt string $1; takes it out where bash would show it as it is.
__shellmate_append() {
  builtin shopt -q promptvars || builtin set -- "$1" "$2" ''
  [[ ! ${3+off} && ${!1-} == *"$2" ]] || builtin printf -v "$1" '%s' "${!1//"$2"/}${3-$2}"
}

__shellmate_hook() {
  if [[ ${__bp_imported-}${bash_preexec_imported-} ]]; then # bash-preexec, which has to be the last in PROMPT_COMMAND itself
    __shellmate_rare __shellmate_around precmd_functions __shellmate_bp_first __shellmate_bp_last
    [[ ${PROMPT_COMMAND[*]-} != *__shellmate_* ]] || __shellmate_rare __shellmate_around PROMPT_COMMAND '' ''
  elif ((!${#PROMPT_COMMAND[@]} && BASH_VERSINFO[0] * 100 + BASH_VERSINFO[1] > 500)); then
    PROMPT_COMMAND=("$__shellmate_first" "$__shellmate_final")
  else
    __shellmate_rare __shellmate_around PROMPT_COMMAND "$__shellmate_first" "$__shellmate_final"
  fi
}

# Enter. At a prompt it takes a query and empties the line; anything else it remembers as the command's text, line by line.
__shellmate_enter() {
  builtin local __shellmate_line="${READLINE_LINE-}" __shellmate_h="${READLINE_LINE%%[[:blank:]]*}"
  __shellmate_say wiped
  [[ ${FUNCNAME[2]-source} == source ]] || builtin return 0 # a function that was bound to a key reads this line
  if ((!__shellmate_at)); then # a command reads this line; or our hooks were thrown away, and this is the prompt after that
    [[ ${PROMPT_COMMAND[*]-}${precmd_functions[*]-} != *__shellmate_* ]] || builtin return 0
    __shellmate_last
  fi
  if [[ $__shellmate_line == [\>^]* || $__shellmate_line == *[$'\n!']* || ${histchars-!} != !* ||
    $__shellmate_h == +([[:alnum:]_]) && ${BASH_ALIASES[$__shellmate_h]-$__shellmate_h} == fc?([[:blank:]]*) ]]; then
    __shellmate_rare __shellmate_odd || builtin return 0
  fi
  [[ ${PWD-} == "$__shellmate_pwd" ]] || __shellmate_where
  __shellmate_encode "$__shellmate_line" "$__shellmate_room"
  ((__shellmate_at == 1)) || __shellmate_field=$__shellmate_text%0A$__shellmate_field
  __shellmate_text=$__shellmate_field __shellmate_ended=0
  ((__shellmate_room = ${#__shellmate_text} < 65536 ? 65536 - ${#__shellmate_text} : 0))
  if [[ $__shellmate_input ]] && builtin shopt -q promptvars; then
    __shellmate_start=$__shellmate_mark";start;$__shellmate_cwd;$__shellmate_text"$'\e\\' __shellmate_late=''
  elif [[ $__shellmate_input && $__shellmate_text && $__shellmate_at == 1 ]]; then
    __shellmate_rare __shellmate_late '' # without PS0 nobody says when the command is complete
  fi
  __shellmate_at=2
}

# Binds the keys of accept-line and its like, in every keymap, to two sequences of ours: one for the check, one for what the key
# did. No key sends a control character behind ESC [, with which others begin already. Where a terminal cannot erase a line, bash
# would show it twice: no check there. Around each argument `bind` looks through the keymap; of a file it takes all lines at once.
__shellmate_bind() {
  builtin local __shellmate_f="${__shellmate_fifo%/*}/keys" __shellmate_m __shellmate_more=''
  builtin local -a __shellmate_q
  [[ :$SHELLOPTS: == *:@(emacs|vi):* && ${TERM:-dumb} != dumb ]] || builtin return 0
  for __shellmate_m in emacs vi-insert vi-command; do
    ! builtin bind -m "$__shellmate_m" -q accept-line
    ! builtin bind -m "$__shellmate_m" -q operate-and-get-next
    ! builtin bind -m "$__shellmate_m" -q edit-and-execute-command
    ! builtin bind -m "$__shellmate_m" -q vi-edit-and-execute-command
  done >|"$__shellmate_f" # `!`: no key is no error
  builtin mapfile -d '' __shellmate_q <"$__shellmate_f"
  if [[ ${__shellmate_q[0]-} == "$__shellmate_usual" ]]; then
    __shellmate_q[0]=$__shellmate_keymap
  else
    __shellmate_rare __shellmate_unusual
  fi
  for __shellmate_m in emacs vi-insert vi-command; do # in a here-document bash knows `{` only after a newline
    builtin bind -m "$__shellmate_m" -x '"\e[\C-_1": '$'\n{ __shellmate_call __shellmate_enter "$_"; } >/dev/null 2>&1'
    builtin bind -m "$__shellmate_m" -x '"\e[\C-_6": '$'\n{ __shellmate_call __shellmate_rare __shellmate_elsewhere "$_"; } >/dev/null 2>&1'
  done
  builtin printf %s "${__shellmate_q[0]}" >|"$__shellmate_f"
  builtin bind -m emacs "\$include $__shellmate_f"
  __shellmate_keys=1
  [[ ! $__shellmate_more ]] || __shellmate_bind
}
__shellmate_usual='accept-line can be invoked via "\C-j", "\C-m".
operate-and-get-next can be invoked via "\C-o".
edit-and-execute-command can be invoked via "\C-x\C-e".
vi-edit-and-execute-command is not bound to any keys.
accept-line can be invoked via "\C-j", "\C-m".
operate-and-get-next is not bound to any keys.
edit-and-execute-command is not bound to any keys.
vi-edit-and-execute-command is not bound to any keys.
accept-line can be invoked via "\C-j", "\C-m".
operate-and-get-next is not bound to any keys.
edit-and-execute-command is not bound to any keys.
vi-edit-and-execute-command can be invoked via "v".
'
__shellmate_keymap='set keymap emacs
"\e[\C-_2": accept-line
"\C-j": "\e[\C-_1\e[\C-_2"
"\C-m": "\e[\C-_1\e[\C-_2"
"\e[\C-_3": operate-and-get-next
"\C-o": "\e[\C-_1\e[\C-_3"
"\e[\C-_4": edit-and-execute-command
"\C-x\C-e": "\e[\C-_6\e[\C-_4\e[\C-_6"
set keymap vi-insert
"\e[\C-_2": accept-line
"\C-j": "\e[\C-_1\e[\C-_2"
"\C-m": "\e[\C-_1\e[\C-_2"
set keymap vi-command
"\e[\C-_2": accept-line
"\C-j": "\e[\C-_1\e[\C-_2"
"\C-m": "\e[\C-_1\e[\C-_2"
"\e[\C-_5": vi-edit-and-execute-command
"v": "\e[\C-_6\e[\C-_5\e[\C-_6"
'

# When the user's files are done, with $?. Or at the first prompt, if Ctrl-C ended them.
__shellmate_load() {
  builtin local __shellmate_problem=''
  __shellmate_status=$1 __shellmate_arg=$2 __shellmate_next=
  [[ ${__shellmate_nonce-} ]] || builtin return 0
  builtin unset -v 'PROMPT_COMMAND[9999]' __shellmate_nonce __shellmate_login __shellmate_norc __shellmate_noprofile \
    __shellmate_rcfile __shellmate_env __shellmate_env_set __shellmate_histfile_set __shellmate_posix __shellmate_aliases \
    __shellmate_flags __shellmate_boot __shellmate_rest
  if [[ ${PROMPT_COMMAND-} == *([[:space:]])\;* && ${PROMPT_COMMAND[10000]+set} ]]; then # built on an entry that ours had pushed away
    PROMPT_COMMAND=${PROMPT_COMMAND[10000]}$PROMPT_COMMAND
    builtin unset -v 'PROMPT_COMMAND[10000]'
  fi
  if ((BASH_VERSINFO[0] * 100 + BASH_VERSINFO[1] < 404)); then
    __shellmate_problem=old
  elif [[ ${PROMPT_COMMAND@a} == *r* ]]; then
    __shellmate_problem='readonly'
  elif [[ ${BLE_VERSION-} ]]; then
    __shellmate_problem=editor
    __shellmate_read
    blehook PRECMD!=__shellmate_ble_precmd PREEXEC!=__shellmate_ble_preexec
  else
    __shellmate_hook
    __shellmate_bind
    [[ $__shellmate_keys ]] || { __shellmate_problem=editor && __shellmate_read; }
    __shellmate_next=$__shellmate_trap
  fi
  __shellmate_say "hello;bash;$BASH_VERSION;$$;$__shellmate_problem"
}

__shellmate_mark=$'\e]7771;'$__shellmate_nonce
\builtin mapfile -d '' __shellmate_unread <"$__shellmate_rest"
__shellmate_then='; \builtin eval "$__shellmate_next"'
__shellmate_put='__shellmate_restore "$__shellmate_arg" && \builtin : __shellmate_ "$_"'
__shellmate_end="$__shellmate_then; $__shellmate_put; } 8>&1 9>&2 >/dev/null 2>&1"
__shellmate_boot='{ __shellmate_call __shellmate_load "$?" ""'$__shellmate_end
__shellmate_first='{ __shellmate_call __shellmate_precmd "$?" "$_"'$__shellmate_end
__shellmate_final='{ __shellmate_call __shellmate_last; } >/dev/null 2>&1'
__shellmate_run='\. "$__shellmate_file" >&8 2>&9 8>&- 9>&- || \builtin : __shellmate_; __shellmate_call __shellmate_wait'
__shellmate_run+=$__shellmate_then
__shellmate_trap='\builtin trap -p DEBUG >|"${__shellmate_fifo%/*}/trap"; __shellmate_next=; '
__shellmate_trap+='[[ ! -s ${__shellmate_fifo%/*}/trap ]] || __shellmate_call __shellmate_rare __shellmate_guard'$__shellmate_then
__shellmate_ps1='\[${__shellmate_input-}\]'
__shellmate_ps0='${__shellmate_start:+${__shellmate_start:__shellmate_at?0:9999999}}${__shellmate_none[__shellmate_at=0]-}'
__shellmate_ps0+='${__shellmate_late:+${__shellmate_none[__shellmate_late=HISTCMD]-}'
__shellmate_ps0+='$({ __shellmate_call __shellmate_rare __shellmate_late; } 2>/dev/null)}'
__shellmate_visual='' __shellmate_found='' __shellmate_pwd='' __shellmate_user='' __shellmate_kept='' __shellmate_keys='' __shellmate_query='' __shellmate_text='' __shellmate_input=''
__shellmate_count=0 __shellmate_ended=0 __shellmate_at=(0) __shellmate_late=('') __shellmate_options=('') # no array is exported
__shellmate_off=aekux
((BASH_VERSINFO[0] * 100 + BASH_VERSINFO[1] < 503)) || __shellmate_off+=m
