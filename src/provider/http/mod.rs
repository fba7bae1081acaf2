//! Requests over HTTP. The client is built at its first use.

mod extras;

use std::collections::HashMap;
use std::sync::{Arc, Mutex, OnceLock};
use std::time::{Duration, SystemTime};

use reqwest::header::{ACCEPT, CONTENT_TYPE, DATE, HeaderMap, HeaderName, HeaderValue, LOCATION, RETRY_AFTER};
use reqwest::redirect;
use serde_json::Value;
use tokio::time::{Instant, timeout, timeout_at};

use super::api_key::ApiKey;
use super::error::{ErrorKind, ProviderError};
use super::error_response::{AskedModel, ErrorResponse};
use super::sign::Signer;
use super::table::ClientIdentity;
use super::vendors::{CUSTOM, Route, Vendor};
use super::{connection, retry};
use crate::text::{KIB, MIB, percent_encode};

pub(super) use extras::Extras;

/// At most this much of an error's body is read.
const FAILURE_CAP: usize = 64 * KIB;
/// Maximum size of a JSON document. The longest list of models is a tenth of it.
const DOCUMENT_CAP: usize = 16 * MIB;
/// How long to wait for an error's body, and for the end of an answer that is already complete.
const GRACE: Duration = Duration::from_secs(2);

/// How long to wait for a vendor.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct HttpTimeouts {
    /// For a connection.
    pub connect: Duration,
    /// For the first or the next byte of an answer.
    pub silence: Duration,
}

impl Default for HttpTimeouts {
    fn default() -> HttpTimeouts {
        HttpTimeouts { connect: Duration::from_secs(10), silence: Duration::from_secs(120) }
    }
}

/// The HTTP client. Clones share their connections; nothing is built before the first request.
#[derive(Debug, Clone, Default)]
pub(crate) struct Http {
    patience: HttpTimeouts,
    clients: Arc<Clients>,
}

#[derive(Debug, Default)]
struct Clients {
    /// Uses the system's proxy and certificates, which take a few milliseconds to read.
    remote: OnceLock<reqwest::Client>,
    /// For loopback, without a proxy.
    local: OnceLock<reqwest::Client>,
    /// For loopback without TLS. No certificates are read.
    plain: OnceLock<reqwest::Client>,
    /// With a certificate of the client.
    identified: Mutex<HashMap<(ClientIdentity, bool), IdentifiedClient>>,
}

/// A client with a certificate, and the certificate as its files had it. Companies renew certificates every few hours.
#[derive(Debug)]
struct IdentifiedClient {
    pem: Vec<u8>,
    client: reqwest::Client,
}

/// The address of a vendor, and what its requests carry.
#[derive(Debug, Clone)]
pub(super) struct Endpoint {
    /// The name of the provider.
    pub(super) vendor: String,
    /// The vendor whose rules it follows.
    pub(super) kind: &'static Vendor,
    /// Without a slash at its end.
    pub(super) base_url: String,
    pub(super) route: Route,
    /// The key, for errors: they name its variable and never quote it.
    pub(super) key: Option<ApiKey>,
    pub(super) signer: Option<Arc<dyn Signer>>,
    pub(super) headers: &'static [(&'static str, &'static str)],
    pub(super) extras: Extras,
}

/// The body of a response that is still arriving.
pub(super) struct ResponseStream<'a> {
    endpoint: &'a Endpoint,
    silence: Duration,
    response: reqwest::Response,
}

impl Http {
    pub(crate) fn new(patience: HttpTimeouts) -> Http {
        Http { patience, clients: Arc::default() }
    }

    /// Sends a request whose answer is streamed.
    pub(super) async fn ask<'a>(
        &self,
        endpoint: &'a Endpoint,
        path: &str,
        model: &str,
        body: &Value,
    ) -> Result<ResponseStream<'a>, ProviderError> {
        let client = self.client(endpoint)?;
        let request = client.post(endpoint.url(path));
        let request = request.header(CONTENT_TYPE, "application/json").header(ACCEPT, "text/event-stream");
        let silence = self.patience.silence;
        let response = endpoint.send(&client, request.body(body.to_string()), model, silence).await?;
        Ok(ResponseStream { endpoint, silence, response })
    }

    /// Fetches a JSON document, all of it within `limit`. A body is posted.
    pub(super) async fn fetch(
        &self,
        endpoint: &Endpoint,
        path: &str,
        body: Option<&Value>,
        limit: Duration,
    ) -> Result<Value, ProviderError> {
        let deadline = Instant::now() + limit;
        let late = |_| ProviderError::new(endpoint.shown_name(), ErrorKind::Silent { after: limit });
        let client = self.client(endpoint)?;
        let request = match body {
            Some(body) => {
                client.post(endpoint.url(path)).header(CONTENT_TYPE, "application/json").body(body.to_string())
            }
            None => client.get(endpoint.url(path)),
        };
        let mut response = timeout_at(deadline, endpoint.send(&client, request, "", limit)).await.map_err(late)??;
        let malformed = || ProviderError::new(endpoint.shown_name(), ErrorKind::Malformed);
        let mut document = Vec::new();
        while let Some(bytes) =
            timeout_at(deadline, response.chunk()).await.map_err(late)?.map_err(|e| endpoint.error(e))?
        {
            if document.len() + bytes.len() > DOCUMENT_CAP {
                return Err(malformed());
            }
            document.extend_from_slice(&bytes);
        }
        serde_json::from_slice(&document).map_err(|e| malformed().caused_by(e))
    }

    /// The client for an endpoint. Clones of a client share their connections.
    fn client(&self, endpoint: &Endpoint) -> Result<reqwest::Client, ProviderError> {
        let is_local = is_loopback(&endpoint.base_url);
        let is_plain = is_local && endpoint.base_url.starts_with("http:");
        if let Some(files) = &endpoint.extras.identity {
            return self.identified(endpoint, files, is_local);
        }
        let slot = match (is_local, is_plain) {
            (false, _) => &self.clients.remote,
            (true, false) => &self.clients.local,
            (true, true) => &self.clients.plain,
        };
        if let Some(client) = slot.get() {
            return Ok(client.clone());
        }
        let builder = self.builder(is_local);
        let builder = if is_plain { builder.tls_certs_only([]) } else { builder };
        let client = builder.build().map_err(|e| endpoint.error(e))?;
        Ok(slot.get_or_init(|| client).clone())
    }

    /// The client that shows this certificate.
    fn identified(
        &self,
        endpoint: &Endpoint,
        files: &ClientIdentity,
        is_local: bool,
    ) -> Result<reqwest::Client, ProviderError> {
        let trouble = |words: &str| ProviderError::new(endpoint.shown_name(), ErrorKind::Certificate).saying(words);
        let mut clients = self.clients.identified.lock().map_err(|_| trouble("the client is damaged"))?;
        let key = (files.clone(), is_local);
        let pem = extras::pem(files);
        let known = clients.get(&key).filter(|known| pem.as_ref().is_ok_and(|pem| *pem == known.pem));
        if let Some(known) = known {
            return Ok(known.client.clone());
        }
        let pem = pem.map_err(|words| trouble(&words))?;
        let identity = extras::identity(files, &pem).map_err(|words| trouble(&words))?;
        let client = self.builder(is_local).identity(identity).build().map_err(|e| endpoint.error(e))?;
        clients.insert(key, IdentifiedClient { pem, client: client.clone() });
        Ok(client)
    }

    fn builder(&self, is_local: bool) -> reqwest::ClientBuilder {
        // Fails only if a provider is installed already, which serves as well.
        let _ = rustls::crypto::ring::default_provider().install_default();
        let builder = reqwest::Client::builder()
            .user_agent(concat!("shellmate/", env!("CARGO_PKG_VERSION")))
            .connect_timeout(self.patience.connect)
            // A redirect would take a key in a vendor's own header to any host.
            .redirect(redirect::Policy::none());
        if is_local || forbids_proxies() { builder.no_proxy() } else { builder }
    }
}

/// Whether `NO_PROXY` is `*`: no proxy at all. The client applies it to names only, not to addresses.
fn forbids_proxies() -> bool {
    let set = ["NO_PROXY", "no_proxy"].into_iter().find_map(std::env::var_os);
    set.is_some_and(|hosts| hosts.as_encoded_bytes().split(|byte| *byte == b',').any(|host| host.trim_ascii() == b"*"))
}

impl Endpoint {
    /// The name for messages. A server that has no other name than its URL is called by its host.
    pub(super) fn shown_name(&self) -> &str {
        if self.vendor == CUSTOM.name { host(&self.base_url) } else { &self.vendor }
    }

    fn url(&self, path: &str) -> String {
        let (base, prefix) = (&self.base_url, &self.route.prefix);
        match &self.route.query {
            Some((name, value)) => {
                let value =
                    percent_encode(value.as_bytes(), |byte| byte.is_ascii_alphanumeric() || b"-._~".contains(&byte));
                format!("{base}{prefix}{path}?{name}={value}")
            }
            None => format!("{base}{prefix}{path}"),
        }
    }

    /// Signs a request, sends it and waits for the head of its answer.
    async fn send(
        &self,
        client: &reqwest::Client,
        request: reqwest::RequestBuilder,
        model: &str,
        silence: Duration,
    ) -> Result<reqwest::Response, ProviderError> {
        let request = self.signed(request.headers(self.headers()?).build().map_err(|e| self.error(e))?)?;
        let sent = timeout(silence, client.execute(request)).await;
        let response = sent.map_err(|_| self.silent(silence))?.map_err(|e| self.error(e))?;
        match response.status() {
            status if status.is_success() => Ok(response),
            _ => Err(self.refusal(response, model).await),
        }
    }

    fn headers(&self) -> Result<HeaderMap, ProviderError> {
        let known = |(name, value): &(&'static str, &'static str)| {
            (HeaderName::from_static(name), HeaderValue::from_static(value))
        };
        let mut headers: HeaderMap = self.headers.iter().map(known).collect();
        self.extras.put_headers(&mut headers).map_err(|name| {
            let words = format!("the value of the header {name} has characters that cannot be sent");
            ProviderError::new(self.shown_name(), ErrorKind::BadRequest { status: None }).saying(&words)
        })?;
        Ok(headers)
    }

    /// Signs the request.
    fn signed(&self, mut request: reqwest::Request) -> Result<reqwest::Request, ProviderError> {
        let signed = self.signer.as_ref().map_or(Ok(()), |signer| signer.sign(&mut request));
        signed.map(|()| request).map_err(|error| {
            let variable = self.key.as_ref().map(|key| key.variable.clone());
            ProviderError::new(self.shown_name(), ErrorKind::Key { variable }).saying(&error.to_string())
        })
    }

    /// Reads a response with an error status.
    async fn refusal(&self, mut response: reqwest::Response, model: &str) -> ProviderError {
        let status = response.status().as_u16();
        if let Some(to) = self.moved(&response) {
            return ProviderError::new(self.shown_name(), ErrorKind::Moved { to });
        }
        let wait = retry_after(response.headers());
        let deadline = Instant::now() + GRACE;
        let mut body = Vec::new();
        while let Ok(Ok(Some(bytes))) = timeout_at(deadline, response.chunk()).await {
            body.extend_from_slice(&bytes[..bytes.len().min(FAILURE_CAP - body.len())]);
            if body.len() == FAILURE_CAP {
                break;
            }
        }
        ErrorResponse::of_body(status, &body).into_error(self.asked(model)).after(wait)
    }

    /// The base URL that a redirect leads to.
    fn moved(&self, response: &reqwest::Response) -> Option<String> {
        let location = response.headers().get(LOCATION).filter(|_| response.status().is_redirection())?;
        let mut to = response.url().join(location.to_str().ok()?).ok()?;
        let base = reqwest::Url::parse(&self.base_url).ok()?;
        let path = response.url().path().strip_prefix(base.path().trim_end_matches('/'))?;
        to.set_query(None);
        to.set_fragment(None);
        // Fails only for URLs that cannot have a user.
        let _ = to.set_username("").and_then(|()| to.set_password(None));
        let to = to.as_str();
        Some(to.strip_suffix(path).unwrap_or(to).to_owned())
    }

    pub(super) fn asked<'a>(&'a self, model: &'a str) -> AskedModel<'a> {
        AskedModel { vendor: &self.vendor, shown_name: self.shown_name(), model, key: self.key.as_ref() }
    }

    fn silent(&self, after: Duration) -> ProviderError {
        ProviderError::new(self.shown_name(), ErrorKind::Silent { after })
    }

    fn error(&self, error: reqwest::Error) -> ProviderError {
        let (kind, words) = connection::of(&error, &self.base_url);
        // A base URL may carry a password.
        let error = ProviderError::new(self.shown_name(), kind).caused_by(error.without_url());
        match words {
            Some(words) => error.saying(&words),
            None => error,
        }
    }
}

impl ResponseStream<'_> {
    /// Waits for more bytes; `None` at the end. Once the answer is `complete`, its end is not needed, and the wait is short.
    pub(super) async fn next(&mut self, complete: bool) -> Result<Option<Vec<u8>>, ProviderError> {
        let limit = if complete { GRACE.min(self.silence) } else { self.silence };
        match timeout(limit, self.response.chunk()).await {
            Ok(Ok(bytes)) => Ok(bytes.map(Vec::from)),
            _ if complete => Ok(None),
            Ok(Err(error)) => Err(self.endpoint.error(error)),
            Err(_) => Err(self.endpoint.silent(self.silence)),
        }
    }

    /// Reads the rest on a task of its own, so that the connection serves the next request too.
    pub(super) fn drain(self) {
        let mut response = self.response;
        tokio::spawn(timeout(GRACE, async move { while let Ok(Some(_)) = response.chunk().await {} }));
    }
}

fn retry_after(headers: &HeaderMap) -> Option<Duration> {
    let text = |name: &str| headers.get(name).and_then(|value| value.to_str().ok());
    let seconds = || {
        // Measured by the vendor's clock, because ours may be wrong.
        let now = text(DATE.as_str()).and_then(retry::date).unwrap_or_else(SystemTime::now);
        retry::after(text(RETRY_AFTER.as_str())?, now)
    };
    text("retry-after-ms").and_then(retry::after_millis).or_else(seconds)
}

/// The path of a URL, with its slash. Empty if there is none.
pub(super) fn path(url: &str) -> &str {
    let host = url.find("://").map_or(0, |at| at + 3);
    url[host..].find('/').map_or("", |slash| &url[host + slash..])
}

/// Host and port of a URL, without user and password.
pub(super) fn host(url: &str) -> &str {
    let rest = url.split_once("://").map_or(url, |(_, rest)| rest);
    let authority = rest.split(['/', '?', '#']).next().unwrap_or_default();
    authority.rsplit_once('@').map_or(authority, |(_, host)| host)
}

/// Whether a URL can be the address of a server: a scheme, a host, and a port if there is a colon.
pub(crate) fn is_base_url(url: &str) -> bool {
    let has_scheme = ["http://", "https://"].iter().any(|scheme| url.starts_with(scheme));
    let is_clean = !url.contains(|c: char| c.is_whitespace() || c.is_control());
    has_scheme && is_clean && !host(url).is_empty() && reqwest::Url::parse(url).is_ok_and(|url| url.has_host())
}

/// Whether a URL leads to this machine.
pub(super) fn is_loopback(url: &str) -> bool {
    let host = host(url);
    let name = match host.strip_prefix('[') {
        Some(rest) => rest.split(']').next().unwrap_or_default(),
        None => host.split(':').next().unwrap_or_default(),
    };
    let is_address = name.parse::<std::net::IpAddr>().is_ok_and(|address| address.is_loopback());
    is_address || name.eq_ignore_ascii_case("localhost")
}

#[cfg(test)]
mod tests;
