# The wait for the answer to a query, and what precedes it.

# Leaves the query on the screen as typed: without a suggestion, and with the cursor at its end. In fish 3 the redraw
# for that would come too late. So the text behind the cursor is printed again, or the suggestion and a right prompt
# are erased.
function __shellmate_tidy_line
    if set -q __shellmate_is_fish4[1]
        builtin commandline --function suppress-autosuggestion beginning-of-buffer end-of-buffer suppress-autosuggestion
        return
    end
    set -l rest
    builtin commandline --cursor | read --local cursor
    string length -- $argv[1] | string match -q $cursor; or set rest (string sub --start (builtin math $cursor + 1) -- $argv[1])
    if set -q rest[2]
        builtin printf '\e[%dB' (builtin math (count $rest) - 1) >/dev/tty
    else if test -n "$rest"
        string replace -ar '[[:cntrl:]]' '?' -- $rest | read --null rest
        builtin printf %s (string trim --right --chars \n -- $rest) >/dev/tty
    else if not builtin functions -q fish_right_prompt; or builtin history search --prefix --max 1 -- $argv[1] | string length -q
        builtin printf '\e[J' >/dev/tty
    end
end

# Adds a query to the history. In fish 3 this is only possible through the history file.
function __shellmate_add_history
    if set -q __shellmate_is_fish4[1]
        builtin history append -- $argv[1]
        return
    end
    set -l name fish
    set -q fish_history; and test "$fish_history" != default; and set name $fish_history
    test -n "$name"; and not set -q fish_private_mode; and test -d "$__fish_user_data_dir"; or return
    test -n "$__shellmate_now"; or command date +%s | read --global __shellmate_now
    string replace -a \\ \\\\ -- $argv[1] | string join \\n | read --local --delimiter \n text
    builtin printf '%s\n' "- cmd: $text" "  when: $__shellmate_now" >>$__fish_user_data_dir/$name"_history"
    set -g __shellmate_unmerged_query $argv[1]
end

# Writes the exported variables to a file. The file's modification time also serves as the current time. Variables
# with names that fish cannot express are copied from the environment that fish was started with.
function __shellmate_environment
    string replace -r '[^/]*$' environment -- $__shellmate_fifo | read --local __shellmate_path
    begin
        for __shellmate_name in (set --names --export | string match -r '^\w+$')
            builtin printf '%s=%s\0' $__shellmate_name "$$__shellmate_name"
        end
        if set --names --export | string match -qrv '^\w+$'
            for __shellmate_name in (string split0 </proc/$fish_pid/environ)
                string match -qr '^\w+=' -- $__shellmate_name; or builtin printf '%s\0' $__shellmate_name
            end
        end
    end >$__shellmate_path 2>/dev/null
    builtin path mtime -- $__shellmate_path 2>/dev/null | read --global __shellmate_now
end

# Sets __shellmate_token to a random text.
function __shellmate_token
    read --global __shellmate_token </proc/sys/kernel/random/uuid 2>/dev/null
    or set -g __shellmate_token (random)-(random)-(random)-(random)
end

# Chooses a new nonce, because a program has printed the old one.
function __shellmate_renew
    __shellmate_token
    string replace -a - '' -- $__shellmate_token | string match -r '^[0-9a-f]{32}$' | read --local nonce
    test -n "$nonce"; or return
    __shellmate_send renew $nonce
    builtin functions __shellmate_mark | string replace -r '7771;\w+%' "7771;$nonce%" | source
end

# Follows directives from shellmate. Returns true if a command is to be run, false if the query is answered. Any
# program of the user can write to the FIFO or read from it. So a line counts only if it is a token that shellmate got
# in a mark: the end token ends the wait, the run token (a new one for each reading of the file) runs the command that
# was read.
function __shellmate_next_command
    set -q __shellmate_query[1]; or return 1
    __shellmate_token
    set -l end_token $__shellmate_token
    set -l run_token
    __shellmate_send listen $end_token
    builtin functions --erase __shellmate_interrupt
    while true
        # The redirection is on the block, because `read <file` would discard what follows the line. If the FIFO is
        # gone, the end token remains and ends the wait.
        set -l line $end_token
        begin
            read line
        end <$__shellmate_fifo
        switch "$line"
            case look
                string replace -r '[^/]*$' command -- $__shellmate_fifo | read --local path
                read --null --global __shellmate_command <$path
                __shellmate_token
                set run_token $__shellmate_token
                __shellmate_send read $run_token "$__shellmate_command"
            case again
                __shellmate_send listen $end_token
            case $end_token
                break
            case $run_token
                __shellmate_send go
                # fish's own loops and `read` would go on after Ctrl-C, so commands with these get no handler.
                string match -qr '\b(?:while|read)\b' -- $__shellmate_command; or __shellmate_catch_interrupt
                return 0
        end
    end
    set -g __shellmate_query
    return 1
end

# Reports the end of the agent's command. $argv[1] is its status.
function __shellmate_command_done
    set -g __shellmate_command
    __shellmate_environment
    __shellmate_send ran $argv[1]
end

# Without a handler for SIGINT, Ctrl-C would also end the hook, and shellmate would not hear of the prompt. With a
# handler it ends only an external program.
function __shellmate_catch_interrupt
    function __shellmate_interrupt --on-signal INT
    end
end
