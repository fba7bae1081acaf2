//! A sample of everything that a theme colours.

use std::time::{Duration, Instant};

use crate::chat::{Call, Ending, Event, Failure, FailureKind, Outcome, Shown, ToolKind};
use crate::render::{
    self, ApprovalRequest, CardChoice, CardFoot, CardView, Painter, RenderOptions, Subject, TerminalMode,
};

/// Markdown with one example of each element.
const FULL: &str = "\
# Title

Words with **weight**, `code`, and [a link](https://example.org).

> A quote.

- [x] done
- [ ] to do

```rust
/// Adds one.
fn next(n: u32) -> u32 { n + 1 } // \"as it is\"
```

| role | look |
|---|--:|
| good | 1 |
";

/// The elements that differ most between themes, in few rows.
const SHORT: &str = "\
## Heading

Words with **weight**, `code`, and [a link](https://example.org).
> A quote.

```rust
// Adds one.
fn next(n: u8) -> u8 { n + \"1\".len() }
```
";

/// How much of a sample is shown.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum SampleSize {
    Full,
    /// About 20 rows.
    Short,
}

/// Paints the sample: an answer, tool calls, a diff, an approval card, an error and a dim line. Lines end with `\r\n`.
pub(super) fn paint(options: &RenderOptions, size: SampleSize) -> Vec<u8> {
    options.code.warm("rust");
    let mut options = options.clone();
    options.synchronized = false;
    let (mut painter, mut bytes, now) = (Painter::new(options.clone()), Vec::new(), Instant::now());
    // Without the live region there are only final lines.
    painter.suspend(&mut bytes);
    let answer = match size {
        SampleSize::Full => FULL,
        SampleSize::Short => SHORT,
    };
    let events = [
        Event::Text(answer.to_owned()),
        started("1", "cargo test"),
        ended("1", Outcome::done("")),
        started("2", "cargo tset"),
        ended("2", Outcome::failed("exit code 101")),
    ];
    events.iter().for_each(|event| painter.event(event, now, &mut bytes));
    painter.finish(&mut bytes);
    bytes.extend_from_slice(b"\r\n");
    let diff =
        render::diff("let port = 80;\nserve(port);\n", "let port = 8080;\nserve(port);\n", "src/main.rs", &options);
    bytes.extend_from_slice(diff.as_bytes());
    bytes.extend_from_slice(b"\r\n");
    let request = ApprovalRequest {
        subject: Subject::Command { action: "run", command: "cargo install ripgrep" },
        place: None,
        exception: Some("may use the network"),
        reason: Some("it downloads the source"),
    };
    let choice = |key, words| CardChoice { key, words, meaning: String::new(), needs_enter: key == 'y' };
    let choices = [('y', "yes"), ('n', "no"), ('?', "more")].map(|(key, words)| choice(key, words));
    let text = render::approval(&request, &options);
    CardView::new(text, choices.into(), options.clone()).draw(CardFoot::Choices, &mut bytes);
    bytes.extend_from_slice(b"\r\n");
    let mut end = Painter::new(options);
    end.suspend(&mut bytes);
    end.event(&Event::Notice("a notice, such as 1.2k tokens in 3 s".to_owned()), now, &mut bytes);
    let failure = Failure::new(FailureKind::Server, "an error: the server did not answer");
    end.event(&Event::Finished(Ending::Failed(failure)), now, &mut bytes);
    end.finish(&mut bytes);
    bytes
}

/// The rows of the short sample, as wide as `columns`.
pub(super) fn rows(options: &RenderOptions, columns: u16) -> Vec<String> {
    let options = RenderOptions { columns, mode: TerminalMode::Terminal, ..options.clone() };
    let bytes = paint(&options, SampleSize::Short);
    String::from_utf8_lossy(&bytes).split("\r\n").map(str::to_owned).collect()
}

fn started(id: &str, title: &str) -> Event {
    Event::CallStarted {
        call: Call { id: id.to_owned(), name: "bash".to_owned(), arguments: String::new() },
        kind: ToolKind::Run,
        title: title.to_owned(),
    }
}

fn ended(id: &str, outcome: Outcome) -> Event {
    Event::CallFinished { id: id.to_owned(), outcome, shown: Shown::Outcome, took: Duration::default() }
}
