# shellcheck shell=bash
# shellcheck disable=SC2034,SC2154 # the variables are assigned in other files
# Lazy functions around the prompt: encoding, the wait for an answer, and commands that Enter did not see.

# Encodes what __shellmate_encode cannot use unchanged. It works on bytes, because what is typed need not be UTF-8.
__shellmate_escape() {
  builtin local LC_ALL=C __shellmate_char __shellmate_hex
  __shellmate_field=${1:0:${2:-65536}}
  __shellmate_field=${__shellmate_field//'%'/%25}
  __shellmate_field=${__shellmate_field//';'/%3B}
  for __shellmate_char in $'\n' $'\t' $'\e' $'\r' $'\177' $'\1' $'\2' $'\3' $'\4' $'\5' $'\6' $'\a' $'\b' $'\v' $'\f' $'\16' $'\17' \
    $'\20' $'\21' $'\22' $'\23' $'\24' $'\25' $'\26' $'\27' $'\30' $'\31' $'\32' $'\34' $'\35' $'\36' $'\37'; do
    [[ $__shellmate_field == *[[:cntrl:]]* ]] || builtin return 0
    builtin printf -v __shellmate_hex '%%%02X' "'$__shellmate_char"
    __shellmate_field=${__shellmate_field//"$__shellmate_char"/$__shellmate_hex}
  done
}

# Writes the exported variables to a file. It starts no program, because a program started here would keep the
# terminal.
__shellmate_environment() {
  builtin local __shellmate_name __shellmate_dir="${__shellmate_fifo%/*}"
  builtin compgen -e >|"$__shellmate_dir/names" || builtin return 0
  while builtin read -r __shellmate_name; do
    builtin printf '%s=%s\0' "$__shellmate_name" "${!__shellmate_name-}"
  done <"$__shellmate_dir/names" >|"$__shellmate_dir/environment"
}

# Hands a query to shellmate instead of drawing a prompt. Returns false when the query has been answered.
__shellmate_begin_wait() {
  [[ -p $__shellmate_fifo ]] || { __shellmate_query='' && builtin return 0; }
  __shellmate_environment
  __shellmate_send "end;$1" "wait;$((++__shellmate_wait_count));$__shellmate_cwd_field"
  __shellmate_wait
  builtin return 1
}

# The first hook was called again, with $? in $1, before the last hook has run.
__shellmate_precmd_again() {
  # The agent's command was ended by an interrupt or an error.
  if [[ $__shellmate_query == run ]]; then
    [[ ${__shellmate_ran_sent-} ]] || __shellmate_send "ran;$1"
    __shellmate_wait
  elif [[ $__shellmate_wrapped_hook ]]; then
    __shellmate_next_code="{ $__shellmate_restore_code"$'\n'"$__shellmate_wrapped_hook"$'\n} >&8 2>&9 8>&- 9>&-'
  fi
}

# Follows directives from shellmate until the query is answered or a command is to be run. Any program of the user can
# write to the FIFO or read from it. So a line counts only if it is a token that shellmate got in a mark: the end
# token ends the wait, the run token (a new one for each reading of the file) runs the command that was read.
__shellmate_wait() {
  builtin local REPLY='' __shellmate_end_token __shellmate_run_token=''
  __shellmate_next_code='' __shellmate_query='' __shellmate_command=''
  __shellmate_token __shellmate_end_token
  __shellmate_send "listen;$__shellmate_end_token"
  while [[ -p $__shellmate_fifo ]] && builtin read -r -t 1000000 <"$__shellmate_fifo" && [[ $REPLY != "$__shellmate_end_token" ]]; do
    if [[ $REPLY == look ]]; then
      IFS='' builtin read -r -d '' __shellmate_command <"${__shellmate_fifo%/*}/command" || builtin :
      __shellmate_token __shellmate_run_token
      __shellmate_encode "$__shellmate_command"
      __shellmate_send "read;$__shellmate_run_token;$__shellmate_field"
    elif [[ $REPLY == again ]]; then
      __shellmate_send "listen;$__shellmate_end_token"
    elif [[ $__shellmate_run_token && $REPLY == "$__shellmate_run_token" ]]; then
      __shellmate_next_code=$__shellmate_run_code __shellmate_query=run __shellmate_ran_sent='' __shellmate_command_status=0
      __shellmate_send go
      builtin return
    fi
  done
  __shellmate_set_cwd
  __shellmate_send "prompt;$__shellmate_cwd_field"
}

# Sets the variable named $1 to a random text.
__shellmate_token() {
  builtin read -r "$1" </proc/sys/kernel/random/uuid || builtin printf -v "$1" %s "$RANDOM-$RANDOM-$RANDOM-$RANDOM"
}

# Chooses a new nonce, because a program has printed the old one.
__shellmate_renew() {
  builtin local __shellmate_new_nonce
  __shellmate_token __shellmate_new_nonce
  __shellmate_new_nonce=${__shellmate_new_nonce//-/}
  ((${#__shellmate_new_nonce} == 32)) || builtin return 0
  __shellmate_send "renew;$__shellmate_new_nonce"
  __shellmate_mark=$'\e]7771;'$__shellmate_new_nonce
}

# Reports the end of the agent's command and waits for the next directive.
__shellmate_command_done() {
  __shellmate_environment
  __shellmate_send "ran;$__shellmate_command_status"
  __shellmate_ran_sent=1
  __shellmate_wait
}

# Calls __shellmate_ble_$1. The functions for ble.sh are part 2 of the lazy code.
__shellmate_ble() {
  __shellmate_lazy_code=${__shellmate_lazy_code[2]-}
  __shellmate_lazy_code[2]=
  __shellmate_load
  "__shellmate_ble_$1"
}

# Reports the command that is about to run: $1, or the last one in the history. PS0 calls it in a subshell if Enter
# did not see the line.
__shellmate_send_start() {
  builtin local __shellmate_text="${1-}"
  if [[ ! $__shellmate_text && $__shellmate_unseen -gt ${__shellmate_last_histcmd:-0} ]]; then
    __shellmate_text=$(HISTTIMEFORMAT='' builtin history 1)
    __shellmate_text=${__shellmate_text#"${__shellmate_text%%[0-9]*}"}
    __shellmate_text=${__shellmate_text#"${__shellmate_text%%[!0-9]*}"??}
  fi
  __shellmate_encode "$__shellmate_text"
  __shellmate_send "start;$__shellmate_cwd_field;${__shellmate_typed:-$__shellmate_field}"
}
