//! The questions in their order, and what is done with the answers.

use std::io::{self, Write};

use anyhow::{Context, Result};

use crate::cli::doctor::one_word;
use crate::cli::environment;
use crate::cli::questions::{Answer, Answers, AtTerminal, agree, choose};
use crate::config::{Config, Paths, edit, theme_names};
use crate::provider::{Finder, ModelPreference, Server, WithKeys};
use crate::render::{self, RenderOptions, ScreenSize, Theme, Wrapping};
use crate::text::{human, sanitize};
use crate::tty;

use super::found::{Inventory, OfferedModel};
use super::{advice, record, shown};

/// What the answers lead to.
#[derive(Debug, Default)]
pub(super) struct Plan {
    /// The settings to change, by key.
    settings: Vec<(&'static str, String)>,
    /// The server on this machine that the person agreed to.
    server: Option<Server>,
}

pub(super) fn run(found: &Inventory, paths: &Paths, out: &mut impl Write) -> Result<()> {
    let mut check = |name: &str, out: &mut dyn Write| try_out(found, name, out);
    match questions(found, paths, &mut AtTerminal, &mut check, out)? {
        None => writeln!(out, "\nNothing was changed. `shellmate init` starts again.")?,
        Some(plan) => {
            if apply(paths, &plan, &mut AtTerminal, out)? {
                advice::print(found, out)?;
            } else {
                writeln!(out, "\nNothing was changed. `shellmate init` starts again.")?;
            }
        }
    }
    Ok(())
}

/// Asks a model for one word and says what came of it. Returns whether it answered.
type TryOut<'a> = dyn FnMut(&str, &mut dyn Write) -> Result<bool> + 'a;

/// Asks everything. `None` means that the person leaves.
pub(super) fn questions(
    found: &Inventory,
    paths: &Paths,
    answers: &mut dyn Answers,
    try_out: &mut TryOut<'_>,
    out: &mut dyn Write,
) -> Result<Option<Plan>> {
    let Some(model) = model(found, answers, try_out, out)? else { return Ok(None) };
    let Some(theme) = theme(paths, answers, out)? else { return Ok(None) };
    let server = model.as_ref().and_then(|offer| found.server_of(offer)).cloned();
    let model = model.map(|offer| ("model.name", offer.name));
    Ok(Some(Plan { settings: model.into_iter().chain(theme.map(|name| ("theme", name))).collect(), server }))
}

/// The model to use; `None` inside if it stays as it is.
fn model(
    found: &Inventory,
    answers: &mut dyn Answers,
    try_out: &mut TryOut<'_>,
    out: &mut dyn Write,
) -> Result<Option<Option<OfferedModel>>> {
    let offers = found.offers();
    if offers.is_empty() {
        writeln!(
            out,
            "\nThere is no model to choose from yet. Connect one in one of these ways, then run `shellmate init` again:"
        )?;
        writeln!(out, "  shellmate auth login              asks for a provider and stores its key")?;
        writeln!(out, "  ollama serve                      or another model server on this machine")?;
        writeln!(out, "  export OPENAI_BASE_URL=http://HOST:PORT/v1")?;
        return Ok(Some(None));
    }
    let mut choices: Vec<String> = offers.iter().map(|offer| format!("{} ({})", offer.name, offer.source)).collect();
    choices.push("keep the current setting".to_owned());
    loop {
        let Some(at) = choose("Which model should answer?", &choices, 0, answers, out)? else { return Ok(None) };
        let Some(offer) = offers.get(at) else { return Ok(Some(None)) };
        match accept(found, offer, answers, try_out, out)? {
            None => return Ok(None),
            Some(true) => return Ok(Some(Some(offer.clone()))),
            Some(false) => {}
        }
    }
}

/// Whether the person takes the model, after a question about its server and a try.
fn accept(
    found: &Inventory,
    offer: &OfferedModel,
    answers: &mut dyn Answers,
    try_out: &mut TryOut<'_>,
    out: &mut dyn Write,
) -> Result<Option<bool>> {
    if let Some(server) = found.server_of(offer) {
        match agree(&server.question(&offer.name), false, answers, out)? {
            Some(true) => {}
            answer => return Ok(answer),
        }
    }
    let question = format!("Ask {} for one word now, to see whether it works?", offer.name);
    match agree(&question, true, answers, out)? {
        None => return Ok(None),
        Some(false) => return Ok(Some(true)),
        Some(true) => {}
    }
    if try_out(&offer.name, out)? {
        return Ok(Some(true));
    }
    Ok(agree("Use it anyway?", false, answers, out)?)
}

fn try_out(found: &Inventory, name: &str, out: &mut dyn Write) -> Result<bool> {
    writeln!(out, "asking {} …", sanitize(name))?;
    out.flush()?;
    let runtime =
        tokio::runtime::Builder::new_current_thread().enable_all().build().context("cannot start the runtime")?;
    let env = WithKeys { exported: environment, keys: &found.keys };
    let wish =
        ModelPreference { model: Some(name.to_owned()), ..ModelPreference::default() }.or(&found.preference, &env);
    let said = runtime.block_on(async {
        match Finder::default().find(&wish, &env).await {
            Ok(Some(model)) => one_word(&model).await.map_err(|error| error.to_string()),
            Ok(None) => Err("no provider has this model".to_owned()),
            Err(error) => Err(error.to_string()),
        }
    });
    match &said {
        Ok(word) => writeln!(out, "it answers: {} ({})", word.said, human::duration(word.took))?,
        Err(error) => writeln!(out, "it does not answer: {}", sanitize(error))?,
    }
    Ok(said.is_ok())
}

/// The theme to name in the configuration; `None` inside if it stays as it is.
fn theme(paths: &Paths, answers: &mut dyn Answers, out: &mut dyn Write) -> Answer<Option<String>> {
    let current = Config::load(paths).config.theme.name(None).to_owned();
    let names = theme_names(paths);
    let usual = names.iter().position(|name| *name == current).unwrap_or(0);
    let question = "Which theme should answers use? (`shellmate theme show NAME` prints a sample)";
    let Some(at) = choose(question, &names, usual, answers, out)? else { return Ok(None) };
    Ok(Some(names.get(at).filter(|name| **name != current).cloned()))
}

/// Shows the changes and makes them after a yes. Returns whether the person stays.
pub(super) fn apply(paths: &Paths, plan: &Plan, answers: &mut dyn Answers, out: &mut impl Write) -> Result<bool> {
    let file = paths.config_file().context("no directory for a configuration; `shellmate doctor` says why")?;
    let before = record::text_of(&file)?;
    let old = before.clone().unwrap_or_default();
    let mut new = old.clone();
    for (key, value) in &plan.settings {
        new = edit::set(&new, key, value)?;
    }
    if new == old {
        if let Some(server) = &plan.server {
            record::agree_to(paths, server)?;
        }
        writeln!(out, "\nThe configuration was not changed.")?;
        return Ok(true);
    }
    let diff = render::diff(&old, &new, &shown(&file), &options());
    writeln!(out)?;
    out.write_all(&render::cooked(diff.as_bytes()))?;
    if agree(&format!("Write this to {}?", shown(&file)), true, answers, out)? != Some(true) {
        return Ok(false);
    }
    record::write(paths, &file, before, &new, plan.server.as_ref())?;
    writeln!(out, "\nWritten. `shellmate init --undo` takes it back.")?;
    Ok(true)
}

fn options() -> RenderOptions {
    let tty::WindowSize { rows, cols: columns, .. } = tty::size_of(io::stdout());
    let variable = |name: &str| std::env::var(name).unwrap_or_default();
    RenderOptions::of_terminal(ScreenSize { columns, rows }, Theme::default(), Wrapping::default(), variable)
}
