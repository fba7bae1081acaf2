//! Queries in a session: answers, tools, approvals, and the shell afterwards.

use serde_json::json;

use crate::harness::{Builder, Key, Model, Reply, Shell, Term, in_every_shell};

fn asking(shell: Shell, model: &Model) -> Builder {
    Term::new(shell).env("OPENAI_BASE_URL", model.url()).env("SHELLMATE_MODEL", "scripted")
}

#[test]
fn an_answer_streams_below_the_line_and_the_prompt_comes_back() {
    in_every_shell(|shell| {
        let model = Model::start([Reply::text(["It failed beca", "use **x** is unset."]).gated()]);
        let mut term = asking(shell, &model).start();
        term.wait_for_prompt();
        term.run("false");
        term.typed("> why did \"that fail\r");
        let asked = model.request();
        assert!(asked.said(0).ends_with("\n\nwhy did \"that fail"), "{}", asked.said(0));
        assert!(asked.said(0).contains("<command") && asked.said(0).contains("status=\"1\""), "{}", asked.said(0));
        model.release();
        term.wait_for("It failed beca");
        model.release();
        term.wait_for("It failed because x is unset.");
        model.release();
        term.wait_for_prompt();
        let screen = term.screen();
        assert!(
            screen.contains("> why did \"that fail\nIt failed because x is unset.\n"),
            "{}\n{screen}",
            shell.name()
        );
        term.run(&format!("echo status {}", shell.status()));
        assert!(term.screen().contains("\nstatus 1"), "{}\n{}", shell.name(), term.screen());
    });
}

#[test]
fn a_second_query_carries_only_what_is_new() {
    in_every_shell(|shell| {
        let model = Model::start([Reply::text(["first"]), Reply::text(["second"])]);
        let mut term = asking(shell, &model).start();
        term.wait_for_prompt();
        term.run("echo before");
        term.run("> one");
        term.run("echo between");
        term.run("> two");
        let (one, two) = (model.request().said(0), model.request().said(0));
        assert!(one.contains("echo before") && !one.contains("echo between"), "{one}");
        assert!(two.contains("echo between") && !two.contains("echo before"), "{two}");
    });
}

#[test]
fn ctrl_c_stops_the_answer_and_keys_typed_ahead_are_kept() {
    in_every_shell(|shell| {
        let model = Model::start([Reply::text(["It is ", "never said."]).gated(), Reply::text(["again"])]);
        let mut term = asking(shell, &model).start();
        term.wait_for_prompt();
        term.typed("> why\r");
        model.request();
        model.release();
        term.wait_for("It is");
        term.typed("echo ah''ead\r");
        term.key(Key::CtrlC);
        term.wait_for("\nahead\n[3]$");
        term.wait_for_prompt();
        term.run("> and now");
        assert!(term.screen().contains("again"), "{}\n{}", shell.name(), term.screen());
    });
}

#[test]
fn a_command_runs_only_after_approval() {
    in_every_shell(|shell| {
        let call = || Reply::calls(&[("bash", json!({ "command": "echo ran > ran.txt; echo tool says hi" }))]);
        let model = Model::start([call(), Reply::text(["refused"]), call(), Reply::text(["accepted"])]);
        let mut term = asking(shell, &model).no_sandbox().start();
        term.wait_for_prompt();
        term.typed("> do it\r");
        term.wait_for_question("echo ran > ran.txt");
        term.typed("?");
        term.wait_for("r no, and say why");
        term.typed("r");
        // Nothing follows, so the choice counts by itself.
        term.wait_for("why?");
        term.typed("not now\r");
        term.wait_for("refused");
        term.wait_for_prompt();
        assert!(!term.home().join("ran.txt").exists());
        model.request();
        let told = model.request().body["messages"].to_string();
        assert!(told.contains("not now"), "{told}");
        term.typed("> do it\r");
        term.approve("echo ran > ran.txt");
        term.wait_for("accepted");
        term.wait_for_prompt();
        assert_eq!(term.read("ran.txt"), "ran\n", "{}", shell.name());
        assert!(term.screen().contains("tool says hi"), "{}", term.screen());
    });
}

#[test]
fn only_a_key_pressed_for_the_question_approves() {
    in_every_shell(|shell| {
        let touch = |name: &str| Reply::calls(&[("bash", json!({ "command": format!("touch {name}") }))]);
        let replies = [touch("pasted"), Reply::text(["so be it"]), touch("ahead").gated(), touch("emptied")];
        let model = Model::start(replies.into_iter().chain([Reply::text(["made it"])]));
        let mut term = asking(shell, &model).no_sandbox().start();
        term.wait_for_prompt();
        term.typed("> one\r");
        term.wait_for_question("touch pasted");
        // Neither a paste, nor keys that arrive together, nor those that follow.
        term.paste("y\ny\n");
        term.wait_for("waiting: y⏎y⏎");
        term.typed("y-arn y");
        term.wait_for("waiting: y⏎y⏎y-arn y");
        for key in ["y", "\r", "y", "\r"] {
            term.typed(key);
        }
        term.wait_for("waiting: y⏎y⏎y-arn yy⏎y⏎");
        assert!(!term.home().join("pasted").exists(), "{}\n{}", shell.name(), term.screen());
        // The hotkey leads back to the question.
        term.key(Key::CtrlBackslash);
        term.answer("touch pasted", 'n');
        term.wait_for("so be it");
        // What was typed runs at the prompt.
        term.wait_for("[6]$");
        term.wait_for_prompt();
        assert!(term.screen().contains("[4]$ y-arn yy\n"), "{}\n{}", shell.name(), term.screen());
        term.typed("> two\r");
        (0..3).for_each(|_| drop(model.request()));
        // Typed for the shell before the question appeared.
        term.typed("echo y");
        model.release();
        model.release();
        term.wait_for("touch ahead");
        term.wait_for("waiting: echo y");
        term.key(Key::CtrlC);
        term.wait_for_prompt();
        term.wait_for("$ echo y");
        term.key(Key::Ctrl('u'));
        term.typed("> three\r");
        term.wait_for_question("touch emptied");
        term.typed("y-");
        term.wait_for("waiting: y-");
        // Without the line, and after a second without a key, the question has the keys again.
        term.key(Key::Ctrl('u'));
        term.wait_for_question("touch emptied");
        for name in ["pasted", "ahead", "emptied"] {
            assert!(!term.home().join(name).exists(), "{} {name}\n{}", shell.name(), term.screen());
        }
        term.approve("touch emptied");
        term.wait_for("made it");
        assert!(term.home().join("emptied").exists(), "{}\n{}", shell.name(), term.screen());
    });
}

#[test]
fn keys_typed_before_a_question_go_to_the_shell() {
    in_every_shell(|shell| {
        let touch = Reply::calls(&[("bash", json!({ "command": "touch approved" }))]).gated();
        let model = Model::start([touch, Reply::text(["so be it"])]);
        let mut term = asking(shell, &model).no_sandbox().start();
        term.wait_for_prompt();
        term.typed("> one\r");
        model.request();
        term.typed("echo yarn ");
        model.release();
        model.release();
        term.wait_for("touch approved");
        term.wait_for("waiting: echo yarn");
        term.typed("y");
        term.wait_for("waiting: echo yarn y");
        term.key(Key::CtrlBackslash);
        term.answer("touch approved", 'n');
        term.wait_for("so be it");
        term.wait_for_prompt();
        term.wait_for("$ echo yarn y");
        term.typed("es\r");
        term.wait_for("\nyarn yes\n");
        assert!(!term.home().join("approved").exists(), "{}\n{}", shell.name(), term.screen());
    });
}

#[test]
fn the_live_shell_runs_a_command_and_keeps_what_it_changed() {
    in_every_shell(|shell| {
        let command = if shell == Shell::Fish { "cd /; set -gx FOO bar" } else { "cd /; export FOO=bar" };
        let model = Model::start([
            Reply::calls(&[("run_in_shell", json!({ "command": format!("{command}; echo li''ve; false") }))]),
            Reply::calls(&[("bash", json!({ "command": "echo scratch $FOO in $PWD" }))]),
            Reply::text(["done with it"]),
        ]);
        let mut term = asking(shell, &model).start();
        term.wait_for_prompt();
        term.typed("> go\r");
        term.approve("echo li''ve");
        // The change also applies to the agent's own commands.
        term.approve("echo scratch");
        term.wait_for("done with it");
        term.wait_for_prompt();
        model.request();
        let told = model.request().body["messages"].to_string();
        assert!(told.contains("exit code 1") && told.contains("live"), "{} {told}", shell.name());
        let told = model.request().body["messages"].to_string();
        assert!(told.contains("scratch bar in /"), "{} {told}", shell.name());
        term.run("echo \"$FOO $PWD\"");
        assert!(term.screen().contains("\nbar /\n"), "{}\n{}", shell.name(), term.screen());
    });
}

#[test]
fn a_proposed_command_is_on_the_prompt_and_not_run() {
    in_every_shell(|shell| {
        let model = Model::start([
            Reply::calls(&[("suggest_command", json!({ "command": "echo 'a  b' fixed" }))]),
            Reply::text(["there it is"]),
        ]);
        let mut term = asking(shell, &model).start();
        term.wait_for_prompt();
        term.typed("> fix it\r");
        term.wait_for("there it is");
        term.wait_for_prompt();
        term.wait_for("$ echo 'a  b' fixed");
        assert!(!term.screen().contains("\na  b fixed"), "{}", term.screen());
        term.key(Key::Enter);
        term.wait_for("\na  b fixed");
        term.wait_for_prompt();
    });
}

#[test]
fn without_a_model_advice_is_shown() {
    in_every_shell(|shell| {
        let mut term = Term::new(shell).start();
        term.wait_for_prompt();
        term.run("> hello");
        assert!(term.screen().contains("No model is connected yet"), "{}\n{}", shell.name(), term.screen());
        term.run("> /hlep");
        assert!(term.screen().contains("did you mean /help?"), "{}", term.screen());
        term.typed(">\r");
        term.wait_for("an empty line closes");
        term.run("");
        term.run("echo still a shell");
        assert!(term.screen().contains("\nstill a shell"), "{}", term.screen());
    });
}

#[test]
fn a_repeated_question_sends_only_new_commands() {
    let model = Model::start([Reply::error(400, "no"), Reply::text(["better"])]);
    let mut term = asking(Shell::Bash, &model).start();
    term.wait_for_prompt();
    term.run("> /retry");
    assert!(term.screen().contains("there is nothing to ask again yet"), "{}", term.screen());
    term.run("echo before");
    term.run("> what is it");
    assert!(model.request().said(0).contains("echo before"));
    assert_eq!(term.screen().matches("rejected the request").count(), 1, "{}", term.screen());
    term.run("echo since");
    term.run("> /retry");
    assert!(term.screen().contains("better"), "{}", term.screen());
    let again = model.request().said(0);
    assert!(again.contains("echo since") && !again.contains("echo before") && again.ends_with("what is it"), "{again}");
}

#[test]
fn context_of_a_failed_question_goes_with_the_next_one() {
    let model = Model::start([Reply::text(["now I see"])]);
    // A missing key is noticed before anything is sent.
    let mut term = asking(Shell::Bash, &model).env("SHELLMATE_MODEL", "anthropic/x").start();
    term.wait_for_prompt();
    term.run("echo before");
    term.run("> why");
    assert!(term.screen().contains("ANTHROPIC_API_KEY"), "{}", term.screen());
    term.run("> /model openai/scripted");
    term.run("> why");
    assert!(term.screen().contains("now I see"), "{}", term.screen());
    assert!(model.request().said(0).contains("echo before"));
}

#[test]
fn the_limits_of_the_configuration_apply() {
    let call = || Reply::calls(&[("ls", json!({}))]);
    let model = Model::start([call(), call(), Reply::text(["there"])]);
    let limits = "[agent]\nsteps = 2\ncontext_lines = 3\ncommand_timeout = 7\nlongest_timeout = 70\n";
    let mut term = asking(Shell::Bash, &model).config(limits).start();
    term.wait_for_prompt();
    term.run("seq 1001 1100");
    term.typed("> go\r");
    term.approve("2 steps so far. Continue?");
    term.wait_for("there");
    term.wait_for_prompt();
    let asked = model.request();
    assert!(asked.said(0).lines().filter(|line| line.starts_with("10") || line.starts_with("11")).count() <= 3);
    assert!(asked.body["tools"].to_string().contains("Stopped after 7 s, at most 70 s."), "{}", asked.body["tools"]);
}

#[test]
fn context_shows_what_would_be_sent() {
    let model = Model::start([Reply::text(["an answer to see"])]);
    let mut term = asking(Shell::Bash, &model).size(70, 120).start();
    term.wait_for_prompt();
    term.run("echo a''b");
    term.run("> /context");
    let screen = term.screen();
    assert!(screen.contains("the next question would send scripted about"), "{screen}");
    assert!(screen.contains("see /context conversation (0 messages)"), "{screen}");
    assert!(screen.contains("<output lines=\"1\">\nab\n") && screen.contains("(your question)"), "{screen}");
    term.run("> hi");
    // Exactly this was sent, with the question added.
    let sent = model.request().said(0);
    let shown = screen.split("as follows:\n\n").nth(1).unwrap().split("(your question)").next().unwrap();
    assert_eq!(sent, format!("{shown}hi"));
    term.run("> /context conversation");
    assert!(term.screen().contains("model (16 B):\nan answer to see"), "{}", term.screen());
    term.run("> /context system");
    assert!(term.screen().contains("You are shellmate"), "{}", term.screen());
}

#[test]
fn escape_sequences_of_a_model_are_removed() {
    let model = Model::start([Reply::text(["safe \u{1b}]0;evil\u{7}\u{1b}[2J\u{9b}31m words"])]);
    let mut term = asking(Shell::Bash, &model).start();
    term.wait_for_prompt();
    term.run("> go");
    assert!(!term.raw().windows(7).any(|bytes| bytes == b"\x1b]0;evi"), "{}", term.describe());
    assert!(term.screen().contains("> go\nsafe"), "{}", term.screen());
}

#[test]
fn a_directory_change_by_a_key_binding_is_noticed() {
    in_every_shell(|shell| {
        let rc = match shell {
            Shell::Bash => "bind -x '\"\\C-g\": cd /usr/share'",
            Shell::Zsh => "go() { cd /usr/share; zle reset-prompt }; zle -N go; bindkey '^G' go",
            Shell::Fish => "bind \\cg 'cd /usr/share; commandline -f repaint'",
        };
        let model = Model::start([Reply::text(["there"])]);
        let mut term = asking(shell, &model).rc(rc).start();
        term.wait_for_prompt();
        term.key(Key::Ctrl('g'));
        term.typed("> where am I\r");
        term.wait_for_prompt();
        assert!(model.request().said(0).contains("<cwd>/usr/share</cwd>"), "{}", shell.name());
    });
}

#[test]
fn secrets_of_the_shell_are_masked_in_what_is_sent_and_in_context() {
    in_every_shell(|shell| {
        let model = Model::start([Reply::text(["understood"])]);
        let set =
            if shell == Shell::Fish { "set -gx API_TOKEN correct-horse-1" } else { "export API_TOKEN=correct-horse-1" };
        let config = "[redact]\npatterns = ['EMP-[0-9]+']\nexempt = ['^s3cr3t$']\n";
        let mut term = asking(shell, &model).config(config).size(40, 120).start();
        term.wait_for_prompt();
        term.run(set);
        term.run("echo the value is $API_TOKEN of EMP-4711 password=s3cr3t");
        term.run("> /context");
        term.wait_for("the value is [masked: $API_TOKEN #1] of [masked: secret #1] password=s3cr3t");
        term.run("> why");
        let said = model.request().said(0);
        assert!(!said.contains("correct-horse-1") && !said.contains("4711"), "{} {said}", shell.name());
        assert!(said.contains("[masked: $API_TOKEN #1]") && said.contains("s3cr3t"), "{} {said}", shell.name());
    });
}

#[test]
fn a_user_theme_colours_the_answer_and_a_broken_one_is_reported() {
    let model = Model::start([Reply::text(["some `code`\n"]), Reply::text(["more `code`\n"])]);
    let own = ".config/shellmate/themes/own.toml";
    let builder = asking(Shell::Bash, &model).env("COLORTERM", "truecolor").config("theme = \"own\"\n");
    let mut term = builder.file(own, "code = \"bold #102030\"\n").start();
    term.wait_for_prompt();
    term.run("> go");
    term.wait_for_raw(b"\x1b[1;38;2;16;32;48mcode\x1b[0m");
    let shown = term.shellmate(&["theme", "show"]);
    let text = shown.stdout;
    assert!(text.contains("Title") && !text.contains('\x1b'), "{text}");
    let listed = term.shellmate(&["theme"]).stdout;
    assert!(listed.contains("  terminal") && listed.contains("* own"), "{listed}");

    let builder = asking(Shell::Bash, &model).config("theme = \"own\"\n").size(24, 200);
    let mut term = builder.file(own, "title = \"bold\"\ncode = \"cyann\"\n").start();
    term.wait_for_prompt();
    term.wait_for("own.toml:2: code: `cyann` is neither a colour");
    term.run("> go");
    term.wait_for_raw(b"\x1b[36mcode\x1b[0m");
    let shown = term.shellmate(&["theme", "show"]);
    assert!(!shown.status.success() && shown.stderr.contains("own.toml:2: "), "{}", shown.stderr);
}

#[test]
fn the_first_code_has_its_colours() {
    let model = Model::start([Reply::text(["Look:\n\n", "```rust\nfn main() {}\n```\n"]).gated()]);
    let mut term = asking(Shell::Bash, &model).start();
    term.wait_for_prompt();
    term.typed("> show\r");
    model.release();
    term.wait_for("Look:");
    // The spinner moves while the model thinks.
    let threads = format!("/proc/{}/task", term.pid());
    let name = |thread: std::fs::DirEntry| std::fs::read_to_string(thread.path().join("comm")).unwrap_or_default();
    term.wait_until(|_| !std::fs::read_dir(&threads).unwrap().flatten().any(|thread| name(thread) == "grammars\n"));
    model.release();
    model.release();
    term.wait_for("fn main() {}");
    term.wait_for_prompt();
    assert!(!String::from_utf8_lossy(&term.raw()).contains("fn main() {}"), "{}", term.screen());
}

#[test]
fn a_question_that_is_the_name_of_a_file_says_how_to_empty_it() {
    in_every_shell(|shell| {
        let model = Model::start([Reply::text(["It is a log."])]);
        let mut term = asking(shell, &model).file("some.log", "kept\n").start();
        term.wait_for_prompt();
        term.run("> some.log");
        assert!(term.screen().contains("to empty it, run `: > some.log`"), "{}\n{}", shell.name(), term.screen());
        assert!(term.screen().contains("It is a log."), "{}", term.screen());
        assert_eq!(term.read("some.log"), "kept\n");
    });
}
