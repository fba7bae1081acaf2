# shellcheck shell=bash
# shellcheck disable=SC2034,SC2154 # the variables are assigned in other files
# Lazy functions behind Enter: lines that need a closer look, and the external editor.

# Looks at a line that could be a query or could become one. Sets __shellmate_line to what will run after history
# expansion, `fc` and the split of a pasted text, and takes a query. Returns false if bash alone must decide.
__shellmate_inspect() {
  builtin local __shellmate_histchars="${histchars-!^#}"
  if [[ $__shellmate_line == '>' || $__shellmate_line == '> '* ]]; then
    # Nothing in a query is expanded.
    builtin :
  elif [[ $- == *H* && :$SHELLOPTS: == *:history:* &&
    ($__shellmate_line == *"${__shellmate_histchars:0:1}"[!\ =]* || $__shellmate_line == "${__shellmate_histchars:1:1}"*) ]]; then
    # If there is no such event, bash reports that.
    __shellmate_line=$(__shellmate_expand_history "$__shellmate_line") || builtin return
    __shellmate_line=${__shellmate_line%$'\n'x}
    [[ $__shellmate_line == "${READLINE_LINE-}" ]] || ! builtin shopt -q histverify || builtin return
  fi
  __shellmate_check_fc
  [[ $__shellmate_line == '> '* || $__shellmate_line != *$'\n>'* ]] || __shellmate_split_paste
  [[ $__shellmate_line == '>' || $__shellmate_line == '> '* ]] || builtin return 0
  __shellmate_encode "$__shellmate_line"
  __shellmate_send "query;$__shellmate_field;erased"
  [[ :$SHELLOPTS: != *:history:* ]] || builtin history -s -- "$__shellmate_line"
  READLINE_LINE='' READLINE_POINT=0 __shellmate_query=new __shellmate_line=''
}

# If __shellmate_line is an `fc` that repeats a query, replaces it by the query.
__shellmate_check_fc() {
  builtin local __shellmate_word __shellmate_repeated
  __shellmate_word=${__shellmate_line%%[[:blank:]]*}
  [[ $__shellmate_word == +([[:alnum:]_]) && ${BASH_ALIASES[$__shellmate_word]-$__shellmate_word} == fc?([[:blank:]]*) ]] ||
    builtin return 0
  __shellmate_repeated=$(__shellmate_fc_target "${BASH_ALIASES[$__shellmate_word]-fc}" "${__shellmate_line#"$__shellmate_word"}")
  [[ $__shellmate_repeated != '> '* ]] || __shellmate_line=$__shellmate_repeated
}

# Runs before and after a key that opens the line in an external editor and then runs it. In between, $VISUAL is our
# function, which hands back a query instead of running it.
__shellmate_edit_key() {
  __shellmate_send wiped
  ((__shellmate_lineno != 2)) || builtin return 0
  if [[ ! $__shellmate_saved_visual ]]; then
    [[ ${VISUAL@a} == *r* ]] || __shellmate_saved_visual=${VISUAL+=}:${VISUAL-} VISUAL=__shellmate_editor
    builtin return 0
  fi
  __shellmate_restore_visual
  __shellmate_saved_visual=
  [[ $__shellmate_edited_query ]] || builtin return 0
  READLINE_LINE=$__shellmate_edited_query READLINE_POINT=${#__shellmate_edited_query} __shellmate_edited_query=
}
__shellmate_restore_visual() {
  [[ ${VISUAL-} != __shellmate_editor ]] || VISUAL=${__shellmate_saved_visual#*:}
  [[ $__shellmate_saved_visual == =* ]] || builtin unset -v VISUAL || builtin :
}
__shellmate_editor() {
  builtin local __shellmate_fallback=vi __shellmate_text
  [[ :$SHELLOPTS: == *:vi:* ]] || __shellmate_fallback=emacs
  __shellmate_restore_visual
  builtin eval "${VISUAL:-${EDITOR:-$__shellmate_fallback}}" '"$1"' || builtin return
  builtin read -r -d '' __shellmate_text <"$1"
  [[ $__shellmate_text != '>' && $__shellmate_text != '> '* ]] || { __shellmate_edited_query=$__shellmate_text && builtin : >|"$1"; }
}

# Prints the line that `fc` with these arguments would run or edit first. It runs in a subshell: fc takes the last
# history entry for the line that called it.
__shellmate_fc_target() {
  builtin local IFS=$' \t\n' OPTIND=2 OPTARG __shellmate_option __shellmate_entry
  builtin set -f
  # Splits the arguments at blanks, without quotes and backslashes.
  # shellcheck disable=SC2048,SC2086
  builtin set -- ${*//[\'\"\\]/}
  while builtin getopts :e:lnrs __shellmate_option; do
    [[ $__shellmate_option != l ]] || builtin return 0
    [[ $__shellmate_option != '?' ]] || builtin break
  done
  while [[ ${!OPTIND-} == *=* ]]; do ((++OPTIND)); done
  builtin history -s -- fc
  builtin read -r __shellmate_entry <<<"$(builtin fc -ln "${!OPTIND:--1}" "${!OPTIND:--1}")"
  builtin printf %s "$__shellmate_entry"
}

# A pasted text may contain complete commands followed by a query. Keeps the commands in the line; shellmate puts the
# rest on the next prompt.
__shellmate_split_paste() {
  builtin local __shellmate_rest="$__shellmate_line" __shellmate_commands=''
  while [[ $__shellmate_rest == *$'\n'* ]]; do
    __shellmate_commands+=${__shellmate_commands:+$'\n'}${__shellmate_rest%%$'\n'*} __shellmate_rest=${__shellmate_rest#*$'\n'}
    [[ $__shellmate_rest == '>' || $__shellmate_rest == '> '* || $__shellmate_rest == $'>\n'* ]] || builtin continue
    __shellmate_field=${__shellmate_commands##*[!\\]}
    # After an odd number of backslashes the line continues.
    ((!(${#__shellmate_field} % 2))) || builtin continue
    [[ ! $(BASH_ENV='' "$BASH" -O extglob -n <<<"$__shellmate_commands" 2>&1) ]] || builtin continue
    __shellmate_encode "$__shellmate_rest"
    __shellmate_send "later;$__shellmate_field"
    __shellmate_line=$__shellmate_commands READLINE_LINE=$__shellmate_commands
    builtin return
  done
}

# Prints $1 after history expansion, followed by x. It runs in a subshell, because `history -p` drops the last entry
# if that was not added by `history -s`.
__shellmate_expand_history() {
  builtin history -s -- __shellmate
  builtin local __shellmate_entry
  __shellmate_entry=$(HISTTIMEFORMAT='' builtin history 1)
  __shellmate_entry=${__shellmate_entry#"${__shellmate_entry%%[0-9]*}"}
  builtin history -d "${__shellmate_entry%%[!0-9]*}"
  builtin history -p -- "$1" && builtin printf x
}
