# shellmate's half of the conversation with fish; docs/PROTOCOL.md says what is said.
#
# The host has fish source this text, after two assignments, with --init-command: the user's configuration has been read by then.
# Events tell what runs. Neither prompts nor colours are touched. fish offers no event after the prompt is drawn, so `input` is
# said right after `prompt`.

if status is-interactive; and not set -q __shellmate_count
    set -g __shellmate_count 0
    set -g __shellmate_query
    set -g __shellmate_ended

    # say KIND FIELD…: write one mark.
    function __shellmate_say
        set -l fields (string escape --style=url -- $argv)
        if test (string length -- "$fields") -gt 65536
            set fields (string match -r -- '^(?:%..|[^%]){0,32768}+(?:%..|[^%]){0,32768}+' $fields)
        end
        printf '\e]7771;%s%s\e\\' $__shellmate_nonce (string join '' -- ';'$fields) >/dev/tty
    end

    function __shellmate_preexec --on-event fish_preexec
        set -g __shellmate_ended
        __shellmate_say start "$PWD" "$argv[1]"
    end

    function __shellmate_postexec --on-event fish_postexec
        __shellmate_say end $status
        set -g __shellmate_ended 1
    end

    # The status is the last command's. Without scope shadowing, what a run directive sets is set where the user would.
    function __shellmate_prompt --no-scope-shadowing --on-event fish_prompt
        __shellmate_before $status
        while __shellmate_next
            source $__shellmate_file
        end
        __shellmate_say prompt "$PWD"
        __shellmate_say input
    end

    function __shellmate_before
        set -q __shellmate_ended[1]; or __shellmate_say end $argv[1]
        set -g __shellmate_ended
        if set -q __shellmate_query[1]
            set -g __shellmate_count (math $__shellmate_count + 1)
            __shellmate_say wait $__shellmate_count
        end
        string match -q '*__shellmate_enter*' -- (bind \r); or __shellmate_bind
    end

    # Wait for a file to run: true if there is one.
    function __shellmate_next
        while set -q __shellmate_query[1]
            read -l line <$__shellmate_fifo; or set line "$__shellmate_count done"
            switch "$line"
                case "$__shellmate_count run *"
                    set -g __shellmate_file (string replace -r '^\d+ run ' '' -- $line)
                    return 0
                case "$__shellmate_count done"
                    set -g __shellmate_query
            end
        end
        return 1
    end

    # True if the line was a query and has been taken.
    function __shellmate_enter
        set -l lines (commandline --current-buffer)
        string match -qr '^> |^>$' -- "$lines[1]"; or return 1
        test "$lines" != '>' -a "$lines[1]" = '>'; and return 1
        test (status current-command) = fish; and not commandline --paging-mode; or return 1
        set -l text (string join \n -- $lines | string collect)
        __shellmate_settle "$text"
        __shellmate_say query "$text" kept
        __shellmate_remember "$text"
        set -g __shellmate_query 1
        commandline --replace ''
        commandline --function execute
    end

    # Leave the line on the screen as typed: no suggestion, the cursor behind it.
    function __shellmate_settle
        if string match -qr '^[4-9]|^\d\d' -- $version
            commandline --function suppress-autosuggestion beginning-of-buffer end-of-buffer
            return
        end
        set -l rest (string sub --start (math (commandline --cursor) + 1) -- $argv[1] | string collect)
        if test -n "$rest"
            printf %s $rest >/dev/tty
        else
            printf '\e[J' >/dev/tty
        end
    end

    function __shellmate_remember
        if string match -qr '^[4-9]|^\d\d' -- $version
            builtin history append -- $argv[1]
        end
    end

    # Put the check in front of everything that executes a line, in every mode.
    function __shellmate_bind
        set -l names (bind --function-names)
        for mode in (bind --list-modes)
            for line in (bind -M $mode | string match -er '\bexecute\b|^bind (?!--preset).* (\\\\[rn]|enter|ctrl-[jm]) ')
                string match -q '*__shellmate_enter*' -- $line; and continue
                echo $line | read --local --tokenize --list words
                argparse --ignore-unknown 'M/mode=' 'm/sets-mode=' preset user k/key s/silent -- $words[2..-1]; or continue
                set -l script '__shellmate_enter; or begin'
                for word in $argv[2..-1]
                    contains -- $word $names; and set word "commandline -f $word"
                    set -a script "; $word"
                end
                set -l sets
                set -q _flag_sets_mode; and set sets -m $_flag_sets_mode
                bind $_flag_preset $_flag_key -M $mode $sets $argv[1] "$script; end"
            end
        end
    end

    __shellmate_say hello fish $version $fish_pid
end
