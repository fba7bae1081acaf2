//! Whatever a model says, in whatever pieces and on however wide a terminal, is painted: no panic, and no sequence but our own.
#![no_main]

use std::time::Instant;

use libfuzzer_sys::fuzz_target;
use shellmate::chat::Event;
use shellmate::render::{Depth, Mode, Options, Painter, Theme};

fuzz_target!(|input: (u8, u8, u8, String)| {
    let (step, columns, resized, text) = input;
    let options = Options {
        columns: columns.into(),
        colour: Depth::Ansi16,
        theme: Theme::default(),
        unicode: true,
        synchronized: true,
        hyperlinks: true,
        mode: Mode::Terminal,
    };
    let (mut painter, mut out, now) = (Painter::new(options), Vec::new(), Instant::now());
    let chars: Vec<char> = text.chars().collect();
    for (index, piece) in chars.chunks(usize::from(step).max(1)).enumerate() {
        painter.event(&Event::Text(piece.iter().collect()), now, &mut out);
        if index == 2 {
            painter.resize(resized.into(), &mut out);
        }
    }
    painter.finish(&mut out);
    for (at, _) in out.iter().enumerate().filter(|(_, byte)| **byte == 0x1B) {
        let rest = &out[at + 1..];
        let ours = rest.starts_with(b"[") || rest.starts_with(b"]8;;") || rest.starts_with(b"\\");
        assert!(ours, "{:?}", String::from_utf8_lossy(&rest[..rest.len().min(20)]));
    }
    assert!(String::from_utf8(out).is_ok_and(|text| !text.chars().any(|c| ('\u{80}'..='\u{9f}').contains(&c))));
});
