//! Providers of the configuration.

use super::super::model_traits::ModelTraits;
use super::super::table::{ModelTable, ProviderTable};
use super::super::value_origin::ValueOrigin;
use super::*;

fn table(name: &str, base_url: &str) -> ProviderTable {
    ProviderTable {
        name: name.to_owned(),
        base_url: Some(base_url.to_owned()).filter(|url| !url.is_empty()),
        protocol: Protocol::Auto,
        credential: Credential::Usual,
        headers: Vec::new(),
        body: serde_json::Map::new(),
        identity: None,
        models: Vec::new(),
    }
}

fn settings(tables: Vec<ProviderTable>) -> ModelPreference {
    ModelPreference { providers: ProviderTables::new(tables), ..ModelPreference::default() }
}

fn chosen(model: &str, settings: &ModelPreference, env: Env<'_>) -> Result<Option<ModelChoice>, ResolveError> {
    let model = Some(model.to_owned()).filter(|model| !model.is_empty());
    choose(&ModelPreference { model, ..ModelPreference::default() }.or(settings, env), env)
}

fn keys(name: &str) -> Option<String> {
    matches!(name, "OPENAI_API_KEY" | "CORP_API_KEY" | "TOKEN").then(|| format!("value of {name}"))
}

fn nothing(_: &str) -> Option<String> {
    None
}

/// The provider's name, its URL, the variable of its key and its model.
fn summary(choice: ModelChoice) -> (String, String, Option<String>, Option<String>) {
    (choice.name().to_owned(), choice.base_url, choice.key.map(|key| key.variable), choice.model)
}

fn owned(
    name: &str,
    url: &str,
    key: Option<&str>,
    model: Option<&str>,
) -> (String, String, Option<String>, Option<String>) {
    (name.to_owned(), url.to_owned(), key.map(str::to_owned), model.map(str::to_owned))
}

#[test]
fn a_new_name_is_a_new_provider_with_its_own_key() {
    let settings = settings(vec![table("corp", "https://llm.corp.example/v1/")]);
    let choice = chosen("corp/big:high", &settings, &keys).unwrap().unwrap();
    assert_eq!(choice.effort, Some(Effort::High));
    assert_eq!(summary(choice), owned("corp", "https://llm.corp.example/v1", Some("CORP_API_KEY"), Some("big")));
    // The key of OpenAI never goes to another provider.
    let only_openai = |name: &str| keys(name).filter(|_| name == "OPENAI_API_KEY");
    let keyless = chosen("corp/big", &settings, &only_openai).unwrap().unwrap();
    assert_eq!(summary(keyless), owned("corp", "https://llm.corp.example/v1", None, Some("big")));
}

#[test]
fn a_known_name_is_changed_in_what_the_table_names() {
    let openai =
        ProviderTable { headers: vec![("x-team".into(), ValueOrigin::Text("blue".into()))], ..table("openai", "") };
    let choice = chosen("openai/gpt-5", &settings(vec![openai]), &keys).unwrap().unwrap();
    assert_eq!(choice.headers, [("x-team".to_owned(), "blue".to_owned())]);
    let expected = owned("openai", "https://api.openai.com/v1", Some("OPENAI_API_KEY"), Some("gpt-5"));
    assert_eq!(summary(choice), expected);
    let moved = settings(vec![table("openai", "https://proxy.example/openai/v1")]);
    let choice = chosen("openai/gpt-5", &moved, &keys).unwrap().unwrap();
    let expected = owned("openai", "https://proxy.example/openai/v1", Some("OPENAI_API_KEY"), Some("gpt-5"));
    assert_eq!(summary(choice), expected);
    assert!(matches!(chosen("openai/gpt-5", &moved, &nothing), Err(ResolveError::NoKey { vendor: "openai", .. })));
}

#[test]
fn the_secrets_of_a_table_go_to_its_host_only() {
    let secret = |name: &str| ProviderTable {
        headers: vec![("x-token".into(), ValueOrigin::Variable("TOKEN".into()))],
        ..table(name, "")
    };
    let refused = |settings: &ModelPreference, model: &str, env: Env<'_>| {
        matches!(chosen(model, settings, env), Err(ResolveError::OtherHost { .. }))
    };
    let moved = |name: &str| match name {
        "ANTHROPIC_BASE_URL" => Some("https://other.example".to_owned()),
        "OLLAMA_HOST" => Some("gpu.example:11434".to_owned()),
        "OPENAI_BASE_URL" => Some("https://other.example/v1".to_owned()),
        "ANTHROPIC_API_KEY" | "OPENAI_API_KEY" | "TOKEN" => Some("t".to_owned()),
        _ => None,
    };
    assert!(refused(&settings(vec![secret("anthropic")]), "anthropic/claude-x", &moved));
    assert!(refused(&settings(vec![secret("ollama")]), "ollama/m", &moved));
    let openai = chosen("openai/gpt-4o", &settings(vec![secret("openai")]), &moved).unwrap().unwrap();
    assert_eq!((openai.name(), openai.headers.len()), ("custom", 0));
    let own = ProviderTable { credential: Credential::Key(ValueOrigin::Text("k".into())), ..table("anthropic", "") };
    assert!(refused(&settings(vec![own]), "anthropic/claude-x", &moved));
    // Its own host, that of its table, and a table without secrets.
    let at_home = |name: &str| moved(name).filter(|_| name.ends_with("KEY") || name == "TOKEN");
    assert!(chosen("anthropic/claude-x", &settings(vec![secret("anthropic")]), &at_home).is_ok());
    let with_url = ProviderTable { base_url: Some("https://proxy.example".into()), ..secret("anthropic") };
    let choice = chosen("anthropic/claude-x", &settings(vec![with_url.clone()]), &moved).unwrap().unwrap();
    assert_eq!((choice.base_url.as_str(), choice.headers.len()), ("https://proxy.example", 1));
    assert!(chosen("anthropic/claude-x", &settings(vec![table("anthropic", "")]), &moved).is_ok());
    let elsewhere = ModelPreference { base_url: Some("https://other.example".into()), ..settings(vec![with_url]) };
    let named = ModelPreference { model: Some("anthropic/claude-x".into()), ..elsewhere };
    assert!(matches!(choose(&named, &moved), Err(ResolveError::OtherHost { .. })));
}

#[test]
fn the_configuration_decides_about_the_key() {
    let with = |credential| settings(vec![ProviderTable { credential, ..table("openai", "https://proxy.example/v1") }]);
    let key = |settings: &ModelPreference, env: Env<'_>| {
        chosen("openai/m", settings, env).map(|choice| choice.unwrap().key.map(|key| key.variable))
    };
    assert_eq!(key(&with(Credential::Nothing), &keys).unwrap(), None);
    let token = with(Credential::Bearer(ValueOrigin::Variable("TOKEN".into())));
    assert_eq!(key(&token, &keys).unwrap().as_deref(), Some("TOKEN"));
    assert!(matches!(key(&token, &nothing), Err(ResolveError::Unset { variable }) if variable == "TOKEN"));
    let written = with(Credential::Key(ValueOrigin::Text("sk-1".into())));
    assert_eq!(key(&written, &nothing).unwrap().as_deref(), Some("api_key of [providers.openai]"));
    let command = with(Credential::Key(ValueOrigin::Command("pass corp".into())));
    assert!(matches!(key(&command, &keys), Err(ResolveError::NotRun { command }) if command == "pass corp"));
}

#[test]
fn a_secret_header_is_not_sent_unencrypted() {
    let with = |origin| {
        settings(vec![ProviderTable { headers: vec![("x-a".into(), origin)], ..table("corp", "http://10.0.0.1/v1") }])
    };
    let env = |name: &str| (name == "TOKEN").then(|| "t".to_owned());
    assert!(chosen("corp/m", &with(ValueOrigin::Text("blue".into())), &env).is_ok());
    let refused = chosen("corp/m", &with(ValueOrigin::Variable("TOKEN".into())), &env);
    assert!(matches!(refused, Err(ResolveError::KeyInClear { host }) if host == "10.0.0.1"));
}

#[test]
fn a_listed_model_is_found_by_its_name_and_the_first_one_is_the_default() {
    let models = vec![ModelTable::named("house-model"), ModelTable::named("other")];
    let settings = settings(vec![ProviderTable { models, ..table("corp", "https://a.example/v1") }]);
    let corp = |model| owned("corp", "https://a.example/v1", None, Some(model));
    assert_eq!(summary(chosen("other", &settings, &nothing).unwrap().unwrap()), corp("other"));
    // Without a key in the environment the configured provider is asked; with one it is not.
    assert_eq!(summary(chosen("", &settings, &nothing).unwrap().unwrap()), corp("house-model"));
    assert_eq!(chosen("", &settings, &keys).unwrap().unwrap().name(), "openai");
    assert_eq!(known_names(&settings, &nothing)[..2], ["corp/house-model", "corp/other"]);
}

#[test]
fn a_model_may_have_its_own_protocol() {
    let claude = ModelTable { protocol: Protocol::Messages, ..ModelTable::named("claude") };
    let gateway =
        ProviderTable { protocol: Protocol::Responses, models: vec![claude], ..table("gw", "https://a.example/v1") };
    let settings = settings(vec![gateway]);
    let protocol = |model: &str| chosen(model, &settings, &nothing).unwrap().unwrap().wire.protocol();
    assert_eq!((protocol("gw/claude"), protocol("gw/gpt")), (Protocol::Messages, Protocol::Responses));
}

#[test]
fn the_table_knows_better_than_the_catalogue() {
    let traits = ModelTraits { sees: Some(false), output: Some(99), ..ModelTraits::default() };
    let models = vec![ModelTable { window: Some(50_000), traits, ..ModelTable::named("gpt-5") }];
    let settings = settings(vec![ProviderTable { models, ..table("openai", "") }]);
    let choice = chosen("openai/gpt-5", &settings, &keys).unwrap().unwrap();
    let known = choice.known(ListedModel::known(choice.provider.vendor, "gpt-5".to_owned()));
    assert_eq!((known.context_window, known.traits.sees, known.traits.output), (Some(50_000), Some(false), Some(99)));
    assert!(known.price.is_some(), "the catalogue's price is kept");
    assert_eq!(choice.configured_window("gpt-5"), Some(50_000));
}
