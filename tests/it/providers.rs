//! Providers of the configuration, asked over HTTP.

use std::process::Output;

use serde_json::json;

use crate::harness::{Builder, Model, PROGRAM, Reply, Shell, Term, in_every_shell};

/// Runs a subcommand in a home with this configuration.
fn run(builder: &Builder, args: &[&str]) -> (Option<i32>, String, String) {
    let Output { status, stdout, stderr } = builder.command().args(args).output().unwrap();
    let text = |bytes: Vec<u8>| String::from_utf8(bytes).unwrap();
    (status.code(), text(stdout), text(stderr))
}

fn unconnected(config: &str) -> Builder {
    Term::new(Shell::Bash).env("OLLAMA_HOST", "127.0.0.1:9").config(config)
}

#[test]
fn a_provider_of_the_configuration_gets_its_headers_fields_and_token() {
    let model = Model::start([Reply::text(["Hello."])]);
    let home = unconnected(&format!(
        r#"
        [providers.corp]
        base_url = "{}"
        bearer = {{ command = "echo tok-123; echo not this" }}
        headers = {{ x-team = "blue", x-user = {{ env = "WHO" }} }}
        body = {{ temperature = 0.25 }}
        [[providers.corp.models]]
        id = "house"
        window = 50000
        output = 777
        price = {{ input = 1, output = 2 }}
        thinking = "qwen"
        "#,
        model.url()
    ))
    .env("WHO", "ada");
    let (code, out, err) = run(&home, &["ask", "--model", "corp/house:off", "hi"]);
    assert_eq!((code, out.as_str()), (Some(0), "Hello.\n"), "{err}");
    let asked = model.request();
    for header in ["authorization: bearer tok-123\r\n", "x-team: blue\r\n", "x-user: ada\r\n"] {
        assert!(asked.head.contains(header), "{}", asked.head);
    }
    assert_eq!((&asked.body["model"], &asked.body["temperature"]), (&json!("house"), &json!(0.25)));
    assert_eq!((&asked.body["max_tokens"], &asked.body["enable_thinking"]), (&json!(777), &json!(false)));
    let (_, out, _) = run(&home, &["models", "corp"]);
    assert!(out.contains("corp/house") && out.contains("50k") && out.contains("$1/$2"), "{out}");
    let (_, out, _) = run(&home, &["auth", "status"]);
    assert!(out.contains("corp         from the configuration ([providers.corp])"), "{out}");
}

#[test]
fn a_name_works_wherever_a_model_is_named() {
    in_every_shell(|shell| {
        let model = Model::start(["One.", "Two.", "Three."].map(|word| Reply::text([word])));
        let config = format!(
            "[model]\nname = 'corp/first'\n[providers.corp]\nbase_url = '{}'\nauth = 'none'\n[providers.other]\nbase_url = '{}'\nauth = 'none'\n",
            model.url(),
            model.url()
        );
        let mut term = Term::new(shell).env("OLLAMA_HOST", "127.0.0.1:9").config(&config).size(40, 120).start();
        term.wait_for_prompt();
        term.typed("> one\r");
        term.wait_for("One.");
        term.wait_for_prompt();
        assert_eq!(model.request().body["model"], "first");
        term.typed("> /model other/second\r");
        term.wait_for("from here on: other/second");
        term.wait_for_prompt();
        term.typed("> two\r");
        term.wait_for("Two.");
        term.wait_for_prompt();
        let asked = model.request();
        assert_eq!(asked.body["model"], "second");
        assert!(asked.body.to_string().contains("One."), "the conversation goes on");
        let export = if shell == Shell::Fish {
            "set -gx SHELLMATE_MODEL corp/third"
        } else {
            "export SHELLMATE_MODEL=corp/third"
        };
        term.run(export);
        term.typed("> three\r");
        term.wait_for("Three.");
        assert_eq!(model.request().body["model"], "third");
    });
}

#[test]
fn a_wrong_table_is_named_and_the_others_work() {
    let model = Model::start([Reply::text(["Hello."])]);
    let home = unconnected(&format!(
        "[providers.broken]\nprotocol = 'chat'\n[providers.corp]\nbase_url = '{}'\nauth = 'none'\n",
        model.url()
    ));
    let (code, out, err) = run(&home, &["ask", "--model", "corp/m", "hi"]);
    assert_eq!((code, out.as_str()), (Some(0), "Hello.\n"), "{err}");
    assert!(err.contains("providers.broken.base_url: a provider that is not built in needs a base_url"), "{err}");
}

#[test]
fn a_command_that_gives_no_token_is_named() {
    let home = unconnected(
        "[providers.corp]\nbase_url = 'https://llm.corp.example/v1'\napi_key = { command = 'echo locked >&2; exit 4' }\n",
    );
    let (code, _, err) = run(&home, &["ask", "--model", "corp/m", "hi"]);
    assert_eq!(code, Some(1), "{err}");
    assert!(
        err.contains("api_key of [providers.corp]: the command `echo locked >&2; exit 4` printed no usable value"),
        "{err}"
    );
    assert!(err.contains("it exited with 4: locked"), "{err}");
}

#[test]
fn a_stored_key_is_sent_to_its_provider_only() {
    let model = Model::start([Reply::text(["Hello."])]);
    let home = unconnected(&format!("[providers.my-proxy]\nbase_url = '{}'\n", model.url()));
    let mut login =
        home.command().args(["auth", "login", "my-proxy"]).stdin(std::process::Stdio::piped()).spawn().unwrap();
    std::io::Write::write_all(&mut login.stdin.take().unwrap(), b"sk-stored-1\n").unwrap();
    assert!(login.wait().unwrap().success());
    let (code, _, err) = run(&home, &["ask", "--model", "my-proxy/m", "hi"]);
    assert_eq!(code, Some(0), "{err}");
    assert!(model.request().head.contains("authorization: bearer sk-stored-1\r\n"));
}

/// A home with one provider, whose model costs $1.10 for each request of the scripted server (11 tokens in).
fn dear(model: &Model, more: &str) -> Builder {
    unconnected(&format!(
        "{more}\n[model]\nname = 'corp/dear'\n[providers.corp]\nbase_url = '{}'\nauth = 'none'\n\
         [[providers.corp.models]]\nid = 'dear'\nprice = {{ input = 100000, output = 0 }}\n",
        model.url()
    ))
}

#[test]
fn a_question_that_reaches_its_limit_stops_with_what_was_said() {
    let look = Reply::text(["Let me look."]).and_calls(&[("ls", json!({ "path": "." }))]);
    let model = Model::start([look, Reply::text(["never"])]);
    let home = dear(&model, "[limits]\nquery = 1");
    let (code, out, err) = run(&home, &["ask", "hi"]);
    assert_eq!((code, out.as_str()), (Some(1), "Let me look.\n"), "{err}");
    assert!(err.contains("this question has cost $1.10 and the limit is $1.00"), "{err}");
    assert!(err.contains("`shellmate config set limits.query 2` raises it"), "{err}");
    model.request();
    assert_eq!(model.others().len(), 0);
}

#[test]
fn a_limit_of_the_day_refuses_before_anything_is_asked() {
    let model = Model::start(["One.", "Two."].map(|word| Reply::text([word])));
    let home = dear(&model, "[limits]\nday = 1\nmonth = 100");
    let (code, out, err) = run(&home, &["ask", "hi"]);
    assert_eq!((code, out.as_str()), (Some(0), "One.\n"), "{err}");
    model.request();
    let (code, out, err) = run(&home, &["ask", "hi"]);
    assert_eq!((code, out.as_str()), (Some(1), ""), "{err}");
    assert!(err.contains("nothing was asked: $1.10 has been spent today and the limit is $1.00"), "{err}");
    assert_eq!(model.others().len(), 0);
    let (code, _, err) = run(&home, &["config", "set", "limits.day", "5"]);
    assert_eq!(code, Some(0), "{err}");
    let (code, out, err) = run(&home, &["ask", "hi"]);
    assert_eq!((code, out.as_str()), (Some(0), "Two.\n"), "{err}");
}

#[test]
fn a_limit_of_the_day_stops_a_running_answer_with_what_was_said() {
    let look = |words: &str| Reply::text([words]).and_calls(&[("ls", json!({ "path": "." }))]);
    let model = Model::start([Reply::text(["One."]), look("Let me look."), Reply::text(["never"])]);
    let home = dear(&model, "[limits]\nday = 2");
    assert_eq!(run(&home, &["ask", "hi"]).0, Some(0));
    model.request();
    let (code, out, err) = run(&home, &["ask", "hi"]);
    assert_eq!((code, out.as_str()), (Some(1), "Let me look.\n"), "{err}");
    assert!(err.contains("stopped: $2.20 has been spent today and the limit is $2.00"), "{err}");
    model.request();
    assert_eq!(model.others().len(), 0);
}

#[test]
fn a_deleted_directory_keeps_its_scope() {
    let model = Model::start([Reply::text(["never"])]);
    let place = tempfile::tempdir().unwrap();
    let (secret, link) = (place.path().join("secret"), place.path().join("link"));
    std::fs::create_dir_all(&secret).unwrap();
    std::os::unix::fs::symlink(&secret, &link).unwrap();
    let home = unconnected(&format!(
        "[providers.corp]\nbase_url = '{}'\nauth = 'none'\n[[scope]]\npath = '{}/'\ndeny = ['corp']\n",
        model.url(),
        secret.display()
    ));
    for directory in [secret.join("gone"), link.join("gone")] {
        let script =
            format!("mkdir {0} && cd {0} && rmdir {0} && exec {PROGRAM} ask --model corp/m hi", directory.display());
        let mut command = std::process::Command::new("sh");
        let environment: Vec<_> = home
            .command()
            .get_envs()
            .map(|(name, value)| (name.to_owned(), value.unwrap_or_default().to_owned()))
            .collect();
        let ended = command.env_clear().envs(environment).args(["-c", &script]).output().unwrap();
        let err = String::from_utf8_lossy(&ended.stderr).into_owned();
        assert!(err.contains("corp/m may not be asked here: `deny = [\"corp\"]`"), "{err}");
    }
    assert_eq!(model.others().len(), 0);
}

#[test]
fn a_directory_has_its_model_and_forbids_others() {
    in_every_shell(|shell| {
        let model = Model::start(["One.", "Two."].map(|word| Reply::text([word])));
        let place = tempfile::tempdir().unwrap();
        let (work, secret) = (place.path().join("work"), place.path().join("work/secret"));
        std::fs::create_dir_all(&secret).unwrap();
        let config = format!(
            "[model]\nname = 'corp/usual'\n[providers.corp]\nbase_url = '{}'\nauth = 'none'\n\
             [[scope]]\npath = '{}'\nmodel = 'corp/of-work'\n[[scope]]\npath = '{}'\ndeny = ['corp/of-*']\n",
            model.url(),
            work.display(),
            secret.display()
        );
        let mut term = Term::new(shell).env("OLLAMA_HOST", "127.0.0.1:9").config(&config).size(40, 160).start();
        term.wait_for_prompt();
        term.run(&format!("cd {}", secret.display()));
        term.typed("> zero\r");
        term.wait_for("corp/of-work may not be asked here: `deny = [\"corp/of-*\"]` in [[scope]] of");
        term.wait_for_prompt();
        assert_eq!(model.others().len(), 0, "the server was not contacted");
        term.run("cd ..");
        term.typed("> one\r");
        term.wait_for("One.");
        term.wait_for_prompt();
        assert_eq!(model.request().body["model"], "of-work");
        term.run("cd ..");
        term.typed("> two\r");
        term.wait_for("Two.");
        assert_eq!(model.request().body["model"], "usual");
    });
}

#[test]
fn summaries_and_plans_have_their_own_models() {
    let words = ["One.", "Two.", "Goal: none.", "Three."];
    let model = Model::start(words.map(|word| Reply::text([word])));
    let config = format!(
        "[model]\nname = 'corp/usual'\nfast = 'corp/quick'\nplan = 'corp/deep'\n[providers.corp]\nbase_url = '{}'\nauth = 'none'\n",
        model.url()
    );
    let mut term = Term::new(Shell::Bash).env("OLLAMA_HOST", "127.0.0.1:9").config(&config).size(40, 120).start();
    term.wait_for_prompt();
    for word in ["One.", "Two."] {
        term.typed("> go on\r");
        term.wait_for(word);
        term.wait_for_prompt();
        assert_eq!(model.request().body["model"], "usual");
    }
    term.typed("> /compact\r");
    term.wait_for("the next question sends the summary");
    term.wait_for_prompt();
    assert_eq!(model.request().body["model"], "quick");
    term.typed("> /mode plan\r");
    term.wait_for_prompt();
    term.typed("> plan it\r");
    term.wait_for("Three.");
    assert_eq!(model.request().body["model"], "deep");
}

#[test]
fn a_model_is_picked_by_a_few_letters_and_saved() {
    in_every_shell(|shell| {
        let model = Model::start([Reply::text(["Hello."])]);
        let config = format!(
            "# mine\n[model]\nname = 'corp/first'\n[providers.corp]\nbase_url = '{}'\nauth = 'none'\n\
             models = [{{ id = 'first' }}, {{ id = 'house-large', window = 64000, price = {{ input = 2, output = 10 }} }}]\n",
            model.url()
        );
        let mut term = Term::new(shell).env("OLLAMA_HOST", "127.0.0.1:9").config(&config).size(40, 120).start();
        term.wait_for_prompt();
        term.typed("> /model --save\r");
        term.wait_for("[model] in the configuration names it");
        term.wait_for("corp/house-large");
        term.wait_for("$2/$10");
        term.typed("hslrg");
        term.wait_for("1 of 1;");
        term.typed("\r");
        term.wait_for("from here on: corp/house-large");
        term.wait_for("saved as `model.name` in");
        term.wait_for_prompt();
        term.typed("> hello\r");
        term.wait_for("Hello.");
        assert_eq!(model.request().body["model"], "house-large");
    });
}

#[test]
fn a_part_of_a_name_opens_the_list_and_a_misspelled_name_is_not_taken() {
    let model = Model::start([Reply::text(["Hello."])]);
    let config = format!(
        "[model]\nname = 'corp/first'\n[providers.corp]\nbase_url = '{}'\nauth = 'none'\n\
         models = [{{ id = 'first' }}, {{ id = 'acme/house-large' }}, {{ id = 'acme/house-small' }}]\n\
         [providers.locked]\nbase_url = 'https://locked.invalid/v1'\napi_key = {{ env = 'NOT_SET' }}\n",
        model.url()
    );
    let mut term = Term::new(Shell::Bash).env("OLLAMA_HOST", "127.0.0.1:9").config(&config).size(40, 120).start();
    term.wait_for_prompt();
    term.typed("> /model hose-large\r");
    term.wait_for("no model is called hose-large; did you mean corp/acme/house-large?");
    term.wait_for_prompt();
    term.typed("> /model corp/other\r");
    term.wait_for("from here on: corp/other");
    term.wait_for("corp does not list it");
    term.wait_for_prompt();
    term.typed("> /model\r");
    term.wait_for("locked cannot be asked: NOT_SET should hold a key or a header, but it is not set");
    term.wait_for("Enter use it");
    term.typed("\x1b");
    term.wait_for("the model was not changed");
    term.wait_for_prompt();
    term.typed("> /model house\r");
    term.wait_for("? house");
    term.typed("-sm\r");
    term.wait_for("from here on: corp/acme/house-small");
    term.wait_for_prompt();
    term.typed("> /model house-large\r");
    term.wait_for("from here on: corp/acme/house-large");
    term.wait_for_prompt();
    term.typed("> hello\r");
    term.wait_for("Hello.");
    assert_eq!(model.request().body["model"], "acme/house-large");
}

#[test]
fn models_in_a_pipe_are_found_by_a_part_of_their_name() {
    let model = Model::start([]);
    let home = unconnected(&format!(
        "[providers.corp]\nbase_url = '{}'\nauth = 'none'\n\
         models = [{{ id = 'House-Large', window = 64000, price = {{ input = 2, output = 10 }}, vision = true }}, {{ id = 'small' }}]\n\
         [providers.locked]\nbase_url = 'https://locked.invalid/v1'\napi_key = {{ command = 'exit 3' }}\n",
        model.url()
    ));
    let (_, _, err) = run(&home, &["models"]);
    assert!(
        err.contains("locked: api_key of [providers.locked]: the command `exit 3` printed no usable value"),
        "{err}"
    );
    let (code, out, err) = run(&home, &["models", "corp/"]);
    assert_eq!(code, Some(0), "{err}");
    let lines: Vec<&str> = out.lines().collect();
    assert_eq!(lines[0], "corp/House-Large    64k  $2/$10       pictures tools");
    assert!(lines[1].starts_with("corp/small  "), "{out}");
    for words in ["house", "CORP/house-large", "hslrg"] {
        let (_, out, err) = run(&home, &["models", words]);
        assert!(out.starts_with("corp/House-Large ") && out.lines().count() == 1, "{words}: {out}");
        assert_eq!(err, "", "{words}");
    }
    assert!(run(&home, &["models", "locked"]).2.contains("printed no usable value"));
}

#[test]
fn models_on_a_terminal_are_picked_from() {
    let model = Model::start([]);
    let config = format!(
        "[providers.corp]\nbase_url = '{}'\nauth = 'none'\nmodels = [{{ id = 'first' }}, {{ id = 'second' }}]\n",
        model.url()
    );
    let mut term = Term::new(Shell::Bash).env("OLLAMA_HOST", "127.0.0.1:9").config(&config).size(40, 120).start();
    term.wait_for_prompt();
    term.typed(format!("{PROGRAM} models\r"));
    term.wait_for("Enter make it your default model");
    term.typed("second\r");
    term.wait_for("corp/second is now your default model");
    term.run(&format!("{PROGRAM} config get model.name"));
    term.wait_for("corp/second");
}
