//! `shellmate auth`: stored keys of providers, for people who do not want them in their environment.

use std::io::{self, IsTerminal, Read, Write};
use std::path::{Path, PathBuf};
use std::process::ExitCode;

use anyhow::{Context, Result, bail};
use serde_json::json;

use crate::config::{Paths, private_dir};
use crate::provider::{Keys, VENDORS, Vendor};
use crate::{text, tty};

/// Maximum length of a key, in bytes.
const CAP: u64 = 4096;

#[derive(Debug, clap::Subcommand)]
pub(crate) enum AuthAction {
    /// Show which providers have a key and where it comes from. Keys are never printed.
    Status {
        /// Print one JSON object for each provider instead of lines.
        #[arg(long)]
        json: bool,
    },
    /// Store a key: typed without echo, or read from stdin.
    Login {
        /// The provider, such as `openai`. Without it the providers are listed.
        provider: Option<String>,
    },
    /// Delete a stored key.
    Logout {
        /// The provider, such as `openai`.
        provider: String,
    },
}

pub(super) fn run(action: Option<AuthAction>, paths: &Paths, out: &mut impl Write) -> Result<ExitCode> {
    let path = paths.keys_file().context("no directory for keys; `shellmate doctor` says why")?;
    match action.unwrap_or(AuthAction::Status { json: false }) {
        AuthAction::Status { json } => status(&path, json, out)?,
        AuthAction::Login { provider: None } => {
            let names: Vec<&str> = with_keys().map(|vendor| vendor.name).collect();
            writeln!(out, "shellmate auth login PROVIDER, with one of: {}", names.join(", "))?;
        }
        AuthAction::Login { provider: Some(name) } => login(vendor(&name)?, &path, out)?,
        AuthAction::Logout { provider } => {
            let (vendor, mut keys) = (vendor(&provider)?, Keys::load(&path)?);
            let forgotten = vendor.key_variables.iter().filter(|variable| keys.forget(variable)).count();
            if forgotten == 0 {
                bail!("no key of {} is stored{}", vendor.name, in_environment(vendor));
            }
            keys.save(&path)?;
            writeln!(out, "deleted the key of {}{}", vendor.name, in_environment(vendor))?;
        }
    }
    out.flush()?;
    Ok(ExitCode::SUCCESS)
}

/// The vendors that need a key.
fn with_keys() -> impl Iterator<Item = &'static Vendor> {
    VENDORS.iter().filter(|vendor| !vendor.key_variables.is_empty())
}

fn vendor(name: &str) -> Result<&'static Vendor> {
    match Vendor::named(name) {
        Some(vendor) if vendor.key_variables.is_empty() => bail!("{} needs no key", vendor.name),
        Some(vendor) => Ok(vendor),
        None => {
            let near = text::nearest(name, with_keys().map(|vendor| vendor.name));
            let hint = near.map(|near| format!(" (did you mean {near}?)")).unwrap_or_default();
            bail!("no provider is called {name}{hint}; `shellmate auth status` lists them")
        }
    }
}

fn set_variable(vendor: &Vendor) -> Option<&'static str> {
    let is_set = |name: &&&str| std::env::var(name).is_ok_and(|value| !value.trim().is_empty());
    vendor.key_variables.iter().find(is_set).copied()
}

fn in_environment(vendor: &Vendor) -> String {
    set_variable(vendor).map(|variable| format!("; {variable} is still set")).unwrap_or_default()
}

fn login(vendor: &Vendor, path: &Path, out: &mut impl Write) -> Result<()> {
    let Some(variable) = vendor.key_variables.first() else { bail!("{} needs no key", vendor.name) };
    let mut keys = Keys::load(path)?;
    let typed = if io::stdin().is_terminal() {
        let prompt = format!("key of {} (not shown): ", vendor.name);
        tty::read_secret(&prompt).context("cannot ask on the terminal")?
    } else {
        let mut piped = String::new();
        io::stdin().take(CAP).read_to_string(&mut piped).context("cannot read the key from stdin")?;
        Some(piped)
    };
    let typed = typed.unwrap_or_default();
    let key = typed.trim();
    if key.is_empty() {
        bail!("no key was given; nothing was changed");
    }
    if key.contains(|c: char| c.is_whitespace() || c.is_control() || !c.is_ascii()) {
        bail!("this is not a key: it contains blanks or characters that keys never have; nothing was changed");
    }
    let directory = path.parent().map(Path::to_owned).unwrap_or_else(|| PathBuf::from("."));
    private_dir(&directory).with_context(|| format!("cannot use {}", directory.display()))?;
    keys.keep(variable, key);
    keys.save(path)?;
    let first = set_variable(vendor).map(|set| format!("; {set} is also set and is used first")).unwrap_or_default();
    writeln!(out, "stored the key of {} in {}{first}", vendor.name, path.display())?;
    Ok(())
}

fn status(path: &Path, as_json: bool, out: &mut impl Write) -> Result<()> {
    let keys = Keys::load(path)?;
    for vendor in with_keys() {
        let kept = vendor.key_variables.iter().find(|variable| keys.has(variable));
        let (source, variable) = match (set_variable(vendor), kept) {
            (Some(set), _) => ("environment", Some(set)),
            (None, Some(variable)) => ("file", Some(*variable)),
            (None, None) => ("none", None),
        };
        if as_json {
            let variables = vendor.key_variables;
            let line =
                json!({ "provider": vendor.name, "source": source, "variable": variable, "variables": variables });
            super::json::print(&line, out)?;
            continue;
        }
        let words = match (source, variable) {
            ("environment", Some(variable)) => format!("{variable} is set"),
            ("file", _) => format!("stored in {}", path.display()),
            _ => format!("no key ({})", vendor.key_variables.join(" or ")),
        };
        writeln!(out, "{:<12} {words}", vendor.name)?;
    }
    Ok(())
}
