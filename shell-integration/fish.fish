# shellmate's half of the conversation with fish; docs/PROTOCOL.md says what is said.
#
# The host has fish source this text, after two assignments, with --init-command: the user's configuration has been read by then.
# Events tell what runs; prompts and colours stay as they are. fish has no event for "the prompt is drawn", so `input` is said
# right after `prompt`. Enter keeps what it was bound to, with a look at the line in front of it.

if status is-interactive; and not set -q __shellmate_count
    set -g __shellmate_count 0
    for name in query ended unmerged file
        set -g __shellmate_$name
    end
    set -g __shellmate_modern (string match -r '^(?:[4-9]|\d\d).*' -- $version)

    # say KIND FIELD…: write one mark. printf takes a field that is not there for an empty one.
    function __shellmate_say
        set -l fields (string escape --style=url -- $argv)
        string match -qr '.{65535}.' -- $fields; and set fields (string match -r '^(?:%..|[^%]){0,32768}+(?:%..|[^%]){0,32768}+' -- $fields)
        builtin printf '\e]7771;%s%s%s%s%s%s\e\\\\' $__shellmate_nonce ';'$fields >/dev/tty
    end

    # Write down what is exported.
    function __shellmate_environment
        command env -0 >(string replace -r '[^/]*$' environment -- $__shellmate_fifo)
    end

    # Wait for a file to run: true if there is one. A read that is redirected itself would swallow what follows its line.
    function __shellmate_next
        while set -q __shellmate_query[1]
            set -l line "$__shellmate_count done"
            begin
                read line
            end <$__shellmate_fifo
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
        set -l lines (builtin commandline --current-buffer)
        string match -qr '^> ' -- "$lines[1]"; or test "$lines" = '>' -a (count $lines) = 1; or return 1
        test (status current-command) = fish; and not builtin commandline --paging-mode; or return 1
        set -l text $lines[1]
        for line in $lines[2..-1]
            set text $text\n$line
        end
        __shellmate_settle $text
        __shellmate_say query $text kept
        __shellmate_remember $text
        set -g __shellmate_query 1
        builtin commandline --replace ''
        builtin commandline --function execute
    end

    # What a binding of the user's calls that executes a line it has written itself.
    function __shellmate_execute
        __shellmate_enter; or builtin commandline --function execute
    end

    # Leave the line on the screen as typed: no suggestion, the cursor behind it. Before fish 4 only its own redraw, which comes
    # too late, could do that; so print what is behind the cursor again, or wipe a suggestion (and a right prompt beside it).
    function __shellmate_settle
        if set -q __shellmate_modern[1]
            builtin commandline --function suppress-autosuggestion beginning-of-buffer end-of-buffer suppress-autosuggestion
            return
        end
        set -l rest (string sub --start (builtin math (builtin commandline --cursor) + 1) -- $argv[1])
        if set -q rest[2]
            builtin printf '\e[%dB' (builtin math (count $rest) - 1) >/dev/tty
        else if test -n "$rest"
            string replace -ar '[[:cntrl:]]' '?' -- $rest | read --null rest
            builtin printf %s (string trim --right --chars \n -- $rest) >/dev/tty
        else if not functions -q fish_right_prompt; or builtin history search --prefix --max 1 -- $argv[1] | string length -q
            builtin printf '\e[J' >/dev/tty
        end
    end

    # Before fish 4 a line can be added to the history only through its file.
    function __shellmate_remember
        if set -q __shellmate_modern[1]
            builtin history append -- $argv[1]
            return
        end
        set -l name fish
        set -q fish_history; and test "$fish_history" != default; and set name $fish_history
        test -n "$name"; and not set -q fish_private_mode; and test -d "$__fish_user_data_dir"; or return
        set -l text (string replace -a \\ \\\\ -- $argv[1] | string join \\n)
        builtin printf '%s\n' "- cmd: $text" "  when: "(command date +%s) >>$__fish_user_data_dir/$name"_history"
        set -g __shellmate_unmerged $argv[1]
    end

    # Put the look at the line in front of every binding that executes it, in every mode.
    function __shellmate_bind
        set -l names (builtin bind --function-names)
        for mode in (builtin bind --list-modes)
            for line in (builtin bind -M $mode | string match -er '\bexecute\b|^bind (?!.*--preset)(?:.* )?(?:\\\\[rn]|enter|ctrl-[jm]) ')
                string match -q '*__shellmate_enter*' -- $line; and continue
                set -e _flag_preset _flag_sets_mode _flag_key
                builtin echo $line | read --local --tokenize --list words
                argparse --ignore-unknown 'M/mode=' 'm/sets-mode=' preset user k/key s/silent -- $words[2..-1]; or continue
                set -l script
                for word in $argv[2..-1]
                    builtin contains -- $word $names; and set word "commandline -f $word"
                    set -a script $word
                end
                set script (string replace -ar '(?:builtin )?commandline (?:-f|--function) execute\b' __shellmate_execute -- $script)
                set -q _flag_sets_mode; and set _flag_sets_mode -m $_flag_sets_mode
                builtin bind $_flag_preset $_flag_key -M $mode $_flag_sets_mode $argv[1] "__shellmate_enter; or begin; "(string join '; ' $script)"; end"
            end
        end
    end

    function __shellmate_before
        set -q __shellmate_ended[1]; or __shellmate_say end $argv[1]
        set -g __shellmate_ended
        if set -q __shellmate_query[1]
            set -g __shellmate_count (builtin math $__shellmate_count + 1)
            __shellmate_environment
            __shellmate_say wait $__shellmate_count "$PWD"
        end
        string match -qv '*__shellmate_enter*' -- (builtin bind -M $fish_bind_mode \r 2>/dev/null); and __shellmate_bind
    end

    function __shellmate_after
        if set -q __shellmate_unmerged[1]
            builtin history merge
            builtin history search --exact --max 1 -- $__shellmate_unmerged | string length -q; and set -g __shellmate_unmerged
        end
        set -l prompt (string escape --style=url -- "$PWD")
        builtin printf '\e]7771;%s;prompt;%s\e\\\\\e]7771;%s;input\e\\\\' $__shellmate_nonce "$prompt" $__shellmate_nonce >/dev/tty
    end

    if string match -qr '^(3\.([4-9]|\d\d)|[4-9]|\d\d)' -- $version
        function __shellmate_preexec --on-event fish_preexec
            __shellmate_say start "$PWD" "$argv[1]"
        end
        function __shellmate_postexec --on-event fish_postexec
            __shellmate_say end $status
            set -g __shellmate_ended 1
        end
        function __shellmate_prompt --no-scope-shadowing --on-event fish_prompt
            __shellmate_before $status
            while __shellmate_next
                __shellmate_run
            end
            __shellmate_after
        end
        # Not shadowing scopes: what the file sets is set where the user's own command line would.
        function __shellmate_run --no-scope-shadowing
            builtin source $__shellmate_file
        end
        __shellmate_say hello fish $version $fish_pid
    else
        __shellmate_say hello fish $version $fish_pid old
    end
end
