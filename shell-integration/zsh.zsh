# shellmate's half of the conversation with zsh; docs/PROTOCOL.md says what is said.
#
# The host puts this text, after a few assignments and zsh-query.zsh, into the .zshenv of a private ZDOTDIR. It gives ZDOTDIR back,
# defines what follows, has itself called before the first prompt, and reads the user's own .zshenv; zsh reads all other startup
# files by itself.
# Prompts, keys and the widgets behind them stay as they are: Enter is seen in zle-line-finish, where every accepted line passes.
# What is not the user's runs with stderr closed to `set -x`, in zsh's own options, and unseen by traps that watch commands.

if [[ -n $__shellmate_zdotdir_set ]]; then builtin export ZDOTDIR="$__shellmate_zdotdir"; else builtin unset ZDOTDIR; fi

if [[ -o interactive && -z ${__shellmate_query+x} ]]; then
  builtin typeset -gH +x __shellmate_nonce __shellmate_fifo
  builtin typeset -g __shellmate_query= __shellmate_command= __shellmate_ran= __shellmate_busy= __shellmate_seen= __shellmate_typed=
  builtin typeset -g __shellmate_count=0 __shellmate_code=0

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

  # Before a prompt. A command of shellmate's runs here, in the user's options, so that what it sets lasts. `return` ends no more than it.
  __shellmate_precmd() {
    while { __shellmate_next "$?" } 2>/dev/null; do
      { () { builtin eval "$__shellmate_command" }; __shellmate_ran=$? } always { TRY_BLOCK_ERROR=0 TRY_BLOCK_INTERRUPT=0 }
    done
  }

  # Say how the last command ended, wait while a query is answered, announce the prompt. True if there is a command to run first.
  __shellmate_next() {
    builtin emulate -L zsh && builtin trap - DEBUG ZERR
    if [[ $__shellmate_query == run ]]; then
      __shellmate_query=open __shellmate_command=
      __shellmate_environment
      __shellmate_say ran ${__shellmate_ran:-$(( $1 ? $1 : 130 ))} # an interrupt leaves none
    else
      __shellmate_code=$1 __shellmate_seen= __shellmate_typed=
      [[ ! -e ${__shellmate_fifo:h}/renew ]] || __shellmate_renew
      # What zsh has just drawn behind output without a final newline is not output.
      __shellmate_say end $1 "${(%)${PROMPT_EOL_MARK-%B%S%#%s%b}}"
      if [[ $widgets[zle-line-init] != user:__shellmate_line_init ]]; then
        # A hook behind ours may do that at every prompt; from the next one on there is one of ours behind it.
        (( $+functions[__shellmate_boot] )) || precmd_functions=(${precmd_functions:#__shellmate_last} __shellmate_last)
        __shellmate_widgets
      fi
      [[ $__shellmate_query == asked && -p $__shellmate_fifo ]] && __shellmate_query=open || __shellmate_query=
      if [[ -n $__shellmate_query ]]; then
        __shellmate_environment
        __shellmate_say wait $(( ++__shellmate_count )) "$PWD"
      fi
    fi
    [[ -z $__shellmate_query ]] || ! __shellmate_wait || builtin return 0
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
    if [[ -z $__shellmate_seen && ( $1 == '>' || $1 == '> '* ) ]]; then
      __shellmate_stop "$1"
    else
      # Where a hook has just put the history aside zsh does not know what was typed.
      __shellmate_say start "$PWD" "${1:-${${__shellmate_typed:#*!*}:-$3}}"
      __shellmate_typed=
    fi 2>/dev/null
  }

  # The editor's hooks that begin and finish a line are in zsh-query.zsh; these are our part of the first.
  __shellmate_begin() { builtin emulate -L zsh && builtin trap - DEBUG ZERR && __shellmate_say input }
  __shellmate_begun() {
    builtin emulate -L zsh && builtin trap - DEBUG ZERR
    if (( $+functions[__shellmate_boot] )); then
      builtin unfunction __shellmate_boot __shellmate_install
      (( $#zsh_scheduled_events )) || builtin zmodload -u zsh/sched
    fi
    [[ $widgets[zle-line-finish] == user:__shellmate_line_finish ]] || __shellmate_widgets
  }

  # Be the outermost of both hooks, whatever else has been installed since.
  __shellmate_last() { { __shellmate_widgets } 2>/dev/null }
  __shellmate_widgets() {
    builtin emulate -L zsh && builtin trap - DEBUG ZERR
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
