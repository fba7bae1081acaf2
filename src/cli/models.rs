//! `shellmate models`: lists the models that can be asked.

use std::io::{self, IsTerminal, Write};
use std::process::ExitCode;
use std::time::Duration;

use anyhow::{Context, Result, bail};
use serde_json::json;
use tokio::sync::oneshot;

use crate::config::{self, Config, Paths};
use crate::provider::{self, Finder, ListedModel, ModelList, ModelOverview, ModelPreference, full_name};
use crate::session::{self, Asked};
use crate::text::fuzzy::NameFit;
use crate::text::{self, sanitize};
use crate::{agent, tty};

use super::report;

#[derive(Debug, clap::Args)]
pub(crate) struct Args {
    /// List only models whose names (provider/model) contain these words, or their letters.
    words: Vec<String>,

    /// Print one JSON object for each model instead of lines.
    #[arg(long)]
    json: bool,
}

/// Lets the person pick a model, and makes it the usual one in their configuration.
fn pick(
    config: &Config,
    preference: &ModelPreference,
    env: provider::Env<'_>,
    paths: &Paths,
    out: &mut impl Write,
) -> Result<ExitCode> {
    let runtime =
        tokio::runtime::Builder::new_current_thread().enable_all().build().context("cannot start the runtime")?;
    let overview = runtime.block_on(Finder::default().overview(preference, env, paths.models_file()));
    let ModelOverview { entries, unusable } = overview;
    report::notices(unusable);
    if entries.iter().all(|entry| entry.missing_key.is_some()) {
        report::words(agent::NO_MODEL);
        return Ok(ExitCode::FAILURE);
    }
    let look = super::ask::question_look(config, paths);
    let (reply, mut picked) = oneshot::channel();
    let list = session::model_list(&entries, "make it your default model");
    let cwd = super::working_directory();
    session::inquire(Asked::Pick(list, reply), &look, &cwd, || false).context("cannot ask on the terminal")?;
    // Lists that were still being asked for are kept for the next time.
    runtime.shutdown_timeout(Duration::from_millis(50));
    let place = picked.try_recv().ok().flatten().and_then(|place| usize::try_from(place).ok());
    let Some(entry) = place.and_then(|place| entries.get(place)) else { return Ok(ExitCode::FAILURE) };
    if let Some(variable) = entry.missing_key {
        bail!(session::needs_key(entry, variable));
    }
    let file = paths.config_file().context("there is no directory for the configuration")?;
    config::set_model(&file, &entry.name)?;
    writeln!(out, "{} is now your default model (`model.name` in {})", sanitize(&entry.name), file.display())?;
    out.flush()?;
    Ok(ExitCode::SUCCESS)
}

impl Args {
    /// Whether the person is to pick from a list on the terminal.
    fn picks(&self) -> bool {
        let is_terminal = io::stdin().is_terminal() && io::stdout().is_terminal() && io::stderr().is_terminal();
        self.words.is_empty() && !self.json && is_terminal && tty::is_in_foreground()
    }
}

/// Asks every provider with a key, and the model servers on this machine, for their models. On a terminal the person picks one of them.
/// Exits with 1 if there are none, or none was picked.
pub(super) fn run(
    args: Args,
    config: &Config,
    paths: &Paths,
    env: provider::Env<'_>,
    out: &mut impl Write,
) -> Result<ExitCode> {
    let (cwd, home) = (super::working_directory(), std::env::home_dir());
    let preference = config.preference().within(&cwd, home.as_deref());
    if args.picks() {
        return pick(config, &preference, env, paths, out);
    }
    let runtime =
        tokio::runtime::Builder::new_current_thread().enable_all().build().context("cannot start the runtime")?;
    let lists = runtime.block_on(Finder::default().list(&preference, env));
    let typed = args.words.join(" ").to_lowercase();
    // The trouble of one provider does not matter to who looks for a model of another.
    let about = |vendor: &str| typed.is_empty() || typed.split(['/', ' ']).any(|word| word == vendor.to_lowercase());
    let failed =
        lists.iter().filter(|list| about(&list.vendor)).filter_map(|list| Some((list, list.models.as_ref().err()?)));
    report::notices(failed.map(|(list, error)| format!("{}: {error}", list.vendor)));
    let rows = fitting(&lists, &typed);
    let width = rows.iter().map(|row| text::width::cells(&row.name)).max().unwrap_or(0).min(NAMES);
    rows.iter().try_for_each(|row| row.print(width, args.json, out))?;
    out.flush()?;
    if lists.is_empty() {
        report::words(agent::NO_MODEL);
    } else if rows.is_empty() && !typed.is_empty() && !args.json {
        report::notices([format!("no model has {} in its name; `shellmate models` lists all", args.words.join(" "))]);
    }
    Ok(if rows.is_empty() { ExitCode::FAILURE } else { ExitCode::SUCCESS })
}

/// The widest column of names. Longer names move the columns behind them.
const NAMES: usize = 60;

/// One line of the list.
struct ModelRow<'a> {
    /// As it is typed.
    name: String,
    provider: &'a str,
    model: &'a ListedModel,
}

/// The models whose names fit the typed words, the best first. Letters may only be left out if no name has the words.
fn fitting<'a>(lists: &'a [ModelList], typed: &str) -> Vec<ModelRow<'a>> {
    let rows = lists.iter().flat_map(|list| {
        let row = |model: &'a ListedModel| {
            let name = sanitize(&full_name(&list.vendor, &model.model));
            ModelRow { name, provider: &list.vendor, model }
        };
        list.models.iter().flatten().map(row)
    });
    if typed.is_empty() {
        return rows.collect();
    }
    let mut fitting: Vec<(NameFit, ModelRow<'a>)> =
        rows.filter_map(|row| Some((NameFit::of(typed, &row.name.to_lowercase())?, row))).collect();
    fitting.sort_by_key(|(fit, _)| *fit);
    let has_words = fitting.first().is_some_and(|(fit, _)| *fit < NameFit::Letters);
    fitting.into_iter().filter(|(fit, _)| !has_words || *fit < NameFit::Letters).map(|(_, row)| row).collect()
}

impl ModelRow<'_> {
    fn print(&self, width: usize, as_json: bool, out: &mut impl Write) -> Result<()> {
        let ModelRow { name, provider, model } = self;
        if as_json {
            let price = model.price.map(|price| json!({ "input": price.input, "output": price.output }));
            let line = json!({
                "provider": provider, "model": model.model, "context_window": model.context_window, "price": price,
                "vision": model.traits.sees, "thinking": model.traits.thinks, "tools": model.traits.calls,
                "output": model.traits.output,
            });
            return super::json::print(&line, out);
        }
        let facts = session::model_facts(model.context_window, model.price, "", model.traits);
        writeln!(out, "{}", format!("{name:<width$}  {facts}").trim_end())?;
        Ok(())
    }
}
