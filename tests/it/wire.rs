//! Connections to models: protocols, proxies, stored keys, and lists of models.

use std::io::Write;
use std::os::unix::fs::PermissionsExt;
use std::process::Stdio;

use serde_json::{Value, json};

use crate::harness::{Builder, Model, Reply, Shell, Term};

/// Runs a subcommand with this stdin. Returns the exit code, stdout and stderr.
fn run(builder: Builder, args: &[&str], stdin: &str) -> (Builder, Option<i32>, String, String) {
    let mut command = builder.command();
    let mut child =
        command.args(args).stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().unwrap();
    // A program that does not read stdin may have ended already.
    let _ = child.stdin.take().unwrap().write_all(stdin.as_bytes());
    let output = child.wait_with_output().unwrap();
    let text = |bytes: Vec<u8>| String::from_utf8(bytes).unwrap();
    (builder, output.status.code(), text(output.stdout), text(output.stderr))
}

fn home() -> Builder {
    Term::new(Shell::Bash).env("SHELLMATE_MODEL", "scripted")
}

#[test]
fn settings_name_the_server_and_its_protocol() {
    let calls = Reply::text(["Let me see."]).and_calls(&[("ls", json!({ "path": "." }))]);
    let model = Model::start([calls, Reply::text(["Done."])]);
    let settings = format!("[model]\nname = 'gpt-5.4:low'\nbase_url = '{}'\nprotocol = 'responses'\n", model.url());
    let builder = Term::new(Shell::Bash).config(&settings);
    let (_home, code, out, err) = run(builder, &["ask", "look"], "");
    assert_eq!((code, out.as_str()), (Some(0), "Let me see.\n\nDone.\n"), "{err}");
    let first = model.request();
    assert!(first.head.starts_with("post /v1/responses http/1.1\r\n"), "{}", first.head);
    assert_eq!((&first.body["store"], &first.body["reasoning"]["effort"]), (&json!(false), &json!("low")));
    let second = model.request().body;
    let kinds: Vec<&str> =
        second["input"].as_array().unwrap().iter().filter_map(|item| item["type"].as_str()).collect();
    assert_eq!(kinds, ["reasoning", "function_call", "function_call_output"]);
    assert_eq!(second["input"][2]["encrypted_content"], "thought");
}

#[test]
fn ollama_is_asked_over_its_own_interface_with_a_window() {
    let calls = Reply::text(["Let me see."]).and_calls(&[("ls", json!({ "path": "." }))]);
    let model = Model::start([calls, Reply::text(["Done."])]);
    let builder = Term::new(Shell::Bash).env("OLLAMA_HOST", model.address()).env("SHELLMATE_MODEL", "ollama/scripted");
    let (_home, code, out, err) = run(builder, &["ask", "look"], "");
    assert_eq!((code, out.as_str()), (Some(0), "Let me see.\n\nDone.\n"), "{err}");
    let first = model.request();
    assert!(first.head.starts_with("post /api/chat http/1.1\r\n"), "{}", first.head);
    assert_eq!(first.body["truncate"], json!(false));
    let window = first.body["options"]["num_ctx"].as_u64().unwrap();
    assert!([8_192, 16_384].contains(&window), "{window}");
    let second = model.request().body;
    assert_eq!(second["options"]["num_ctx"], json!(window), "the model is not loaded again");
    let last = second["messages"].as_array().unwrap().last().unwrap();
    assert_eq!((&last["role"], &last["tool_name"]), (&json!("tool"), &json!("ls")));
}

type Connect = fn(Builder, &Model) -> Builder;

/// The JSON of the whole request is counted, which is more than a model is billed for.
#[test]
fn the_first_request_of_a_session_has_at_most_3500_tokens_on_every_wire() {
    let wires: [(&str, Connect); 4] = [
        ("/v1/chat/completions", |term, model| term.env("OPENAI_BASE_URL", model.url())),
        ("/v1/responses", |term, model| {
            term.config(&format!("[model]\nname = 'gpt-5.4'\nbase_url = '{}'\nprotocol = 'responses'\n", model.url()))
        }),
        ("/v1/messages", |term, model| {
            term.env("ANTHROPIC_BASE_URL", model.root()).env("ANTHROPIC_API_KEY", "sk-ant-1")
        }),
        ("/api/chat", |term, model| term.env("OLLAMA_HOST", model.address()).env("SHELLMATE_MODEL", "ollama/scripted")),
    ];
    let tokens = tiktoken_rs::o200k_base().unwrap();
    for (path, connected) in wires {
        let model = Model::start([Reply::text(["Because."])]);
        let mut term = connected(Term::new(Shell::Bash), &model).start();
        term.wait_for_prompt();
        term.typed("> why did that fail\r");
        term.wait_for("Because.");
        let first = model.request();
        assert!(first.head.starts_with(&format!("post {path} ")), "{}", first.head);
        assert!(first.body["tools"].as_array().unwrap().len() >= 13, "{}", first.body["tools"]);
        let count = tokens.encode_ordinary(&first.body.to_string()).len();
        assert!(count <= 3_500, "{path}: {count} tokens");
    }
}

#[test]
fn the_window_of_a_server_and_its_source_are_shown() {
    let model = Model::start([]);
    let builder = Term::new(Shell::Bash).env("OLLAMA_HOST", model.address()).env("SHELLMATE_MODEL", "ollama/scripted");
    let mut term = builder.size(60, 120).start();
    term.wait_for_prompt();
    term.typed("> /context\r");
    term.wait_for("of a window of 16k tokens (reported by the server)");
}

#[test]
fn a_proxy_is_not_used_for_no_proxy_hosts() {
    let model = Model::start([Reply::text(["by proxy"])]);
    let far = home().env("OPENAI_BASE_URL", "http://llm.invalid/v1").env("HTTP_PROXY", model.root());
    let (_home, code, out, err) = run(far.env("http_proxy", model.root()), &["ask", "hi"], "");
    assert_eq!((code, out.as_str()), (Some(0), "by proxy\n"), "{err}");
    assert!(model.request().head.starts_with("post http://llm.invalid/v1/chat/completions "));

    // This address reaches this machine, but is not recognised as loopback.
    let model = Model::start([Reply::text(["directly"])]);
    let url = model.url().replace("127.0.0.1", "0.0.0.0");
    let through = |builder: Builder| {
        builder
            .env("OPENAI_BASE_URL", &url)
            .env("http_proxy", "http://127.0.0.1:1")
            .env("HTTP_PROXY", "http://127.0.0.1:1")
    };
    let (_home, code, out, _) = run(through(home()).env("NO_PROXY", "0.0.0.0"), &["ask", "hi"], "");
    assert_eq!((code, out.as_str()), (Some(0), "directly\n"));
    let (_home, code, _, err) = run(through(home()), &["ask", "hi"], "");
    assert_eq!(code, Some(1), "{err}");
}

#[test]
fn a_server_that_is_not_running_is_one_line() {
    let closed = std::net::TcpListener::bind("127.0.0.1:0").unwrap().local_addr().unwrap();
    let nothing = format!("nothing answers at {closed}; is the server running? start it, or name another model");
    let builder = home().env("OPENAI_BASE_URL", format!("http://{closed}/v1"));
    let (builder, code, _, err) = run(builder, &["ask", "hi"], "");
    assert_eq!((code, err), (Some(1), format!("error: {nothing}\n")));
    let (_home, _, _, err) = run(builder.no_env("SHELLMATE_MODEL"), &["ask", "hi"], "");
    assert_eq!(err, format!("error: cannot list the models: {nothing}\n"));
}

#[test]
fn a_long_rate_limit_is_reported_at_once() {
    let model = Model::start([Reply::error(429, "slow down").header("Retry-After", "90")]);
    let (_home, code, _, err) = run(home().env("OPENAI_BASE_URL", model.url()), &["ask", "hi"], "");
    let words =
        format!("error: you have reached the rate limit of {}: slow down; ask again in 1m30s\n", model.address());
    assert_eq!((code, err), (Some(1), words));
}

#[test]
fn a_stored_key_is_used_and_never_shown() {
    const SECRET: &str = "sk-kept-0123456789";
    let model = Model::start([Reply::text(["hello"]), Reply::text(["hello"])]);
    let builder = home().env("OPENAI_BASE_URL", model.url());
    let (builder, code, out, err) = run(builder, &["auth", "login", "openai"], &format!("{SECRET}\n"));
    assert_eq!(code, Some(0), "{err}");
    assert!(out.starts_with("stored the key for openai in ") && !(out + &err).contains(SECRET));
    let file = builder.home().join(".local/state/shellmate/keys.json");
    assert_eq!(std::fs::metadata(&file).unwrap().permissions().mode() & 0o777, 0o600);

    let (builder, _, out, err) = run(builder, &["auth"], "");
    assert!(out.contains("openai       stored in ") && !(out + &err).contains(SECRET));
    let (builder, code, ..) = run(builder, &["ask", "hi"], "");
    assert_eq!(code, Some(0));
    assert!(model.request().head.contains(&format!("authorization: bearer {SECRET}\r\n")));

    let builder = builder.env("OPENAI_API_KEY", "sk-set-0123456789");
    let (builder, ..) = run(builder, &["ask", "hi"], "");
    assert!(model.request().head.contains("authorization: bearer sk-set-0123456789\r\n"));
    let (builder, _, out, _) = run(builder, &["auth", "logout", "openai"], "");
    assert_eq!(out, "deleted the key for openai; OPENAI_API_KEY is still set\n");
    assert_eq!(std::fs::read_to_string(&file).unwrap().trim(), "{}");
    let (_home, code, _, err) = run(builder, &["auth", "login", "opnai"], "");
    assert_eq!(code, Some(125));
    assert!(err.contains("did you mean openai?"), "{err}");
}

#[test]
fn a_key_is_typed_without_echo() {
    let mut term = Term::new(Shell::Bash).start();
    term.wait_for_prompt();
    term.typed(format!("{} auth login groq\r", crate::harness::PROGRAM));
    term.wait_for("groq key (not shown):");
    term.typed("gsk-typed-0123456789\r");
    term.wait_for("stored the key for groq in ");
    assert!(!term.screen().contains("gsk-typed"), "{}", term.screen());
}

#[test]
fn models_are_listed_as_text_and_json() {
    let model = Model::start([]);
    let builder = home().env("OPENAI_BASE_URL", model.url()).env("OPENAI_API_KEY", "k");
    let (builder, code, out, err) = run(builder, &["models"], "");
    assert_eq!((code, out.as_str()), (Some(0), format!("custom/scripted{}tools\n", " ".repeat(22)).as_str()), "{err}");
    let (builder, _, out, _) = run(builder, &["models", "--json"], "");
    let line: Value = serde_json::from_str(out.trim()).unwrap();
    let expected = json!({
        "provider": "custom", "model": "scripted", "context_window": null, "price": null,
        "vision": null, "thinking": null, "tools": null, "output": null,
    });
    assert_eq!(line, expected);
    let (builder, code, out, err) = run(builder, &["models", "nothing", "like-it"], "");
    assert_eq!((code, out.as_str()), (Some(1), ""));
    assert_eq!(err, "shellmate: no model has nothing like-it in its name; `shellmate models` lists all\n");
    let (_home, code, out, err) = run(builder, &["models", "nothing-like-it", "--json"], "");
    assert_eq!((code, out.as_str(), err.as_str()), (Some(1), "", ""));
}
