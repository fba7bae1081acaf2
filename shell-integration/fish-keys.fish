# The check in front of the Enter key. Each key keeps what it was bound to.

# Takes the line if it is a query. Returns false if it is not.
function __shellmate_enter
    builtin commandline --current-buffer | string match -qr '^>(?: |$)'; or return 1
    set -l text (builtin commandline --current-buffer | string collect)
    string match -qr '^>(?: |\z)' -- $text; and status current-command | string match -q fish; or return 1
    builtin commandline --paging-mode; and return 1
    __shellmate_catch_interrupt
    __shellmate_tidy_line $text
    __shellmate_take_query $text
end
function __shellmate_take_query
    __shellmate_send query $argv[1] kept
    set -g __shellmate_query $argv[1]
    builtin commandline --replace ''
    builtin commandline --function $argv[2..-1] execute
end

# Replaces `commandline -f execute` in bindings of the user, which may have changed the line before.
function __shellmate_execute
    __shellmate_enter; or builtin commandline --function execute
end

# Puts the check in front of every binding that executes the line, in every mode. It runs again when the user has made
# such a binding. fish's own bindings are looked up only for the keys that stand for Enter, because listing all of
# them takes milliseconds.
function __shellmate_bind
    begin
        builtin bind --user
        builtin bind --list-modes | while read --local mode
            for key in \r \n ctrl-m ctrl-enter
                builtin bind --preset -M $mode $key
            end
        end
    end 2>/dev/null | string match -er $__shellmate_accept_pattern |
        while read --local --tokenize --list words
            if string match -qr '^bind(?: --preset)?(?: -[Mm] \S+)* (?:\S+|\s) execute$' -- "$words"
                builtin bind $words[2..-2] __shellmate_execute
            else if not string match -q '*__shellmate_*' -- $words
                __shellmate_wrap_binding $words[2..-1]
            end
        end
end

# Binds a key to the check and what the key did before. The arguments are those of `bind`.
function __shellmate_wrap_binding
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
