# shellcheck shell=bash
# shellcheck disable=SC2016,SC2034,SC2154 # bash.sh is in front of this
# The user's own files, read as bash would have read them; then our hooks go on top of what they left.

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
