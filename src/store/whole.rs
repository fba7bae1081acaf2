//! The output of a stored command, with what its spill file still has.

use std::fs::{File, OpenOptions};
use std::io::{self, Read};
use std::os::unix::fs::{MetadataExt, OpenOptionsExt};
use std::path::Path;

use super::Stored;
use crate::capture::Output;

impl Stored {
    /// All that can still be had: from the spill file if there is one, else what the history keeps.
    pub(crate) fn whole(&self) -> Output {
        match self.entry.spill.as_deref().and_then(|path| read_spill(path).ok()) {
            Some(bytes) => with_spill(&self.output, bytes),
            None => self.output.clone(),
        }
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
