//! Directives from shellmate to a waiting hook, while other programs of the same user interfere.

use std::fs::OpenOptions;
use std::io::Write;
use std::os::unix::fs::PermissionsExt;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::thread::JoinHandle;
use std::time::{Duration, Instant};

use serde_json::json;

use crate::harness::{Key, Model, PROGRAM, Reply, Shell, Term, in_every_shell, text_of};

const ANSWER: &str = "No model is connected yet";

fn asking(shell: Shell, model: &Model) -> Term {
    let builder = Term::new(shell).env("OPENAI_BASE_URL", model.url()).env("SHELLMATE_MODEL", "scripted");
    let mut term = builder.start();
    term.wait_for_prompt();
    term
}

/// The private directory of the one session of this terminal.
fn workspace(term: &Term) -> PathBuf {
    let root = term.place().join("run/shellmate");
    let sessions = std::fs::read_dir(root).unwrap().flatten().map(|entry| entry.path());
    sessions.into_iter().find(|path| path.join("directives").exists()).unwrap()
}

/// Waits until a thread of the session has made its directory again. The name of the terminal is written last.
fn wait_until_created_again(term: &Term, directory: &Path) {
    term.wait_for_state(|| directory.join("tty").exists(), &true);
}

/// Deletes the directory like a cleanup of temporary files, although the session may create files in it meanwhile.
fn delete_runtime_directory(term: &Term) {
    let root = term.place().join("run/shellmate");
    let deadline = Instant::now() + Duration::from_secs(10);
    while root.exists() {
        assert!(Instant::now() < deadline, "{}", term.describe());
        let _ = std::fs::remove_dir_all(&root);
    }
}

/// A program that reads the FIFO until it is dropped.
struct Thief(Child);

impl Thief {
    fn at(fifo: PathBuf) -> Thief {
        let fifo = OpenOptions::new().read(true).write(true).open(fifo).unwrap();
        Thief(Command::new("cat").stdin(fifo).stdout(Stdio::null()).spawn().unwrap())
    }
}

impl Drop for Thief {
    fn drop(&mut self) {
        let _ = self.0.kill();
        let _ = self.0.wait();
    }
}

/// A program that writes over the beginning of a file as soon as it is there, again and again.
struct Swapper {
    is_over: Arc<AtomicBool>,
    thread: Option<JoinHandle<()>>,
}

impl Swapper {
    fn start(path: PathBuf, text: String) -> Swapper {
        let is_over = Arc::new(AtomicBool::new(false));
        let stop = Arc::clone(&is_over);
        let thread = std::thread::spawn(move || {
            while !stop.load(Ordering::Relaxed) {
                if let Ok(mut file) = OpenOptions::new().write(true).open(&path) {
                    let _ = file.write_all(text.as_bytes());
                }
            }
        });
        Swapper { is_over, thread: Some(thread) }
    }
}

impl Drop for Swapper {
    fn drop(&mut self) {
        self.is_over.store(true, Ordering::Relaxed);
        let _ = self.thread.take().map(JoinHandle::join);
    }
}

#[test]
fn a_directive_of_another_program_is_not_obeyed() {
    in_every_shell(|shell| {
        let command = json!({ "command": "echo wan''ted" });
        let model = Model::start([Reply::calls(&[("run_in_shell", command)]), Reply::text(["the answer"])]);
        let mut term = asking(shell, &model);
        let (workspace, owned) = (workspace(&term), term.home().join("owned"));
        let evil = term.home().join("evil");
        std::fs::write(&evil, format!("touch '{}'\n", owned.display())).unwrap();
        term.typed("> go\r");
        term.wait_for_question("wan''ted");
        let mut fifo = OpenOptions::new().write(true).open(workspace.join("directives")).unwrap();
        std::fs::copy(&evil, workspace.join("command")).unwrap();
        for line in [
            format!("1 run {}", evil.display()),
            "look".into(),
            "look".into(),
            "go".into(),
            "1 done".into(),
            String::new(),
        ] {
            fifo.write_all(format!("{line}\n").as_bytes()).unwrap();
        }
        term.approve("wan''ted");
        let is_over = |text: &str| text.contains("\nwanted") || text.trim_end().ends_with("]$");
        term.wait_until(|screen| owned.exists() || is_over(&text_of(screen)));
        assert!(!owned.exists(), "{}\n{}", shell.name(), term.describe());
        term.wait_for("\nwanted");
        term.wait_for("the answer");
        term.wait_for_prompt();
        assert!(!owned.exists(), "{}\n{}", shell.name(), term.describe());
    });
}

#[test]
fn a_command_that_was_swapped_for_another_is_not_run() {
    in_every_shell(|shell| {
        // Several times, because the swapper may come too late.
        let call = || Reply::calls(&[("run_in_shell", json!({ "command": "echo wan''ted" }))]);
        let model = Model::start([call(), call(), call(), call(), Reply::text(["the answer"])]);
        let mut term = asking(shell, &model);
        let (workspace, owned) = (workspace(&term), term.home().join("owned"));
        let swapper = Swapper::start(workspace.join("command"), format!("touch '{}'\n", owned.display()));
        term.typed("> go\r");
        // The prompt alone would look like the end.
        term.wait_for("> go");
        // Each command runs as approved, or not at all. Then the prompt comes back after a while.
        let is_over = |text: &str| owned.exists() || text.contains("the answer") || text.trim_end().ends_with("]$");
        for _ in 1..=4 {
            term.wait_until(|screen| is_over(&text_of(screen)) || text_of(screen).ends_with("? more"));
            if is_over(&term.screen()) {
                break;
            }
            term.approve("wan''ted");
        }
        term.wait_until(|screen| is_over(&text_of(screen)));
        drop(swapper);
        assert!(!owned.exists(), "{}\n{}", shell.name(), term.describe());
    });
}

#[test]
fn the_prompt_comes_back_if_another_program_reads_the_fifo() {
    in_every_shell(|shell| {
        let command = json!({ "command": "echo wan''ted" });
        let model = Model::start([Reply::calls(&[("run_in_shell", command)]), Reply::text(["the answer"])]);
        let mut term = asking(shell, &model);
        let thief = Thief::at(workspace(&term).join("directives"));
        term.typed("> go\r");
        term.approve("wan''ted");
        term.wait_for_prompt();
        drop(thief);
        term.run("echo the prompt is back");
        term.wait_for("\nthe prompt is back");
        term.typed("> /help\r");
        term.wait_for_prompt();
    });
}

#[test]
fn an_interrupt_of_fishs_hook_does_not_keep_the_keyboard() {
    if !Shell::Fish.available() {
        return;
    }
    let model = Model::start([Reply::text(["the answer"]).gated()]);
    let mut term = asking(Shell::Fish, &model);
    term.run("echo $fish_pid > pid");
    term.typed("> go\r");
    model.request();
    let fish: i32 = term.read("pid").trim().parse().unwrap();
    nix::sys::signal::kill(nix::unistd::Pid::from_raw(fish), nix::sys::signal::Signal::SIGINT).unwrap();
    model.release();
    model.release();
    term.wait_for("the answer");
    // fish reports no prompt. Keys are held for two seconds, then all of them go to the shell.
    let is_back = (0..40).any(|_| {
        term.typed("echo the prompt is ba''ck\r");
        term.soon("\nthe prompt is back")
    });
    assert!(is_back, "{}", term.describe());
}

/// Ctrl-C reaches the shell before shellmate has read the mark of the query, and the terminal may discard marks with it.
#[test]
fn ctrl_c_right_after_enter_never_leaves_a_dead_keyboard() {
    in_every_shell(|shell| {
        let mut term = Term::new(shell).start();
        term.wait_for_prompt();
        for round in 0..6 {
            term.typed("> hello\r");
            term.key(Key::CtrlC);
            // The terminal and the shell may discard what is typed around Ctrl-C, in a bare shell too. So the command is repeated,
            // and Ctrl-C gets some time.
            let alive = format!("\nalive-{round}\n");
            let is_alive = (0..20).any(|attempt| {
                term.typed(if attempt % 2 == 0 { format!("echo ali've-{round}'\r") } else { "\x03".to_owned() });
                term.soon(&alive)
            });
            assert!(is_alive, "{}\n{}", shell.name(), term.describe());
        }
    });
}

#[test]
fn a_command_in_the_live_shell_gets_the_terminal_settings_of_the_prompt() {
    in_every_shell(|shell| {
        let command = json!({ "command": "stty -a > in_answer; echo re''ady; cat" });
        let model = Model::start([Reply::calls(&[("run_in_shell", command)]), Reply::text(["the answer"])]);
        let mut term = asking(shell, &model);
        // fish does not use the erase character of the terminal.
        term.run(if shell == Shell::Fish { "stty -ixon" } else { "stty erase '^H' -ixon" });
        term.run("stty -a > at_prompt");
        term.typed("> go\r");
        term.approve("stty -a > in_answer");
        term.wait_for("\nready");
        term.typed("echoed by cat\r");
        term.wait_for("\nechoed by cat\nechoed by cat");
        term.key(Key::Ctrl('d'));
        term.wait_for("the answer");
        term.wait_for_prompt();
        assert_eq!(term.read("in_answer"), term.read("at_prompt"), "{}", shell.name());
        term.run("stty -a > after");
        assert_eq!(term.read("after"), term.read("at_prompt"), "{}", shell.name());
    });
}

#[test]
fn a_command_for_the_live_shell_is_not_left_in_a_file() {
    in_every_shell(|shell| {
        let command = json!({ "command": "echo wan''ted" });
        let model = Model::start([Reply::calls(&[("run_in_shell", command)]), Reply::text(["the answer"])]);
        let mut term = asking(shell, &model);
        let workspace = workspace(&term);
        term.typed("> go\r");
        term.approve("wan''ted");
        term.wait_for("the answer");
        term.wait_for_prompt();
        let names = std::fs::read_dir(&workspace).unwrap().flatten().map(|entry| entry.file_name());
        let left: Vec<_> = names.filter(|name| ["command", "run"].iter().any(|other| name == other)).collect();
        assert!(left.is_empty(), "{}: {left:?}", shell.name());
    });
}

#[test]
fn a_query_that_no_hook_waits_for_does_not_keep_the_keyboard() {
    if !Shell::Bash.available() {
        return;
    }
    let mut term = Term::new(Shell::Bash).start();
    term.wait_for_prompt();
    // The answer goes to a file, because output right after the mark is hidden.
    let forge = "printf '%s;query;> forged;kept\\033\\\\' \"$__shellmate_mark\"";
    term.typed(format!("echo rea''dy; {forge}; read -r line; echo \"got $line\" > got\r"));
    term.wait_for("ready");
    let file = term.home().join("got");
    let got = || std::fs::read_to_string(&file).unwrap_or_default();
    let deadline = Instant::now() + Duration::from_secs(20);
    // Keys are held for two seconds, then all of them go to the shell.
    while !got().starts_with("got x") {
        assert!(Instant::now() < deadline, "{}", term.describe());
        term.typed("x\r");
        std::thread::sleep(Duration::from_millis(100));
    }
}

#[test]
fn a_deleted_runtime_directory_is_created_again() {
    in_every_shell(|shell| {
        let mut term = Term::new(shell).file("precious", "kept\n").start();
        term.wait_for_prompt();
        term.run("true");
        let directory = workspace(&term);
        delete_runtime_directory(&term);
        // The loss is noticed at the query. If the hook was faster, the query is put back on the prompt.
        term.typed("> precious\r");
        let again = "press Enter to ask again";
        term.wait_until(|screen| [ANSWER, again].iter().any(|words| text_of(screen).contains(words)));
        if term.screen().contains(again) {
            term.wait_for_prompt();
            term.wait_until(|screen| text_of(screen).trim_end().ends_with("$ > precious"));
            wait_until_created_again(&term, &directory);
            term.typed("\r");
        }
        term.wait_for(ANSWER);
        term.wait_for_prompt();
        // The directory is checked at every prompt.
        delete_runtime_directory(&term);
        term.run("clear");
        wait_until_created_again(&term, &directory);
        term.typed("> a question\r");
        term.wait_for(ANSWER);
        term.wait_for_prompt();
        assert_eq!(term.read("precious"), "kept\n", "{}", term.describe());
        assert!(!term.screen().contains("interrupted"), "{}", term.describe());
    });
}

#[test]
fn bash_loads_lazy_hooks_after_the_directory_was_deleted() {
    if !Shell::Bash.available() {
        return;
    }
    let mut term = Term::new(Shell::Bash).file("precious", "kept\n").start();
    term.wait_for_prompt();
    let directory = workspace(&term);
    delete_runtime_directory(&term);
    term.run("> precious");
    wait_until_created_again(&term, &directory);
    term.typed("> a question\r");
    term.wait_for(ANSWER);
    term.wait_for_prompt();
    assert_eq!(term.read("precious"), "kept\n", "{}", term.describe());
}

#[test]
fn a_runtime_directory_that_cannot_be_created_again_is_reported_once() {
    let mut term = Term::new(Shell::Bash).start();
    term.wait_for_prompt();
    let root = term.place().join("run/shellmate");
    delete_runtime_directory(&term);
    std::fs::write(&root, "in the way").unwrap();
    // Another thread finds out, so it takes some prompts.
    let said = "cannot be made again";
    let is_reported = (0..100).any(|_| {
        term.run("true");
        term.words().contains(said)
    });
    assert!(is_reported, "{}", term.describe());
    for _ in 0..3 {
        term.run("true");
    }
    let raw = String::from_utf8_lossy(&term.raw()).replace("\r\n", " ");
    assert_eq!(raw.matches(said).count(), 1, "{}", term.describe());
}

/// Every file below a directory, by name, with its mode.
fn modes(directory: &Path) -> Vec<(String, u32)> {
    let mut found = Vec::new();
    for entry in std::fs::read_dir(directory).unwrap().flatten() {
        // A link is as private as the file it names.
        let about = std::fs::metadata(entry.path()).unwrap();
        found.push((entry.file_name().into_string().unwrap(), about.permissions().mode() & 0o777));
        if about.is_dir() {
            found.extend(modes(&entry.path()));
        }
    }
    found
}

#[test]
fn files_of_a_session_are_private_whatever_the_umask() {
    in_every_shell(|shell| {
        let model = Model::start([Reply::text(["the answer"])]);
        let builder = Term::new(shell).env("OPENAI_BASE_URL", model.url()).env("SHELLMATE_MODEL", "scripted");
        let mut term = builder.program("/bin/sh").args(["-c", "umask 000; exec \"$0\"", PROGRAM]).start();
        term.wait_for_prompt();
        term.run("umask");
        assert!(term.screen().contains("\n0000\n") || term.screen().contains("\n000\n"), "{}", term.describe());
        term.run(&format!("{PROGRAM} history pause"));
        let directory = workspace(&term);
        // bash loads this function with the first query.
        if !matches!(shell, Shell::Bash) {
            term.run("__shellmate_environment");
            let written = std::fs::metadata(directory.join("environment")).unwrap();
            assert!(written.len() > 100, "{}", shell.name());
        }
        let check = |when: &str| {
            let modes = modes(&directory);
            for name in ["directives", "environment", "lock", "paused", "tty", "unwritten"] {
                assert!(modes.iter().any(|(found, _)| found == name), "{name} {when}, {}: {modes:?}", shell.name());
            }
            let open = modes.iter().filter(|(_, mode)| mode & 0o077 != 0);
            let open: Vec<String> = open.map(|(name, mode)| format!("{name} {mode:o}")).collect();
            assert!(open.is_empty(), "{when}, {}: {open:?}", shell.name());
        };
        check("at the prompt");
        term.typed("> hello\r");
        term.wait_for("the answer");
        term.wait_for_prompt();
        check("after an answer");
        let left = std::fs::metadata(directory.join("environment")).unwrap().len();
        assert_eq!(left, 0, "what was read is not kept, {}", shell.name());
    });
}
