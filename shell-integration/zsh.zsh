# shellmate's half of the conversation with zsh; docs/PROTOCOL.md says what is said.
#
# The host puts this text, after a few assignments, into the .zshenv of a private ZDOTDIR. It gives ZDOTDIR back, defines what
# follows, has itself called before the first prompt, and reads the user's own .zshenv; zsh reads all other startup files by itself.
# Neither prompts nor key bindings are touched. Enter is seen in zle-line-finish, where every widget that accepts a line ends up.

if [[ -n $__shellmate_zdotdir_set ]]; then
  builtin export ZDOTDIR="$__shellmate_zdotdir"
else
  builtin unset ZDOTDIR
fi

if [[ -o interactive && -z ${__shellmate_query+x} ]]; then
  builtin typeset -gH +x __shellmate_nonce __shellmate_fifo
  builtin typeset -g __shellmate_query= __shellmate_file= __shellmate_seen=
  builtin typeset -gi __shellmate_count=0

  # say KIND FIELD…: write one mark.
  __shellmate_say() {
    builtin emulate -L zsh
    builtin setopt no_multibyte extended_glob
    builtin local mark=$'\e]7771;'$__shellmate_nonce field MATCH MBEGIN MEND
    for field; do
      field=${field[1,65536]}
      field=${${field//\%/%25}//;/%3B}
      [[ $field == *[$'\x00'-$'\x1f\x7f']* ]] &&
        field=${field//(#m)[$'\x00'-$'\x1f\x7f']/%${(l:2::0:)$(( [##16] #MATCH ))}}
      mark+=";$field"
    done
    builtin print -rn -- $mark$'\e\\' >/dev/tty
  }

  # The first hook before a prompt. Run directives are read here, not in a helper, so that the options they set last.
  __shellmate_precmd() {
    { __shellmate_end $? } 2>/dev/null
    while { __shellmate_next } 2>/dev/null; do
      { builtin source "$__shellmate_file" } always { TRY_BLOCK_ERROR=0 TRY_BLOCK_INTERRUPT=0 }
    done
  }

  __shellmate_end() {
    builtin emulate -L zsh
    __shellmate_say end $1
    if [[ -n $__shellmate_query ]]; then
      __shellmate_say wait $(( ++__shellmate_count ))
    elif [[ $__shellmate_seen == prompt ]]; then
      __shellmate_widgets
    fi
  }

  # Wait for a file to run: true if there is one, else the prompt is next.
  __shellmate_next() {
    builtin emulate -L zsh
    builtin local line
    while [[ -n $__shellmate_query ]]; do
      builtin read -r line <$__shellmate_fifo || line="$__shellmate_count done"
      case $line in
        ("$__shellmate_count run "*)
          __shellmate_file=${line#* run } __shellmate_query=ran
          builtin return 0 ;;
        ("$__shellmate_count done")
          [[ $__shellmate_query == ran && $+functions[precmd] == 1 ]] && precmd
          __shellmate_query= ;;
      esac
    done
    __shellmate_seen=prompt
    __shellmate_say prompt "$PWD"
    builtin return 1
  }

  __shellmate_preexec() {
    { __shellmate_say start "$PWD" "${1:-$3}" } 2>/dev/null
  }

  __shellmate_line_init() {
    (( $+widgets[__shellmate_prev_line_init] )) && builtin zle __shellmate_prev_line_init -- "$@"
    { [[ $CONTEXT == start ]] && __shellmate_seen=input && __shellmate_say input } 2>/dev/null
    builtin return 0
  }

  __shellmate_line_finish() {
    (( $+widgets[__shellmate_prev_line_finish] )) && builtin zle __shellmate_prev_line_finish -- "$@"
    { __shellmate_accept } 2>/dev/null
  }

  # A query never gets further than this: the shell is left with an empty line.
  __shellmate_accept() {
    builtin emulate -L zsh
    [[ $CONTEXT == start ]] || builtin return 0
    __shellmate_hooks
    [[ $BUFFER == '>' || $BUFFER == '> '* ]] || builtin return 0
    POSTDISPLAY=
    CURSOR=$#BUFFER
    builtin zle -Rc
    __shellmate_say query "$BUFFER" kept
    [[ -o hist_ignore_dups && $BUFFER == $history[$(( HISTCMD - 1 ))] ]] || builtin print -rs -- "$BUFFER"
    BUFFER=
    __shellmate_query=asked
  }

  __shellmate_hooks() {
    (( $precmd_functions[(I)__shellmate_precmd] )) || precmd_functions=(__shellmate_precmd $precmd_functions)
    (( $preexec_functions[(I)__shellmate_preexec] )) || preexec_functions=(__shellmate_preexec $preexec_functions)
  }

  # Take over the two widgets, keeping what they were.
  __shellmate_widgets() {
    builtin local hook
    for hook in line_init line_finish; do
      case ${widgets[zle-${hook/_/-}]} in
        (user:azhw:*) add-zle-hook-widget zle-${hook/_/-} __shellmate_$hook ;;
        (user:__shellmate_$hook) ;;
        (?*) builtin zle -A zle-${hook/_/-} __shellmate_prev_$hook ;|
        (*) builtin zle -N zle-${hook/_/-} __shellmate_$hook ;;
      esac
    done
  }

  __shellmate_boot() {
    builtin local code=$?
    builtin emulate -L zsh
    precmd_functions=(${precmd_functions:#__shellmate_boot})
    (( $+functions[__shellmate_boot] )) || builtin return 0
    builtin unfunction __shellmate_boot
    __shellmate_hooks
    __shellmate_widgets
    __shellmate_say hello zsh $ZSH_VERSION $$ ${${options[zle]:#on}:+editor}
    __shellmate_end $code
    __shellmate_next
    builtin return 0
  }
  precmd_functions+=(__shellmate_boot)
fi

if [[ -n $__shellmate_norcs ]]; then
  builtin unset __shellmate_zdotdir __shellmate_zdotdir_set __shellmate_norcs
  builtin setopt no_rcs
else
  builtin unset __shellmate_zdotdir __shellmate_zdotdir_set __shellmate_norcs
  if [[ -r ${ZDOTDIR:-$HOME}/.zshenv ]]; then
    builtin source "${ZDOTDIR:-$HOME}/.zshenv"
  fi
fi
