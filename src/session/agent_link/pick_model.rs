//! `/model`: shows the model and where the choice comes from, lets the person pick another one, and saves it if they want.

use crate::agent::ShellView;
use crate::config;
use crate::provider::{ModelEntry, ModelPreference, Resolved};
use crate::text::human;

use super::super::prompt::{PickItem, PickList};
use super::News;
use super::commands::{NO_MODEL, told};
use super::model::MODEL_VARIABLE;
use super::orders::AgentThread;
use super::slash::AgentCommand;

/// The widest column of names. Longer names move the columns behind them.
const NAMES: usize = 44;

impl AgentThread {
    /// `/model`: switches to the named model, or to one that the person picks.
    pub(super) async fn choose_model(&mut self, name: Option<String>, saves: bool, view: &ShellView) -> String {
        let name = match name {
            Some(name) => name,
            None => {
                let now = self.current_model(view).await;
                let entries = self.overview(view).await;
                if entries.iter().all(|entry| entry.missing_key.is_some()) {
                    return now;
                }
                self.link.say(News::Words(now));
                match self.link.pick(model_list(&entries, "use it")).await {
                    None => return "the model was not changed".to_owned(),
                    Some(place) => match usize::try_from(place).ok().and_then(|place| entries.get(place)) {
                        Some(entry) => match entry.missing_key {
                            Some(variable) => return needs_key(entry, variable),
                            None => entry.name.clone(),
                        },
                        None => return "the model was not changed".to_owned(),
                    },
                }
            }
        };
        let preference = ModelPreference { model: Some(name.clone()), ..ModelPreference::default() };
        let switched = match self.switch(preference, view).await {
            Ok(switched) => switched,
            Err(words) => return words,
        };
        if saves { format!("{switched}\n{}", self.save_model(&name, view)) } else { format!("{switched}\n{UNSAVED}") }
    }

    /// The model that answers, and where the choice comes from.
    pub(super) async fn current_model(&mut self, view: &ShellView) -> String {
        match self.resolve(&self.preference.clone(), view).await {
            Ok(Some(resolved)) => format!("{}\n{}", told(&resolved), self.origin(&resolved, view)),
            Ok(None) => NO_MODEL.into(),
            Err(failure) => failure.words,
        }
    }

    /// Where the choice of the model comes from.
    fn origin(&self, resolved: &Resolved, view: &ShellView) -> String {
        let settings = self.settings_here(view);
        let words = if self.preference.model.is_some() {
            "you chose it with /model for this conversation".to_owned()
        } else if self.is_planning(view) && settings.roles.plan.is_some() {
            "`plan` under [model] in the configuration names it, and this is plan mode".to_owned()
        } else if self.named.clone().flatten().is_some_and(|name| !name.trim().is_empty()) {
            format!("{MODEL_VARIABLE} names it")
        } else if let Some((_, path)) = settings.policy.model() {
            format!("[[scope]] for {} in the configuration names it", path.display())
        } else if settings.model.is_some() || settings.base_url.is_some() {
            "[model] in the configuration names it".to_owned()
        } else if resolved.is_discovered() {
            "nothing else is connected".to_owned()
        } else {
            "it is the first provider that is set up (`shellmate auth status`)".to_owned()
        };
        format!("  {words}")
    }

    /// Writes the model into the person's configuration.
    fn save_model(&self, name: &str, view: &ShellView) -> String {
        let Some(file) = self.setup.config.user_file() else {
            return "cannot save it: there is no configuration directory".to_owned();
        };
        if let Err(error) = config::set_model(file, name) {
            return format!("cannot save it: {error}");
        }
        let saved = format!("saved as `model.name` in {}", crate::agent::shown_path(file, view.home()));
        match self.named.clone().flatten().filter(|name| !name.trim().is_empty()) {
            Some(named) => format!("{saved}; where {MODEL_VARIABLE}={named} is set, it takes precedence"),
            None => saved,
        }
    }
}

/// Reads the arguments of `/model`.
pub(super) fn arguments(rest: &str) -> AgentCommand {
    let saves = rest.split_whitespace().any(|word| word == "--save");
    let name: Vec<&str> = rest.split_whitespace().filter(|word| *word != "--save").collect();
    AgentCommand::Model { name: Some(name.join(" ")).filter(|name| !name.is_empty()), saves }
}

const UNSAVED: &str = "  for this conversation; `> /model NAME --save` keeps it";

/// What to do before a model can be asked.
pub(crate) fn needs_key(entry: &ModelEntry, variable: &str) -> String {
    let provider = entry.name.split('/').next().unwrap_or_default();
    format!("{provider} needs a key: run `shellmate auth login {provider}`, or export {variable}")
}

/// The list to pick from. Enter does `action`.
pub(crate) fn model_list(entries: &[ModelEntry], action: &'static str) -> PickList {
    let width = entries.iter().map(|entry| entry.name.chars().count()).max().unwrap_or(0).min(NAMES);
    let item = |(place, entry): (usize, &ModelEntry)| {
        let id = i64::try_from(place).unwrap_or(i64::MAX);
        PickItem { id, facts: String::new(), text: format!("{:<width$}  {}", entry.name, facts(entry)) }
    };
    PickList { items: entries.iter().enumerate().map(item).collect(), action, by_name: true }
}

/// Window, price, abilities and a missing key, in columns.
fn facts(entry: &ModelEntry) -> String {
    let window = entry.window.map(|window| human::count(window.into())).unwrap_or_default();
    let price = entry.price.map(|price| format!("${}/${}", price.input, price.output)).unwrap_or_default();
    let abilities = [
        (entry.traits.sees == Some(true), "pictures"),
        (entry.traits.thinks == Some(true), "thinking"),
        (entry.traits.calls != Some(false), "tools"),
    ];
    let abilities: Vec<&str> = abilities.into_iter().filter(|(has_it, _)| *has_it).map(|(_, name)| name).collect();
    let key = entry.missing_key.map(|_| "  no key").unwrap_or_default();
    format!("{window:>5}  {price:<12} {}{key}", abilities.join(" ")).trim_end().to_owned()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::provider::{ModelTraits, Price};

    #[test]
    fn a_row_has_window_price_abilities_and_key() {
        let price = Price { input: 2.0, output: 10.0, cached: 0.2, cache_written: 2.5 };
        let traits = ModelTraits { sees: Some(true), thinks: Some(true), ..ModelTraits::default() };
        let name = "anthropic/claude-x".to_owned();
        let entry = ModelEntry { name, window: Some(1_000_000), price: Some(price), traits, missing_key: None };
        let blind = ModelEntry {
            name: "groq/y".into(),
            window: None,
            price: None,
            traits: ModelTraits { calls: Some(false), ..ModelTraits::default() },
            missing_key: Some("GROQ_API_KEY"),
        };
        let rows: Vec<String> =
            model_list(&[entry, blind.clone()], "use it").items.into_iter().map(|item| item.text).collect();
        assert_eq!(rows[0], "anthropic/claude-x   1.0M  $2/$10       pictures thinking tools");
        assert!(rows[1].starts_with("groq/y") && rows[1].ends_with("no key"), "{rows:?}");
        assert_eq!(
            needs_key(&blind, "GROQ_API_KEY"),
            "groq needs a key: run `shellmate auth login groq`, or export GROQ_API_KEY"
        );
    }
}
