//! Any text can be masked, and masking what is masked changes nothing.
#![no_main]

use libfuzzer_sys::fuzz_target;
use shellmate::guard::Redactor;

fuzz_target!(|text: String| {
    let redactor = Redactor::default();
    redactor.learn(&[("MY_SECRET".into(), "correct-horse-1".into())]);
    let once = redactor.mask(&text);
    assert!(!once.contains("correct-horse-1"));
    assert_eq!(redactor.mask(&once), once);
});
