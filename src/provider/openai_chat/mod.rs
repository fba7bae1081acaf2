//! OpenAI's chat completions, and everyone who speaks them in a dialect.

mod calls;
mod dialect;
mod request;
mod stream;

pub(super) use dialect::{Dialect, Thinks};
pub(super) use request::body;
pub(super) use stream::Chunks;

/// Where the endpoint is, below the base URL.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Path {
    Plain,
    Deployment,
}

impl Path {
    pub(super) fn of(self, model: &str) -> String {
        match self {
            Path::Plain => "/chat/completions".to_owned(),
            Path::Deployment => format!("/openai/deployments/{model}/chat/completions"),
        }
    }
}

#[cfg(test)]
mod tests;
