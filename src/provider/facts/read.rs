//! Reads the windows out of the documents of local servers. A missing or odd value counts as unknown.

use serde_json::Value;

use super::super::json::{list, text};
use super::{ServerFacts, WindowSource};

/// The largest window that an Ollama model is given unless the person or the server asks for more: a window takes memory.
const OLLAMA_MOST: u32 = 32_768;

/// Reads `/api/show` and `/api/ps` of Ollama. Only over its own interface can a request ask for a window.
pub(super) fn ollama(model: &str, shown: &Value, running: &Value, is_native: bool) -> ServerFacts {
    let is_it = |entry: &&Value| ["model", "name"].iter().any(|field| is_same(text(entry, field), model));
    let loaded = list(running, "models").find(is_it).and_then(|entry| tokens(entry.get("context_length")));
    let asked_for = loaded.max(parameter(text(shown, "parameters"), "num_ctx"));
    let trained = trained(shown).map(|trained| trained.min(OLLAMA_MOST));
    let window = if is_native { asked_for.max(trained) } else { asked_for };
    let capabilities = shown.get("capabilities").and_then(Value::as_array);
    ServerFacts {
        window: window.map(|window| (window, WindowSource::Server)),
        loaded,
        thinks: capabilities.map(|all| all.iter().any(|one| one == "thinking")),
    }
}

/// The window that the model was trained for: `<architecture>.context_length`.
fn trained(shown: &Value) -> Option<u32> {
    let info = shown.get("model_info")?.as_object()?;
    let architecture = info.get("general.architecture").and_then(Value::as_str).unwrap_or_default();
    let named = info.get(&format!("{architecture}.context_length"));
    tokens(named.or_else(|| info.iter().find(|(name, _)| name.ends_with(".context_length")).map(|(_, value)| value)))
}

/// A number in the lines of a model file's parameters.
fn parameter(lines: &str, name: &str) -> Option<u32> {
    lines.lines().find_map(|line| line.trim().strip_prefix(name)?.trim().parse().ok())
}

/// Whether Ollama means the same model. A name without a tag is the latest.
fn is_same(one: &str, other: &str) -> bool {
    let full = |name: &str| if name.contains(':') { name.to_owned() } else { format!("{name}:latest") };
    full(one) == full(other)
}

/// Reads `/props` of llama.cpp. A router without a loaded model says 0.
pub(super) fn llama_cpp(props: &Value) -> ServerFacts {
    loaded(tokens(props.pointer("/default_generation_settings/n_ctx")))
}

/// Reads `/api/v1/models` of LM Studio. Its `max_context_length` is not the loaded one.
pub(super) fn lm_studio(model: &str, models: &Value) -> ServerFacts {
    let entry = list(models, "models").find(|entry| [text(entry, "key"), text(entry, "id")].contains(&model));
    let instances = entry.into_iter().flat_map(|entry| list(entry, "loaded_instances"));
    let windows = instances.filter_map(|instance| tokens(instance.pointer("/config/context_length")));
    loaded(windows.min())
}

/// Reads `/api/v0/models` of LM Studio.
pub(super) fn lm_studio_v0(model: &str, models: &Value) -> ServerFacts {
    let entry = list(models, "data").find(|entry| text(entry, "id") == model);
    loaded(entry.and_then(|entry| tokens(entry.get("loaded_context_length"))))
}

fn loaded(window: Option<u32>) -> ServerFacts {
    let said = window.map(|window| (window, WindowSource::Server));
    ServerFacts { window: said, loaded: window, ..ServerFacts::default() }
}

/// A number of tokens; zero is unknown.
fn tokens(value: Option<&Value>) -> Option<u32> {
    value?.as_u64().and_then(|count| u32::try_from(count).ok()).filter(|count| *count > 0)
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;
    use serde_json::json;

    use super::*;

    fn window(facts: ServerFacts) -> Option<u32> {
        facts.window.map(|(window, _)| window)
    }

    #[test]
    fn ollama_says_what_it_has_loaded_and_what_it_could() {
        let shown = json!({
            "model_info": { "general.architecture": "qwen3", "qwen3.context_length": 40_960, "clip.context_length": 77 },
            "capabilities": ["completion", "tools", "thinking"],
        });
        let running = |window: u32| json!({ "models": [{ "model": "other" }, { "model": "qwen3:latest", "context_length": window }] });
        let read = |running: &Value, is_native| ollama("qwen3", &shown, running, is_native);
        assert_eq!(window(read(&Value::Null, true)), Some(32_768), "more takes memory that nobody has asked for");
        assert_eq!(window(read(&running(4_096), true)), Some(32_768));
        assert_eq!(window(read(&running(40_960), true)), Some(40_960), "the server was set up for more");
        assert_eq!(read(&running(4_096), true).loaded, Some(4_096));
        assert_eq!(read(&Value::Null, true).thinks, Some(true));
        assert_eq!(window(read(&running(8_192), false)), Some(8_192), "over /v1 the window is as loaded");
        assert_eq!(window(read(&Value::Null, false)), None);
    }

    #[test]
    fn the_file_of_an_ollama_model_may_name_a_window() {
        let shown =
            json!({ "parameters": "stop \"<|im_end|>\"\nnum_ctx                        65536\ntemperature 0.7" });
        assert_eq!(window(ollama("m", &shown, &Value::Null, false)), Some(65_536));
        assert_eq!(ollama("m", &json!({ "capabilities": ["completion"] }), &Value::Null, true).thinks, Some(false));
        assert_eq!(ollama("m", &Value::Null, &Value::Null, true), ServerFacts::default());
    }

    #[test]
    fn llama_cpp_and_lm_studio_say_what_they_have_loaded() {
        assert_eq!(window(llama_cpp(&json!({ "default_generation_settings": { "n_ctx": 8_192 } }))), Some(8_192));
        assert_eq!(window(llama_cpp(&json!({ "default_generation_settings": { "n_ctx": 0 } }))), None, "a bare router");
        let models = json!({ "models": [{ "key": "m", "max_context_length": 131_072,
            "loaded_instances": [{ "config": { "context_length": 16_384 } }, { "config": { "context_length": 4_096 } }] }] });
        assert_eq!(window(lm_studio("m", &models)), Some(4_096), "either instance may answer");
        assert_eq!(window(lm_studio("other", &models)), None);
        let models = json!({ "data": [{ "id": "m", "max_context_length": 131_072, "loaded_context_length": 4_096 }] });
        assert_eq!(window(lm_studio_v0("m", &models)), Some(4_096));
        let idle = json!({ "data": [{ "id": "m", "max_context_length": 131_072 }] });
        assert_eq!(window(lm_studio_v0("m", &idle)), None, "what could be loaded says nothing");
    }

    proptest! {
        #[test]
        fn no_parameters_make_it_panic(lines in "\\PC{0,60}") {
            parameter(&lines, "num_ctx");
        }
    }
}
