//! Errors of providers, with advice for the person.

use std::error::Error;
use std::fmt;
use std::time::Duration;

use super::retry::{self, Retry};
use crate::text;

/// A vendor's message is cut to this many bytes.
const WORDS_CAP: usize = 600;

/// Why there is no answer, or not a complete one.
#[derive(Debug)]
pub(crate) struct ProviderError(Box<ErrorFacts>);

#[derive(Debug)]
struct ErrorFacts {
    kind: ErrorKind,
    vendor: String,
    /// The vendor's message, made safe to show.
    words: Option<String>,
    /// The field of the request that it is about, as the vendor names it.
    param: Option<String>,
    /// Names that may have been meant.
    near: Vec<String>,
    after: Option<Duration>,
    source: Option<Box<dyn Error + Send + Sync>>,
}

/// What went wrong.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum ErrorKind {
    /// The key was refused. The variable is the one it came from, if any.
    Key {
        variable: Option<String>,
    },
    /// The key is valid, but not for this request.
    Forbidden,
    /// The client certificate of the configuration cannot be read.
    Certificate,
    /// The account has no money or quota left.
    Quota,
    ModelNotFound {
        model: String,
    },
    /// The request is longer than the model's window, which is this large if the vendor says so.
    ContextTooLong {
        window: Option<u32>,
    },
    RateLimited,
    Overloaded,
    /// The server failed.
    Server {
        status: Option<u16>,
    },
    /// The request was not understood.
    BadRequest {
        status: Option<u16>,
    },
    /// The response is a redirect. It is not followed, because the key would go with it.
    Moved {
        to: String,
    },
    /// Nothing listens at the address.
    ConnectionRefused {
        address: String,
        /// Whether the address is on this machine, where no proxy is used.
        is_here: bool,
    },
    /// No connection at all: name, network, TLS, proxy.
    Unreachable {
        address: String,
    },
    /// The server answers, but its identity cannot be verified.
    Untrusted {
        address: String,
        why: Distrust,
    },
    /// Connecting took too long.
    ConnectTimedOut {
        address: String,
    },
    /// Connected, but silent for too long.
    Silent {
        after: Duration,
    },
    /// The answer ended before it was complete.
    BrokenOff,
    /// The answer had begun, then came something that cannot be read.
    Damaged,
    /// The response is not an answer of this protocol.
    Malformed,
}

/// Why a connection is not trusted.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Distrust {
    /// The certificate is signed by an unknown authority.
    UnknownIssuer,
    /// The certificate has expired or is not valid yet.
    NotValidNow,
    /// The certificate is for another name.
    OtherName,
    /// The certificate is not a server certificate: an authority's own, or an old format.
    NotForServers,
    /// This machine has no CA certificates.
    NoAuthorities,
    /// The server does not speak TLS.
    NoTls,
    /// The server wants a client certificate, or another one.
    WantsCertificate,
    Other,
}

impl Distrust {
    fn what(self) -> Option<&'static str> {
        match self {
            Distrust::UnknownIssuer => Some("its certificate is signed by an unknown authority"),
            Distrust::NotValidNow => Some("its certificate has expired or is not valid yet"),
            Distrust::OtherName => Some("its certificate is for another name"),
            Distrust::NotForServers => Some("its certificate is not a server certificate"),
            Distrust::NoAuthorities => Some("this machine has no CA certificates"),
            Distrust::NoTls => Some("it does not speak TLS"),
            Distrust::WantsCertificate | Distrust::Other => None,
        }
    }

    fn advice(self) -> &'static str {
        match self {
            Distrust::UnknownIssuer => "if it is yours or your proxy's, name the signer's certificate in SSL_CERT_FILE",
            Distrust::NotValidNow => "check the clock of this machine, or tell whoever runs the server",
            Distrust::OtherName => "check the URL and the proxy",
            Distrust::NotForServers => "it must be made with a subjectAltName and basicConstraints=CA:FALSE",
            Distrust::NoAuthorities => "install ca-certificates, or check SSL_CERT_FILE and SSL_CERT_DIR",
            Distrust::NoTls => "should the URL begin with http://?",
            Distrust::WantsCertificate => "name a valid one with client_cert and client_key in [providers.NAME]",
            Distrust::Other => "check the URL, the proxy and the certificates (SSL_CERT_FILE)",
        }
    }
}

impl ProviderError {
    pub(crate) fn new(vendor: &str, kind: ErrorKind) -> ProviderError {
        ProviderError(Box::new(ErrorFacts {
            kind,
            vendor: vendor.to_owned(),
            words: None,
            param: None,
            near: Vec::new(),
            after: None,
            source: None,
        }))
    }

    /// Adds the vendor's message: one line, capped, without control characters.
    pub(crate) fn saying(mut self, words: &str) -> ProviderError {
        let safe = text::sanitize(words).split_whitespace().collect::<Vec<_>>().join(" ");
        let mut end = WORDS_CAP.min(safe.len());
        while !safe.is_char_boundary(end) {
            end -= 1;
        }
        let cut = if end < safe.len() { "…" } else { "" };
        let words = format!("{}{cut}", &safe[..end]);
        self.0.words = Some(words).filter(|words| !words.is_empty());
        self
    }

    pub(super) fn after(mut self, wait: Option<Duration>) -> ProviderError {
        self.0.after = wait;
        self
    }

    pub(super) fn did_you_mean(mut self, near: Vec<String>) -> ProviderError {
        self.0.near = near;
        self
    }

    pub(super) fn about(mut self, param: Option<String>) -> ProviderError {
        self.0.param = param;
        self
    }

    /// Whether a request was refused because of its path, not because of the model that it names.
    pub(super) fn is_about_path(&self, model: &str) -> bool {
        let names_model = self.0.words.as_deref().is_some_and(|words| words.contains(model));
        match self.kind() {
            ErrorKind::ModelNotFound { .. } => !names_model,
            // A status for an unknown path or method, without an error object.
            ErrorKind::Malformed => true,
            _ => false,
        }
    }

    /// Whether a request was refused because of its pictures.
    pub(super) fn is_about_pictures(&self) -> bool {
        let is_refusal = matches!(
            self.kind(),
            ErrorKind::BadRequest { .. } | ErrorKind::ModelNotFound { .. } | ErrorKind::Server { .. }
        );
        let words = self.0.words.as_deref().unwrap_or_default().to_ascii_lowercase();
        is_refusal && ["image", "vision", "multimodal", "mmproj"].iter().any(|word| words.contains(word))
    }

    /// Whether a request was refused because of signed or encrypted thinking in it.
    pub(super) fn is_about_signatures(&self) -> bool {
        let words = self.refused_words();
        let has = |parts: &[&str]| parts.iter().all(|part| words.contains(part));
        has(&["encrypted content"])
            || has(&["encrypted_content"])
            || has(&["thinking", "signature"])
            || has(&["thought", "signature"])
    }

    /// Whether a request was refused because a message of the model has a field with its thinking.
    pub(super) fn is_about_echo(&self) -> bool {
        let words = self.refused_words();
        let has_any = |parts: &[&str]| parts.iter().any(|part| words.contains(part));
        words.contains("message")
            && has_any(&["reasoning_content", "reasoning'", "reasoning\"", "reasoning`", ".reasoning:"])
            && has_any(&[
                "unsupported",
                "not supported",
                "unknown",
                "unrecognized",
                "unexpected",
                "extra ",
                "not permitted",
                "not allowed",
            ])
    }

    /// The message of a request that was not understood, in lower case.
    fn refused_words(&self) -> String {
        let is_refusal = matches!(self.kind(), ErrorKind::BadRequest { .. });
        self.0.words.as_deref().filter(|_| is_refusal).unwrap_or_default().to_ascii_lowercase()
    }

    /// Whether it is about this field of the request.
    pub(super) fn is_about(&self, param: &str) -> bool {
        self.0.param.as_deref() == Some(param)
    }

    pub(super) fn caused_by(mut self, source: impl Error + Send + Sync + 'static) -> ProviderError {
        self.0.source = Some(Box::new(source));
        self
    }

    pub(crate) fn kind(&self) -> &ErrorKind {
        &self.0.kind
    }

    /// Whether and when the same request may be sent again.
    pub(crate) fn retry(&self) -> Retry {
        match (&self.0.kind, self.0.after) {
            (
                ErrorKind::Key { .. }
                | ErrorKind::Forbidden
                | ErrorKind::Quota
                | ErrorKind::ModelNotFound { .. }
                | ErrorKind::ContextTooLong { .. }
                | ErrorKind::BadRequest { .. }
                | ErrorKind::Moved { .. }
                | ErrorKind::ConnectionRefused { .. }
                | ErrorKind::Untrusted { .. }
                | ErrorKind::Certificate
                | ErrorKind::Malformed,
                _,
            ) => Retry::Never,
            (ErrorKind::RateLimited | ErrorKind::Overloaded | ErrorKind::Server { .. }, Some(wait)) => {
                Retry::After(wait)
            }
            (
                ErrorKind::RateLimited
                | ErrorKind::Overloaded
                | ErrorKind::Server { .. }
                | ErrorKind::Unreachable { .. }
                | ErrorKind::ConnectTimedOut { .. }
                | ErrorKind::Silent { .. }
                | ErrorKind::BrokenOff
                | ErrorKind::Damaged,
                _,
            ) => Retry::Backoff,
        }
    }

    /// What could not be done.
    fn what(&self) -> String {
        let vendor = &self.0.vendor;
        match &self.0.kind {
            ErrorKind::Key { variable: Some(variable) } => format!("{vendor} does not accept the key in {variable}"),
            ErrorKind::Key { variable: None } => format!("{vendor} requires a key"),
            ErrorKind::Forbidden => format!("{vendor} does not allow this with your key"),
            ErrorKind::Quota => format!("your account at {vendor} has no credit left"),
            ErrorKind::ModelNotFound { model } => format!("{vendor} has no model called {model}"),
            ErrorKind::ContextTooLong { .. } => "the conversation is too long for the model".to_owned(),
            ErrorKind::RateLimited => format!("you have reached the rate limit of {vendor}"),
            ErrorKind::Overloaded => format!("{vendor} is overloaded"),
            ErrorKind::Server { status: Some(status) } => format!("{vendor} reported a server error ({status})"),
            ErrorKind::Server { status: None } => format!("{vendor} reported a server error"),
            ErrorKind::BadRequest { status: Some(status) } => format!("{vendor} rejected the request ({status})"),
            ErrorKind::BadRequest { status: None } => format!("{vendor} rejected the request"),
            ErrorKind::Moved { to } => format!("{vendor} redirects to {}", text::sanitize(to)),
            ErrorKind::ConnectionRefused { address, .. } => format!("nothing answers at {address}"),
            ErrorKind::Unreachable { address } => format!("cannot reach {address}"),
            ErrorKind::Untrusted { address, why: Distrust::WantsCertificate } => {
                format!("{address} wants a client certificate that it accepts")
            }
            ErrorKind::Untrusted { address, why } => {
                let why = why.what().map(|why| format!(": {why}")).unwrap_or_default();
                format!("cannot verify the identity of {address}{why}")
            }
            ErrorKind::ConnectTimedOut { address } => format!("connecting to {address} timed out"),
            ErrorKind::Silent { after } => format!("no response from {vendor} for {}", text::human::duration(*after)),
            ErrorKind::BrokenOff => format!("the connection to {vendor} was lost before the answer was complete"),
            ErrorKind::Damaged => format!("the answer from {vendor} arrived damaged"),
            ErrorKind::Certificate => format!("the client certificate for {vendor} cannot be used"),
            ErrorKind::Malformed => format!("the response from {vendor} is not a model's answer"),
        }
    }

    /// What went wrong, in the words of the server too. It fits while shellmate itself tries again.
    pub(crate) fn cause(&self) -> String {
        let words = self.0.words.as_deref().map(|words| format!(": {}", words.trim_end_matches('.')));
        self.what() + &words.unwrap_or_default()
    }

    /// What the person can do.
    fn advice(&self) -> Option<String> {
        Some(match &self.0.kind {
            ErrorKind::Key { variable: Some(_) } => {
                "`shellmate auth status` says where it comes from: export another, or store one with `shellmate auth login`"
                    .to_owned()
            }
            ErrorKind::Key { variable: None } => {
                "`shellmate auth status` lists the variables that may hold it, `api_key_env` in [model] names another"
                    .to_owned()
            }
            ErrorKind::ModelNotFound { .. } if !self.0.near.is_empty() => {
                format!("did you mean {}? `shellmate models` lists all", text::sanitize(&self.0.near.join(" or ")))
            }
            ErrorKind::ModelNotFound { .. } => "`shellmate models` lists the ones it has".to_owned(),
            ErrorKind::ContextTooLong { .. } => "ask about less, or start afresh with /new".to_owned(),
            ErrorKind::Quota => "add credit, or choose another model with /model".to_owned(),
            ErrorKind::Forbidden => "check what the key is for, or choose another model".to_owned(),
            ErrorKind::Moved { .. } => "if you trust it, make that the base URL".to_owned(),
            ErrorKind::ConnectionRefused { is_here: true, .. } => {
                "is the server running? start it, or name another model".to_owned()
            }
            ErrorKind::ConnectionRefused { is_here: false, .. }
            | ErrorKind::Unreachable { .. }
            | ErrorKind::ConnectTimedOut { .. } => "check the network, the proxy and the base URL".to_owned(),
            ErrorKind::Untrusted { why, .. } => why.advice().to_owned(),
            ErrorKind::Certificate => "check client_cert and client_key".to_owned(),
            ErrorKind::Malformed => "check the base URL, which usually ends with /v1".to_owned(),
            ErrorKind::RateLimited | ErrorKind::Overloaded | ErrorKind::Server { .. } => {
                match self.0.after.filter(|wait| *wait > retry::LONGEST) {
                    Some(wait) => format!("ask again in {}", text::human::duration(wait)),
                    None => "ask again later, or choose another model with /model".to_owned(),
                }
            }
            ErrorKind::Silent { .. } => "ask again; `idle_timeout` in [agent] sets how long to wait".to_owned(),
            ErrorKind::BrokenOff | ErrorKind::Damaged => "ask again".to_owned(),
            ErrorKind::BadRequest { .. } if self.0.words.is_none() => {
                "check the name of the model and the base URL, or choose another model with /model".to_owned()
            }
            ErrorKind::BadRequest { .. } => return None,
        })
    }
}

impl fmt::Display for ProviderError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.cause())?;
        match self.advice() {
            Some(advice) => write!(f, "; {advice}"),
            None => Ok(()),
        }
    }
}

impl Error for ProviderError {
    fn source(&self) -> Option<&(dyn Error + 'static)> {
        self.0.source.as_ref().map(|source| source.as_ref() as &(dyn Error + 'static))
    }
}
