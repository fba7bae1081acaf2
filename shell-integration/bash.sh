# shellcheck shell=bash
# How a hosted bash tells shellmate what it does; docs/PROTOCOL.md has the marks. Bash reads this in place of ~/.bashrc, or as
# $ENV of a shell started in posix mode (a login shell), behind the assignments shellmate wrote in front of it. The functions come
# first, before anything of the user's can change what their words mean: later on a name may be an alias or a function (hence
# `builtin`), a variable read-only, any option set. No hook forks, prints or leaves a trace in $?, $_, PIPESTATUS or the history.
\builtin shopt -q expand_aliases && __shellmate_aliases=1
\builtin shopt -u expand_aliases

# Sets __shellmate_field to $1 as a field of a mark. Bytes, not characters: the limit counts them and some are not UTF-8.
__shellmate_encode() {
  builtin local LC_ALL=C __shellmate_c __shellmate_x
  __shellmate_field=${1:0:65536}
  [[ $__shellmate_field == *[%\;[:cntrl:]]* ]] || builtin return 0
  __shellmate_field=${__shellmate_field//'%'/%25}
  __shellmate_field=${__shellmate_field//';'/%3B}
  [[ $__shellmate_field == *[[:cntrl:]]* ]] || builtin return 0
  for __shellmate_c in $'\n' $'\t' $'\e' $'\r' $'\177' $'\1' $'\2' $'\3' $'\4' $'\5' $'\6' $'\a' $'\b' $'\v' $'\f' $'\16' $'\17' \
    $'\20' $'\21' $'\22' $'\23' $'\24' $'\25' $'\26' $'\27' $'\30' $'\31' $'\32' $'\34' $'\35' $'\36' $'\37'; do
    builtin printf -v __shellmate_x '%%%02X' "'$__shellmate_c"
    __shellmate_field=${__shellmate_field//"$__shellmate_c"/$__shellmate_x}
  done
}

# First before a prompt, with $? and $_: says how the command ended. Prompt code that wraps another's may call it twice.
__shellmate_precmd() {
  __shellmate_status=$1 __shellmate_arg=$2 __shellmate_next=
  builtin local -
  builtin set +eux
  ((__shellmate_ended)) && builtin return 0
  __shellmate_ended=1 __shellmate_at=0
  builtin local __shellmate_out="$__shellmate_mark;end;$__shellmate_status$__shellmate_st"
  if [[ $__shellmate_pending ]]; then
    __shellmate_pending=
    builtin printf '%s' "$__shellmate_out$__shellmate_mark;wait;$((++__shellmate_count))$__shellmate_st" >/dev/tty
    __shellmate_wait
  else
    __shellmate_ready "$__shellmate_out"
  fi
  builtin return 0
}

# Obeys shellmate until the query is over. A file to run is left to the caller, which stands outside of any function.
__shellmate_wait() {
  builtin local - REPLY=
  builtin set +eux
  __shellmate_next=
  while [[ -p $__shellmate_fifo ]] && builtin read -r -t 1000000 <"$__shellmate_fifo"; do
    case $REPLY in
      "$__shellmate_count done") builtin break ;;
      "$__shellmate_count run "*)
        __shellmate_run=${REPLY#* run }
        __shellmate_next=$__shellmate_go
        builtin return 0
        ;;
    esac
  done
  __shellmate_ready ''
}

# Writes $1 and the mark that a prompt follows.
__shellmate_ready() {
  if [[ ${PWD-} != "${__shellmate_pwd-}" || ! ${__shellmate_cwd-} ]]; then
    __shellmate_encode "${PWD-}"
    __shellmate_pwd=${PWD-} __shellmate_cwd=$__shellmate_field
  fi
  builtin printf '%s' "$1$__shellmate_mark;prompt;$__shellmate_cwd$__shellmate_st" >/dev/tty
}

# Gives the hooks that follow the $? they would have seen; $1 becomes $_.
__shellmate_restore() {
  builtin return "$__shellmate_status"
}

# Last before a prompt: sees that every hook is in its place and waits for Enter.
__shellmate_last() {
  builtin local -
  builtin set +eux
  __shellmate_hook
  if builtin shopt -q promptvars; then
    [[ ${PS0-} == *"$__shellmate_ps0" ]] || builtin printf -v PS0 '%s' "${PS0//"$__shellmate_ps0"/}$__shellmate_ps0"
    [[ ! ${PS1+set} || $PS1 == *"$__shellmate_ps1" ]] ||
      builtin printf -v PS1 '%s' "${PS1//"$__shellmate_ps1"/}$__shellmate_ps1"
  else
    [[ ${PS0-} != *"$__shellmate_ps0"* ]] || builtin printf -v PS0 '%s' "${PS0//"$__shellmate_ps0"/}"
    [[ ${PS1-} != *"$__shellmate_ps1"* ]] || builtin printf -v PS1 '%s' "${PS1//"$__shellmate_ps1"/}"
  fi
  [[ $__shellmate_keys ]] || __shellmate_bind
  __shellmate_at=1 __shellmate_ended=0 __shellmate_start='' __shellmate_text='' __shellmate_late=1
  builtin return 0
}

# Puts the two hooks around those of the user's.
__shellmate_hook() {
  builtin local __shellmate_e
  builtin local -a __shellmate_new
  __shellmate_new=()
  if ((BASH_VERSINFO[0] * 100 + BASH_VERSINFO[1] < 501)); then
    [[ ${PROMPT_COMMAND-} == "$__shellmate_first"$'\n'*"$__shellmate_final" ]] && builtin return 0
    __shellmate_strip "${PROMPT_COMMAND-}"
    builtin printf -v PROMPT_COMMAND '%s' "$__shellmate_first"$'\n'"$__shellmate_e"$'\n'"$__shellmate_final"
    builtin return 0
  fi
  [[ ${PROMPT_COMMAND[0]-} == "$__shellmate_first" && ${PROMPT_COMMAND[-1]} == "$__shellmate_final" ]] && builtin return 0
  for __shellmate_e in "${PROMPT_COMMAND[@]}"; do
    __shellmate_strip "$__shellmate_e"
    [[ $__shellmate_e ]] && __shellmate_new+=("$__shellmate_e")
  done
  PROMPT_COMMAND=("$__shellmate_first" "${__shellmate_new[@]}" "$__shellmate_final")
}

# Sets __shellmate_e to $1 without our hooks.
__shellmate_strip() {
  __shellmate_e=${1//"$__shellmate_first"$'\n'/}
  __shellmate_e=${__shellmate_e//$'\n'"$__shellmate_final"/}
  [[ $__shellmate_e == "$__shellmate_first" || $__shellmate_e == "$__shellmate_final" ]] && __shellmate_e=
  __shellmate_e=${__shellmate_e//"$__shellmate_first"/:}
  __shellmate_e=${__shellmate_e//"$__shellmate_final"/:}
}

# Enter: takes a query, or remembers what the command was called.
__shellmate_enter() {
  builtin local - __shellmate_line="${READLINE_LINE-}"
  builtin set +eux
  ((${#FUNCNAME[@]} == 1 && __shellmate_at)) || builtin return 0
  if ((__shellmate_at == 1)) && [[ $__shellmate_line == '>' || $__shellmate_line == '> '* ]]; then
    __shellmate_encode "$__shellmate_line"
    builtin printf '%s' "$__shellmate_mark;query;$__shellmate_field;erased$__shellmate_st" >/dev/tty
    [[ :$SHELLOPTS: != *:history:* ]] || builtin history -s -- "$__shellmate_line"
    READLINE_LINE='' READLINE_POINT=0 __shellmate_pending=1 __shellmate_at=2 __shellmate_late=''
    builtin return 0
  fi
  __shellmate_encode "$__shellmate_line"
  ((__shellmate_at == 1)) || __shellmate_field=$__shellmate_text%0A$__shellmate_field
  __shellmate_text=$__shellmate_field __shellmate_at=2 __shellmate_late=''
  __shellmate_start="$__shellmate_mark;start;$__shellmate_cwd;$__shellmate_text$__shellmate_st"
}

# Puts the check before accept-line, on whatever keys it has in each keymap. ESC [ begins other keys in all of them already.
__shellmate_bind() {
  builtin local __shellmate_map __shellmate_all __shellmate_key __shellmate_n __shellmate_name
  [[ :$SHELLOPTS: == *:emacs:* || :$SHELLOPTS: == *:vi:* ]] && [[ ${TERM-dumb} != dumb ]] || builtin return 0
  __shellmate_keys=1
  for __shellmate_map in emacs vi-insert vi-command; do
    __shellmate_all=$'\n'$(builtin bind -m "$__shellmate_map" -p)
    __shellmate_n=1
    for __shellmate_name in accept-line operate-and-get-next; do
      ((++__shellmate_n))
      while [[ $__shellmate_all == *$'\n"'*'": '"$__shellmate_name"* ]]; do
        __shellmate_key=${__shellmate_all%%'": '"$__shellmate_name"*}
        __shellmate_all=${__shellmate_all#"$__shellmate_key"'": '}
        __shellmate_key=${__shellmate_key##*$'\n"'}
        builtin bind -m "$__shellmate_map" "\"$__shellmate_key\": \"\\e[7771;1~\\e[7771;$__shellmate_n~\""
        builtin bind -m "$__shellmate_map" "\"\\e[7771;$__shellmate_n~\": $__shellmate_name"
      done
    done
    builtin bind -m "$__shellmate_map" -x '"\e[7771;1~": { __shellmate_enter "$_"; } >/dev/null 2>&1'
  done
}

# Once, when the user's files are done.
__shellmate_load() {
  builtin local - __shellmate_problem=''
  builtin set +eux
  __shellmate_hook
  __shellmate_bind
  builtin printf '%s' "$__shellmate_mark;hello;bash;$BASH_VERSION;$$;$__shellmate_problem$__shellmate_st" >/dev/tty
}

__shellmate_st=$'\e\\'
__shellmate_mark=$'\e]7771;'$__shellmate_nonce
__shellmate_input=$__shellmate_mark';input'$__shellmate_st
__shellmate_ps1='\[${__shellmate_input-}\]'
__shellmate_ps0='${__shellmate_start-}${__shellmate_none[__shellmate_at=0]-}'
__shellmate_first='{ __shellmate_precmd "$?" "$_"; \builtin eval "$__shellmate_next"; __shellmate_restore "$__shellmate_arg" && \builtin : __shellmate "$_"; } 2>/dev/null'
__shellmate_final='{ __shellmate_last; } 2>/dev/null'
__shellmate_go='\builtin source "$__shellmate_run" 2>/dev/tty || \builtin :; __shellmate_wait; \builtin eval "$__shellmate_next"'
__shellmate_keys='' __shellmate_pending='' __shellmate_count=0 __shellmate_at=0 __shellmate_ended=0

[[ ! ${__shellmate_aliases-} ]] || \builtin shopt -s expand_aliases
if [[ $__shellmate_login ]]; then
  \builtin set +o posix
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
elif [[ ! $__shellmate_norc && -r ${__shellmate_rcfile:-~/.bashrc} ]]; then
  \builtin source "${__shellmate_rcfile:-$HOME/.bashrc}"
fi
__shellmate_status=$?
{ __shellmate_load; } 2>/dev/null
