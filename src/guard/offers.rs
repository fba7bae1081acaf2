//! The grants that a card offers instead of a single yes.
//!
//! A command with the rights of another user gets none. A command that runs any text (a shell, an interpreter, `ssh`, a script of a package)
//! gets one for exactly its text, and only for the session.

use super::command::{CommandReading, PartEffect, ReadPart};
use super::grants::edit_scope;
use super::places::is_delicate;
use super::{Grant, GrantOffer, GrantPlace, GrantScope, Intent, Surroundings};

/// The grants for exactly this call, and those for all commands that begin with the same words. `reading` reads its command.
pub(super) fn of(
    intent: &Intent,
    around: &Surroundings<'_>,
    reading: Option<&CommandReading>,
) -> (Vec<GrantOffer>, Vec<GrantOffer>) {
    let exact = match intent {
        Intent::Run { command, cwd, exception: None } => {
            let grant = |place| vec![Grant::Command { command: command.clone(), place }];
            let mut places = scopes(around, GrantPlace::Directory(cwd.clone()));
            // With the rights of another user, nothing limits what a command does, so each one is asked about.
            if reading.is_none_or(|reading| reading.raises_rights(command)) {
                places.clear();
            }
            // An interpreter may do something else tomorrow with the same words.
            if !reading.is_some_and(has_fixed_words) {
                places.retain(|(scope, _)| *scope == GrantScope::Session);
            }
            offers(places, grant)
        }
        Intent::RunInShell { command, cwd } if reading.is_some_and(CommandReading::changes_only_the_shell) => {
            let grant = |place| vec![Grant::ShellCommand { command: command.clone(), place }];
            offers(scopes(around, GrantPlace::Directory(cwd.clone())), grant)
        }
        Intent::Write { path, reach } if !is_delicate(path, *reach, around.project) => {
            let grant = vec![Grant::Edits(edit_scope(path, around).to_owned())];
            let scopes = [GrantScope::Session, GrantScope::Project];
            let scopes = scopes.into_iter().filter(|scope| *scope == GrantScope::Session || around.in_project(path));
            scopes.map(|scope| GrantOffer { scope, grant: grant.clone() }).collect()
        }
        Intent::Read { paths } => {
            let scopes = [GrantScope::Session, GrantScope::Everywhere].into_iter();
            scopes.map(|scope| GrantOffer { scope, grant: vec![Grant::Reads(paths.clone())] }).collect()
        }
        Intent::OtherTerminals => vec![GrantOffer { scope: GrantScope::Session, grant: vec![Grant::OtherTerminals] }],
        Intent::Run { .. }
        | Intent::RunInShell { .. }
        | Intent::Write { .. }
        | Intent::Ask
        | Intent::Suggest { .. } => Vec::new(),
    };
    (exact, wide(intent, around, reading).unwrap_or_default())
}

/// Grants for the words that each changing part of a command begins with.
fn wide(intent: &Intent, around: &Surroundings<'_>, reading: Option<&CommandReading>) -> Option<Vec<GrantOffer>> {
    let (Intent::Run { cwd, exception: None, .. }, Some(reading)) = (intent, reading) else { return None };
    if !has_fixed_words(reading) {
        return None;
    }
    let mut words: Vec<Vec<String>> = changing(reading).filter_map(|part| part.fixed_words.clone()).collect();
    words.dedup();
    let grant = |place: GrantPlace| {
        let grant = |words: &Vec<String>| Grant::Words { words: words.clone(), place: place.clone() };
        words.iter().map(grant).collect()
    };
    let here = if around.in_project(cwd) { around.project } else { cwd };
    Some(offers(scopes(around, GrantPlace::Below(here.to_owned())), grant))
}

fn offers(places: Vec<(GrantScope, GrantPlace)>, grant: impl Fn(GrantPlace) -> Vec<Grant>) -> Vec<GrantOffer> {
    places.into_iter().map(|(scope, place)| GrantOffer { scope, grant: grant(place) }).collect()
}

/// The scopes of a grant for a command. Outside a project there is no scope between this session and everywhere.
fn scopes(around: &Surroundings<'_>, here: GrantPlace) -> Vec<(GrantScope, GrantPlace)> {
    let project = around.in_project(around.project).then(|| GrantPlace::Below(around.project.to_owned()));
    let project = project.map(|place| (GrantScope::Project, place));
    [(GrantScope::Session, here)]
        .into_iter()
        .chain(project)
        .chain([(GrantScope::Everywhere, GrantPlace::Everywhere)])
        .collect()
}

/// Whether every part that changes something begins with words that a grant may cover.
fn has_fixed_words(reading: &CommandReading) -> bool {
    reading.unclear.is_none() && changing(reading).all(|part| part.fixed_words.is_some())
}

fn changing(reading: &CommandReading) -> impl Iterator<Item = &ReadPart> {
    reading.parts.iter().filter(|part| part.effect != PartEffect::Looks)
}
