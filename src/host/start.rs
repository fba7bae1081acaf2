//! Starts the shell's process.

#![allow(unsafe_code)]

#[cfg(not(target_os = "linux"))]
pub(super) use copied::start;
#[cfg(target_os = "linux")]
pub(super) use lent::start;

/// Whether a variable of this name belongs to the hooks. The hooks' variables are removed from the environment: an inherited variable
/// stays exported, so the hooks' values would reach every program.
fn is_of_hooks(name: &std::ffi::OsStr) -> bool {
    name.as_encoded_bytes().starts_with(b"__shellmate_")
}

/// Starts the process like vfork(2): the child shares this process's memory, and this thread waits until the child has called exec.
/// Copying the page tables, as fork does, would delay the first prompt.
#[cfg(target_os = "linux")]
mod lent {
    use std::ffi::{CString, OsStr, OsString};
    use std::io;
    use std::ops::Range;
    use std::os::fd::{AsRawFd, BorrowedFd};
    use std::os::unix::ffi::OsStringExt;
    use std::ptr;

    use nix::errno::Errno;
    use nix::libc::{self, c_char, c_int};
    use nix::sched::{CloneFlags, clone};
    use nix::sys::signal::{SigSet, SigmaskHow};
    use nix::sys::wait::waitpid;
    use nix::unistd::Pid;

    use crate::host::launch::Launch;

    /// The child's stack. It only makes a few system calls.
    const STACK: usize = 16 * 1024;
    /// The signals that may have a handler in this process.
    const SIGNALS: Range<c_int> = 1..32;

    /// Starts the shell as the leader of a new session with this controlling terminal.
    pub(in crate::host) fn start(launch: &Launch, terminal: BorrowedFd<'_>) -> io::Result<Pid> {
        let program = c_string(launch.program.clone().into_os_string())?;
        let words = [&launch.arg0].into_iter().chain(&launch.args).cloned();
        let words: Vec<CString> = words.map(c_string).collect::<io::Result<_>>()?;
        let variables = environment(launch)?;
        let (argv, envp) = (pointers(&words), pointers(&variables));
        let mut stack = vec![0; STACK];
        let mut failure = None;

        let mask = SigSet::all().thread_swap_mask(SigmaskHow::SIG_SETMASK)?;
        let child = || {
            failure = Some(become_shell(&program, &argv, &envp, terminal, &mask));
            127
        };
        let flags = CloneFlags::CLONE_VM | CloneFlags::CLONE_VFORK;
        // SAFETY: this thread continues only after the child has called exec or exited, so everything the child uses outlives it. The
        // child only makes system calls: it does not allocate, lock or unwind. All signals are blocked meanwhile.
        let pid = unsafe { clone(Box::new(child), &mut stack, flags, Some(libc::SIGCHLD)) };
        mask.thread_set_mask()?;
        let pid = pid?;
        match failure {
            None => Ok(pid),
            Some(errno) => {
                waitpid(pid, None)?;
                Err(errno.into())
            }
        }
    }

    /// Returns only on failure.
    fn become_shell(
        program: &CString,
        argv: &[*const c_char],
        envp: &[*const c_char],
        terminal: BorrowedFd<'_>,
        mask: &SigSet,
    ) -> Errno {
        // SAFETY: plain system calls; the descriptor is open, the pointers are valid, and both lists end with a null pointer.
        unsafe {
            let is_ready = libc::setsid() >= 0
                && (0..3).all(|stream| libc::dup2(terminal.as_raw_fd(), stream) >= 0)
                && libc::ioctl(0, libc::TIOCSCTTY, 0) >= 0;
            if is_ready {
                SIGNALS.for_each(|signal| forget_handler(signal));
                libc::sigprocmask(libc::SIG_SETMASK, mask.as_ref(), ptr::null_mut());
                // Unlike execve, execvpe also runs a script without a `#!` line.
                libc::execvpe(program.as_ptr(), argv.as_ptr(), envp.as_ptr());
            }
        }
        Errno::last()
    }

    /// Resets a signal to its default action. Ignored signals stay ignored, except SIGPIPE, which the Rust runtime ignores.
    ///
    /// # Safety
    /// Only for a process that is about to call exec, since its signal handlers are lost.
    unsafe fn forget_handler(signal: c_int) {
        // SAFETY: `sigaction` writes one structure, for which all zeroes are valid. The caller accepts the loss of handlers.
        unsafe {
            let mut action: libc::sigaction = std::mem::zeroed();
            libc::sigaction(signal, ptr::null(), &mut action);
            let is_inherited =
                action.sa_sigaction == libc::SIG_DFL || action.sa_sigaction == libc::SIG_IGN && signal != libc::SIGPIPE;
            if !is_inherited {
                libc::signal(signal, libc::SIG_DFL);
            }
        }
    }

    /// This process's environment with the changes of `launch`.
    fn environment(launch: &Launch) -> io::Result<Vec<CString>> {
        let is_changed = |name: &OsStr| launch.env.iter().any(|(changed, _)| changed == name);
        let kept = std::env::vars_os().filter(|(name, _)| !is_changed(name) && !super::is_of_hooks(name));
        let added = launch.env.iter().filter_map(|(name, value)| Some((name.clone(), value.clone()?)));
        let variables = kept.chain(added).map(|(mut variable, value)| {
            variable.push("=");
            variable.push(value);
            c_string(variable)
        });
        variables.collect()
    }

    fn pointers(words: &[CString]) -> Vec<*const c_char> {
        words.iter().map(|word| word.as_ptr()).chain([ptr::null()]).collect()
    }

    fn c_string(word: OsString) -> io::Result<CString> {
        Ok(CString::new(word.into_vec())?)
    }
}

/// Starts the process with fork and exec, on systems without `CLONE_VFORK`.
#[cfg(not(target_os = "linux"))]
mod copied {
    use std::io;
    use std::os::fd::BorrowedFd;
    use std::os::unix::process::CommandExt;
    use std::process::{Command, Stdio};

    use nix::unistd::{Pid, setsid};

    use crate::host::launch::Launch;

    nix::ioctl_none_bad!(tiocsctty, nix::libc::TIOCSCTTY);

    /// Starts the shell as the leader of a new session with this controlling terminal.
    pub(in crate::host) fn start(launch: &Launch, terminal: BorrowedFd<'_>) -> io::Result<Pid> {
        let stdio = || terminal.try_clone_to_owned().map(Stdio::from);
        let mut command = Command::new(&launch.program);
        command.arg0(&launch.arg0).args(&launch.args).stdin(stdio()?).stdout(stdio()?).stderr(stdio()?);
        for (name, value) in &launch.env {
            match value {
                Some(value) => command.env(name, value),
                None => command.env_remove(name),
            };
        }
        for (name, _) in std::env::vars_os().filter(|(name, _)| super::is_of_hooks(name)) {
            command.env_remove(name);
        }
        // SAFETY: between fork and exec only setsid(2) and ioctl(2) are called, both async-signal-safe; nothing is allocated.
        unsafe { command.pre_exec(own_session) };
        Ok(Pid::from_raw(i32::try_from(command.spawn()?.id()).unwrap_or(i32::MAX)))
    }

    /// Begins a new session and makes standard input its controlling terminal.
    fn own_session() -> io::Result<()> {
        setsid()?;
        // SAFETY: TIOCSCTTY takes no pointer. Descriptor 0 is the shell's side of the pty here.
        unsafe { tiocsctty(0) }?;
        Ok(())
    }
}
