# shellcheck shell=bash
# shellcheck disable=SC2034,SC2154 # the variables are assigned in other files
# Lazy functions for other hooks beside ours: entries of PROMPT_COMMAND, bash-preexec, and DEBUG traps.

# Makes $2 the first and $3 the last entry of the array named $1. PROMPT_COMMAND is a string before bash 5.1.
# From bash 5.1 on, $PROMPT_COMMAND is the first entry of an array, and that entry is ours. But a program that reads
# or sets $PROMPT_COMMAND means the user's first entry, which is the second one now. __shellmate_user_hook keeps that
# entry. A prompt framework may save $PROMPT_COMMAND, replace it by a function of its own and call the saved text from
# there. Then it calls our hook for a second time instead of the user's. For this case __shellmate_wrapped_hook keeps
# the user's hook, and __shellmate_precmd_again runs it.
__shellmate_place() {
  builtin local -n __shellmate_hooks="$1"
  builtin local __shellmate_hook __shellmate_displaced='' __shellmate_is_string=''
  builtin local -a __shellmate_others __shellmate_behind
  [[ $1 != PROMPT_COMMAND ]] || ((__shellmate_version > 500)) || __shellmate_is_string=1
  [[ ${__shellmate_hooks@a} != *r* && ${__shellmate_hooks-} != "$2"${__shellmate_is_string:+$'\n'*$'\n'"$3"} ]] ||
    [[ ! $__shellmate_is_string && ${__shellmate_hooks[-1]} != "$3" ]] || builtin return 0
  [[ $__shellmate_is_string || ${__shellmate_hooks-} == "$__shellmate_first_hook" ]] || __shellmate_displaced=$__shellmate_user_hook
  __shellmate_others=() __shellmate_behind=()
  for __shellmate_hook in "${__shellmate_hooks[@]}"; do
    case $__shellmate_hook in
      "$__shellmate_first_hook" | "$__shellmate_last_hook" | __shellmate_*) builtin continue ;;
      "$__shellmate_displaced") ((!${#__shellmate_others[@]})) || builtin continue ;;
    esac
    [[ $__shellmate_displaced ]] || __shellmate_hook=${__shellmate_hook//"$__shellmate_first_hook"$'\n'/}
    __shellmate_hook=${__shellmate_hook//"$__shellmate_first_hook"/"${__shellmate_displaced:-:}"}
    __shellmate_hook=${__shellmate_hook//$'\n'"$__shellmate_last_hook"/}
    __shellmate_others+=("${__shellmate_hook//"$__shellmate_last_hook"/:}")
  done
  if [[ $__shellmate_is_string ]]; then
    __shellmate_hooks=${2:+$2$'\n'}${__shellmate_others-}${3:+$'\n'$3}
  else
    [[ ! $__shellmate_displaced || ${__shellmate_hooks-} == *"$__shellmate_first_hook"* ]] ||
      __shellmate_wrapped_hook=$__shellmate_displaced
    [[ $1 != PROMPT_COMMAND ]] || __shellmate_user_hook=${__shellmate_others-}
    # If this entry is not the last one, ble.sh calls all entries again.
    if [[ ${__shellmate_others[*]: -1} == ble*attach-from-PROMPT_COMMAND ]]; then
      __shellmate_behind=("${__shellmate_others[-1]}")
      builtin unset -v '__shellmate_others[-1]'
    fi
    __shellmate_hooks=(${2:+"$2"} "${__shellmate_others[@]}" ${3:+"$3"} "${__shellmate_behind[@]}")
  fi
}

# Places our hooks where bash-preexec is in use. It calls functions, and its own entry must be the last in
# PROMPT_COMMAND. Our last hook goes in front of that entry, because hooks of the user in PROMPT_COMMAND may still set
# PS1.
__shellmate_place_preexec() {
  builtin local __shellmate_bp_last=__bp_interactive_mode
  [[ ${precmd_functions-} == __shellmate_bp_first ]] || __shellmate_place precmd_functions __shellmate_bp_first ''
  if ((${#PROMPT_COMMAND[@]} > 1)) && [[ ${PROMPT_COMMAND[-2]}${PROMPT_COMMAND[-1]} == "$__shellmate_last_hook$__shellmate_bp_last" ]]; then
    builtin return 0
  fi
  [[ ${PROMPT_COMMAND[*]-} != *__shellmate_* ]] || __shellmate_place PROMPT_COMMAND '' ''
  if ((__shellmate_version < 501)); then
    [[ ${PROMPT_COMMAND-} == *"$__shellmate_bp_last" ]] || __shellmate_bp_last=
    PROMPT_COMMAND=${PROMPT_COMMAND%"$__shellmate_bp_last"}$'\n'$__shellmate_last_hook${__shellmate_bp_last:+$'\n'$__shellmate_bp_last}
  elif [[ ${PROMPT_COMMAND[*]: -1} == "$__shellmate_bp_last" ]]; then
    PROMPT_COMMAND=("${PROMPT_COMMAND[@]::${#PROMPT_COMMAND[@]}-1}" "$__shellmate_last_hook" "$__shellmate_bp_last")
  else
    PROMPT_COMMAND+=("$__shellmate_last_hook")
  fi
}
__shellmate_bp_first() { builtin eval "$__shellmate_first_hook"; }

# Wraps the user's DEBUG trap so that it does not run for our hooks. The new `trap` command goes to
# __shellmate_next_code, which the caller evaluates outside of any function.
__shellmate_wrap_trap() {
  builtin local __shellmate_trap='' __shellmate_separator=' '
  __shellmate_next_code=
  builtin read -r -d '' __shellmate_trap <"${__shellmate_fifo%/*}/trap" || builtin :
  [[ $__shellmate_trap == "trap -- '"* && $__shellmate_trap != *__shellmate_* && $__shellmate_trap != *__bp_* ]] || builtin return 0
  builtin eval "builtin set -- ${__shellmate_trap#trap -- }"
  [[ $1 != *'#'* ]] || __shellmate_separator=$'\n'
  builtin printf -v __shellmate_next_code '\\builtin trap -- %q DEBUG' \
    "case \"\$BASH_COMMAND \${FUNCNAME-}\" in
__shellmate_restore*) { __shellmate_call __shellmate_hide_hooks; } 2>/dev/null ;;
*__shellmate_*) ;;
*) $1$__shellmate_separator;; esac"
}

# Takes our hooks out of PROMPT_COMMAND when the first one has run. A DEBUG trap may compare the command with
# $PROMPT_COMMAND, or with its last entry, to recognise the prompt. __shellmate_last puts the hooks back, or Enter if
# that was interrupted.
# shellcheck disable=SC2178 # a string before bash 5.1
__shellmate_hide_hooks() {
  if ((!__shellmate_end_sent)); then
    builtin : # the start files have just ended
  elif [[ ${PROMPT_COMMAND-} == "$__shellmate_first_hook"$'\n'*$'\n'"$__shellmate_last_hook" ]]; then
    PROMPT_COMMAND=${PROMPT_COMMAND#"$__shellmate_first_hook"$'\n'}
    PROMPT_COMMAND=${PROMPT_COMMAND%$'\n'"$__shellmate_last_hook"}
  elif [[ ${#PROMPT_COMMAND[@]} -gt 2 && ${PROMPT_COMMAND[0]} == "$__shellmate_first_hook" ]] &&
    [[ ${PROMPT_COMMAND[-1]} == "$__shellmate_last_hook" ]]; then
    PROMPT_COMMAND=("${PROMPT_COMMAND[@]:1:${#PROMPT_COMMAND[@]}-2}") __shellmate_user_hook=
  fi
}
