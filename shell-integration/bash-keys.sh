# shellcheck shell=bash
# shellcheck disable=SC2034,SC2154 # bash.sh is in front of this
# Enter, and how it comes to us.

# Enter. At a prompt it takes a query and empties the line; anything else it remembers as the command's text, line by line.
__shellmate_enter() {
  builtin local __shellmate_line="${READLINE_LINE-}" __shellmate_h="${READLINE_LINE%%[[:blank:]]*}" __shellmate_t=wiped
  __shellmate_encode "$__shellmate_line" "$__shellmate_room"
  ! builtin shopt -q promptvars || __shellmate_t+=\;$__shellmate_field # else `start` is said before the line is drawn again
  __shellmate_say "$__shellmate_t"
  __shellmate_t=$__shellmate_field
  [[ ${FUNCNAME[2]-source} == source ]] || builtin return 0 # a function that was bound to a key reads this line
  if ((!__shellmate_at)); then # a command reads this line; or our hooks were thrown away, and this is the prompt after that
    [[ ${PROMPT_COMMAND[*]-}${precmd_functions[*]-} != *__shellmate_* ]] || builtin return 0
    __shellmate_last
  fi
  if [[ $__shellmate_at == 1 && ($__shellmate_line == [\>^]* || $__shellmate_line == *[$'\n!']* || ${histchars-!} != !* ||
    $__shellmate_h == +([[:alnum:]_]) && ${BASH_ALIASES[$__shellmate_h]-$__shellmate_h} == fc?([[:blank:]]*)) ]]; then
    __shellmate_rare __shellmate_odd || builtin return 0
    __shellmate_encode "$__shellmate_line" "$__shellmate_room"
    __shellmate_t=$__shellmate_field
  fi
  # Where the history has no such event, or is only to be shown, bash prompts again with the PS1 that was, wherever that lies now.
  [[ ${READLINE_LINE-} == *[\!^]* || ${histchars-!} != !* ]] || __shellmate_undress
  [[ ${PWD-} == "$__shellmate_pwd" ]] || __shellmate_where
  ((__shellmate_at == 1)) || __shellmate_t=$__shellmate_text%0A$__shellmate_t
  __shellmate_text=$__shellmate_t __shellmate_ended=0
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
    ((BASH_VERSINFO[0] * 100 + BASH_VERSINFO[1] > 501)) || { builtin echo && builtin continue; } # it has no name before
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
  builtin printf %s "${__shellmate_q[0]}" >|"${__shellmate_f}map"
  builtin bind -m emacs "\$include ${__shellmate_f}map"
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
