# A key that opens the finder of the history. What is typed is its first filter; the chosen command replaces it.
__shellmate_find() {
  builtin emulate -L zsh
  builtin local found
  found=$(@PROGRAM@ history search --line "$BUFFER" </dev/tty) && BUFFER=$found CURSOR=$#found
  builtin zle reset-prompt
}
# The start files may replace the keymaps, so the key is bound before the first prompt.
__shellmate_bind_finder() {
  precmd_functions=(${precmd_functions:#__shellmate_bind_finder})
  builtin zle -N __shellmate_find
  builtin local map
  for map in emacs viins vicmd; do
    builtin bindkey -M $map '^@KEY@' __shellmate_find
  done
  builtin unfunction __shellmate_bind_finder
}
if [[ -o interactive && -o zle ]]; then precmd_functions+=(__shellmate_bind_finder); fi
