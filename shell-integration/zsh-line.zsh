# The hooks of zsh's line editor, which take a query from an accepted line.

# Widgets for zle-line-init and zle-line-finish. The user's widget runs first, then ours, whatever the user's does. At
# this point the prompt is drawn, and the user's widget may edit the whole line itself (recursive-edit). On a
# continuation line nothing of ours runs, and the user's widget is called without a function or a compound command
# around it: `%_` in PS2 would show them. __shellmate_nested is `started` while such a widget runs, for a widget that
# edits a line itself.
__shellmate_line_init() {
  builtin local "__shellmate_context=${__shellmate_nested:-$CONTEXT}" __shellmate_nested=started
  "${${${__shellmate_context:#start*}:+${widgets[__shellmate_old_init]:+builtin}}:-:}" zle __shellmate_old_init || :
  "${${${(M)__shellmate_context:#start}:+__shellmate_run_widget}:-:}" init __shellmate_send_input __shellmate_line_ready
}
__shellmate_line_finish() {
  builtin local "__shellmate_context=${__shellmate_nested:-$CONTEXT}" __shellmate_nested=started
  "${${${__shellmate_context:#start*}:+${widgets[__shellmate_old_finish]:+builtin}}:-:}" zle __shellmate_old_finish || :
  "${${${(M)__shellmate_context:#start}:+__shellmate_run_widget}:-:}" finish : __shellmate_accept
  builtin typeset -g "__shellmate_typed=${${CONTEXT:#vared}:+$PREBUFFER$BUFFER}"
}

# Runs the function $2, the user's widget and the function $3.
__shellmate_run_widget() {
  { "$2" } 2>/dev/null
  { [[ -z ${widgets[__shellmate_old_$1]-} ]] || builtin zle "__shellmate_old_$1" || : } always {
    TRY_BLOCK_ERROR=0 TRY_BLOCK_INTERRUPT=0
    { "$3" } 2>/dev/null
  }
}

# Takes a query and leaves the shell an empty line. Ctrl-C can end this function anywhere, and zsh would run the line
# that is still there. So a line counts as seen only if it is no query or its buffer is empty. __shellmate_preexec stops
# a query that was not seen.
__shellmate_accept() {
  builtin emulate -L zsh && builtin trap - DEBUG ZERR
  (( $precmd_functions[(I)__shellmate_precmd] )) || precmd_functions=(__shellmate_precmd $precmd_functions)
  (( $preexec_functions[(I)__shellmate_preexec] )) || preexec_functions=(__shellmate_preexec $preexec_functions)
  [[ $BUFFER == '>' || $BUFFER == '> '* ]] || __shellmate_fc_query ||
    { __shellmate_line_seen=1; __shellmate_split_paste; builtin return 0 }
  CURSOR=$#BUFFER POSTDISPLAY=
  # `zle -I` erases the right prompt as usual, but leaves the cursor on the next line.
  [[ -o transient_rprompt ]] && builtin zle -I && builtin print -rn -- $'\e[A\e[999C' >/dev/tty || builtin zle -R -c
  builtin print -rn -- "${zle_bracketed_paste[2]}" >/dev/tty
  [[ ( -o hist_ignore_dups || -o hist_ignore_all_dups ) && $BUFFER == $history[$(( HISTCMD - 1 ))] ]] ||
    builtin print -rs -- "$BUFFER"
  __shellmate_send_query "$BUFFER"
  BUFFER= __shellmate_line_seen=1
}

# Reports the query. The user's function `precmd`, which zsh calls before all hooks, is replaced by a stand-in until the
# query is answered.
__shellmate_send_query() {
  __shellmate_send query "$1" kept
  __shellmate_query=asked
  if (( $+functions[precmd] && ! $+functions[__shellmate_user_precmd] )); then
    __shellmate_copy_function precmd __shellmate_user_precmd
    functions[precmd]=__shellmate_precmd_stand_in
  fi
}

# Keeps zsh from running a query that no hook of the editor has seen, because a widget took our place while the line
# was edited or Ctrl-C ended our hook. An interrupt stops the command.
__shellmate_stop_query() {
  builtin emulate -L zsh && builtin trap - DEBUG ZERR INT
  [[ $__shellmate_query == asked ]] || __shellmate_send_query "$1"
  builtin kill -INT $$
}

# `fc` and `r` run a line that the editor has not seen. Returns true if that line is a query, and puts it into the
# buffer.
__shellmate_fc_query() {
  builtin local -a words && words=(${(z)BUFFER})
  words=(${(z)aliases[${words[1]:-:}]-$words[1]} ${(Q)words[2,-1]})
  [[ $words[1] == (fc|r) ]] || builtin return 1
  while shift words && [[ $words[1] == -[^0-9]* || $words[1] == *=* ]]; do
    case $words[1] in
      (-*[lRWAIpPa]*) builtin return 1 ;;
      (-e) shift words ;;
    esac
  done
  words=("$(builtin fc -ln -- ${words[1]:--1} ${words[1]:--1})")
  [[ $words[1] == '> '* ]] && BUFFER=$words[1]
}

# A pasted text may contain complete commands followed by a query. Keeps the commands in the buffer; shellmate puts
# the rest on the next prompt.
__shellmate_split_paste() {
  [[ $BUFFER == *$'\n>'* ]] || builtin return 0
  builtin local -a lines && lines=("${(@f)BUFFER}") && builtin local -i i
  for (( i = 2; i <= $#lines; i++ )); do
    [[ $lines[i] == ('>'|'> '*) ]] && __shellmate_is_complete "${(F)lines[1,i-1]}" || builtin continue
    __shellmate_send later "${(F)lines[i,-1]}"
    BUFFER=${(F)lines[1,i-1]}
    builtin return 0
  done
}

# Returns true if $1 is a whole command, tested by defining a function with it. zsh accepts a final `&&` or `||`, so
# these are tested first, and so is a final backslash. An open here-document would accept any text: so the test must
# fail with `)` appended.
__shellmate_is_complete() {
  builtin local slashes=${1##*[^\\]} && builtin local -a words && words=(${(z)1})
  [[ $words[-1] == ('&&'|'||') ]] || (( $#slashes % 2 )) && builtin return 1
  (( $+functions[__shellmate_try] )) && builtin unfunction __shellmate_try
  functions[__shellmate_try]=$1
  (( $+functions[__shellmate_try] )) || builtin return 1
  builtin unfunction __shellmate_try
  functions[__shellmate_try]=$1$'\n)'
  (( ! $+functions[__shellmate_try] ))
}
