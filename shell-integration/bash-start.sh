# shellcheck shell=bash
# shellcheck disable=SC2016,SC2034,SC2154 # code in strings is for later; bash.sh and bash-keys.sh are in front of this
# The user's own files, read as bash would have read them; then our hooks go on top of what they left.

# When the user's files are done, with $?. Or at the first prompt, if Ctrl-C ended them.
__shellmate_load() {
  builtin local __shellmate_problem=''
  __shellmate_status=$1 __shellmate_arg=$2 __shellmate_next=
  [[ ${__shellmate_nonce-} ]] || builtin return 0
  builtin unset -v 'PROMPT_COMMAND[9999]' __shellmate_nonce __shellmate_login __shellmate_norc __shellmate_noprofile \
    __shellmate_rcfile __shellmate_env __shellmate_env_set __shellmate_histfile_set __shellmate_posix __shellmate_aliases \
    __shellmate_flags __shellmate_boot
  [[ ${BLE_ONLOAD[*]-} != '__shellmate_rare __shellmate_ble arm' ]] || builtin unset -v BLE_ONLOAD
  if [[ ${PROMPT_COMMAND-} == *([[:space:]])\;* && ${PROMPT_COMMAND[10000]+set} ]]; then # built on an entry that ours had pushed away
    PROMPT_COMMAND=${PROMPT_COMMAND[10000]}$PROMPT_COMMAND
    builtin unset -v 'PROMPT_COMMAND[10000]'
  fi
  if ((BASH_VERSINFO[0] * 100 + BASH_VERSINFO[1] < 404)); then
    __shellmate_problem=old
  elif [[ ${PROMPT_COMMAND@a} == *r* ]]; then
    __shellmate_problem='readonly'
  elif [[ ${BLE_VERSION-} ]]; then
    __shellmate_rare __shellmate_ble load
  else
    __shellmate_hook
    __shellmate_bind
    [[ $__shellmate_keys ]] || { __shellmate_problem=editor && __shellmate_read; }
    __shellmate_next=$__shellmate_trap
  fi
  __shellmate_say "hello;bash;$BASH_VERSION;$$;$__shellmate_problem"
}

__shellmate_mark=$'\e]7771;'$__shellmate_nonce
__shellmate_then='; \builtin eval "$__shellmate_next"'
__shellmate_put='__shellmate_restore "$__shellmate_arg" && \builtin : __shellmate_ "$_"'
__shellmate_end="$__shellmate_then; $__shellmate_put; } 8>&1 9>&2 >/dev/null 2>&1"
__shellmate_boot='{ __shellmate_call __shellmate_load "$?" ""'$__shellmate_end
__shellmate_first='{ __shellmate_call __shellmate_precmd "$?" "$_"'$__shellmate_end
__shellmate_final='{ __shellmate_call __shellmate_last; } >/dev/null 2>&1'
__shellmate_run='\builtin eval "$__shellmate_command" >&8 2>&9 8>&- 9>&- || __shellmate_code=$?; __shellmate_call __shellmate_over'
__shellmate_run+=$__shellmate_then
__shellmate_trap='\builtin trap -p DEBUG >|"${__shellmate_fifo%/*}/trap"; __shellmate_next=; '
__shellmate_trap+='[[ ! -s ${__shellmate_fifo%/*}/trap ]] || __shellmate_call __shellmate_rare __shellmate_guard'$__shellmate_then
__shellmate_ps1='\[${__shellmate_input-}\]'
__shellmate_ps0='${__shellmate_start:+${__shellmate_start:__shellmate_at?0:9999999}}${__shellmate_none[__shellmate_at=0]-}'
__shellmate_ps0+='${__shellmate_late:+${__shellmate_none[__shellmate_late=HISTCMD]-}'
__shellmate_ps0+='$({ __shellmate_call __shellmate_rare __shellmate_late; } 2>/dev/null)}'
__shellmate_visual='' __shellmate_found='' __shellmate_pwd='' __shellmate_user='' __shellmate_kept='' __shellmate_keys=''
__shellmate_query='' __shellmate_text='' __shellmate_unread='' __shellmate_input='' __shellmate_notices=''
__shellmate_count=0 __shellmate_ended=0 __shellmate_at=(0) __shellmate_late=('') __shellmate_options=('') # no array is exported
__shellmate_off=aekux
((BASH_VERSINFO[0] * 100 + BASH_VERSINFO[1] < 503)) || __shellmate_off+=m

if [[ -o posix && ! $__shellmate_posix ]]; then # for our sake only
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
((BASH_VERSINFO[0] * 100 + BASH_VERSINFO[1] <= 500)) || [[ ${PROMPT_COMMAND+set} ]] ||
  PROMPT_COMMAND[9999]="$__shellmate_boot; $__shellmate_final"
BLE_ONLOAD+=('__shellmate_rare __shellmate_ble arm')
[[ ! ${__shellmate_aliases-} ]] || \builtin shopt -s expand_aliases
[[ ! ${__shellmate_flags-} ]] || \builtin set "-$__shellmate_flags"
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
{ \builtin eval "$__shellmate_boot" ''; } >/dev/null 2>&1
