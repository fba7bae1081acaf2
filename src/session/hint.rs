//! A dim line with the correction of a command that has just failed. Only where it is asked for.

use std::sync::mpsc::sync_channel;
use std::time::Duration;

use crate::agent;
use crate::capture::{Output, Size};
use crate::track::Command;

/// A hint takes a few milliseconds. A prompt waits no longer than this for one, whatever a network's disk is doing.
const PATIENCE: Duration = Duration::from_millis(500);

/// What was most probably meant, if the rules are sure of it. They look at files, so they do it on a thread of their own.
pub(super) fn hint(command: &Command, output: &Output, size: Size) -> Option<String> {
    if command.status == 0 {
        return None;
    }
    let (command, output) = (command.clone(), output.clone());
    let (tell, told) = sync_channel(1);
    let look = move || {
        let answer = agent::diagnose(&command, &output.text(size), std::env::vars_os().collect(), Vec::new());
        let meant = answer.proposals.into_iter().next().filter(|_| answer.is_confident);
        // A prompt that is not waiting any more needs no hint.
        let _ = tell.send(meant);
    };
    std::thread::Builder::new().name("hint".into()).spawn(look).ok()?;
    let meant = told.recv_timeout(PATIENCE).ok()??;
    Some(format!("perhaps `{}`; `> fix` puts it on your prompt", meant.command.replace('\n', "⏎")))
}
