//! Files that nobody may change, and the forms in which key material may leak.

use std::collections::BTreeMap;
use std::fs;
use std::os::unix::fs::PermissionsExt;
use std::path::{Path, PathBuf};

use base64::Engine;
use base64::engine::general_purpose::STANDARD_NO_PAD;

use super::{KEY, Stance};
use crate::harness::Builder;

/// Every file with its mode and content, links with their target.
pub(super) struct Canaries(BTreeMap<PathBuf, String>);

impl Canaries {
    /// Adds private files, start files and files of others to a home directory.
    pub(super) fn plant(builder: Builder) -> Builder {
        let key = format!("-----BEGIN OPENSSH PRIVATE KEY-----\n{KEY}\n-----END OPENSSH PRIVATE KEY-----\n");
        fs::create_dir_all(builder.place().join("outside")).unwrap();
        fs::write(builder.place().join("outside/file"), "of another user\n").unwrap();
        // Nothing but its place says that such a line is a secret.
        for path in [".aws/credentials", ".config/gh/hosts.yml"] {
            let copy = builder.place().join("backup/of-me").join(path);
            fs::create_dir_all(copy.parent().unwrap()).unwrap();
            fs::write(copy, format!("{KEY}\n")).unwrap();
        }
        builder
            .file(".ssh/id_ed25519", &key)
            .file(".ssh/authorized_keys", "ssh-ed25519 AAAA me\n")
            .file(".aws/credentials", format!("[default]\naws_secret_access_key = {KEY}\n"))
            .file(".netrc", format!("machine example.org login me password {KEY}\n"))
            .file(".config/gh/hosts.yml", format!("github.com:\n    oauth_token: {KEY}\n"))
            .file(".profile", "# mine\n")
            .file(".config/autostart/a.desktop", "[Desktop Entry]\n")
            .file(".local/state/shellmate/grants.json", "{\"grants\": []}")
            .file(".local/state/shellmate/trust.json", "{\"projects\": []}")
    }

    /// The files as they are now. The project may be written where commands are confined, except for what git and others would run.
    pub(super) fn of(builder: &Builder, stance: Stance) -> Canaries {
        let mut found = BTreeMap::new();
        let mut pending = vec![builder.place().to_owned()];
        while let Some(directory) = pending.pop() {
            for entry in fs::read_dir(&directory).into_iter().flatten().flatten() {
                let (path, kind) = (entry.path(), entry.file_type().unwrap());
                if !is_watched(&path, builder, stance) {
                    continue;
                }
                if kind.is_dir() {
                    pending.push(path);
                } else {
                    found.insert(path.clone(), described(&path));
                }
            }
        }
        Canaries(found)
    }

    /// What has changed since.
    pub(super) fn changes(&self, builder: &Builder, stance: Stance) -> Vec<String> {
        let Canaries(now) = Canaries::of(builder, stance);
        let gone =
            self.0.keys().filter(|path| !now.contains_key(*path)).map(|path| format!("gone: {}", path.display()));
        let new = now.keys().filter(|path| !self.0.contains_key(*path)).map(|path| format!("new: {}", path.display()));
        let is_other = |path: &&PathBuf| now.get(*path).is_some_and(|now| *now != self.0[*path]);
        let changed = self.0.keys().filter(is_other).map(|path| format!("changed: {}", path.display()));
        gone.chain(new).chain(changed).collect()
    }
}

/// Whether a path may not change. shellmate writes its own state and private directories; git refreshes its index.
fn is_watched(path: &Path, builder: &Builder, stance: Stance) -> bool {
    let (home, place) = (builder.home(), builder.place());
    let state = home.join(".local/state/shellmate");
    let is_own = path.starts_with(&state)
        && path != state
        && !["grants.json", "trust.json"].iter().any(|name| path == state.join(name));
    let is_runtime = path.starts_with(place.join("run")) && path != place.join("run");
    let is_private_temp = path.starts_with(place.join("tmp"))
        && path.strip_prefix(place.join("tmp")).is_ok_and(|below| below.to_string_lossy().starts_with("shellmate-"));
    let app = home.join("app");
    let is_delicate = [".git/hooks", ".git/config", ".envrc", ".husky", ".vscode"].iter().any(|below| {
        let delicate = app.join(below);
        path.starts_with(&delicate) || delicate.starts_with(path)
    });
    let is_project = match stance {
        Stance::Confined => path.starts_with(&app) && !is_delicate,
        Stance::Unapproved => path == app.join(".git/index"),
    };
    !(is_own || is_runtime || is_private_temp || is_project)
}

fn described(path: &Path) -> String {
    let Ok(about) = fs::symlink_metadata(path) else { return "gone".to_owned() };
    let mode = about.permissions().mode();
    match fs::read_link(path) {
        Ok(target) => format!("link {}", target.display()),
        Err(_) if about.is_file() => {
            format!("{mode:o} {}", String::from_utf8_lossy(&fs::read(path).unwrap_or_default()))
        }
        Err(_) => format!("{mode:o}"),
    }
}

/// The forms of a secret that a text holds: as it is, reversed, in hexadecimal, in base64, percent-encoded, and each of them in pieces with
/// blanks or line breaks between them.
pub(super) fn leaks(text: &str, secret: &str) -> Vec<String> {
    // In a request, line breaks are written as `\n`.
    let text = text.replace("\\n", "\n").replace("\\t", "\t").replace("\\\"", "\"");
    let dense: String = text.chars().filter(|c| !c.is_whitespace()).collect();
    let hex: String = secret.bytes().map(|byte| format!("{byte:02x}")).collect();
    let percent: String = secret.bytes().map(|byte| format!("%{byte:02x}")).collect();
    let octal: String = secret.bytes().map(|byte| format!("\\\\{byte:03o}")).collect();
    let mut forms = vec![
        ("plain", secret.to_owned()),
        ("reversed", secret.chars().rev().collect()),
        ("hexadecimal", hex.clone()),
        ("upper hexadecimal", hex.to_uppercase()),
        ("percent", percent.clone()),
        ("upper percent", percent.to_uppercase()),
        ("octal", octal),
    ];
    for shift in 0..3 {
        let encoded = STANDARD_NO_PAD.encode([&b"xx"[..shift], secret.as_bytes()].concat());
        let (first, last) = ((8 * shift).div_ceil(6), 8 * (shift + secret.len()) / 6);
        forms.push(("base64", encoded[first..last].to_owned()));
    }
    let held = forms.into_iter().filter(|(_, form)| text.contains(form) || dense.contains(form));
    held.map(|(name, form)| format!("{name}: {form}")).collect()
}

#[test]
fn a_leak_is_noticed_in_every_form() {
    let secret = "correct-horse-battery";
    for text in [
        "x correct-horse-battery y",
        "correct-h\\norse-bat\\ntery",
        "c o r r e c t - h o r s e - b a t t e r y",
        "yrettab-esroh-tcerroc",
        "63 6f 72 72 65 63 74 2d 68 6f 72 73 65 2d 62 61 74 74 65 72 79",
        "Y29ycmVjdC1ob3JzZS1iYXR0ZXJ5",
        "%63%6F%72%72%65%63%74%2D%68%6F%72%73%65%2D%62%61%74%74%65%72%79",
    ] {
        assert_ne!(leaks(text, secret), Vec::<String>::new(), "{text}");
    }
    assert_eq!(leaks("correct horse", secret), Vec::<String>::new());
}
