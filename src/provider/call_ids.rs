//! Ids of calls in the form of the server that reads them. A conversation may pass from one vendor to another, and each has its own form.

/// The length of an id for models of Mistral.
const MISTRAL: usize = 9;
/// The longest id in chat completions of OpenAI.
pub(super) const OPENAI_CHAT: usize = 40;
/// Parts of the names of Mistral's models.
const MISTRAL_NAMES: [&str; 7] = ["mistral", "mixtral", "ministral", "magistral", "codestral", "devstral", "pixtral"];

/// The id for a model in chat completions, by the model's name: the rules of its maker hold wherever it is served.
pub(super) fn for_model(model: &str, id: &str) -> String {
    let model = model.to_ascii_lowercase();
    let name = model.rsplit('/').next().unwrap_or(&model);
    let is_openai = name.starts_with("gpt-") && !name.starts_with("gpt-oss") || is_o_series(name);
    match () {
        () if MISTRAL_NAMES.iter().any(|part| name.contains(part)) => for_mistral(id),
        () if is_openai => at_most(id, OPENAI_CHAT),
        () => id.to_owned(),
    }
}

fn is_o_series(name: &str) -> bool {
    ["o1", "o3", "o4"]
        .iter()
        .any(|family| name.strip_prefix(family).is_some_and(|rest| !rest.starts_with(char::is_alphanumeric)))
}

/// Nine letters or digits.
pub(super) fn for_mistral(id: &str) -> String {
    let fits = id.len() == MISTRAL && id.bytes().all(|byte| byte.is_ascii_alphanumeric());
    if fits { id.to_owned() } else { hashed(id, MISTRAL as u32) }
}

/// At most so many bytes. vLLM's own ids have 46.
pub(super) fn at_most(id: &str, longest: usize) -> String {
    if id.len() <= longest { id.to_owned() } else { format!("call_{}", hashed(id, 12)) }
}

/// Letters and digits for an id, always the same. FNV-1a: a conversation has too few calls for a collision.
fn hashed(id: &str, length: u32) -> String {
    let hash = id
        .bytes()
        .fold(0xcbf2_9ce4_8422_2325_u64, |hash, byte| (hash ^ u64::from(byte)).wrapping_mul(0x0100_0000_01b3));
    let digit =
        |place: u32| char::from(b"0123456789abcdefghijklmnopqrstuvwxyz"[(hash / 36_u64.pow(place) % 36) as usize]);
    (0..length).map(digit).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn ids_have_the_form_of_the_models_maker() {
        let vllm = "chatcmpl-tool-0123456789abcdef0123456789abcdef";
        assert_eq!(for_model("Qwen/Qwen3-32B", vllm), vllm);
        assert_eq!(for_model("openai/gpt-oss-120b", vllm), vllm);
        for model in ["gpt-4.1", "openai/gpt-5", "o3-mini"] {
            let id = for_model(model, vllm);
            assert!(id.len() <= OPENAI_CHAT && id == for_model(model, vllm), "{id}");
            assert_eq!(for_model(model, "toolu_01ABC"), "toolu_01ABC");
        }
        for model in ["mistral-large-latest", "mistralai/Devstral-Small", "corp/codestral"] {
            let id = for_model(model, "call_1");
            assert!(id.len() == 9 && id.bytes().all(|byte| byte.is_ascii_alphanumeric()), "{id}");
            assert_ne!(id, for_model(model, "call_2"));
            assert_eq!(for_model(model, "aBc123xyZ"), "aBc123xyZ");
        }
    }
}
