//! Connects a provider that is not there yet: its key or its URL is asked for, and it is asked for its models. Nothing is stored here.

use std::fmt;
use std::io::Write;

use anyhow::Result;

use crate::cli::key_taker::{self, KeyTaker, is_set};
use crate::cli::questions::{Answers, agree, choose};
use crate::provider::{ModelEntry, ProviderTable, ProviderTables, VENDORS};
use crate::session;
use crate::text::{human, sanitize};

use super::access::{Access, NoAnswer};

/// How the hosts of this machine begin.
const HERE: [&str; 3] = ["localhost", "127.", "[::1]"];

/// What an answer leads to.
#[derive(Debug)]
pub(super) enum WizardStep<T> {
    /// The person leaves the wizard.
    Leave,
    /// Back to the question before.
    Back,
    Next(T),
}

/// A key that was typed. It is never printed.
#[derive(Clone)]
pub(super) struct TypedKey {
    pub(super) taker: KeyTaker,
    pub(super) key: String,
}

impl fmt::Debug for TypedKey {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_tuple("TypedKey").field(&self.taker.name).finish()
    }
}

/// A model that was connected.
#[derive(Debug)]
pub(super) struct Connected {
    pub(super) model: String,
    pub(super) key: Option<TypedKey>,
    /// The settings that make the provider known.
    pub(super) settings: Vec<(String, String)>,
}

/// A provider that is being connected.
#[derive(Clone)]
struct NewProvider {
    access: Access,
    taker: KeyTaker,
    key: Option<TypedKey>,
    settings: Vec<(String, String)>,
}

/// The person, and the screen.
pub(super) struct Dialog<'a> {
    pub(super) answers: &'a mut dyn Answers,
    pub(super) out: &'a mut dyn Write,
}

impl Dialog<'_> {
    /// Asks which provider, and connects it with a key.
    pub(super) fn provider(&mut self, access: &Access) -> Result<WizardStep<Connected>> {
        let takers = KeyTaker::all(&access.preference.providers).into_iter().filter(|taker| taker.configured.is_none());
        let takers: Vec<KeyTaker> = takers.collect();
        let has_stored = |taker: &KeyTaker| access.keys.has(taker.variable());
        let line = |taker: &KeyTaker| match taker.set_variable() {
            Some(variable) => format!("{} ({variable} is set)", taker.name),
            None if has_stored(taker) => format!("{} (its key is stored)", taker.name),
            None => taker.name.clone(),
        };
        let mut names: Vec<String> = takers.iter().map(line).collect();
        names.push("back".to_owned());
        loop {
            let Some(at) = choose("Which provider?", &names, 0, self.answers, self.out)? else {
                return Ok(WizardStep::Leave);
            };
            let Some(taker) = takers.get(at) else { return Ok(WizardStep::Back) };
            let mut provider =
                NewProvider { access: access.clone(), taker: taker.clone(), key: None, settings: Vec::new() };
            if needs_url(&taker.name, access) {
                match self.url(&format!("The URL of your {} resource: ", taker.name))? {
                    WizardStep::Next(url) => provider.move_to(&url),
                    WizardStep::Back => continue,
                    WizardStep::Leave => return Ok(WizardStep::Leave),
                }
            }
            let has_key = taker.set_variable().is_some() || has_stored(taker);
            match self.connect(provider, !has_key)? {
                WizardStep::Back => {}
                step => return Ok(step),
            }
        }
    }

    /// Asks for the URL of a server, and connects it. A key is asked for where the server requires one.
    pub(super) fn server(&mut self, access: &Access) -> Result<WizardStep<Connected>> {
        writeln!(self.out, "\nAn OpenAI-compatible server, such as http://localhost:8000/v1")?;
        let url = match self.url("Its base URL, or Enter to go back: ")? {
            WizardStep::Next(url) => url,
            WizardStep::Back => return Ok(WizardStep::Back),
            WizardStep::Leave => return Ok(WizardStep::Leave),
        };
        let name = free_name(&url, &access.preference.providers);
        let taker = KeyTaker::named(&name, &access.preference.providers);
        let mut provider = NewProvider { access: access.clone(), taker, key: None, settings: Vec::new() };
        provider.move_to(&url);
        self.connect(provider, false)
    }

    /// Lets the person choose one of the models of a provider that is there.
    pub(super) fn listed(&mut self, access: &Access, provider: &str) -> Result<WizardStep<Connected>> {
        let taker = KeyTaker::named(provider, &access.preference.providers);
        self.connect(NewProvider { access: access.clone(), taker, key: None, settings: Vec::new() }, false)
    }

    /// Reads a URL, until it is one.
    fn url(&mut self, prompt: &str) -> Result<WizardStep<String>> {
        loop {
            self.out.flush()?;
            let Some(typed) = self.answers.read(prompt)? else { return Ok(WizardStep::Leave) };
            match typed.trim() {
                "" => return Ok(WizardStep::Back),
                "q" | "Q" => return Ok(WizardStep::Leave),
                typed => match base_url(typed) {
                    Some(url) => return Ok(WizardStep::Next(url)),
                    None => writeln!(self.out, "A URL begins with http:// or https:// and has no blanks.")?,
                },
            }
        }
    }

    /// Asks a provider for its models, and for a key as long as one is missing or refused, and lets the person choose a model.
    fn connect(&mut self, mut provider: NewProvider, mut needs_key: bool) -> Result<WizardStep<Connected>> {
        loop {
            if needs_key {
                match self.key(&provider.taker)? {
                    WizardStep::Next(key) => provider.key = Some(key),
                    WizardStep::Back => return Ok(WizardStep::Back),
                    WizardStep::Leave => return Ok(WizardStep::Leave),
                }
            }
            let name = provider.taker.name.clone();
            let (model, access) = match self.model_of(&mut provider)? {
                Ok(WizardStep::Next(model)) => (model, provider.with_key()),
                Ok(WizardStep::Back) => return Ok(WizardStep::Back),
                Ok(WizardStep::Leave) => return Ok(WizardStep::Leave),
                Err(trouble) => match self.overcome(trouble, &name, &mut provider)? {
                    WizardStep::Next(wants_key) => {
                        needs_key = wants_key;
                        continue;
                    }
                    WizardStep::Back => return Ok(WizardStep::Back),
                    WizardStep::Leave => return Ok(WizardStep::Leave),
                },
            };
            match self.try_out(&access, &model)? {
                WizardStep::Next(Ok(())) => {
                    return Ok(WizardStep::Next(Connected { model, key: provider.key, settings: provider.settings }));
                }
                WizardStep::Next(Err(trouble)) => match self.overcome(trouble, &name, &mut provider)? {
                    WizardStep::Next(wants_key) => needs_key = wants_key,
                    WizardStep::Back => return Ok(WizardStep::Back),
                    WizardStep::Leave => return Ok(WizardStep::Leave),
                },
                // Another model.
                WizardStep::Back => needs_key = false,
                WizardStep::Leave => return Ok(WizardStep::Leave),
            }
        }
    }

    /// Says what went wrong. Returns whether to go on with another key.
    fn overcome(&mut self, trouble: NoAnswer, name: &str, provider: &mut NewProvider) -> Result<WizardStep<bool>> {
        match trouble {
            NoAnswer::Key if provider.taker.set_variable().is_some() => {
                let variable = provider.taker.set_variable().unwrap_or_default();
                writeln!(self.out, "{} does not accept the key in {variable}: change it there.", sanitize(name))?;
                Ok(WizardStep::Back)
            }
            NoAnswer::Key if provider.key.is_some() => {
                writeln!(self.out, "{} does not accept this key. Type it again, or Enter to go back.", sanitize(name))?;
                Ok(WizardStep::Next(true))
            }
            NoAnswer::Key if provider.access.keys.has(provider.taker.variable()) => {
                let name = sanitize(name);
                writeln!(self.out, "{name} does not accept the stored key. Type another one, or Enter to go back.")?;
                Ok(WizardStep::Next(true))
            }
            NoAnswer::Key => {
                writeln!(self.out, "{} requires a key. Type it, or Enter to go back.", sanitize(name))?;
                Ok(WizardStep::Next(true))
            }
            NoAnswer::InClear(host) => {
                let question = format!("http:// would send your key to {host} unencrypted. Allow that?");
                match agree(&question, false, self.answers, self.out)? {
                    None => Ok(WizardStep::Leave),
                    Some(false) => Ok(WizardStep::Back),
                    Some(true) => {
                        provider.allow(&host);
                        Ok(WizardStep::Next(false))
                    }
                }
            }
            NoAnswer::Stopped => {
                writeln!(self.out, "stopped")?;
                Ok(WizardStep::Back)
            }
            NoAnswer::Other(why) => {
                writeln!(self.out, "{}", sanitize(&why))?;
                Ok(WizardStep::Back)
            }
        }
    }

    fn key(&mut self, taker: &KeyTaker) -> Result<WizardStep<TypedKey>> {
        loop {
            self.out.flush()?;
            let Some(typed) = self.answers.read_secret(&taker.prompt())? else { return Ok(WizardStep::Leave) };
            if typed.trim().is_empty() {
                return Ok(WizardStep::Back);
            }
            match key_taker::checked(&typed) {
                Ok(key) => return Ok(WizardStep::Next(TypedKey { taker: taker.clone(), key })),
                Err(why) => writeln!(self.out, "{why}")?,
            }
        }
    }

    /// Lets the person choose one of the models of a provider.
    fn model_of(&mut self, provider: &mut NewProvider) -> Result<Result<WizardStep<String>, NoAnswer>> {
        let name = provider.taker.name.clone();
        let listed = match provider.with_key().models(&name, self.out)? {
            Err(NoAnswer::Other(why)) => match self.elsewhere(provider)? {
                Some(Ok(listed)) => listed,
                Some(Err(trouble)) => return Ok(Err(trouble)),
                None => {
                    writeln!(self.out, "{}", sanitize(&why))?;
                    match agree("Go on anyway?", false, self.answers, self.out)? {
                        None => return Ok(Ok(WizardStep::Leave)),
                        Some(false) => return Ok(Ok(WizardStep::Back)),
                        Some(true) => Vec::new(),
                    }
                }
            },
            Err(trouble) => return Ok(Err(trouble)),
            Ok(listed) => listed,
        };
        let mut names: Vec<String> = listed.iter().map(|entry| entry.name.clone()).collect();
        let mut rows: Vec<String> = session::model_list(&listed, "").items.into_iter().map(|item| item.text).collect();
        if names.is_empty() {
            names = provider.with_key().known(&name);
            rows.clone_from(&names);
        }
        if names.is_empty() {
            return Ok(Ok(self.typed_model(&name)?));
        }
        rows.push("back".to_owned());
        let question = match names.len() {
            1 => format!("{} has one model.", sanitize(&name)),
            count => format!("{} has {count} models. Which one should answer?", sanitize(&name)),
        };
        Ok(Ok(match choose(&question, &rows, 0, self.answers, self.out)? {
            None => WizardStep::Leave,
            Some(at) => names.get(at).cloned().map_or(WizardStep::Back, WizardStep::Next),
        }))
    }

    /// Tries the URL with `/v1`, which is often left out. The provider moves there if a server answers.
    fn elsewhere(&mut self, provider: &mut NewProvider) -> Result<Option<Result<Vec<ModelEntry>, NoAnswer>>> {
        let Some(url) = provider.url().filter(|url| has_no_path(url)) else { return Ok(None) };
        let mut longer = provider.clone();
        longer.move_to(&format!("{url}/v1"));
        match longer.with_key().models(&longer.taker.name, self.out)? {
            Err(NoAnswer::Other(_) | NoAnswer::Stopped) => Ok(None),
            answer => {
                *provider = longer;
                Ok(Some(answer))
            }
        }
    }

    fn typed_model(&mut self, provider: &str) -> Result<WizardStep<String>> {
        self.out.flush()?;
        let prompt = format!("The name of a model of {provider}, or Enter to go back: ");
        let Some(typed) = self.answers.read(&prompt)? else { return Ok(WizardStep::Leave) };
        let typed = typed.trim();
        let name = typed.strip_prefix(provider).and_then(|rest| rest.strip_prefix('/')).unwrap_or(typed);
        Ok(if name.is_empty() { WizardStep::Back } else { WizardStep::Next(format!("{provider}/{name}")) })
    }

    /// Asks the model for one word, if the person wants that. `Back` means that another model is to be chosen.
    pub(super) fn try_out(&mut self, access: &Access, model: &str) -> Result<WizardStep<Result<(), NoAnswer>>> {
        let question = format!("Ask {model} for one word now, to see whether it works?");
        match agree(&question, true, self.answers, self.out)? {
            None => return Ok(WizardStep::Leave),
            Some(false) => return Ok(WizardStep::Next(Ok(()))),
            Some(true) => {}
        }
        match access.one_word(model, self.out)? {
            Ok(word) => {
                writeln!(self.out, "it answers: {} ({})", word.said, human::duration(word.took))?;
                Ok(WizardStep::Next(Ok(())))
            }
            Err(NoAnswer::Stopped) => {
                writeln!(self.out, "stopped")?;
                self.use_anyway()
            }
            Err(NoAnswer::Other(why)) => {
                writeln!(self.out, "it does not answer: {}", sanitize(&why))?;
                self.use_anyway()
            }
            Err(trouble @ (NoAnswer::Key | NoAnswer::InClear(_))) => Ok(WizardStep::Next(Err(trouble))),
        }
    }

    pub(super) fn use_anyway(&mut self) -> Result<WizardStep<Result<(), NoAnswer>>> {
        Ok(match agree("Use it anyway?", false, self.answers, self.out)? {
            None => WizardStep::Leave,
            Some(true) => WizardStep::Next(Ok(())),
            Some(false) => WizardStep::Back,
        })
    }
}

impl NewProvider {
    fn with_key(&self) -> Access {
        match &self.key {
            Some(typed) => self.access.with_key(&typed.taker, &typed.key),
            None => self.access.clone(),
        }
    }

    fn url_setting(&self) -> String {
        format!("providers.{}.base_url", self.taker.name)
    }

    fn url(&self) -> Option<&str> {
        let key = self.url_setting();
        self.settings.iter().find(|(name, _)| *name == key).map(|(_, url)| url.as_str())
    }

    fn move_to(&mut self, url: &str) {
        let key = self.url_setting();
        self.access = self.access.at(&self.taker.name, url);
        self.settings.retain(|(name, _)| *name != key);
        self.settings.push((key, url.to_owned()));
    }

    /// Lets a host have the key without encryption.
    fn allow(&mut self, host: &str) {
        self.access = self.access.in_clear(host);
        let hosts = &self.access.preference.plain_http;
        self.settings.push(("model.plain_http".to_owned(), format!("{hosts:?}")));
    }
}

/// Whether a provider has no URL that is the same for everyone, and none is set.
fn needs_url(name: &str, access: &Access) -> bool {
    let vendor = VENDORS.iter().find(|vendor| vendor.name == name);
    let is_configured = access.preference.providers.named(name).is_some_and(|table| table.base_url.is_some());
    vendor.is_some_and(|vendor| {
        vendor.base_url.is_empty() && !vendor.url_variables.iter().any(|name| is_set(name)) && !is_configured
    })
}

/// The URL that was typed. Without a scheme, it is that of a server on this machine or else one with encryption.
fn base_url(typed: &str) -> Option<String> {
    let typed = typed.trim_end_matches('/');
    if typed.contains(char::is_whitespace) || typed.is_empty() {
        return None;
    }
    let is_here = HERE.iter().any(|host| typed.starts_with(host));
    match typed.split_once("://") {
        Some(("http" | "https", rest)) if !rest.is_empty() => Some(typed.to_owned()),
        Some(_) => None,
        None if is_here => Some(format!("http://{typed}")),
        None if typed.contains('.') => Some(format!("https://{typed}")),
        None => None,
    }
}

fn authority(url: &str) -> &str {
    let rest = url.split_once("://").map_or(url, |(_, rest)| rest);
    let host = rest.split('/').next().unwrap_or(rest);
    host.rsplit('@').next().unwrap_or(host)
}

fn has_no_path(url: &str) -> bool {
    url.split_once("://").is_some_and(|(_, rest)| !rest.contains('/'))
}

/// A name for the provider at a URL that no other provider has: the host's own name, such as `example` for `llm.example.com`.
fn free_name(url: &str, tables: &ProviderTables) -> String {
    let authority = authority(url);
    let host = authority.rsplit_once(':').map_or(authority, |(host, _)| host);
    let is_here = HERE.iter().any(|here| host.starts_with(here));
    let is_number = host.starts_with('[') || host.chars().all(|c| c.is_ascii_digit() || c == '.');
    let labels: Vec<&str> = host.split('.').collect();
    let name = match labels.as_slice() {
        _ if is_here => "local",
        _ if is_number => "server",
        [.., own, _] => own,
        [own] => own,
        [] => "server",
    };
    let kept = name.to_ascii_lowercase().replace(|c: char| !c.is_ascii_alphanumeric() && c != '-' && c != '_', "");
    let name = if kept.is_empty() { "server".to_owned() } else { kept };
    let is_free = |name: &str| {
        let is_vendor = VENDORS.iter().any(|vendor| vendor.name == name) || name == "custom";
        let is_same = |table: &ProviderTable| table.base_url.as_deref() == Some(url);
        !is_vendor && tables.named(name).is_none_or(|table| is_same(table))
    };
    let numbered = (2..).map(|number| format!("{name}{number}"));
    std::iter::once(name.clone()).chain(numbered).find(|name| is_free(name)).unwrap_or(name)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_url_may_be_typed_without_its_scheme() {
        for (typed, expected) in [
            ("http://localhost:8000/v1/", Some("http://localhost:8000/v1")),
            ("localhost:8000", Some("http://localhost:8000")),
            ("127.0.0.1:1234/v1", Some("http://127.0.0.1:1234/v1")),
            ("llm.example.com/v1", Some("https://llm.example.com/v1")),
            ("ftp://example.com", None),
            ("http://", None),
            ("my server", None),
            ("server", None),
        ] {
            assert_eq!(base_url(typed).as_deref(), expected, "{typed}");
        }
    }

    #[test]
    fn a_provider_is_called_like_its_host_unless_that_is_taken() {
        let tables = ProviderTables::new(vec![ProviderTable::at("local", "http://127.0.0.1:1/v1")]);
        let name = |url| free_name(url, &tables);
        assert_eq!(name("https://llm.example.com:8443/v1"), "example");
        assert_eq!(name("https://me:pw@Work_Box.lan/v1"), "work_box");
        assert_eq!(name("http://127.0.0.1:1/v1"), "local", "it is the same server");
        assert_eq!(name("http://localhost:8000/v1"), "local2");
        assert_eq!(name("http://[::1]:8000/v1"), "local2");
        assert_eq!(name("http://192.168.1.5:8000/v1"), "server");
        assert_eq!(name("https://api.groq.com/openai/v1"), "groq2");
    }
}
