//! `shellmate auth`: stored keys of providers, for people who do not want them in their environment.

use std::io::{self, IsTerminal, Read, Write};
use std::path::Path;
use std::process::ExitCode;

use anyhow::{Context, Result, anyhow, bail};
use serde_json::json;

use crate::config::Paths;
use crate::provider::{Keys, ProviderTables, VENDORS, ValueOrigin};
use crate::{text, tty};

use super::key_taker::{self, KeyTaker, is_set};
use super::questions::{Answers, AtTerminal, choose};

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
        /// The provider, such as `openai`. Without it you are asked.
        provider: Option<String>,
    },
    /// Delete a stored key.
    Logout {
        /// The provider, such as `openai`.
        provider: String,
    },
}

/// Shows, stores or deletes keys of the vendors and of the providers in the configuration.
pub(super) fn run(
    action: Option<AuthAction>,
    paths: &Paths,
    tables: &ProviderTables,
    out: &mut impl Write,
) -> Result<ExitCode> {
    let takers = KeyTaker::all(tables);
    let path = paths.keys_file().context("no directory for keys; `shellmate doctor` says why")?;
    match action.unwrap_or(AuthAction::Status { json: false }) {
        AuthAction::Status { json } => status(&takers, &path, json, out)?,
        AuthAction::Login { provider: None } => login_to_one_of(&takers, &path, out)?,
        AuthAction::Login { provider: Some(name) } => login(named(&name, &takers)?, &path, out)?,
        AuthAction::Logout { provider } => {
            let (taker, mut keys) = (named(&provider, &takers)?, Keys::load(&path)?);
            let forgotten = taker.variables.iter().filter(|variable| keys.forget(variable)).count();
            if forgotten == 0 {
                bail!("no key for {} is stored{}", taker.name, taker.in_environment());
            }
            keys.save(&path)?;
            writeln!(out, "deleted the key for {}{}", taker.name, taker.in_environment())?;
        }
    }
    out.flush()?;
    Ok(ExitCode::SUCCESS)
}

fn named<'a>(name: &str, takers: &'a [KeyTaker]) -> Result<&'a KeyTaker> {
    if let Some(taker) = takers.iter().find(|taker| taker.name.eq_ignore_ascii_case(name)) {
        if taker.configured.is_some() {
            bail!("the key for {name} comes from the configuration ([providers.{name}]); remove it there to store one");
        }
        return Ok(taker);
    }
    if VENDORS.iter().any(|vendor| vendor.name.eq_ignore_ascii_case(name)) {
        bail!("{name} needs no key");
    }
    let near = text::nearest(name, takers.iter().map(|taker| taker.name.as_str()));
    let hint = near.map(|near| format!(" (did you mean {near}?)")).unwrap_or_default();
    bail!("there is no provider named {name}{hint}; `shellmate auth status` lists them")
}

/// Asks which provider the key is for.
fn login_to_one_of(takers: &[KeyTaker], path: &Path, out: &mut impl Write) -> Result<()> {
    let takers: Vec<&KeyTaker> = takers.iter().filter(|taker| taker.configured.is_none()).collect();
    let names: Vec<String> = takers.iter().map(|taker| taker.name.clone()).collect();
    if !tty::is_interactive() {
        bail!(
            "which provider is the key for? run `shellmate auth login NAME`, where NAME is one of {}",
            names.join(", ")
        );
    }
    match choose("Which provider is the key for?", &names, 0, &mut AtTerminal, out)?.and_then(|at| takers.get(at)) {
        Some(taker) => login(taker, path, out),
        None => Ok(writeln!(out, "Nothing was changed.")?),
    }
}

fn login(taker: &KeyTaker, path: &Path, out: &mut impl Write) -> Result<()> {
    let typed = if io::stdin().is_terminal() {
        AtTerminal.read_secret(&taker.prompt()).context("cannot ask on the terminal")?
    } else {
        let mut piped = String::new();
        io::stdin().take(key_taker::CAP).read_to_string(&mut piped).context("cannot read the key from stdin")?;
        Some(piped)
    };
    let key = key_taker::checked(&typed.unwrap_or_default()).map_err(|why| anyhow!("{why}; nothing was changed"))?;
    taker.store(&key, path)?;
    let set = taker.set_variable();
    let first = set.map(|set| format!("; {set} is also set and is used first")).unwrap_or_default();
    writeln!(out, "stored the key for {} in {}{first}", taker.name, path.display())?;
    Ok(())
}

fn status(takers: &[KeyTaker], path: &Path, as_json: bool, out: &mut impl Write) -> Result<()> {
    let keys = Keys::load(path)?;
    for taker in takers {
        let kept = taker.variables.iter().find(|variable| keys.has(variable)).map(String::as_str);
        let (source, variable) = match (&taker.configured, taker.set_variable(), kept) {
            (Some(ValueOrigin::Variable(name)), ..) if is_set(name) => ("environment", Some(name.as_str())),
            (Some(ValueOrigin::Variable(_)), ..) => ("none", None),
            (Some(ValueOrigin::Text(_) | ValueOrigin::Command(_)), ..) => ("configuration", None),
            (None, Some(set), _) => ("environment", Some(set)),
            (None, None, Some(variable)) => ("file", Some(variable)),
            (None, None, None) => ("none", None),
        };
        let variables = match &taker.configured {
            Some(ValueOrigin::Variable(name)) => std::slice::from_ref(name),
            Some(ValueOrigin::Text(_) | ValueOrigin::Command(_)) => &[],
            None => &taker.variables[..],
        };
        if as_json {
            let line = json!({
                "provider": taker.name, "source": source, "variable": variable, "variables": variables,
            });
            super::json::print(&line, out)?;
            continue;
        }
        let words = match (source, variable) {
            ("environment", Some(variable)) => format!("{variable} is set"),
            ("file", _) => format!("stored in {}", path.display()),
            ("configuration", _) => format!("from the configuration ([providers.{}])", taker.name),
            _ => format!("no key ({})", variables.join(" or ")),
        };
        writeln!(out, "{:<12} {words}", taker.name)?;
    }
    Ok(())
}
