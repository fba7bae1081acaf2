//! Escape attempts and ordinary work, with each backend.
//!
//! The helper is this binary started again, so the test binary is one too: before `main` it looks for the helper's arguments.

mod escapes;
mod work;

use std::ffi::{CStr, OsString, c_char, c_int};
use std::fs;
use std::io::Read;
use std::os::unix::process::CommandExt;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

use super::{
    Backend, CommandRequest, ConfinedCommand, Confinement, HelperReport, Network, ReportedEnd, SANDBOX_HELPER,
    abilities, inherit,
};

#[used]
#[unsafe(link_section = ".init_array")]
#[allow(unsafe_code)]
static BE_THE_HELPER: extern "C" fn(c_int, *const *const c_char) = be_the_helper;

/// glibc passes the arguments of `main` to functions that run before it.
#[allow(unsafe_code)]
extern "C" fn be_the_helper(count: c_int, arguments: *const *const c_char) {
    if count != 3 {
        return;
    }
    // SAFETY: `arguments` has `count` strings that end with NUL.
    let argument = |index: usize| unsafe { CStr::from_ptr(*arguments.add(index)) }.to_str().unwrap_or_default();
    if argument(1) == SANDBOX_HELPER
        && let Ok(orders) = argument(2).parse()
    {
        let code = super::run_helper(orders);
        // SAFETY: nothing of this process is used after it.
        unsafe { nix::libc::_exit(c_int::from(code)) };
    }
}

/// A home directory with a project in `~/app`, in which commands run confined.
struct Cage {
    _directory: tempfile::TempDir,
    home: PathBuf,
    confinement: Confinement,
    environment: Vec<(OsString, OsString)>,
}

/// How a command in the sandbox ended.
#[derive(Debug)]
struct Ran {
    output: String,
    report: HelperReport,
    /// What was cleaned up after it.
    settled: Vec<String>,
}

impl Ran {
    fn is_done(&self) -> bool {
        self.report.end == Some(ReportedEnd::Exited(0))
    }
}

impl Cage {
    /// A cage with this backend, or `None` if it does not work here.
    fn new(backend: Backend) -> Option<Cage> {
        if !abilities::works(backend, Network::On) {
            let is_required = std::env::var_os("CI").is_some() && backend != Backend::Bubblewrap;
            assert!(!is_required, "{backend:?} does not work here");
            return None;
        }
        let directory = tempfile::tempdir().unwrap();
        let home = directory.path().canonicalize().unwrap();
        fs::create_dir(home.join("app")).unwrap();
        let path = std::env::var_os("PATH").unwrap();
        let environment = vec![("HOME".into(), home.clone().into()), ("PATH".into(), path)];
        let confinement = Confinement { backend: Some(backend), ..Confinement::default() };
        Some(Cage { _directory: directory, home, confinement, environment })
    }

    fn offline(mut self) -> Cage {
        self.confinement.network = Network::Off;
        self
    }

    fn path(&self, below: &str) -> PathBuf {
        self.home.join(below)
    }

    fn write(&self, below: &str, text: &str) -> PathBuf {
        let path = self.path(below);
        fs::create_dir_all(path.parent().unwrap()).unwrap();
        fs::write(&path, text).unwrap();
        path
    }

    fn run(&self, command: &str) -> Ran {
        self.run_in("app", command)
    }

    /// Runs a command as the `bash` tool does, with what it prints on both streams.
    #[allow(unsafe_code)]
    fn run_in(&self, below: &str, command: &str) -> Ran {
        let cwd = self.path(below);
        let request = CommandRequest { command, cwd: &cwd, environment: &self.environment };
        let ConfinedCommand { program, arguments, inherited, variables, report, mut watch, .. } =
            self.confinement.command(request).unwrap();
        let (mut output, input) = std::io::pipe().unwrap();
        let mut spawned = Command::new(program);
        spawned.args(arguments).current_dir(&cwd).env_clear().envs(self.environment.clone()).envs(variables);
        spawned.stdin(Stdio::null()).stdout(input.try_clone().unwrap()).stderr(input);
        // SAFETY: between fork and exec only setsid(2) and fcntl(2) are called, which are async-signal-safe.
        unsafe {
            spawned.pre_exec(move || {
                nix::unistd::setsid()?;
                inherited.iter().try_for_each(inherit)
            })
        };
        let mut child = spawned.spawn().unwrap();
        drop(spawned);
        let (mut text, mut facts) = (String::new(), String::new());
        output.read_to_string(&mut text).unwrap();
        child.wait().unwrap();
        report.unwrap().read_to_string(&mut facts).unwrap();
        let report = HelperReport::read(&facts);
        assert!(report.applied(Backend::None).is_some(), "not started: {facts} {text}");
        Ran { output: text, report, settled: watch.settle() }
    }
}

/// Runs a test with every backend that works here.
fn with_each(test: impl Fn(Cage)) {
    let backends = [Backend::Bubblewrap, Backend::Namespaces, Backend::Landlock];
    let cages = backends.into_iter().filter_map(|backend| {
        let cage = Cage::new(backend);
        if cage.is_none() {
            eprintln!("SKIPPED: {backend:?} does not work here");
        }
        cage
    });
    cages.for_each(test);
}

/// Runs a test with the backends that have namespaces.
fn with_namespaces(test: impl Fn(Cage)) {
    with_each(|cage| {
        if cage.confinement.backend != Some(Backend::Landlock) {
            test(cage);
        }
    });
}

#[test]
fn the_record_says_how_far_a_command_could_reach_and_what_confined_it() {
    let applied = super::Applied { backend: super::Backend::Bubblewrap, landlock: Some(4), has_seccomp: true };
    let words = applied.words(super::SandboxLevel::Workspace, super::Network::Off);
    assert_eq!(words, "workspace, no network (bubblewrap, Landlock 4, seccomp)");
    assert_eq!(super::Applied::NONE.words(super::SandboxLevel::Workspace, super::Network::Off), "none");
}
