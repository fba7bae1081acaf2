//! Mistral.

use super::super::catalog::ModelFacts;
use super::super::openai_chat::{ChatCompletions, ChatDialect};
use super::{Usual, Vendor};

pub(super) const VENDOR: Vendor = Vendor {
    name: "mistral",
    base_url: "https://api.mistral.ai/v1",
    url_variables: &[],
    key_variables: &["MISTRAL_API_KEY"],
    default_model: Some("mistral-medium-latest"),
    models: MODELS,
    wire: &CHAT,
    quirks: &Usual,
};

static CHAT: ChatCompletions = ChatCompletions(&MistralDialect);

const MODELS: &[ModelFacts] =
    &[ModelFacts::new("mistral", 128_000), ModelFacts::new("devstral", 128_000), ModelFacts::new("codestral", 256_000)];

/// The length of a call's id.
const ID_LENGTH: usize = 9;

#[derive(Debug)]
struct MistralDialect;

impl ChatDialect for MistralDialect {
    fn takes_usage_option(&self) -> bool {
        false
    }

    /// Ids have nine letters or digits. Another vendor's id is hashed to that length, always to the same.
    fn call_id(&self, id: &str) -> String {
        if id.len() == ID_LENGTH && id.bytes().all(|byte| byte.is_ascii_alphanumeric()) {
            return id.to_owned();
        }
        // FNV-1a. A conversation has too few calls for a collision.
        let hash = id
            .bytes()
            .fold(0xcbf2_9ce4_8422_2325_u64, |hash, byte| (hash ^ u64::from(byte)).wrapping_mul(0x0100_0000_01b3));
        let digit =
            |place: u32| char::from(b"0123456789abcdefghijklmnopqrstuvwxyz"[(hash / 36_u64.pow(place) % 36) as usize]);
        (0..ID_LENGTH as u32).map(digit).collect()
    }
}
