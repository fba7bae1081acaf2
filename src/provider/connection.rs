//! Reads connection errors of the HTTP client into our error kinds.

use std::error::Error;
use std::io;

use super::error::{Distrust, ErrorKind};
use super::http;

/// The kind of an error while connecting to this URL, and the client's message where ours has none.
pub(super) fn of(error: &reqwest::Error, base_url: &str) -> (ErrorKind, Option<String>) {
    let address = http::host(base_url).to_owned();
    if error.is_connect() && error.is_timeout() {
        return (ErrorKind::ConnectTimedOut { address }, None);
    }
    if causes(error).filter_map(system).any(|cause| cause.kind() == io::ErrorKind::ConnectionRefused) {
        return (ErrorKind::ConnectionRefused { address, is_here: http::is_loopback(base_url) }, None);
    }
    if let Some(why) = causes(error).find_map(tls) {
        return (ErrorKind::Untrusted { address, why: distrust(why, error.is_builder()) }, None);
    }
    let kind = if error.is_connect() {
        ErrorKind::Unreachable { address }
    } else if error.is_builder() {
        return (ErrorKind::BadRequest { status: None }, None);
    } else {
        return (ErrorKind::BrokenOff, None);
    };
    (kind, causes(error).last().map(|cause| plain(&cause.to_string())))
}

/// A message of the system, without what the standard library puts before it.
fn plain(message: &str) -> String {
    match message.strip_prefix("failed to lookup address information: ") {
        Some(why) => format!("the name cannot be resolved ({why})"),
        None => message.to_owned(),
    }
}

fn causes(error: &reqwest::Error) -> impl Iterator<Item = &(dyn Error + 'static)> {
    std::iter::successors(error.source(), |error| (*error).source())
}

fn system<'a>(error: &'a (dyn Error + 'static)) -> Option<&'a io::Error> {
    error.downcast_ref()
}

/// The TLS error, which may be wrapped in one or two I/O errors.
fn tls<'a>(error: &'a (dyn Error + 'static)) -> Option<&'a rustls::Error> {
    let inside = || system(error)?.get_ref().and_then(|inner| tls(inner));
    error.downcast_ref().or_else(inside)
}

/// Why TLS failed. While the client is being built there is no server yet, so only the CA certificates can be missing.
fn distrust(error: &rustls::Error, is_building: bool) -> Distrust {
    use rustls::{AlertDescription as Alert, CertificateError as Bad};
    match error {
        _ if is_building => Distrust::NoAuthorities,
        rustls::Error::InvalidCertificate(bad) => match bad {
            // A bad signature comes from another authority with the same name.
            Bad::UnknownIssuer | Bad::BadSignature => Distrust::UnknownIssuer,
            Bad::Expired | Bad::ExpiredContext { .. } | Bad::NotValidYet | Bad::NotValidYetContext { .. } => {
                Distrust::NotValidNow
            }
            Bad::NotValidForName | Bad::NotValidForNameContext { .. } => Distrust::OtherName,
            Bad::Other(_) | Bad::InvalidPurpose | Bad::InvalidPurposeContext { .. } => Distrust::NotForServers,
            _ => Distrust::Other,
        },
        rustls::Error::InvalidMessage(_) => Distrust::NoTls,
        rustls::Error::AlertReceived(
            Alert::CertificateRequired
            | Alert::NoCertificate
            | Alert::BadCertificate
            | Alert::CertificateExpired
            | Alert::CertificateRevoked
            | Alert::CertificateUnknown
            | Alert::UnsupportedCertificate
            | Alert::UnknownCA
            | Alert::AccessDenied,
        ) => Distrust::WantsCertificate,
        _ => Distrust::Other,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_server_that_wants_a_certificate_says_so_in_an_alert() {
        let alert = |alert| distrust(&rustls::Error::AlertReceived(alert), false);
        assert_eq!(alert(rustls::AlertDescription::CertificateRequired), Distrust::WantsCertificate);
        assert_eq!(alert(rustls::AlertDescription::CertificateExpired), Distrust::WantsCertificate);
        assert_eq!(alert(rustls::AlertDescription::InternalError), Distrust::Other);
    }
}
