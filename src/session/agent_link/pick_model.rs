//! `/model`: shows the model and where the choice comes from, lets the person pick another one, and saves it if they want.

use crate::agent::ShellView;
use crate::config;
use crate::provider::{MeantModel, ModelEntry, ModelOverview, ModelPreference, ModelTraits, Price, Resolved};
use crate::text::human;

use super::super::prompt::{PickItem, PickList};
use super::News;
use super::commands::{NO_MODEL, told};
use super::model::MODEL_VARIABLE;
use super::orders::AgentThread;
use super::slash::AgentCommand;

impl AgentThread {
    /// `/model`: switches to the named model, or to one that the person picks.
    pub(super) async fn choose_model(&mut self, name: Option<String>, saves: bool, view: &ShellView) -> String {
        let ModelOverview { entries, unusable } = self.overview(view).await;
        let (name, doubt) = match name.as_deref().map(|name| (name, MeantModel::of(name, &entries))) {
            Some((_, MeantModel::One(name))) => (name, None),
            Some((typed, MeantModel::AsTyped)) => (typed.to_owned(), None),
            Some((typed, MeantModel::Unlisted { provider, near })) => {
                (typed.to_owned(), Some(format!("  {provider} does not list it{}", did_you_mean(near.as_deref()))))
            }
            Some((typed, MeantModel::Misspelled { near })) => {
                return format!("no model is called {typed}{} `> /model` lists all", did_you_mean(Some(&near)));
            }
            Some((typed, MeantModel::Several)) => match self.pick_model(&entries, typed).await {
                Ok(name) => (name, None),
                Err(words) => return words,
            },
            None => {
                let now = self.current_model(view).await;
                let now = [now].into_iter().chain(unusable).collect::<Vec<_>>().join("\n");
                if entries.iter().all(|entry| entry.missing_key.is_some()) {
                    return now;
                }
                self.link.say(News::Words(now));
                match self.pick_model(&entries, "").await {
                    Ok(name) => (name, None),
                    Err(words) => return words,
                }
            }
        };
        let preference = ModelPreference { model: Some(name.clone()), ..ModelPreference::default() };
        let switched = match self.switch(preference, view).await {
            Ok(switched) => switched,
            Err(words) => return words,
        };
        let kept = if saves { self.save_model(&name, view) } else { UNSAVED.to_owned() };
        [Some(switched), doubt, Some(kept)].into_iter().flatten().collect::<Vec<_>>().join("\n")
    }

    /// Lets the person pick one of these models, with a filter at first. The error is what to say instead.
    async fn pick_model(&mut self, entries: &[ModelEntry], filter: &str) -> Result<String, String> {
        let list = PickList { filter: filter.to_owned(), ..model_list(entries, "use it") };
        let place = self.link.pick(list).await.and_then(|place| usize::try_from(place).ok());
        match place.and_then(|place| entries.get(place)) {
            None => Err("the model was not changed".to_owned()),
            Some(entry) => match entry.missing_key {
                Some(variable) => Err(needs_key(entry, variable)),
                None => Ok(entry.name.clone()),
            },
        }
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

fn did_you_mean(near: Option<&str>) -> String {
    near.map(|near| format!("; did you mean {near}?")).unwrap_or_default()
}

const UNSAVED: &str = "  for this conversation; `> /model NAME --save` keeps it";

/// What to do before a model can be asked.
pub(crate) fn needs_key(entry: &ModelEntry, variable: &str) -> String {
    let provider = entry.name.split('/').next().unwrap_or_default();
    format!("{provider} needs a key: run `shellmate auth login {provider}`, or export {variable}")
}

/// The list to pick from. Enter does `action`.
pub(crate) fn model_list(entries: &[ModelEntry], action: &'static str) -> PickList {
    let item = |(place, entry): (usize, &ModelEntry)| {
        let id = i64::try_from(place).unwrap_or(i64::MAX);
        let key = if entry.missing_key.is_some() { "no key" } else { "" };
        let behind = model_facts(entry.window, entry.price, key, entry.traits);
        PickItem { id, facts: String::new(), text: entry.name.clone(), behind }
    };
    let items = entries.iter().enumerate().map(item).collect();
    PickList { items, action, by_name: true, filter: String::new() }
}

/// Window and price of a model, the state of its key if that matters, and its abilities, in columns.
pub(crate) fn model_facts(window: Option<u32>, price: Option<Price>, key: &str, traits: ModelTraits) -> String {
    let window = window.map(|window| human::count(window.into())).unwrap_or_default();
    let price = price.map(|price| price.in_short()).unwrap_or_default();
    let abilities = [
        (traits.sees == Some(true), "pictures"),
        (traits.thinks == Some(true), "thinking"),
        (traits.calls != Some(false), "tools"),
    ];
    let abilities = abilities.into_iter().filter(|(has_it, _)| *has_it).map(|(_, name)| name);
    let abilities: Vec<&str> = [key].into_iter().filter(|key| !key.is_empty()).chain(abilities).collect();
    format!("{window:>5}  {price:<12} {}", abilities.join(" ")).trim_end().to_owned()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_row_has_window_price_abilities_and_key() {
        let price = Price { input: 2.0, output: 10.0, cached: 0.2, cache_written: 2.5 };
        let traits = ModelTraits { sees: Some(true), thinks: Some(true), ..ModelTraits::default() };
        let name = "anthropic/claude-x".to_owned();
        let entry = ModelEntry {
            name,
            window: Some(1_000_000),
            price: Some(price),
            traits,
            missing_key: None,
            is_listed: true,
        };
        let blind = ModelEntry {
            name: "groq/y".into(),
            window: None,
            price: None,
            traits: ModelTraits { calls: Some(false), ..ModelTraits::default() },
            missing_key: Some("GROQ_API_KEY"),
            is_listed: false,
        };
        let items = model_list(&[entry, blind.clone()], "use it").items;
        let rows: Vec<(&str, &str)> = items.iter().map(|item| (item.text.as_str(), item.behind.as_str())).collect();
        let expected = [
            ("anthropic/claude-x", " 1.0M  $2/$10       pictures thinking tools"),
            ("groq/y", "                    no key"),
        ];
        assert_eq!(rows, expected);
        assert_eq!(
            needs_key(&blind, "GROQ_API_KEY"),
            "groq needs a key: run `shellmate auth login groq`, or export GROQ_API_KEY"
        );
    }
}
