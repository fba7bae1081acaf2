//! A model behind TLS: certificates, both versions of HTTP, and proxies.

use std::io::Read;
use std::net::SocketAddr;
use std::process::{Command, Output, Stdio};

use crate::harness::{Authority, Builder, CertificateKind, HttpVersion, Model, Proxy, Reply, Shell, Term};

fn home(url: &str) -> Builder {
    Term::new(Shell::Bash).env("OPENAI_BASE_URL", url).env("SHELLMATE_MODEL", "scripted").args(["ask", "hi"])
}

fn command(builder: &Builder) -> Command {
    let mut command = builder.command();
    command.stdin(Stdio::null()).stdout(Stdio::piped()).stderr(Stdio::piped());
    command
}

#[track_caller]
fn answers(builder: &Builder, answer: &str) {
    let Output { status, stdout, stderr } = command(builder).output().unwrap();
    let [out, err] = [stdout, stderr].map(|bytes| String::from_utf8(bytes).unwrap());
    assert_eq!((status.code(), out.as_str(), err.as_str()), (Some(0), answer, ""));
}

/// The error message of one question.
#[track_caller]
fn complains(builder: &Builder, words: &str) {
    let Output { status, stdout, stderr } = command(builder).output().unwrap();
    let [out, err] = [stdout, stderr].map(|bytes| String::from_utf8(bytes).unwrap());
    assert_eq!((status.code(), out.as_str(), err.as_str()), (Some(1), "", format!("error: {words}\n").as_str()));
}

/// A model behind TLS on this machine that always answers `Hello.`
fn greeter(name: &str, certificate: CertificateKind) -> (Authority, Model, SocketAddr) {
    let model = Model::start(vec![Reply::text(["Hello."]); 8]);
    let authority = Authority::new();
    let address = authority.serve(name, certificate, HttpVersion::Two, &model.address());
    (authority, model, address)
}

#[test]
fn own_certificate_authorities_may_be_a_file_or_a_directory() {
    let (authority, _model, address) = greeter("localhost", CertificateKind::Good);
    let here = || home(&format!("https://localhost:{}/v1", address.port()));
    answers(&here().env("SSL_CERT_FILE", authority.file()), "Hello.\n");
    answers(&here().env("SSL_CERT_DIR", authority.directory()), "Hello.\n");
}

#[test]
fn an_untrusted_certificate_is_refused_with_the_reason() {
    let (authority, _model, address) = greeter("localhost", CertificateKind::Good);
    let at = |name: &str, address: SocketAddr| home(&format!("https://{name}:{}/v1", address.port()));
    let no = |name: &str, address: SocketAddr| format!("cannot verify the identity of {name}:{}: ", address.port());
    complains(
        // Only this authority is trusted, whatever certificates this machine has.
        &at("localhost", address).env("SSL_CERT_FILE", Authority::new().file()),
        &(no("localhost", address)
            + "its certificate is signed by an unknown authority; if it is yours or your proxy's, name the signer's certificate in SSL_CERT_FILE"),
    );
    complains(
        &at("127.0.0.1", address).env("SSL_CERT_FILE", authority.file()),
        &(no("127.0.0.1", address) + "its certificate is for another name; check the URL and the proxy"),
    );
    complains(
        &at("localhost", address).env("SSL_CERT_FILE", "/does/not/exist"),
        &(no("localhost", address)
            + "this machine has no CA certificates; install ca-certificates, or check SSL_CERT_FILE and SSL_CERT_DIR"),
    );
    let (authority, _model, address) = greeter("localhost", CertificateKind::Expired);
    complains(
        &at("localhost", address).env("SSL_CERT_FILE", authority.file()),
        &(no("localhost", address)
            + "its certificate has expired or is not valid yet; check the clock of this machine, or tell whoever runs the server"),
    );
    let (authority, _model, address) = greeter("localhost", CertificateKind::Authority);
    complains(
        &at("localhost", address).env("SSL_CERT_FILE", authority.file()),
        &(no("localhost", address)
            + "its certificate is not a server certificate; it must be made with a subjectAltName and basicConstraints=CA:FALSE"),
    );
}

#[test]
fn an_answer_streams_over_http1_and_http2() {
    for http in [HttpVersion::One, HttpVersion::Two] {
        let model = Model::start([Reply::text(["one", " two"]).gated()]);
        let authority = Authority::new();
        let address = authority.serve("localhost", CertificateKind::Good, http, &model.address());
        let builder = home(&format!("https://localhost:{}/v1", address.port())).env("SSL_CERT_FILE", authority.file());
        let mut child = command(&builder).spawn().unwrap();
        let mut out = child.stdout.take().unwrap();
        for piece in ["one", " two"] {
            model.release();
            let mut bytes = [0; 64];
            let read = out.read(&mut bytes).unwrap();
            assert_eq!(&bytes[..read], piece.as_bytes(), "{http:?}");
        }
        model.release();
        assert_eq!(child.wait().unwrap().code(), Some(0), "{http:?}");
        let head = model.request().head;
        assert_eq!(head.contains("\r\nx-protocol: h2\r\n"), http == HttpVersion::Two, "{head}");
    }
}

#[test]
fn a_proxy_is_asked_for_a_tunnel() {
    let (authority, _model, address) = greeter("llm.invalid", CertificateKind::Good);
    let proxy = Proxy::http(address);
    let at = format!("http://me:pw@{}", proxy.address);
    let far = || home("https://llm.invalid/v1").env("SSL_CERT_FILE", authority.file());
    for variable in ["HTTPS_PROXY", "https_proxy", "ALL_PROXY", "all_proxy"] {
        answers(&far().env(variable, &at), "Hello.\n");
        let asked = proxy.asked().to_ascii_lowercase();
        assert!(asked.starts_with("connect llm.invalid:443 http/1.1\r\n"), "{variable} {asked}");
        assert!(asked.contains("proxy-authorization: basic bwu6chc=\r\n"), "{variable} {asked}");
        assert!(!asked.contains("\r\nauthorization:"), "{variable} {asked}");
    }
    // `HTTPS_PROXY` has precedence over `ALL_PROXY`.
    answers(&far().env("HTTPS_PROXY", &at).env("ALL_PROXY", "http://127.0.0.1:1"), "Hello.\n");
}

#[test]
fn a_socks_proxy_resolves_the_name() {
    let (authority, _model, address) = greeter("llm.invalid", CertificateKind::Good);
    let proxy = Proxy::socks(address);
    let far = home("https://llm.invalid/v1").env("SSL_CERT_FILE", authority.file());
    answers(&far.env("ALL_PROXY", format!("socks5h://{}", proxy.address)), "Hello.\n");
    assert_eq!(proxy.asked(), "[1, 0, 3] llm.invalid:443");
}

#[test]
fn loopback_and_no_proxy_hosts_are_asked_directly() {
    let nowhere =
        |builder: Builder| builder.env("HTTPS_PROXY", "http://127.0.0.1:1").env("ALL_PROXY", "http://127.0.0.1:1");
    let (authority, _model, address) = greeter("localhost", CertificateKind::Good);
    let here = nowhere(home(&format!("https://localhost:{}/v1", address.port())));
    answers(&here.env("SSL_CERT_FILE", authority.file()), "Hello.\n");

    // This address reaches this machine, but is not recognised as loopback.
    let (authority, _model, address) = greeter("0.0.0.0", CertificateKind::Good);
    let other =
        || nowhere(home(&format!("https://0.0.0.0:{}/v1", address.port()))).env("SSL_CERT_FILE", authority.file());
    answers(&other().env("NO_PROXY", "example.org, 0.0.0.0"), "Hello.\n");
    answers(&other().env("no_proxy", "0.0.0.0/8"), "Hello.\n");
    answers(&other().env("NO_PROXY", "*"), "Hello.\n");
    let words = format!("nothing answers at 0.0.0.0:{}; check the network, the proxy and the base URL", address.port());
    complains(&other(), &words);
}
