use std::net::TcpListener;

use serde_json::json;

use super::super::choose::{Env, ModelPreference, ResolveError};
use super::super::testing::{Documents, FakeServer};
use super::super::{Finder, HttpTimeouts, Resolved};
use super::*;

/// A model at this URL, by a name such as `ollama/qwen3`.
async fn resolved(model: &str, url: &str) -> Resolved {
    let preference =
        ModelPreference { base_url: Some(url.to_owned()), model: Some(model.to_owned()), ..ModelPreference::default() };
    Finder::default().find(&preference, &nothing).await.unwrap().unwrap()
}

fn nothing(_: &str) -> Option<String> {
    None
}

/// The window of a model at this URL, and where it comes from.
async fn window(model: &str, url: &str) -> (Option<u32>, WindowSource) {
    let mut resolved = resolved(model, url).await;
    resolved.learn_window().await;
    (resolved.context_window, resolved.window_source)
}

#[tokio::test]
async fn each_kind_of_server_is_asked_in_its_own_way() {
    let cases = [
        ("vllm/m", "/v1/models", json!({ "data": [{ "id": "m", "max_model_len": 8_192 }] }), WindowSource::ModelList),
        (
            "llamacpp/m",
            "/props?model=m&autoload=false",
            json!({ "default_generation_settings": { "n_ctx": 8_192 } }),
            WindowSource::Server,
        ),
        (
            "lmstudio/m",
            "/api/v1/models",
            json!({ "models": [{ "key": "m", "loaded_instances": [{ "config": { "context_length": 8_192 } }] }] }),
            WindowSource::Server,
        ),
        (
            "lmstudio/m",
            "/api/v0/models",
            json!({ "data": [{ "id": "m", "loaded_context_length": 8_192 }] }),
            WindowSource::Server,
        ),
        (
            "ollama/m",
            "/api/ps",
            json!({ "models": [{ "model": "m:latest", "context_length": 8_192 }] }),
            WindowSource::Server,
        ),
        (
            "custom/m",
            "/props?model=m&autoload=false",
            json!({ "default_generation_settings": { "n_ctx": 8_192 } }),
            WindowSource::Server,
        ),
        (
            "custom/m",
            "/v1/models",
            json!({ "data": [{ "id": "m", "context_length": 8_192 }] }),
            WindowSource::ModelList,
        ),
    ];
    for (model, path, document, source) in cases {
        let server = Documents::start(&[(path, document)]);
        let found = window(model, &format!("{}/v1", server.url)).await;
        assert_eq!(found, (Some(8_192), source), "{model} {path}: asked {:?}", server.asked());
    }
}

#[tokio::test]
async fn a_window_that_nobody_knows_is_small_for_ollama() {
    let server = Documents::start(&[]);
    let url = format!("{}/v1", server.url);
    assert_eq!(window("ollama/m", &url).await, (Some(4_096), WindowSource::Assumed));
    assert_eq!(window("custom/m", &url).await, (None, WindowSource::Assumed));
}

#[tokio::test]
async fn the_configuration_and_the_catalogue_come_before_the_server() {
    let server = Documents::start(&[("/v1/models", json!({ "data": [{ "id": "gpt-4.1", "context_length": 5 }] }))]);
    let url = format!("{}/v1", server.url);
    let known = window("openai/gpt-4.1", &url).await;
    assert_eq!(known, (Some(1_047_576), WindowSource::Catalogue));
    let preference = ModelPreference {
        base_url: Some(url),
        model: Some("custom/m".to_owned()),
        window: Some(9_000),
        ..ModelPreference::default()
    };
    let mut set = Finder::default().find(&preference, &nothing).await.unwrap().unwrap();
    set.learn_window().await;
    assert_eq!((set.context_window, set.window_source), (Some(9_000), WindowSource::Configured));
    assert_eq!(server.asked(), [""; 0], "nobody had to be asked");
}

#[tokio::test]
async fn a_server_is_asked_once_for_each_model() {
    let server = Documents::start(&[("/v1/models", json!({ "data": [{ "id": "m", "max_model_len": 8_192 }] }))]);
    let mut finder = Finder::default();
    let preference = |model: &str| ModelPreference {
        base_url: Some(format!("{}/v1", server.url)),
        model: Some(model.to_owned()),
        ..ModelPreference::default()
    };
    for model in ["vllm/m", "vllm/m", "vllm/n", "vllm/m"] {
        let mut found = finder.find(&preference(model), &nothing).await.unwrap().unwrap();
        found.learn_window().await;
    }
    assert_eq!(server.asked(), ["GET /v1/models", "GET /v1/models"], "once for m, once for n");
    finder.forget();
    finder.find(&preference("vllm/m"), &nothing).await.unwrap().unwrap().learn_window().await;
    assert_eq!(server.asked(), ["GET /v1/models"], "a server that failed is asked again");
}

#[tokio::test]
async fn a_found_server_is_asked_for_its_list_only() {
    let models = json!({ "data": [{ "id": "m" }] });
    let server = Documents::start(&[("/v1/models", models)]);
    let host = server.url.replace("http://", "");
    let env = |name: &str| (name == "OLLAMA_HOST").then(|| host.clone());
    let find = async |env: Env<'_>| -> Result<Option<Resolved>, ResolveError> {
        Finder::default().find(&ModelPreference::default(), env).await
    };
    let found = find(&env).await.unwrap().unwrap();
    assert!(found.is_discovered() && found.context_window.is_none());
    assert_eq!(server.asked(), ["GET /v1/models"]);
}

#[tokio::test]
async fn another_machine_is_asked_for_its_list_only() {
    // This address reaches this machine, but does not say so.
    let Ok(listener) = TcpListener::bind("0.0.0.0:0") else { return };
    let port = listener.local_addr().unwrap().port();
    let server = Documents::serve(listener, &[]);
    let found = window("ollama/m", &format!("http://0.0.0.0:{port}/v1")).await;
    assert_eq!(found, (Some(4_096), WindowSource::Assumed));
    assert_eq!(server.asked(), ["GET /v1/models"]);
}

#[tokio::test]
async fn a_server_that_does_not_answer_is_not_waited_for() {
    let server = FakeServer::start(vec![super::super::testing::ServerStep::Wait]);
    // An answer of a model may be silent for two minutes, so an end before that is the limit for local servers.
    let silence = HttpTimeouts::default().silence;
    let found = tokio::time::timeout(silence / 2, window("llamacpp/m", &format!("{}/v1", server.url))).await;
    assert_eq!(found, Ok((None, WindowSource::Assumed)));
}
