# shellcheck shell=bash
# shellcheck disable=SC2016,SC2034 # code in strings is for later, and some variables are only for it
# shellcheck disable=SC2154 # shellmate assigns them in front of this file
# How a hosted bash tells shellmate what it does; the marks are in docs/PROTOCOL.md. Bash reads this in place of ~/.bashrc, or as
# $ENV when it starts in posix mode, behind assignments written by shellmate. The functions come before any file of the user's, so
# that no alias is in them. Later a function may hide a builtin, a variable be read-only, any option be set: hence `builtin`, the
# names, and __shellmate_call. The hooks do not fork and leave $?, $_, PIPESTATUS, the history and the traps as they found them.
\builtin shopt -q expand_aliases && __shellmate_aliases=1
\builtin shopt -u expand_aliases

# Calls a hook with the options off that would end, show or export it, or take its arguments for assignments; and from bash 5.3
# that would report finished jobs after each command, where nobody sees it. (`local -` reads the history file again before bash
# 5.2.) What an interrupt keeps a call from putting back, the next one puts back.
__shellmate_call() {
  [[ ! ${__shellmate_options:=${-//[!$__shellmate_off]/}} ]] || builtin set "+$__shellmate_off"
  "$@"
  builtin local __shellmate_o="${__shellmate_options:+-$__shellmate_options}"
  __shellmate_options=
  [[ ! $__shellmate_o ]] || builtin set "$__shellmate_o"
}

__shellmate_say() { builtin printf "$__shellmate_mark;%s\e\\\\" "$@" >/dev/tty; }

# Sets __shellmate_field to $1 as a field of a mark, cut to $2 bytes. Bytes, because not all that is typed is UTF-8.
__shellmate_encode() {
  __shellmate_field=$1
  [[ ${#1} -gt 16384 || $1 == *[%\;[:cntrl:]]* ]] || builtin return 0
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

__shellmate_where() {
  [[ ${PWD-} != "$__shellmate_pwd" ]] || builtin return 0
  __shellmate_encode "${PWD-}"
  __shellmate_pwd=${PWD-} __shellmate_cwd=$__shellmate_field
}

# First before a prompt, with $? and $_. What it leaves in __shellmate_next the caller evaluates, outside of any function.
__shellmate_precmd() {
  __shellmate_status=$1 __shellmate_arg=$2 __shellmate_next=
  if ((__shellmate_ended)); then
    if [[ $__shellmate_query == run ]]; then
      # An interrupt or an error in the file that we ran has brought us here.
      [[ ${__shellmate_ran-} ]] || __shellmate_say "ran;$1"
      __shellmate_wait
    elif [[ $__shellmate_kept ]]; then
      __shellmate_next="{ $__shellmate_put"$'\n'"$__shellmate_kept"$'\n} >&8 2>&9 8>&- 9>&-'
    fi
    builtin return
  fi
  __shellmate_ended=1 __shellmate_at=0 __shellmate_input=
  [[ ! -t 9 ]] || __shellmate_input=$__shellmate_mark$';input\e\\' # PS1 and PS0 go to stderr, and the nonce to no file
  [[ $__shellmate_text != *bind* ]] || __shellmate_keys='' # bound anew, perhaps
  [[ $__shellmate_text != *DEBUG* ]] || __shellmate_next=$__shellmate_trap
  __shellmate_where
  if [[ $__shellmate_query ]]; then
    __shellmate_environment
    __shellmate_say "end;$1" "wait;$((++__shellmate_count));$__shellmate_cwd"
    __shellmate_wait
  else
    __shellmate_say "end;$1" "prompt;$__shellmate_cwd"
  fi
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

__shellmate_restore() { builtin return "$__shellmate_status"; } # and what it is called with is $_ again

# Last before a prompt: sees that all hooks are in place, whatever was done to them, and expects a command.
__shellmate_last() {
  __shellmate_hook
  __shellmate_append PS0 "$__shellmate_ps0"
  [[ ! ${PS1+set} ]] || __shellmate_append PS1 "$__shellmate_ps1"
  [[ ${PS1-} == *"$__shellmate_ps1" || ! $__shellmate_input ]] || __shellmate_say input
  [[ $__shellmate_keys ]] || __shellmate_bind
  [[ ! $__shellmate_visual ]] || { __shellmate_visual_back && __shellmate_visual=; } # it was interrupted
  ((__shellmate_late < 2)) || __shellmate_number=$__shellmate_late # HISTCMD as the last PS0 saw it
  __shellmate_at=1 __shellmate_ended=0 __shellmate_start='' __shellmate_text='' __shellmate_room=65536 __shellmate_late=1
}

# Makes $2 the end of the prompt string $1; takes it out where bash would show it as it is.
__shellmate_append() {
  builtin shopt -q promptvars || builtin set -- "$1" "$2" ''
  [[ ! ${3+off} && ${!1-} == *"$2" ]] || builtin printf -v "$1" '%s' "${!1//"$2"/}${3-$2}"
}

__shellmate_hook() {
  if [[ ${__bp_imported-}${bash_preexec_imported-} ]]; then # bash-preexec, which has to be the last in PROMPT_COMMAND itself
    __shellmate_around precmd_functions __shellmate_bp_first __shellmate_bp_last
    [[ ${PROMPT_COMMAND[*]-} != *__shellmate_* ]] || __shellmate_around PROMPT_COMMAND '' ''
  elif [[ ${PROMPT_COMMAND[0]-} != "$__shellmate_first" || ${PROMPT_COMMAND[-1]} != "$__shellmate_final" ]]; then
    __shellmate_around PROMPT_COMMAND "$__shellmate_first" "$__shellmate_final"
  fi
}

# Makes $2 the first and $3 the last in the array $1. PROMPT_COMMAND is a string before bash 5.1. Since then $PROMPT_COMMAND is our
# first hook, and who reads or sets that means the user's first, which is in __shellmate_user. A prompt that wraps what it read
# there calls our hook a second time, and then gets what it wanted: __shellmate_kept.
__shellmate_around() {
  builtin local -n __shellmate_a="$1"
  builtin local __shellmate_e __shellmate_u='' __shellmate_string=''
  builtin local -a __shellmate_n
  [[ $1 != PROMPT_COMMAND ]] || ((BASH_VERSINFO[0] * 100 + BASH_VERSINFO[1] > 500)) || __shellmate_string=1
  [[ ${__shellmate_a@a} != *r* && ${__shellmate_a-} != "$2"${__shellmate_string:+$'\n'*$'\n'"$3"} ]] ||
    [[ ! $__shellmate_string && ${__shellmate_a[-1]} != "$3" ]] || builtin return 0
  [[ $__shellmate_string || ${__shellmate_a-} == "$__shellmate_first" ]] || __shellmate_u=$__shellmate_user
  __shellmate_n=()
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
    __shellmate_a=(${2:+"$2"} "${__shellmate_n[@]}" ${3:+"$3"})
  fi
}

# For bash-preexec and ble.sh, which call functions. Where ble.sh edits the line, only the tracking works.
__shellmate_bp_first() { builtin eval "$__shellmate_first"; }
__shellmate_bp_last() { builtin eval "$__shellmate_final"; }
__shellmate_ble_precmd() { builtin eval "$__shellmate_first" && __shellmate_ended=0; }
__shellmate_ble_preexec() { __shellmate_call __shellmate_late "$1"; }

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

# Enter. At a prompt it takes a query and empties the line; anything else it remembers as the command's text, line by line.
__shellmate_enter() {
  builtin local __shellmate_line="${READLINE_LINE-}" __shellmate_h="${histchars-!^#}"
  __shellmate_say wiped
  [[ ${FUNCNAME[2]-source} == source ]] || builtin return 0 # a function that was bound to a key reads this line
  if ((!__shellmate_at)); then # a command reads this line; or our hooks were thrown away, and this is the prompt after that
    [[ ${PROMPT_COMMAND[*]-}${precmd_functions[*]-} != *__shellmate_* ]] || builtin return 0
    __shellmate_last
  fi
  if [[ $__shellmate_line == '>' || $__shellmate_line == '> '* ]]; then
    builtin : # nothing in a query is expanded
  elif [[ $- == *H* && :$SHELLOPTS: == *:history:* &&
    ($__shellmate_line == *"${__shellmate_h:0:1}"[!\ =]* || $__shellmate_line == "${__shellmate_h:1:1}"*) ]]; then
    __shellmate_line=$(__shellmate_expand "$__shellmate_line") || builtin return 0 # bash will say that there is no such event
    __shellmate_line=${__shellmate_line%$'\n'x}
    [[ $__shellmate_line == "${READLINE_LINE-}" ]] || ! builtin shopt -q histverify || builtin return 0
  fi
  __shellmate_h=${__shellmate_line%%[[:blank:]]*}
  if [[ $__shellmate_h == +([[:alnum:]_]) && ${BASH_ALIASES[$__shellmate_h]-$__shellmate_h} == fc?([[:blank:]]*) ]]; then
    __shellmate_h=$(__shellmate_again "${BASH_ALIASES[$__shellmate_h]-fc}" "${__shellmate_line#"$__shellmate_h"}")
    [[ $__shellmate_h != '> '* ]] || __shellmate_line=$__shellmate_h
  fi
  ((__shellmate_at > 1)) || [[ $__shellmate_line == '> '* || $__shellmate_line != *$'\n>'* ]] || __shellmate_part
  __shellmate_where
  __shellmate_encode "$__shellmate_line" "$__shellmate_room"
  if ((__shellmate_at == 1)) && [[ $__shellmate_line == '>' || $__shellmate_line == '> '* ]]; then
    __shellmate_say "query;$__shellmate_field;erased"
    [[ :$SHELLOPTS: != *:history:* ]] || builtin history -s -- "$__shellmate_line"
    READLINE_LINE='' READLINE_POINT=0 __shellmate_query=new __shellmate_field=''
  fi
  ((__shellmate_at == 1)) || __shellmate_field=$__shellmate_text%0A$__shellmate_field
  __shellmate_text=$__shellmate_field __shellmate_ended=0
  ((__shellmate_room = ${#__shellmate_text} < 65536 ? 65536 - ${#__shellmate_text} : 0))
  if [[ $__shellmate_input ]] && builtin shopt -q promptvars; then
    __shellmate_start=$__shellmate_mark";start;$__shellmate_cwd;$__shellmate_text"$'\e\\' __shellmate_late=''
  elif [[ $__shellmate_input && $__shellmate_text && $__shellmate_at == 1 ]]; then
    __shellmate_late '' # without PS0 nobody says when the command is complete
  fi
  __shellmate_at=2
}

# Before and after the key that has a line edited elsewhere and runs it: in between, the editor is ours. It hands a query back.
__shellmate_elsewhere() {
  __shellmate_say wiped
  if [[ ! $__shellmate_visual ]]; then
    [[ ${VISUAL@a} == *r* ]] || __shellmate_visual=${VISUAL+=}:${VISUAL-} VISUAL=__shellmate_editor
    builtin return 0
  fi
  __shellmate_visual_back
  __shellmate_visual=
  [[ ! $__shellmate_found ]] || READLINE_LINE=$__shellmate_found READLINE_POINT=${#__shellmate_found} __shellmate_found=
}
__shellmate_visual_back() {
  [[ ${VISUAL-} != __shellmate_editor ]] || VISUAL=${__shellmate_visual#*:}
  [[ $__shellmate_visual == =* ]] || builtin unset -v VISUAL || builtin :
}
__shellmate_editor() {
  builtin local __shellmate_t=vi
  [[ :$SHELLOPTS: == *:vi:* ]] || __shellmate_t=emacs
  __shellmate_visual_back
  builtin eval "${VISUAL:-${EDITOR:-$__shellmate_t}}" '"$1"' || builtin return
  builtin read -r -d '' __shellmate_t <"$1"
  [[ $__shellmate_t != '>' && $__shellmate_t != '> '* ]] || { __shellmate_found=$__shellmate_t && builtin : >|"$1"; }
}

# Prints what fc with these arguments would run or edit first. In a subshell, whose fc takes the last entry for itself.
__shellmate_again() {
  builtin local IFS=$' \t\n' OPTIND=2 OPTARG __shellmate_o
  builtin set -f
  # shellcheck disable=SC2048,SC2086
  builtin set -- ${*//[\'\"\\]/}
  while builtin getopts :e:lnrs __shellmate_o; do
    [[ $__shellmate_o != l ]] || builtin return 0
    [[ $__shellmate_o != '?' ]] || builtin break
  done
  while [[ ${!OPTIND-} == *=* ]]; do ((++OPTIND)); done
  builtin history -s -- fc
  builtin read -r __shellmate_o <<<"$(builtin fc -ln "${!OPTIND:--1}" "${!OPTIND:--1}")"
  builtin printf %s "$__shellmate_o"
}

# A pasted text may hold a query behind whole commands: that waits for the next prompt.
__shellmate_part() {
  builtin local __shellmate_r="$__shellmate_line" __shellmate_t=''
  while [[ $__shellmate_r == *$'\n'* ]]; do
    __shellmate_t+=${__shellmate_t:+$'\n'}${__shellmate_r%%$'\n'*} __shellmate_r=${__shellmate_r#*$'\n'}
    [[ $__shellmate_r == '>' || $__shellmate_r == '> '* || $__shellmate_r == $'>\n'* ]] || builtin continue
    __shellmate_field=${__shellmate_t##*[!\\]}
    ((!(${#__shellmate_field} % 2))) || builtin continue # the line goes on
    [[ ! $(BASH_ENV='' "$BASH" -O extglob -n <<<"$__shellmate_t" 2>&1) ]] || builtin continue
    __shellmate_encode "$__shellmate_r"
    __shellmate_say "later;$__shellmate_field"
    __shellmate_line=$__shellmate_t READLINE_LINE=$__shellmate_t
    builtin return
  done
}

# Prints $1 as history expansion changes it, and x. In a subshell: `history -p` drops the last entry if it was not pushed.
__shellmate_expand() {
  builtin history -s -- __shellmate
  builtin local __shellmate_t
  __shellmate_t=$(HISTTIMEFORMAT='' builtin history 1)
  __shellmate_t=${__shellmate_t#"${__shellmate_t%%[0-9]*}"}
  builtin history -d "${__shellmate_t%%[!0-9]*}"
  builtin history -p -- "$1" && builtin printf x
}

# Binds the keys of accept-line and its like, in every keymap, to two sequences of ours: one for the check, one for what the key
# did. No key sends a control character behind ESC [, with which others begin already. Where a terminal cannot erase a line, bash
# would show it twice: no check there.
__shellmate_bind() {
  builtin local __shellmate_f="${__shellmate_fifo%/*}/keys" __shellmate_m __shellmate_c __shellmate_k __shellmate_e __shellmate_i=0
  builtin local __shellmate_again='' __shellmate_s='\e[\C-_'
  builtin local -a __shellmate_q __shellmate_b
  [[ :$SHELLOPTS: == *:@(emacs|vi):* && ${TERM:-dumb} != dumb ]] || builtin return 0
  for __shellmate_m in emacs vi-insert vi-command; do # a query names five keys at most, then `...`
    for __shellmate_c in accept-line operate-and-get-next edit-and-execute-command vi-edit-and-execute-command; do
      builtin bind -m "$__shellmate_m" -q "$__shellmate_c" || builtin :
    done
  done >|"$__shellmate_f"
  builtin mapfile -t __shellmate_q <"$__shellmate_f"
  for __shellmate_m in emacs vi-insert vi-command; do
    __shellmate_b=()
    for __shellmate_c in 2:accept-line 3:operate-and-get-next 4:edit-and-execute-command 5:vi-edit-and-execute-command; do
      __shellmate_k=${__shellmate_q[__shellmate_i++]-} __shellmate_e=$__shellmate_s${__shellmate_c%:*}
      [[ $__shellmate_k != *... ]] || __shellmate_again=1
      [[ $__shellmate_k == *\"* ]] || builtin continue
      __shellmate_b+=("\"$__shellmate_e\": ${__shellmate_c#*:}")
      [[ $__shellmate_c == *edit* ]] && __shellmate_e="${__shellmate_s}6$__shellmate_e${__shellmate_s}6" ||
        __shellmate_e=${__shellmate_s}1$__shellmate_e
      while [[ $__shellmate_k == *\"* ]]; do
        __shellmate_k=${__shellmate_k#*\"}
        [[ $__shellmate_k == "$__shellmate_s"* ]] || # ours, from the last time
          __shellmate_b+=("\"${__shellmate_k%%\"[,.]*}\": \"$__shellmate_e\"")
        __shellmate_k=${__shellmate_k#"${__shellmate_k%%\"[,.]*}"\"}
      done
    done
    [[ ${__shellmate_b-} ]] || builtin continue
    # In a here-document bash knows `{` only after a newline.
    builtin bind -m "$__shellmate_m" -x "\"${__shellmate_s}1\": "$'\n{ __shellmate_call __shellmate_enter "$_"; } >/dev/null 2>&1'
    builtin bind -m "$__shellmate_m" -x "\"${__shellmate_s}6\": "$'\n{ __shellmate_call __shellmate_elsewhere "$_"; } >/dev/null 2>&1'
    builtin bind -m "$__shellmate_m" "${__shellmate_b[@]}"
    __shellmate_keys=1
  done
  [[ ! $__shellmate_again ]] || __shellmate_bind
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
    "case \"\$BASH_COMMAND \${FUNCNAME-}\" in *__shellmate_*) ;; *) $1$__shellmate_t;; esac"
}

# When the user's files are done, with $?. Or at the first prompt, if Ctrl-C ended them.
__shellmate_load() {
  builtin local __shellmate_problem=''
  __shellmate_status=$1 __shellmate_arg=$2 __shellmate_next=
  [[ ${__shellmate_nonce-} ]] || builtin return 0
  builtin unset -v 'PROMPT_COMMAND[9999]' __shellmate_nonce __shellmate_login __shellmate_norc __shellmate_noprofile \
    __shellmate_rcfile __shellmate_env __shellmate_env_set __shellmate_histfile_set __shellmate_posix __shellmate_aliases \
    __shellmate_flags __shellmate_boot
  if [[ ${PROMPT_COMMAND-} == *([[:space:]])\;* && ${PROMPT_COMMAND[10000]+set} ]]; then # built on an entry that ours had pushed away
    PROMPT_COMMAND=${PROMPT_COMMAND[10000]}$PROMPT_COMMAND
    builtin unset -v 'PROMPT_COMMAND[10000]'
  fi
  if ((BASH_VERSINFO[0] * 100 + BASH_VERSINFO[1] < 404)); then
    __shellmate_problem=old
  elif [[ ${PROMPT_COMMAND@a} == *r* ]]; then
    __shellmate_problem='readonly'
  elif [[ ${BLE_VERSION-} ]]; then
    __shellmate_problem=editor
    blehook PRECMD!=__shellmate_ble_precmd PREEXEC!=__shellmate_ble_preexec
  else
    __shellmate_last
    [[ $__shellmate_keys ]] || __shellmate_problem=editor
    __shellmate_next=$__shellmate_trap
  fi
  __shellmate_say "hello;bash;$BASH_VERSION;$$;$__shellmate_problem"
}

__shellmate_mark=$'\e]7771;'$__shellmate_nonce
__shellmate_more='; \builtin eval "$__shellmate_next"'
__shellmate_put='__shellmate_restore "$__shellmate_arg" && \builtin : __shellmate_ "$_"'
__shellmate_rest="$__shellmate_more; $__shellmate_put; } 8>&1 9>&2 >/dev/null 2>&1"
__shellmate_boot='{ __shellmate_call __shellmate_load "$?" ""'$__shellmate_rest
__shellmate_first='{ __shellmate_call __shellmate_precmd "$?" "$_"'$__shellmate_rest
__shellmate_final='{ __shellmate_call __shellmate_last; } >/dev/null 2>&1'
__shellmate_run='\. "$__shellmate_file" >&8 2>&9 8>&- 9>&- || \builtin : __shellmate_; __shellmate_call __shellmate_wait'
__shellmate_run+=$__shellmate_more
__shellmate_trap='\builtin trap -p DEBUG >|"${__shellmate_fifo%/*}/trap"; __shellmate_call __shellmate_guard'$__shellmate_more
__shellmate_ps1='\[${__shellmate_input-}\]'
__shellmate_ps0='${__shellmate_start:+${__shellmate_start:__shellmate_at?0:9999999}}${__shellmate_none[__shellmate_at=0]-}'
__shellmate_ps0+='${__shellmate_late:+${__shellmate_none[__shellmate_late=HISTCMD]-}'
__shellmate_ps0+='$({ __shellmate_call __shellmate_late; } 2>/dev/null)}'
__shellmate_visual='' __shellmate_found='' __shellmate_pwd='' __shellmate_user='' __shellmate_kept='' __shellmate_keys='' __shellmate_query='' __shellmate_text='' __shellmate_input=''
__shellmate_count=0 __shellmate_ended=0 __shellmate_at=(0) __shellmate_late=('') __shellmate_options=('') # no array is exported
__shellmate_off=aekux
((BASH_VERSINFO[0] * 100 + BASH_VERSINFO[1] < 503)) || __shellmate_off+=m

if [[ -o posix && ! $__shellmate_posix ]]; then # for our sake only
  \builtin set +o posix
  \builtin shopt -u inherit_errexit
  [[ $__shellmate_histfile_set ]] || HISTFILE=~/.bash_history
  [[ ${MAILCHECK@a} == *x* ]] || MAILCHECK=60
fi
[[ ! $__shellmate_env_set ]] || ENV=$__shellmate_env
[[ $__shellmate_env_set ]] || \builtin unset -v ENV
[[ ! $__shellmate_posix ]] || \builtin eval "__shellmate_rcfile=\"${ENV-/}\""
[[ $__shellmate_rcfile ]] || __shellmate_rcfile=~/.bashrc
[[ $__shellmate_rcfile == */* ]] || __shellmate_rcfile=./$__shellmate_rcfile
((BASH_VERSINFO[0] * 100 + BASH_VERSINFO[1] <= 500)) || [[ ${PROMPT_COMMAND+set} ]] ||
  PROMPT_COMMAND[9999]=$__shellmate_boot
\builtin export -n "${!__shellmate_@}"
[[ ! ${__shellmate_aliases-} ]] || \builtin shopt -s expand_aliases
[[ ! ${__shellmate_flags-} ]] || \builtin set "-$__shellmate_flags"
if [[ $__shellmate_login && ! $__shellmate_posix ]]; then
  if [[ ! $__shellmate_noprofile ]]; then
    if [[ -r /etc/profile ]]; then \builtin source /etc/profile; fi
    if [[ -r ~/.bash_profile ]]; then
      \builtin source ~/.bash_profile
    elif [[ -r ~/.bash_login ]]; then
      \builtin source ~/.bash_login
    elif [[ -r ~/.profile ]]; then
      \builtin source ~/.profile
    fi
  fi
elif [[ ! $__shellmate_norc && -r $__shellmate_rcfile ]]; then
  \builtin source "$__shellmate_rcfile"
fi
{ \builtin eval "$__shellmate_boot" ''; } >/dev/null 2>&1
