# shellcheck shell=bash
# shellcheck disable=SC2034,SC2154 # the variables are assigned in other files
# Lazy functions for key bindings that differ from bash's defaults.

# Makes the bindings of __shellmate_bind from the keys that are in use. The report of `bind -q` has four lines for
# each keymap, one for each function. A line names at most five keys, then `...`.
__shellmate_build_keymap() {
  builtin local __shellmate_prefix='\e[\C-_' __shellmate_inputrc='' __shellmate_i __shellmate_key __shellmate_sequence
  builtin local -i __shellmate_row=0 __shellmate_map=-1
  builtin local -a __shellmate_maps __shellmate_commands
  __shellmate_maps=(emacs vi-insert vi-command)
  __shellmate_commands=(accept-line operate-and-get-next edit-and-execute-command vi-edit-and-execute-command)
  builtin mapfile -t -d '"' __shellmate_bindings <"$__shellmate_keys_file"
  for ((__shellmate_i = 0; __shellmate_i + 1 < ${#__shellmate_bindings[@]}; __shellmate_i += 2)); do
    __shellmate_key=${__shellmate_bindings[__shellmate_i]}
    [[ $__shellmate_key != ', ...'* ]] || __shellmate_more_keys=1
    while [[ $__shellmate_key == *$'\n'* ]]; do __shellmate_key=${__shellmate_key#*$'\n'} __shellmate_row+=1; done
    __shellmate_key=${__shellmate_bindings[__shellmate_i + 1]}
    while [[ $__shellmate_key == *\\ && $__shellmate_key != *\\\\ ]]; do __shellmate_key+='"'${__shellmate_bindings[++__shellmate_i + 1]}; done
    # This key sequence is ours, from an earlier call.
    [[ $__shellmate_key != "$__shellmate_prefix"* ]] || builtin continue
    if ((__shellmate_row / 4 != __shellmate_map)); then
      __shellmate_map=__shellmate_row/4
      __shellmate_inputrc+="set keymap ${__shellmate_maps[__shellmate_map]}"$'\n'
    fi
    __shellmate_sequence=$__shellmate_prefix$((__shellmate_row % 4 + 2))
    __shellmate_inputrc+="\"$__shellmate_sequence\": ${__shellmate_commands[__shellmate_row % 4]}"$'\n'
    if ((__shellmate_row % 4 < 2)); then
      __shellmate_sequence=${__shellmate_prefix}1$__shellmate_sequence
    else
      __shellmate_sequence=${__shellmate_prefix}6$__shellmate_sequence${__shellmate_prefix}6
    fi
    __shellmate_inputrc+="\"$__shellmate_key\": \"$__shellmate_sequence\""$'\n'
  done
  ((__shellmate_version > 501)) || __shellmate_add_v_key
  __shellmate_bindings=("$__shellmate_inputrc")
}

# Before bash 5.2 the function behind the key `v` has no name. The key has that function if `bind` reports nothing for
# it. From bash 5.0 on, it leaves the editor in insert mode.
__shellmate_add_v_key() {
  builtin local __shellmate_listing
  { builtin bind -m vi-command -p && builtin bind -m vi-command -s && builtin bind -m vi-command -X; } >|"$__shellmate_keys_file"
  builtin read -r -d '' __shellmate_listing <"$__shellmate_keys_file" || builtin :
  [[ $__shellmate_listing != *$'\n"v": '* || $__shellmate_listing == *$'\n"v": "\\e[\\C-_6'* ]] || builtin return 0
  __shellmate_inputrc+=$'set keymap vi-command\n"\\e[\\C-_5": edit-and-execute-command\n"\\e[\\C-_7": vi-insertion-mode\n'
  __shellmate_sequence='\e[\C-_6\e[\C-_5\e[\C-_6'
  ((__shellmate_version < 500)) || __shellmate_sequence+='\e[\C-_7'
  __shellmate_inputrc+="\"v\": \"$__shellmate_sequence\""$'\n'
}
