# shellcheck shell=bash
# How a hosted bash tells shellmate what it does; docs/PROTOCOL.md has the marks. Bash reads this in place of ~/.bashrc, or as the
# $ENV of a shell that starts in posix mode, behind assignments that shellmate wrote in front of it. The functions come before any
# file of the user's, so that no alias is in them; later on a builtin may be hidden by a function, a variable be read-only and any
# option be set. The hooks neither fork nor print, and leave no trace in $?, $_, PIPESTATUS or the history.
\builtin shopt -q expand_aliases && __shellmate_aliases=1
\builtin shopt -u expand_aliases

# Sets __shellmate_field to at most $2 bytes of $1 as a field of a mark. Where it matters, bytes: not all that is typed is UTF-8.
__shellmate_encode() {
  __shellmate_field=$1
  [[ ${#1} -ge 16384 || $1 == *[%\;[:cntrl:]]* ]] || builtin return 0
  builtin local LC_ALL=C __shellmate_c __shellmate_x
  __shellmate_field=${1:0:${2:-65536}}
  __shellmate_field=${__shellmate_field//'%'/%25}
  __shellmate_field=${__shellmate_field//';'/%3B}
  for __shellmate_c in $'\n' $'\t' $'\e' $'\r' $'\177' $'\1' $'\2' $'\3' $'\4' $'\5' $'\6' $'\a' $'\b' $'\v' $'\f' $'\16' $'\17' \
    $'\20' $'\21' $'\22' $'\23' $'\24' $'\25' $'\26' $'\27' $'\30' $'\31' $'\32' $'\34' $'\35' $'\36' $'\37'; do
    [[ $__shellmate_field == *[[:cntrl:]]* ]] || builtin return 0
    builtin printf -v __shellmate_x '%%%02X' "'$__shellmate_c"
    __shellmate_field=${__shellmate_field//"$__shellmate_c"/$__shellmate_x}
  done
}

# Sets __shellmate_cwd, the directory as a field.
__shellmate_where() {
  [[ ${PWD-} != "$__shellmate_pwd" ]] || builtin return 0
  __shellmate_encode "${PWD-}"
  __shellmate_pwd=${PWD-} __shellmate_cwd=$__shellmate_field
}

# First before a prompt, with $? and $_: says how the command ended. Prompt code that wraps other code may call it again.
__shellmate_precmd() {
  builtin local -
  builtin set +aeux
  __shellmate_status=$1 __shellmate_arg=$2 __shellmate_next=
  ((!__shellmate_ended)) || builtin return 0
  __shellmate_ended=1 __shellmate_at=0
  [[ -t 9 ]] && __shellmate_input=$__shellmate_mark';input'$__shellmate_st || __shellmate_input= # else stderr is not the terminal
  [[ $__shellmate_text != *bind* ]] || __shellmate_keys=
  [[ $__shellmate_text != *DEBUG* ]] || __shellmate_next=$__shellmate_trap
  if [[ $__shellmate_pending ]]; then
    __shellmate_pending=
    builtin printf '%s' "$__shellmate_mark;end;$1$__shellmate_st$__shellmate_mark;wait;$((++__shellmate_count))$__shellmate_st" >/dev/tty
    __shellmate_wait
  else
    __shellmate_where
    builtin printf '%s' "$__shellmate_mark;end;$1$__shellmate_st$__shellmate_mark;prompt;$__shellmate_cwd$__shellmate_st" >/dev/tty
  fi
}

# Obeys shellmate until the query is over. A file to run is left to the caller, who stands outside of any function.
__shellmate_wait() {
  builtin local - REPLY=''
  builtin set +aeux
  __shellmate_next=
  while [[ -p $__shellmate_fifo ]] && builtin read -r -t 1000000 <"$__shellmate_fifo"; do
    [[ $REPLY != "$__shellmate_count done" ]] || builtin break
    [[ $REPLY == "$__shellmate_count run "* ]] || builtin continue
    __shellmate_run=${REPLY#* run } __shellmate_next=$__shellmate_source
    builtin return 0
  done
  __shellmate_where
  builtin printf '%s' "$__shellmate_mark;prompt;$__shellmate_cwd$__shellmate_st" >/dev/tty
}

# Gives the hooks that follow the $? they would have seen. What it is called with becomes $_.
__shellmate_restore() {
  builtin return "$__shellmate_status"
}

# Last before a prompt: sees that all hooks are in place, and expects a command.
__shellmate_last() {
  builtin local -
  builtin set +aeux
  __shellmate_hook
  __shellmate_piece PS0 "$__shellmate_ps0"
  [[ ! ${PS1+set} ]] || __shellmate_piece PS1 "$__shellmate_ps1"
  [[ ${PS1-} == *"$__shellmate_ps1" ]] || builtin printf '%s' "$__shellmate_input" >/dev/tty
  [[ $__shellmate_keys ]] || __shellmate_bind
  __shellmate_at=1 __shellmate_ended=0 __shellmate_start='' __shellmate_text='' __shellmate_room=65536
  __shellmate_late=1 __shellmate_number=${HISTCMD-}
}

# Makes $2 the end of the prompt string $1; takes it out where bash would show it as it is.
__shellmate_piece() {
  builtin local __shellmate_v="${!1-}" __shellmate_p="$2"
  builtin shopt -q promptvars || __shellmate_p=
  __shellmate_v=${__shellmate_v//"$2"/}$__shellmate_p
  [[ $__shellmate_v == "${!1-}" ]] || builtin printf -v "$1" '%s' "$__shellmate_v"
}

# Puts our hooks around the user's.
__shellmate_hook() {
  if [[ ${__bp_imported-}${bash_preexec_imported-} ]]; then # which has to be the last in PROMPT_COMMAND itself
    __shellmate_around precmd_functions __shellmate_bp __shellmate_last
    [[ ${PROMPT_COMMAND[*]-} != *__shellmate_* ]] || __shellmate_around PROMPT_COMMAND '' ''
  else
    __shellmate_around PROMPT_COMMAND "$__shellmate_first" "$__shellmate_final"
  fi
}

# Makes $2 the first and $3 the last in the array $1. PROMPT_COMMAND is a string before bash 5.1; since then $PROMPT_COMMAND is our
# own hook, and code that reads or replaces it means the user's first one, which __shellmate_user remembers.
__shellmate_around() {
  builtin local -n __shellmate_a="$1"
  builtin local __shellmate_e __shellmate_u='' __shellmate_string=''
  builtin local -a __shellmate_n
  ((BASH_VERSINFO[0] * 100 + BASH_VERSINFO[1] >= 501)) || [[ $1 != PROMPT_COMMAND ]] || __shellmate_string=1
  if [[ $__shellmate_string ]]; then
    [[ ! $2 || ${__shellmate_a-} != "$2"$'\n'*$'\n'"$3" ]] || builtin return 0
  else
    [[ ! $2 || ${__shellmate_a[0]-} != "$2" || ${__shellmate_a[-1]} != "$3" ]] || builtin return 0
    [[ ${__shellmate_a[0]-} == "$__shellmate_first" ]] || __shellmate_u=$__shellmate_user
  fi
  [[ ${__shellmate_a@a} != *r* ]] || builtin return 0
  __shellmate_n=()
  for __shellmate_e in "${__shellmate_a[@]}"; do
    case $__shellmate_e in
      "$__shellmate_first" | "$__shellmate_final" | __shellmate_*) builtin continue ;;
      "$__shellmate_u") [[ ! $__shellmate_n ]] || builtin continue ;;
      *"$__shellmate_first"$'\n'*) [[ $__shellmate_u ]] || __shellmate_e=${__shellmate_e//"$__shellmate_first"$'\n'/} ;;
    esac
    __shellmate_e=${__shellmate_e//"$__shellmate_first"/"${__shellmate_u:-:}"}
    __shellmate_e=${__shellmate_e//$'\n'"$__shellmate_final"/}
    __shellmate_n+=("${__shellmate_e//"$__shellmate_final"/:}")
  done
  if [[ $__shellmate_string ]]; then
    __shellmate_a=${2:+$2$'\n'}${__shellmate_n-}${3:+$'\n'$3}
  else
    [[ $1 != PROMPT_COMMAND ]] || __shellmate_user=${__shellmate_n-}
    __shellmate_a=(${2:+"$2"} "${__shellmate_n[@]}" ${3:+"$3"})
  fi
}

# The first hook, called by bash-preexec or ble.sh.
__shellmate_bp() {
  builtin eval "$__shellmate_first"
}
__shellmate_ble() {
  builtin eval "$__shellmate_first"
  __shellmate_ended=0
}

# A command about to run, as bash can tell it: in a subshell of PS0, when Enter did not see it; or called by ble.sh with it as $1.
__shellmate_late() {
  builtin local - __shellmate_t="${1-}"
  builtin set +aeux
  if [[ ! $__shellmate_t && ${HISTCMD:-0} -gt ${__shellmate_number:-0} ]]; then
    __shellmate_t=$(HISTTIMEFORMAT='' builtin history 1)
    __shellmate_t=${__shellmate_t#"${__shellmate_t%%[0-9]*}"}
    __shellmate_t=${__shellmate_t#"${__shellmate_t%%[!0-9]*}"??}
  fi
  __shellmate_encode "$__shellmate_t"
  builtin printf '%s' "$__shellmate_mark;start;$__shellmate_cwd;${__shellmate_text:-$__shellmate_field}$__shellmate_st" >/dev/tty
}

# Enter. At a prompt a query is taken and the line emptied; anything else is remembered as the command's text, line by line.
__shellmate_enter() {
  builtin local - __shellmate_line="${READLINE_LINE-}" __shellmate_h="${histchars-!^#}"
  builtin set +aeux
  ((${#FUNCNAME[@]} == 1)) || builtin return 0
  if ((!__shellmate_at)); then # a command reads this line; or the hooks were thrown away, and this is the prompt that followed
    [[ ${PROMPT_COMMAND[*]-}${precmd_functions[*]-} != *__shellmate_last* ]] || builtin return 0
    __shellmate_last
  fi
  if [[ $- == *H* && :$SHELLOPTS: == *:history:* &&
    ($__shellmate_line == *"${__shellmate_h:0:1}"[!\ =]* || $__shellmate_line == "${__shellmate_h:1:1}"*) ]]; then
    __shellmate_line=$(__shellmate_expand "$__shellmate_line") || builtin return 0
    __shellmate_line=${__shellmate_line%$'\n'x}
    [[ $__shellmate_line == "${READLINE_LINE-}" ]] || ! builtin shopt -q histverify || builtin return 0
  fi
  __shellmate_where
  __shellmate_encode "$__shellmate_line" "$__shellmate_room"
  if ((__shellmate_at == 1)) && [[ $__shellmate_line == '>' || $__shellmate_line == '> '* ]]; then
    builtin printf '%s' "$__shellmate_mark;query;$__shellmate_field;erased$__shellmate_st" >/dev/tty
    [[ :$SHELLOPTS: != *:history:* ]] || builtin history -s -- "$__shellmate_line"
    READLINE_LINE='' READLINE_POINT=0 __shellmate_pending=1 __shellmate_field=''
  fi
  ((__shellmate_at == 1)) || __shellmate_field=$__shellmate_text%0A$__shellmate_field
  __shellmate_text=$__shellmate_field __shellmate_ended=0
  ((__shellmate_room = ${#__shellmate_text} < 65536 ? 65536 - ${#__shellmate_text} : 0))
  if [[ $__shellmate_input ]] && builtin shopt -q promptvars; then
    __shellmate_start="$__shellmate_mark;start;$__shellmate_cwd;$__shellmate_text$__shellmate_st" __shellmate_late=''
  elif ((__shellmate_at == 1)) && [[ $__shellmate_input && $__shellmate_text ]]; then # no PS0 can say it when it is complete
    __shellmate_late
  fi
  __shellmate_at=2
}

# Prints the line $1 after history expansion, and x. In a subshell: `history -p` drops the last entry, if it was not pushed.
__shellmate_expand() {
  builtin history -s -- __shellmate
  builtin local __shellmate_n="$(HISTTIMEFORMAT='' builtin history 1)"
  __shellmate_n=${__shellmate_n#"${__shellmate_n%%[0-9]*}"}
  builtin history -d "${__shellmate_n%%[!0-9]*}"
  builtin history -p -- "$1" && builtin printf x
}

# Puts the check on every key of accept-line, in all keymaps: a macro of two sequences that only we use, one for the check, one for
# what the key did. ESC [ begins other keys in each keymap already. Where no line can be erased in place, bash would show it twice.
__shellmate_bind() {
  builtin local __shellmate_f="${__shellmate_fifo%/*}/keys" __shellmate_k __shellmate_m __shellmate_c __shellmate_i
  [[ :$SHELLOPTS: == *:@(emacs|vi):* && ${TERM:-dumb} != dumb ]] || builtin return 1
  for __shellmate_m in emacs vi-insert vi-command; do
    builtin bind -m "$__shellmate_m" -x '"\e[7771;1~": { __shellmate_enter "$_"; } >/dev/null 2>&1'
    __shellmate_i=1
    for __shellmate_c in accept-line operate-and-get-next; do
      builtin bind -m "$__shellmate_m" "\"\\e[7771;$((++__shellmate_i))~\": __shellmate"
      while builtin bind -m "$__shellmate_m" -q "$__shellmate_c" >|"$__shellmate_f" && builtin read -r __shellmate_k <"$__shellmate_f"; do
        __shellmate_k=${__shellmate_k#*\"}
        __shellmate_k=${__shellmate_k%%\"[,.]*}
        builtin bind -m "$__shellmate_m" "\"$__shellmate_k\": \"\\e[7771;1~\\e[7771;$__shellmate_i~\"" || builtin break
      done
      builtin bind -m "$__shellmate_m" "\"\\e[7771;$__shellmate_i~\": $__shellmate_c"
    done
  done
  __shellmate_keys=1
}

# Makes the user's DEBUG trap, in __shellmate_f, pass over our hooks.
__shellmate_guard() {
  __shellmate_next=
  builtin local __shellmate_t=
  builtin read -r -d '' __shellmate_t <"${__shellmate_fifo%/*}/trap"
  [[ $__shellmate_t == 'trap -- '* && $__shellmate_t != *__shellmate_* && $__shellmate_t != *__bp_* ]] || builtin return 0
  builtin eval "builtin set -- ${__shellmate_t#trap -- }"
  [[ $1 == *'#'* ]] && __shellmate_t=$'\n' || __shellmate_t=' '
  builtin printf -v __shellmate_next '\\builtin trap -- %q DEBUG' \
    "case \"\$BASH_COMMAND \${FUNCNAME-}\" in *__shellmate_*) ;; *) $1$__shellmate_t;; esac"
}

# When the user's files are done, with $? and $_.
__shellmate_load() {
  __shellmate_status=$1 __shellmate_arg=$2 __shellmate_next=
  builtin local __shellmate_problem=
  if ((BASH_VERSINFO[0] * 100 + BASH_VERSINFO[1] < 404)); then
    __shellmate_problem=old
  elif [[ ${PROMPT_COMMAND@a} == *r* ]]; then
    __shellmate_problem=readonly
  else
    builtin local -
    builtin set +aeux
    builtin export -n "${!__shellmate_@}"
    if [[ ${BLE_VERSION-} ]]; then
      __shellmate_problem=editor
      blehook PRECMD!=__shellmate_ble PREEXEC!=__shellmate_late
    else
      __shellmate_hook
      __shellmate_bind || __shellmate_problem=editor
      __shellmate_next=$__shellmate_trap
    fi
  fi
  builtin printf '%s' "$__shellmate_mark;hello;bash;$BASH_VERSION;$$;$__shellmate_problem$__shellmate_st" >/dev/tty
}

__shellmate_st=$'\e\\'
__shellmate_mark=$'\e]7771;'$__shellmate_nonce
__shellmate_ps1='\[${__shellmate_input-}\]'
__shellmate_ps0='${__shellmate_start:+${__shellmate_start:__shellmate_at?0:99999999}}${__shellmate_late:+$({ __shellmate_late; } 2>/dev/null)}${__shellmate_none[__shellmate_at=0]-}'
__shellmate_more='; \builtin eval "$__shellmate_next"'
__shellmate_first='{ __shellmate_precmd "$?" "$_"'$__shellmate_more'; __shellmate_restore "$__shellmate_arg" && \builtin : __shellmate_ "$_"; } 9>&2 2>/dev/null'
__shellmate_final='{ __shellmate_last; } 2>/dev/null'
__shellmate_source='\builtin source "$__shellmate_run" 2>&9 9>&- || \builtin : __shellmate_; __shellmate_wait'$__shellmate_more
__shellmate_trap='\builtin trap -p DEBUG >|"${__shellmate_fifo%/*}/trap"; __shellmate_guard'$__shellmate_more
__shellmate_user='' __shellmate_keys='' __shellmate_pending='' __shellmate_text='' __shellmate_start='' __shellmate_late=''
__shellmate_pwd='' __shellmate_input='' __shellmate_count=0 __shellmate_at=0 __shellmate_ended=0

if [[ -o posix && ! $__shellmate_posix ]]; then
  \builtin set +o posix
  \builtin shopt -u inherit_errexit
  [[ $__shellmate_histfile_set ]] || HISTFILE=~/.bash_history
fi
if [[ $__shellmate_env_set ]]; then ENV=$__shellmate_env; else \builtin unset -v ENV; fi
[[ ! ${__shellmate_aliases-} ]] || \builtin shopt -s expand_aliases
if [[ $__shellmate_posix ]]; then
  \builtin eval "__shellmate_rcfile=\"${ENV-}\""
elif [[ $__shellmate_login ]]; then
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
{ __shellmate_load "$?" "$_"; \builtin eval "$__shellmate_next"; __shellmate_restore "$__shellmate_arg" && \builtin : __shellmate_ "$_"; } >/dev/null 2>&1
