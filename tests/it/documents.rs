//! The documents: every command block in them works.
//!
//! A block marked `sh` is run with `sh -e`, in a home directory of its own and with a scripted model, and must succeed. Blocks of one
//! document run in order and share the directory. A block that cannot be run has a comment `<!-- not run: REASON -->` on the line
//! before it. A block marked `console` shows a session and is not run. Links from one document to another must lead somewhere.

use std::collections::BTreeSet;
use std::fs;
use std::os::unix::fs::PermissionsExt;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

use crate::harness::{Model, PROGRAM, Reply, Shell, Term, all};

/// Made from the source, with a form of their own.
const GENERATED: [&str; 2] = ["docs/CLI.md", "docs/CONFIG.md"];

/// What begins a command in a code block.
const COMMANDS: [&str; 6] = ["shellmate ", "cargo ", "sudo ", "chsh ", "$ ", "tests/"];

fn root() -> &'static Path {
    Path::new(env!("CARGO_MANIFEST_DIR"))
}

/// The paths of all documents, below the root.
fn documents() -> Vec<String> {
    let mut found = vec!["README.md".to_owned(), "AGENTS.md".to_owned()];
    for directory in ["docs", "docs/packaging"] {
        let names = fs::read_dir(root().join(directory)).unwrap().map(|entry| entry.unwrap().file_name());
        let names = names.map(|name| name.into_string().unwrap()).filter(|name| name.ends_with(".md"));
        found.extend(names.map(|name| format!("{directory}/{name}")));
    }
    found
}

fn read(document: &str) -> String {
    fs::read_to_string(root().join(document)).unwrap()
}

/// A fenced block.
#[derive(Debug, PartialEq)]
struct Block {
    /// The line of its first fence, counted from 1.
    line: usize,
    language: String,
    text: String,
    /// Why it is not run.
    reason: Option<String>,
}

/// The fenced blocks of a document. A block of a list is indented like its fence.
fn blocks(text: &str) -> Vec<Block> {
    let lines: Vec<&str> = text.lines().collect();
    let mut blocks = Vec::new();
    let mut at = 0;
    while at < lines.len() {
        let Some(language) = lines[at].trim_start().strip_prefix("```") else {
            at += 1;
            continue;
        };
        let indent = lines[at].len() - lines[at].trim_start().len();
        let before = at.checked_sub(1).map_or("", |line| lines[line].trim());
        let reason = before.strip_prefix("<!-- not run: ").and_then(|rest| rest.strip_suffix(" -->"));
        let inner: Vec<&str> = lines[at + 1..].iter().take_while(|line| line.trim() != "```").copied().collect();
        let text = inner.iter().map(|line| format!("{}\n", line.get(indent..).unwrap_or_default())).collect();
        blocks.push(Block { line: at + 1, language: language.to_owned(), text, reason: reason.map(str::to_owned) });
        at += inner.len() + 2;
    }
    blocks
}

/// Runs the blocks of one document.
fn run(document: &str, blocks: &[Block]) {
    let model = Model::start((0..20).map(|_| Reply::text(["This is a scripted answer."])));
    let builder = Term::new(Shell::Bash);
    let programs = builder.place().join("programs");
    fs::create_dir(&programs).unwrap();
    std::os::unix::fs::symlink(PROGRAM, programs.join("shellmate")).unwrap();
    let path = format!("{}:/usr/bin:/bin", programs.display());
    let builder = builder
        .program("/bin/sh")
        .env("PATH", path)
        .env("OPENAI_BASE_URL", model.url())
        .env("SHELLMATE_MODEL", "scripted");
    for Block { line, text, .. } in blocks {
        let mut command = builder.command();
        let output = command.args(["-e", "-c", text]).stdin(Stdio::null()).output().unwrap();
        let printed = [output.stdout, output.stderr].map(|bytes| String::from_utf8_lossy(&bytes).into_owned());
        assert!(output.status.success(), "{document}:{line}: {}\n{text}\n{}", output.status, printed.concat());
    }
}

#[test]
fn the_commands_in_the_documents_work() {
    let documents = documents().into_iter().map(|document| {
        let mut blocks = blocks(&read(&document));
        blocks.retain(|block| block.language == "sh" && block.reason.is_none());
        (document, blocks)
    });
    let documents: Vec<_> = documents.filter(|(_, blocks)| !blocks.is_empty()).collect();
    assert!(documents.iter().map(|(_, blocks)| blocks.len()).sum::<usize>() >= 8, "{documents:?}");
    all(documents.iter().map(|(document, blocks)| (document.clone(), move || run(document, blocks))));
}

#[test]
fn commands_are_in_blocks_that_say_what_they_are() {
    let mut wrong = Vec::new();
    for document in documents().into_iter().filter(|document| !GENERATED.contains(&document.as_str())) {
        let text = read(&document);
        for block in blocks(&text) {
            let known =
                ["sh", "console", "toml", "json", "rust", "text", "lua", "python", "bash", "zsh", "fish", "ini"];
            let is_unclear = !known.contains(&block.language.as_str())
                || block.reason.as_deref().is_some_and(str::is_empty)
                || block.language == "text" && block.text.lines().any(is_command);
            wrong.extend(is_unclear.then(|| format!("{document}:{}: {:?}", block.line, block.language)));
        }
        let mut before = "";
        for (number, line) in (1..).zip(text.lines()) {
            let is_block = before.is_empty() && line.strip_prefix("    ").is_some_and(is_command);
            wrong.extend(is_block.then(|| format!("{document}:{number}: an indented command: {line}")));
            before = line;
        }
    }
    assert!(wrong.is_empty(), "{wrong:#?}");
}

fn is_command(line: &str) -> bool {
    COMMANDS.iter().any(|start| line.starts_with(start))
}

/// The name that GitHub gives to a heading.
fn anchor(heading: &str) -> String {
    let kept = heading.to_lowercase().chars().filter(|c| c.is_alphanumeric() || " -_".contains(*c)).collect::<String>();
    kept.trim().replace(' ', "-")
}

#[test]
fn links_between_documents_lead_somewhere() {
    let link = regex::Regex::new(r#"\]\(([^)\s]+)\)|(?:src|srcset)="([^"]+)""#).unwrap();
    let mut wrong = Vec::new();
    for document in documents() {
        let text = read(&document);
        let directory: PathBuf = root().join(&document).parent().unwrap().to_owned();
        for found in link.captures_iter(&text) {
            let target = found.get(1).or(found.get(2)).unwrap().as_str();
            if target.contains("://") {
                continue;
            }
            let (file, heading) = target.split_once('#').unwrap_or((target, ""));
            let file = if file.is_empty() { root().join(&document) } else { directory.join(file) };
            let there = fs::read_to_string(&file);
            let headings: BTreeSet<String> = there
                .iter()
                .flat_map(|text| text.lines())
                .filter(|line| line.starts_with('#'))
                .map(|line| anchor(line.trim_start_matches('#')))
                .collect();
            let is_there = file.exists() && (heading.is_empty() || headings.contains(heading));
            wrong.extend((!is_there).then(|| format!("{document}: {target}")));
        }
    }
    assert!(wrong.is_empty(), "{wrong:#?}");
}

#[test]
fn the_readme_has_two_commands_and_says_what_they_need() {
    let text = read("README.md");
    let blocks = blocks(&text);
    assert!(blocks.iter().any(|block| block.text == "cargo run --release\ntests/run\n"), "{blocks:#?}");

    let script = read("tests/run");
    let mode = fs::metadata(root().join("tests/run")).unwrap().permissions().mode();
    assert_eq!(mode & 0o111, 0o111, "tests/run is executable");
    let output = Command::new(root().join("tests/run")).arg("--needs").output().unwrap();
    let needs = String::from_utf8(output.stdout).unwrap();
    let needs: BTreeSet<&str> = needs.lines().collect();
    assert!(output.status.success() && needs.len() > 10, "{needs:?}");

    let lines = || blocks.iter().flat_map(|block| block.text.lines());
    let apt = lines().find_map(|line| line.strip_prefix("sudo apt-get install ")).expect("the packages to build with");
    // curl is only there to get the toolchain.
    let unknown: Vec<&str> = apt.split(' ').filter(|package| *package != "curl" && !needs.contains(package)).collect();
    assert!(unknown.is_empty(), "tests/run does not look for {unknown:?}");
    for start in ["curl ", "rustup component add "] {
        let line = lines().find(|line| line.starts_with(start)).expect(start);
        assert!(script.contains(line), "tests/run does not name: {line}");
    }
    let oldest = read("Cargo.toml");
    let oldest = oldest.lines().find_map(|line| line.strip_prefix("rust-version = ")).unwrap().trim_matches('"');
    assert!(text.contains(&format!("{oldest} or newer")), "{oldest}");
}

#[test]
fn the_page_for_agents_names_files_that_exist() {
    let text = read("AGENTS.md");
    let named: Vec<&str> = text
        .split(['`', '(', ')', ' '])
        .filter(|word| ["docs/", "tests/", "src/"].iter().any(|start| word.starts_with(start)))
        .collect();
    let missing: Vec<&&str> = named.iter().filter(|path| !root().join(path).exists()).collect();
    assert!(named.contains(&"docs/CONTRIBUTING.md") && missing.is_empty(), "{missing:?}");
    assert!(text.contains("`cargo run --release`") && text.contains("`tests/run`"));
}

#[test]
fn blocks_are_read_with_their_language_and_reason() {
    let text = "a\n<!-- not run: no keys -->\n```sh\nx\n```\n1. b\n\n   ```toml\n   y = 1\n     z\n   ```\n";
    let block = |line, language: &str, text: &str, reason: Option<&str>| Block {
        line,
        language: language.to_owned(),
        text: text.to_owned(),
        reason: reason.map(str::to_owned),
    };
    assert_eq!(blocks(text), [block(3, "sh", "x\n", Some("no keys")), block(8, "toml", "y = 1\n  z\n", None)]);
}
