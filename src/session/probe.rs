//! Services of a debug build for tests: a panic at a chosen moment, and a recording. A release build has neither.

#[cfg(debug_assertions)]
mod asked {
    use std::fs::OpenOptions;
    use std::io::Write;

    /// Panics when the shell prints the text that `SHELLMATE_FAULT=PLACE:TEXT` names for this place.
    pub(in super::super) fn fault_at(place: &str, printed: &[u8]) {
        let wish = std::env::var("SHELLMATE_FAULT").unwrap_or_default();
        if let Some((_, text)) = wish.split_once(':').filter(|(wished, _)| *wished == place)
            && memchr::memmem::find(printed, text.as_bytes()).is_some()
        {
            panic!("a fault was asked for");
        }
    }

    /// Appends the shell's output, including marks, to the file that `SHELLMATE_RECORD` names.
    pub(in super::super) fn record(printed: &[u8]) {
        if let Some(path) = std::env::var_os("SHELLMATE_RECORD")
            && let Err(error) =
                OpenOptions::new().create(true).append(true).open(path).and_then(|mut file| file.write_all(printed))
        {
            tracing::warn!(%error, "the recording is not whole");
        }
    }
}

#[cfg(not(debug_assertions))]
mod asked {
    #[inline]
    pub(in super::super) fn fault_at(_: &str, _: &[u8]) {}
    #[inline]
    pub(in super::super) fn record(_: &[u8]) {}
}

pub(super) use asked::{fault_at, record};
