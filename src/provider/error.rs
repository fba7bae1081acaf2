//! Why a model could not be asked, and what to do about it.

use std::error::Error;
use std::fmt;
use std::time::Duration;

use super::retry::{self, Retry};
use crate::text;

/// A vendor's own words longer than this are cut.
const WORDS_CAP: usize = 600;

/// Why an answer did not come, or not whole.
#[derive(Debug)]
pub struct ProviderError(Box<ErrorFacts>);

#[derive(Debug)]
struct ErrorFacts {
    kind: ErrorKind,
    vendor: String,
    /// What the vendor said, made safe to show.
    words: Option<String>,
    /// The part of the request it is about, as the vendor names it.
    param: Option<String>,
    /// What was perhaps meant.
    near: Vec<String>,
    after: Option<Duration>,
    source: Option<Box<dyn Error + Send + Sync>>,
}

/// What went wrong.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum ErrorKind {
    /// The key was refused; the variable it came from, if any.
    Key {
        variable: Option<String>,
    },
    /// The key is good, but not for this.
    Forbidden,
    /// The account has no money or quota left.
    Quota,
    ModelNotFound {
        model: String,
    },
    /// The conversation is longer than the model's window.
    ContextTooLong,
    RateLimited,
    Overloaded,
    /// The server failed; its status, if it gave one.
    Server {
        status: Option<u16>,
    },
    /// The request was not understood.
    BadRequest {
        status: Option<u16>,
    },
    /// The vendor, or somebody on the way, says to ask elsewhere, which is never done with a key.
    Moved {
        to: String,
    },
    /// Nobody listens there.
    ConnectionRefused {
        address: String,
        /// On this machine, where no proxy is asked.
        is_here: bool,
    },
    /// No connection at all: name, network, TLS, proxy.
    Unreachable {
        address: String,
    },
    /// Somebody answers, but cannot prove who they are.
    Untrusted {
        address: String,
        why: Distrust,
    },
    /// No connection in time.
    ConnectTimedOut {
        address: String,
    },
    /// Connected, but silent for too long.
    Silent {
        after: Duration,
    },
    /// The answer ended before its end.
    BrokenOff,
    /// The answer had begun, and then something came that cannot be read.
    Damaged,
    /// What came back is not an answer of this protocol.
    Malformed,
}

/// Why a connection is not trusted.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Distrust {
    /// The certificate is signed by nobody this machine knows.
    Stranger,
    /// The certificate is not valid today.
    Date,
    /// The certificate is for another name.
    OtherName,
    /// The certificate is not one for servers: an authority's own, or of an old kind.
    Unfit,
    /// This machine knows nobody who signs certificates.
    NoAuthorities,
    /// What was heard is no TLS.
    NoTls,
    Other,
}

impl Distrust {
    fn what(self) -> Option<&'static str> {
        match self {
            Distrust::Stranger => Some("its certificate is signed by nobody this machine knows"),
            Distrust::Date => Some("its certificate is not valid today"),
            Distrust::OtherName => Some("its certificate is for another name"),
            Distrust::Unfit => Some("its certificate is not one for a server"),
            Distrust::NoAuthorities => Some("there are no certificates here to check it with"),
            Distrust::NoTls => Some("it speaks no TLS"),
            Distrust::Other => None,
        }
    }

    fn advice(self) -> &'static str {
        match self {
            Distrust::Stranger => "if it is yours or your proxy's, name the signer's certificate in SSL_CERT_FILE",
            Distrust::Date => "check the clock of this machine, or tell whoever runs the server",
            Distrust::OtherName => "check the URL and the proxy",
            Distrust::Unfit => "it must be made with a subjectAltName and basicConstraints=CA:FALSE",
            Distrust::NoAuthorities => "install ca-certificates, or check SSL_CERT_FILE and SSL_CERT_DIR",
            Distrust::NoTls => "should the URL begin with http://?",
            Distrust::Other => "check the URL, the proxy and the certificates (SSL_CERT_FILE)",
        }
    }
}

impl ProviderError {
    pub fn new(vendor: &str, kind: ErrorKind) -> ProviderError {
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

    /// Adds what the vendor said: one line, capped and without control characters.
    pub fn saying(mut self, words: &str) -> ProviderError {
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

    /// Whether this part of the request was not taken.
    pub(super) fn is_about(&self, param: &str) -> bool {
        self.0.param.as_deref() == Some(param)
    }

    pub(super) fn caused_by(mut self, source: impl Error + Send + Sync + 'static) -> ProviderError {
        self.0.source = Some(Box::new(source));
        self
    }

    pub fn kind(&self) -> &ErrorKind {
        &self.0.kind
    }

    /// The vendor's short name.
    pub fn vendor(&self) -> &str {
        &self.0.vendor
    }

    /// Whether and when the same request may be sent again.
    pub fn retry(&self) -> Retry {
        match (&self.0.kind, self.0.after) {
            (
                ErrorKind::Key { .. }
                | ErrorKind::Forbidden
                | ErrorKind::Quota
                | ErrorKind::ModelNotFound { .. }
                | ErrorKind::ContextTooLong
                | ErrorKind::BadRequest { .. }
                | ErrorKind::Moved { .. }
                | ErrorKind::ConnectionRefused { .. }
                | ErrorKind::Untrusted { .. }
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
            ErrorKind::Key { variable: None } => format!("{vendor} wants a key"),
            ErrorKind::Forbidden => format!("{vendor} does not allow this with your key"),
            ErrorKind::Quota => format!("your account at {vendor} has no credit left"),
            ErrorKind::ModelNotFound { model } => format!("{vendor} has no model called {model}"),
            ErrorKind::ContextTooLong => "the conversation is too long for the model".to_owned(),
            ErrorKind::RateLimited => format!("{vendor} limits how often you may ask"),
            ErrorKind::Overloaded => format!("{vendor} is overloaded"),
            ErrorKind::Server { status: Some(status) } => format!("{vendor} had a failure of its own ({status})"),
            ErrorKind::Server { status: None } => format!("{vendor} had a failure of its own"),
            ErrorKind::BadRequest { status: Some(status) } => format!("{vendor} did not take the request ({status})"),
            ErrorKind::BadRequest { status: None } => format!("{vendor} did not take the request"),
            ErrorKind::Moved { to } => format!("{vendor} says to ask at {} instead", text::sanitize(to)),
            ErrorKind::ConnectionRefused { address, .. } => format!("nothing answers at {address}"),
            ErrorKind::Unreachable { address } => format!("cannot reach {address}"),
            ErrorKind::Untrusted { address, why } => {
                let why = why.what().map(|why| format!(": {why}")).unwrap_or_default();
                format!("no connection to {address} can be trusted{why}")
            }
            ErrorKind::ConnectTimedOut { address } => format!("no connection to {address} in time"),
            ErrorKind::Silent { after } => format!("{vendor} said nothing for {}", text::human::duration(*after)),
            ErrorKind::BrokenOff => format!("the answer of {vendor} broke off"),
            ErrorKind::Damaged => format!("the answer of {vendor} was damaged on its way"),
            ErrorKind::Malformed => format!("what came back from {vendor} is not an answer"),
        }
    }

    /// What the person can do.
    fn advice(&self) -> Option<String> {
        Some(match &self.0.kind {
            ErrorKind::Key { variable: Some(variable) } => {
                format!("check {variable} (`shellmate auth status` says where it comes from)")
            }
            ErrorKind::Key { variable: None } => "name the variable that holds it with --api-key-env".to_owned(),
            ErrorKind::ModelNotFound { .. } if !self.0.near.is_empty() => {
                format!("did you mean {}? `shellmate models` lists all", text::sanitize(&self.0.near.join(" or ")))
            }
            ErrorKind::ModelNotFound { .. } => "`shellmate models` lists those it has".to_owned(),
            ErrorKind::ContextTooLong => "ask about less, or start afresh with /new".to_owned(),
            ErrorKind::Quota => "add credit, or choose another with /model".to_owned(),
            ErrorKind::Forbidden => "check what the key is for, or choose another model".to_owned(),
            ErrorKind::Moved { .. } => "if you trust it, make that the base URL".to_owned(),
            ErrorKind::ConnectionRefused { is_here: true, .. } => {
                "is the server running? start it, or name another model".to_owned()
            }
            ErrorKind::ConnectionRefused { is_here: false, .. }
            | ErrorKind::Unreachable { .. }
            | ErrorKind::ConnectTimedOut { .. } => "check the network, the proxy and the base URL".to_owned(),
            ErrorKind::Untrusted { why, .. } => why.advice().to_owned(),
            ErrorKind::Malformed => "check the base URL".to_owned(),
            ErrorKind::RateLimited | ErrorKind::Overloaded | ErrorKind::Server { .. } => {
                let wait = self.0.after.filter(|wait| *wait > retry::LONGEST)?;
                format!("ask again in {}", text::human::duration(wait))
            }
            ErrorKind::BadRequest { .. } | ErrorKind::Silent { .. } | ErrorKind::BrokenOff | ErrorKind::Damaged => {
                return None;
            }
        })
    }
}

impl fmt::Display for ProviderError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.what())?;
        if let Some(words) = &self.0.words {
            write!(f, ": {words}")?;
        }
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
