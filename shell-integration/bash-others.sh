# shellcheck shell=bash
# shellcheck disable=SC2034,SC2154 # bash.sh has the variables
# Other hooks beside ours: in PROMPT_COMMAND, bash-preexec's, and a DEBUG trap.

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
