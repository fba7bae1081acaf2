//! The text of `/context`: what the next question would send. Pure.

use crate::agent::ContextPreview;
use crate::chat::{Message, Outcome, Part as Piece, Role};
use crate::provider::WindowSource;
use crate::text::human;

use super::slash::ContextPart;

/// Stands in place of the question.
pub(super) const PLACEHOLDER: &str = "(your question)";

/// The text of the requested part.
pub(super) fn words(preview: &ContextPreview, part: ContextPart) -> String {
    match part {
        ContextPart::Whole => whole(preview),
        ContextPart::System => preview.system.to_owned(),
        ContextPart::Tools => {
            let tools =
                preview.tools.iter().map(|tool| format!("{}: {}\n  {}", tool.name, tool.description, tool.schema));
            tools.collect::<Vec<_>>().join("\n")
        }
        ContextPart::Conversation if preview.conversation.is_empty() => "nothing has been said yet".to_owned(),
        ContextPart::Conversation => preview.conversation.iter().map(said).collect::<Vec<_>>().join("\n\n"),
    }
}

fn whole(preview: &ContextPreview) -> String {
    let ContextPreview { model, system, tools, conversation, fragments, scale, window, window_source } = preview;
    let tokens = |bytes: usize| human::count(scale.of_bytes(bytes).into());
    let words = preview.words();
    let parts: Vec<&str> = fragments.iter().map(|fragment| fragment.tag).collect();
    let tools_size = serde_json::to_string(tools).map_or(0, |json| json.len());
    let said: usize = conversation.iter().map(size).sum();
    let names: Vec<&str> = tools.iter().map(|tool| tool.name.as_str()).collect();
    let line = |name: &str, bytes: usize, more: &str| {
        format!("  {name:<14} {:>9}  {:>5} tokens  {more}", human::size(bytes as u64), tokens(bytes))
    };
    let total = system.len() + tools_size + said + words.len();
    [
        format!("the next question would send {model} about {} tokens:", tokens(total)),
        format!("{} ({})", bar(scale.of_bytes(total), *window), origin(*window_source)),
        line("system prompt", system.len(), "see /context system"),
        line("tools", tools_size, &format!("see /context tools ({})", names.join(", "))),
        line("conversation", said, &format!("see /context conversation ({} messages)", conversation.len())),
        line("what is new", words.len(), &format!("{}, as follows:", parts.join(", "))),
        String::new(),
        words,
    ]
    .join("\n")
}

/// Where the size of the window comes from.
fn origin(source: WindowSource) -> &'static str {
    match source {
        WindowSource::Configured => "set in the configuration",
        WindowSource::Catalogue => "from the built-in list of models",
        WindowSource::ModelList => "from the provider's list of models",
        WindowSource::Server => "reported by the server",
        WindowSource::Overflow => "learned when a request was too long",
        WindowSource::Assumed => "assumed; `window` in [model] sets it",
    }
}

/// How much of the window is used, as a bar of twenty cells.
fn bar(used: u32, window: u32) -> String {
    const CELLS: u64 = 20;
    let share = |whole: u64| u64::from(used) * whole / u64::from(window.max(1));
    let filled = share(CELLS).min(CELLS) as usize;
    let bar = "█".repeat(filled) + &"░".repeat(CELLS as usize - filled);
    format!("  {bar}  {} % of a window of {} tokens", share(100), human::count(window.into()))
}

fn size(message: &Message) -> usize {
    let piece = |piece: &Piece| match piece {
        Piece::Text(text) => text.len(),
        Piece::Thinking(thinking) => thinking.text.len(),
        Piece::Image(image) => image.base64.len(),
        Piece::Call(call) => call.name.len() + call.arguments.len(),
        Piece::Result { outcome, .. } => outcome.text().len(),
    };
    message.parts.iter().map(piece).sum()
}

fn said(message: &Message) -> String {
    let who = match message.role {
        Role::User => "you",
        Role::Assistant => "model",
        Role::Tool => "tools",
    };
    let piece = |piece: &Piece| match piece {
        Piece::Text(text) => text.clone(),
        Piece::Thinking(thinking) => format!("[thinking, {}]", human::size(thinking.text.len() as u64)),
        Piece::Image(image) => format!("[{}, {}]", image.media_type, human::size(image.base64.len() as u64)),
        Piece::Call(call) => format!("[calls {} {}]", call.name, call.arguments),
        Piece::Result { outcome: outcome @ Outcome::Done { .. }, .. } => outcome.text().to_owned(),
        Piece::Result { outcome: outcome @ Outcome::Failed { .. }, .. } => format!("[failed] {}", outcome.text()),
    };
    let pieces: Vec<String> = message.parts.iter().map(piece).collect();
    format!("{who} ({}):\n{}", human::size(size(message) as u64), pieces.join("\n"))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::agent::Scale;
    use crate::agent::context::Fragment;
    use crate::chat::{Call, ToolSpec};

    #[test]
    fn every_part_has_its_size_and_can_be_read() {
        let tools = vec![ToolSpec {
            name: "ls".into(),
            description: "List.".into(),
            schema: serde_json::json!({ "type": "object" }),
        }];
        let call = Piece::Call(Call { id: "1".into(), name: "ls".into(), arguments: "{}".into() });
        let result = Piece::Result { id: "1".into(), outcome: Outcome::failed("no such file") };
        let conversation = vec![
            Message::user("x".repeat(4_000)),
            Message { role: Role::Assistant, parts: vec![call] },
            Message { role: Role::Tool, parts: vec![result] },
        ];
        let fragments = vec![
            Fragment::new("cwd", 100, "the shell's directory", "<cwd>/</cwd>\n".into()),
            Fragment::new("query", 100, "your question", "\n(your question)".into()),
        ];
        let window_source = WindowSource::Server;
        let (model, system, scale) = ("m".into(), "s".repeat(2_048).leak(), Scale::default());
        let preview =
            ContextPreview { model, system, tools, conversation, fragments, scale, window: 8_192, window_source };
        let shown = super::words(&preview, ContextPart::Whole);
        assert!(shown.starts_with("the next question would send m about 1.7k tokens:\n  ████░░░░░░░░░░░░░░░░  20 % of a window of 8.1k tokens (reported by the server)\n"), "{shown}");
        assert!(shown.contains("system prompt    2.0 KiB    569 tokens"), "{shown}");
        assert!(
            shown.contains("conversation     3.9 KiB   1.1k tokens  see /context conversation (3 messages)"),
            "{shown}"
        );
        assert!(shown.ends_with("  cwd, query, as follows:\n\n<cwd>/</cwd>\n\n(your question)"), "{shown}");
        assert_eq!(super::words(&preview, ContextPart::Tools), "ls: List.\n  {\"type\":\"object\"}");
        let said = super::words(&preview, ContextPart::Conversation);
        assert!(said.contains("model (4 B):\n[calls ls {}]\n\ntools (12 B):\n[failed] no such file"), "{said}");
    }
}
