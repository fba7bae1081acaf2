//! A server's events do not depend on how the network cuts them, and never grow past their cap.
#![no_main]

use libfuzzer_sys::fuzz_target;
use shellmate::provider::sse::Parser;

fn events(chunks: &[&[u8]]) -> (Vec<String>, bool) {
    let mut parser = Parser::default();
    let mut events = Vec::new();
    let mut failed = false;
    for chunk in chunks {
        failed = failed || parser.feed(chunk, &mut events).is_err();
    }
    (events.iter().map(|event| format!("{event:?}")).collect(), failed)
}

fuzz_target!(|input: (u8, Vec<u8>)| {
    let (step, stream) = input;
    let cut: Vec<&[u8]> = stream.chunks(usize::from(step).max(1)).collect();
    assert_eq!(events(&cut), events(&[&stream]));
});
