# The part of shellmate that runs inside a hosted zsh. It reports prompts and commands in marks; docs/PROTOCOL.md
# lists the marks and the variables that the hooks keep.
#
# shellmate writes a few assignments, zsh-line.zsh, zsh-query.zsh and this file, without comments and indentation,
# into the .zshenv of a private ZDOTDIR. This file restores ZDOTDIR, defines the hooks, schedules their installation
# for the first prompt and sources the user's .zshenv. zsh itself reads all other start files.
#
# Prompts, keys and widgets stay as they are. A query is recognised in zle-line-finish, which runs for every accepted
# line. Hooks run with zsh's default options, with traps that watch commands removed, and with stderr redirected so
# that `set -x` shows nothing.

if [[ -n $__shellmate_zdotdir_set ]]; then builtin export ZDOTDIR="$__shellmate_zdotdir"; else builtin unset ZDOTDIR; fi
if [[ -o interactive && -z ${__shellmate_query+x} ]]; then
  builtin typeset -gH +x __shellmate_nonce __shellmate_fifo
  builtin typeset -g __shellmate_query= __shellmate_command= __shellmate_command_status= __shellmate_nested= __shellmate_line_seen= __shellmate_typed=
  builtin typeset -g __shellmate_wait_count=0 __shellmate_user_status=0

  # Sends one mark: its kind and its fields.
  __shellmate_send() {
    builtin emulate -L zsh -o no_multibyte -o extended_glob
    builtin local mark=$'\e]7771;'$__shellmate_nonce field MATCH MBEGIN MEND
    for field; do
      field=${${${field[1,65536]}//\%/%25}//;/%3B}
      if [[ $field == *[$'\x00'-$'\x1f\x7f']* ]]; then
        # Splitting and joining is much faster than a substitution if a text has many lines.
        field="${(j:%0A:)${(@ps:\n:)field}}"
        field="${(j:%09:)${(@ps:\t:)field}}"
        field=${field//(#m)[$'\x00'-$'\x1f\x7f']/%${(l:2::0:)$(( [##16] #MATCH ))}}
      fi
      mark+=";$field"
    done
    builtin print -rn -- $mark$'\e\\' >/dev/tty
  }

  # Runs before each prompt. A command of the agent runs here, with the user's options, so that what it sets lasts. It
  # runs in an anonymous function, so that `return` ends only the command.
  __shellmate_precmd() {
    while { __shellmate_next "$?" } 2>/dev/null; do
      { () { builtin eval "$__shellmate_command" }; __shellmate_command_status=$? } always { TRY_BLOCK_ERROR=0 TRY_BLOCK_INTERRUPT=0 }
    done
  }

  # Reports how the last command ended, waits while a query is answered and announces the prompt. Returns true if a
  # command of the agent is to be run first.
  __shellmate_next() {
    builtin emulate -L zsh && builtin trap - DEBUG ZERR
    if [[ $__shellmate_query == run ]]; then
      __shellmate_query=open __shellmate_command=
      __shellmate_environment
      # An interrupt leaves the status empty.
      __shellmate_send ran ${__shellmate_command_status:-$(( $1 ? $1 : 130 ))}
    else
      __shellmate_user_status=$1 __shellmate_line_seen= __shellmate_typed=
      [[ ! -e ${__shellmate_fifo:h}/renew ]] || __shellmate_renew
      # PROMPT_EOL_MARK is drawn after output without a final newline. It is reported because it is not output.
      __shellmate_send end $1 "${(%)${PROMPT_EOL_MARK-%B%S%#%s%b}}"
      if [[ $widgets[zle-line-init] != user:__shellmate_line_init ]]; then
        # A hook behind ours may replace the widget before each prompt. From the next prompt on, __shellmate_last runs
        # behind it.
        (( $+functions[__shellmate_boot] )) || precmd_functions=(${precmd_functions:#__shellmate_last} __shellmate_last)
        __shellmate_set_widgets
      fi
      [[ $__shellmate_query == asked && -p $__shellmate_fifo ]] && __shellmate_query=open || __shellmate_query=
      if [[ -n $__shellmate_query ]]; then
        __shellmate_environment
        __shellmate_send wait $(( ++__shellmate_wait_count )) "$PWD"
      fi
    fi
    [[ -z $__shellmate_query ]] || ! __shellmate_wait || builtin return 0
    if (( $+functions[__shellmate_user_precmd] )); then
      [[ $functions[precmd] != *__shellmate_precmd_stand_in* ]] || __shellmate_copy_function __shellmate_user_precmd precmd
      builtin unfunction __shellmate_user_precmd
    else
      __shellmate_send prompt "$PWD"
    fi
    builtin return 1
  }

  # zsh calls a function named `precmd` before all hooks. While a query is open it has to run after ours, so this
  # function stands in for it.
  __shellmate_precmd_stand_in() {
    __shellmate_precmd
    if () { builtin return "$__shellmate_user_status" }; then precmd; else precmd; fi
  }
  __shellmate_copy_function() { builtin functions -c $1 $2 || functions[$2]=$functions[$1] }

  # Runs before each command.
  __shellmate_preexec() {
    if [[ -z $__shellmate_line_seen && ( $1 == '>' || $1 == '> '* ) ]]; then
      __shellmate_stop_query "$1"
    else
      # $1 is empty if a hook has just switched to another history.
      __shellmate_send start "$PWD" "${1:-${${__shellmate_typed:#*!*}:-$3}}"
      __shellmate_typed=
    fi 2>/dev/null
  }

  # Called by __shellmate_line_init (zsh-line.zsh), before and after the user's widget.
  __shellmate_send_input() { builtin emulate -L zsh && builtin trap - DEBUG ZERR && __shellmate_send input }
  __shellmate_line_ready() {
    builtin emulate -L zsh && builtin trap - DEBUG ZERR
    if (( $+functions[__shellmate_boot] )); then
      builtin unfunction __shellmate_boot __shellmate_install
      (( $#zsh_scheduled_events )) || builtin zmodload -u zsh/sched
    fi
    [[ $widgets[zle-line-finish] == user:__shellmate_line_finish ]] || __shellmate_set_widgets
  }

  # Makes our widgets the outermost ones.
  __shellmate_last() { { __shellmate_set_widgets } 2>/dev/null }
  __shellmate_set_widgets() {
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

  # Installs the hooks, once, after all start files and before the first prompt: as a scheduled event, or as a hook if
  # this zsh has no events.
  __shellmate_boot() { { __shellmate_install "$?" } 2>/dev/null; builtin return "$__shellmate_user_status" }
  __shellmate_install() {
    builtin emulate -L zsh && builtin trap - DEBUG ZERR
    if [[ ${(t)precmd_functions}${(t)preexec_functions} == *readonly* ]]; then
      __shellmate_send hello zsh $ZSH_VERSION $$ readonly
      builtin return 0
    fi
    precmd_functions=(__shellmate_precmd ${precmd_functions:#__shellmate_boot})
    preexec_functions=(__shellmate_preexec $preexec_functions)
    __shellmate_send hello zsh $ZSH_VERSION $$ ${${options[zle]:#on}:+editor}
    __shellmate_next $1 || :
  }
  if [[ $ZSH_VERSION == (5.<1->|<6->.)* ]]; then
    builtin sched +0 '__shellmate_boot && :' 2>/dev/null || precmd_functions+=(__shellmate_boot)
  else
    __shellmate_send hello zsh $ZSH_VERSION $$ old
  fi
fi
if [[ -n $__shellmate_norcs ]]; then builtin setopt no_rcs; fi
builtin unset __shellmate_zdotdir __shellmate_zdotdir_set __shellmate_norcs
if [[ -o rcs && -r ${ZDOTDIR:-$HOME}/.zshenv ]]; then builtin source "${ZDOTDIR:-$HOME}/.zshenv"; fi
