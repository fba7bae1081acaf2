# shellcheck shell=bash
# shellcheck disable=SC2016,SC2034,SC2154 # strings contain code for later; other files and ble.sh assign the variables
# Lazy functions for bash with ble.sh, which edits the line instead of readline. ble.sh runs accepted lines and
# PROMPT_COMMAND itself, at the top level. Our hooks stay in PROMPT_COMMAND in case ble.sh is detached or loaded
# again. Between commands ble.sh hides PROMPT_COMMAND and PS1.

# Installs the hooks if ble.sh is loaded when the start files end. If it is attached by then, it has already drawn the
# first prompt. Otherwise PROMPT_COMMAND or a command will attach it.
__shellmate_ble_start() {
  if [[ ${BLE_ATTACHED-} ]] && builtin declare -F ble-attach >/dev/null; then
    __shellmate_ble_install || __shellmate_problem=editor
    [[ $__shellmate_last_pwd ]] || { __shellmate_set_cwd && __shellmate_send "prompt;$__shellmate_cwd_field" input; }
  else
    __shellmate_ble_install
    __shellmate_add_hooks
    __shellmate_bind
    [[ $__shellmate_keys_bound ]] || __shellmate_problem=editor
  fi
}

# Adds our hooks to ble.sh unless they are there. ble.sh also calls this (BLE_ONLOAD) when it has been loaded, before
# it can be attached. ble.sh copies an advised function from the output of `declare -f`. Before bash 5.2 that output is wrong
# for `>&"$fd"`, so functions that contain it must not be advised.
__shellmate_ble_install() {
  builtin local __shellmate_advice
  [[ ${_ble_hook_h_PRECMD[*]-} != *__shellmate_* ]] || builtin return 0
  builtin declare -F blehook ble/function#advice ble-edit/exec/register >/dev/null || builtin return
  blehook PRECMD!=__shellmate_ble_precmd PREEXEC!=__shellmate_ble_preexec
  [[ ! ${_ble_hook_c_internal_PREEXEC+set} ]] || blehook internal_PREEXEC!=__shellmate_ble_hold_hooks
  for __shellmate_advice in register:ble-edit/exec/register accept:ble/widget/default/accept-line \
    complete:ble-edit/is-single-complete-line print:ble-edit/exec/print-PS0 marker:ble/edit/marker#get-config \
    eol:ble-edit/exec/.adjust-eol; do
    ! builtin declare -F "${__shellmate_advice#*:}" >/dev/null ||
      ble/function#advice around "${__shellmate_advice#*:}" "__shellmate_ble_${__shellmate_advice%%:*}"
  done
  ! builtin declare -F ble-edit/attach >/dev/null || ble/function#advice before ble-edit/attach __shellmate_ble_attach
  __shellmate_ble_queries=() __shellmate_ble_query_code='{ __shellmate_call __shellmate_ble_query "$?" "$_"'$__shellmate_hook_end
}

# When ble.sh is attached it takes over every binding of the user. So ours are removed before.
__shellmate_ble_attach() { [[ ! $__shellmate_keys_bound ]] || __shellmate_unbind; }
__shellmate_unbind() {
  builtin local __shellmate_map __shellmate_binding __shellmate_number __shellmate_keys_file="${__shellmate_fifo%/*}/keys"
  builtin local -a __shellmate_commands
  __shellmate_commands=([2]=accept-line [3]=operate-and-get-next [4]=edit-and-execute-command [5]=vi-edit-and-execute-command)
  for __shellmate_map in emacs vi-insert vi-command; do
    builtin bind -m "$__shellmate_map" -s >|"$__shellmate_keys_file"
    while builtin read -r __shellmate_binding; do
      [[ $__shellmate_binding == *': "\e[\C-_'[16]'\e[\C-_'[2-5]* ]] || builtin continue
      __shellmate_number=${__shellmate_binding##*': "\e[\C-_'?'\e[\C-_'}
      builtin bind -m "$__shellmate_map" "${__shellmate_binding%': "\e[\C-_'*}: ${__shellmate_commands[${__shellmate_number:0:1}]}"
    done <"$__shellmate_keys_file"
    for __shellmate_binding in 1 2 3 4 5 6 7; do builtin bind -m "$__shellmate_map" -r "\e[\C-_$__shellmate_binding"; done
  done
  __shellmate_keys_bound=
}

# The prompt hook. A failure of its first statement would become the user's status.
__shellmate_ble_precmd() {
  builtin eval "$__shellmate_first_hook"
  __shellmate_ble_release_hooks
  # ble.sh reads keys before the start files end.
  [[ ! ${__shellmate_nonce-} ]] || __shellmate_send "hello;bash;$BASH_VERSION;$$;"
  [[ ${PROMPT_COMMAND[*]-}${precmd_functions[*]-} == *__shellmate_* ]] || __shellmate_add_hooks
}

# Runs before each command.
__shellmate_ble_preexec() {
  __shellmate_lineno=0 __shellmate_unseen='' __shellmate_typed='' __shellmate_end_sent=0
  [[ ${PWD-} == "$__shellmate_last_pwd" ]] || __shellmate_set_cwd
  __shellmate_send_start "$1"
}

# Does the work of __shellmate_last where ble.sh edits the line. Returns false where readline does.
__shellmate_ble_last() {
  __shellmate_ble_install && [[ ${BLE_ATTACHED-} ]] || builtin return
  if [[ ! ${_ble_edit_PS1_adjusted-} ]]; then
    [[ ${PROMPT_COMMAND[0]-} == "$__shellmate_first_hook" && ${PROMPT_COMMAND[-1]} == "$__shellmate_last_hook" ]] || __shellmate_add_hooks
    __shellmate_append PS1 "$__shellmate_ps1_suffix"
  fi
  __shellmate_keys_bound='' __shellmate_end_sent=0 __shellmate_start_mark='' __shellmate_typed='' __shellmate_unseen=''
}
