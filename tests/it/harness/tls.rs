//! A model behind TLS: a certificate authority, a gateway for HTTP/1.1 or HTTP/2, and a proxy.

use std::net::SocketAddr;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::sync::mpsc::{Receiver, Sender, channel};
use std::thread;

use bytes::Bytes;
use rcgen::{BasicConstraints, CertificateParams, CertifiedIssuer, DnType, IsCa, KeyPair, date_time_ymd};
use rustls::pki_types::{PrivateKeyDer, PrivatePkcs8KeyDer};
use tempfile::TempDir;
use tokio::io::{AsyncRead, AsyncReadExt, AsyncWriteExt, copy_bidirectional};
use tokio::net::{TcpListener, TcpStream};
use tokio_rustls::TlsAcceptor;

use super::screen::patience;

/// A certificate authority that only programs with its file trust.
pub(crate) struct Authority {
    issuer: CertifiedIssuer<'static, KeyPair>,
    place: TempDir,
}

/// The version of HTTP that a gateway offers.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum HttpVersion {
    One,
    Two,
}

/// The kind of certificate of a server.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum CertificateKind {
    Good,
    Expired,
    /// The certificate of an authority, which may sign others.
    Authority,
}

impl Authority {
    pub(crate) fn new() -> Authority {
        let place = tempfile::tempdir().expect("a directory");
        let mut params = CertificateParams::new(Vec::new()).expect("no names");
        params.is_ca = IsCa::Ca(BasicConstraints::Unconstrained);
        // Each has its own name, because authorities are looked up by name.
        params.distinguished_name.push(DnType::CommonName, place.path().display().to_string());
        let issuer = CertifiedIssuer::self_signed(params, KeyPair::generate().expect("a key")).expect("an authority");
        std::fs::write(place.path().join("authority.pem"), issuer.pem()).expect("a file");
        std::fs::create_dir(place.path().join("hashed")).expect("a directory");
        // Only files with a hash as their name are read.
        std::fs::write(place.path().join("hashed/01234567.0"), issuer.pem()).expect("a file");
        Authority { issuer, place }
    }

    /// For `SSL_CERT_FILE`.
    pub(crate) fn file(&self) -> PathBuf {
        self.place.path().join("authority.pem")
    }

    /// For `SSL_CERT_DIR`.
    pub(crate) fn directory(&self) -> PathBuf {
        self.place.path().join("hashed")
    }

    /// Serves the model at this address over TLS with a certificate for `name`. Returns the address.
    pub(crate) fn serve(&self, name: &str, kind: CertificateKind, http: HttpVersion, model: &str) -> SocketAddr {
        let mut params = CertificateParams::new(vec![name.to_owned()]).expect("a name");
        match kind {
            CertificateKind::Good => {}
            CertificateKind::Expired => {
                (params.not_before, params.not_after) = (date_time_ymd(2020, 1, 1), date_time_ymd(2020, 2, 1));
            }
            CertificateKind::Authority => params.is_ca = IsCa::Ca(BasicConstraints::Unconstrained),
        }
        let key = KeyPair::generate().expect("a key");
        let certificate = params.signed_by(&key, &self.issuer).expect("a certificate");
        let key = PrivateKeyDer::Pkcs8(PrivatePkcs8KeyDer::from(key.serialize_der()));
        let provider = Arc::new(rustls::crypto::ring::default_provider());
        let config = rustls::ServerConfig::builder_with_provider(provider).with_safe_default_protocol_versions();
        let config = config.expect("versions").with_no_client_auth();
        let mut config = config.with_single_cert(vec![certificate.der().clone()], key).expect("a certificate");
        config.alpn_protocols = match http {
            HttpVersion::One => vec![b"http/1.1".to_vec()],
            HttpVersion::Two => vec![b"h2".to_vec(), b"http/1.1".to_vec()],
        };
        let (acceptor, model) = (TlsAcceptor::from(Arc::new(config)), model.to_owned());
        listen(move |stream| {
            let (acceptor, model) = (acceptor.clone(), model.clone());
            // A client that does not trust the certificate closes the connection.
            async move {
                let Ok(mut stream) = acceptor.accept(stream).await else { return };
                if stream.get_ref().1.alpn_protocol() == Some(b"h2") {
                    serve_two(stream, model).await;
                } else if let Ok(mut behind) = TcpStream::connect(&model).await {
                    let _ = copy_bidirectional(&mut stream, &mut behind).await;
                }
            }
        })
    }
}

/// Answers each connection; the thread ends with the test.
fn listen<F: Future<Output = ()> + Send + 'static>(serve: impl Fn(TcpStream) -> F + Send + 'static) -> SocketAddr {
    let listener = std::net::TcpListener::bind("127.0.0.1:0").expect("a port");
    let address = listener.local_addr().expect("an address");
    listener.set_nonblocking(true).expect("a socket");
    thread::spawn(move || {
        let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build().expect("a runtime");
        runtime.block_on(async {
            let listener = TcpListener::from_std(listener).expect("a socket");
            while let Ok((stream, _)) = listener.accept().await {
                tokio::spawn(serve(stream));
            }
        });
    });
    address
}

/// Passes HTTP/2 requests on as HTTP/1.1, with a header that says so.
async fn serve_two(stream: tokio_rustls::server::TlsStream<TcpStream>, model: String) {
    let Ok(mut connection) = h2::server::handshake(stream).await else { return };
    while let Some(Ok((request, respond))) = connection.accept().await {
        tokio::spawn(hand_on(request, respond, model.clone()));
    }
}

async fn hand_on(
    request: http::Request<h2::RecvStream>,
    mut respond: h2::server::SendResponse<Bytes>,
    model: String,
) -> Option<()> {
    let (parts, mut stream) = request.into_parts();
    let mut body = Vec::new();
    while let Some(Ok(bytes)) = stream.data().await {
        let _ = stream.flow_control().release_capacity(bytes.len());
        body.extend_from_slice(&bytes);
    }
    let mut behind = TcpStream::connect(model).await.ok()?;
    let head = format!("{} {} HTTP/1.1\r\nx-protocol: h2\r\n", parts.method, parts.uri.path());
    behind.write_all(format!("{head}content-length: {}\r\n\r\n", body.len()).as_bytes()).await.ok()?;
    behind.write_all(&body).await.ok()?;
    let head = read_head(&mut behind).await?;
    let status: u16 = head.split(' ').nth(1)?.parse().ok()?;
    let mut send = respond.send_response(http::Response::builder().status(status).body(()).ok()?, false).ok()?;
    let mut piece = [0; 16_384];
    loop {
        let read = behind.read(&mut piece).await.ok()?;
        send.send_data(Bytes::copy_from_slice(&piece[..read]), read == 0).ok()?;
        if read == 0 {
            return Some(());
        }
    }
}

/// Reads up to the blank line, byte by byte, and nothing after it.
async fn read_head(stream: &mut (impl AsyncRead + Unpin)) -> Option<String> {
    let mut head = Vec::new();
    while !head.ends_with(b"\r\n\r\n") {
        head.push(stream.read_u8().await.ok()?);
    }
    String::from_utf8(head).ok()
}

/// A proxy that connects every client to the same address and records what was requested.
pub(crate) struct Proxy {
    pub(crate) address: SocketAddr,
    asked: Receiver<String>,
}

impl Proxy {
    /// A proxy for HTTP `CONNECT`.
    pub(crate) fn http(target: SocketAddr) -> Proxy {
        Proxy::start(target, |mut stream, asked: Sender<String>| async move {
            let head = read_head(&mut stream).await?;
            let _ = asked.send(head);
            stream.write_all(b"HTTP/1.1 200 OK\r\n\r\n").await.ok()?;
            Some(stream)
        })
    }

    /// A SOCKS 5 proxy without a password.
    pub(crate) fn socks(target: SocketAddr) -> Proxy {
        Proxy::start(target, |mut stream, asked: Sender<String>| async move {
            let _version = stream.read_u8().await.ok()?;
            let methods = stream.read_u8().await.ok()?;
            stream.read_exact(&mut vec![0; methods.into()]).await.ok()?;
            stream.write_all(&[5, 0]).await.ok()?;
            // Version, command, a reserved byte, and 3 for a name.
            let mut request = [0; 5];
            stream.read_exact(&mut request).await.ok()?;
            let mut name = vec![0; request[4].into()];
            stream.read_exact(&mut name).await.ok()?;
            let port = stream.read_u16().await.ok()?;
            let _ = asked.send(format!("{:?} {}:{port}", &request[1..4], String::from_utf8_lossy(&name)));
            stream.write_all(&[5, 0, 0, 1, 0, 0, 0, 0, 0, 0]).await.ok()?;
            Some(stream)
        })
    }

    fn start<F: Future<Output = Option<TcpStream>> + Send + 'static>(
        target: SocketAddr,
        greet: impl Fn(TcpStream, Sender<String>) -> F + Send + 'static,
    ) -> Proxy {
        let (tell, asked) = channel();
        let address = listen(move |stream| {
            let greeted = greet(stream, tell.clone());
            async move {
                let Some(mut stream) = greeted.await else { return };
                if let Ok(mut behind) = TcpStream::connect(target).await {
                    let _ = copy_bidirectional(&mut stream, &mut behind).await;
                }
            }
        });
        Proxy { address, asked }
    }

    /// Waits for the next connection and returns the requested address.
    #[track_caller]
    pub(crate) fn asked(&self) -> String {
        self.asked.recv_timeout(patience()).expect("somebody asks")
    }
}
