# shellmate's half of the conversation with zsh; docs/PROTOCOL.md says what is said.
#
# The host puts this text, after a few assignments, into the .zshenv of a private ZDOTDIR. It gives ZDOTDIR back, defines what
# follows, has itself called before the first prompt, and reads the user's own .zshenv; zsh reads all other startup files by itself.
# Prompts, keys and the widgets behind them stay as they are: Enter is seen in zle-line-finish, where every accepted line passes.
# What is not the user's runs with stderr closed to `set -x`, in zsh's own options, and unseen by traps that watch commands.

if [[ -n $__shellmate_zdotdir_set ]]; then builtin export ZDOTDIR="$__shellmate_zdotdir"; else builtin unset ZDOTDIR; fi

if [[ -o interactive && -z ${__shellmate_query+x} ]]; then
  builtin typeset -gH +x __shellmate_nonce __shellmate_fifo
  builtin typeset -g __shellmate_query= __shellmate_file= __shellmate_ran= __shellmate_busy= __shellmate_count=0 __shellmate_code=0

  # say KIND FIELD…: write one mark.
  __shellmate_say() {
    builtin emulate -L zsh -o no_multibyte -o extended_glob
    builtin local mark=$'\e]7771;'$__shellmate_nonce field MATCH MBEGIN MEND
    for field; do
      field=${${${field[1,65536]}//\%/%25}//;/%3B}
      if [[ $field == *[$'\x00'-$'\x1f\x7f']* ]]; then
        field="${(j:%0A:)${(@ps:\n:)field}}"   # much faster than a substitution, when there are many
        field="${(j:%09:)${(@ps:\t:)field}}"
        field=${field//(#m)[$'\x00'-$'\x1f\x7f']/%${(l:2::0:)$(( [##16] #MATCH ))}}
      fi
      mark+=";$field"
    done
    builtin print -rn -- $mark$'\e\\' >/dev/tty
  }

  # Write down what is exported, by hand: after a program run here zsh would not take the terminal back from it.
  __shellmate_environment() {
    builtin emulate -L zsh && builtin local __shellmate_name
    for __shellmate_name in ${(k)parameters[(R)*export*]}; do
      builtin print -rn -- "$__shellmate_name=${(P)__shellmate_name}"$'\0'
    done >|${__shellmate_fifo:h}/environment
  }

  # Before a prompt. A file to run is read here, in the user's options, so that what it sets lasts.
  __shellmate_precmd() {
    while { __shellmate_next "$?" } 2>/dev/null; do
      { builtin source "$__shellmate_file" } always { TRY_BLOCK_ERROR=0 TRY_BLOCK_INTERRUPT=0 }
    done
  }

  # Say how the last command ended, wait while a query is answered, announce the prompt. True if there is a file to run first.
  __shellmate_next() {
    builtin emulate -L zsh && builtin trap - DEBUG ZERR
    if [[ $__shellmate_query == run ]]; then
      __shellmate_query=open
      # An interrupt has kept the file from saying it.
      [[ -n $__shellmate_ran ]] || __shellmate_say ran $(( $1 ? $1 : 130 ))
    else
      __shellmate_code=$1
      # What zsh has just drawn behind output without a final newline is not output.
      __shellmate_say end $1 "${(%)${PROMPT_EOL_MARK-%B%S%#%s%b}}"
      [[ $widgets[zle-line-init] == user:__shellmate_line_init ]] || __shellmate_widgets
      [[ $__shellmate_query == asked ]] && __shellmate_query=open || __shellmate_query=
      if [[ -n $__shellmate_query ]]; then
        __shellmate_environment
        __shellmate_say wait $(( ++__shellmate_count )) "$PWD"
      fi
    fi
    builtin local line
    while [[ -n $__shellmate_query ]]; do
      builtin read -r line <$__shellmate_fifo || __shellmate_query=
      case $line in
        ("$__shellmate_count run "*) __shellmate_query=run __shellmate_ran= __shellmate_file=${line#* run }; builtin return 0 ;;
        ("$__shellmate_count done") __shellmate_query= ;;
      esac
    done
    if (( $+functions[__shellmate_kept_precmd] )); then
      [[ $functions[precmd] != *__shellmate_stand_in* ]] || __shellmate_copy __shellmate_kept_precmd precmd
      builtin unfunction __shellmate_kept_precmd
    else
      __shellmate_say prompt "$PWD"
    fi
    builtin return 1
  }

  # zsh calls a function named precmd ahead of all hooks. When there is a query it has to come after: this stands in for it.
  __shellmate_stand_in() {
    __shellmate_precmd
    if () { builtin return "$__shellmate_code" }; then precmd; else precmd; fi
  }
  __shellmate_copy() { builtin functions -c $1 $2 || functions[$2]=$functions[$1] }
  __shellmate_preexec() {
    { if [[ $1 == '>' || $1 == '> '* ]]; then __shellmate_stop "$1"; else __shellmate_say start "$PWD" "${1:-$3}"; fi } 2>/dev/null
  }

  # The editor's hooks: first the widget that was there, wherever that leads, then ours, whatever becomes of that. The prompt is
  # drawn already, and a widget may edit the whole line by itself.
  __shellmate_line_init() { [[ -n $__shellmate_busy ]] || { __shellmate_begin 2>/dev/null; __shellmate_then init __shellmate_begun } }
  __shellmate_line_finish() { [[ -n $__shellmate_busy ]] || __shellmate_then finish __shellmate_accept }
  __shellmate_then() {
    { builtin typeset -g __shellmate_busy=1; [[ -z ${widgets[__shellmate_old_$1]-} ]] || builtin zle "__shellmate_old_$1" || : } always {
      builtin typeset -g __shellmate_busy=
      TRY_BLOCK_ERROR=0 TRY_BLOCK_INTERRUPT=0
      { "$2" } 2>/dev/null
    }
  }

  __shellmate_begin() { builtin emulate -L zsh && builtin trap - DEBUG ZERR && [[ $CONTEXT == start ]] && __shellmate_say input }
  __shellmate_begun() {
    builtin emulate -L zsh && builtin trap - DEBUG ZERR
    if (( $+functions[__shellmate_boot] )); then
      builtin unfunction __shellmate_boot __shellmate_install
      (( $#zsh_scheduled_events )) || builtin zmodload -u zsh/sched
    fi
    [[ $CONTEXT != start || $widgets[zle-line-finish] == user:__shellmate_line_finish ]] || __shellmate_widgets
  }

  # A query gets no further than this: the shell is left with an empty line.
  __shellmate_accept() {
    builtin emulate -L zsh && builtin trap - DEBUG ZERR
    [[ $CONTEXT == start ]] || builtin return 0
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

  # Be the outermost of both hooks, whatever else has been installed since.
  __shellmate_widgets() {
    builtin local name && [[ -o zle ]] || builtin return 0
    for name in init finish; do
      case $widgets[zle-line-$name] in
        (user:__shellmate_line_$name) ;;
        (?*) builtin zle -A zle-line-$name __shellmate_old_$name ;|
        (*) builtin zle -N zle-line-$name __shellmate_line_$name ;;
      esac
    done
  }

  # Once, before the first prompt and after all startup files and hooks: as an event, or as a hook if this zsh has no events.
  __shellmate_boot() { { __shellmate_install "$?" } 2>/dev/null; builtin return "$__shellmate_code" }
  __shellmate_install() {
    builtin emulate -L zsh && builtin trap - DEBUG ZERR
    if [[ ${(t)precmd_functions}${(t)preexec_functions} == *readonly* ]]; then
      __shellmate_say hello zsh $ZSH_VERSION $$ readonly
      builtin return 0
    fi
    precmd_functions=(__shellmate_precmd ${precmd_functions:#__shellmate_boot})
    preexec_functions=(__shellmate_preexec $preexec_functions)
    __shellmate_say hello zsh $ZSH_VERSION $$ ${${options[zle]:#on}:+editor}
    __shellmate_next $1 || :
  }

  if [[ $ZSH_VERSION == (5.<1->|<6->.)* ]]; then
    builtin sched +0 '__shellmate_boot && :' 2>/dev/null || precmd_functions+=(__shellmate_boot)
  else
    __shellmate_say hello zsh $ZSH_VERSION $$ old
  fi
fi

if [[ -n $__shellmate_norcs ]]; then builtin setopt no_rcs; fi
builtin unset __shellmate_zdotdir __shellmate_zdotdir_set __shellmate_norcs
if [[ -o rcs && -r ${ZDOTDIR:-$HOME}/.zshenv ]]; then builtin source "${ZDOTDIR:-$HOME}/.zshenv"; fi
