# shellcheck shell=bash
# shellcheck disable=SC2034,SC2154 # bash.sh has the variables
# What is rare at the Enter key, and the keys that are like it.

# A line at which Enter has to look twice. Makes __shellmate_line what will run, or takes a query. False if bash has the last word.
__shellmate_odd() {
  builtin local __shellmate_h="${histchars-!^#}"
  if [[ $__shellmate_line == '>' || $__shellmate_line == '> '* ]]; then
    builtin : # nothing in a query is expanded
  elif [[ $- == *H* && :$SHELLOPTS: == *:history:* &&
    ($__shellmate_line == *"${__shellmate_h:0:1}"[!\ =]* || $__shellmate_line == "${__shellmate_h:1:1}"*) ]]; then
    __shellmate_line=$(__shellmate_expand "$__shellmate_line") || builtin return # bash will say that there is no such event
    __shellmate_line=${__shellmate_line%$'\n'x}
    [[ $__shellmate_line == "${READLINE_LINE-}" ]] || ! builtin shopt -q histverify || builtin return
  fi
  __shellmate_repeated
  [[ $__shellmate_line == '> '* || $__shellmate_line != *$'\n>'* ]] || __shellmate_part
  [[ $__shellmate_line == '>' || $__shellmate_line == '> '* ]] || builtin return 0
  __shellmate_encode "$__shellmate_line"
  __shellmate_say "query;$__shellmate_field;erased"
  [[ :$SHELLOPTS: != *:history:* ]] || builtin history -s -- "$__shellmate_line"
  READLINE_LINE='' READLINE_POINT=0 __shellmate_query=new __shellmate_line=''
}

# Makes __shellmate_line the query that it would repeat with fc, if it would.
__shellmate_repeated() {
  __shellmate_h=${__shellmate_line%%[[:blank:]]*}
  [[ $__shellmate_h == +([[:alnum:]_]) && ${BASH_ALIASES[$__shellmate_h]-$__shellmate_h} == fc?([[:blank:]]*) ]] || builtin return 0
  __shellmate_h=$(__shellmate_again "${BASH_ALIASES[$__shellmate_h]-fc}" "${__shellmate_line#"$__shellmate_h"}")
  [[ $__shellmate_h != '> '* ]] || __shellmate_line=$__shellmate_h
}

# Before and after the key that has a line edited elsewhere and runs it: in between, the editor is ours. It hands a query back.
__shellmate_elsewhere() {
  __shellmate_say wiped
  ((__shellmate_at != 2)) || builtin return 0
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

# Makes the keymap of __shellmate_bind from the keys that are bound. A line of what `bind` says names five at most, then `...`.
__shellmate_unusual() {
  builtin local __shellmate_s='\e[\C-_' __shellmate_b='' __shellmate_i __shellmate_k __shellmate_e
  builtin local -i __shellmate_n=0 __shellmate_l=-1
  builtin local -a __shellmate_maps __shellmate_does
  __shellmate_maps=(emacs vi-insert vi-command)
  __shellmate_does=(accept-line operate-and-get-next edit-and-execute-command vi-edit-and-execute-command)
  builtin mapfile -t -d '"' __shellmate_q <"$__shellmate_f"
  for ((__shellmate_i = 0; __shellmate_i + 1 < ${#__shellmate_q[@]}; __shellmate_i += 2)); do
    __shellmate_k=${__shellmate_q[__shellmate_i]}
    [[ $__shellmate_k != ', ...'* ]] || __shellmate_more=1
    while [[ $__shellmate_k == *$'\n'* ]]; do __shellmate_k=${__shellmate_k#*$'\n'} __shellmate_n+=1; done
    __shellmate_k=${__shellmate_q[__shellmate_i + 1]}
    while [[ $__shellmate_k == *\\ && $__shellmate_k != *\\\\ ]]; do __shellmate_k+='"'${__shellmate_q[++__shellmate_i + 1]}; done
    [[ $__shellmate_k != "$__shellmate_s"* ]] || builtin continue # ours, from the last time
    if ((__shellmate_n / 4 != __shellmate_l)); then
      __shellmate_l=__shellmate_n/4
      __shellmate_b+="set keymap ${__shellmate_maps[__shellmate_l]}"$'\n'
    fi
    __shellmate_e=$__shellmate_s$((__shellmate_n % 4 + 2))
    __shellmate_b+="\"$__shellmate_e\": ${__shellmate_does[__shellmate_n % 4]}"$'\n'
    ((__shellmate_n % 4 < 2)) && __shellmate_e=${__shellmate_s}1$__shellmate_e || __shellmate_e=${__shellmate_s}6$__shellmate_e${__shellmate_s}6
    __shellmate_b+="\"$__shellmate_k\": \"$__shellmate_e\""$'\n'
  done
  ((BASH_VERSINFO[0] * 100 + BASH_VERSINFO[1] > 501)) || __shellmate_nameless
  __shellmate_q=("$__shellmate_b")
}

# What `v` does has no name before bash 5.2: it is bound to that if to nothing that has one. Since 5.0 it ends in insert mode.
__shellmate_nameless() {
  { builtin bind -m vi-command -p && builtin bind -m vi-command -s && builtin bind -m vi-command -X; } >|"$__shellmate_f"
  builtin read -r -d '' __shellmate_k <"$__shellmate_f" || builtin :
  [[ $__shellmate_k != *$'\n"v": '* || $__shellmate_k == *$'\n"v": "\\e[\\C-_6'* ]] || builtin return 0
  __shellmate_b+=$'set keymap vi-command\n"\\e[\\C-_5": edit-and-execute-command\n"\\e[\\C-_7": vi-insertion-mode\n'
  __shellmate_e='\e[\C-_6\e[\C-_5\e[\C-_6'
  ((BASH_VERSINFO[0] < 5)) || __shellmate_e+='\e[\C-_7'
  __shellmate_b+="\"v\": \"$__shellmate_e\""$'\n'
}
