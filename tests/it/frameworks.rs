//! Shell tools from packages of the distribution: they work as in a bare shell, and so does shellmate.

use crate::harness::{Key, Shell, Term, all, available, available_file, in_short, shells, text_of};
use crate::prompts::coexists;

const SUGGESTIONS: &str = "/usr/share/zsh-autosuggestions/zsh-autosuggestions.zsh";
const HIGHLIGHTING: &str = "/usr/share/zsh-syntax-highlighting/zsh-syntax-highlighting.zsh";
const ANSWER: &str = "No model is connected yet";

fn zsh_plugins() -> bool {
    Shell::Zsh.available() && available_file(SUGGESTIONS) && available_file(HIGHLIGHTING)
}

#[test]
fn zsh_plugins_in_any_order() {
    if !zsh_plugins() {
        return;
    }
    let cases = [
        ("suggestions", format!(". {SUGGESTIONS}")),
        ("highlighting", format!(". {HIGHLIGHTING}")),
        ("both", format!(". {SUGGESTIONS}; . {HIGHLIGHTING}")),
        ("both, the other way", format!(". {HIGHLIGHTING}; . {SUGGESTIONS}")),
        ("suggestions bound anew at every prompt", format!("unset ZSH_AUTOSUGGEST_MANUAL_REBIND; . {SUGGESTIONS}")),
        ("suggestions in vi mode", format!("bindkey -v; . {SUGGESTIONS}; . {HIGHLIGHTING}")),
        ("completion too", format!("autoload -Uz compinit; compinit -u -D; . {SUGGESTIONS}; . {HIGHLIGHTING}")),
    ];
    all(cases.iter().map(|(what, rc)| (*what, move || coexists(Shell::Zsh, what, |builder| builder.rc(rc)))));
}

/// Waits until the first cell of `text` at the newest prompt has this colour. Highlighting may come after the text.
#[track_caller]
fn wait_for_colour(term: &Term, text: &str, colour: vt100::Color) {
    term.wait_until(|screen| {
        let (row, _) = screen.cursor_position();
        let line = screen.rows(0, screen.size().1.get()).nth(usize::from(row)).unwrap_or_default();
        let place = line.find(text).and_then(|at| u16::try_from(at).ok());
        place.and_then(|column| screen.cell(row, column)).map(vt100::Cell::fgcolor) == Some(colour)
    });
}

#[test]
fn zsh_suggestions_and_highlighting_work() {
    if !zsh_plugins() {
        return;
    }
    for rc in [format!(". {SUGGESTIONS}; . {HIGHLIGHTING}"), format!(". {HIGHLIGHTING}; . {SUGGESTIONS}")] {
        let mut term = Term::new(Shell::Zsh).rc(&rc).start();
        term.wait_for_prompt();
        term.run("echo suggested text");
        term.typed("> a question\r");
        term.wait_for_prompt();
        assert!(term.screen().contains(ANSWER), "{}", term.describe());
        // A suggestion after a query is removed when it is accepted.
        term.typed("> a q");
        term.wait_for("]$ > a question\n");
        term.typed("\r");
        term.wait_for_prompt();
        assert!(term.screen().contains("]$ > a q\n"), "{}", term.describe());
        term.typed("echo sug");
        term.wait_until(|screen| text_of(screen).matches("echo suggested text").count() == 2);
        term.key(Key::Ctrl('e'));
        term.key(Key::Enter);
        term.wait_for_prompt();
        term.typed("no_such_thing");
        wait_for_colour(&term, "no_such_thing", vt100::Color::Idx(1));
        term.key(Key::Ctrl('u'));
        assert_eq!(in_short(&term.finish()), [("echo suggested text", 0), ("echo suggested text", 0)]);
    }
}

fn fzf(shell: Shell) -> Option<String> {
    let examples = "/usr/share/doc/fzf/examples";
    let (file, load) = match shell {
        Shell::Bash => (format!("{examples}/key-bindings.bash"), format!(". {examples}/key-bindings.bash")),
        Shell::Zsh => (format!("{examples}/key-bindings.zsh"), format!(". {examples}/key-bindings.zsh")),
        Shell::Fish => {
            ("/usr/share/fish/vendor_functions.d/fzf_key_bindings.fish".to_owned(), "fzf_key_bindings".to_owned())
        }
    };
    (available("fzf") && available_file(&file)).then_some(load)
}

#[test]
fn fzf_finds_a_line_and_a_query() {
    all(shells().into_iter().map(|shell| {
        (shell.name(), move || {
            let Some(load) = fzf(shell) else { return };
            coexists(shell, "fzf", |builder| builder.rc(&load));
            let mut term = Term::new(shell).rc(&load).start();
            term.wait_for_prompt();
            term.run("echo to be fo''und");
            if shell == Shell::Fish {
                // fish 3 adds a query to the history through its file, which it reads at most once a second.
                term.run("sleep 1.1");
            }
            term.typed("> where was it\r");
            term.wait_for_prompt();
            term.run("clear");
            for (pattern, line) in [("fo''u", "echo to be fo''und"), ("where", "> where was it")] {
                term.key(Key::Ctrl('r'));
                term.wait_until(|screen| text_of(screen).contains("/4 ") || text_of(screen).contains("/3 "));
                term.typed(pattern);
                term.wait_for(&format!("> {pattern}"));
                term.wait_for("  1/");
                term.key(Key::Enter);
                term.wait_until(|screen| text_of(screen).trim_end().ends_with(&format!("]$ {line}")));
                term.key(Key::Enter);
                term.wait_for_prompt();
            }
            assert!(term.screen().contains("\nto be found\n"), "{}", term.describe());
            assert!(term.screen().contains(ANSWER), "{}", term.describe());
            assert!(!term.home().join("where").exists(), "the shell ran it");
        })
    }));
}

#[test]
fn fzf_changes_the_directory() {
    all(shells().into_iter().map(|shell| {
        (shell.name(), move || {
            let Some(load) = fzf(shell) else { return };
            let mut term = Term::new(shell).rc(&load).file("a-directory/file", "").start();
            term.wait_for_prompt();
            // The half-typed line is still there afterwards; fish searches for it.
            if shell != Shell::Fish {
                term.typed("pw");
            }
            term.key(Key::Alt('c'));
            term.wait_for("\n>");
            term.typed("a-dir");
            term.wait_for("> a-dir");
            // fzf shows the typed text before it has searched.
            term.wait_for("a-directory");
            term.key(Key::Enter);
            if shell == Shell::Fish {
                // The same prompt is drawn again.
                term.wait_until(|screen| !text_of(screen).contains("a-dir"));
                term.typed("pw");
            } else {
                term.wait_for_prompt();
            }
            term.typed("d\r");
            term.wait_for("/home/a-directory\n");
            term.wait_for_prompt();
            term.typed("> still a query\r");
            term.wait_for_prompt();
            assert!(term.screen().contains(ANSWER), "{}", term.describe());
        })
    }));
}

#[test]
fn direnv_loads_and_unloads() {
    all(shells().into_iter().map(|shell| {
        (shell.name(), move || {
            if !available("direnv") {
                return;
            }
            let load = match shell {
                Shell::Bash => "eval \"$(direnv hook bash)\"",
                Shell::Zsh => "eval \"$(direnv hook zsh)\"",
                Shell::Fish => "direnv hook fish | source",
            };
            coexists(shell, "direnv", |builder| builder.rc(load));
            let mut term = Term::new(shell).rc(load).file("project/.envrc", "export FROM_DIRENV=yes\n").start();
            term.wait_for_prompt();
            term.run("direnv allow project/.envrc");
            term.run("cd project");
            term.run("echo value=$FROM_DIRENV.");
            term.wait_for("\nvalue=yes.\n");
            term.typed("> a query in between\r");
            term.wait_for_prompt();
            term.run("false");
            term.run(&format!("echo status={}", shell.status()));
            term.wait_for("\nstatus=1\n");
            term.run("cd ..");
            term.run("echo \"again=$FROM_DIRENV.\"");
            term.wait_for("\nagain=.\n");
            let records = term.finish();
            assert!(
                records.iter().all(|record| record.status == Some(i32::from(record.command == "false"))),
                "{records:?}"
            );
            assert_eq!(records.len(), 7, "{records:?}");
        })
    }));
}

#[test]
fn powerlevel9k_draws_its_prompt() {
    let theme = "/usr/share/powerlevel9k/powerlevel9k.zsh-theme";
    if !(Shell::Zsh.available() && available_file(theme)) {
        return;
    }
    let counted = "behind() { PROMPT+=$'\\n[$T]$ ' }; precmd_functions+=(behind)";
    let elements = "POWERLEVEL9K_LEFT_PROMPT_ELEMENTS=(dir vcs status) POWERLEVEL9K_RIGHT_PROMPT_ELEMENTS=(history)";
    let cases = [
        ("alone", format!("POWERLEVEL9K_TIME_FORMAT=now; . {theme}; {counted}")),
        ("two lines", format!("POWERLEVEL9K_PROMPT_ON_NEWLINE=true; {elements}; . {theme}; {counted}")),
        ("before the plugins", format!("{elements}; . {theme}; {counted}; . {SUGGESTIONS}; . {HIGHLIGHTING}")),
        ("behind the plugins", format!(". {SUGGESTIONS}; . {HIGHLIGHTING}; {elements}; . {theme}; {counted}")),
    ];
    all(cases.iter().map(|(what, rc)| (*what, move || coexists(Shell::Zsh, what, |builder| builder.rc(rc)))));
}

#[test]
fn zoxide_records_directories_and_jumps() {
    all(shells().into_iter().map(|shell| {
        (shell.name(), move || {
            if !available("zoxide") {
                return;
            }
            let load = match shell {
                Shell::Bash | Shell::Zsh => format!("eval \"$(zoxide init {})\"", shell.name()),
                Shell::Fish => "zoxide init fish | source".to_owned(),
            };
            coexists(shell, "zoxide", |builder| builder.rc(&load));
            let mut term = Term::new(shell).rc(&load).file("far/away/file", "").start();
            term.wait_for_prompt();
            term.run("cd far/away");
            term.typed("> a query in between\r");
            term.wait_for_prompt();
            term.run("cd ../..");
            term.run("z away");
            term.run("pwd");
            assert!(term.screen().contains("/home/far/away\n"), "{}\n{}", shell.name(), term.describe());
            let commands = [("cd far/away", 0), ("cd ../..", 0), ("z away", 0), ("pwd", 0)];
            assert_eq!(in_short(&term.finish()), commands, "{}", shell.name());
        })
    }));
}

#[test]
fn fish_prompts_that_repaint_or_shrink() {
    let cases = [
        (
            "a prompt drawn again when a variable is set",
            "function fish_prompt; echo -n \"$extra\"\"[$T]\\$ \"; end
            function again --on-variable extra; commandline --function repaint; end
            function ask --on-event fish_prompt; set -g extra known; end",
        ),
        (
            "a prompt that shrinks with a function on Enter",
            "function fish_prompt; set -q short; and echo -n '$ '; or echo -n \"[$T]\\$ \"; end
            function shrink; set -g short 1; commandline --function repaint execute; end
            function grow --on-event fish_postexec --on-event fish_prompt; set -e short; end
            bind \\r shrink",
        ),
        (
            "keys that the user bound in every mode",
            "fish_vi_key_bindings; for mode in default insert; bind -M $mode \\r 'commandline -f expand-abbr' 'commandline -f execute'; end",
        ),
    ];
    all(cases.iter().map(|(what, rc)| (*what, move || coexists(Shell::Fish, what, |builder| builder.rc(rc)))));
}

#[test]
fn bash_reports_ended_jobs_if_a_user_hook_calls_jobs() {
    if !Shell::Bash.available() {
        return;
    }
    // The job has ended before the prompt, so the user's hook would consume the notice.
    for hook in ["PROMPT_COMMAND=count", "PROMPT_COMMAND=(count :)", "PROMPT_COMMAND='count; :'"] {
        let rc = format!("count() {{ jobs >/dev/null; COUNT=$(jobs -p | wc -l); }}; {hook}");
        let mut term = Term::new(Shell::Bash).rc(&rc).start();
        term.wait_for_prompt();
        for _ in 0..5 {
            term.run("clear");
            term.typed("sh -c 'echo u\"\"p; exec sleep 1000'\r");
            term.wait_for("\nup");
            term.key(Key::Ctrl('z'));
            term.wait_for("Stopped");
            term.wait_for_prompt();
            term.run("kill %1; sleep 0.2");
            term.run(":");
            assert_eq!(term.screen().matches("Terminated").count(), 1, "{hook}\n{}", term.describe());
        }
    }
}

/// Techniques of zsh prompt frameworks that are not packaged here, each in a few lines.
#[test]
fn zsh_prompts_that_come_early_or_shrink() {
    let cases = [
        (
            "an instant prompt that holds back what start files print",
            "print -rn -- 'early $ '
            exec {in}<&0 {out}>&1 {err}>&2 </dev/null >~/held 2>&1
            give_back() {
                exec <&$in >&$out 2>&$err {in}<&- {out}>&- {err}>&-
                precmd_functions=(${precmd_functions:#give_back})
                print -rn -- $'\\r\\e[J'
                print -r -- \"$(<~/held)\"
            }
            precmd_functions=(give_back $precmd_functions)
            echo from a start file",
        ),
        (
            "a prompt that shrinks when the line is finished",
            "shrink() { PS1='%# '; zle .reset-prompt; zle -R }; zle -N zle-line-finish shrink
            grow() { PS1='[$T]$ ' }; precmd_functions+=(grow)",
        ),
        (
            "a prompt that shrinks around accept-line",
            "shrink() { PS1='%# '; zle reset-prompt; zle .accept-line }; zle -N accept-line shrink
            grow() { PS1='[$T]$ ' }; precmd_functions+=(grow)",
        ),
        (
            "a prompt that shrinks behind a recursive edit",
            "zle-line-init() {
                [[ $CONTEXT == start ]] || return 0
                zle .recursive-edit; local -i ended=$?
                [[ $KEYS != $'\\4' ]] || exit 0
                local long=$PS1
                PS1='%# '; zle .reset-prompt; PS1=$long
                if (( ended )); then zle .send-break; else zle .accept-line; fi
                return ended
            }
            zle -N zle-line-init",
        ),
        (
            "hooks of the editor that come with the first prompt",
            "setup() {
                precmd_functions=(${precmd_functions:#setup})
                mine() { X=$WIDGET }; zle -N zle-line-init mine; zle -N zle-line-finish mine
            }
            precmd_functions+=(setup)",
        ),
        (
            "hooks of the editor that come with every prompt",
            "mine() { X=$WIDGET }; setup() { zle -N zle-line-init mine; zle -N zle-line-finish mine }; precmd_functions+=(setup)",
        ),
        (
            "hooks of the editor that are added at every prompt",
            "autoload -Uz add-zle-hook-widget; mine() { X=$WIDGET }
            setup() { add-zle-hook-widget line-init mine; add-zle-hook-widget line-finish mine }; precmd_functions+=(setup)",
        ),
        (
            "a prompt drawn again when it knows more",
            "know() { zle -F $1; exec {1}<&-; zle reset-prompt; zle -R }
            ask() { exec {later}< <(echo more); zle -F $later know }; precmd_functions+=(ask)",
        ),
    ];
    all(cases.iter().map(|(what, rc)| (*what, move || coexists(Shell::Zsh, what, |builder| builder.rc(rc)))));
}

/// A widget that redraws the prompt at the start or end of a line. `%_` in PS2 must show what is open.
#[test]
fn zsh_continuation_prompts_show_open_constructs() {
    let hooks = "drawn() { zle reset-prompt; zle -R }";
    let cases = [
        ("a line-init widget", format!("{hooks}; zle -N zle-line-init drawn")),
        ("a line-finish widget", format!("{hooks}; zle -N zle-line-finish drawn")),
        ("both, through the hooks of zsh", {
            let add = "add-zle-hook-widget line-init drawn; add-zle-hook-widget line-finish drawn";
            format!("{hooks}; autoload -Uz add-zle-hook-widget; {add}; late() {{ {add} }}; precmd_functions+=(late)")
        }),
        ("a widget that fails", "drawn() { zle reset-prompt; false }; zle -N zle-line-finish drawn".to_owned()),
        ("a trap for what fails", format!("TRAPZERR() {{ echo failed }}; {hooks}; zle -N zle-line-finish drawn")),
    ];
    all(cases.iter().map(|(what, rc)| {
        let act = |mut term: Term| {
            term.wait_for_prompt();
            for (above, line) in
                ["for i in 1 2; do", "if true; then", "echo \"is $i", "> not a query\"; fi"].iter().enumerate()
            {
                term.typed(format!("{line}\r"));
                term.wait_until(|screen| {
                    let text = text_of(screen);
                    text.lines().count() == above + 2 && text.trim_end().ends_with('>')
                });
            }
            term.typed("done\r");
            term.wait_for("\nis 2\n> not a query\n");
            term.wait_for_prompt();
            term
        };
        (*what, move || {
            if !Shell::Zsh.available() {
                return;
            }
            let bare = act(Term::new(Shell::Zsh).rc(rc).bare().start()).screen();
            let mut ours = act(Term::new(Shell::Zsh).rc(rc).start());
            assert_eq!(ours.screen(), bare);
            ours.typed("> still a query\r");
            ours.wait_for(ANSWER);
            ours.wait_for_prompt();
            let text = "for i in 1 2; do\nif true; then\necho \"is $i\n> not a query\"; fi\ndone";
            assert_eq!(in_short(&ours.finish()), [(text, 0)]);
        })
    }));
}

/// A hook that switches the history, as in zsh's manual. With shared histories zsh no longer passes the typed text to preexec.
#[test]
fn zsh_history_per_directory() {
    if !Shell::Zsh.available() {
        return;
    }
    let hook = "HISTFILE=~/all HISTSIZE=100 SAVEHIST=100; setopt share_history; alias ls='ls -d'
        zshaddhistory() { print -Sr -- ${1%%$'\\n'}; fc -p ~/here }";
    let before = ": 1700000000:0;echo old\n: 1700000001:0;echo older\n";
    let mut term = Term::new(Shell::Zsh).rc(hook).file("all", before).start();
    term.wait_for_prompt();
    term.run("ls . && (exit 7)");
    term.run(" echo a secret");
    term.typed("for i in 1; do\rls  /\rdone\r");
    term.wait_for_prompt();
    term.run("echo one");
    term.run("!!");
    term.typed("> a query\r");
    term.wait_for(ANSWER);
    term.wait_for_prompt();
    let wanted = [("ls . && (exit 7)", 7), ("for i in 1; do\nls  /\ndone", 0), ("echo one", 0), ("echo one", 0)];
    assert_eq!(in_short(&term.finish()), wanted);
}

/// Titles in the form of screen and tmux, set by hooks as in oh-my-zsh.
#[test]
fn zsh_titles_are_not_output() {
    if !Shell::Zsh.available() {
        return;
    }
    let titles = r"run() { print -n '\ekrunning\e\\' }; idle() { print -n '\ekidle\e\\' }; preexec_functions+=(run); precmd_functions+=(idle)";
    let mut term = Term::new(Shell::Zsh).rc(titles).env("TERM", "screen-256color").start();
    term.wait_for_prompt();
    term.run("echo one");
    term.run("true");
    let outputs = |id: String| term.history(&["show", &id]).pop().and_then(|record| record.output);
    let records = term.wait_for_history(|records| records.len() == 2);
    let outputs: Vec<_> = records.iter().map(|record| outputs(record.id())).collect();
    assert_eq!(outputs, [Some("one".to_owned()), Some(String::new())]);
}

/// If none of the editor's hooks is ours, preexec stops the query, and the next prompt takes keys.
#[test]
fn zsh_takes_a_query_if_widgets_replace_our_hooks() {
    if !Shell::Zsh.available() {
        return;
    }
    let rc = "mine() { X=$WIDGET }; rob() { zle -N zle-line-init mine; zle -N zle-line-finish mine }
        zle -N rob; bindkey '^G' rob; TRAPINT() { return 130 }
        behind() { rob; precmd_functions=(${precmd_functions:#behind} behind) }; precmd_functions+=(behind)";
    let mut term = Term::new(Shell::Zsh).rc(rc).file("why", "keep").start();
    term.wait_for_prompt();
    for _ in 0..3 {
        term.run("false");
        term.typed("> why did that fail\r");
        term.wait_for("`false` ended with status 1");
        term.wait_for_prompt();
        term.key(Key::Ctrl('g'));
        term.run("clear");
    }
    assert_eq!(term.read("why"), "keep");
    let records = term.finish();
    assert_eq!(in_short(&records), [("false", 1), ("clear", 0)].repeat(3));
}
