use proptest::prelude::*;

use super::super::{Keys, VENDORS, WithKeys};
use super::*;

/// Chooses with these variables set.
fn chosen(preference: &ModelPreference, variables: &[(&str, &str)]) -> Result<Option<ModelChoice>, ResolveError> {
    let variables: Vec<(String, String)> =
        variables.iter().map(|(name, value)| ((*name).to_owned(), (*value).to_owned())).collect();
    let env = move |name: &str| variables.iter().find(|(known, _)| known == name).map(|(_, value)| value.clone());
    choose(preference, &env)
}

/// Who, where, with the key of which variable, and which model.
fn summary(choice: &ModelChoice) -> (&str, &str, Option<&str>, Option<&str>) {
    let variable = choice.key.as_ref().map(|key| key.variable.as_str());
    (choice.provider.vendor.name, &choice.base_url, variable, choice.model.as_deref())
}

fn preference(model: &str) -> ModelPreference {
    ModelPreference { model: Some(model.to_owned()), ..ModelPreference::default() }
}

fn at(url: &str) -> ModelPreference {
    ModelPreference { base_url: Some(url.to_owned()), ..ModelPreference::default() }
}

#[test]
fn each_key_brings_its_vendor() {
    for vendor in VENDORS.iter().filter(|vendor| !vendor.is_local() && vendor.name != "azure") {
        for variable in vendor.key_variables {
            let choice = chosen(&ModelPreference::default(), &[(variable, "k")]).unwrap().unwrap();
            assert_eq!(summary(&choice), (vendor.name, vendor.base_url, Some(*variable), vendor.default_model));
        }
    }
}

#[test]
fn the_variables_have_the_order_of_the_catalogue() {
    let order = [
        "OPENAI_API_KEY",
        "ANTHROPIC_API_KEY",
        "OPENROUTER_API_KEY",
        "GEMINI_API_KEY",
        "GROQ_API_KEY",
        "DEEPSEEK_API_KEY",
    ];
    for (place, first) in order.iter().enumerate() {
        let set: Vec<(&str, &str)> = order[place..].iter().rev().map(|name| (*name, "k")).collect();
        let choice = chosen(&ModelPreference::default(), &set).unwrap().unwrap();
        assert_eq!(choice.key.unwrap().variable, *first);
    }
}

#[test]
fn without_a_variable_or_with_an_empty_key_nothing_is_chosen() {
    assert_eq!(chosen(&ModelPreference::default(), &[]).unwrap(), None);
    assert_eq!(chosen(&ModelPreference::default(), &[("OPENAI_API_KEY", " ")]).unwrap(), None);
}

#[test]
fn a_base_url_variable_leads_to_another_vendor() {
    let key = ("OPENAI_API_KEY", "k");
    let choose = |url| chosen(&ModelPreference::default(), &[key, ("OPENAI_BASE_URL", url)]).unwrap().unwrap();
    assert_eq!(
        summary(&choose("https://llm.example.com/v1/")),
        ("custom", "https://llm.example.com/v1", Some("OPENAI_API_KEY"), None)
    );
    assert_eq!(choose("https://api.openai.com/v1").provider.vendor.name, "openai");
    let keyless =
        chosen(&ModelPreference::default(), &[("OPENAI_BASE_URL", "http://localhost:9999/v1")]).unwrap().unwrap();
    assert_eq!(summary(&keyless), ("custom", "http://localhost:9999/v1", None, None));
    let ollama =
        chosen(&ModelPreference::default(), &[("OPENAI_BASE_URL", "http://localhost:11434/v1")]).unwrap().unwrap();
    assert_eq!(summary(&ollama), ("ollama", "http://localhost:11434/v1", None, None));
    let named = chosen(&preference("llama"), &[("OPENAI_BASE_URL", "http://127.0.0.1:9999/v1")]).unwrap().unwrap();
    assert_eq!(named.model.as_deref(), Some("llama"));
}

#[test]
fn a_base_url_variable_moves_anthropic() {
    let set = [("ANTHROPIC_API_KEY", "k"), ("ANTHROPIC_BASE_URL", "https://proxy.example.com/v1")];
    let choice = chosen(&ModelPreference::default(), &set).unwrap().unwrap();
    assert_eq!((choice.provider.vendor.name, choice.base_url.as_str()), ("anthropic", "https://proxy.example.com"));
    assert!(choice.model.is_some());
    let keyless = chosen(&ModelPreference::default(), &[("ANTHROPIC_BASE_URL", "http://[::1]:8082")]).unwrap().unwrap();
    assert_eq!((keyless.provider.vendor.name, keyless.key), ("anthropic", None));
    let far = chosen(&ModelPreference::default(), &[("ANTHROPIC_BASE_URL", "https://proxy.example.com")]);
    assert!(matches!(far, Err(ResolveError::NoKey { vendor: "anthropic", .. })));
}

#[test]
fn flags_come_before_the_environment() {
    let set = [("OPENAI_API_KEY", "k"), ("MY_KEY", "mine"), ("GROQ_API_KEY", "g")];
    let mut preference = at("https://llm.example.com/v1");
    preference.api_key_env = Some("MY_KEY".to_owned());
    preference.model = Some("big:high".to_owned());
    let choice = chosen(&preference, &set).unwrap().unwrap();
    assert_eq!(summary(&choice), ("custom", "https://llm.example.com/v1", Some("MY_KEY"), Some("big")));
    assert_eq!(choice.effort, Some(Effort::High));

    let choice = chosen(&at("https://api.groq.com/openai/v1"), &set).unwrap().unwrap();
    assert_eq!((choice.provider.vendor.name, choice.key.unwrap().variable.as_str()), ("groq", "GROQ_API_KEY"));

    let key_only = ModelPreference { api_key_env: Some("GROQ_API_KEY".to_owned()), ..ModelPreference::default() };
    assert_eq!(chosen(&key_only, &set).unwrap().unwrap().provider.vendor.name, "groq");
    let unset = ModelPreference { api_key_env: Some("NO_SUCH".to_owned()), ..ModelPreference::default() };
    assert!(matches!(chosen(&unset, &set), Err(ResolveError::Unset { variable }) if variable == "NO_SUCH"));
    for url in ["llm.example.com", "htpp://llm.example.com", "https://", "https://a b/v1", "https://a:99999/v1"] {
        assert!(matches!(chosen(&at(url), &set), Err(ResolveError::BadUrl { .. })), "{url}");
    }
    assert_eq!(chosen(&at("http://127.0.0.1:1/v1"), &[]).unwrap().unwrap().key, None);
}

#[test]
fn a_name_says_provider_model_and_effort() {
    let set = [("OPENAI_API_KEY", "k"), ("ANTHROPIC_API_KEY", "a"), ("GROQ_API_KEY", "g")];
    let choose = |name: &str| {
        let choice = chosen(&preference(name), &set).unwrap().unwrap();
        (choice.provider.vendor.name, choice.model.unwrap_or_default(), choice.effort)
    };
    let is = |vendor, model: &str, effort| (vendor, model.to_owned(), effort);
    assert_eq!(choose("anthropic/claude-opus-5:xhigh"), is("anthropic", "claude-opus-5", Some(Effort::XHigh)));
    assert_eq!(choose("groq/openai/gpt-oss-20b"), is("groq", "openai/gpt-oss-20b", None));
    assert_eq!(choose("ollama/qwen3:8b"), is("ollama", "qwen3:8b", None));
    assert_eq!(choose("ollama/qwen3:8b:low"), is("ollama", "qwen3:8b", Some(Effort::Low)));
    // A bare name goes to whose it is, or to the first there is.
    assert_eq!(choose("claude-haiku-4-5"), is("anthropic", "claude-haiku-4-5", None));
    assert_eq!(choose("something-new"), is("openai", "something-new", None));
    // A provider alone has its default.
    assert_eq!(choose("groq").1, Vendor::named("groq").unwrap().default_model.unwrap());
}

#[test]
fn shellmate_model_names_one_unless_a_flag_does() {
    let set = [("OPENAI_API_KEY", "k"), ("SHELLMATE_MODEL", "openai/gpt-5-mini:low")];
    let choice = chosen(&ModelPreference::default(), &set).unwrap().unwrap();
    assert_eq!((choice.model.as_deref(), choice.effort), (Some("gpt-5-mini"), Some(Effort::Low)));
    assert_eq!(chosen(&preference("gpt-4.1"), &set).unwrap().unwrap().model.as_deref(), Some("gpt-4.1"));
}

#[test]
fn a_named_vendor_needs_its_key_or_a_router() {
    let no_key = chosen(&preference("groq/llama"), &[("OPENAI_API_KEY", "k")]).unwrap_err();
    assert_eq!(no_key.to_string(), "groq needs a key; run `shellmate auth login groq`, or set GROQ_API_KEY");
    let routed = chosen(&preference("anthropic/claude-sonnet-5"), &[("OPENROUTER_API_KEY", "k")]).unwrap().unwrap();
    assert_eq!(
        (routed.provider.vendor.name, routed.model.as_deref()),
        ("openrouter", Some("anthropic/claude-sonnet-5"))
    );
    let hosted = chosen(&preference("openai/gpt-oss-120b"), &[("GROQ_API_KEY", "k")]).unwrap().unwrap();
    assert_eq!((hosted.provider.vendor.name, hosted.model.as_deref()), ("groq", Some("openai/gpt-oss-120b")));
}

#[test]
fn azure_has_its_own_url_version_and_deployment() {
    let key = ("AZURE_OPENAI_API_KEY", "k");
    let endpoint = ("AZURE_OPENAI_ENDPOINT", "https://me.openai.azure.com/");
    let choice =
        chosen(&ModelPreference::default(), &[key, endpoint, ("AZURE_OPENAI_DEPLOYMENT", "mine")]).unwrap().unwrap();
    assert_eq!(summary(&choice), ("azure", "https://me.openai.azure.com", Some("AZURE_OPENAI_API_KEY"), Some("mine")));
    let route = |prefix: &str, version: Option<&str>, lists_models| Route {
        prefix: prefix.to_owned(),
        query: version.map(|version| ("api-version", version.to_owned())),
        lists_models,
    };
    assert_eq!(choice.route, route("/openai/deployments/mine", Some("2024-10-21"), false));
    let version = ("AZURE_OPENAI_API_VERSION", "2025-01-01-preview");
    let choice = chosen(&preference("azure/other"), &[key, endpoint, version]).unwrap().unwrap();
    assert_eq!(choice.route, route("/openai/deployments/other", Some(version.1), false));
    let newer = ("AZURE_OPENAI_ENDPOINT", "https://me.openai.azure.com/openai/v1");
    let choice = chosen(&preference("azure/other"), &[key, newer]).unwrap().unwrap();
    assert_eq!(choice.route, route("", None, true));
    assert!(matches!(chosen(&preference("azure/x"), &[key]), Err(ResolveError::NoUrl { .. })));
    assert!(matches!(chosen(&preference("azure"), &[key, endpoint]), Err(ResolveError::NoModel { .. })));
    // Without a deployment it is not chosen by itself.
    assert_eq!(chosen(&ModelPreference::default(), &[key, endpoint]).unwrap(), None);
}

#[test]
fn ollama_listens_where_its_variable_says() {
    let url = |host| chosen(&preference("ollama/m"), &[("OLLAMA_HOST", host)]).unwrap().unwrap().base_url;
    assert_eq!(url("0.0.0.0"), "http://127.0.0.1:11434");
    assert_eq!(url("127.0.0.1:9000"), "http://127.0.0.1:9000");
    assert_eq!(url("https://gpu.lan:443/"), "https://gpu.lan:443");
}

#[test]
fn ollama_is_asked_over_its_own_protocol_unless_the_settings_say_otherwise() {
    let way = |preference: ModelPreference| {
        let choice = chosen(&preference, &[]).unwrap().unwrap();
        (choice.wire.protocol(), choice.base_url)
    };
    let ollama = || preference("ollama/m");
    let (root, v1) = ("http://127.0.0.1:11434".to_owned(), "http://127.0.0.1:11434/v1".to_owned());
    assert_eq!(way(ollama()), (Protocol::Ollama, root.clone()));
    assert_eq!(way(ModelPreference { protocol: Protocol::Chat, ..ollama() }), (Protocol::Chat, v1.clone()));
    assert_eq!(way(ModelPreference { base_url: Some(v1.clone()), ..ollama() }), (Protocol::Chat, v1.clone()));
    assert_eq!(
        way(ModelPreference { base_url: Some(v1.clone() + "/"), ..preference("m") }),
        (Protocol::Chat, v1.clone())
    );
    assert_eq!(
        way(ModelPreference { base_url: Some(root.clone()), ..preference("m") }),
        (Protocol::Ollama, root.clone())
    );
    let native = ModelPreference { protocol: Protocol::Ollama, base_url: Some(v1), ..preference("m") };
    assert_eq!(way(native), (Protocol::Ollama, root));
    let elsewhere = ModelPreference { protocol: Protocol::Ollama, ..at("http://gpu.lan:9000") };
    assert_eq!(way(elsewhere), (Protocol::Ollama, "http://gpu.lan:9000".to_owned()));
}

#[test]
fn settings_fill_in_what_was_not_said() {
    let settings = ModelPreference {
        model: Some("mine".to_owned()),
        base_url: Some("http://10.0.0.1/v1".to_owned()),
        api_key_env: Some("MINE".to_owned()),
        protocol: Protocol::Messages,
        effort: None,
        plain_http: vec!["10.0.0.1".to_owned()],
        window: Some(8_192),
        cache: CacheLifetime::Long,
        ..ModelPreference::default()
    };
    let nothing = |_: &str| None;
    let named = |name: &str| (name == "SHELLMATE_MODEL").then(|| "other".to_owned());
    assert_eq!(ModelPreference::default().or(&settings, &nothing), settings);
    assert_eq!(
        preference("other").or(&settings, &nothing),
        ModelPreference { model: Some("other".to_owned()), window: None, ..settings.clone() }
    );
    assert_eq!(
        ModelPreference::default().or(&settings, &named),
        ModelPreference { model: None, window: None, ..settings.clone() }
    );
    let plain_http = settings.plain_http.clone();
    let cache = settings.cache;
    let alone = ModelPreference { plain_http: plain_http.clone(), cache, ..preference("openai/gpt-4.1") };
    assert_eq!(preference("openai/gpt-4.1").or(&settings, &nothing), alone);
    let elsewhere = ModelPreference { plain_http, cache, ..at("http://10.0.0.2") };
    assert_eq!(at("http://10.0.0.2").or(&settings, &nothing), elsewhere);
}

#[test]
fn each_server_has_its_protocol_and_may_be_given_another() {
    let key = [("OPENAI_API_KEY", "k"), ("ANTHROPIC_API_KEY", "k"), ("AZURE_OPENAI_API_KEY", "k")];
    let spoken = |preference: ModelPreference| chosen(&preference, &key).unwrap().unwrap().wire.protocol();
    assert_eq!(spoken(preference("openai/gpt-5.4")), Protocol::Responses);
    assert_eq!(spoken(preference("openai/o3")), Protocol::Responses);
    assert_eq!(spoken(preference("openai/gpt-4.1")), Protocol::Chat);
    assert_eq!(
        spoken(ModelPreference { model: Some("gpt-5.4".to_owned()), ..at("https://10.0.0.1/v1") }),
        Protocol::Chat
    );
    assert_eq!(spoken(ModelPreference { protocol: Protocol::Chat, ..preference("openai/gpt-5.4") }), Protocol::Chat);
    assert_eq!(
        spoken(ModelPreference { protocol: Protocol::Responses, ..at("https://10.0.0.1/v1") }),
        Protocol::Responses
    );
    let messages = ModelPreference { protocol: Protocol::Messages, ..at("https://10.0.0.1/v1") };
    let choice = chosen(&messages, &key).unwrap().unwrap();
    assert_eq!((choice.wire.protocol(), choice.base_url.as_str()), (Protocol::Messages, "https://10.0.0.1"));
    let mut request = reqwest::Request::new(reqwest::Method::GET, "https://10.0.0.1/".parse().unwrap());
    choice.endpoint().signer.unwrap().sign(&mut request).unwrap();
    assert_eq!(request.headers().get("x-api-key").unwrap(), "k");
}

#[test]
fn a_key_goes_unencrypted_only_to_a_host_that_is_named_for_it() {
    let key = [("OPENAI_API_KEY", "k")];
    let refused = chosen(&at("http://llm.lan:8000/v1"), &key).unwrap_err();
    assert!(matches!(&refused, ResolveError::KeyInClear { host } if host == "llm.lan:8000"), "{refused}");
    let by_variable = [("OPENAI_API_KEY", "k"), ("OPENAI_BASE_URL", "http://10.0.0.1/v1")];
    assert!(matches!(chosen(&ModelPreference::default(), &by_variable), Err(ResolveError::KeyInClear { .. })));
    let allowed = ModelPreference { plain_http: vec!["llm.lan:8000".to_owned()], ..at("http://llm.lan:8000/v1") };
    assert!(chosen(&allowed, &key).unwrap().unwrap().key.is_some());
    for (url, variables) in
        [("http://llm.lan:8000/v1", &[][..]), ("http://127.0.0.1:1/v1", &key), ("https://llm.lan", &key)]
    {
        assert!(chosen(&at(url), variables).is_ok(), "{url}");
    }
}

#[test]
fn an_exported_key_decides_before_a_kept_key() {
    let mut keys = Keys::default();
    keys.keep("OPENAI_API_KEY", "kept");
    let with = |variables: &'static [(&'static str, &'static str)]| {
        let exported =
            |name: &str| variables.iter().find(|(known, _)| *known == name).map(|(_, value)| (*value).to_owned());
        let choice = choose(&ModelPreference::default(), &WithKeys { exported, keys: &keys }).unwrap().unwrap();
        (choice.provider.vendor.name, choice.base_url, choice.key.map(|key| key.variable))
    };
    let openai = Some("OPENAI_API_KEY".to_owned());
    assert_eq!(with(&[]), ("openai", "https://api.openai.com/v1".to_owned(), openai.clone()));
    let custom = ("custom", "https://llm.example.com/v1".to_owned(), openai);
    assert_eq!(with(&[("OPENAI_BASE_URL", "https://llm.example.com/v1")]), custom);
    assert_eq!(with(&[("GROQ_API_KEY", "g")]).0, "groq");
    assert_eq!(with(&[("ANTHROPIC_BASE_URL", "http://127.0.0.1:1")]).1, "http://127.0.0.1:1");
}

proptest! {
    /// Whatever `/models` prints can be said again: it leads to the same server and the same model.
    #[test]
    fn every_printed_name_resolves_to_itself(
        set in prop::collection::vec(prop::bool::ANY, SITUATIONS.len()),
        base_url in prop::option::of(prop::sample::select(vec!["https://llm.example.com/v1", "https://api.groq.com/openai/v1", "http://127.0.0.1:1234/v1"])),
        named in prop::option::of(prop::sample::select(vec!["x", "groq/y", "custom/z", "openai/gpt-5"])),
        model in "(custom/|openai/|groq/|ollama/)?[a-zA-Z0-9._-]{1,8}(:(8b|high|latest|off))?",
    ) {
        let variables: Vec<(&str, &str)> =
            SITUATIONS.iter().zip(&set).filter(|(_, is_set)| **is_set).map(|(variable, _)| *variable).collect();
        let env = move |name: &str| variables.iter().find(|(known, _)| *known == name).map(|(_, value)| (*value).to_owned());
        let settings = ModelPreference { base_url: base_url.map(str::to_owned), model: named.map(str::to_owned), ..ModelPreference::default() };
        for listed in everyone(&settings, &env).unwrap().choices {
            let name = full_name(listed.name(), &model);
            let again = choose(&preference(&name).or(&settings, &env), &env).unwrap().unwrap();
            prop_assert_eq!(&again.base_url, &listed.base_url, "{}", name);
            prop_assert_eq!(again.model.as_deref(), Some(model.as_str()), "{}", name);
            prop_assert_eq!((again.provider.vendor, again.key), (listed.provider.vendor, listed.key), "{}", name);
        }
    }
}

const SITUATIONS: [(&str, &str); 9] = [
    ("OPENAI_API_KEY", "k"),
    ("OPENAI_BASE_URL", "http://127.0.0.1:9999/v1"),
    ("ANTHROPIC_API_KEY", "k"),
    ("ANTHROPIC_BASE_URL", "http://127.0.0.1:8888"),
    ("OPENROUTER_API_KEY", "k"),
    ("GROQ_API_KEY", "k"),
    ("OLLAMA_HOST", "127.0.0.1:7777"),
    ("AZURE_OPENAI_API_KEY", "k"),
    ("AZURE_OPENAI_ENDPOINT", "https://me.openai.azure.com"),
];
