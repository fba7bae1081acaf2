# A key that opens the finder of the history. What is typed is its first filter; the chosen command replaces it.
function __shellmate_find
    set -l typed (builtin commandline --current-buffer | string collect)
    set -l found (@PROGRAM@ history search --line "$typed" | string collect)
    and builtin commandline --replace -- $found
    builtin commandline --function repaint
end
if status is-interactive
    for mode in default insert
        builtin bind -M $mode \c@KEY@ __shellmate_find
    end
end
