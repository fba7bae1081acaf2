# The part of shellmate that runs inside a hosted fish. It reports prompts and commands in marks; docs/PROTOCOL.md
# lists the marks and the variables that the hooks keep.
#
# shellmate writes two assignments, the function __shellmate_mark, this file, fish-keys.fish and fish-query.fish to
# one file, without comments and indentation. fish sources it with --init-command, after the user's configuration. The
# nonce is only in the text of __shellmate_mark, because `set` would print a variable.
#
# The hooks are handlers of fish's events; prompts and colours stay as they are. fish has no event for a prompt that
# has been drawn, so `input` is sent together with `prompt`.
#
# A command substitution waits for a thread of fish, on a busy machine for milliseconds. A pipe into `read` does not,
# so the hooks use that.

if status is-interactive; and not set -q __shellmate_wait_count
    set -g __shellmate_wait_count 0
    for name in query end_sent unmerged_query command now is_fish4 keys_bound
        set -g __shellmate_$name
    end
    string match -qr '^(?:[4-9]|\d\d)' -- $version; and set -g __shellmate_is_fish4 1
    # Matches a line of `bind` that executes the command line, or that the user made for the Enter key, unless it is
    # ours.
    set -g __shellmate_accept_pattern '^bind (?!.*__shellmate_)(?:.*\bexecute\b|(?!.*--preset)(?:.* )?(?:\\\\[rn]|enter|ctrl-[jm]) )'

    # Sends one mark: its kind and its fields. printf treats a missing field as an empty one.
    function __shellmate_send
        if string match -qr '[%;[:cntrl:]]|.{16384}' -- $argv
            set argv (string escape --style=url -- $argv)
            string match -qr '.{65535}.' -- $argv; and set argv (string match -r '^(?:%..|[^%]){0,32768}+(?:%..|[^%]){0,32768}+' -- $argv)
        end
        __shellmate_mark ';'$argv
    end

    # Reports the end of the last command, checks the key bindings and, if a query was accepted, announces the wait.
    # $argv[1] is $status.
    function __shellmate_before_prompt
        test -e $__shellmate_renew_file; and __shellmate_renew
        set -q __shellmate_end_sent[1]; or __shellmate_send end $argv[1]
        set -g __shellmate_end_sent
        if not set -q __shellmate_keys_bound[1]; or builtin bind --user 2>/dev/null | string match -qr $__shellmate_accept_pattern
            set -g __shellmate_keys_bound 1
            __shellmate_bind
        end
        test -p $__shellmate_fifo; or set -g __shellmate_query
        if set -q __shellmate_query[1]
            builtin math $__shellmate_wait_count + 1 | read --global __shellmate_wait_count
            __shellmate_environment
            __shellmate_send wait $__shellmate_wait_count "$PWD"
            __shellmate_add_history $__shellmate_query
        end
    end

    # Announces the prompt. In fish 3 a query gets into the history by merging its file.
    function __shellmate_after_wait
        if set -q __shellmate_unmerged_query[1]
            builtin history merge
            builtin history search --exact --max 1 -- $__shellmate_unmerged_query | string length -q; and set -g __shellmate_unmerged_query
        end
        __shellmate_send prompt "$PWD"
        __shellmate_send input
        builtin functions --erase __shellmate_interrupt
    end
    if string match -qr '^(3\.([4-9]|\d\d)|[4-9]|\d\d)' -- $version
        function __shellmate_preexec --on-event fish_preexec
            __shellmate_send start "$PWD" "$argv[1]"
        end
        function __shellmate_postexec --on-event fish_postexec
            __shellmate_send end $status
            set -g __shellmate_end_sent 1
        end
        function __shellmate_prompt --no-scope-shadowing --on-event fish_prompt
            __shellmate_before_prompt $status
            while __shellmate_next_command
                __shellmate_run_command
            end
            __shellmate_after_wait
        end

        # Runs a command of the agent. Without scope shadowing, variables are set where the user's own command line
        # would set them.
        function __shellmate_run_command --no-scope-shadowing
            eval $__shellmate_command
            __shellmate_command_done $status
        end

        # A binding of the user has given a query to fish, which refuses it and would leave it on the line.
        function __shellmate_on_error --on-event fish_posterror
            string match -qr '^>(?: |\z)' -- "$argv[1]"; or return
            __shellmate_catch_interrupt
            set -g __shellmate_keys_bound
            __shellmate_take_query "$argv[1]" cancel-commandline
        end
        function __shellmate_on_key_bindings --on-variable fish_key_bindings
            set -g __shellmate_keys_bound
        end
        # Loads the file of fish_prompt, which may bind Enter, before the bindings are first looked at.
        builtin functions --query fish_prompt
        __shellmate_send hello fish $version $fish_pid
    else
        __shellmate_send hello fish $version $fish_pid old
    end
end
