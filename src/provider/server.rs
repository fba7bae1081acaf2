//! Who listens on a port of this machine: the program and its owner.

use std::fs::{self, File};
use std::io::Read;
use std::net::{IpAddr, Ipv4Addr, Ipv6Addr, SocketAddr};
use std::path::{Path, PathBuf};

use nix::unistd::{Uid, User};
use serde::{Deserialize, Serialize};

use super::http;
use crate::text::shell::quote::display;
use crate::text::{self, KIB};

/// At most this much of a socket table is read.
const TABLE_CAP: u64 = 16 << 20;
/// At most this much of a command line identifies a server.
const COMMAND_CAP: usize = 8 * KIB;
/// At most this much of a command line is shown in the question.
const SHOWN: usize = 300;
/// The state of a listening socket in the kernel's tables.
const LISTEN: &str = "0A";

/// A server that was found on this machine. Another program or command line on the same port is another server.
#[derive(Debug, Clone, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub(crate) struct Server {
    /// Host and port.
    pub address: String,
    /// The user id of the listening process.
    pub uid: u32,
    /// The listening program. Only its own user and root can see it.
    pub program: Option<PathBuf>,
    /// The arguments of the program: they decide what an interpreter or a port forwarder serves.
    #[serde(default)]
    pub arguments: Vec<String>,
    /// The working directory of an interpreter, where it finds its script and modules. `None` for other programs.
    #[serde(default)]
    pub directory: Option<PathBuf>,
}

/// The server of a model, if it listens on this machine.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum Listener {
    /// It was found by its port, and nobody named it. It gets no question before the person agrees.
    Found(Server),
    /// The person named its provider. That is a yes to any program at this address, unless they have agreed to certain ones.
    Named(Server),
}

impl Listener {
    pub(crate) fn server(&self) -> &Server {
        match self {
            Listener::Found(server) | Listener::Named(server) => server,
        }
    }
}

/// A listening socket.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Socket {
    pub(super) uid: u32,
    pub(super) inode: u64,
}

impl Server {
    /// The owner's name, or number.
    pub(crate) fn owner(&self) -> String {
        owner(self.uid)
    }

    /// The question to the person whether to use it, with program, owner, address and model.
    pub(crate) fn question(&self, model: &str) -> String {
        format!(
            "Found a model server on this machine: {model} at {}\n  program: {}\n  user: {}\n\
             It would get your questions with what you ran, and could ask to read files. Use it?",
            self.address,
            self.command_line(),
            self.owner(),
        )
    }

    /// The program with its arguments, on one line.
    fn command_line(&self) -> String {
        let Some(program) = &self.program else { return "not visible to you".to_owned() };
        let words = [program.to_string_lossy()].into_iter().chain(self.arguments.iter().map(|word| word.into()));
        let line = words.map(|word| display(&word)).collect::<Vec<_>>().join(" ");
        let directory = self.directory.as_ref().map(|path| format!(" (in {})", display(&path.to_string_lossy())));
        let shown = text::beginning(&line, SHOWN);
        let cut = if shown.len() < line.len() { " …" } else { "" };
        format!("{shown}{cut}{}", directory.unwrap_or_default())
    }

    /// The server behind a socket.
    pub(super) fn behind(socket: Socket, base_url: &str) -> Server {
        let address = http::host(base_url).to_owned();
        match process(socket.inode) {
            Some(process) => Server::run_by(&process, address, socket.uid),
            None => Server { address, uid: socket.uid, program: None, arguments: Vec::new(), directory: None },
        }
    }

    /// The server that a process runs. `process` is its directory below `/proc`.
    fn run_by(process: &Path, address: String, uid: u32) -> Server {
        let program = fs::read_link(process.join("exe")).ok();
        let is_interpreter = program.as_deref().is_some_and(is_interpreter);
        let directory = is_interpreter.then(|| fs::read_link(process.join("cwd")).ok()).flatten();
        Server { address, uid, program, arguments: arguments(process), directory }
    }
}

/// A snapshot of the kernel's socket tables.
pub(super) struct Sockets(String);

impl Sockets {
    pub(super) fn now() -> Sockets {
        let mut tables = String::new();
        for path in ["/proc/net/tcp", "/proc/net/tcp6"] {
            // A system without this table shows no sockets.
            let _ = File::open(path).and_then(|table| table.take(TABLE_CAP).read_to_string(&mut tables));
        }
        Sockets(tables)
    }

    /// The socket that accepts connections to this URL, if it is on this machine and the kernel shows it.
    pub(super) fn listener(&self, base_url: &str) -> Option<Socket> {
        let (addresses, port) = addresses(http::host(base_url))?;
        listener(&self.0, &addresses, port)
    }
}

impl Socket {
    /// Whether it belongs to the person or to root. Other users are not trusted.
    pub(super) fn is_ours(self) -> bool {
        self.uid == Uid::effective().as_raw() || self.uid == 0
    }
}

pub(super) fn owner(uid: u32) -> String {
    let user = User::from_uid(Uid::from_raw(uid)).ok().flatten();
    user.map_or_else(|| format!("number {uid}"), |user| user.name)
}

/// The addresses a host may stand for, and the port.
fn addresses(host: &str) -> Option<(Vec<IpAddr>, u16)> {
    if let Ok(address) = host.parse::<SocketAddr>() {
        return Some((vec![address.ip()], address.port()));
    }
    let (name, port) = host.rsplit_once(':')?;
    let loopback = vec![IpAddr::V4(Ipv4Addr::LOCALHOST), IpAddr::V6(Ipv6Addr::LOCALHOST)];
    (name.eq_ignore_ascii_case("localhost")).then_some((loopback, port.parse().ok()?))
}

/// Finds the socket that listens on one of these addresses. The kernel gives connections to the most specific one. If any of them
/// belongs to another user, that one is returned, so that it is not used.
fn listener(tables: &str, addresses: &[IpAddr], port: u16) -> Option<Socket> {
    let takes = |bound: IpAddr| bound.is_unspecified() || addresses.contains(&unmapped(bound));
    let rows = tables.lines().filter_map(row);
    let mut found: Vec<(IpAddr, Socket)> =
        rows.filter(|(bound, at, _)| *at == port && takes(*bound)).map(|(bound, _, socket)| (bound, socket)).collect();
    found.sort_by_key(|(bound, socket)| (socket.is_ours(), bound.is_unspecified()));
    found.first().map(|(_, socket)| *socket)
}

/// The IPv4 address behind an IPv4-mapped IPv6 address.
fn unmapped(address: IpAddr) -> IpAddr {
    match address {
        IpAddr::V6(six) => six.to_ipv4_mapped().map_or(address, IpAddr::V4),
        IpAddr::V4(_) => address,
    }
}

/// A listening socket in one line of `/proc/net/tcp` or `/proc/net/tcp6`.
fn row(line: &str) -> Option<(IpAddr, u16, Socket)> {
    let fields: Vec<&str> = line.split_whitespace().collect();
    let [_, local, _, LISTEN, _, _, _, uid, _, inode, ..] = fields[..] else { return None };
    let (address, port) = local.split_once(':')?;
    let socket = Socket { uid: uid.parse().ok()?, inode: inode.parse().ok()? };
    Some((self::address(address)?, u16::from_str_radix(port, 16).ok()?, socket))
}

/// Parses an address as the kernel prints it: words of 32 bits in the machine's byte order.
fn address(hex: &str) -> Option<IpAddr> {
    let word = |at: usize| u32::from_str_radix(hex.get(at..at + 8)?, 16).ok().map(u32::to_ne_bytes);
    match hex.len() {
        8 => Some(IpAddr::from(word(0)?)),
        32 => {
            let mut bytes = [0; 16];
            for (part, at) in bytes.chunks_mut(4).zip((0..32).step_by(8)) {
                part.copy_from_slice(&word(at)?);
            }
            Some(IpAddr::from(bytes))
        }
        _ => None,
    }
}

/// The process that holds a socket, as its directory below `/proc`. Processes of other users cannot be looked into.
fn process(inode: u64) -> Option<PathBuf> {
    let wanted = PathBuf::from(format!("socket:[{inode}]"));
    let holds = |process: &Path| {
        let descriptors = fs::read_dir(process.join("fd")).into_iter().flatten().flatten();
        descriptors.map(|entry| entry.path()).any(|path| fs::read_link(path).is_ok_and(|to| to == wanted))
    };
    let processes = fs::read_dir("/proc").ok()?.flatten();
    let is_process = |name: &str| name.bytes().all(|byte| byte.is_ascii_digit());
    let numbered = processes.filter(|entry| entry.file_name().to_str().is_some_and(is_process));
    numbered.map(|entry| entry.path()).find(|process| holds(process))
}

/// The arguments of a process, without its own name. The length of a command line that is cut is part of it.
fn arguments(process: &Path) -> Vec<String> {
    let line = fs::read(process.join("cmdline")).unwrap_or_default();
    let kept = &line[..line.len().min(COMMAND_CAP)];
    let words = kept.strip_suffix(b"\0").unwrap_or(kept).split(|byte| *byte == 0);
    let mut arguments: Vec<String> = words.skip(1).map(|word| String::from_utf8_lossy(word).into_owned()).collect();
    if kept.len() < line.len() {
        arguments.push(format!("… ({} bytes)", line.len()));
    }
    arguments
}

/// Whether a program runs code of others that depends on its working directory. Versions in its name do not count.
fn is_interpreter(program: &Path) -> bool {
    const NAMES: [&str; 26] = [
        "python", "pypy", "node", "nodejs", "deno", "bun", "java", "ruby", "perl", "php", "lua", "luajit", "julia",
        "Rscript", "R", "guile", "dotnet", "mono", "pwsh", "sh", "bash", "dash", "zsh", "fish", "ksh", "busybox",
    ];
    let name = program.file_name().and_then(|name| name.to_str()).unwrap_or_default();
    // The kernel adds this to the name of a program that was replaced while it runs.
    let name = name.strip_suffix(" (deleted)").unwrap_or(name);
    let name = name.trim_end_matches(|c: char| c.is_ascii_digit() || c == '.' || c == '-');
    NAMES.contains(&name)
}

#[cfg(test)]
mod tests {
    use std::net::TcpListener;

    use super::*;

    const TABLE: &str = "  sl  local_address rem_address   st tx_queue rx_queue tr tm->when retrnsmt   uid  timeout inode
   0: 0100007F:2CAA 00000000:0000 0A 00000000:00000000 00:00000000 00000000  4294967294        0 11 1 0 100 0 0 10 0
   1: 00000000:2CAA 00000000:0000 0A 00000000:00000000 00:00000000 00000000     0        0 12 1 0 100 0 0 10 0
   2: 0100007F:2CAB 0100007F:B6F6 01 00000000:00000000 00:00000000 00000000     0        0 13 1 0 100 0 0 10 0
   3: 00000000000000000000000001000000:1F90 00000000000000000000000000000000:0000 0A 00000000:00000000 00:00000000 00000000 7 0 14 1
   4: 00000000000000000000000000000000:1F91 00000000000000000000000000000000:0000 0A 00000000:00000000 00:00000000 00000000 0 0 15 1
";

    fn inode(host: &str) -> Option<u64> {
        let (addresses, port) = addresses(host)?;
        listener(TABLE, &addresses, port).map(|socket| socket.inode)
    }

    #[cfg(target_endian = "little")]
    #[test]
    fn the_kernels_table_says_who_listens() {
        assert_eq!(inode("127.0.0.1:11434"), Some(11), "a stranger's counts, and so does the more specific one");
        assert_eq!(inode("127.0.0.1:11435"), None, "a connection is no listener");
        assert_eq!(inode("localhost:8080"), Some(14), "localhost may be ::1");
        assert_eq!(inode("[::1]:8080"), Some(14));
        assert_eq!(inode("127.0.0.1:8080"), None);
        assert_eq!(inode("127.0.0.1:8081"), Some(15), "one that listens everywhere takes both kinds");
        assert_eq!(inode("llm.example.com:443"), None);
    }

    #[test]
    fn a_server_is_identified_by_command_line_and_owner() {
        let listener = TcpListener::bind("127.0.0.1:0").unwrap();
        let url = format!("http://{}/v1", listener.local_addr().unwrap());
        let socket = Sockets::now().listener(&url).unwrap();
        assert!(socket.is_ours());
        let server = Server::behind(socket, &url);
        assert_eq!(server.program, std::env::current_exe().unwrap().canonicalize().ok());
        assert_eq!(server.uid, Uid::effective().as_raw());
        assert_eq!(server.arguments, std::env::args().skip(1).collect::<Vec<_>>());
        assert_eq!(server.directory, None, "a test is no interpreter");
        drop(listener);
        assert_eq!(Sockets::now().listener(&url), None);
    }

    #[test]
    fn every_version_of_an_interpreter_is_one() {
        for program in
            ["/usr/bin/python3.11", "/opt/bin/node", "/usr/bin/perl5.36.0", "/bin/sh", "/usr/bin/python3 (deleted)"]
        {
            assert!(is_interpreter(Path::new(program)), "{program}");
        }
        for program in ["/usr/bin/ollama", "/usr/bin/llama-server", "/usr/bin/shellmate", "/"] {
            assert!(!is_interpreter(Path::new(program)), "{program}");
        }
    }

    #[test]
    fn a_script_cannot_forge_a_line_of_the_question() {
        let server = Server {
            address: "127.0.0.1:11434".into(),
            uid: 0,
            program: Some("/usr/bin/python3".into()),
            arguments: vec!["-c".into(), "x\n  user: root\u{202e}".into()],
            directory: Some("/tmp/a b".into()),
        };
        let question = server.question("ollama/m");
        assert!(
            question.contains(r#"program: /usr/bin/python3 -c "x\n  user: root\u{202e}" (in "/tmp/a b")"#),
            "{question}"
        );
        assert_eq!(question.lines().count(), 4, "{question}");
    }
}
