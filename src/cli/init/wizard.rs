//! The questions in their order, and what is done with the answers.

use std::io::{self, Write};
use std::path::Path;

use anyhow::{Context, Result};

use crate::cli::questions::{Answer, Answers, AtTerminal, agree, choose};
use crate::config::{Config, Paths, edit, theme_names};
use crate::provider::{Keys, ModelOutline, Server};
use crate::render::{self, RenderOptions, ScreenSize, Theme, Wrapping};
use crate::text::sanitize;
use crate::tty;

use super::access::{Access, NoAnswer};
use super::connect::{Connected, Dialog, TypedKey, WizardStep};
use super::found::{Inventory, OfferedModel};
use super::record::{self, Changes};
use super::{advice, shown};

/// What the answers lead to.
#[derive(Debug, Default)]
struct Plan {
    /// The settings to change, by key.
    settings: Vec<(String, String)>,
    /// The server on this machine that the person agreed to.
    server: Option<Server>,
    key: Option<TypedKey>,
}

pub(super) fn run(found: &Inventory, paths: &Paths, out: &mut impl Write) -> Result<()> {
    let file = paths.config_file().context("no directory for a configuration; `shellmate doctor` says why")?;
    // A file that cannot be changed is named before anything is asked.
    edit::set(&record::text_of(&file)?.unwrap_or_default(), "theme", "terminal")
        .map_err(|error| error.in_file(&file))?;
    let plan = questions(found, paths, &mut AtTerminal, out)?;
    let is_done = plan.map(|plan| apply(paths, &file, &plan, &mut AtTerminal, out)).transpose()?.unwrap_or(false);
    match is_done {
        true => advice::print(found, out),
        false => Ok(writeln!(out, "\nNothing was changed. `shellmate init` starts again.")?),
    }
}

/// Asks everything. `None` means that the person leaves.
fn questions(found: &Inventory, paths: &Paths, answers: &mut dyn Answers, out: &mut dyn Write) -> Result<Option<Plan>> {
    let Some(plan) = model(found, &mut Dialog { answers, out })? else { return Ok(None) };
    let Some(theme) = theme(paths, answers, out)? else { return Ok(None) };
    let theme = theme.map(|name| ("theme".to_owned(), name));
    Ok(Some(Plan { settings: plan.settings.into_iter().chain(theme).collect(), ..plan }))
}

/// A way to a model.
enum Way<'a> {
    /// A model that was found.
    Offer(OfferedModel),
    /// One of the models of the provider that would be asked now.
    Listed(&'a ModelOutline),
    /// A provider whose key is typed.
    Provider,
    /// A server whose URL is typed.
    Server,
    Nothing,
}

/// The ways to a model, with the line that is shown for each.
fn ways(found: &Inventory) -> Vec<(String, Way<'_>)> {
    let offers = found.offers().into_iter();
    let mut ways: Vec<(String, Way<'_>)> =
        offers.map(|offer| (format!("{} ({})", offer.name, offer.source), Way::Offer(offer))).collect();
    if let Ok(Some(current)) = &found.current
        && current.model.is_none()
    {
        ways.push((format!("{} at {} (in use now)", current.name(), current.host), Way::Listed(current)));
    }
    ways.push(("a model of a provider: I have a key (openai, anthropic, openrouter, …)".to_owned(), Way::Provider));
    ways.push(("a model of a server: I know its URL".to_owned(), Way::Server));
    let leave = match found.current {
        Ok(None) => "none for now: only the built-in rules answer",
        Ok(Some(_)) | Err(_) => "keep the current setting",
    };
    ways.push((leave.to_owned(), Way::Nothing));
    ways
}

/// The changes that give a model; none if it stays as it is.
fn model(found: &Inventory, dialog: &mut Dialog<'_>) -> Result<Option<Plan>> {
    let access = Access { preference: found.preference.clone(), keys: found.keys.clone() };
    let ways = ways(found);
    let choices: Vec<String> = ways.iter().map(|(line, _)| line.clone()).collect();
    loop {
        let answer = choose("Which model should answer?", &choices, 0, dialog.answers, dialog.out)?;
        let Some((_, way)) = answer.and_then(|at| ways.get(at)) else { return Ok(None) };
        let step = match way {
            Way::Offer(offer) => accept(found, &access, offer, dialog)?,
            Way::Listed(current) => connected(dialog.listed(&access, &current.vendor)?),
            Way::Provider => connected(dialog.provider(&access)?),
            Way::Server => connected(dialog.server(&access)?),
            Way::Nothing => WizardStep::Next(Plan::default()),
        };
        match step {
            WizardStep::Leave => return Ok(None),
            WizardStep::Back => {}
            WizardStep::Next(plan) => return Ok(Some(plan)),
        }
    }
}

fn named(model: String) -> (String, String) {
    ("model.name".to_owned(), model)
}

fn connected(step: WizardStep<Connected>) -> WizardStep<Plan> {
    match step {
        WizardStep::Leave => WizardStep::Leave,
        WizardStep::Back => WizardStep::Back,
        WizardStep::Next(Connected { model, key, settings }) => {
            WizardStep::Next(Plan { settings: settings.into_iter().chain([named(model)]).collect(), server: None, key })
        }
    }
}

/// Whether the person takes a model that is there, after a question about its server and a try.
fn accept(
    found: &Inventory,
    access: &Access,
    offer: &OfferedModel,
    dialog: &mut Dialog<'_>,
) -> Result<WizardStep<Plan>> {
    let server = found.server_of(offer);
    if let Some(server) = server {
        match agree(&server.question(&offer.name), false, dialog.answers, dialog.out)? {
            None => return Ok(WizardStep::Leave),
            Some(false) => return Ok(WizardStep::Back),
            Some(true) => {}
        }
    }
    let tried = match dialog.try_out(access, &offer.name)? {
        WizardStep::Next(Err(trouble)) => {
            let why = match trouble {
                NoAnswer::Key => "its key is not accepted".to_owned(),
                NoAnswer::InClear(host) => format!("http:// would send the key to {host} unencrypted"),
                NoAnswer::Stopped => "stopped".to_owned(),
                NoAnswer::Other(why) => why,
            };
            writeln!(dialog.out, "it does not answer: {}", sanitize(&why))?;
            dialog.use_anyway()?
        }
        tried => tried,
    };
    Ok(match tried {
        WizardStep::Leave => WizardStep::Leave,
        WizardStep::Back => WizardStep::Back,
        WizardStep::Next(_) => {
            WizardStep::Next(Plan { settings: vec![named(offer.name.clone())], server: server.cloned(), key: None })
        }
    })
}

/// The theme to name in the configuration; `None` inside if it stays as it is.
fn theme(paths: &Paths, answers: &mut dyn Answers, out: &mut dyn Write) -> Answer<Option<String>> {
    let current = Config::load(paths).config.theme.name(None).to_owned();
    let names = theme_names(paths);
    let usual = names.iter().position(|name| *name == current).unwrap_or(0);
    let question = "Which colours should answers have? (`shellmate theme show NAME` prints a sample)";
    let Some(at) = choose(question, &names, usual, answers, out)? else { return Ok(None) };
    Ok(Some(names.get(at).filter(|name| **name != current).cloned()))
}

/// Shows the changes and makes them after a yes. Returns whether the person stays.
fn apply(paths: &Paths, file: &Path, plan: &Plan, answers: &mut dyn Answers, out: &mut impl Write) -> Result<bool> {
    let before = record::text_of(file)?;
    let old = before.clone().unwrap_or_default();
    let mut new = old.clone();
    for (key, value) in &plan.settings {
        new = edit::set(&new, key, value)?;
    }
    // A consent from before is neither given nor taken back.
    let server = plan.server.as_ref().filter(|server| !record::has_consent(paths, server));
    if new == old && server.is_none() && plan.key.is_none() {
        writeln!(out, "\nThe configuration stays as it is.")?;
        return Ok(true);
    }
    writeln!(out)?;
    if new != old {
        let diff = render::diff(&old, &new, &shown(file), &options());
        out.write_all(&render::cooked(diff.as_bytes()))?;
    }
    if let Some(typed) = &plan.key {
        writeln!(out, "{}", stored_where(paths, typed)?)?;
    }
    if let Some(server) = server {
        writeln!(out, "Your yes to the server at {} is kept.", sanitize(&server.address))?;
    }
    if agree("Make these changes?", true, answers, out)? != Some(true) {
        return Ok(false);
    }
    record::write(paths, Changes { file, before, after: &new, server, key: plan.key.as_ref() })?;
    writeln!(out, "\nDone. `shellmate init --undo` takes it back.")?;
    Ok(true)
}

/// What happens to a typed key.
fn stored_where(paths: &Paths, typed: &TypedKey) -> Result<String> {
    let path = record::keys_file(paths)?;
    let line = format!("The key for {} will be stored in {}, which only you can read.", typed.taker.name, shown(&path));
    Ok(match Keys::load(&path)?.has(typed.taker.variable()) {
        true => format!("{line} It replaces the key that is stored there, for good."),
        false => line,
    })
}

fn options() -> RenderOptions {
    let tty::WindowSize { rows, cols: columns, .. } = tty::size_of(io::stdout());
    let variable = |name: &str| std::env::var(name).unwrap_or_default();
    RenderOptions::of_terminal(ScreenSize { columns, rows }, Theme::default(), Wrapping::default(), variable)
}
