//! `shellmate doctor`: a healthy installation has nothing to complain about, and each planted fault is found with its fix.

use std::fs;
use std::os::unix::fs::PermissionsExt;
use std::path::Path;

use serde_json::Value;

use crate::harness::{Builder, Model, PROGRAM, Reply, Shell, Term, available, in_a_namespace, in_every_shell};

/// One line of `doctor --json`.
#[derive(Debug)]
struct Line {
    check: String,
    level: String,
    text: String,
    fix: String,
}

/// A shell in which no model is found automatically.
fn home() -> Builder {
    Term::new(Shell::Bash).env("OLLAMA_HOST", "127.0.0.1:9")
}

fn lines(stdout: &[u8]) -> Vec<Line> {
    let words = |value: &Value| value.as_str().unwrap_or_default().to_owned();
    let line = |line: &str| -> Line {
        let value: Value = serde_json::from_str(line).unwrap_or_else(|error| panic!("{error}: {line}"));
        let [check, level, text, fix] = ["check", "level", "text", "fix"].map(|name| words(&value[name]));
        Line { check, level, text, fix }
    };
    String::from_utf8_lossy(stdout).lines().filter(|line| line.starts_with('{')).map(line).collect()
}

fn examined(builder: Builder, more: &[&str]) -> (Vec<Line>, Option<i32>) {
    let output = builder.args([&["doctor", "--json"], more].concat()).command().output().expect("doctor runs");
    assert!(!output.stdout.is_empty(), "{output:?}");
    (lines(&output.stdout), output.status.code())
}

/// Checks that one fault is found: by this check, at this level, with these words, and with this fix.
#[track_caller]
fn finds(builder: Builder, more: &[&str], (check, level, text, fix): (&str, &str, &str, &str)) {
    let (lines, code) = examined(builder, more);
    let is_it = |line: &&Line| line.check == check && line.level == level && line.text.contains(text);
    let found = lines.iter().find(is_it).unwrap_or_else(|| panic!("no {level} of {check} with {text:?} in {lines:#?}"));
    assert!(found.fix.contains(fix), "{found:#?}");
    assert_eq!(code, Some(i32::from(lines.iter().any(|line| line.level == "fail"))), "{lines:#?}");
}

#[test]
fn a_healthy_installation_has_no_warning_and_no_failure() {
    in_every_shell(|shell| {
        let builder = Term::new(shell).env("OLLAMA_HOST", "127.0.0.1:9");
        let (lines, code) = examined(builder, &[]);
        // What the kernel can enforce is not ours.
        let bad: Vec<&Line> = lines.iter().filter(|line| line.level != "ok" && line.check != "sandbox").collect();
        assert!(bad.is_empty() && code == Some(0), "{}: {bad:#?}", shell.name());
        let works = |line: &Line| line.check == "integration" && line.text.contains("the hooks work");
        assert!(lines.iter().any(works), "{}: {lines:#?}", shell.name());
    });
}

#[test]
fn trying_a_shell_leaves_nothing_behind() {
    in_every_shell(|shell| {
        let rc = match shell {
            Shell::Bash => "HISTFILE=~/h; HISTCONTROL=; PROMPT_COMMAND='history -a'",
            Shell::Zsh => "HISTFILE=~/h; SAVEHIST=100; HISTSIZE=100; setopt INC_APPEND_HISTORY",
            Shell::Fish => "",
        };
        let builder = Term::new(shell).rc(rc).env("OLLAMA_HOST", "127.0.0.1:9");
        let (home, run) = (builder.home(), builder.place().join("run"));
        let (lines, _) = examined(builder.args(["--shell".into(), shell.path().into_os_string()]), &[]);
        assert!(lines.iter().all(|line| line.level != "fail"), "{lines:#?}");
        let history = fs::read_to_string(home.join("h")).unwrap_or_default();
        assert!(!history.contains("true"), "{}: {history}", shell.name());
        let fish = fs::read_to_string(home.join(".local/share/fish/fish_history")).unwrap_or_default();
        assert!(!fish.contains("true"), "{fish}");
        assert!(!run.join("shellmate").exists(), "{}: the directory of the sessions was made", shell.name());
    });
}

#[test]
fn a_shell_that_was_never_used_gets_no_files() {
    if !Shell::Fish.available() {
        return;
    }
    let builder = home().env("SHELL", Shell::Fish.path());
    let home = builder.home();
    let (lines, _) = examined(builder, &[]);
    let works = |line: &Line| line.text.starts_with("fish") && line.text.contains("the hooks work");
    assert!(lines.iter().any(works), "{lines:#?}");
    assert!(!home.join(".config/fish").exists() && !home.join(".local/share/fish").exists());
}

#[test]
fn faults_of_the_configuration_are_found() {
    let fail = "fail";
    finds(home().config("histroy = 1\n"), &[], ("config", fail, "histroy", "shellmate config edit"));
    finds(
        home().config("[history]\ncommands = 'many'\n"),
        &[],
        ("config", fail, "history.commands", "shellmate config edit"),
    );
    finds(home().config("theme = 'nope'\n"), &[], ("config", fail, "no theme `nope`", "shellmate config edit"));
    let broken = home().config("theme = 'own'\n").file(".config/shellmate/themes/own.toml", "colour = [");
    finds(broken, &[], ("config", fail, "not valid TOML", "correct ~/.config/shellmate/themes/own.toml"));
    finds(home().file(".config/shellmate/config.toml/x", ""), &[], ("config", fail, "cannot be read", "`mv ~/.config"));
    finds(
        home().file(".config/shellmate/hooks.json", "{ nonsense"),
        &[],
        ("hooks", fail, "hooks.json is not used", "HOOKS.md"),
    );
    let hooks = r#"{"hooks": {"PreToolUse": [{"hooks": [{"type": "command", "command": "/no/such/program x"}]}]}}"#;
    finds(
        home().file(".config/shellmate/hooks.json", hooks),
        &[],
        ("hooks", fail, "runs /no/such/program, which does not exist", "~/.config/shellmate/hooks.json"),
    );
    let command = home().file(".config/shellmate/commands/help.md", "x");
    finds(command, &[], ("commands", "warn", "/help is a built-in command", "COMMANDS.md"));
    let skill = home().file(".agents/skills/broken/SKILL.md", "---\nname: broken\n---\n");
    finds(skill, &[], ("skills", "warn", "broken/SKILL.md", "SKILLS.md"));
}

#[test]
fn faults_of_shells_are_found() {
    finds(
        home().config("shell = '/no/such/zsh'\n"),
        &[],
        ("shell", "fail", "which does not exist", "shellmate config set shell"),
    );
    let builder = home().file("bin/myshell", "#!/bin/sh\n");
    let path = builder.home().join("bin/myshell");
    fs::set_permissions(&path, fs::Permissions::from_mode(0o644)).unwrap();
    let builder = builder.env("SHELLMATE_SHELL", &path);
    finds(builder, &[], ("shell", "fail", "cannot be executed", "`chmod +x"));
    finds(home().env("SHELL", "/bin/sh"), &[], ("shell", "warn", "has no hooks", "shellmate config set shell bash"));
    let itself = home().config(&format!("shell = '{PROGRAM}'\n"));
    finds(itself, &[], ("shell", "warn", "names shellmate itself", "shellmate config set shell bash"));
}

#[test]
fn faults_of_the_terminal_are_found_and_not_blamed_on_the_shell() {
    let found = |builder: Builder, text: &str, fix: &str| {
        let (lines, _) = examined(builder, &[]);
        let bad: Vec<&Line> = lines.iter().filter(|line| line.level != "ok" && line.check != "sandbox").collect();
        let [line] = bad[..] else { panic!("{bad:#?}") };
        assert!(line.check == "terminal" && line.text.contains(text) && line.fix.contains(fix), "{line:#?}");
    };
    found(home().env("TERM", "dumb"), "TERM is dumb", "export TERM");
    found(home().env("TERM", "no-such-terminal"), "no terminfo entry describes no-such-terminal", "export TERM");
    found(home().env("LC_ALL", "POSIX"), "the locale POSIX (LC_ALL) is not UTF-8", "export LC_ALL=");
    if available("locale") {
        found(home().env("LC_ALL", "xx_XX.UTF-8"), "xx_XX.UTF-8 (LC_ALL) is not installed", "export LC_ALL=");
    }
}

#[test]
fn start_files_that_break_the_hooks_are_found() {
    let broken = |shell: Shell, rc: &str, text: &str, fix: &str| {
        if shell.available() {
            let builder = Term::new(shell).rc(rc).env("OLLAMA_HOST", "127.0.0.1:9");
            finds(builder, &[], ("integration", "fail", text, fix));
        }
    };
    broken(Shell::Bash, "exit 3", "ends with status 3", "shellmate --shell bash -- --norc");
    broken(Shell::Bash, "exec cat", "replaces the shell by", "remove the `exec` from ~/.bashrc");
    broken(Shell::Bash, "PROMPT_COMMAND='exit 4'", "ends with status 4", "bash -ix");
    broken(Shell::Bash, "readonly PROMPT_COMMAND=:", "read-only", "typeset' ~/.bashrc");
    broken(Shell::Zsh, "sleep 60", "no", "shellmate --shell zsh -- -f");
    broken(Shell::Fish, "sleep 60", "no prompt within", "shellmate --shell fish -- --no-config");
    finds(
        home().rc("[ -n \"$NEVER\" ] && exec zsh"),
        &[],
        ("prompt", "warn", "~/.bashrc runs `exec zsh`", "shellmate config set shell zsh"),
    );
}

/// A state directory that only its owner can enter.
fn with_state() -> (Builder, std::path::PathBuf) {
    let builder = home();
    let state = builder.home().join(".local/state/shellmate");
    fs::create_dir_all(&state).unwrap();
    fs::set_permissions(&state, fs::Permissions::from_mode(0o700)).unwrap();
    (builder, state)
}

fn write(path: &Path, text: &[u8], mode: u32) {
    fs::write(path, text).unwrap();
    fs::set_permissions(path, fs::Permissions::from_mode(mode)).unwrap();
}

#[test]
fn faults_of_files_and_directories_are_found() {
    let (builder, state) = with_state();
    write(&state.join("keys.json"), b"{\"OPENAI_API_KEY\":\"sk-1\"}", 0o644);
    finds(builder, &[], ("files", "fail", "can be read by others", "`chmod 600 ~/.local/state/shellmate/keys.json`"));
    let (builder, state) = with_state();
    write(&state.join("keys.json"), b"sk-1", 0o600);
    finds(builder, &[], ("files", "fail", "keys.json is damaged", "`mv ~/.local/state"));
    let (builder, state) = with_state();
    fs::set_permissions(&state, fs::Permissions::from_mode(0o777)).unwrap();
    finds(builder, &[], ("state", "fail", "can be written by others", "chmod 700"));
    finds(home().file(".local/state", "a file"), &[], ("state", "fail", "~/.local/state is not a directory", "ls -ld"));
    let (builder, state) = with_state();
    fs::rename(&state, state.with_extension("real")).unwrap();
    std::os::unix::fs::symlink(state.with_extension("real"), &state).unwrap();
    finds(builder, &[], ("state", "fail", "is a symbolic link", "`mv ~/.local/state/shellmate"));
    for (name, loss) in [("grants.json", "your approvals do not count"), ("trust.json", "no project is trusted")] {
        let (builder, state) = with_state();
        write(&state.join(name), b"{ nonsense", 0o600);
        finds(builder, &[], ("files", "fail", loss, &format!("`mv ~/.local/state/shellmate/{name}")));
    }
    let builder = home().env("XDG_RUNTIME_DIR", "/dev/null/x").env("TMPDIR", "/dev/null/x");
    let (lines, _) = examined(builder, &[]);
    let failed = |check: &str| -> Vec<&Line> {
        lines.iter().filter(|line| line.check == check && line.level == "fail").collect()
    };
    assert!(failed("runtime").iter().all(|line| line.fix.contains("TMPDIR")), "{lines:#?}");
    assert!(!failed("runtime").is_empty() && failed("integration").is_empty(), "{lines:#?}");
}

#[test]
fn faults_of_the_history_are_found() {
    let (builder, state) = with_state();
    write(&state.join("history.db"), &[b'x'; 8192], 0o600);
    finds(builder, &[], ("history", "fail", "damaged", "`mv ~/.local/state/shellmate/history.db"));
    let (builder, state) = with_state();
    let database = rusqlite::Connection::open(state.join("history.db")).unwrap();
    database.execute_batch("CREATE TABLE t (x); PRAGMA user_version = 999;").unwrap();
    drop(database);
    fs::set_permissions(state.join("history.db"), fs::Permissions::from_mode(0o600)).unwrap();
    finds(builder, &[], ("history", "fail", "newer shellmate", "upgrade shellmate"));
    // A page in the middle of a database that opens without an error.
    let mut term = home().start();
    term.wait_for_prompt();
    for n in 0..40 {
        term.run(&format!("printf '%02000d' {n} | cut -c1-3"));
    }
    term.exit();
    let path = term.home().join(".local/state/shellmate/history.db");
    rusqlite::Connection::open(&path).unwrap().execute_batch("PRAGMA wal_checkpoint(TRUNCATE);").unwrap();
    let mut bytes = fs::read(&path).unwrap();
    bytes[3 * 4096..].fill(b'x');
    fs::write(&path, bytes).unwrap();
    let output = term.shellmate(&["doctor", "--json"]);
    let lines = lines(output.stdout.as_bytes());
    let is_it = |line: &Line| line.check == "history" && line.level == "fail" && line.text.contains("damaged");
    assert!(lines.iter().any(is_it), "{lines:#?}");
}

#[test]
fn faults_of_the_machine_are_found() {
    if !available("unshare") {
        return;
    }
    let found = |script: &str, expected: (&str, &str, &str, &str)| {
        let Some(builder) = in_a_namespace(Shell::Bash, &format!("{script} && exec {PROGRAM} doctor --json")) else {
            return;
        };
        let output = builder.command().output().unwrap();
        let (check, level, text, fix) = expected;
        let lines = lines(&output.stdout);
        let is_it = |line: &&Line| line.check == check && line.level == level && line.text.contains(text);
        let line = lines.iter().find(is_it).unwrap_or_else(|| panic!("{expected:?}: {output:?}"));
        assert!(line.fix.contains(fix), "{line:#?}");
    };
    let full = "mkdir -p ~/.local/state && mount -t tmpfs -o size=64k none ~/.local/state && \
                { head -c 10m /dev/zero > ~/.local/state/full; true; } 2>/dev/null";
    found(full, ("disk", "fail", "is full", "df -h"));
    let passwd =
        |shell: &str| format!("echo root:x:0:0::/root:{shell} > ~/passwd && mount --bind ~/passwd /etc/passwd");
    found(&passwd("/gone/shellmate"), ("login", "fail", "you cannot log in", "`chsh -s "));
    if Shell::Zsh.available() && Path::new("/etc/zsh").is_dir() {
        let zdotdir = "cp -r /etc/zsh ~/zsh && mkdir ~/z && echo 'ZDOTDIR=~/z' >> ~/zsh/zshenv && touch ~/z/.zshrc && \
                       mount --bind ~/zsh /etc/zsh && export SHELL=$(command -v zsh)";
        found(zdotdir, ("integration", "fail", "comes to its prompt without the hooks", "move it to ~/.zshenv"));
    }
    let unlisted = format!("{} && echo /bin/sh > ~/shells && mount --bind ~/shells /etc/shells", passwd(PROGRAM));
    found(&unlisted, ("login", "fail", "not in /etc/shells", "sudo tee -a /etc/shells"));
}

#[test]
fn faults_of_the_model_are_found_online() {
    let online = &["--online"];
    let unreachable = home().env("OPENAI_BASE_URL", "http://127.0.0.1:9/v1").env("SHELLMATE_MODEL", "m");
    finds(unreachable, online, ("model", "fail", "nothing answers at 127.0.0.1:9", "config get --origin"));
    for (reply, text, fix) in [
        (
            Reply::error(401, "no"),
            "does not accept the key in OPENAI_API_KEY",
            "correct OPENAI_API_KEY where it is exported",
        ),
        (Reply::error(404, "no such model"), "has no model called m", "shellmate models"),
    ] {
        let model = Model::start([reply]);
        let builder = home()
            .env("OPENAI_BASE_URL", model.url())
            .env("OPENAI_API_KEY", "sk-wrong-key-123")
            .env("SHELLMATE_MODEL", "m");
        finds(builder, online, ("model", "fail", text, fix));
    }
    finds(
        home().config("[model]\nname = 'anthropic/x'\n"),
        &[],
        ("model", "fail", "ANTHROPIC_API_KEY", "shellmate init"),
    );
    finds(
        home().env("OPENAI_API_KEY", " "),
        &[],
        ("model", "warn", "OPENAI_API_KEY is set but empty", "export OPENAI"),
    );
    finds(
        home().env("OPENAI_API_KEY", "your-api-key"),
        &[],
        ("model", "warn", "that key is a placeholder", "correct OPENAI_API_KEY"),
    );
    finds(
        home().env("SHELLMATE_MODEL", "nosuch/m"),
        &[],
        ("model", "warn", "SHELLMATE_MODEL names nosuch/m", "shellmate models"),
    );
    let model = Model::start([Reply::text(["ready"])]);
    let builder = home().env("OPENAI_BASE_URL", model.url()).env("SHELLMATE_MODEL", "m");
    finds(builder, online, ("model", "ok", "custom/m answers", ""));
    assert!(model.request().body.to_string().contains("ready"));
}

#[test]
fn nothing_is_sent_unless_it_is_asked_for() {
    let model = Model::start([Reply::text(["ready"])]);
    let builder = home().env("OPENAI_BASE_URL", model.url()).env("SHELLMATE_MODEL", "m");
    finds(builder, &[], ("model", "ok", "custom/m at 127.0.0.1", "shellmate doctor --online"));
    assert!(model.others().is_empty());
}

#[test]
fn a_report_has_nothing_private_in_it() {
    let secret = "zanzibar";
    let builder = home()
        .config(&format!(
            "{secret} = 1\ntheme = '{secret}'\nshell = '/{secret}/zsh'\n[model]\nname = 'openai/{secret}'\n"
        ))
        .file(&format!(".agents/skills/{secret}/SKILL.md"), format!("---\nname: {secret}\n---\n"))
        .file(".config/shellmate/hooks.json", format!("{{ {secret}"))
        .file(".local/state/shellmate/trust.json", secret)
        .env("LC_ALL", format!("{secret}.UTF-8"))
        .file(&format!("{secret}/.shellmate/AGENTS.md"), secret)
        .rc(&format!("alias {secret}=true; PATH=$PATH:/{secret}"))
        .env("OPENAI_API_KEY", format!("sk-{secret}"))
        .env("OPENAI_BASE_URL", format!("http://127.0.0.1:9/{secret}"))
        .env("USER", secret)
        .env("SHELLMATE_SESSION", secret)
        .env("HOSTNAME", secret);
    let dir = builder.home().join(secret);
    let place = builder.place().to_owned();
    let output = builder.dir(dir).args(["doctor", "--report", "--online"]).command().output().unwrap();
    let report = String::from_utf8_lossy(&output.stdout);
    assert!(report.lines().count() >= 18, "{report}");
    let user = std::env::var("USER").unwrap_or_else(|_| "root".to_owned());
    let host = nix::unistd::gethostname().unwrap().to_string_lossy().into_owned();
    let place = place.display().to_string();
    // The name of a machine may be a part of ordinary words.
    let is_word =
        |word: &str| report.split(|c: char| !c.is_alphanumeric() && c != '-' && c != '.').any(|part| part == word);
    assert!(!report.contains(secret) && !report.contains(&place) && !report.contains("/home"), "{report}");
    assert!(!is_word(&user) && !is_word(&host), "{report}");
    assert!(report.contains("fail  config"), "{report}");
}
