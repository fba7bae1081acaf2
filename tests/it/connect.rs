//! Connecting a model: exported variables, stored keys, configuration, local servers, and messages if none answers.

use std::fs;
use std::io::{BufRead, BufReader};
use std::os::unix::fs::PermissionsExt;
use std::path::Path;
use std::process::{Child, Command, Stdio};

use crate::harness::{Builder, Model, PROGRAM, Reply, Shell, Term, in_every_shell};

/// A shell in which no model is found automatically.
fn unconnected(shell: Shell) -> Builder {
    Term::new(shell).env("OLLAMA_HOST", "127.0.0.1:9").size(40, 120)
}

#[test]
fn following_the_advice_on_the_screen_gives_an_answer_in_the_same_shell() {
    in_every_shell(|shell| {
        let model = Model::start([Reply::text(["Hello from the model."])]);
        let mut term = unconnected(shell).start();
        term.wait_for_prompt();
        term.typed("> hello\r");
        term.wait_for("No model is connected yet");
        term.wait_for("shellmate auth login");
        term.wait_for_prompt();
        term.run(&format!("export OPENAI_BASE_URL={}", model.url()));
        term.typed("> hello\r");
        term.wait_for("Hello from the model.");
        term.wait_for("custom/scripted");
        term.wait_for_prompt();
    });
}

#[test]
fn a_model_exported_in_a_start_file_is_asked() {
    in_every_shell(|shell| {
        let model = Model::start([Reply::text(["Here I am."])]);
        let rc = format!("export OPENAI_BASE_URL={}\nexport SHELLMATE_MODEL=from-the-rc", model.url());
        let mut term = unconnected(shell).rc(&rc).start();
        term.wait_for_prompt();
        term.typed("> hello\r");
        term.wait_for("Here I am.");
        assert_eq!(model.request().body["model"], "from-the-rc");
        term.wait_for_prompt();
        term.typed("> /model\r");
        term.wait_for(&format!("custom/from-the-rc (medium) at {}", model.address()));
        term.wait_for("SHELLMATE_MODEL names it");
        term.wait_for("Enter use it");
        term.typed("\x1b");
        term.wait_for("the model was not changed");
    });
}

#[test]
fn a_new_url_applies_within_a_conversation_and_is_named() {
    let (first, second) = (Model::start([Reply::text(["One."])]), Model::start([Reply::text(["Two."])]));
    let mut term = unconnected(Shell::Bash).env("OPENAI_BASE_URL", first.url()).start();
    term.wait_for_prompt();
    term.typed("> my name is Ada\r");
    term.wait_for("One.");
    term.wait_for_prompt();
    term.run(&format!("export OPENAI_BASE_URL={} SHELLMATE_MODEL=custom/other", second.url()));
    term.typed("> what is my name\r");
    term.wait_for("Two.");
    term.wait_for(&format!("now asking {} (custom/other)", second.address()));
    let asked = second.request();
    assert_eq!(asked.body["model"], "other");
    assert!(asked.body.to_string().contains("my name is Ada"), "{}", asked.body);
    assert_eq!(first.others().len(), 1);
}

#[test]
fn a_stored_key_is_sent_to_the_exported_url() {
    let model = Model::start([Reply::text(["Through the proxy."])]);
    let keys = ".local/state/shellmate/keys.json";
    let builder = unconnected(Shell::Zsh).file(keys, r#"{"OPENAI_API_KEY":"kept-key-12345"}"#);
    fs::set_permissions(builder.home().join(keys), fs::Permissions::from_mode(0o600)).unwrap();
    fs::set_permissions(builder.home().join(".local/state/shellmate"), fs::Permissions::from_mode(0o700)).unwrap();
    let mut term = builder.start();
    term.wait_for_prompt();
    term.run(&format!("export OPENAI_BASE_URL={}", model.url()));
    term.typed("> hello\r");
    term.wait_for("Through the proxy.");
    assert!(model.request().head.contains("authorization: bearer kept-key-12345"));
}

#[test]
fn a_saved_configuration_applies_to_the_next_question() {
    let model = Model::start([Reply::text(["As configured."])]);
    let mut term = unconnected(Shell::Bash).start();
    term.wait_for_prompt();
    term.typed("> hello\r");
    term.wait_for("No model is connected yet");
    term.wait_for_prompt();
    let directory = term.home().join(".config/shellmate");
    fs::create_dir_all(&directory).unwrap();
    let config = format!("[model]\nname = \"saved\"\nbase_url = \"{}\"\n", model.url());
    fs::write(directory.join("config.toml"), config).unwrap();
    term.typed("> hello\r");
    term.wait_for("As configured.");
    assert_eq!(model.request().body["model"], "saved");
}

#[test]
fn the_rules_and_the_history_answer_if_the_model_fails() {
    in_every_shell(|shell| {
        let dead = unconnected(shell).env("OPENAI_BASE_URL", "http://127.0.0.1:9/v1").env("SHELLMATE_MODEL", "x");
        let mut term = dead.start();
        term.wait_for_prompt();
        term.run("echo one two three");
        for (question, answer) in [
            ("what did that print", "(from the history) one two three"),
            ("why did that fail", "`sh -c 'exit 3'` ended with status 3 (built-in rules)"),
        ] {
            term.typed(format!("> {question}\r"));
            term.wait_for(answer);
            term.wait_for("nothing answers at 127.0.0.1:9");
            term.wait_for_prompt();
            let screen = term.screen();
            assert!(screen.find(answer) < screen.rfind("nothing answers at"), "{}\n{screen}", shell.name());
            term.run("clear");
            term.run("sh -c 'exit 3'");
        }
    });
}

#[test]
fn ask_prints_what_the_history_knows_before_a_retry() {
    let failing = Reply::error(503, "no room").header("Retry-After", "1");
    let model = Model::start([failing, Reply::text(["From the model."]).gated()]);
    let mut term = unconnected(Shell::Bash).env("OPENAI_BASE_URL", model.url()).env("SHELLMATE_MODEL", "x").start();
    term.wait_for_prompt();
    term.run("echo one two three");
    let ask = format!("{} ask what did that print", crate::harness::PROGRAM);
    term.typed(format!("{ask}\r"));
    // The second reply is held back until the test releases it.
    term.wait_for("(from the history) one two three");
    model.release();
    model.release();
    term.wait_for("From the model.");
    term.wait_for_prompt();
}

#[test]
fn a_listed_model_name_works_with_model_and_thinking() {
    let model = Model::start([Reply::text(["Fine."])]);
    let mut term = unconnected(Shell::Bash).env("OPENAI_BASE_URL", model.url()).start();
    term.wait_for_prompt();
    term.typed("> /models\r");
    term.wait_for("custom/scripted");
    term.wait_for_prompt();
    term.typed("> /model custom/scripted\r");
    term.wait_for("from here on: custom/scripted (medium)");
    term.wait_for_prompt();
    term.typed("> /thinking high\r");
    term.wait_for("from here on: custom/scripted (high)");
    term.wait_for_prompt();
    term.typed("> hello\r");
    term.wait_for("Fine.");
    assert_eq!(model.request().body["model"], "scripted");
}

#[test]
fn a_discovered_server_gets_no_question_before_consent() {
    in_every_shell(|shell| {
        let model = Model::start([Reply::text(["Never said."])]);
        let mut term = Term::new(shell).env("OLLAMA_HOST", model.address()).size(40, 120).start();
        term.wait_for_prompt();
        term.typed("> my secret plan\r");
        term.wait_for(&format!("Found a model server on this machine: ollama/scripted at {}", model.address()));
        term.wait_for("program: /");
        term.answer("Use it?", 'n');
        term.wait_for("is not used in this session");
        term.wait_for_prompt();
        term.typed("> my secret plan\r");
        term.wait_for("No model is connected yet");
        term.wait_for_prompt();
        assert_eq!(model.others().len(), 0, "{}", shell.name());
    });
}

#[test]
fn consent_to_a_server_is_stored_and_its_model_named() {
    let model = Model::start([Reply::text(["Hello."]), Reply::text(["Again."]), Reply::text(["Piped."])]);
    let mut term = Term::new(Shell::Bash).env("OLLAMA_HOST", model.address()).size(40, 120).start();
    term.wait_for_prompt();
    term.typed("> hello\r");
    term.approve("Use it?");
    term.wait_for("Hello.");
    term.wait_for("ollama/scripted · ");
    term.wait_for_prompt();
    term.typed("> again\r");
    term.wait_for("Again.");
    term.wait_for_prompt();
    assert_eq!(term.screen().matches("Found a model server").count(), 1, "{}", term.screen());
    let said = term.shellmate(&["ask", "and", "without", "a", "terminal"]);
    assert_eq!(said.stdout, "Piped.\n", "{}", said.stderr);
    let file = term.home().join(".local/state/shellmate/servers.json");
    assert_eq!(fs::metadata(file).unwrap().permissions().mode() & 0o777, 0o600);
}

#[test]
fn without_a_terminal_only_a_named_server_is_asked() {
    let model = Model::start([Reply::text(["Named."])]);
    let term = Term::new(Shell::Bash).env("OLLAMA_HOST", model.address()).start();
    let said = term.shellmate(&["ask", "hello"]);
    assert_eq!(said.status.code(), Some(1), "{}", said.stderr);
    let advice = "you have not agreed to use it; name it with `--model ollama/scripted`";
    assert!(said.stderr.contains(advice), "{}", said.stderr);
    assert_eq!(model.others().len(), 0);
    let said = term.shellmate(&["ask", "hello", "--model", "ollama/scripted"]);
    assert_eq!(said.stdout, "Named.\n", "{}", said.stderr);
}

#[test]
fn another_script_of_the_same_interpreter_is_asked_about_again() {
    let script = "import http.server, sys\n\
                  class Answer(http.server.BaseHTTPRequestHandler):\n    \
                      def do_GET(self):\n        \
                          body = b'{\"data\":[{\"id\":\"m\"}]}'\n        \
                          self.send_response(200)\n        \
                          self.send_header('Content-Length', str(len(body)))\n        \
                          self.end_headers()\n        \
                          self.wfile.write(body)\n    \
                      def do_POST(self): self.send_error(400)\n    \
                      def log_message(self, *words): pass\n\
                  server = http.server.HTTPServer(('127.0.0.1', int(sys.argv[1])), Answer)\n\
                  print('ready', flush=True)\n\
                  server.serve_forever()\n";
    let builder = Term::new(Shell::Bash).file("good.py", script).file("evil.py", script).size(40, 120);
    let port = std::net::TcpListener::bind("127.0.0.1:0").unwrap().local_addr().unwrap().port();
    let home = builder.home().to_owned();
    let start = |name: &str| Script::start(&home, name, port);
    let good = start("good.py");
    let mut term = builder.env("OLLAMA_HOST", format!("127.0.0.1:{port}")).start();
    term.wait_for_prompt();
    term.typed("> hello\r");
    term.wait_for_question("Use it?");
    term.wait_for(&format!("good.py {port} (in {})", home.display()));
    term.approve("Use it?");
    // The script cannot answer questions, which is reported. The consent counts nevertheless.
    term.wait_for_prompt();
    drop(good);
    let _evil = start("evil.py");
    term.run("clear");
    term.typed("> hello\r");
    term.wait_for_question("Use it?");
    term.wait_for(&format!("evil.py {port}"));
    term.answer("Use it?", 'n');
    term.wait_for_prompt();
    // A name in the configuration, as `shellmate init` writes it, is no yes to another program.
    assert!(term.shellmate(&["config", "set", "model.name", "ollama/m"]).status.success());
    let said = term.shellmate(&["ask", "hello"]);
    assert!(said.stderr.contains("is not the one that you agreed to use"), "{}", said.stderr);
    let said = term.shellmate(&["ask", "hello", "--model", "ollama/m"]);
    assert!(said.stderr.contains("400"), "a flag is a yes: {}", said.stderr);
}

#[test]
fn login_asks_for_the_provider() {
    in_every_shell(|shell| {
        let mut term = unconnected(shell).start();
        term.wait_for_prompt();
        term.typed(format!("{PROGRAM} auth login\r"));
        term.wait_for("Which provider is the key for?");
        term.wait_for("or q to leave:");
        term.typed("anthropic\r");
        term.wait_for("anthropic key (not shown):");
        term.typed("sk-typed-1\r");
        term.wait_for("stored the key for anthropic");
        term.wait_for_prompt();
        assert!(!term.screen().contains("sk-typed-1"), "{}", term.screen());
    });
}

/// A Python script that serves on a port, ended with the test.
struct Script(Child);

impl Script {
    fn start(home: &Path, name: &str, port: u16) -> Script {
        let mut command = Command::new("python3");
        let mut child =
            command.args([name, &port.to_string()]).current_dir(home).stdout(Stdio::piped()).spawn().unwrap();
        let mut line = String::new();
        BufReader::new(child.stdout.take().unwrap()).read_line(&mut line).unwrap();
        assert_eq!(line, "ready\n");
        Script(child)
    }
}

impl Drop for Script {
    fn drop(&mut self) {
        let _ = self.0.kill();
        let _ = self.0.wait();
    }
}
