//! bash with ble.sh, a line editor that replaces readline. Debian packages it from version 14 on; `TEST_BLESH` names another copy.

use std::path::PathBuf;

use serde_json::json;

use crate::harness::{Builder, Key, Model, Reply, Shell, Term, all, in_short, text_of};
use crate::prompts::{STARSHIP, coexists};

const ANSWER: &str = "No model is connected yet";

/// Finds ble.sh. If it is missing, the test is skipped with a message.
fn blesh() -> Option<String> {
    let home = std::env::var_os("HOME").map(PathBuf::from).unwrap_or_default();
    let places = match std::env::var_os("TEST_BLESH") {
        Some(place) => vec![PathBuf::from(place)],
        None => vec!["/usr/share/blesh/ble.sh".into(), home.join(".local/share/blesh/ble.sh")],
    };
    let found = places.into_iter().find(|place| place.is_file()).map(|place| place.display().to_string());
    if found.is_none() || !Shell::Bash.available() {
        eprintln!("SKIPPED: no ble.sh; TEST_BLESH may name one");
        return None;
    }
    found
}

/// A start file that attaches ble.sh. ble.sh expands PS1 several times for a prompt, so the prompt cannot count.
fn attached(blesh: &str, more: &str) -> String {
    format!("{}\n{more}\nble-attach", loaded(blesh))
}

fn loaded(blesh: &str) -> String {
    format!("export USER=me; source {blesh} --noattach; PS1='[$T]$ '; PROMPT_COMMAND='T=$((T + 1))'")
}

/// The part of ble.sh's interface that our hooks use, for machines without ble.sh. readline edits, and a command accepts the line.
const INTERFACE: &str = r#"
BLE_VERSION=0 BLE_ATTACHED=1 lines=()
ble-attach() { :; }
ble-edit/exec/register() { lines+=("$1"); }
blehook() { local hook; for hook; do eval "_ble_hook_h_${hook%%!*}+=('${hook#*=}')"; done; }
ble/function#advice() {
    eval "original:$(declare -f "$2")"
    eval "$2() { local ADVICE_WORDS=('$2' \"\$@\") ADVICE_EXIT; $3; return \$ADVICE_EXIT; }"
}
ble/function#advice/do() { "original:${ADVICE_WORDS[@]}"; ADVICE_EXIT=$?; }
accept() { ble-edit/exec/register "$1"; }
PROMPT_COMMAND='for hook in "${_ble_hook_h_PRECMD[@]}"; do "$hook"; done'
"#;

fn with_a_file_to_lose(rc: &str) -> Builder {
    Term::new(Shell::Bash).rc(rc).file("precious", "kept\n").file(".cache/kept", "")
}

/// Unexpected files below HOME.
fn new_files(term: &Term) -> Vec<String> {
    let names = std::fs::read_dir(term.home()).unwrap().map(|entry| entry.unwrap().file_name());
    names
        .filter_map(|name| name.into_string().ok())
        .filter(|name| !name.starts_with('.') && name != "precious")
        .collect()
}

/// Runs `act` at a prompt and checks that it asked exactly one query and did nothing else.
#[track_caller]
fn asks(what: &str, rc: &str, act: impl Fn(&mut Term)) {
    let mut term = with_a_file_to_lose(rc).start();
    term.wait_for_prompt();
    act(&mut term);
    term.wait_for(ANSWER);
    term.wait_for_prompt();
    assert_eq!(term.read("precious"), "kept\n", "{what}\n{}", term.describe());
    assert_eq!(new_files(&term), Vec::<String>::new(), "{what}");
    term.key(Key::Ctrl('u')); // C-o brings the line back
    term.run("echo st''ill here");
    term.wait_for("\nstill here\n");
    assert!(!term.screen().contains("shellmate:"), "{what}: a notice\n{}", term.describe());
    let records = term.finish();
    assert!(records.iter().all(|record| !record.command.starts_with('>')), "{what}: {records:?}");
}

#[test]
fn blesh_works_like_in_a_bare_shell_however_it_is_attached() {
    let Some(blesh) = blesh() else { return };
    let prompt = format!("export USER=me; PS1='[$T]$ '; PROMPT_COMMAND='T=$((T + 1))'; source {blesh}");
    let starship = STARSHIP.replace("$((++T))", "$T").replace("STATUS=$?", "STATUS=$? T=$((T + 1))");
    let cases = [
        ("attached by the start file", attached(&blesh, "")),
        ("attached at the first prompt", prompt),
        ("in vi mode", attached(&blesh, "set -o vi")),
        (
            "hooks of its own",
            attached(&blesh, "blehook PRECMD+='S=$?' PREEXEC+='echo \"+ $1\"' POSTEXEC+='echo \"= $?\"'"),
        ),
        ("a prompt that shows the status", attached(&blesh, "PROMPT_COMMAND='S=$? T=$((T + 1))'; PS1='<$S> [$T]$ '")),
        ("a prompt in an array", attached(&blesh, "PROMPT_COMMAND=('T=$((T + 1))' 'S=$?'); PS1='<$S $?> [$T]$ '")),
        ("a prompt like starship's", attached(&blesh, &starship)),
        ("PS0 that prints", attached(&blesh, "PS0='starting\\n'")),
        ("the final prompt is another", attached(&blesh, "bleopt prompt_ps1_final='[$T]$ '")),
        ("a line that shows the state", attached(&blesh, "bleopt prompt_status_line='state'")),
    ];
    all(cases.iter().map(|(what, rc)| (*what, move || coexists(Shell::Bash, what, |builder| builder.rc(rc)))));
}

#[test]
fn blesh_takes_a_query_however_the_line_is_accepted() {
    let Some(blesh) = blesh() else { return };
    let cases: &[(&str, &str, &[u8])] = &[
        ("Enter, and the first line of all", "", b"> precious\r"),
        ("C-j", "", b"> precious\n"),
        ("C-o", "", b"> precious\x0f"),
        ("half a command", "", b"> precious isn't (it\r"),
        ("history expansion", "", b"> precious! !! !$ !nothing\r"),
        (
            "expansions on Enter",
            "bleopt edit_magic_accept=sabbrev:alias:history; ble-sabbrev precious=lost",
            b"> precious\r",
        ),
        ("the cursor in the middle", "", b"> precious\x01\x06\x06\r"),
        ("a key of the user's own", "ble-bind -f C-g accept-line", b"> precious\x07"),
        ("a search that ends it", "history -s '> precious'", b"\x12preci\n"),
        ("!! for the last one", "history -s '> precious'", b"!!\r"),
        ("fc for the last one", "history -s '> precious'", b"fc -s\r"),
        ("several lines", "", b"> precious\x11\nmore\n"),
        ("vi, from the command mode", "set -o vi", b"> precious\x1b\r"),
        ("vi, C-j", "set -o vi", b"> precious\n"),
        ("no history", "set +o history", b"> precious\r"),
        (
            "a wrapped line",
            "PS1='[$T]$ a prompt that needs so much room that not even a short line fits behind it: $ '",
            b"> precious\r",
        ),
    ];
    all(cases.iter().map(|(what, rc, keys)| {
        let rc = attached(&blesh, rc);
        (*what, move || asks(what, &rc, |term| term.typed(keys)))
    }));
}

#[test]
fn the_hooks_need_only_the_interface_of_blesh() {
    if !Shell::Bash.available() {
        return;
    }
    let mut term = with_a_file_to_lose(INTERFACE).start();
    term.wait_for_prompt();
    term.run("accept '> precious'; accept 'echo \"an''d $?\"'");
    term.typed("(exit 7); for line in \"${lines[@]}\"; do eval \"$line\"; done\r");
    term.wait_for(ANSWER);
    term.wait_for("\nand 7\n");
    term.wait_for_prompt();
    assert_eq!(term.read("precious"), "kept\n", "{}", term.describe());
    term.run("echo st''ill here");
    term.wait_for("\nstill here\n");
}

#[test]
fn blesh_may_be_attached_and_detached() {
    let Some(blesh) = blesh() else { return };
    let mut term = with_a_file_to_lose(&loaded(&blesh)).start();
    term.wait_for_prompt();
    let asked = |term: &mut Term| {
        term.run("clear");
        term.typed("> precious\r");
        term.wait_for(ANSWER);
        term.wait_for_prompt();
        assert_eq!(term.read("precious"), "kept\n", "{}", term.describe());
        term.run("false");
        term.run("echo \"${BLE_ATTACHED:+ble} $?\"");
    };
    asked(&mut term);
    term.wait_for("\n 1\n");
    term.run("ble-attach");
    asked(&mut term);
    term.wait_for("\nble 1\n");
    term.typed("ble-detach\r");
    term.wait_for("detached");
    term.wait_for_prompt();
    // ble.sh sends this request, and some versions of bash show it on the line.
    term.typed("\x15stty sane\n");
    term.wait_for_prompt();
    asked(&mut term);
    term.wait_for("\n 1\n");
    assert_eq!(new_files(&term), Vec::<String>::new());
    assert_eq!(term.finish().iter().filter(|record| record.command == "false").count(), 3);
}

#[test]
fn blesh_runs_other_lines_unchanged() {
    let Some(blesh) = blesh() else { return };
    let mut term = with_a_file_to_lose(&attached(&blesh, "")).start();
    term.wait_for_prompt();
    for (line, file) in [(">one", "one"), (" > two", "two"), (">>three", "three")] {
        term.run(line);
        assert!(term.home().join(file).exists(), "{line}\n{}", term.describe());
    }
    term.typed("cat <<END\r> quoted\rEND\r\n");
    term.wait_for("\n> quoted\n");
    term.wait_for_prompt();
    // The `read -e` of ble.sh draws the prompt of the command.
    term.run("read -e answer");
    term.typed("> to read\r");
    term.wait_for("]$ > to read\n");
    term.run("echo \"got $answer\"");
    term.wait_for("\ngot > to read\n");
    term.give_up("> never mind");
    assert!(!term.screen().contains(ANSWER), "{}", term.describe());
}

#[test]
fn blesh_commands_are_recorded_with_their_output() {
    let Some(blesh) = blesh() else { return };
    let mut term = with_a_file_to_lose(&attached(&blesh, "")).start();
    term.wait_for_prompt();
    for command in ["false", "printf no-newline", "(exit 3)", "echo out"] {
        term.run(command);
    }
    let records = term.finish();
    assert_eq!(in_short(&records), [("false", 1), ("printf no-newline", 0), ("(exit 3)", 3), ("echo out", 0)]);
    assert_eq!(records.iter().map(|record| record.output_bytes).collect::<Vec<_>>(), [0, 10, 0, 5]);
}

#[test]
fn blesh_puts_a_query_pasted_after_commands_on_the_next_prompt() {
    let Some(blesh) = blesh() else { return };
    let mut term = with_a_file_to_lose(&attached(&blesh, "")).start();
    term.wait_for_prompt();
    term.paste("echo fi''rst\n> precious");
    term.wait_for("> precious");
    term.typed("\n");
    term.wait_for("\nfirst\n");
    term.wait_until(|screen| text_of(screen).trim_end().ends_with("]$ > precious"));
    term.typed("\n");
    term.wait_for(ANSWER);
    term.wait_for_prompt();
    assert_eq!(term.read("precious"), "kept\n", "{}", term.describe());
}

#[test]
fn the_agent_runs_a_command_at_the_top_level_and_ctrl_c_ends_it() {
    let Some(blesh) = blesh() else { return };
    let decorated = "PS0='starting\\n'; bleopt exec_elapsed_enabled=1
        blehook PREEXEC+='echo starting' POSTEXEC+='echo ended' ERREXEC+='echo ended badly'";
    // ble.sh then continues with the next command of the line, also in a bare shell.
    let endless = "sh -c 'echo be\"\"gun; exec sleep 1000'";
    let model = Model::start([
        Reply::calls(&[(
            "run_in_shell",
            json!({ "command": "cd /; declare count=bar version=x; echo li''ve; false" }),
        )]),
        Reply::calls(&[("run_in_shell", json!({ "command": endless }))]),
        Reply::text(["done with it"]),
        Reply::calls(&[("suggest_command", json!({ "command": "echo 'a  b' fixed" }))]),
        Reply::text(["there it is"]),
    ]);
    let mut term = Term::new(Shell::Bash)
        .rc(&attached(&blesh, decorated))
        .env("OPENAI_BASE_URL", model.url())
        .env("SHELLMATE_MODEL", "scripted")
        .start();
    term.wait_for_prompt();
    term.run("clear; (exit 7)");
    term.typed("> go\r");
    term.approve("declare count=bar");
    term.approve("exec sleep 1000");
    term.wait_for("\nbegun");
    term.key(Key::CtrlC);
    term.wait_for("done with it");
    term.wait_for_prompt();
    let screen = term.screen();
    assert_eq!(screen.matches("[ble: ").count(), 2, "what ble.sh says of a command\n{screen}");
    assert!(!screen.contains("starting") && screen.matches("ended\n").count() == 1, "{screen}");
    term.run("echo \"status $? $count $version $PWD\"");
    assert!(term.screen().contains("\nstatus 7 bar x /\n"), "{}", term.screen());
    model.request();
    let told = model.request().body["messages"].to_string();
    assert!(told.contains("exit code 1") && told.contains("live"), "{told}");
    let told = model.request().body["messages"].to_string();
    assert!(told.contains("exit code 130"), "{told}");
    term.typed("> fix it\r");
    term.wait_for("there it is");
    term.wait_for("]$ echo 'a  b' fixed");
    term.key(Key::Enter);
    term.wait_for("\na  b fixed");
    term.wait_for_prompt();
}

#[test]
fn keys_typed_during_an_answer_are_for_the_next_line() {
    let Some(blesh) = blesh() else { return };
    let model = Model::start([Reply::text(["It is ", "never said."]).gated(), Reply::text(["again"])]);
    let mut term = with_a_file_to_lose(&attached(&blesh, ""))
        .env("OPENAI_BASE_URL", model.url())
        .env("SHELLMATE_MODEL", "scripted")
        .start();
    term.wait_for_prompt();
    term.typed("> why\r");
    model.request();
    model.release();
    term.wait_for("It is");
    term.resize(30, 90);
    term.typed("echo ah''ead\r");
    term.key(Key::CtrlC);
    term.wait_for("\nahead\n[3]$");
    term.wait_for_prompt();
    term.run("> and now");
    assert!(term.screen().contains("again"), "{}", term.screen());
}
