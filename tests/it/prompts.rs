//! Prompts, hooks and options of users: they work as in a bare shell, and so does shellmate.

use crate::harness::{Builder, Key, Shell, Term, all, available_file, in_short, shells};

/// Runs a few commands in both shells, compares the screens, and checks that all commands were recorded.
#[track_caller]
pub(crate) fn coexists(shell: Shell, what: &str, set: impl Fn(Builder) -> Builder) {
    if !shell.available() {
        return;
    }
    let commands = ["echo one", "false", "bash -c 'exit 5'", "", "echo last"];
    let act = |term: &mut Term| {
        term.wait_for_prompt();
        commands.iter().for_each(|command| term.run(command));
        // When a typed key is shown, right prompts are drawn too.
        term.typed(">");
        term.wait_until(|screen| screen.contents().lines().any(|line| line.contains("]$ >")));
        term.without_place(&term.screen())
    };
    let mut bare = set(Term::new(shell)).bare().start();
    let bare = act(&mut bare);
    let mut ours = set(Term::new(shell)).start();
    let screen = act(&mut ours);
    assert!(screen == bare, "{} with {what}\n--- ours\n{screen}\n--- bare\n{bare}", shell.name());
    ours.typed(" still here\r");
    ours.wait_for_prompt();
    let screen = ours.screen();
    assert!(
        screen.contains("No model is connected yet"),
        "{} with {what}: no answer\n{}",
        shell.name(),
        ours.describe()
    );
    assert_eq!(screen.matches("> still here").count(), 1, "{} with {what}\n{}", shell.name(), ours.describe());
    assert!(!ours.home().join("still").exists(), "{} with {what}: the shell ran it", shell.name());
    let records = ours.finish();
    let wanted = [("echo one", 0), ("false", 1), ("bash -c 'exit 5'", 5), ("echo last", 0)];
    assert_eq!(in_short(&records), wanted, "{} with {what}", shell.name());
}

/// Tries every start file, even if one has failed.
#[track_caller]
fn each(shell: Shell, cases: &[(&str, &str)]) {
    all(cases.iter().map(|(what, text)| (*what, move || coexists(shell, what, |builder| builder.rc(text)))));
}

#[test]
fn bash_options() {
    each(
        Shell::Bash,
        &[
            ("set -u", "set -u"),
            ("noclobber", "set -o noclobber"),
            ("posix mode", "set -o posix"),
            ("an odd IFS", "IFS=0123456789abcdef"),
            ("an empty IFS", "IFS="),
            ("LC_ALL=C", "export LC_ALL=C"),
            ("noglob", "set -f"),
            ("failglob and nullglob", "shopt -s failglob nullglob dotglob"),
            ("extglob and nocasematch", "shopt -s extglob nocasematch"),
            ("no promptvars", "shopt -u promptvars; PROMPT_COMMAND='PS1=\"[$((++T))]\\$ \"'"),
            ("no history", "set +o history"),
            ("a command timestamp", "HISTTIMEFORMAT='%F %T '"),
            ("functrace and errtrace", "set -o functrace -o errtrace"),
            ("lastpipe", "shopt -s lastpipe"),
            ("vi mode", "set -o vi"),
        ],
    );
}

#[test]
fn bash_functions_and_aliases_named_like_builtins() {
    each(
        Shell::Bash,
        &[
            (
                "aliases",
                "for name in printf echo local test builtin command eval set unset return case if for declare trap read; do \
         alias $name='no_such_thing_'; done; unalias echo if for case set unset return",
            ),
            (
                "functions",
                "printf() { command echo WRONG; }; local() { command echo WRONG; }; test() { command echo WRONG; }; \
         read() { command echo WRONG; }; trap() { command echo WRONG; }; unset() { command echo WRONG; }; \
         history() { command echo WRONG; }; fc() { command echo WRONG; }; [() { command echo WRONG; }",
            ),
        ],
    );
}

#[test]
fn bash_hooks() {
    each(
        Shell::Bash,
        &[
            ("PROMPT_COMMAND, a string", "PROMPT_COMMAND='X=$?'"),
            ("PROMPT_COMMAND with a semicolon", "PROMPT_COMMAND='X=$?; '"),
            ("PROMPT_COMMAND with newlines", "PROMPT_COMMAND=$'X=$?\\n\\nY=1\\n'"),
            ("PROMPT_COMMAND, an array", "PROMPT_COMMAND=('X=$?' 'Y=1;' 'Z=2')"),
            (
                "PROMPT_COMMAND, added to and built upon",
                "PROMPT_COMMAND+=('X=$?'); PROMPT_COMMAND=\"$PROMPT_COMMAND; Y=1\"",
            ),
            ("PROMPT_COMMAND that prints", "PROMPT_COMMAND='echo status $?'"),
            ("PROMPT_COMMAND that fails", "PROMPT_COMMAND='(exit 77)'"),
            ("PROMPT_COMMAND that sets itself", "PROMPT_COMMAND='PROMPT_COMMAND=\"X=1\"'"),
            ("PROMPT_COMMAND exported", "export PROMPT_COMMAND='X=1'"),
            ("a comment at its end", "PROMPT_COMMAND='X=1 # note'"),
            ("PS0", "PS0='starting\\n'"),
            ("PS0 that runs", "PS0='$(echo at $((1+1)) >&2)'"),
            ("a DEBUG trap", "trap 'X=$BASH_COMMAND' DEBUG"),
            ("a DEBUG trap that prints", "trap 'echo \"+ $BASH_COMMAND\"' DEBUG"),
            ("an ERR trap", "trap 'echo failed' ERR"),
            ("an EXIT trap", "trap 'echo bye' EXIT"),
            ("a RETURN trap", "trap 'X=1' RETURN; set -T"),
            ("set -e in a subshell", "(set -e; false)"),
            ("what ble.sh says of itself, without it", "BLE_VERSION=0.4 BLE_ATTACHED=1"),
        ],
    );
}

#[test]
fn bash_a_prompt_that_shows_the_status() {
    each(
        Shell::Bash,
        &[
            ("the status in PS1", "PS1='<$?> [$((++T))]$ '"),
            ("the status by PROMPT_COMMAND", "PROMPT_COMMAND='PS1=\"<$?> [$((++T))]\\$ \"'"),
            ("pipestatus", "PROMPT_COMMAND='S=\"${PIPESTATUS[*]}\"'; PS1='<$S> [$((++T))]$ '"),
            ("an underscore", "PROMPT_COMMAND='U=$_'; PS1='<$U> [$((++T))]$ '"),
        ],
    );
}

#[test]
fn bash_readonly_variables_do_no_harm() {
    for text in ["readonly PROMPT_COMMAND='X=1'", "readonly PS1", "readonly PS0=''"] {
        let mut term = Term::new(Shell::Bash).rc(text).start();
        term.wait_for_prompt();
        term.run("echo it wo''rks");
        term.wait_for("\nit works\n");
        term.run("false");
        term.run("echo status $?");
        term.wait_for("\nstatus 1\n");
        assert!(
            term.screen().lines().filter(|line| line.starts_with("shellmate: ")).count() <= 1,
            "{text}\n{}",
            term.describe()
        );
        assert!(!term.screen().contains("readonly variable"), "{text}\n{}", term.describe());
        assert_eq!(term.exit().code(), Some(0), "{text}");
    }
}

#[test]
fn bash_and_set_e() {
    // A shell with errexit exits at the first failure, also a bare one.
    let mut term = Term::new(Shell::Bash).rc("set -e").start();
    term.wait_for_prompt();
    term.run("true");
    term.run("echo al''ive");
    term.wait_for("\nalive\n");
    term.typed("false\r");
    assert_eq!(term.wait_exit().code(), Some(1));
}

pub(crate) const STARSHIP: &str = r#"
starship_precmd() {
    STATUS=$? ; local j; j=$(jobs -p | wc -l)
    PS1='\n\[\e[1;36m\]\w\[\e[0m\] via \[\e[1;31m\]🦀\[\e[0m\] '"$STATUS"' \n[$((++T))]$ '
    return $STATUS
}
starship_preexec() { START=$SECONDS; }
trap 'starship_preexec' DEBUG
PROMPT_COMMAND="starship_precmd"
"#;

/// Prompts that use a DEBUG trap to find out whether a command ran. The trap recognises the commands of the prompt
/// by their text. If no command ran, they show no status.
const LAST_OF_THE_PROMPT: &str = r#"
before_command() {
    if [[ ${PROMPT_COMMAND[-1]} == "$BASH_COMMAND" ]]; then READY=1; return; fi
    if ((READY)); then READY=0; [[ $PROMPT_COMMAND == "$BASH_COMMAND" ]] || RAN=1; fi
}
show_status() { local status=$?; ((RAN)) || status=none; RAN=0 PS1="<$status> [$((++T))]\$ "; }
READY=0 RAN=0 PROMPT_COMMAND=('X=1' show_status)
trap before_command DEBUG
"#;

const THE_PROMPT_ITSELF: &str = r#"
before_command() { [[ $T == 0 || $BASH_COMMAND == "$PROMPT_COMMAND" ]] || RAN="$BASH_COMMAND"; }
show_status() { local status=$?; PS1="<$status ${RAN-}> [$((++T))]\$ "; RAN=none; }
PROMPT_COMMAND=show_status
trap before_command DEBUG
"#;

const PREEXEC: &str = r#"
__bp_in=0
__bp_preexec() { [ "$__bp_in" = 1 ] && { __bp_in=0; LAST=$(HISTTIMEFORMAT= history 1); }; return 0; }
__bp_precmd() { local s=$?; SEEN=$s; return $s; }
__bp_install() { trap '__bp_preexec "$_"' DEBUG; PROMPT_COMMAND=$'__bp_precmd\n__bp_in=1'; }
PROMPT_COMMAND='__bp_install'
"#;

/// The structure of bash-preexec, with a prompt command behind it that sets PS1.
const PS1_BEHIND_PREEXEC: &str = r#"
bash_preexec_imported=defined
__bp_interactive_mode() { __bp_on=on; }
__bp_precmd_invoke_cmd() {
  local ret=$? function
  for function in "${precmd_functions[@]}"; do __bp_set_ret_value "$ret"; "$function"; done
}
__bp_set_ret_value() { return "$1"; }
__bp_exec() { [[ -t 1 && $__bp_on ]] || return 0; __bp_on=; [[ $BASH_COMMAND == __bp_* ]] || RAN=$BASH_COMMAND; }
__bp_install() {
  trap __bp_exec DEBUG
  PROMPT_COMMAND=$'__bp_precmd_invoke_cmd\nPS1="[$((++T))]\\$ "'
  PROMPT_COMMAND+=(__bp_interactive_mode)
  __bp_precmd_invoke_cmd
  PS1="[$((++T))]\$ "
  __bp_interactive_mode
}
PROMPT_COMMAND=__bp_install
"#;

/// The structure of terminal integrations: PS1 is wrapped before the prompt is drawn and restored before a command runs, if
/// it was not changed meanwhile.
const DRESSED: &str = r#"
PS1='[$((++T))]$ '
dress() { [[ $PS1 == "${dressed-}" ]] || plain=$PS1; PS1="<$plain> "; dressed=$PS1; }
undress() { [[ $PS1 != "${dressed-}" ]] || PS1=$plain; }
PROMPT_COMMAND=dress
trap '[[ $BASH_COMMAND == dress ]] || undress' DEBUG
"#;

#[test]
fn bash_prompts_wrapped_by_other_tools_do_not_grow() {
    if !Shell::Bash.available() {
        return;
    }
    for builder in [Term::new(Shell::Bash), Term::new(Shell::Bash).bare()] {
        let mut term = builder.rc(DRESSED).start();
        term.wait_for_prompt();
        for _ in 0..3 {
            term.run("true");
        }
        term.run("echo \"$PS1\"");
        term.wait_for("\n[$((++T))]$\n<[");
        assert!(!term.screen().contains("<<"), "{}", term.describe());
    }
}

#[test]
fn bash_a_lost_mark_does_not_lock_the_keyboard() {
    if !Shell::Bash.available() {
        return;
    }
    let mut term = Term::new(Shell::Bash).rc("PROMPT_COMMAND='__shellmate_input_mark='").start();
    term.wait_for_prompt();
    term.typed("> anybody here\r");
    term.wait_for("No model is connected yet");
    term.wait_for_prompt();
    term.run("echo it wo''rks");
    term.wait_for("\nit works\n");
}

#[test]
fn bash_an_interrupt_between_our_hooks() {
    if !Shell::Bash.available() {
        return;
    }
    let slow =
        "trap 'X=1' DEBUG; PROMPT_COMMAND='[[ ! -e slow ]] || { rm slow; sh -c \"echo slowly; exec sleep 1000\"; }'";
    let mut term = Term::new(Shell::Bash).rc(slow).start();
    term.wait_for_prompt();
    term.typed("touch slow\r");
    term.wait_for("\nslowly\n");
    term.key(Key::CtrlC);
    term.wait_for_prompt();
    term.typed("> still here\r");
    term.wait_for("No model is connected yet");
    term.wait_for_prompt();
    term.run("false");
    assert_eq!(in_short(&term.finish()), [("touch slow", 0), ("false", 1)]);
}

#[test]
fn bash_prompt_frameworks() {
    coexists(Shell::Bash, "a prompt like starship's", |builder| builder.rc(STARSHIP));
    coexists(Shell::Bash, "hooks installed at the first prompt", |builder| builder.rc(PREEXEC));
    coexists(Shell::Bash, "a prompt set behind bash-preexec", |builder| builder.rc(PS1_BEHIND_PREEXEC));
    each(
        Shell::Bash,
        &[
            ("a DEBUG trap that knows the prompt's last command", LAST_OF_THE_PROMPT),
            ("a DEBUG trap that knows the prompt's command", THE_PROMPT_ITSELF),
            (
                "a prompt with a title and colours",
                "PS1='\\[\\e]0;\\u@\\h: \\w\\a\\]\\[\\e[01;32m\\]me\\[\\e[00m\\]:\\[\\e[01;34m\\]\\W\\[\\e[00m\\] [$((++T))]$ '",
            ),
            ("marks of its own", "PS1='\\[\\e]133;A\\a\\][$((++T))]$ \\[\\e]133;B\\a\\]'; PS0='\\e]133;C\\a'"),
        ],
    );
}

#[test]
fn zsh_options() {
    each(
        Shell::Zsh,
        &[
            ("KSH_ARRAYS", "setopt ksh_arrays"),
            ("no_unset", "setopt no_unset"),
            ("noclobber", "setopt noclobber"),
            ("sh_word_split and an odd IFS", "setopt sh_word_split; IFS=0123456789abcdef"),
            ("an empty IFS", "IFS="),
            ("no prompt_cr and prompt_sp", "unsetopt prompt_cr prompt_sp"),
            ("extended_glob and null_glob", "setopt extended_glob null_glob"),
            ("no glob", "setopt noglob"),
            ("err_return in a function", "f() { setopt local_options err_return; false }; f"),
            ("warn_create_global", "setopt warn_create_global"),
            ("warn_nested_var", "setopt warn_nested_var"),
            ("LC_ALL=C", "export LC_ALL=C"),
            ("posix identifiers", "setopt posix_builtins"),
            ("no history", "HISTSIZE=0"),
            ("share_history", "HISTFILE=~/.h HISTSIZE=100 SAVEHIST=100; setopt share_history"),
            ("vi mode", "bindkey -v"),
            ("glob_subst and ksh_glob", "setopt glob_subst ksh_glob"),
            ("csh_null_glob and rc_expand_param", "setopt csh_null_glob rc_expand_param"),
            ("typeset_silent off and auto_cd", "setopt auto_cd"),
            ("no short loops", "unsetopt short_loops"),
            ("no aliases", "setopt no_aliases"),
            ("interactive comments, correct", "setopt interactive_comments"),
            ("transient rprompt", "setopt transient_rprompt; RPROMPT='right %?'"),
            ("single line zle", "setopt single_line_zle"),
            ("reset prompt on a timer", "TMOUT=1; TRAPALRM() { zle && zle reset-prompt }"),
        ],
    );
}

#[test]
fn zsh_functions_and_aliases_named_like_builtins() {
    each(
        Shell::Zsh,
        &[
            (
                "aliases",
                "for name in printf print local typeset test builtin command eval read zle add-zsh-hook emulate; do \
         alias $name=no_such_thing_; alias -g G=grep; done",
            ),
            (
                "functions",
                "print() { builtin echo WRONG }; local() { builtin echo WRONG }; \
         test() { builtin echo WRONG }; read() { builtin echo WRONG }; zle() { builtin zle \"$@\" }",
            ),
        ],
    );
}

#[test]
fn zsh_hooks() {
    each(
        Shell::Zsh,
        &[
            ("precmd_functions", "f() { X=$? }; precmd_functions+=(f)"),
            ("preexec_functions", "f() { X=$1 }; preexec_functions+=(f)"),
            (
                "hooks that print",
                "f() { echo before $? }; g() { echo now $1 }; precmd_functions+=(f); preexec_functions+=(g)",
            ),
            ("a hook that fails", "f() { return 7 }; precmd_functions+=(f); preexec_functions+=(f)"),
            ("a preexec function", "preexec() { X=$1 }"),
            (
                "add-zsh-hook",
                "autoload -Uz add-zsh-hook; f() { X=1 }; add-zsh-hook precmd f; add-zsh-hook preexec f; add-zsh-hook chpwd f",
            ),
            (
                "arrays set anew at the first prompt",
                "f() { precmd_functions=(${precmd_functions:#f}) }; precmd_functions+=(f)",
            ),
            ("a line-init widget", "zle-line-init() { zle -K main 2>/dev/null; true }; zle -N zle-line-init"),
            ("a line-finish widget", "zle-line-finish() { X=$BUFFER }; zle -N zle-line-finish"),
            ("a widget around accept-line", "w() { zle .accept-line }; zle -N accept-line w"),
            ("the status in the prompt", "PS1='<%?> [$T]$ '"),
            ("a right prompt", "RPS1='%* right'; RPS1='right %?'"),
            ("two lines and colours", "PS1=$'%F{cyan}%~%f via 🦀 %?\\n[$T]$ '"),
            ("its own marks", "PS1=$'%{\\e]133;A\\a%}[$T]$ %{\\e]133;B\\a%}'; preexec() { print -n '\\e]133;C\\a' }"),
            ("a DEBUG trap", "TRAPDEBUG() { X=$ZSH_DEBUG_CMD }"),
            ("a ZERR trap", "TRAPZERR() { echo failed }"),
            (
                "a keymap-select widget",
                "zle-keymap-select() { zle reset-prompt }; zle -N zle-keymap-select; bindkey -v",
            ),
            ("compinit", "autoload -Uz compinit; compinit -u -D"),
            ("promptinit", "autoload -Uz promptinit vcs_info; precmd() { vcs_info; T=$((T + 1)) }"),
        ],
    );
    // Only a prompt is set: the hooks must not need arrays that a framework creates.
    coexists(Shell::Zsh, "hook arrays that are unset", |builder| {
        builder.rc("unset precmd_functions preexec_functions")
    });
    coexists(Shell::Zsh, "readonly hook arrays", |builder| builder.rc("typeset -r chpwd_functions"));
}

#[test]
fn zsh_readonly_variables_do_no_harm() {
    for text in ["readonly PS1", "typeset -ra precmd_functions", "typeset -ra preexec_functions", "readonly ZDOTDIR"] {
        let mut term = Term::new(Shell::Zsh).rc(text).start();
        if !Shell::Zsh.available() {
            return;
        }
        term.wait_for_prompt();
        term.run("echo it wo''rks");
        term.wait_for("\nit works\n");
        term.run("false");
        term.run("echo status $?");
        term.wait_for("\nstatus 1\n");
        assert!(!term.screen().contains("read-only variable"), "{text}\n{}", term.describe());
        assert_eq!(term.exit().code(), Some(0), "{text}");
    }
}

#[test]
fn fish_prompts_and_hooks() {
    each(
        Shell::Fish,
        &[
            ("a right prompt", "function fish_right_prompt; echo right $status; end"),
            ("a mode prompt", "fish_vi_key_bindings"),
            ("the status in the prompt", "function fish_prompt; echo -n \"<$status> [$T]\\$ \"; end"),
            (
                "two lines",
                "function fish_prompt; set -l s $status; echo; echo \"~ via 🦀 $s\"; echo -n \"[$T]\\$ \"; end",
            ),
            ("a preexec hook", "function f --on-event fish_preexec; set -g X $argv; end"),
            ("a postexec hook", "function f --on-event fish_postexec; set -g X $argv; end"),
            (
                "hooks that print",
                "function f --on-event fish_preexec; echo now $argv; end\nfunction g --on-event fish_postexec; echo then $argv; end",
            ),
            ("a prompt hook", "function f --on-event fish_prompt; set -g X $status; end"),
            ("a cancel hook", "function f --on-event fish_cancel; set -g X 1; end"),
            ("LC_ALL=C", "set -gx LC_ALL C"),
            // fish 4.1 and later call `printf` for their own key bindings, and have none with such a function.
            (
                "functions named like builtins",
                "status list-files functions &>/dev/null; or function printf; builtin echo WRONG; end\nfunction echo; builtin echo $argv; end",
            ),
            ("a title", "function fish_title; echo title; end"),
            ("a greeting", "function fish_greeting; echo welcome; end\nset -e fish_greeting"),
            ("no autosuggestion and no highlighting", "set -g fish_color_command normal"),
            ("abbreviations", "abbr -a gco git checkout"),
            ("its own enter", "bind \\r 'commandline -f execute'"),
            ("bindings of the user", "function fish_user_key_bindings; bind \\ck true; end"),
        ],
    );
}

#[test]
fn fish_private_mode_works() {
    if !Shell::Fish.available() {
        return;
    }
    let mut term = Term::new(Shell::Fish).args(["--", "--private"]).start();
    term.wait_for_prompt();
    term.run("echo it wo''rks");
    term.wait_for("\nit works\n");
    assert_eq!(term.exit().code(), Some(0));
}

#[test]
fn bash_completion_and_tab() {
    let completion = "/usr/share/bash-completion/bash_completion";
    if !available_file(completion) {
        return;
    }
    let mut term = Term::new(Shell::Bash).rc(&format!(". {completion}")).file("unmistakable-name", "content\n").start();
    term.wait_for_prompt();
    term.typed("cat unmis\t");
    term.wait_for("cat unmistakable-name");
    term.typed("\r");
    term.wait_for_prompt();
    term.wait_for("\ncontent\n");
    assert_eq!(in_short(&term.finish()), [("cat unmistakable-name ", 0)]);
}

#[test]
fn completion_in_zsh_and_fish() {
    for shell in shells().into_iter().filter(|shell| *shell != Shell::Bash) {
        let rc = if shell == Shell::Zsh { "autoload -Uz compinit; compinit -u -D" } else { "" };
        let mut term = Term::new(shell).rc(rc).file("unmistakable-name", "content\n").start();
        term.wait_for_prompt();
        term.typed("cat unmis\t");
        term.wait_for("cat unmistakable-name");
        term.typed("\r");
        term.wait_for_prompt();
        term.wait_for("\ncontent\n");
        assert_eq!(term.finish()[0].command.trim_end(), "cat unmistakable-name", "{}", shell.name());
    }
}
