# shellcheck shell=bash
# shellcheck disable=SC2034,SC2154 # bash.sh has the variables
# What is rare at a prompt: a query, a text that has to be encoded, a command that Enter has not seen.

# Encodes what __shellmate_encode could not leave as it is. Bytes, because not all that is typed is UTF-8.
__shellmate_escape() {
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

# Writes down what is exported, without a program: one that runs here would keep the terminal.
__shellmate_environment() {
  builtin local __shellmate_e __shellmate_d="${__shellmate_fifo%/*}"
  builtin compgen -e >|"$__shellmate_d/names" || builtin return 0
  while builtin read -r __shellmate_e; do
    builtin printf '%s=%s\0' "$__shellmate_e" "${!__shellmate_e-}"
  done <"$__shellmate_d/names" >|"$__shellmate_d/environment"
}

# Hands the query over, in place of a prompt. False if it is done.
__shellmate_ask() {
  [[ -p $__shellmate_fifo ]] || { __shellmate_query='' && builtin return 0; }
  __shellmate_environment
  __shellmate_say "end;$1" "wait;$((++__shellmate_count));$__shellmate_cwd"
  __shellmate_wait
  builtin return 1
}

# The first hook again, with $?, where the last has not been in between.
__shellmate_twice() {
  if [[ $__shellmate_query == run ]]; then
    # An interrupt or an error in the command that we ran has brought us here.
    [[ ${__shellmate_ran-} ]] || __shellmate_say "ran;$1"
    __shellmate_wait
  elif [[ $__shellmate_kept ]]; then
    __shellmate_next="{ $__shellmate_put"$'\n'"$__shellmate_kept"$'\n} >&8 2>&9 8>&- 9>&-'
  fi
}

# Obeys shellmate until the query is over. Others may write to the FIFO or read from it: so a line counts only if it is a token that
# just shellmate was told. One ends the wait; the other, made for each look at the file, runs what was seen there.
__shellmate_wait() {
  builtin local REPLY='' __shellmate_t __shellmate_go=''
  __shellmate_next='' __shellmate_query='' __shellmate_command=''
  __shellmate_token __shellmate_t
  __shellmate_say "listen;$__shellmate_t"
  while [[ -p $__shellmate_fifo ]] && builtin read -r -t 1000000 <"$__shellmate_fifo" && [[ $REPLY != "$__shellmate_t" ]]; do
    if [[ $REPLY == look ]]; then
      IFS='' builtin read -r -d '' __shellmate_command <"${__shellmate_fifo%/*}/command" || builtin :
      __shellmate_token __shellmate_go
      __shellmate_encode "$__shellmate_command"
      __shellmate_say "read;$__shellmate_go;$__shellmate_field"
    elif [[ $__shellmate_go && $REPLY == "$__shellmate_go" ]]; then
      __shellmate_next=$__shellmate_run __shellmate_query=run __shellmate_ran='' __shellmate_code=0
      __shellmate_say go
      builtin return
    fi
  done
  __shellmate_where
  __shellmate_say "prompt;$__shellmate_cwd"
}
# Sets $1 to a text that nobody can guess.
__shellmate_token() {
  builtin read -r "$1" </proc/sys/kernel/random/uuid || builtin printf -v "$1" %s "$RANDOM-$RANDOM-$RANDOM-$RANDOM"
}
# Chooses another nonce, because this one was shown.
__shellmate_renew() {
  builtin local __shellmate_t
  __shellmate_token __shellmate_t
  __shellmate_t=${__shellmate_t//-/}
  ((${#__shellmate_t} == 32)) || builtin return 0
  __shellmate_say "renew;$__shellmate_t"
  __shellmate_mark=$'\e]7771;'$__shellmate_t
}
# The command is over.
__shellmate_over() {
  __shellmate_environment
  __shellmate_say "ran;$__shellmate_code"
  __shellmate_ran=1
  __shellmate_wait
}

# Calls a function of bash-ble.sh, which waits behind the rest.
__shellmate_ble() {
  __shellmate_unread=${__shellmate_unread[2]-}
  __shellmate_unread[2]=
  __shellmate_read
  "__shellmate_ble_$1"
}

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
