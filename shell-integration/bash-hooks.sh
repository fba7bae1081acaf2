# shellcheck shell=bash
# shellcheck disable=SC2034,SC2154 # the variables are assigned in other files
# The two prompt hooks: __shellmate_precmd runs before the user's hooks in PROMPT_COMMAND, __shellmate_last after
# them.

# The first hook. Its arguments are $? and $_. The caller evaluates __shellmate_next_code afterwards, outside of any
# function.
__shellmate_precmd() {
  __shellmate_user_status=$1 __shellmate_user_arg=$2 __shellmate_next_code=
  # Called again for the same prompt: by a prompt framework, or because a command of the agent was interrupted.
  if ((__shellmate_end_sent)); then
    [[ ! $__shellmate_query$__shellmate_wrapped_hook ]] || __shellmate_lazy __shellmate_precmd_again "$1"
    builtin return
  fi
  __shellmate_end_sent=1 __shellmate_lineno=0 __shellmate_input_mark=
  __shellmate_strip_ps1
  [[ ! -e ${__shellmate_fifo%/*}/renew ]] || __shellmate_lazy __shellmate_renew
  # Descriptor 9 is stderr, where bash writes PS1 and PS0. The nonce must not get into a file.
  [[ ! -t 9 ]] || __shellmate_input_mark=$__shellmate_mark$';input\e\\'
  # The command may have changed a key binding or a DEBUG trap.
  [[ $__shellmate_typed != *bind* ]] || __shellmate_keys_bound=''
  [[ $__shellmate_typed != *DEBUG* ]] || __shellmate_next_code=$__shellmate_trap_code
  [[ ${PWD-} == "$__shellmate_last_pwd" ]] || __shellmate_set_cwd
  [[ ! $__shellmate_query ]] || __shellmate_lazy __shellmate_begin_wait "$1" || builtin return 0
  __shellmate_send "end;$1" "prompt;$__shellmate_cwd_field"
  # Only hooks of the user make __shellmate_jobs necessary.
  [[ ${#PROMPT_COMMAND[@]} -le 2 && ${PROMPT_COMMAND-} != *$'\n'*$'\n'* && ! ${precmd_functions-} ]] || __shellmate_jobs
}

# Saves the notices of finished jobs, which __shellmate_last prints. bash prints them after all hooks. A hook of the
# user that calls `jobs`, for example to count them, would swallow them, and our first hook gives jobs more time to
# finish before that.
__shellmate_jobs() {
  builtin local __shellmate_file="${__shellmate_fifo%/*}/jobs"
  builtin jobs -n >|"$__shellmate_file"
  [[ ! -s $__shellmate_file ]] || builtin read -r -d '' __shellmate_job_notices <"$__shellmate_file" || builtin :
}

# Restores $? by returning it, and $_ because it is called with its value as the argument.
__shellmate_restore() { ((!__shellmate_user_status)) || builtin return "$__shellmate_user_status"; }

# The last hook. Puts hooks, prompt strings and keys back where something has changed them, and prepares for the next
# command.
__shellmate_last() {
  [[ ! ${BLE_VERSION-} ]] || ! __shellmate_lazy __shellmate_ble last || builtin return 0
  [[ ${PROMPT_COMMAND[0]-} == "$__shellmate_first_hook" && ${PROMPT_COMMAND[-1]} == "$__shellmate_last_hook" ]] || __shellmate_add_hooks
  if [[ ${PS0-} == *"$__shellmate_ps0_suffix" && ${PS1+set} ]] && builtin shopt -q promptvars; then
    builtin printf -v PS1 %s "${PS1%"$__shellmate_ps1_suffix"}$__shellmate_ps1_suffix"
  else
    __shellmate_append PS0 "$__shellmate_ps0_suffix"
    [[ ! ${PS1+set} ]] || __shellmate_append PS1 "$__shellmate_ps1_suffix"
  fi
  [[ ${PS1-} == *"$__shellmate_ps1_suffix" || ! $__shellmate_input_mark ]] || __shellmate_send input
  [[ ! $__shellmate_job_notices ]] || { builtin printf '%s\n' "$__shellmate_job_notices" >/dev/tty && __shellmate_job_notices=''; }
  [[ $__shellmate_keys_bound ]] || __shellmate_bind
  # The external editor was interrupted before $VISUAL was restored.
  [[ ! $__shellmate_saved_visual ]] || { __shellmate_restore_visual && __shellmate_saved_visual=; }
  # Enter did not see the last command; PS0 has stored HISTCMD instead.
  if ((__shellmate_unseen > 1)); then
    __shellmate_last_histcmd=$__shellmate_unseen
    __shellmate_load
  fi
  [[ ! $__shellmate_lazy_file || ! $__shellmate_typed ]] || __shellmate_fetch
  __shellmate_lineno=1 __shellmate_end_sent=0 __shellmate_start_mark=''
  __shellmate_typed='' __shellmate_typed_room=65536 __shellmate_unseen=1
}

# Removes our suffix from PS1 once the prompt is drawn. Other programs check whether PS1 still is what they set.
__shellmate_strip_ps1() {
  [[ ${PS1-} != *"$__shellmate_ps1_suffix"* ]] || builtin printf -v PS1 %s "${PS1//"$__shellmate_ps1_suffix"/}"
}

# Makes $2 the suffix of the prompt string named $1. Without the option promptvars bash would print the suffix as
# text, so it is removed.
__shellmate_append() {
  builtin shopt -q promptvars || builtin set -- "$1" "$2" ''
  [[ ! ${3+off} && ${!1-} == *"$2" ]] || builtin printf -v "$1" '%s' "${!1//"$2"/}${3-$2}"
}

# Makes our hooks the first and the last.
__shellmate_add_hooks() {
  if [[ ${__bp_imported-}${bash_preexec_imported-} ]]; then
    __shellmate_lazy __shellmate_place_preexec
  elif ((!${#PROMPT_COMMAND[@]} && __shellmate_version > 500)); then
    PROMPT_COMMAND=("$__shellmate_first_hook" "$__shellmate_last_hook")
  else
    __shellmate_lazy __shellmate_place PROMPT_COMMAND "$__shellmate_first_hook" "$__shellmate_last_hook"
  fi
}
