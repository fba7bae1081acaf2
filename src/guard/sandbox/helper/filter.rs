//! seccomp: system calls that a confined command cannot make.
//!
//! The filter is a deny list. Namespaces and Landlock hold without it; it closes ways around them and shrinks what the kernel offers.

use std::io;

use nix::libc::{self, c_long, sock_filter, sock_fprog};

use super::super::orders::SocketRules;

/// Calls that act on other processes, on mounts, or on the machine.
const DENIED: &[c_long] = &[
    libc::SYS_ptrace,
    libc::SYS_process_vm_readv,
    libc::SYS_process_vm_writev,
    libc::SYS_kcmp,
    libc::SYS_pidfd_getfd,
    libc::SYS_io_uring_setup,
    libc::SYS_io_uring_enter,
    libc::SYS_io_uring_register,
    libc::SYS_mount,
    libc::SYS_umount2,
    libc::SYS_pivot_root,
    libc::SYS_chroot,
    libc::SYS_move_mount,
    libc::SYS_open_tree,
    libc::SYS_fsopen,
    libc::SYS_fsconfig,
    libc::SYS_fsmount,
    libc::SYS_fspick,
    libc::SYS_mount_setattr,
    libc::SYS_setns,
    libc::SYS_open_by_handle_at,
    libc::SYS_keyctl,
    libc::SYS_add_key,
    libc::SYS_request_key,
    libc::SYS_bpf,
    libc::SYS_perf_event_open,
    libc::SYS_userfaultfd,
    libc::SYS_kexec_load,
    libc::SYS_kexec_file_load,
    libc::SYS_init_module,
    libc::SYS_finit_module,
    libc::SYS_delete_module,
    libc::SYS_reboot,
    libc::SYS_swapon,
    libc::SYS_swapoff,
    libc::SYS_acct,
    libc::SYS_quotactl,
    libc::SYS_settimeofday,
    libc::SYS_clock_settime,
    libc::SYS_adjtimex,
    libc::SYS_clock_adjtime,
    libc::SYS_sethostname,
    libc::SYS_setdomainname,
    libc::SYS_syslog,
];

/// `ioctl` requests that put keys into a terminal's input.
const TERMINAL_INPUT: &[u32] = &[libc::TIOCSTI as u32, libc::TIOCLINUX as u32];

/// Flags of `clone` and `unshare` that create namespaces. In a new one, a process would have capabilities again.
const NAMESPACES: u32 = (libc::CLONE_NEWUSER
    | libc::CLONE_NEWNS
    | libc::CLONE_NEWPID
    | libc::CLONE_NEWNET
    | libc::CLONE_NEWIPC
    | libc::CLONE_NEWUTS
    | libc::CLONE_NEWCGROUP) as u32;

/// Sockets that reach the host of a virtual machine.
const VSOCK: u32 = libc::AF_VSOCK as u32;

#[cfg(target_arch = "x86_64")]
const ARCHITECTURE: u32 = 0xC000_003E;
#[cfg(target_arch = "aarch64")]
const ARCHITECTURE: u32 = 0xC000_00B7;
#[cfg(target_arch = "riscv64")]
const ARCHITECTURE: u32 = 0xC000_00F3;

/// Calls above this number belong to another interface of x86-64, which the list does not know.
const X32: u32 = 0x4000_0000;

/// Offsets in `seccomp_data`.
const NUMBER: u32 = 0;
const ARCH: u32 = 4;

const fn argument(index: u32) -> u32 {
    16 + 8 * index
}

const ALLOW: u32 = libc::SECCOMP_RET_ALLOW;
const DENY: u32 = libc::SECCOMP_RET_ERRNO | libc::EPERM as u32;
/// The C library then uses an older call.
const UNKNOWN: u32 = libc::SECCOMP_RET_ERRNO | libc::ENOSYS as u32;

/// Puts the filter in force for this process and its children, which must not gain privileges any more.
#[allow(unsafe_code)]
pub(super) fn install(sockets: SocketRules) -> io::Result<()> {
    let mut program = program(sockets);
    let length = u16::try_from(program.len()).map_err(io::Error::other)?;
    let filter = sock_fprog { len: length, filter: program.as_mut_ptr() };
    // SAFETY: the kernel reads the program during the call, and it is alive until then.
    let done = unsafe { libc::prctl(libc::PR_SET_SECCOMP, libc::SECCOMP_MODE_FILTER, &raw const filter) };
    if done < 0 { Err(io::Error::last_os_error()) } else { Ok(()) }
}

fn program(sockets: SocketRules) -> Vec<sock_filter> {
    let mut program = vec![load(ARCH), jump(libc::BPF_JEQ, ARCHITECTURE, 1, 0), answer(UNKNOWN), load(NUMBER)];
    if cfg!(target_arch = "x86_64") {
        program.extend([jump(libc::BPF_JGE, X32, 0, 1), answer(UNKNOWN)]);
    }
    for call in DENIED {
        program.extend(when(*call, vec![answer(DENY)]));
    }
    program.extend(when(libc::SYS_clone3, vec![answer(UNKNOWN)]));
    for (call, flags) in [(libc::SYS_clone, argument(0)), (libc::SYS_unshare, argument(0))] {
        let test = vec![load(flags), jump(libc::BPF_JSET, NAMESPACES, 0, 1), answer(DENY), answer(ALLOW)];
        program.extend(when(call, test));
    }
    program.extend(when(libc::SYS_ioctl, denied_values(argument(1), TERMINAL_INPUT)));
    program.extend(when(libc::SYS_socket, socket_test(sockets)));
    program.push(answer(ALLOW));
    program
}

/// Decides about `socket(2)` by its first argument, the family.
fn socket_test(sockets: SocketRules) -> Vec<sock_filter> {
    let (unix, inet, inet6) = (libc::AF_UNIX as u32, libc::AF_INET as u32, libc::AF_INET6 as u32);
    match sockets {
        SocketRules::Any => denied_values(argument(0), &[VSOCK]),
        SocketRules::NoUnix => denied_values(argument(0), &[VSOCK, unix]),
        SocketRules::NoInternet => denied_values(argument(0), &[VSOCK, inet, inet6, libc::AF_PACKET as u32]),
        SocketRules::OnlyPairs => vec![answer(DENY)],
    }
}

fn denied_values(offset: u32, values: &[u32]) -> Vec<sock_filter> {
    let mut test = vec![load(offset)];
    test.extend(values.iter().flat_map(|value| [jump(libc::BPF_JEQ, *value, 0, 1), answer(DENY)]));
    test.push(answer(ALLOW));
    test
}

/// Runs `test`, which always ends with an answer, if the call has this number.
fn when(call: c_long, test: Vec<sock_filter>) -> Vec<sock_filter> {
    let skip = u8::try_from(test.len()).unwrap_or(u8::MAX);
    let number = u32::try_from(call).unwrap_or(u32::MAX);
    [jump(libc::BPF_JEQ, number, 0, skip)].into_iter().chain(test).collect()
}

fn load(offset: u32) -> sock_filter {
    sock_filter { code: (libc::BPF_LD | libc::BPF_W | libc::BPF_ABS) as u16, jt: 0, jf: 0, k: offset }
}

fn jump(test: u32, value: u32, jt: u8, jf: u8) -> sock_filter {
    sock_filter { code: (libc::BPF_JMP | test | libc::BPF_K) as u16, jt, jf, k: value }
}

fn answer(answer: u32) -> sock_filter {
    sock_filter { code: (libc::BPF_RET | libc::BPF_K) as u16, jt: 0, jf: 0, k: answer }
}
