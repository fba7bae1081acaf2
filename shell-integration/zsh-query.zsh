# What zsh's editor does with a line, and about a query; the host puts this text in front of zsh.zsh.

# The editor's hooks: first the widget that was there, wherever that leads, then ours, whatever becomes of that. The prompt is
# drawn already, and a widget may edit the whole line by itself. On a line that goes on from another there is nothing of ours,
# and the widget is called with no function and no compound command around it: `%_` in PS2 would tell.
__shellmate_line_init() {
  builtin local "__shellmate_place=${__shellmate_busy:-$CONTEXT}" __shellmate_busy=started
  "${${${__shellmate_place:#start*}:+${widgets[__shellmate_old_init]:+builtin}}:-:}" zle __shellmate_old_init || :
  "${${${(M)__shellmate_place:#start}:+__shellmate_around}:-:}" init __shellmate_begin __shellmate_begun
}
__shellmate_line_finish() {
  builtin local "__shellmate_place=${__shellmate_busy:-$CONTEXT}" __shellmate_busy=started
  "${${${__shellmate_place:#start*}:+${widgets[__shellmate_old_finish]:+builtin}}:-:}" zle __shellmate_old_finish || :
  "${${${(M)__shellmate_place:#start}:+__shellmate_around}:-:}" finish : __shellmate_accept
  builtin typeset -g "__shellmate_typed=${${CONTEXT:#vared}:+$PREBUFFER$BUFFER}"
}
__shellmate_around() {
  { "$2" } 2>/dev/null
  { [[ -z ${widgets[__shellmate_old_$1]-} ]] || builtin zle "__shellmate_old_$1" || : } always {
    TRY_BLOCK_ERROR=0 TRY_BLOCK_INTERRUPT=0
    { "$3" } 2>/dev/null
  }
}

# A query gets no further than this: the shell is left with an empty line.
__shellmate_accept() {
  builtin emulate -L zsh && builtin trap - DEBUG ZERR
  __shellmate_seen=1
  (( $precmd_functions[(I)__shellmate_precmd] )) || precmd_functions=(__shellmate_precmd $precmd_functions)
  (( $preexec_functions[(I)__shellmate_preexec] )) || preexec_functions=(__shellmate_preexec $preexec_functions)
  [[ $BUFFER == '>' || $BUFFER == '> '* ]] || __shellmate_again || { __shellmate_part; builtin return 0 }
  CURSOR=$#BUFFER POSTDISPLAY=
  # zle -I wipes the right prompt as usual, and leaves the cursor on the next line.
  [[ -o transient_rprompt ]] && builtin zle -I && builtin print -rn -- $'\e[A\e[999C' >/dev/tty || builtin zle -R -c
  builtin print -rn -- "${zle_bracketed_paste[2]}" >/dev/tty
  [[ ( -o hist_ignore_dups || -o hist_ignore_all_dups ) && $BUFFER == $history[$(( HISTCMD - 1 ))] ]] ||
    builtin print -rs -- "$BUFFER"
  __shellmate_hand_over "$BUFFER"
  BUFFER=
}
__shellmate_hand_over() {
  __shellmate_say query "$1" kept
  __shellmate_query=asked
  if (( $+functions[precmd] && ! $+functions[__shellmate_kept_precmd] )); then
    __shellmate_copy precmd __shellmate_kept_precmd
    functions[precmd]=__shellmate_stand_in
  fi
}

# A widget that took our place while the line was edited has let a query through. An interrupt keeps zsh from running it.
__shellmate_stop() {
  builtin emulate -L zsh && builtin trap - DEBUG ZERR INT
  __shellmate_hand_over "$1"
  builtin kill -INT $$
}

# fc and r run a line that the editor has not seen: true if that is a query, which then takes their place.
__shellmate_again() {
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

# A pasted text may hold a query behind whole commands: that waits for the next prompt.
__shellmate_part() {
  [[ $BUFFER == *$'\n>'* ]] || builtin return 0
  builtin local -a lines && lines=("${(@f)BUFFER}") && builtin local -i i
  for (( i = 2; i <= $#lines; i++ )); do
    [[ $lines[i] == ('>'|'> '*) ]] && __shellmate_whole "${(F)lines[1,i-1]}" || builtin continue
    __shellmate_say later "${(F)lines[i,-1]}"
    BUFFER=${(F)lines[1,i-1]}
    builtin return 0
  done
}
# A backslash or an operator at the end goes on, though zsh takes `&&` for an end; a here-document without an end swallows even
# what no command can hold.
__shellmate_whole() {
  builtin local slashes=${1##*[^\\]} && builtin local -a words && words=(${(z)1})
  [[ $words[-1] == ('&&'|'||') ]] || (( $#slashes % 2 )) && builtin return 1
  (( $+functions[__shellmate_try] )) && builtin unfunction __shellmate_try
  functions[__shellmate_try]=$1
  (( $+functions[__shellmate_try] )) || builtin return 1
  builtin unfunction __shellmate_try
  functions[__shellmate_try]=$1$'\n)'
  (( ! $+functions[__shellmate_try] ))
}

# Write down what is exported, by hand: after a program run here zsh would not take the terminal back from it.
__shellmate_environment() {
  builtin emulate -L zsh && builtin local __shellmate_name
  for __shellmate_name in ${(k)parameters[(R)*export*]}; do
    builtin print -rn -- "$__shellmate_name=${(P)__shellmate_name}"$'\0'
  done >|${__shellmate_fifo:h}/environment
}

# Wait for shellmate: true if there is a command to run. Others may write to the FIFO or read from it: so a line counts only if it is
# a token that just shellmate was told. One ends the wait; the other, made for each look at the file, runs what was seen there.
__shellmate_wait() {
  builtin local line go= end && __shellmate_token end
  __shellmate_say listen $end
  while [[ -p $__shellmate_fifo ]] && builtin read -r line <$__shellmate_fifo; do
    case $line in
      (look)
        __shellmate_command="$(<${__shellmate_fifo:h}/command)"
        __shellmate_token go
        __shellmate_say read $go "$__shellmate_command"
        ;;
      ($end) builtin break ;;
      (${go:-$end}) __shellmate_query=run __shellmate_ran=; __shellmate_say go; builtin return 0 ;;
    esac
  done
  __shellmate_query=
  builtin return 1
}
# Sets $1 to a text that nobody can guess.
__shellmate_token() {
  builtin read -r $1 </proc/sys/kernel/random/uuid || builtin typeset -g $1=$RANDOM-$RANDOM-$RANDOM-$RANDOM
}
# Chooses another nonce, because this one was shown.
__shellmate_renew() {
  builtin local nonce && __shellmate_token nonce
  nonce=${nonce//-/}
  (( $#nonce == 32 )) || builtin return 0
  __shellmate_say renew $nonce
  __shellmate_nonce=$nonce
}
