//! Reads vendors' error responses into our error kinds.

use serde_json::Value;

use super::api_key::ApiKey;
use super::error::{ErrorKind, ProviderError};
use super::overflow;

/// The vendor, model and key of a request, for its errors.
#[derive(Debug, Clone, Copy)]
pub(super) struct AskedModel<'a> {
    pub(super) vendor: &'a str,
    /// The name of the server in messages.
    pub(super) shown_name: &'a str,
    pub(super) model: &'a str,
    pub(super) key: Option<&'a ApiKey>,
}

/// The readable parts of an error response.
#[derive(Debug, Default, PartialEq)]
pub(super) struct ErrorResponse {
    pub(super) status: Option<u16>,
    /// The vendor's codes for the kind of error.
    codes: Vec<String>,
    message: String,
    /// The field of the request that it is about.
    param: Option<String>,
    /// The size of the context window, where a field of its own says so (llama.cpp).
    window: Option<u32>,
    /// Whether it was an error object, not a web page or empty.
    readable: bool,
}

impl ErrorResponse {
    /// Reads the body of a response with an error status.
    pub(super) fn of_body(status: u16, body: &[u8]) -> ErrorResponse {
        let mut response = match serde_json::from_slice::<Value>(body) {
            Ok(Value::Array(list)) => list.first().map(ErrorResponse::of_object).unwrap_or_default(),
            Ok(value) => ErrorResponse::of_object(&value),
            Err(_) => ErrorResponse::of_text(body),
        };
        response.status = Some(status);
        response
    }

    /// Reads an error object: `{"error": {…}}`, `{"error": "…"}`, `{"message": …}`, `{"detail": …}`.
    pub(super) fn of_object(value: &Value) -> ErrorResponse {
        let mut response = ErrorResponse { readable: value.is_object(), ..ErrorResponse::default() };
        let error = value.get("error").filter(|error| !error.is_null());
        for object in error.into_iter().chain([value]) {
            response.read(object);
        }
        response
    }

    fn of_text(body: &[u8]) -> ErrorResponse {
        let text = String::from_utf8_lossy(body);
        let text = text.trim();
        let is_page = text.starts_with('<');
        let message = if is_page { page_words(text).unwrap_or_default() } else { text.to_owned() };
        ErrorResponse { message, ..ErrorResponse::default() }
    }

    fn read(&mut self, object: &Value) {
        for name in ["code", "type", "status"] {
            match object.get(name) {
                // The type of the event, not of the error.
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
        self.window = self.window.or_else(|| u32::try_from(object.get("n_ctx")?.as_u64()?).ok());
        self.param = self.param.take().or_else(|| object.get("param")?.as_str().map(str::to_owned));
        let words = [Some(object), object.get("message"), object.get("detail")];
        if self.message.is_empty() {
            let words: Vec<&Value> = words.into_iter().flatten().collect();
            let plain = words.iter().find_map(|words| words.as_str()).map(str::to_owned);
            self.message = plain.or_else(|| words.into_iter().find_map(complaint)).unwrap_or_default();
        }
    }

    pub(super) fn into_error(self, asked: AskedModel<'_>) -> ProviderError {
        let kind = self.kind(asked);
        let message = match asked.key {
            Some(key) => key.scrub(&self.message),
            None => self.message,
        };
        let message = match (&kind, self.status) {
            // These errors differ only in their status.
            (ErrorKind::Malformed | ErrorKind::Forbidden | ErrorKind::Key { .. }, Some(status)) if !self.readable => {
                if message.is_empty() {
                    format!("status {status}")
                } else {
                    format!("{message} (status {status})")
                }
            }
            _ => message,
        };
        ProviderError::new(asked.shown_name, kind).saying(&message).about(self.param)
    }

    fn kind(&self, asked: AskedModel<'_>) -> ErrorKind {
        let by_code = self.codes.iter().find_map(|code| self.kind_by_code(code, asked));
        if by_code.is_none() && overflow::is_meant_by(&self.message) {
            return self.too_long();
        }
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
            "context_length_exceeded" | "exceed_context_size_error" | "request_too_large" => self.too_long(),
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
            Some(413) => self.too_long(),
            Some(429) => ErrorKind::RateLimited,
            Some(503 | 529) => ErrorKind::Overloaded,
            Some(status @ (408 | 500..)) => ErrorKind::Server { status: Some(status) },
            Some(400 | 422) => self.kind_by_words(asked),
            Some(status) => ErrorKind::BadRequest { status: Some(status) },
            // An error object without a code inside a stream: the request itself was accepted.
            None if self.codes.is_empty() => ErrorKind::Server { status: None },
            None => self.kind_by_words(asked),
        }
    }

    /// xAI has no code for a wrong key, so its message is searched.
    fn kind_by_words(&self, asked: AskedModel<'_>) -> ErrorKind {
        let message = self.message.to_ascii_lowercase();
        let says = |words: &[&str]| words.iter().any(|words| message.contains(words));
        if says(&["api key"]) { wants_key(asked) } else { ErrorKind::BadRequest { status: self.status } }
    }

    fn too_long(&self) -> ErrorKind {
        ErrorKind::ContextTooLong { window: self.window.or_else(|| overflow::window(&self.message)) }
    }
}

/// The first complaint of a list about fields, as FastAPI sends it (`{"detail": [{"loc": ["body", "x"], "msg": "…"}]}`): vLLM, Mistral
/// and many proxies.
fn complaint(words: &Value) -> Option<String> {
    let first = words.get("detail").unwrap_or(words).as_array()?.first()?;
    let said = first.get("msg")?.as_str()?;
    let place = first.get("loc").and_then(Value::as_array).into_iter().flatten();
    let place: Vec<String> = place.map(|part| part.as_str().map_or_else(|| part.to_string(), str::to_owned)).collect();
    Some(if place.is_empty() { said.to_owned() } else { format!("{}: {said}", place.join(".")) })
}

/// The title of a web page that came instead of an answer.
pub(super) fn page_words(text: &str) -> Option<String> {
    // Lower-casing only ASCII keeps every byte offset.
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
