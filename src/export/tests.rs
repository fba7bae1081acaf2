use super::*;
use crate::chat::{Call, Failure, FailureKind, Image, Outcome, Part, Role, Thinking};

fn said(role: Role, parts: Vec<Part>) -> Message {
    Message { role, parts }
}

fn text(text: &str) -> Part {
    Part::Text(text.to_owned())
}

fn call(name: &str, arguments: &str) -> Part {
    Part::Call(Call { id: "1".into(), name: name.into(), arguments: arguments.into() })
}

fn of(question: &str, messages: Vec<Message>) -> Document {
    let ending = Ending::Answered;
    let (question, asked, model) = (question.to_owned(), "18 Nov 2026, 10:00".to_owned(), "acme/large".to_owned());
    let exchanges = vec![DocumentExchange { question, asked, model, messages, ending }];
    Document { title: "why did that fail".into(), facts: vec!["in /home/me".into()], exchanges }
}

fn answered(answer: &str) -> Document {
    of("why", vec![said(Role::User, vec![text("why")]), said(Role::Assistant, vec![text(answer)])])
}

fn worked(name: &str, arguments: &str, outcome: Outcome) -> Document {
    let result = Part::Result { id: "1".into(), outcome };
    of(
        "do it",
        vec![
            said(Role::User, vec![text("do it")]),
            said(Role::Assistant, vec![call(name, arguments)]),
            said(Role::Tool, vec![result]),
            said(Role::Assistant, vec![text("Done.")]),
        ],
    )
}

fn html(of: &Document) -> String {
    document(of, DocumentFormat::Html)
}

#[test]
fn nothing_that_was_said_becomes_code_of_the_page() {
    let hostile = "<script>alert(1)</script> <img src=x onerror=alert(1)> </style></title>\n\n\
                   ![a](http://evil.example/x.png) [b](javascript:alert(1)) [c](data:text/html,x) [d](\"onclick=x)\n\n\
                   ```html\"><script>\n</code></pre><script>alert(2)</script>\n```\n\n<iframe src=//evil.example></iframe>\n";
    let mut document = worked(hostile, &format!("{{\"path\": {hostile:?}}}"), Outcome::done(hostile));
    document.title = hostile.to_owned();
    document.facts = vec![hostile.to_owned()];
    let exchange = &mut document.exchanges[0];
    (exchange.question, exchange.model, exchange.asked) = (hostile.to_owned(), hostile.to_owned(), hostile.to_owned());
    exchange.ending = Ending::Failed(Failure::new(FailureKind::Network, hostile));
    exchange.messages.push(said(
        Role::Assistant,
        vec![
            text(hostile),
            Part::Thinking(Thinking { text: hostile.to_owned(), ..Thinking::default() }),
            Part::Image(Image { media_type: "image/svg+xml".into(), base64: "PHN2Zz4=".into() }),
            Part::Image(Image { media_type: "image/png".into(), base64: "\"><script>".into() }),
        ],
    ));
    let page = html(&document);
    let body = page.split_once("</style>").unwrap().1;
    for forbidden in ["<script", "<img", "<iframe", "<svg", "javascript:alert", "href=\"data:", "</style"] {
        let at = body.find(forbidden);
        // Text may contain the words behind an escaped bracket, but no element may.
        assert!(at.is_none() || forbidden == "javascript:alert", "{forbidden}: {}", &body[at.unwrap()..][..80]);
    }
    assert!(!body.contains("href=\"javascript"), "{body}");
    assert!(body.contains("href=\"http://evil.example/x.png\""), "a picture becomes a link");
}

#[test]
fn code_is_coloured_and_prose_is_formatted() {
    let page = html(&answered(
        "# Title\n\nUse `ls`, **now**:\n\n```rust\nlet x = \"a\";\n```\n\n| a | b |\n|---|---|\n| 1 | 2 |\n",
    ));
    for expected in [
        "<h3>Title</h3>",
        "<code>ls</code>",
        "<strong>now</strong>",
        "<span class=\"keyword\">let</span>",
        "<td>1</td>",
    ] {
        assert!(page.contains(expected), "{expected} in {page}");
    }
}

#[test]
fn calls_are_folded_and_edits_are_coloured() {
    let edit = r#"{"path": "src/main.rs", "edits": [{"old_string": "a\nb\n", "new_string": "a\nc\n"}]}"#;
    let page = html(&worked("edit_file", edit, Outcome::done("edited")));
    for expected in [
        "<summary><b>edit_file</b> <code>src/main.rs</code></summary>",
        "<span class=\"deleted\">-b</span>",
        "<span class=\"inserted\">+c</span>",
        "<span class=\"same\"> a</span>",
    ] {
        assert!(page.contains(expected), "{expected} in {page}");
    }
    let page = html(&worked("bash", r#"{"command": "false\n"}"#, Outcome::failed("exit status 1")));
    assert!(page.contains("<b>bash</b> <code>false</code> <span class=\"bad\">failed</span>"), "{page}");
}

#[test]
fn markdown_keeps_the_answer_as_it_was_written() {
    let written = document(&answered("Use *this*:\n\n```sh\nls\n```"), DocumentFormat::Markdown);
    let expected = "# why did that fail\n\nin /home/me  \n\n## why\n\n*acme/large, 18 Nov 2026, 10:00*\n\nUse *this*:\n\n```sh\nls\n```\n";
    assert_eq!(written, expected);
}

#[test]
fn a_code_block_of_markdown_cannot_be_closed_by_its_content() {
    let written = document(&worked("bash", "{}", Outcome::done("````\n# not a title\n````")), DocumentFormat::Markdown);
    assert!(written.contains("`````\n````\n# not a title\n````\n`````\n"), "{written}");
}

#[test]
fn json_lines_have_every_message() {
    let original = worked("bash", r#"{"command":"ls"}"#, Outcome::done("a\nb"));
    let written = document(&original, DocumentFormat::JsonLines);
    let lines: Vec<serde_json::Value> = written.lines().map(|line| serde_json::from_str(line).unwrap()).collect();
    assert_eq!(lines[0]["title"], "why did that fail");
    let messages: Vec<Message> = serde_json::from_value(lines[1]["messages"].clone()).unwrap();
    assert_eq!(messages, original.exchanges[0].messages);
}

#[test]
fn every_format_has_a_name() {
    for name in DocumentFormat::NAMES {
        assert_eq!(DocumentFormat::named(name).unwrap().extension(), name);
    }
    assert_eq!(DocumentFormat::named("pdf"), None);
}
