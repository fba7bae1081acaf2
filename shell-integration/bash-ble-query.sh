# shellcheck shell=bash
# shellcheck disable=SC2034,SC2154 # other files and ble.sh assign the variables
# Lazy functions for queries in ble.sh.

# Around the widget that accepts a line. A query is not expanded.
__shellmate_ble_accept() {
  builtin local __shellmate_histexpand=''
  if [[ $_ble_edit_str == '>' || $_ble_edit_str == '> '* ]]; then
    builtin local bleopt_edit_magic_accept=''
    __shellmate_histexpand=${-//[!H]/}
    builtin set +H
  fi
  ble/function#advice/do
  [[ ! $__shellmate_histexpand ]] || builtin set -H
}

# Around the test whether the line is a complete command, which a query need not be.
__shellmate_ble_complete() {
  builtin local __shellmate_cmdhist=''
  [[ $_ble_edit_str != '>' && $_ble_edit_str != '> '* ]] || ! builtin shopt -q cmdhist || __shellmate_cmdhist=cmdhist
  # The syntax is tested only if cmdhist is set.
  [[ ! $__shellmate_cmdhist ]] || builtin shopt -u cmdhist
  ble/function#advice/do
  [[ ! $__shellmate_cmdhist ]] || builtin shopt -s cmdhist
}

# Around the function through which every accepted line is run. Replaces a query by a command that hands it to
# shellmate.
__shellmate_ble_register() {
  builtin local __shellmate_line="${ADVICE_WORDS[1]-}" READLINE_LINE
  # A command bound to a key is not typed by the user.
  if [[ ${ADVICE_FUNCNAME[*]-} != *ble/widget/execute-command* ]]; then
    __shellmate_check_fc
    [[ $__shellmate_line == '> '* || $__shellmate_line != *$'\n>'* ]] || __shellmate_split_paste
    if [[ $__shellmate_line == '>' || $__shellmate_line == '> '* ]]; then
      __shellmate_ble_queries+=("$__shellmate_line")
      __shellmate_line=$__shellmate_ble_query_code
    fi
    ADVICE_WORDS[1]=$__shellmate_line
  fi
  ble/function#advice/do
}

# Hands the query to shellmate. It runs like a command: the terminal is set up for one, and the cursor is below the
# line.
__shellmate_ble_query() {
  __shellmate_user_status=$1 __shellmate_user_arg=$2 __shellmate_next_code='' __shellmate_end_sent=1
  ((${#__shellmate_ble_queries[@]})) || builtin return 0
  [[ ${PWD-} == "$__shellmate_last_pwd" ]] || __shellmate_set_cwd
  __shellmate_environment
  __shellmate_encode "${__shellmate_ble_queries[0]}"
  __shellmate_ble_queries=("${__shellmate_ble_queries[@]:1}")
  [[ ! -t 9 ]] || __shellmate_input_mark=$__shellmate_mark$';input\e\\'
  builtin printf '\e[A' >/dev/tty
  __shellmate_send "query;$__shellmate_field;kept" "end;$1" "wait;$((++__shellmate_wait_count));$__shellmate_cwd_field"
  __shellmate_wait
}

# A query runs as a command of ble.sh, but is none for the user. So while it runs, the user's hooks are removed and
# ble.sh does not print its messages about a command.
__shellmate_ble_is_query() { [[ $_ble_edit_exec_BASH_COMMAND == "$__shellmate_ble_query_code" ]]; }
__shellmate_ble_hold_hooks() {
  __shellmate_ble_release_hooks
  __shellmate_ble_is_query || builtin return 0
  __shellmate_ble_held_hooks=("${_ble_hook_h_PREEXEC[@]/#/PREEXEC+=}" "${_ble_hook_h_POSTEXEC[@]/#/POSTEXEC+=}")
  __shellmate_ble_held_hooks+=("${_ble_hook_h_ERREXEC[@]/#/ERREXEC+=}")
  _ble_hook_h_PREEXEC=() _ble_hook_h_POSTEXEC=() _ble_hook_h_ERREXEC=()
}
__shellmate_ble_release_hooks() {
  [[ ! ${__shellmate_ble_held_hooks-} ]] || blehook "${__shellmate_ble_held_hooks[@]}"
  __shellmate_ble_held_hooks=()
}

# Sends `end` directly after each command, before ble.sh draws anything.
__shellmate_ble_eol() {
  ! __shellmate_ble_is_query || _ble_edit_exec_PIPESTATUS=("${BLE_PIPESTATUS[@]}")
  __shellmate_send "end;$_ble_edit_exec_lastexit"
  ble/function#advice/do
}
__shellmate_ble_print() { __shellmate_ble_is_query || ble/function#advice/do; }
__shellmate_ble_marker() {
  [[ ${ADVICE_WORDS[1]-} != exec_@(errexit|elapsed)_mark ]] || ! __shellmate_ble_is_query || builtin return 0
  ble/function#advice/do
}
