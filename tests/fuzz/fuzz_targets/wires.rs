//! What a wire makes of an answer does not depend on how the network cuts it; an answer ends once, with the reason, or is an error.
#![no_main]

use libfuzzer_sys::fuzz_target;
use shellmate::provider::{Delta, ErrorKind, Protocol, replay};

/// The pieces joined, for how often a text is cut is no difference.
fn read(protocol: Protocol, chunks: &[&[u8]]) -> (String, Result<(), ErrorKind>) {
    let (mut said, mut stops) = (String::new(), 0);
    let mut hear = |delta| {
        assert_eq!(stops, 0, "nothing comes after the end");
        stops += usize::from(matches!(delta, Delta::Stopped(_)));
        said.push_str(&format!("{delta:?}"));
    };
    let end = replay(protocol, chunks, &mut hear).map_err(|error| error.kind().clone());
    assert_eq!(stops == 1, end.is_ok(), "an answer is whole or an error");
    (said, end)
}

fuzz_target!(|input: (u8, u8, Vec<u8>)| {
    let (wire, step, bytes) = input;
    let protocol = [Protocol::Chat, Protocol::Responses, Protocol::Messages][usize::from(wire) % 3];
    let cut: Vec<&[u8]> = bytes.chunks(usize::from(step).max(1)).collect();
    assert_eq!(read(protocol, &cut), read(protocol, &[&bytes]));
});
