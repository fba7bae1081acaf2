//! Builds the command line that runs a command confined.

use std::ffi::OsString;
use std::fs::File;
use std::io::{self, PipeReader, Write};
use std::os::fd::{AsRawFd, OwnedFd};
use std::os::unix::process::CommandExt;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

use nix::fcntl::{FcntlArg, FdFlag, fcntl};

use super::orders::{LandlockRules, NamespaceOrders, Orders, ProcessScope, SocketRules, WirePath};
use super::profile::variable;
use super::system::nameless_file;
use super::temporary::TempParts;
use super::{
    Backend, Confinement, DelicateWatch, Network, SandboxError, SandboxLevel, SandboxProfile, abilities, bubblewrap,
    plan,
};

/// The hidden subcommand of the helper.
pub(crate) const HELPER: &str = "__confine";

/// A command of the agent.
#[derive(Debug, Clone, Copy)]
pub(crate) struct CommandRequest<'a> {
    pub command: &'a str,
    pub cwd: &'a Path,
    pub environment: &'a [(OsString, OsString)],
}

/// A command that is ready to be started.
#[derive(Debug)]
pub(crate) struct ConfinedCommand {
    pub program: OsString,
    pub arguments: Vec<OsString>,
    /// Descriptors that the program inherits.
    pub inherited: Vec<OwnedFd>,
    /// Variables to add to the environment.
    pub variables: Vec<(OsString, OsString)>,
    /// The helper's report. `None` without a helper.
    pub report: Option<PipeReader>,
    pub backend: Backend,
    pub watch: DelicateWatch,
    /// The paths that it can use. `None` without a sandbox.
    pub profile: Option<SandboxProfile>,
}

impl Confinement {
    /// Builds the command line for a command.
    pub(crate) fn command(&self, request: CommandRequest<'_>) -> Result<ConfinedCommand, SandboxError> {
        let temp = self.temp.parts().map_err(SandboxError::Temporary)?;
        let backend = match self.level {
            SandboxLevel::Off => Backend::None,
            SandboxLevel::ReadOnly | SandboxLevel::Workspace => {
                self.backend.unwrap_or_else(|| abilities::best(self.network))
            }
        };
        let bash = bash(request.environment);
        let command: Vec<OsString> = [bash.into_os_string()]
            .into_iter()
            .chain(["--noprofile", "--norc", "-c", request.command].map(OsString::from))
            .collect();
        let variables = vec![("TMPDIR".into(), temp.tmp.clone().into_os_string())];
        if backend == Backend::None {
            return Ok(ConfinedCommand { variables, ..unconfined(command) });
        }
        let profile = SandboxProfile::resolve(self, request.cwd, request.environment)?;
        let watch = DelicateWatch::new(&profile.delicate, backend == Backend::Landlock);
        let built = build(backend, &profile, &temp, command).map_err(SandboxError::Prepare)?;
        Ok(ConfinedCommand { variables, watch, profile: Some(profile), ..built })
    }
}

fn unconfined(command: Vec<OsString>) -> ConfinedCommand {
    let mut words = command.into_iter();
    ConfinedCommand {
        program: words.next().unwrap_or_default(),
        arguments: words.collect(),
        inherited: Vec::new(),
        variables: Vec::new(),
        report: None,
        backend: Backend::None,
        watch: DelicateWatch::default(),
        profile: None,
    }
}

fn build(
    backend: Backend,
    profile: &SandboxProfile,
    temp: &TempParts,
    command: Vec<OsString>,
) -> io::Result<ConfinedCommand> {
    let binds = plan::binds(profile, temp);
    let has_namespaces = backend != Backend::Landlock;
    let landlock = if has_namespaces { rules_in_namespaces(&binds) } else { rules_alone(profile, temp) };
    let (reader, writer) = io::pipe()?;
    let (report, helper) = (OwnedFd::from(writer), File::open("/proc/self/exe")?);
    let orders = Orders {
        namespaces: (backend == Backend::Namespaces)
            .then(|| NamespaceOrders { binds: binds.clone(), network: profile.network }),
        processes: if has_namespaces { ProcessScope::Namespace } else { ProcessScope::Descendants },
        landlock,
        sockets: sockets(backend, profile.network),
        command,
        cwd: WirePath::from(profile.cwd.clone()),
        report: report.as_raw_fd(),
    };
    let orders = written(&orders)?;
    let helper_arguments = [HELPER.to_owned(), orders.as_raw_fd().to_string()].map(OsString::from);
    let (program, arguments) = match backend {
        Backend::Bubblewrap => {
            let bubblewrap = bubblewrap::installed().ok_or(io::ErrorKind::NotFound)?;
            let mut arguments = bubblewrap::arguments(&binds, profile.network);
            arguments.push(bubblewrap::helper(helper.as_raw_fd()));
            arguments.extend(helper_arguments);
            (bubblewrap.into_os_string(), arguments)
        }
        _ => (bubblewrap::helper(helper.as_raw_fd()), helper_arguments.to_vec()),
    };
    let inherited = vec![orders, report, OwnedFd::from(helper)];
    Ok(ConfinedCommand { program, arguments, inherited, report: Some(reader), backend, ..unconfined(Vec::new()) })
}

/// Everything that is mounted can be read. Landlock repeats what can be written.
fn rules_in_namespaces(binds: &[plan::Bind]) -> LandlockRules {
    let write = plan::writable(binds).into_iter().chain([WirePath::from(Path::new("/dev"))]).collect();
    LandlockRules { read: vec![WirePath::from(Path::new("/"))], write, deny_tcp: false }
}

/// Without mounts, hidden paths are left out of what can be read.
fn rules_alone(profile: &SandboxProfile, temp: &TempParts) -> LandlockRules {
    let read = plan::readable(profile)
        .into_iter()
        .chain(profile.shown.iter().cloned().flat_map(|shown| plan::without(&shown, &profile.hidden)));
    let devices =
        ["/dev/null", "/dev/zero", "/dev/full", "/dev/random", "/dev/urandom", "/dev/tty", "/dev/shm", "/dev/pts"];
    let write = profile.writable.iter().chain([&temp.tmp]).cloned().chain(devices.map(PathBuf::from));
    LandlockRules {
        read: read.map(WirePath::from).collect(),
        write: write.map(WirePath::from).collect(),
        deny_tcp: profile.network == Network::Off,
    }
}

fn sockets(backend: Backend, network: Network) -> SocketRules {
    match (backend, network) {
        (Backend::Landlock, Network::Off) => SocketRules::OnlyPairs,
        // Before its ninth version, Landlock does not keep a program from connecting to a socket it can see.
        (Backend::Landlock, Network::On) => SocketRules::NoUnix,
        (_, Network::On | Network::Off) => SocketRules::Any,
    }
}

/// A file with the orders.
fn written(orders: &Orders) -> io::Result<OwnedFd> {
    let mut file = nameless_file()?;
    file.write_all(&serde_json::to_vec(orders)?)?;
    Ok(OwnedFd::from(file))
}

/// The bash to run. The system's own comes first, because a project may have put its own directories on PATH.
fn bash(environment: &[(OsString, OsString)]) -> PathBuf {
    let usual = ["/bin/bash", "/usr/bin/bash", "/run/current-system/sw/bin/bash"].map(PathBuf::from);
    let on_path = variable(environment, "PATH").map(std::env::split_paths).into_iter().flatten();
    let on_path = on_path.filter(|directory| directory.is_absolute()).map(|directory| directory.join("bash"));
    usual.into_iter().chain(on_path).find(|path| path.is_file()).unwrap_or_else(|| "bash".into())
}

/// Lets a descriptor be inherited by the next program. Safe to call between `fork` and `exec`.
pub(crate) fn inherit(descriptor: &OwnedFd) -> io::Result<()> {
    fcntl(descriptor, FcntlArg::F_SETFD(FdFlag::empty())).map(drop).map_err(io::Error::from)
}

/// Whether a command can be started with this backend.
#[allow(unsafe_code)]
pub(super) fn probe(backend: Backend, network: Network) -> bool {
    let profile = SandboxProfile {
        cwd: "/".into(),
        project: None,
        network,
        writable: Vec::new(),
        delicate: Vec::new(),
        hidden: Vec::new(),
        shown: Vec::new(),
    };
    let temp = super::PrivateTemp::default();
    let command = [bash(&[]).into_os_string(), "-c".into(), ":".into()].to_vec();
    let built = temp.parts().and_then(|parts| build(backend, &profile, &parts, command));
    let Ok(ConfinedCommand { program, arguments, inherited, .. }) = built else { return false };
    let mut probe = Command::new(program);
    probe.args(arguments).env_clear().stdin(Stdio::null()).stdout(Stdio::null()).stderr(Stdio::null());
    // SAFETY: between fork and exec only fcntl(2) is called, which is async-signal-safe, and nothing is allocated.
    unsafe { probe.pre_exec(move || inherited.iter().try_for_each(inherit)) };
    probe.status().is_ok_and(|status| status.success())
}
