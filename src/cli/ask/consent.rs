//! Asks before a model server that was found on this machine is used.

use std::io::{self, IsTerminal};
use std::path::Path;

use anyhow::{Context, Result, bail};

use crate::config::{Paths, private_dir};
use crate::provider::{Consents, Listener, Resolved, Server};
use crate::text::sanitize;
use crate::tty;

/// Whether a model may be asked without a question about its server.
pub(super) fn is_given(found: &Resolved, paths: &Paths) -> bool {
    let consents = paths.servers_file().and_then(|file| Consents::load(&file).ok()).unwrap_or_default();
    found.listener.as_ref().is_none_or(|listener| consents.covers(listener))
}

/// Returns the model if its server needs no consent or the person agrees to it. A server that the flag `--model` names needs none.
/// Without a terminal a missing consent is an error.
pub(super) fn checked(found: Option<Resolved>, flag: Option<&str>, paths: &Paths) -> Result<Option<Resolved>> {
    let Some(listener) = found.as_ref().and_then(|resolved| resolved.listener.as_ref()) else { return Ok(found) };
    let file = paths.servers_file();
    let consents = match (file.as_deref().map_or_else(|| Ok(Consents::default()), Consents::load), listener) {
        (Ok(consents), _) => consents,
        (Err(error), Listener::Found(_)) => return Err(error.into()),
        (Err(_), Listener::Named(_)) => Consents::default(),
    };
    let is_flagged = flag.is_some() && matches!(listener, Listener::Named(_));
    if is_flagged || consents.covers(listener) {
        return Ok(found);
    }
    let server = listener.server();
    let name = found.as_ref().map(Resolved::name).unwrap_or_default();
    if !agrees(server, &name)? {
        let address = &server.address;
        let why = match listener {
            Listener::Found(_) => {
                format!("the server at {address} was found on this machine, but you have not agreed to use it")
            }
            Listener::Named(_) => format!("the program at {address} is not the one that you agreed to use"),
        };
        bail!("{why}; name it with `--model {name}`");
    }
    if let Some(file) = file {
        let directory = file.parent().unwrap_or(Path::new("."));
        private_dir(directory).with_context(|| format!("cannot use {}", directory.display()))?;
        Consents::remember(&file, server)?;
    }
    Ok(found)
}

/// Asks on the terminal. Without a terminal the answer is no.
fn agrees(server: &Server, model: &str) -> Result<bool> {
    if !io::stderr().is_terminal() {
        return Ok(false);
    }
    tty::read_yes(&sanitize(&server.question(model))).context("cannot ask on the terminal")
}
