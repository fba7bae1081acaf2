//! Signs requests: with a key in a header, or with a signature.

use std::fmt::Debug;
use std::sync::Arc;

use reqwest::header::{HeaderName, HeaderValue};

use super::api_key::ApiKey;

/// Signs a request. A trait, because some vendors want a key in a header and others a signature over the whole request.
pub(super) trait Signer: Debug + Send + Sync {
    /// Signs a finished request: method, URL, headers and body are those that will be sent.
    fn sign(&self, request: &mut reqwest::Request) -> Result<(), SignError>;
}

/// Why a request could not be signed.
#[derive(Debug, PartialEq, Eq, thiserror::Error)]
pub(super) enum SignError {
    #[error("it has characters that cannot be sent")]
    NotAHeader,
}

/// The header that carries a key.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum KeyHeader {
    /// `Authorization: Bearer`.
    Bearer,
    /// Only the key, in this header.
    Named(&'static str),
}

impl KeyHeader {
    /// The signer that sends this key.
    pub(super) fn signer(self, key: &ApiKey) -> Arc<dyn Signer> {
        Arc::new(HeaderSigner { header: self, key: key.clone() })
    }
}

/// Sends the key itself.
#[derive(Debug)]
struct HeaderSigner {
    header: KeyHeader,
    key: ApiKey,
}

impl Signer for HeaderSigner {
    fn sign(&self, request: &mut reqwest::Request) -> Result<(), SignError> {
        let (name, value) = match self.header {
            KeyHeader::Bearer => ("authorization", format!("Bearer {}", self.key.secret())),
            KeyHeader::Named(name) => (name, self.key.secret().to_owned()),
        };
        let mut value = HeaderValue::from_str(&value).map_err(|_| SignError::NotAHeader)?;
        value.set_sensitive(true);
        request.headers_mut().insert(HeaderName::from_static(name), value);
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_key_with_a_line_break_is_not_sent() {
        let mut request = reqwest::Request::new(reqwest::Method::GET, "http://localhost/".parse().unwrap());
        let key = ApiKey::new("KEY", "sk-1\nX-Other: 2");
        assert_eq!(KeyHeader::Bearer.signer(&key).sign(&mut request), Err(SignError::NotAHeader));
        assert!(request.headers().is_empty());
    }
}
