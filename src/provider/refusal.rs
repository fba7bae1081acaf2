//! What vendors say when they refuse: their error objects, read into our kinds.

use serde_json::Value;

use super::api_key::ApiKey;
use super::error::{ErrorKind, ProviderError};

/// Who was asked for what; words for the error.
#[derive(Debug, Clone, Copy)]
pub(super) struct AskedModel<'a> {
    pub(super) vendor: &'a str,
    pub(super) model: &'a str,
    pub(super) key: Option<&'a ApiKey>,
}

/// A refusal, as far as it could be read.
#[derive(Debug, Default, PartialEq)]
pub(super) struct Refusal {
    pub(super) status: Option<u16>,
    /// The vendor's words for the kind of failure: its code, its type, its reasons.
    codes: Vec<String>,
    message: String,
    /// The part of the request it is about.
    param: Option<String>,
    /// Whether it was an error object at all, and not a web page or nothing.
    readable: bool,
}

impl Refusal {
    /// Reads the body of an answer with a bad status.
    pub(super) fn of_body(status: u16, body: &[u8]) -> Refusal {
        let mut refusal = match serde_json::from_slice::<Value>(body) {
            Ok(Value::Array(list)) => list.first().map(Refusal::of_object).unwrap_or_default(),
            Ok(value) => Refusal::of_object(&value),
            Err(_) => Refusal::of_text(body),
        };
        refusal.status = Some(status);
        refusal
    }

    /// Reads an object that came where an answer should: `{"error": {…}}`, `{"error": "…"}`, `{"message": …}`, `{"detail": …}`.
    pub(super) fn of_object(value: &Value) -> Refusal {
        let mut refusal = Refusal { readable: value.is_object(), ..Refusal::default() };
        let error = value.get("error").filter(|error| !error.is_null());
        for object in error.into_iter().chain([value]) {
            refusal.read(object);
        }
        refusal
    }

    fn of_text(body: &[u8]) -> Refusal {
        let text = String::from_utf8_lossy(body);
        let text = text.trim();
        let is_page = text.starts_with('<');
        let message = if is_page { page_words(text).unwrap_or_default() } else { text.to_owned() };
        Refusal { message, ..Refusal::default() }
    }

    fn read(&mut self, object: &Value) {
        for name in ["code", "type", "status"] {
            match object.get(name) {
                // The type of an event, not of a failure.
                Some(Value::String(code)) if code == "error" => {}
                Some(Value::String(code)) => self.codes.push(code.clone()),
                Some(Value::Number(code)) => {
                    let status = code.as_u64().and_then(|code| u16::try_from(code).ok());
                    self.status = self.status.or(status.filter(|status| (400..600).contains(status)));
                }
                _ => {}
            }
        }
        for detail in object.get("details").and_then(Value::as_array).into_iter().flatten() {
            self.codes.extend(detail.get("reason").and_then(Value::as_str).map(str::to_owned));
        }
        self.param = self.param.take().or_else(|| object.get("param")?.as_str().map(str::to_owned));
        let words = [Some(object), object.get("message"), object.get("detail")];
        if self.message.is_empty() {
            self.message = words.into_iter().flatten().find_map(Value::as_str).unwrap_or_default().to_owned();
        }
    }

    pub(super) fn into_error(self, asked: AskedModel<'_>) -> ProviderError {
        let kind = self.kind(asked);
        let message = match asked.key {
            Some(key) => key.scrub(&self.message),
            None => self.message,
        };
        let message = match (&kind, self.status) {
            // Nothing else says which it was.
            (ErrorKind::Malformed | ErrorKind::Forbidden | ErrorKind::Key { .. }, Some(status)) if !self.readable => {
                format!("{message} (status {status})")
            }
            _ => message,
        };
        ProviderError::new(asked.vendor, kind).saying(&message).about(self.param)
    }

    fn kind(&self, asked: AskedModel<'_>) -> ErrorKind {
        let by_code = self.codes.iter().find_map(|code| self.kind_by_code(code, asked));
        by_code.unwrap_or_else(|| self.kind_by_status(asked))
    }

    fn kind_by_code(&self, code: &str, asked: AskedModel<'_>) -> Option<ErrorKind> {
        Some(match code {
            "insufficient_quota" | "billing_hard_limit_reached" | "billing_not_active" | "billing_error" => {
                ErrorKind::Quota
            }
            "invalid_api_key" | "authentication_error" | "invalid_authentication_error" | "API_KEY_INVALID" => {
                wants_key(asked)
            }
            "permission_error" | "PERMISSION_DENIED" => ErrorKind::Forbidden,
            "model_not_found" | "DeploymentNotFound" => no_model(asked),
            "not_found_error" if self.status.is_none_or(|status| status == 404) => no_model(asked),
            "context_length_exceeded" | "exceed_context_size_error" | "request_too_large" => ErrorKind::ContextTooLong,
            "rate_limit_exceeded" | "rate_limit_error" | "RESOURCE_EXHAUSTED" => ErrorKind::RateLimited,
            "overloaded_error" | "engine_overloaded" | "UNAVAILABLE" => ErrorKind::Overloaded,
            "api_error" | "server_error" | "internal_server_error" | "timeout_error" | "INTERNAL" => {
                ErrorKind::Server { status: self.status }
            }
            _ => return None,
        })
    }

    fn kind_by_status(&self, asked: AskedModel<'_>) -> ErrorKind {
        match self.status {
            Some(401) => wants_key(asked),
            Some(402) => ErrorKind::Quota,
            Some(403) => ErrorKind::Forbidden,
            Some(404) if self.readable => no_model(asked),
            Some(404 | 405) => ErrorKind::Malformed,
            Some(413) => ErrorKind::ContextTooLong,
            Some(429) => ErrorKind::RateLimited,
            Some(503 | 529) => ErrorKind::Overloaded,
            Some(status @ (408 | 500..)) => ErrorKind::Server { status: Some(status) },
            Some(400 | 422) => self.kind_by_words(asked),
            Some(status) => ErrorKind::BadRequest { status: Some(status) },
            // An error object inside a stream, without any code: the request itself was taken.
            None if self.codes.is_empty() => ErrorKind::Server { status: None },
            None => self.kind_by_words(asked),
        }
    }

    /// Anthropic, vLLM and xAI have no code of their own for these; their words are all there is.
    fn kind_by_words(&self, asked: AskedModel<'_>) -> ErrorKind {
        let message = self.message.to_ascii_lowercase();
        let says = |words: &[&str]| words.iter().any(|words| message.contains(words));
        if says(&["prompt is too long", "maximum context length", "context window", "context size"]) {
            ErrorKind::ContextTooLong
        } else if says(&["api key"]) {
            wants_key(asked)
        } else {
            ErrorKind::BadRequest { status: self.status }
        }
    }
}

/// What a web page in place of an answer says: its title.
pub(super) fn page_words(text: &str) -> Option<String> {
    // Lower case of ASCII alone leaves every byte where it is.
    let lower = text.to_ascii_lowercase();
    let open = lower.find("<title")?;
    let begin = open + lower[open..].find('>')? + 1;
    let end = begin + lower[begin..].find("</title")?;
    let title = text[begin..end].trim();
    (!title.is_empty()).then(|| format!("a web page, \"{title}\""))
}

fn wants_key(asked: AskedModel<'_>) -> ErrorKind {
    ErrorKind::Key { variable: asked.key.map(|key| key.variable.clone()) }
}

fn no_model(asked: AskedModel<'_>) -> ErrorKind {
    ErrorKind::ModelNotFound { model: asked.model.to_owned() }
}
