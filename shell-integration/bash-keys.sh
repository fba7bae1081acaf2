# shellcheck shell=bash
# shellcheck disable=SC2034,SC2154 # the variables are assigned in other files
# The check behind the Enter key, and the key bindings that call it.

# Runs when a key is about to accept the line. At a prompt it takes a query and empties the line. Any other line is
# added to __shellmate_typed, the text of the command.
__shellmate_enter() {
  builtin local __shellmate_line="${READLINE_LINE-}" __shellmate_word="${READLINE_LINE%%[[:blank:]]*}" __shellmate_wiped=wiped
  builtin local __shellmate_encoded
  __shellmate_encode "$__shellmate_line" "$__shellmate_typed_room"
  # PS0 sends `start` after the line is drawn again. Without promptvars it is sent below, before that.
  ! builtin shopt -q promptvars || __shellmate_wiped+=\;$__shellmate_field
  __shellmate_send "$__shellmate_wiped"
  __shellmate_encoded=$__shellmate_field
  # A function that the user bound to a key is reading a line.
  [[ ${FUNCNAME[2]-source} == source ]] || builtin return 0
  # No prompt is open: a command reads this line. But if our hooks are gone, this is the prompt after their removal.
  if ((!__shellmate_lineno)); then
    [[ ${PROMPT_COMMAND[*]-}${precmd_functions[*]-} != *__shellmate_* ]] || builtin return 0
    __shellmate_last
  fi
  if [[ $__shellmate_lineno == 1 && ($__shellmate_line == [\>^]* || $__shellmate_line == *[$'\n!']* || ${histchars-!} != !* ||
    $__shellmate_word == +([[:alnum:]_]) && ${BASH_ALIASES[$__shellmate_word]-$__shellmate_word} == fc?([[:blank:]]*)) ]]; then
    __shellmate_lazy __shellmate_inspect || builtin return 0
    __shellmate_encode "$__shellmate_line" "$__shellmate_typed_room"
    __shellmate_encoded=$__shellmate_field
  fi
  # After a history expansion that fails or is only shown, bash prints its pointer to the old PS1 again. So PS1 must
  # not change then.
  [[ ${READLINE_LINE-} == *[\!^]* || ${histchars-!} != !* ]] || __shellmate_strip_ps1
  [[ ${PWD-} == "$__shellmate_last_pwd" ]] || __shellmate_set_cwd
  ((__shellmate_lineno == 1)) || __shellmate_encoded=$__shellmate_typed%0A$__shellmate_encoded
  __shellmate_typed=$__shellmate_encoded __shellmate_end_sent=0
  ((__shellmate_typed_room = ${#__shellmate_typed} < 65536 ? 65536 - ${#__shellmate_typed} : 0))
  if [[ $__shellmate_input_mark ]] && builtin shopt -q promptvars; then
    __shellmate_start_mark=$__shellmate_mark";start;$__shellmate_cwd_field;$__shellmate_typed"$'\e\\' __shellmate_unseen=''
  elif [[ $__shellmate_input_mark && $__shellmate_typed && $__shellmate_lineno == 1 ]]; then
    # Without PS0 nothing tells when the command is complete.
    __shellmate_lazy __shellmate_send_start ''
  fi
  __shellmate_lineno=2
}

# Binds each key that accepts a line, in every keymap, to two key sequences: the first runs the check, the second does
# what the key did before. The sequences start with ESC [ and a control character, which no key of a terminal sends.
# Where a terminal cannot erase a line bash would show it twice, so nothing is bound. The bindings go to `bind` as one
# file, because it searches the keymap for every argument.
__shellmate_bind() {
  builtin local __shellmate_keys_file="${__shellmate_fifo%/*}/keys" __shellmate_map __shellmate_more_keys=''
  builtin local -a __shellmate_bindings
  [[ :$SHELLOPTS: == *:@(emacs|vi):* && ${TERM:-dumb} != dumb ]] || builtin return 0
  for __shellmate_map in emacs vi-insert vi-command; do
    # With `!` a function that has no key is no error.
    ! builtin bind -m "$__shellmate_map" -q accept-line
    ! builtin bind -m "$__shellmate_map" -q operate-and-get-next
    ! builtin bind -m "$__shellmate_map" -q edit-and-execute-command
    # The next function has no name before bash 5.2.
    ((__shellmate_version > 501)) || { builtin echo && builtin continue; }
    ! builtin bind -m "$__shellmate_map" -q vi-edit-and-execute-command
  done >|"$__shellmate_keys_file"
  builtin mapfile -d '' __shellmate_bindings <"$__shellmate_keys_file"
  if [[ ${__shellmate_bindings[0]-} == "$__shellmate_default_keys" ]]; then
    __shellmate_bindings[0]=$__shellmate_default_map
  else
    __shellmate_lazy __shellmate_build_keymap
  fi
  for __shellmate_map in emacs vi-insert vi-command; do
    # In a here-document bash recognises `{` only after a newline.
    builtin bind -m "$__shellmate_map" -x '"\e[\C-_1": '$'\n{ __shellmate_call __shellmate_enter "$_"; } >/dev/null 2>&1'
    builtin bind -m "$__shellmate_map" -x '"\e[\C-_6": '$'\n{ __shellmate_call __shellmate_lazy __shellmate_edit_key "$_"; } >/dev/null 2>&1'
  done
  builtin printf %s "${__shellmate_bindings[0]}" >|"${__shellmate_keys_file}map"
  builtin bind -m emacs "\$include ${__shellmate_keys_file}map"
  __shellmate_keys_bound=1
  [[ ! $__shellmate_more_keys ]] || __shellmate_bind
}

# What `bind` reports if no key was changed, and the bindings to make then.
__shellmate_default_keys='accept-line can be invoked via "\C-j", "\C-m".
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
__shellmate_default_map='set keymap emacs
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
