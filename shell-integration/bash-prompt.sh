# shellcheck shell=bash
# shellcheck disable=SC2034,SC2154 # bash.sh has the variables
# What is rare at a prompt: a query, other hooks, a text that has to be encoded.

# Encodes what __shellmate_encode could not leave as it is. Bytes, because not all that is typed is UTF-8.
__shellmate_escape() {
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

# Writes down what is exported, without a program: one that runs here would keep the terminal.
__shellmate_environment() {
  builtin local __shellmate_e __shellmate_d="${__shellmate_fifo%/*}"
  builtin compgen -e >|"$__shellmate_d/names" || builtin return 0
  while builtin read -r __shellmate_e; do
    builtin printf '%s=%s\0' "$__shellmate_e" "${!__shellmate_e-}"
  done <"$__shellmate_d/names" >|"$__shellmate_d/environment"
}

# Obeys shellmate until the query is over.
__shellmate_wait() {
  builtin local REPLY=''
  __shellmate_next='' __shellmate_query=''
  while [[ -p $__shellmate_fifo ]] && builtin read -r -t 1000000 <"$__shellmate_fifo"; do
    [[ $REPLY != "$__shellmate_count done" ]] || builtin break
    [[ $REPLY == "$__shellmate_count run "* ]] || builtin continue
    __shellmate_file=${REPLY#* run } __shellmate_next=$__shellmate_run __shellmate_query=run __shellmate_ran=
    builtin return
  done
  __shellmate_where
  __shellmate_say "prompt;$__shellmate_cwd"
}

# Makes $2 the first and $3 the last in the array $1. PROMPT_COMMAND is a string before bash 5.1. Since then $PROMPT_COMMAND is our
# first hook, and who reads or sets that means the user's first, which is in __shellmate_user. A prompt that wraps what it read
# there calls our hook a second time, and then gets what it wanted: __shellmate_kept.
__shellmate_around() {
  builtin local -n __shellmate_a="$1"
  builtin local __shellmate_e __shellmate_u='' __shellmate_string=''
  builtin local -a __shellmate_n __shellmate_b
  [[ $1 != PROMPT_COMMAND ]] || ((BASH_VERSINFO[0] * 100 + BASH_VERSINFO[1] > 500)) || __shellmate_string=1
  [[ ${__shellmate_a@a} != *r* && ${__shellmate_a-} != "$2"${__shellmate_string:+$'\n'*$'\n'"$3"} ]] ||
    [[ ! $__shellmate_string && ${__shellmate_a[-1]} != "$3" ]] || builtin return 0
  [[ $__shellmate_string || ${__shellmate_a-} == "$__shellmate_first" ]] || __shellmate_u=$__shellmate_user
  __shellmate_n=() __shellmate_b=()
  for __shellmate_e in "${__shellmate_a[@]}"; do
    case $__shellmate_e in
      "$__shellmate_first" | "$__shellmate_final" | __shellmate_*) builtin continue ;;
      "$__shellmate_u") ((!${#__shellmate_n[@]})) || builtin continue ;;
    esac
    [[ $__shellmate_u ]] || __shellmate_e=${__shellmate_e//"$__shellmate_first"$'\n'/}
    __shellmate_e=${__shellmate_e//"$__shellmate_first"/"${__shellmate_u:-:}"}
    __shellmate_e=${__shellmate_e//$'\n'"$__shellmate_final"/}
    __shellmate_n+=("${__shellmate_e//"$__shellmate_final"/:}")
  done
  if [[ $__shellmate_string ]]; then
    __shellmate_a=${2:+$2$'\n'}${__shellmate_n-}${3:+$'\n'$3}
  else
    [[ ! $__shellmate_u || ${__shellmate_a-} == *"$__shellmate_first"* ]] || __shellmate_kept=$__shellmate_u
    [[ $1 != PROMPT_COMMAND ]] || __shellmate_user=${__shellmate_n-}
    if [[ ${__shellmate_n[*]: -1} == ble*attach-from-PROMPT_COMMAND ]]; then # it calls all of them again if it is not the last
      __shellmate_b=("${__shellmate_n[-1]}")
      builtin unset -v '__shellmate_n[-1]'
    fi
    __shellmate_a=(${2:+"$2"} "${__shellmate_n[@]}" ${3:+"$3"} "${__shellmate_b[@]}")
  fi
}

# Our hooks for bash-preexec. It calls functions, and has to be the last in PROMPT_COMMAND itself; but others in there may set PS1.
__shellmate_preexec() {
  builtin local __shellmate_l=__bp_interactive_mode
  [[ ${precmd_functions-} == __shellmate_bp_first ]] || __shellmate_around precmd_functions __shellmate_bp_first ''
  if ((${#PROMPT_COMMAND[@]} > 1)) && [[ ${PROMPT_COMMAND[-2]}${PROMPT_COMMAND[-1]} == "$__shellmate_final$__shellmate_l" ]]; then
    builtin return 0
  fi
  [[ ${PROMPT_COMMAND[*]-} != *__shellmate_* ]] || __shellmate_around PROMPT_COMMAND '' ''
  if ((BASH_VERSINFO[0] * 100 + BASH_VERSINFO[1] < 501)); then
    [[ ${PROMPT_COMMAND-} == *"$__shellmate_l" ]] || __shellmate_l=
    PROMPT_COMMAND=${PROMPT_COMMAND%"$__shellmate_l"}$'\n'$__shellmate_final${__shellmate_l:+$'\n'$__shellmate_l}
  elif [[ ${PROMPT_COMMAND[*]: -1} == "$__shellmate_l" ]]; then
    PROMPT_COMMAND=("${PROMPT_COMMAND[@]::${#PROMPT_COMMAND[@]}-1}" "$__shellmate_final" "$__shellmate_l")
  else
    PROMPT_COMMAND+=("$__shellmate_final")
  fi
}
__shellmate_bp_first() { builtin eval "$__shellmate_first"; }

# Calls a function of bash-ble.sh, which waits behind the rest.
__shellmate_ble() {
  __shellmate_unread=${__shellmate_unread[2]-}
  __shellmate_unread[2]=
  __shellmate_read
  "__shellmate_ble_$1"
}

# Says which command is about to run, $1 or the last in the history. In a subshell of PS0, if Enter did not see it.
__shellmate_late() {
  builtin local __shellmate_t="${1-}"
  if [[ ! $__shellmate_t && $__shellmate_late -gt ${__shellmate_number:-0} ]]; then
    __shellmate_t=$(HISTTIMEFORMAT='' builtin history 1)
    __shellmate_t=${__shellmate_t#"${__shellmate_t%%[0-9]*}"}
    __shellmate_t=${__shellmate_t#"${__shellmate_t%%[!0-9]*}"??}
  fi
  __shellmate_encode "$__shellmate_t"
  __shellmate_say "start;$__shellmate_cwd;${__shellmate_text:-$__shellmate_field}"
}

# Makes the user's DEBUG trap pass over our hooks.
__shellmate_guard() {
  builtin local __shellmate_t=''
  __shellmate_next=
  builtin read -r -d '' __shellmate_t <"${__shellmate_fifo%/*}/trap" || builtin :
  [[ $__shellmate_t == "trap -- '"* && $__shellmate_t != *__shellmate_* && $__shellmate_t != *__bp_* ]] || builtin return 0
  builtin eval "builtin set -- ${__shellmate_t#trap -- }"
  [[ $1 == *'#'* ]] && __shellmate_t=$'\n' || __shellmate_t=' '
  builtin printf -v __shellmate_next '\\builtin trap -- %q DEBUG' \
    "case \"\$BASH_COMMAND \${FUNCNAME-}\" in
__shellmate_restore*) { __shellmate_call __shellmate_aside; } 2>/dev/null ;;
*__shellmate_*) ;;
*) $1$__shellmate_t;; esac"
}

# Takes our hooks out of PROMPT_COMMAND when the first is done: a DEBUG trap may find out by $PROMPT_COMMAND, or by the last in it,
# that it sees no command but the prompt. __shellmate_last, which is under way, puts them back; or Enter, if it was interrupted.
# shellcheck disable=SC2178 # a string before bash 5.1
__shellmate_aside() {
  if ((!__shellmate_ended)); then
    builtin : # the end of the start files
  elif [[ ${PROMPT_COMMAND-} == "$__shellmate_first"$'\n'*$'\n'"$__shellmate_final" ]]; then
    PROMPT_COMMAND=${PROMPT_COMMAND#"$__shellmate_first"$'\n'}
    PROMPT_COMMAND=${PROMPT_COMMAND%$'\n'"$__shellmate_final"}
  elif [[ ${#PROMPT_COMMAND[@]} -gt 2 && ${PROMPT_COMMAND[0]} == "$__shellmate_first" ]] &&
    [[ ${PROMPT_COMMAND[-1]} == "$__shellmate_final" ]]; then
    PROMPT_COMMAND=("${PROMPT_COMMAND[@]:1:${#PROMPT_COMMAND[@]}-2}") __shellmate_user=
  fi
}
