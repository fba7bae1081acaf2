# shellcheck shell=bash
# shellcheck disable=SC2016,SC2034,SC2154 # code in strings is for later; bash.sh and ble.sh have the variables
# Where ble.sh edits the line in place of readline. It runs what was accepted by itself, at the top level, and calls PROMPT_COMMAND
# by itself: our hooks stay there, for the day it is detached or loaded anew. Between commands PROMPT_COMMAND and PS1 are hidden.

# At our load, when ble.sh is there: attached, then it has drawn the first prompt; or it will be, by PROMPT_COMMAND or a command.
__shellmate_ble_load() {
  if [[ ${BLE_ATTACHED-} ]] && builtin declare -F ble-attach >/dev/null; then
    __shellmate_ble_arm || __shellmate_problem=editor
    [[ $__shellmate_pwd ]] || { __shellmate_where && __shellmate_say "prompt;$__shellmate_cwd" input; }
  else
    __shellmate_ble_arm
    __shellmate_hook
    __shellmate_bind
    [[ $__shellmate_keys ]] || __shellmate_problem=editor
  fi
}

# Puts our hooks into ble.sh, unless they are there. Called when it was loaded, too, which is before it can be attached. What is
# advised is copied as `declare -f` prints it, and before bash 5.2 that is another thing if it holds `>&"$fd"`.
__shellmate_ble_arm() {
  builtin local __shellmate_f
  [[ ${_ble_hook_h_PRECMD[*]-} != *__shellmate_* ]] || builtin return 0
  builtin declare -F blehook ble/function#advice ble-edit/exec/register >/dev/null || builtin return
  blehook PRECMD!=__shellmate_ble_precmd PREEXEC!=__shellmate_ble_preexec
  [[ ! ${_ble_hook_c_internal_PREEXEC+set} ]] || blehook internal_PREEXEC!=__shellmate_ble_hold
  for __shellmate_f in register:ble-edit/exec/register accept:ble/widget/default/accept-line \
    complete:ble-edit/is-single-complete-line print:ble-edit/exec/print-PS0 marker:ble/edit/marker#get-config \
    eol:ble-edit/exec/.adjust-eol; do
    ! builtin declare -F "${__shellmate_f#*:}" >/dev/null ||
      ble/function#advice around "${__shellmate_f#*:}" "__shellmate_ble_${__shellmate_f%%:*}"
  done
  ! builtin declare -F ble-edit/attach >/dev/null || ble/function#advice before ble-edit/attach __shellmate_ble_attach
  __shellmate_asked=() __shellmate_ask='{ __shellmate_call __shellmate_ble_ask "$?" "$_"'$__shellmate_end
}

# It takes all keys that were bound for the user's, so ours are undone before.
__shellmate_ble_attach() { [[ ! $__shellmate_keys ]] || __shellmate_unbind; }
__shellmate_unbind() {
  builtin local __shellmate_m __shellmate_k __shellmate_n __shellmate_f="${__shellmate_fifo%/*}/keys"
  builtin local -a __shellmate_does
  __shellmate_does=([2]=accept-line [3]=operate-and-get-next [4]=edit-and-execute-command [5]=vi-edit-and-execute-command)
  for __shellmate_m in emacs vi-insert vi-command; do
    builtin bind -m "$__shellmate_m" -s >|"$__shellmate_f"
    while builtin read -r __shellmate_k; do
      [[ $__shellmate_k == *': "\e[\C-_'[16]'\e[\C-_'[2-5]* ]] || builtin continue
      __shellmate_n=${__shellmate_k##*': "\e[\C-_'?'\e[\C-_'}
      builtin bind -m "$__shellmate_m" "${__shellmate_k%': "\e[\C-_'*}: ${__shellmate_does[${__shellmate_n:0:1}]}"
    done <"$__shellmate_f"
    for __shellmate_k in 1 2 3 4 5 6 7; do builtin bind -m "$__shellmate_m" -r "\e[\C-_$__shellmate_k"; done
  done
  __shellmate_keys=
}

# The hooks. A failure in the first is the user's status.
__shellmate_ble_precmd() {
  builtin eval "$__shellmate_first"
  __shellmate_ble_release
  [[ ! ${__shellmate_nonce-} ]] || __shellmate_say "hello;bash;$BASH_VERSION;$$;" # keys are read before the start files end
  [[ ${PROMPT_COMMAND[*]-}${precmd_functions[*]-} == *__shellmate_* ]] || __shellmate_hook
}
__shellmate_ble_preexec() {
  __shellmate_at=0 __shellmate_late='' __shellmate_text='' __shellmate_ended=0
  [[ ${PWD-} == "$__shellmate_pwd" ]] || __shellmate_where
  __shellmate_late "$1"
}

# In place of __shellmate_last. False if readline has the line.
__shellmate_ble_last() {
  __shellmate_ble_arm && [[ ${BLE_ATTACHED-} ]] || builtin return
  if [[ ! ${_ble_edit_PS1_adjusted-} ]]; then
    [[ ${PROMPT_COMMAND[0]-} == "$__shellmate_first" && ${PROMPT_COMMAND[-1]} == "$__shellmate_final" ]] || __shellmate_hook
    __shellmate_append PS1 "$__shellmate_ps1"
  fi
  __shellmate_keys='' __shellmate_ended=0 __shellmate_start='' __shellmate_text='' __shellmate_late=''
}

# Around what ble.sh does with an accepted line. A query is not expanded, and it need not be a command that is complete.
__shellmate_ble_accept() {
  builtin local __shellmate_h=''
  if [[ $_ble_edit_str == '>' || $_ble_edit_str == '> '* ]]; then
    builtin local bleopt_edit_magic_accept=''
    __shellmate_h=${-//[!H]/}
    builtin set +H
  fi
  ble/function#advice/do
  [[ ! $__shellmate_h ]] || builtin set -H
}
__shellmate_ble_complete() {
  builtin local __shellmate_h=''
  [[ $_ble_edit_str != '>' && $_ble_edit_str != '> '* ]] || ! builtin shopt -q cmdhist || __shellmate_h=cmdhist
  [[ ! $__shellmate_h ]] || builtin shopt -u cmdhist # only for that it looks at the syntax
  ble/function#advice/do
  [[ ! $__shellmate_h ]] || builtin shopt -s cmdhist
}

# Around the one way from a line to its run. For a query, another command runs, which asks it.
__shellmate_ble_register() {
  builtin local __shellmate_line="${ADVICE_WORDS[1]-}" __shellmate_h READLINE_LINE
  if [[ ${ADVICE_FUNCNAME[*]-} != *ble/widget/execute-command* ]]; then # a command that is bound to a key
    __shellmate_repeated
    [[ $__shellmate_line == '> '* || $__shellmate_line != *$'\n>'* ]] || __shellmate_part
    if [[ $__shellmate_line == '>' || $__shellmate_line == '> '* ]]; then
      __shellmate_asked+=("$__shellmate_line")
      __shellmate_line=$__shellmate_ask
    fi
    ADVICE_WORDS[1]=$__shellmate_line
  fi
  ble/function#advice/do
}

# Runs as a command does, so the terminal is as for one, and the cursor is below the line already.
__shellmate_ble_ask() {
  __shellmate_status=$1 __shellmate_arg=$2 __shellmate_next='' __shellmate_ended=1
  ((${#__shellmate_asked[@]})) || builtin return 0
  [[ ${PWD-} == "$__shellmate_pwd" ]] || __shellmate_where
  __shellmate_environment
  __shellmate_encode "${__shellmate_asked[0]}"
  __shellmate_asked=("${__shellmate_asked[@]:1}")
  [[ ! -t 9 ]] || __shellmate_input=$__shellmate_mark$';input\e\\'
  builtin printf '\e[A' >/dev/tty
  __shellmate_say "query;$__shellmate_field;kept" "end;$1" "wait;$((++__shellmate_count));$__shellmate_cwd"
  __shellmate_wait
}

# What is said before and after a command, by ble.sh and by hooks of the user's, is not said of that one. `end` is said right behind
# any, before ble.sh draws something.
__shellmate_ble_asks() { [[ $_ble_edit_exec_BASH_COMMAND == "$__shellmate_ask" ]]; }
__shellmate_ble_hold() {
  __shellmate_ble_release
  __shellmate_ble_asks || builtin return 0
  __shellmate_held=("${_ble_hook_h_PREEXEC[@]/#/PREEXEC+=}" "${_ble_hook_h_POSTEXEC[@]/#/POSTEXEC+=}")
  __shellmate_held+=("${_ble_hook_h_ERREXEC[@]/#/ERREXEC+=}")
  _ble_hook_h_PREEXEC=() _ble_hook_h_POSTEXEC=() _ble_hook_h_ERREXEC=()
}
__shellmate_ble_release() {
  [[ ! ${__shellmate_held-} ]] || blehook "${__shellmate_held[@]}"
  __shellmate_held=()
}
__shellmate_ble_eol() {
  ! __shellmate_ble_asks || _ble_edit_exec_PIPESTATUS=("${BLE_PIPESTATUS[@]}")
  __shellmate_say "end;$_ble_edit_exec_lastexit"
  ble/function#advice/do
}
__shellmate_ble_print() { __shellmate_ble_asks || ble/function#advice/do; }
__shellmate_ble_marker() {
  [[ ${ADVICE_WORDS[1]-} != exec_@(errexit|elapsed)_mark ]] || ! __shellmate_ble_asks || builtin return 0
  ble/function#advice/do
}
