# shellcheck shell=bash
# shellcheck disable=SC2016,SC2288 # the program and the key are put in by shellmate
# A key that opens the finder of the history. What is typed is its first filter; the chosen command replaces it.
__shellmate_find() {
  builtin local __shellmate_found
  __shellmate_found=$(@PROGRAM@ history search --line "$READLINE_LINE") || builtin return 0
  READLINE_LINE=$__shellmate_found READLINE_POINT=0x7fffffff
}
if [[ $- == *i* ]]; then
  builtin bind -m emacs -x '"\C-@KEY@": __shellmate_find'
  builtin bind -m vi-insert -x '"\C-@KEY@": __shellmate_find'
  builtin bind -m vi-command -x '"\C-@KEY@": __shellmate_find'
fi
