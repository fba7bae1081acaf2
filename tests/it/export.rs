//! `/export`, and its page in a real browser.

use std::fs;
use std::io::{Read, Write};
use std::net::TcpListener;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::sync::mpsc::{Receiver, channel};
use std::thread;

use serde_json::json;

use crate::harness::{Model, Reply, Shell, Term, available};

/// What a hostile model might say to make a reader's browser load something.
const HOSTILE: &str = "![a](http://evil.example/a.png) <img src=\"http://evil.example/b.png\">\n\n\
                       <script>fetch('http://evil.example/c')</script>\n\n<link rel=stylesheet href=http://evil.example/d.css>\n\n\
                       <style>body { background: url(http://evil.example/e.png) }</style>\n";

/// A conversation with a call and some code, exported with these commands.
fn export(commands: &[&str]) -> Term {
    let model = Model::start([
        Reply::calls(&[("read_file", json!({"path": "notes.txt"}))]),
        Reply::text([
            "It says **hello**:\n\n```rust\nfn main() { println!(\"hello\"); }\n```\n\n",
            HOSTILE,
            "\n\nThe end.",
        ]),
    ]);
    let builder = Term::new(Shell::Bash).env("OPENAI_BASE_URL", model.url()).env("SHELLMATE_MODEL", "scripted");
    let mut term = builder.size(40, 100).start();
    term.wait_for_prompt();
    term.run("echo '<img src=http://evil.example/f.png>' > notes.txt");
    term.typed("> what do my notes say\r");
    term.wait_for("The end.");
    term.wait_for_prompt();
    for command in commands {
        term.typed(format!("> {command}\r"));
        term.wait_for("exported to");
        term.wait_for_prompt();
    }
    term
}

#[test]
fn a_conversation_is_exported_in_three_formats() {
    let term = export(&["/export", "/export jsonl talk.jsonl", "/export html"]);
    let written = term.read("what-do-my-notes-say.md");
    assert!(written.starts_with("# what do my notes say\n"), "{written}");
    assert!(written.contains("**read_file**") && written.contains("fn main() { println!(\"hello\"); }"), "{written}");
    let lines = term.read("talk.jsonl");
    let exchange: serde_json::Value = serde_json::from_str(lines.lines().nth(1).unwrap()).unwrap();
    assert_eq!(exchange["question"], "what do my notes say");
    assert_eq!(exchange["messages"].as_array().unwrap().len(), 4);
    assert!(term.read("what-do-my-notes-say.html").starts_with("<!doctype html>"));
}

/// A proxy that answers nothing and reports the requests that it gets.
fn proxy() -> (u16, Receiver<String>) {
    let listener = TcpListener::bind("127.0.0.1:0").unwrap();
    let port = listener.local_addr().unwrap().port();
    let (report, requests) = channel();
    thread::spawn(move || {
        for stream in listener.incoming().flatten() {
            let report = report.clone();
            thread::spawn(move || {
                let (mut stream, mut bytes) = (stream, [0; 4096]);
                let count = stream.read(&mut bytes).unwrap_or(0);
                let _ = report.send(String::from_utf8_lossy(&bytes[..count]).into_owned());
                let _ = stream.write_all(b"HTTP/1.1 404 Not Found\r\nContent-Length: 0\r\nConnection: close\r\n\r\n");
            });
        }
    });
    (port, requests)
}

/// Shows a page in a browser. Returns a picture of it and the requests for anything of the hostile host.
fn shown(page: &Path, scheme: &str) -> (Vec<u8>, Vec<String>) {
    let (port, requests) = proxy();
    let place = tempfile::tempdir().unwrap();
    let picture: PathBuf = place.path().join("page.png");
    let mut browser = Command::new("chromium");
    browser.args(["--headless", "--no-sandbox", "--disable-gpu", "--no-first-run", "--disable-background-networking"]);
    browser.args(["--disable-component-update", "--disable-sync", "--disable-dev-shm-usage", "--hide-scrollbars"]);
    browser.arg(format!("--user-data-dir={}", place.path().join("profile").display()));
    browser.arg(format!("--proxy-server=127.0.0.1:{port}"));
    browser.arg(format!("--blink-settings=preferredColorScheme={scheme}"));
    browser.args(["--window-size=900,1100", "--virtual-time-budget=2000"]);
    browser.arg(format!("--screenshot={}", picture.display())).arg(format!("file://{}", page.display()));
    let status = browser.env("HOME", place.path()).stdout(Stdio::null()).stderr(Stdio::null()).status().unwrap();
    assert!(status.success(), "{status}");
    let hostile = requests.try_iter().filter(|request| request.contains("evil.example")).collect();
    (fs::read(&picture).unwrap(), hostile)
}

/// Width and height of a PNG.
fn size(picture: &[u8]) -> (u32, u32) {
    let number = |at: usize| u32::from_be_bytes(picture[at..at + 4].try_into().unwrap());
    (number(16), number(20))
}

#[test]
fn a_browser_shows_the_page_and_loads_nothing() {
    if !available("chromium") {
        return;
    }
    let term = export(&["/export html"]);
    let page = fs::canonicalize(term.home().join("what-do-my-notes-say.html")).unwrap();
    let control = term.home().join("control.html");
    fs::write(&control, "<!doctype html><img src=\"http://evil.example/a.png\">").unwrap();
    let (blank, loaded) = shown(&fs::canonicalize(&control).unwrap(), "1");
    assert!(!loaded.is_empty(), "a page that loads a picture is noticed");
    let [(light, from_light), (dark, from_dark)] = ["1", "0"].map(|scheme| shown(&page, scheme));
    assert!(from_light.is_empty() && from_dark.is_empty(), "{from_light:?} {from_dark:?}");
    assert_eq!(size(&light), (900, 1100));
    assert!(light.len() > 4 * blank.len(), "{} bytes, {} of a blank page", light.len(), blank.len());
    assert!(light != dark, "the page follows the reader's colour scheme");
    if let Some(kept) = std::env::var_os("SHELLMATE_KEEP_PICTURES") {
        fs::write(Path::new(&kept).join("light.png"), &light).unwrap();
        fs::write(Path::new(&kept).join("dark.png"), &dark).unwrap();
    }
}
