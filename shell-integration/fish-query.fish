# What fish does about a query once it has been taken; the host puts this text behind fish.fish.

# Leave the line on the screen as typed: no suggestion, the cursor behind it. Before fish 4 only its own redraw, which comes
# too late, could do that; so print what is behind the cursor again, or wipe a suggestion (and a right prompt beside it).
function __shellmate_settle
    if set -q __shellmate_modern[1]
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

# Before fish 4 a line can be added to the history only through its file.
function __shellmate_remember
    if set -q __shellmate_modern[1]
        builtin history append -- $argv[1]
        return
    end
    set -l name fish
    set -q fish_history; and test "$fish_history" != default; and set name $fish_history
    test -n "$name"; and not set -q fish_private_mode; and test -d "$__fish_user_data_dir"; or return
    test -n "$__shellmate_time"; or command date +%s | read --global __shellmate_time
    string replace -a \\ \\\\ -- $argv[1] | string join \\n | read --local --delimiter \n text
    builtin printf '%s\n' "- cmd: $text" "  when: $__shellmate_time" >>$__fish_user_data_dir/$name"_history"
    set -g __shellmate_unmerged $argv[1]
end

# Write down what is exported; when it was written tells the time. A variable whose name fish cannot say is as it was inherited.
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
    builtin path mtime -- $__shellmate_path 2>/dev/null | read --global __shellmate_time
end

# A text that nobody can guess.
function __shellmate_token
    read --global __shellmate_token </proc/sys/kernel/random/uuid 2>/dev/null
    or set -g __shellmate_token (random)-(random)-(random)-(random)
end

# Choose another nonce, because this one was shown.
function __shellmate_renew
    __shellmate_token
    string replace -a - '' -- $__shellmate_token | string match -r '^[0-9a-f]{32}$' | read --local nonce
    test -n "$nonce"; or return
    __shellmate_say renew $nonce
    builtin functions __shellmate_mark | string replace -r '7771;\w+%' "7771;$nonce%" | source
end

# Wait for a command to run: true if there is one. Others may write to the FIFO or read from it: so a line counts only if it is a
# token that just shellmate was told. One ends the wait; the other, made for each look at the file, runs what was seen there.
# A read that is redirected itself would swallow what follows its line.
function __shellmate_next
    builtin functions --erase __shellmate_interrupt
    set -q __shellmate_query[1]; or return 1
    __shellmate_token
    set -l done $__shellmate_token
    set -l go
    __shellmate_say listen $done
    while true
        set -l line $done
        begin
            read line
        end <$__shellmate_fifo
        switch "$line"
            case look
                string replace -r '[^/]*$' command -- $__shellmate_fifo | read --local path
                read --null --global __shellmate_command <$path
                __shellmate_token
                set go $__shellmate_token
                __shellmate_say read $go "$__shellmate_command"
            case $done
                break
            case $go
                __shellmate_say go
                __shellmate_listen
                return 0
        end
    end
    set -g __shellmate_query
    return 1
end

# Say that the command is over, with its status.
function __shellmate_over
    set -g __shellmate_command
    __shellmate_environment
    __shellmate_say ran $argv[1]
end

# Ctrl-C ends a program, and with it the command and all that was to follow, unless somebody listens for the signal: then only the
# command. But what fish does by itself it does not end then, so a loop or a read is left as it is.
function __shellmate_listen
    string match -qr '\b(?:while|read)\b' -- $__shellmate_command; and return
    function __shellmate_interrupt --on-signal INT
    end
end
