//! `shellmate models`: lists the models that can be asked.

use std::io::{self, IsTerminal, Write};
use std::process::ExitCode;
use std::time::Duration;

use anyhow::{Context, Result, bail};
use serde_json::json;
use tokio::sync::oneshot;

use crate::config::{self, Config, Paths};
use crate::provider::{self, Finder, ListedModel, ModelPreference, full_name};
use crate::session::{self, Asked};
use crate::text::sanitize;
use crate::{agent, tty};

use super::report;

#[derive(Debug, clap::Args)]
pub(crate) struct Args {
    /// List only models whose names (provider/model) contain these words.
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
    let entries = runtime.block_on(Finder::default().overview(preference, env, paths.models_file()));
    if entries.iter().all(|entry| entry.missing_key.is_some()) {
        report::words(agent::NO_MODEL);
        return Ok(ExitCode::FAILURE);
    }
    let look = super::ask::question_look(config, paths);
    let (reply, mut picked) = oneshot::channel();
    let list = session::model_list(&entries, "make it your default model");
    let cwd = std::env::current_dir().unwrap_or_default();
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
    let (cwd, home) = (std::env::current_dir().unwrap_or_default(), std::env::home_dir());
    let preference = config.preference().within(&cwd, home.as_deref());
    if args.picks() {
        return pick(config, &preference, env, paths, out);
    }
    let runtime =
        tokio::runtime::Builder::new_current_thread().enable_all().build().context("cannot start the runtime")?;
    let lists = runtime.block_on(Finder::default().list(&preference, env));
    let mut shown = 0;
    for list in &lists {
        match &list.models {
            Err(error) => report::notices([format!("{}: {error}", list.vendor)]),
            Ok(models) => {
                for model in models {
                    let name = sanitize(&full_name(&list.vendor, &model.model));
                    if args.words.iter().all(|word| name.contains(word.as_str())) {
                        shown += 1;
                        print(&name, &list.vendor, model, args.json, out)?;
                    }
                }
            }
        }
    }
    out.flush()?;
    if lists.is_empty() {
        report::words(agent::NO_MODEL);
    } else if shown == 0 && !args.words.is_empty() && !args.json {
        report::notices([format!("no model has {} in its name; `shellmate models` lists all", args.words.join(" "))]);
    }
    Ok(if shown > 0 { ExitCode::SUCCESS } else { ExitCode::FAILURE })
}

fn print(name: &str, vendor: &str, model: &ListedModel, as_json: bool, out: &mut impl Write) -> Result<()> {
    if as_json {
        let price = model.price.map(|price| json!({ "input": price.input, "output": price.output }));
        let line = json!({
            "provider": vendor, "model": model.model, "context_window": model.context_window, "price": price,
            "vision": model.traits.sees, "tools": model.traits.calls, "output": model.traits.output,
        });
        return super::json::print(&line, out);
    }
    let window = model.context_window.map(|window| format!("{}k", window / 1_000)).unwrap_or_default();
    let price =
        model.price.map(|price| format!("${} in, ${} out per million", price.input, price.output)).unwrap_or_default();
    writeln!(out, "{}", format!("{name:<48} {window:>6}  {price}").trim_end())?;
    Ok(())
}
