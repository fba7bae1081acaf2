//! A command with its output.

use std::fs::{File, OpenOptions};
use std::io::{self, Read, Write};
use std::os::unix::fs::{MetadataExt, OpenOptionsExt};
use std::path::Path;

use super::screen::{Screen, Style};
use super::{Place, age, timestamp};
use crate::capture::Output;
use crate::store::{Entry, Stored};
use crate::text::{human, sanitize};

/// The command, a line about it, and its output as the terminal showed it.
pub(super) fn whole(stored: &Stored, place: &Place<'_>, screen: Screen, out: &mut impl Write) -> anyhow::Result<()> {
    let command = sanitize(&String::from_utf8_lossy(&stored.entry.command));
    writeln!(out, "{}", screen.paint(Style::Bold, &format!("$ {command}")))?;
    writeln!(out, "{}", screen.paint(Style::Dim, &about(&stored.entry, place)))?;
    let text = text(stored);
    if !text.is_empty() {
        writeln!(out, "{}", sanitize(&text))?;
    }
    Ok(())
}

/// The output as it came.
pub(super) fn raw(stored: &Stored, out: &mut impl Write) -> anyhow::Result<()> {
    Ok(out.write_all(&output(stored).kept())?)
}

/// The output as the terminal showed it.
pub(super) fn text(stored: &Stored) -> String {
    output(stored).text(stored.size)
}

fn about(entry: &Entry, place: &Place<'_>) -> String {
    let started = timestamp(entry.started_at).to_zoned(place.now.time_zone().clone());
    let outcome = if entry.status == 0 { "✓".to_owned() } else { format!("exit status {}", entry.status) };
    let mut facts = vec![
        format!("#{}", entry.id),
        sanitize(&entry.cwd.to_string_lossy()),
        format!("{} ({})", started.strftime("%Y-%m-%d %H:%M:%S"), human::age(age(entry.started_at, &place.now))),
        outcome,
        human::duration(entry.duration),
        format!("{} of output", human::size(entry.output_bytes)),
    ];
    if entry.full_screen {
        facts.push("took the whole screen".to_owned());
    }
    facts.join(" · ")
}

/// All that can still be had: from the spill file if there is one, else what the history keeps.
fn output(stored: &Stored) -> Output {
    let spilled = stored.entry.spill.as_deref().and_then(|path| read_spill(path).ok());
    match spilled {
        Some(bytes) => with_spill(&stored.output, bytes),
        None => stored.output.clone(),
    }
}

/// A spill file is the beginning of the output, usually all of it; what it lacks at the end may be in the tail.
fn with_spill(kept: &Output, spilled: Vec<u8>) -> Output {
    let printed = kept.missing() + (kept.head.len() + kept.tail.len()) as u64;
    let lacking = printed.saturating_sub(spilled.len() as u64);
    let from_tail = usize::try_from(lacking).unwrap_or(usize::MAX).min(kept.tail.len());
    let tail = kept.tail[kept.tail.len() - from_tail..].to_vec();
    Output::restored(kept.seen, spilled, tail, lacking - from_tail as u64, kept.full_screen)
}

/// Reads a file only if it is ours: the runtime directory may be in /tmp, and the path may be years old.
fn read_spill(path: &Path) -> io::Result<Vec<u8>> {
    let flags = nix::fcntl::OFlag::O_NOFOLLOW | nix::fcntl::OFlag::O_NONBLOCK;
    let mut file: File = OpenOptions::new().read(true).custom_flags(flags.bits()).open(path)?;
    let about = file.metadata()?;
    if !about.is_file() || about.uid() != nix::unistd::geteuid().as_raw() {
        return Err(io::ErrorKind::PermissionDenied.into());
    }
    let mut bytes = Vec::new();
    file.read_to_end(&mut bytes)?;
    Ok(bytes)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_spill_and_a_tail_are_put_together() {
        // "0123456789", of which the history has 01 and 789.
        let kept = Output::restored(10, b"01".to_vec(), b"789".to_vec(), 5, false);
        let joined = |spilled: &[u8]| {
            let output = with_spill(&kept, spilled.to_vec());
            (output.missing(), [output.head, output.tail].concat())
        };
        assert_eq!(joined(b"0123456789"), (0, b"0123456789".to_vec()));
        assert_eq!(joined(b"01234567"), (0, b"0123456789".to_vec()));
        assert_eq!(joined(b"01234"), (2, b"01234789".to_vec()));
    }
}
