# The wait for the answer to a query.

# Writes the exported variables to a file. It starts no program, because zsh would not take the terminal back from it
# here.
__shellmate_environment() {
  builtin emulate -L zsh && builtin local __shellmate_name
  for __shellmate_name in ${(k)parameters[(R)*export*]}; do
    builtin print -rn -- "$__shellmate_name=${(P)__shellmate_name}"$'\0'
  done >|${__shellmate_fifo:h}/environment
}

# Follows directives from shellmate. Returns true if a command is to be run, false if the query is answered. Any
# program of the user can write to the FIFO or read from it. So a line counts only if it is a token that shellmate got
# in a mark: the end token ends the wait, the run token (a new one for each reading of the file) runs the command that
# was read.
__shellmate_wait() {
  builtin local line run_token= end_token && __shellmate_token end_token
  __shellmate_send listen $end_token
  while [[ -p $__shellmate_fifo ]] && builtin read -r line <$__shellmate_fifo; do
    case $line in
      (look)
        __shellmate_command="$(<${__shellmate_fifo:h}/command)"
        __shellmate_token run_token
        __shellmate_send read $run_token "$__shellmate_command"
        ;;
      (again) __shellmate_send listen $end_token ;;
      ($end_token) builtin break ;;
      (${run_token:-$end_token}) __shellmate_query=run __shellmate_command_status=; __shellmate_send go; builtin return 0 ;;
    esac
  done
  __shellmate_query=
  builtin return 1
}

# Sets the variable named $1 to a random text.
__shellmate_token() {
  builtin read -r $1 </proc/sys/kernel/random/uuid || builtin typeset -g $1=$RANDOM-$RANDOM-$RANDOM-$RANDOM
}

# Chooses a new nonce, because a program has printed the old one.
__shellmate_renew() {
  builtin local nonce && __shellmate_token nonce
  nonce=${nonce//-/}
  (( $#nonce == 32 )) || builtin return 0
  __shellmate_send renew $nonce
  __shellmate_nonce=$nonce
}
