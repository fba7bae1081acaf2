//! What went wrong on the way to a vendor, read from the client's error.

use std::error::Error;
use std::io;

use super::error::{Distrust, ErrorKind};
use super::http;

/// The kind of an error on the way to this URL, and the words for it that are not ours.
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
    (kind, causes(error).last().map(ToString::to_string))
}

fn causes(error: &reqwest::Error) -> impl Iterator<Item = &(dyn Error + 'static)> {
    std::iter::successors(error.source(), |error| (*error).source())
}

fn system<'a>(error: &'a (dyn Error + 'static)) -> Option<&'a io::Error> {
    error.downcast_ref()
}

/// An error of TLS stands alone, or travels inside one of the system, or two.
fn tls<'a>(error: &'a (dyn Error + 'static)) -> Option<&'a rustls::Error> {
    let inside = || system(error)?.get_ref().and_then(|inner| tls(inner));
    error.downcast_ref().or_else(inside)
}

/// Why TLS came to nothing. While the client is built, nobody has been met yet: only what to check others with can be missing.
fn distrust(error: &rustls::Error, is_building: bool) -> Distrust {
    use rustls::CertificateError as Bad;
    match error {
        _ if is_building => Distrust::NoAuthorities,
        rustls::Error::InvalidCertificate(bad) => match bad {
            // A bad signature is that of another authority with the same name.
            Bad::UnknownIssuer | Bad::BadSignature => Distrust::Stranger,
            Bad::Expired | Bad::ExpiredContext { .. } | Bad::NotValidYet | Bad::NotValidYetContext { .. } => {
                Distrust::Date
            }
            Bad::NotValidForName | Bad::NotValidForNameContext { .. } => Distrust::OtherName,
            Bad::Other(_) | Bad::InvalidPurpose | Bad::InvalidPurposeContext { .. } => Distrust::Unfit,
            _ => Distrust::Other,
        },
        rustls::Error::InvalidMessage(_) => Distrust::NoTls,
        _ => Distrust::Other,
    }
}
