# shellcheck shell=bash
# shellcheck disable=SC2016,SC2034,SC2154 # strings contain code for later; other files use the variables
# Reads the user's start files as bash would have done, then installs the hooks.

# Runs after the start files, or before the first prompt if Ctrl-C ended them. $1 is $?.
__shellmate_install() {
  builtin local __shellmate_problem=''
  __shellmate_user_status=$1 __shellmate_user_arg=$2 __shellmate_next_code=
  [[ ${__shellmate_nonce-} ]] || builtin return 0
  builtin unset -v 'PROMPT_COMMAND[9999]' __shellmate_nonce __shellmate_login __shellmate_norc __shellmate_noprofile \
    __shellmate_rcfile __shellmate_env __shellmate_env_set __shellmate_histfile_set __shellmate_posix __shellmate_had_aliases \
    __shellmate_start_flags __shellmate_boot_hook
  [[ ${BLE_ONLOAD[*]-} != '__shellmate_lazy __shellmate_ble install' ]] || builtin unset -v BLE_ONLOAD
  # A start file has run PROMPT_COMMAND+=(x) and then PROMPT_COMMAND+=";y". The first statement made entry 10000, the
  # one after ours; the second made entry 0, though it was meant to extend x. Join the two.
  if [[ ${PROMPT_COMMAND-} == *([[:space:]])\;* && ${PROMPT_COMMAND[10000]+set} ]]; then
    PROMPT_COMMAND=${PROMPT_COMMAND[10000]}$PROMPT_COMMAND
    builtin unset -v 'PROMPT_COMMAND[10000]'
  fi
  if ((__shellmate_version < 404)); then
    __shellmate_problem=old
  elif [[ ${PROMPT_COMMAND@a} == *r* ]]; then
    __shellmate_problem='readonly'
  elif [[ ${BLE_VERSION-} ]]; then
    __shellmate_lazy __shellmate_ble start
  else
    __shellmate_add_hooks
    __shellmate_bind
    [[ $__shellmate_keys_bound ]] || { __shellmate_problem=editor && __shellmate_load; }
    __shellmate_next_code=$__shellmate_trap_code
  fi
  __shellmate_send "hello;bash;$BASH_VERSION;$$;$__shellmate_problem"
}

# Code for PROMPT_COMMAND, PS1 and PS0. It is kept in variables so that the hooks can recognise their own code there.
# In the first hook, descriptors 8 and 9 are stdout and stderr of the shell. A prompt string can contain no statement,
# but bash evaluates an array index in it as arithmetic: `${__shellmate_empty[x=0]-}` sets x and prints nothing,
# because the array __shellmate_empty does not exist.
__shellmate_mark=$'\e]7771;'$__shellmate_nonce
__shellmate_eval_next='; \builtin eval "$__shellmate_next_code"'
__shellmate_restore_code='__shellmate_restore "$__shellmate_user_arg" && \builtin : __shellmate_ "$_"'
__shellmate_hook_end="$__shellmate_eval_next; $__shellmate_restore_code; } 8>&1 9>&2 >/dev/null 2>&1"
__shellmate_boot_hook='{ __shellmate_call __shellmate_install "$?" ""'$__shellmate_hook_end
__shellmate_first_hook='{ __shellmate_call __shellmate_precmd "$?" "$_"'$__shellmate_hook_end
__shellmate_last_hook='{ __shellmate_call __shellmate_last; } >/dev/null 2>&1'
__shellmate_run_code='\builtin eval "$__shellmate_command" >&8 2>&9 8>&- 9>&- || __shellmate_command_status=$?; '
__shellmate_run_code+="__shellmate_call __shellmate_command_done$__shellmate_eval_next"
__shellmate_trap_code='\builtin trap -p DEBUG >|"${__shellmate_fifo%/*}/trap"; __shellmate_next_code=; '
__shellmate_trap_code+='[[ ! -s ${__shellmate_fifo%/*}/trap ]] || '
__shellmate_trap_code+="__shellmate_call __shellmate_lazy __shellmate_wrap_trap$__shellmate_eval_next"
__shellmate_ps1_suffix='\[${__shellmate_input_mark-}\]'
__shellmate_ps0_suffix='${__shellmate_start_mark:+${__shellmate_start_mark:__shellmate_lineno?0:9999999}}'
__shellmate_ps0_suffix+='${__shellmate_empty[__shellmate_lineno=0]-}'
__shellmate_ps0_suffix+='${__shellmate_unseen:+${__shellmate_empty[__shellmate_unseen=HISTCMD]-}'
__shellmate_ps0_suffix+='$({ __shellmate_call __shellmate_lazy __shellmate_send_start; } 2>/dev/null)}'

# The variables are described in docs/PROTOCOL.md. Arrays are never exported, not even with `set -a`.
__shellmate_saved_visual='' __shellmate_edited_query='' __shellmate_last_pwd='' __shellmate_keys_bound=''
__shellmate_user_hook='' __shellmate_wrapped_hook=''
__shellmate_query='' __shellmate_typed='' __shellmate_lazy_code='' __shellmate_input_mark='' __shellmate_job_notices=''
__shellmate_wait_count=0 __shellmate_end_sent=0 __shellmate_lineno=(0) __shellmate_unseen=('') __shellmate_user_flags=('')
((__shellmate_version = BASH_VERSINFO[0] * 100 + BASH_VERSINFO[1]))
__shellmate_off_flags=aekux
((__shellmate_version < 503)) || __shellmate_off_flags+=m

# POSIX mode was set only to have this file read.
if [[ -o posix && ! $__shellmate_posix ]]; then
  \builtin set +o posix
  \builtin shopt -u inherit_errexit
  [[ $__shellmate_histfile_set ]] || HISTFILE=~/.bash_history
  [[ ${MAILCHECK@a} == *x* ]] || MAILCHECK=60
fi
[[ ! $__shellmate_env_set ]] || ENV=$__shellmate_env
[[ $__shellmate_env_set ]] || \builtin unset -v ENV
[[ ! $__shellmate_posix ]] || \builtin eval "__shellmate_rcfile=\"${ENV-/}\""
[[ $__shellmate_rcfile ]] || __shellmate_rcfile=~/.bashrc
[[ $__shellmate_rcfile == */* ]] || __shellmate_rcfile=./$__shellmate_rcfile

# Installs the hooks before the first prompt if Ctrl-C ends the start files.
((__shellmate_version <= 500)) || [[ ${PROMPT_COMMAND+set} ]] ||
  PROMPT_COMMAND[9999]="$__shellmate_boot_hook; $__shellmate_last_hook"
BLE_ONLOAD+=('__shellmate_lazy __shellmate_ble install')
[[ ! ${__shellmate_had_aliases-} ]] || \builtin shopt -s expand_aliases
[[ ! ${__shellmate_start_flags-} ]] || \builtin set "-$__shellmate_start_flags"
if [[ $__shellmate_login && ! $__shellmate_posix ]]; then
  if [[ ! $__shellmate_noprofile ]]; then
    if [[ -r /etc/profile ]]; then \builtin source /etc/profile; fi
    if [[ -r ~/.bash_profile ]]; then
      \builtin source ~/.bash_profile
    elif [[ -r ~/.bash_login ]]; then
      \builtin source ~/.bash_login
    elif [[ -r ~/.profile ]]; then
      \builtin source ~/.profile
    fi
  fi
elif [[ ! $__shellmate_norc && -r $__shellmate_rcfile ]]; then
  \builtin source "$__shellmate_rcfile"
fi
{ \builtin eval "$__shellmate_boot_hook" ''; } >/dev/null 2>&1
