//! Servers on the user's own machine. They need no key and have the models that were installed there.

use super::super::choose::{Env, variable};
use super::super::http;
use super::super::ollama::OllamaChat;
use super::super::openai_chat;
use super::super::protocol::Protocol;
use super::super::wire::Wire;
use super::{Quirks, Usual, Vendor, openai};

pub(in super::super) const OLLAMA: Vendor =
    Vendor { quirks: &Ollama, wire: &OllamaChat, ..server("ollama", "http://127.0.0.1:11434") };

pub(in super::super) const LM_STUDIO: Vendor = server("lmstudio", "http://127.0.0.1:1234/v1");

pub(in super::super) const LLAMA_CPP: Vendor = server("llamacpp", "http://127.0.0.1:8080/v1");

pub(in super::super) const VLLM: Vendor = server("vllm", "http://127.0.0.1:8000/v1");

/// A server at a URL that belongs to no vendor in the table. It may want a key.
pub(in super::super) static CUSTOM: Vendor =
    Vendor { url_variables: openai::URL_VARIABLES, key_variables: &["OPENAI_API_KEY"], ..server("custom", "") };

const fn server(name: &'static str, base_url: &'static str) -> Vendor {
    Vendor {
        name,
        base_url,
        url_variables: &[],
        key_variables: &[],
        default_model: None,
        models: &[],
        wire: &openai_chat::PLAIN,
        quirks: &Usual,
    }
}

#[derive(Debug)]
struct Ollama;

impl Quirks for Ollama {
    /// A URL that ends with `/v1` is the OpenAI-compatible interface.
    fn wire_at(&self, url: &str) -> Option<&'static dyn Wire> {
        url.ends_with("/v1").then_some(&openai_chat::PLAIN as &dyn Wire)
    }

    /// Every other wire is below `/v1`, which a URL for Ollama itself does not have.
    fn base_url_for(&self, wire: &dyn Wire, url: &str) -> Option<String> {
        let is_root = http::path(url).is_empty() && wire.protocol() != Protocol::Ollama;
        (is_root && wire.protocol() != Protocol::Messages).then(|| format!("{url}/v1"))
    }

    /// `OLLAMA_HOST` is the address that the server listens on: often it is no URL, and a client cannot connect to `0.0.0.0`.
    fn base_url(&self, _vendor: &Vendor, env: Env<'_>) -> Option<String> {
        let host = variable(env, "OLLAMA_HOST")?;
        let host = host.trim_end_matches('/').replace("0.0.0.0", "127.0.0.1");
        let (scheme, host) = host.split_once("://").unwrap_or(("http", &host));
        let has_port = host.rsplit_once(':').is_some_and(|(_, port)| port.parse::<u16>().is_ok());
        let port = if has_port { "" } else { ":11434" };
        Some(format!("{scheme}://{host}{port}"))
    }
}
