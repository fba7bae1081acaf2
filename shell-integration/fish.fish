# shellmate's half of the conversation with fish; docs/PROTOCOL.md says what is said.
#
# The host has fish source this text with --init-command, behind an assignment and __shellmate_mark, a function that writes a mark: only
# its text holds the nonce, which `set` does not show. The user's configuration has been read by then.
# Events tell what runs; prompts and colours stay as they are. fish has no event for "the prompt is drawn", so `input` is said
# right after `prompt`. Enter keeps what it was bound to, with a look at the line in front of it. What follows that is in
# fish-query.fish.
#
# A command substitution waits for a thread of fish's own, on a busy machine for milliseconds; a pipe into `read` waits for nobody.

if status is-interactive; and not set -q __shellmate_count
    set -g __shellmate_count 0
    for name in query ended unmerged command time modern keys
        set -g __shellmate_$name
    end
    string match -qr '^(?:[4-9]|\d\d)' -- $version; and set -g __shellmate_modern 1
    # A binding not ours that executes the line, or one of the user's on a key for Enter, as `bind` prints it.
    set -g __shellmate_accepts '^bind (?!.*__shellmate_)(?:.*\bexecute\b|(?!.*--preset)(?:.* )?(?:\\\\[rn]|enter|ctrl-[jm]) )'

    # say KIND FIELD…: write one mark. printf takes a field that is not there for an empty one.
    function __shellmate_say
        if string match -qr '[%;[:cntrl:]]|.{16384}' -- $argv
            set argv (string escape --style=url -- $argv)
            string match -qr '.{65535}.' -- $argv; and set argv (string match -r '^(?:%..|[^%]){0,32768}+(?:%..|[^%]){0,32768}+' -- $argv)
        end
        __shellmate_mark ';'$argv
    end

    # True if the line was a query and has been taken.
    function __shellmate_enter
        builtin commandline --current-buffer | string match -qr '^>(?: |$)'; or return 1
        set -l text (builtin commandline --current-buffer | string collect)
        string match -qr '^>(?: |\z)' -- $text; and status current-command | string match -q fish; or return 1
        builtin commandline --paging-mode; and return 1
        __shellmate_settle $text
        __shellmate_take $text
    end
    function __shellmate_take
        __shellmate_say query $argv[1] kept
        set -g __shellmate_query $argv[1]
        builtin commandline --replace ''
        builtin commandline --function $argv[2..-1] execute
    end

    # What a binding of the user's calls that executes a line it has written itself.
    function __shellmate_execute
        __shellmate_enter; or builtin commandline --function execute
    end

    # Put the look at the line in front of every binding that executes it, in every mode, and again when the user has bound one since.
    # fish has its own on the keys for Enter; to list all of its bindings would take milliseconds.
    function __shellmate_bind
        begin
            builtin bind --user
            builtin bind --list-modes | while read --local mode
                for key in \r \n ctrl-m ctrl-enter
                    builtin bind --preset -M $mode $key
                end
            end
        end 2>/dev/null | string match -er $__shellmate_accepts |
            while read --local --tokenize --list words
                if string match -qr '^bind(?: --preset)?(?: -[Mm] \S+)* (?:\S+|\s) execute$' -- "$words"
                    builtin bind $words[2..-2] __shellmate_execute
                else if not string match -q '*__shellmate_*' -- $words
                    __shellmate_guard $words[2..-1]
                end
            end
    end
    function __shellmate_guard
        argparse --ignore-unknown 'M/mode=' 'm/sets-mode=' preset user k/key s/silent -- $argv; or return
        set -l script
        for word in $argv[2..-1]
            builtin contains -- $word (builtin bind --function-names); and set word "commandline -f $word"
            set -a script $word
        end
        set script (string replace -ar '(?:builtin )?commandline (?:-f|--function) execute\b' __shellmate_execute -- $script)
        set -q _flag_mode; and set _flag_mode -M $_flag_mode
        set -q _flag_sets_mode; and set _flag_sets_mode -m $_flag_sets_mode
        set script "__shellmate_enter; or begin; "(string join '; ' $script)"; end"
        builtin bind $_flag_preset $_flag_key $_flag_mode $_flag_sets_mode $argv[1] $script
    end

    function __shellmate_before
        test -e $__shellmate_renewal; and __shellmate_renew
        set -q __shellmate_ended[1]; or __shellmate_say end $argv[1]
        set -g __shellmate_ended
        if not set -q __shellmate_keys[1]; or builtin bind --user 2>/dev/null | string match -qr $__shellmate_accepts
            set -g __shellmate_keys 1
            __shellmate_bind
        end
        test -p $__shellmate_fifo; or set -g __shellmate_query
        if set -q __shellmate_query[1]
            builtin math $__shellmate_count + 1 | read --global __shellmate_count
            __shellmate_environment
            __shellmate_say wait $__shellmate_count "$PWD"
            __shellmate_remember $__shellmate_query
        end
    end

    function __shellmate_after
        if set -q __shellmate_unmerged[1]
            builtin history merge
            builtin history search --exact --max 1 -- $__shellmate_unmerged | string length -q; and set -g __shellmate_unmerged
        end
        __shellmate_say prompt "$PWD"
        __shellmate_say input
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
        # Not shadowing scopes: what the command sets is set where the user's own command line would.
        function __shellmate_run --no-scope-shadowing
            eval $__shellmate_command
            __shellmate_over $status
        end
        # A query that a binding of the user's gave to fish: fish refuses it, and would leave it on the line.
        function __shellmate_refused --on-event fish_posterror
            string match -qr '^>(?: |\z)' -- "$argv[1]"; or return
            set -g __shellmate_keys
            __shellmate_take "$argv[1]" cancel-commandline
        end
        function __shellmate_rekeyed --on-variable fish_key_bindings
            set -g __shellmate_keys
        end
        builtin functions --query fish_prompt # reads its file, which may bind Enter, before the first look at the bindings
        __shellmate_say hello fish $version $fish_pid
    else
        __shellmate_say hello fish $version $fish_pid old
    end
end
