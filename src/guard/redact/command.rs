//! Secrets in command lines, where an option of one letter or a place among the arguments says so.

use std::ops::Range;

use super::dictionary::Hits;
use super::extent::char_boundary;
use super::found::Found;
use super::{name, value};
use crate::text::shell::{self, Expansion, ExpansionKind, Operator, Quoting, Token};

/// Where a command takes a secret.
#[derive(Debug, Clone, Copy)]
enum Takes {
    /// `user:password` behind one of these; the sign between them is the second.
    Login(&'static [&'static str], char),
    /// The secret behind, or right after, one of these.
    Secret(&'static [&'static str]),
    /// The secret right after this; a word behind it is something else.
    Attached(&'static str),
    /// `pass:secret`, as openssl has it.
    Labelled,
    /// The argument so many words behind this one.
    Argument(&'static str, usize),
    /// `name=secret` arguments, after these words.
    Settings(&'static str),
    /// Only if the word that makes the command one about secrets is there.
    SecretIn(&'static str, &'static [&'static str]),
}

use Takes::{Argument, Attached, Labelled, Login, Secret, SecretIn, Settings};

const LDAP: &[Takes] = &[Secret(&["-w", "-s", "-a"])];
const MYSQL: &[Takes] = &[Attached("-p")];
const MONGO: &[Takes] = &[Secret(&["-p"])];
const REGISTRY: &[Takes] = &[SecretIn("login", &["-p"]), Login(&["--creds", "--src-creds", "--dest-creds"], ':')];
const ARCHIVE: &[Takes] = &[Attached("-p"), Attached("-hp")];
const ZIP: &[Takes] = &[Secret(&["-P"])];
const SQL: &[Takes] = &[Secret(&["-P"])];
const HTTPIE: &[Takes] = &[Login(&["-a", "--auth"], ':')];

const COMMANDS: &[(&str, &[Takes])] = &[
    (
        "curl",
        &[
            Login(&["-u", "--user", "-U", "--proxy-user"], ':'),
            Login(&["-b", "--cookie"], '='),
            Secret(&["--oauth2-bearer", "--pass", "--proxy-pass"]),
        ],
    ),
    ("http", HTTPIE),
    ("https", HTTPIE),
    ("xh", HTTPIE),
    ("wget", &[Login(&["--user"], ':')]),
    ("lftp", &[Login(&["-u", "--user"], ',')]),
    ("smbclient", &[Login(&["-U", "--user"], '%')]),
    ("rpcclient", &[Login(&["-U", "--user"], '%')]),
    ("mysql", MYSQL),
    ("mysqldump", MYSQL),
    ("mysqladmin", MYSQL),
    ("mysqlimport", MYSQL),
    ("mariadb", MYSQL),
    ("mariadb-dump", MYSQL),
    ("mongo", MONGO),
    ("mongosh", MONGO),
    ("mongodump", MONGO),
    ("mongorestore", MONGO),
    ("mongoexport", MONGO),
    ("mongoimport", MONGO),
    ("cqlsh", MONGO),
    ("beeline", MONGO),
    ("hdbsql", MONGO),
    ("sqlcmd", SQL),
    ("bcp", SQL),
    ("tsql", SQL),
    ("isql", SQL),
    ("ipmitool", SQL),
    ("mosquitto_pub", SQL),
    ("mosquitto_sub", SQL),
    ("sqlplus", &[Login(&["-s", "-L", "-S", ""], '/')]),
    ("sshpass", &[Secret(&["-p"])]),
    ("redis-cli", &[Secret(&["-a"])]),
    ("valkey-cli", &[Secret(&["-a"])]),
    ("ldapsearch", LDAP),
    ("ldapadd", LDAP),
    ("ldapmodify", LDAP),
    ("ldapdelete", LDAP),
    ("ldapwhoami", LDAP),
    ("ldappasswd", LDAP),
    ("zip", ZIP),
    ("unzip", ZIP),
    ("zipcloak", ZIP),
    ("fcrackzip", MONGO),
    ("7z", ARCHIVE),
    ("7za", ARCHIVE),
    ("7zz", ARCHIVE),
    ("rar", ARCHIVE),
    ("unrar", ARCHIVE),
    ("docker", REGISTRY),
    ("podman", REGISTRY),
    ("nerdctl", REGISTRY),
    ("buildah", REGISTRY),
    ("skopeo", REGISTRY),
    ("crane", REGISTRY),
    ("oras", REGISTRY),
    ("helm", REGISTRY),
    ("login", &[Secret(&["-p"])]),
    ("twine", &[Secret(&["-p"])]),
    ("oc", &[SecretIn("login", &["-p"])]),
    ("az", &[SecretIn("login", &["-p"]), SecretIn("secret", &["--value"]), Argument("--value", 1)]),
    (
        "aws",
        &[
            SecretIn("put-parameter", &["--value"]),
            Secret(&["--secret-string"]),
            Argument("aws_secret_access_key", 1),
            Argument("aws_session_token", 1),
        ],
    ),
    ("openssl", &[Labelled, Secret(&["-k", "-K"])]),
    (
        "htpasswd",
        &[
            Argument("-b", 3),
            Argument("-nb", 2),
            Argument("-bn", 2),
            Argument("-cb", 3),
            Argument("-bc", 3),
            Argument("-nbB", 2),
            Argument("-Bnb", 2),
            Argument("-nbBC", 3),
            Argument("-bB", 3),
            Argument("-cbB", 3),
        ],
    ),
    ("useradd", &[Secret(&["-p"])]),
    ("usermod", &[Secret(&["-p"])]),
    ("wpa_passphrase", &[Argument("", 2)]),
    ("nmcli", &[Argument("password", 1), Argument("wifi-sec.psk", 1)]),
    ("rabbitmqctl", &[Argument("add_user", 2), Argument("change_password", 2)]),
    ("cargo", &[Argument("login", 1)]),
    ("vault", &[SecretIn("login", &["token="]), Argument("login", 1), Settings("put"), Settings("write")]),
    ("ngrok", &[Argument("authtoken", 1), Argument("add-authtoken", 1)]),
    ("snyk", &[Argument("auth", 1)]),
    ("doctl", &[Secret(&["-t"])]),
    ("npm", &[Argument("_authToken", 1)]),
    ("poetry", &[Argument("pypi-token.", 1), Argument("http-basic.", 2)]),
    ("composer", &[Argument("http-basic.", 2), Argument("github-oauth.", 1), Argument("gitlab-token.", 1)]),
    ("heroku", &[Settings("config:set"), Settings("config:add")]),
    ("dokku", &[Settings("config:set")]),
    ("fly", &[Settings("secrets")]),
    ("flyctl", &[Settings("secrets")]),
    ("doppler", &[Settings("secrets")]),
    ("gh", &[SecretIn("secret", &["-b", "--body"])]),
    ("railway", &[Settings("variables")]),
    ("supabase", &[Settings("secrets")]),
    ("pulumi", &[Argument("--secret", 2)]),
    ("kubectl", &[Settings("secret")]),
    ("rclone", &[Argument("pass", 1)]),
    ("snmpwalk", &[Secret(&["-A", "-X", "-c"])]),
    ("snmpget", &[Secret(&["-A", "-X", "-c"])]),
    ("xfreerdp", &[Attached("/p:")]),
    ("rdesktop", &[Secret(&["-p"])]),
    ("keytool", &[Secret(&["-storepass", "-keypass", "-srcstorepass", "-deststorepass"])]),
    ("jarsigner", &[Secret(&["-storepass", "-keypass"])]),
    ("signtool", &[Secret(&["/p"])]),
    ("kadmin", &[Secret(&["-w"])]),
    ("svn", &[Secret(&["--password"])]),
    ("gpg", &[Secret(&["--passphrase"])]),
    ("mc", &[Argument("set", 4)]),
    ("steghide", &[Secret(&["-p"])]),
    ("net", &[Argument("user", 2)]),
];

/// The names, each with its number.
pub(super) fn names() -> impl Iterator<Item = (&'static str, usize)> {
    COMMANDS.iter().enumerate().map(|(number, (name, _))| (*name, number))
}

pub(super) fn find(text: &str, hits: &Hits, found: &mut Vec<Found>) {
    let bytes = text.as_bytes();
    let mut done = 0;
    for (number, range) in &hits.commands {
        let (name, takes) = COMMANDS[*number];
        let before = range.start.checked_sub(1).map_or(b' ', |at| bytes[at]);
        let begins = before.is_ascii_whitespace() || b"/|;&('\"`$".contains(&before);
        if range.start < done || !begins || &text[range.clone()] != name {
            continue;
        }
        let words = words(text, range.end, before);
        let contents: Vec<Range<usize>> = words.iter().map(|word| word.content.clone()).collect();
        for take in takes {
            take.find(text, &contents, found);
        }
        let inner = words.iter().find(|word| word.has_commands).map(|word| word.content.start);
        done = inner.or(words.last().map(|last| last.content.end)).unwrap_or(range.end);
    }
    piped(text, hits, found);
}

impl Takes {
    fn find(self, text: &str, words: &[Range<usize>], found: &mut Vec<Found>) {
        let word = |index: usize| words.get(index).map(|range| &text[range.clone()]);
        let mut push = |secret: Range<usize>| {
            if is_secret(&text[secret.clone()]) {
                found.push(Found::new(secret, "password"));
            }
        };
        let has = |wanted: &str| words.iter().any(|range| &text[range.clone()] == wanted);
        for (index, range) in words.iter().enumerate() {
            let this = &text[range.clone()];
            let previous = index.checked_sub(1).and_then(word).unwrap_or_default();
            let tail = |rest: &str| range.end - rest.len()..range.end;
            let behind = |options: &[&str]| {
                if options.contains(&previous) && (!this.starts_with('-') || this.len() > 12) {
                    return Some(range.clone());
                }
                let attached = options.iter().filter(|option| !option.is_empty()).find_map(|option| {
                    let rest = this.strip_prefix(option)?;
                    if option.starts_with("--") { rest.strip_prefix('=') } else { Some(rest) }
                });
                attached.filter(|rest| !rest.is_empty() && !this[1..].starts_with("--")).map(tail)
            };
            let secret = match self {
                Login(options, sign) => behind(options).and_then(|login| {
                    let login = text[login.clone()].trim_start_matches(['"', '\'', '=']);
                    login.split_once(sign).map(|(_, secret)| tail(secret))
                }),
                Secret(options) if this.starts_with("--") && !options.iter().any(|option| this.starts_with(option)) => {
                    behind(&[]).or(options.contains(&previous).then(|| range.clone()))
                }
                Secret(options) => behind(options),
                SecretIn(wanted, options) => behind(options).filter(|_| has(wanted)),
                Attached(option) => this.strip_prefix(option).filter(|_| !this.starts_with("--")).map(tail),
                Labelled => this.strip_prefix("pass:").map(tail),
                Argument("", place) => (index + 1 == place).then(|| range.clone()),
                Argument(marker, place) => {
                    let at = index.checked_sub(place).and_then(word);
                    let is_there = at.is_some_and(|at| {
                        at == marker
                            || marker.ends_with('.') && at.starts_with(marker)
                            || marker.len() > 8 && at.ends_with(marker)
                    });
                    (is_there && !this.starts_with('-')).then(|| range.clone())
                }
                Settings(wanted) => has(wanted).then(|| setting(this)).flatten().map(tail),
            };
            if let Some(secret) = secret {
                push(secret);
            }
        }
    }
}

/// The value of `NAME=value` or `--from-literal=NAME=value`, if the name or the value looks secret.
fn setting(word: &str) -> Option<&str> {
    let (name, value) = word.strip_prefix("--from-literal=").unwrap_or(word).split_once('=')?;
    let is_telling = name::nature(name.trim_matches('-')).is_some() && value.len() >= 4;
    let is_long = value.len() >= 8
        && value.bytes().any(|byte| byte.is_ascii_digit())
        && value.bytes().any(|byte| byte.is_ascii_alphabetic());
    (!name.starts_with('-') && (is_telling || is_long)).then_some(value)
}

/// `echo secret | sudo -S`, `… --password-stdin`, `user:secret | chpasswd`.
fn piped(text: &str, hits: &Hits, found: &mut Vec<Found>) {
    const TAKERS: &[&str] = &[
        "sudo -S",
        "--password-stdin",
        "--passphrase-fd",
        "chpasswd",
        "passwd --stdin",
        "--with-token",
        "cryptsetup",
        "secret put",
        "secret create",
    ];
    for hit in &hits.pipes {
        let line_end = memchr::memchr(b'\n', &text.as_bytes()[*hit..]).map_or(text.len(), |at| hit + at);
        let rest = &text[*hit..line_end.min(char_boundary(text, hit + 512))];
        let Some((before, taker)) = rest.split_once('|') else { continue };
        if !TAKERS.iter().any(|name| taker.contains(name)) {
            continue;
        }
        let Some(range) = words(text, hit + "echo".len(), b' ')
            .into_iter()
            .map(|word| word.content)
            .rfind(|range| range.end <= hit + before.len() && !text[range.clone()].starts_with('-'))
        else {
            continue;
        };
        let word = &text[range.clone()];
        let secret =
            if taker.contains("chpasswd") { word.split_once(':').map_or(word, |(_, secret)| secret) } else { word };
        let secret = range.end - secret.len()..range.end;
        if is_secret(&text[secret.clone()]) {
            found.push(Found::new(secret, "password"));
        }
    }
}

fn is_secret(text: &str) -> bool {
    let text = text.trim_matches(['"', '\'']);
    text.len() >= 3 && !value::is_stand_in(text)
}

/// Words of one command that are looked at.
const MOST_WORDS: usize = 200;

/// Bytes of one command that are looked at.
const LONGEST: usize = 8 * 1024;

/// A word of a command, where it is in the text.
struct CommandWord {
    /// Without the quotes around it.
    content: Range<usize>,
    /// Whether it has commands of its own, which are looked at by themselves.
    has_commands: bool,
}

/// The words of one command from `at` on. It ends with its line, unless a backslash is there, or with the backtick that closes the one
/// before it. Where an argument of an option begins with `#`, bash begins a comment and zsh does not: it is taken as a word.
fn words(text: &str, at: usize, before: u8) -> Vec<CommandWord> {
    let line = line(text, at);
    let line = line.split('`').next().filter(|_| before == b'`').unwrap_or(line);
    let mut words: Vec<CommandWord> = Vec::new();
    let mut from = 0;
    while let Some(comment) = words_up_to_comment(line, from, at, &mut words) {
        let is_argument = words.last().is_some_and(|last| text[last.content.clone()].starts_with('-'));
        if !is_argument || words.len() >= MOST_WORDS {
            break;
        }
        from = comment + line[comment..].find(ENDS).unwrap_or(line.len() - comment);
        words.push(CommandWord { content: at + comment..at + from, has_commands: false });
    }
    words
}

/// Adds the words of a line from `from` on, and returns where a comment begins that ends them.
fn words_up_to_comment(line: &str, from: usize, at: usize, words: &mut Vec<CommandWord>) -> Option<usize> {
    let (line, at) = (&line[from..], at + from);
    let mut end = 0;
    for token in shell::tokens(line) {
        if words.len() == MOST_WORDS {
            return None;
        }
        let word = match token {
            Token::Word(word) => word,
            Token::Redirection(_) | Token::Operator(Operator::Open, _) => continue,
            Token::Operator(..) => return None,
        };
        // What a shell reads as a redirection or a parenthesis directly behind a word may be part of a secret that is not quoted.
        let unquoted = &line[word.span.end..];
        let more =
            if unquoted.starts_with(['<', '>', '(']) { unquoted.find(ENDS).unwrap_or(unquoted.len()) } else { 0 };
        end = word.span.end + more;
        let opens = word.quoting == Quoting::Open && line[word.span.clone()].starts_with(['"', '\'']);
        let content = if more > 0 { word.span.start..word.span.end + more } else { word.content() };
        let content = at + content.start + usize::from(opens)..at + content.end;
        let is_covered = words.last().is_some_and(|last| content.start < last.content.end);
        if !is_covered {
            words.push(CommandWord { content, has_commands: word.expansions.iter().any(has_commands) });
        }
    }
    let rest = line[end..].trim_start_matches([' ', '\t']);
    rest.starts_with('#').then_some(from + line.len() - rest.len())
}

fn has_commands(found: &Expansion) -> bool {
    matches!(found.kind, ExpansionKind::Command { .. } | ExpansionKind::Process { .. })
}

const ENDS: [char; 8] = [' ', '\t', '\n', '\r', '|', ';', '&', ')'];

/// The rest of the line, with the lines that backslashes join to it.
fn line(text: &str, at: usize) -> &str {
    let rest = &text[at..char_boundary(text, at + LONGEST)];
    let ends = |end: &usize| rest.as_bytes()[*end] == b'\r' || !rest[..*end].ends_with('\\');
    let end = memchr::memchr2_iter(b'\n', b'\r', rest.as_bytes()).find(ends);
    &rest[..end.unwrap_or(rest.len())]
}
