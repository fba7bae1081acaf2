//! `shellmate models`: lists the models that can be asked.

use std::io::Write;
use std::process::ExitCode;

use anyhow::{Context, Result};
use serde_json::json;

use crate::agent;
use crate::provider::{self, Finder, ListedModel, ModelPreference, full_name};
use crate::text::sanitize;

use super::report;

#[derive(Debug, clap::Args)]
pub(crate) struct Args {
    /// List only models whose names (provider/model) contain these words.
    words: Vec<String>,

    /// Print one JSON object for each model instead of lines.
    #[arg(long)]
    json: bool,
}

/// Asks every provider with a key, and the model servers on this machine, for their models. Exits with 1 if there are none.
pub(super) fn run(
    args: Args,
    preference: &ModelPreference,
    env: provider::Env<'_>,
    out: &mut impl Write,
) -> Result<ExitCode> {
    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build().context("cannot begin")?;
    let lists = runtime.block_on(Finder::default().list(preference, env));
    let mut shown = 0;
    for list in &lists {
        match &list.models {
            Err(error) => report::notices([format!("{}: {error}", list.vendor)]),
            Ok(models) => {
                for model in models {
                    let name = sanitize(&full_name(list.vendor, &model.model));
                    if args.words.iter().all(|word| name.contains(word.as_str())) {
                        shown += 1;
                        print(&name, list.vendor, model, args.json, out)?;
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
        });
        return super::json::print(&line, out);
    }
    let window = model.context_window.map(|window| format!("{}k", window / 1_000)).unwrap_or_default();
    let price =
        model.price.map(|price| format!("${} in, ${} out per million", price.input, price.output)).unwrap_or_default();
    writeln!(out, "{}", format!("{name:<48} {window:>6}  {price}").trim_end())?;
    Ok(())
}
