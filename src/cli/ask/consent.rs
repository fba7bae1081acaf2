//! Asks before a model server that was found on this machine is used.

use std::io::{self, IsTerminal};
use std::path::Path;

use anyhow::{Context, Result, bail};

use crate::config::{Paths, private_dir};
use crate::provider::{Consents, Resolved, Server};
use crate::text::sanitize;
use crate::tty;

/// Returns the model if its server was named or the user agrees to it. Without a terminal it is an error.
pub(super) fn checked(found: Option<Resolved>, paths: &Paths) -> Result<Option<Resolved>> {
    let Some(server) = found.as_ref().and_then(|resolved| resolved.discovered.as_ref()) else { return Ok(found) };
    let file = paths.servers_file();
    let consents = file.as_deref().map(Consents::load).unwrap_or(Ok(Consents::default()))?;
    if consents.has(server) {
        return Ok(found);
    }
    let name = found.as_ref().map(Resolved::name).unwrap_or_default();
    if !agrees(server, &name)? {
        bail!(
            "the server at {} was found on this machine, but you have not agreed to use it; name it with `--model {name}`",
            server.address
        );
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
