//! The private directory as the session uses it, and its files.

use std::fs::{self, File};
use std::io::Read;
use std::os::unix::fs::PermissionsExt;

use super::super::errands::Errands;
use super::files::variables;
use super::*;

/// A home with a runtime directory, and a workspace in it.
struct Room {
    home: tempfile::TempDir,
    errands: Errands,
    workspace: Workspace,
}

impl Room {
    fn new() -> Room {
        Room::of(ShellKind::Zsh)
    }

    fn of(shell: ShellKind) -> Room {
        let (home, errands) = (tempfile::tempdir().unwrap(), Errands::new().unwrap());
        let workspace = Workspace::create(&paths(&home), "test", shell, errands.reporter()).unwrap();
        Room { home, errands, workspace }
    }

    fn file(&self, name: &str) -> PathBuf {
        self.workspace.directory().join(name)
    }

    /// Waits until the thread has finished its tasks. Returns its results.
    fn settle(&mut self) -> Vec<Done> {
        self.workspace.environment().wait();
        self.errands.take()
    }

    /// The notices after the directory was mended.
    fn mends(&mut self) -> Vec<String> {
        self.workspace.mend();
        let notice = |done| if let Done::Notice(words) = done { Some(words) } else { None };
        self.settle().into_iter().filter_map(notice).collect()
    }

    /// The FIFO, opened for reading as a hook does.
    fn reader(&self) -> File {
        use std::os::unix::fs::OpenOptionsExt;
        let flags = nix::libc::O_NONBLOCK;
        fs::OpenOptions::new().read(true).custom_flags(flags).open(self.workspace.fifo()).unwrap()
    }
}

fn paths(home: &tempfile::TempDir) -> Paths {
    let home = home.path().to_owned();
    let place = |name: &str| match name {
        "XDG_RUNTIME_DIR" => Some(home.join("run").into_os_string()),
        "XDG_STATE_HOME" => Some(home.join("state").into_os_string()),
        _ => None,
    };
    Paths::from_env(place, 0, None)
}

/// The bytes that can be read now.
fn heard(reader: &mut File) -> String {
    let mut bytes = [0; 4096];
    let count = reader.read(&mut bytes).unwrap_or(0);
    String::from_utf8_lossy(&bytes[..count]).into_owned()
}

fn mode(path: &Path) -> u32 {
    fs::symlink_metadata(path).unwrap().permissions().mode() & 0o777
}

#[test]
fn everything_in_the_directory_is_private_to_its_owner() {
    let mut room = Room::new();
    room.workspace.note_terminal("/dev/pts/7".into());
    room.workspace.write_command("cd /".into());
    room.workspace.ask_for_nonce();
    room.settle();
    assert_eq!(mode(room.workspace.directory()), 0o700);
    let names: Vec<PathBuf> =
        fs::read_dir(room.workspace.directory()).unwrap().map(|one| one.unwrap().path()).collect();
    assert!(names.len() > 9, "{names:?}");
    for path in names {
        assert_eq!(mode(&path), 0o600, "{path:?}");
    }
}

#[test]
fn a_command_replaces_the_one_before_and_is_removed_once() {
    let mut room = Room::new();
    for command in ["a much longer command", "ls\n"] {
        room.workspace.write_command(command.into());
        assert!(room.settle().is_empty());
        assert_eq!(fs::read_to_string(room.file("command")).unwrap(), command);
    }
    room.workspace.remove_command();
    room.workspace.remove_command();
    assert!(room.settle().is_empty());
    assert!(!room.file("command").exists());
}

#[test]
fn a_command_that_cannot_be_written_is_reported() {
    let mut room = Room::new();
    fs::remove_dir_all(room.workspace.directory()).unwrap();
    room.workspace.write_command("ls".into());
    let done = room.settle();
    assert!(matches!(&done[..], [Done::NotHanded(error)] if error.kind() == io::ErrorKind::NotFound));
}

#[test]
fn a_command_is_not_written_through_a_link() {
    let mut room = Room::new();
    let other = room.home.path().join("other");
    fs::write(&other, "mine").unwrap();
    std::os::unix::fs::symlink(&other, room.file("command")).unwrap();
    room.workspace.write_command("ls".into());
    assert!(room.settle().is_empty());
    assert_eq!(fs::read_to_string(&other).unwrap(), "mine");
    assert_eq!(fs::read_to_string(room.file("command")).unwrap(), "ls");
}

#[test]
fn directives_arrive_in_order_and_a_new_fifo_is_announced_in_the_old_one() {
    let mut room = Room::new();
    let mut first = room.reader();
    room.workspace.direct("look".into());
    room.workspace.direct("token".into());
    room.settle();
    assert_eq!(heard(&mut first), "look\ntoken\n");
    room.workspace.direct_anew("token".into());
    room.settle();
    let mut second = room.reader();
    assert_eq!((heard(&mut first), heard(&mut second)), ("\n".into(), "token\n".into()));
    room.workspace.direct_anew("token".into());
    room.settle();
    assert_eq!((heard(&mut first), heard(&mut second)), ("\n".into(), "\n".into()), "every older reader is told");
    room.workspace.forget_old_fifos();
    room.workspace.direct_anew("token".into());
    room.settle();
    assert_eq!((heard(&mut first), heard(&mut second)), (String::new(), String::new()));
    assert_eq!(heard(&mut room.reader()), "token\n");
}

#[test]
fn a_withdrawn_fifo_ends_every_wait_and_is_not_created_again() {
    let mut room = Room::new();
    let mut reader = room.reader();
    room.workspace.withdraw();
    room.workspace.direct("token".into());
    assert_eq!(room.mends(), Vec::<String>::new());
    assert_eq!(reader.read(&mut [0; 8]).unwrap(), 0, "the hook that waits reads the end of the file");
    assert!(!room.workspace.fifo().exists());
}

#[test]
fn a_deleted_directory_is_created_again_with_the_files_that_hooks_and_other_sessions_need() {
    let mut room = Room::of(ShellKind::Bash);
    room.workspace.note_terminal("/dev/pts/7".into());
    fs::remove_dir_all(room.home.path().join("run")).unwrap();
    assert_eq!(room.mends(), Vec::<String>::new());
    for name in ["directives", "lock", "tty", "environment", "jobs", "bash-lazy"] {
        assert!(room.file(name).exists(), "{name}");
    }
    assert!(hosts(room.workspace.directory(), Path::new("/dev/pts/7")), "the new lock is held");
    let mut reader = room.reader();
    room.workspace.direct("token".into());
    room.settle();
    assert_eq!(heard(&mut reader), "token\n");
}

#[test]
fn files_that_a_cleaner_deleted_are_created_again() {
    let mut room = Room::new();
    for gone in [&["directives"][..], &["directives", "environment", "keys"], &["directives", "lock"]] {
        gone.iter().for_each(|name| fs::remove_file(room.file(name)).unwrap());
        assert_eq!(room.mends(), Vec::<String>::new(), "{gone:?}");
        for name in ["directives", "environment", "keys", "lock"] {
            assert!(room.file(name).exists(), "{name} after {gone:?}");
        }
        assert!(lock_is_held(room.workspace.directory()), "{gone:?}");
    }
}

fn lock_is_held(directory: &Path) -> bool {
    crate::capture::lock_session(directory).is_err_and(|error| error.kind() == io::ErrorKind::WouldBlock)
}

#[test]
fn a_directory_that_cannot_be_created_again_is_reported_once_each_time() {
    let mut room = Room::new();
    let place = room.home.path().join("run/shellmate");
    let block = |room: &Room| {
        fs::remove_dir_all(room.home.path().join("run")).unwrap();
        fs::create_dir(room.home.path().join("run")).unwrap();
        fs::write(&place, "in the way").unwrap();
    };
    block(&room);
    let said = room.mends();
    assert!(said.len() == 1 && said[0].contains("was deleted and cannot be made again"), "{said:?}");
    assert_eq!(room.mends(), Vec::<String>::new());
    fs::remove_file(&place).unwrap();
    assert_eq!(room.mends(), Vec::<String>::new());
    assert!(room.workspace.fifo().exists());
    block(&room);
    assert_eq!(room.mends().len(), 1, "this is another time");
}

#[test]
fn the_session_leaves_only_files_that_it_did_not_create() {
    let room = Room::new();
    let (directory, kept) = (room.workspace.directory().to_owned(), room.file("17.out"));
    fs::write(&kept, "a spill file").unwrap();
    let Room { home: _home, mut workspace, .. } = room;
    workspace.write_command("ls".into());
    drop(workspace);
    let left: Vec<PathBuf> = fs::read_dir(&directory).unwrap().map(|one| one.unwrap().path()).collect();
    assert_eq!(left, [kept]);
    let mut room = Room::new();
    room.settle();
    let directory = room.workspace.directory().to_owned();
    drop(room.workspace);
    assert!(!directory.exists());
}

#[test]
fn another_session_on_the_same_terminal_is_found_while_it_runs() {
    let mut room = Room::new();
    let directory = room.workspace.directory().to_owned();
    let terminal = Path::new("/dev/pts/7");
    assert!(!hosts(&directory, terminal), "it has not said which terminal it is on");
    room.workspace.note_terminal(terminal.to_owned());
    assert!(hosts(&directory, terminal));
    assert!(!hosts(&directory, Path::new("/dev/pts/70")));
    let copy = room.home.path().join("killed");
    fs::create_dir(&copy).unwrap();
    fs::copy(directory.join("tty"), copy.join("tty")).unwrap();
    assert!(!hosts(&copy, terminal), "nobody holds its lock");
}

#[test]
fn queries_are_kept_for_later_sessions() {
    let mut room = Room::new();
    room.workspace.load_queries();
    assert!(room.settle().is_empty(), "no file is no trouble");
    room.workspace.keep_query("why".into());
    room.workspace.keep_query("two\nlines".into());
    room.workspace.load_queries();
    assert!(matches!(&room.settle()[..], [Done::Queries(queries)] if queries[..] == ["why", "two\nlines"]));
    let state = room.home.path().join("state/shellmate");
    assert_eq!((mode(&state), mode(&state.join("queries"))), (0o700, 0o600));
}

#[test]
fn the_environment_is_the_one_that_the_hook_wrote_last_and_is_not_left_on_disk() {
    let mut room = Room::new();
    let ours: Environment = std::env::vars_os().collect();
    assert_eq!(room.workspace.environment().wait(), ours, "the hook has written nothing yet");
    for value in ["1", "2"] {
        fs::write(room.file("environment"), format!("A={value}\0")).unwrap();
        assert_eq!(room.workspace.environment().wait(), [("A".into(), value.into())]);
        assert_eq!(fs::metadata(room.file("environment")).unwrap().len(), 0, "secrets stay on no disk");
    }
    fs::remove_file(room.file("environment")).unwrap();
    assert_eq!(room.workspace.environment().wait(), [("A".into(), "2".into())]);
}

#[test]
fn variables_may_have_any_bytes_but_need_an_equals_sign() {
    use std::os::unix::ffi::OsStringExt;
    let pair = |name: &[u8], value: &[u8]| (OsString::from_vec(name.to_vec()), OsString::from_vec(value.to_vec()));
    let cases: [(&[u8], Environment); 5] = [
        (b"", vec![]),
        (b"no sign\0\0", vec![]),
        (b"A=\0B==\0", vec![pair(b"A", b""), pair(b"B", b"=")]),
        (b"A=two\nlines\0cut=of", vec![pair(b"A", b"two\nlines"), pair(b"cut", b"of")]),
        (b"A=\xff\0", vec![pair(b"A", b"\xff")]),
    ];
    for (bytes, expected) in cases {
        assert_eq!(variables(bytes), expected, "{:?}", String::from_utf8_lossy(bytes));
    }
}

#[test]
fn random_names_have_two_digits_for_each_byte_and_differ() {
    let (one, two) = (random_hex::<16>().unwrap(), random_hex::<16>().unwrap());
    assert!(one.len() == 32 && one.bytes().all(|byte| byte.is_ascii_hexdigit()), "{one}");
    assert_ne!(one, two);
}
