use super::super::Finder;
use super::super::choose::{Env, ModelPreference};
use super::super::testing::{FakeServer, request};
use super::*;

async fn resolve(preference: &ModelPreference, env: Env<'_>) -> Result<Option<Resolved>, ResolveError> {
    Finder::default().find(preference, env).await
}

fn env<'a>(variables: &'a [(&'a str, &'a str)]) -> impl Fn(&str) -> Option<String> + Send + Sync + 'a {
    |name: &str| variables.iter().find(|(known, _)| *known == name).map(|(_, value)| (*value).to_owned())
}

const MODELS: &[u8] = br#"{"object":"list","data":[{"id":"nomic-embed-text"},{"id":"qwen3:8b","max_model_len":4096},{"id":"phi:latest"}]}"#;

#[tokio::test]
async fn a_server_without_a_named_model_is_asked_for_one() {
    let server = FakeServer::answering(200, "", MODELS);
    let url = format!("{}/v1", server.url);
    let found = resolve(&ModelPreference::default(), &env(&[("OPENAI_BASE_URL", &url)])).await.unwrap().unwrap();
    assert_eq!((found.vendor.as_str(), found.model.as_str()), ("custom", "qwen3:8b"));
    assert_eq!(found.context_window, Some(4_096));
    assert!(server.request().starts_with("GET /v1/models HTTP/1.1\r\n"));
}

#[tokio::test]
async fn a_local_server_is_found_and_asked_for_the_model_wished_for() {
    let server = FakeServer::answering(200, "", MODELS);
    let host = server.url.replace("http://", "");
    let variables = [("OLLAMA_HOST", host.as_str())];
    let preference = |model: &str| ModelPreference { model: Some(model.to_owned()), ..ModelPreference::default() };
    let found = resolve(&ModelPreference::default(), &env(&variables)).await.unwrap().unwrap();
    assert_eq!((found.vendor.as_str(), found.model.as_str()), ("ollama", "qwen3:8b"));
    let found = resolve(&preference("phi:low"), &env(&variables)).await.unwrap().unwrap();
    assert_eq!((found.model.as_str(), found.effort), ("phi:latest", Effort::Low));
}

#[tokio::test]
async fn before_consent_a_found_server_receives_only_our_name() {
    let server = FakeServer::answering(200, "", MODELS);
    let url = server.url.replace("http://", "http://me:password@");
    let variables = [("OLLAMA_HOST", url.as_str()), ("OLLAMA_API_KEY", "sk-secret"), ("WORK_KEY", "sk-other")];
    let preference = ModelPreference { model: Some("phi".to_owned()), ..ModelPreference::default() };
    let found = resolve(&preference, &env(&variables)).await.unwrap().unwrap();
    assert!(found.is_discovered());
    let asked = server.request().to_ascii_lowercase();
    let mut lines: Vec<&str> = asked.trim_end().lines().collect();
    lines.sort_unstable();
    let host = format!("host: {}", server.url.replace("http://", ""));
    let name = concat!("user-agent: shellmate/", env!("CARGO_PKG_VERSION"));
    assert_eq!(lines, ["accept-encoding: gzip", "accept: */*", "get /v1/models http/1.1", &host, name]);
}

#[tokio::test]
async fn a_model_that_nobody_has_says_what_to_do() {
    let variables = [("OLLAMA_HOST", "127.0.0.1:1")];
    let missing = |model: &str| ModelPreference { model: Some(model.to_owned()), ..ModelPreference::default() };
    let error = resolve(&missing("claude-opus-5"), &env(&variables)).await.err().unwrap();
    assert_eq!(
        error.to_string(),
        "anthropic needs a key; run `shellmate auth login anthropic`, or set ANTHROPIC_API_KEY"
    );
    let error = resolve(&missing("no-such-model-here"), &env(&variables)).await.err().unwrap();
    assert!(matches!(error, ResolveError::Nobody { near: None, .. }));
    let error = resolve(&missing("opnai/gpt-5"), &env(&variables)).await.err().unwrap();
    assert_eq!(error.to_string(), "no provider has the model opnai/gpt-5; did you mean openai/gpt-5?");
}

#[tokio::test]
async fn the_usual_effort_is_one_the_model_knows() {
    let effort = async |model: &str| {
        let preference = ModelPreference { model: Some(model.to_owned()), ..ModelPreference::default() };
        let variables = [("OPENAI_API_KEY", "k"), ("ANTHROPIC_API_KEY", "k")];
        resolve(&preference, &env(&variables)).await.unwrap().unwrap().effort
    };
    assert_eq!(effort("openai/gpt-6-sol").await, Effort::Medium);
    assert_eq!(effort("openai/gpt-4.1").await, Effort::Medium);
    assert_eq!(effort("openai/gpt-5.1").await, Effort::Medium);
    assert_eq!(effort("anthropic/claude-sonnet-5").await, Effort::Medium);
    assert_eq!(effort("openai/gpt-6-sol:high").await, Effort::High);
}

#[tokio::test]
async fn each_vendor_has_its_key_in_its_own_header() {
    let stream = b"data: {\"choices\":[{\"delta\":{},\"finish_reason\":\"stop\"}]}\n\ndata: [DONE]\n\n";
    let messages = b"data: {\"type\":\"message_stop\"}\n\n";
    let sent = async |body: &[u8], model: &str, variables: &[(&str, &str)]| {
        let server = FakeServer::answering(200, "Content-Type: text/event-stream\r\n", body);
        let found = |name: &str| variables.iter().find(|(known, _)| *known == name).map(|(_, value)| *value);
        let read = |name: &str| Some(found(name)?.replace("URL", &server.url));
        let preference = ModelPreference { model: Some(model.to_owned()), ..ModelPreference::default() };
        let found = resolve(&preference, &read).await.unwrap().unwrap();
        let request = request(&found.model, Effort::Off);
        found.provider.stream(&request, &mut |_| ()).await.unwrap();
        server.request().to_ascii_lowercase()
    };

    let openai = sent(stream, "m", &[("OPENAI_API_KEY", "sk-1"), ("OPENAI_BASE_URL", "URL/v1")]).await;
    assert!(openai.starts_with("post /v1/chat/completions http/1.1\r\n"), "{openai}");
    assert!(openai.contains("\r\nauthorization: bearer sk-1\r\n"), "{openai}");

    let set = [("ANTHROPIC_API_KEY", "sk-2"), ("ANTHROPIC_BASE_URL", "URL")];
    let anthropic = sent(messages, "anthropic/m", &set).await;
    assert!(anthropic.starts_with("post /v1/messages http/1.1\r\n"), "{anthropic}");
    assert!(
        anthropic.contains("\r\nx-api-key: sk-2\r\n") && anthropic.contains("\r\nanthropic-version: 2023-06-01\r\n")
    );
    assert!(!anthropic.contains("authorization"));

    let set = [("AZURE_OPENAI_API_KEY", "sk-3"), ("AZURE_OPENAI_ENDPOINT", "URL")];
    let azure = sent(stream, "azure/mine", &set).await;
    let path = "post /openai/deployments/mine/chat/completions?api-version=2024-10-21 http/1.1\r\n";
    assert!(azure.starts_with(path), "{azure}");
    assert!(azure.contains("\r\napi-key: sk-3\r\n") && !azure.contains("authorization"));
}

#[tokio::test]
async fn a_thinking_level_that_is_replaced_is_told_once() {
    let stream = b"data: {\"choices\":[{\"delta\":{},\"finish_reason\":\"stop\"}]}\n\ndata: [DONE]\n\n";
    let server = FakeServer::answering(200, "", stream);
    let url = format!("{}/v1", server.url);
    let preference =
        ModelPreference { base_url: Some(url), model: Some("openai/gpt-5.1".to_owned()), ..ModelPreference::default() };
    let found = resolve(&preference, &env(&[])).await.unwrap().unwrap();
    let mut heard = Vec::new();
    for _ in 0..2 {
        let request = request(&found.model, Effort::XHigh);
        found.provider.stream(&request, &mut |delta| heard.push(delta)).await.unwrap();
    }
    let notice = super::super::Delta::Notice("gpt-5.1 has no thinking level xhigh here; using high".to_owned());
    assert_eq!(heard.iter().filter(|delta| **delta == notice).count(), 1);
}

#[test]
fn every_future_can_move_between_threads() {
    fn send(_: impl Send) {}
    let (preference, http, env) = (ModelPreference::default(), Http::default(), |_: &str| None);
    send(resolve(&preference, &env));
    send(list::list_models(Vec::new(), &http));
}
