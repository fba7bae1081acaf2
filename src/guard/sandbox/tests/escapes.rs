//! Attempts to get out, judged by their effects.

use std::os::linux::net::SocketAddrExt;
use std::os::unix::net::{SocketAddr, UnixListener};

use super::*;
use crate::guard::sandbox::{SandboxChange, SandboxException, SandboxLevel};

/// A Python program that connects to a socket and says so.
const CONNECT: &str =
    "import socket,sys\ns=socket.socket(socket.AF_UNIX)\ns.connect(sys.argv[1].replace('@','\\0'))\nprint('connected')";

#[test]
fn nothing_outside_the_project_can_be_written() {
    with_each(|cage| {
        let other = cage.write("other/file", "theirs");
        let home = cage.home.display().to_string();
        let ran = cage.run(&format!(
            "echo evil > {home}/other/file; echo evil > {home}/new; mkdir {home}/dir; rm {home}/other/file; \
             mv {home}/other {home}/gone; ln {home}/other/file hard; echo evil > hard; \
             ln -s {home}/other/file soft; echo evil > soft; echo fine > mine; true"
        ));
        assert!(ran.is_done(), "{ran:?}");
        assert_eq!(fs::read_to_string(&other).unwrap(), "theirs", "{ran:?}");
        for path in ["new", "dir", "gone"] {
            assert!(!cage.path(path).exists(), "{path} {ran:?}");
        }
        assert_eq!(fs::read_to_string(cage.path("app/mine")).unwrap(), "fine\n");
    });
}

#[test]
fn hooks_and_settings_of_git_cannot_be_changed() {
    with_each(|cage| {
        let hook = cage.write("app/.git/hooks/pre-commit", "theirs");
        let config = cage.write("app/.git/config", "[core]\n\tbare = false\n");
        cage.write("app/.git/HEAD", "ref: refs/heads/main\n");
        let tries = "echo evil > .git/hooks/pre-commit; echo evil > .git/hooks/post-commit; echo evil >> .git/config; \
                     rm -rf .git/hooks .git/config; mv .git moved; mkdir -p .git/hooks; echo evil > .git/hooks/post-commit; \
                     echo new > .git/index; true";
        let ran = cage.run(tries);
        assert_eq!(fs::read_to_string(&hook).unwrap(), "theirs", "{ran:?}");
        assert_eq!(fs::read_to_string(&config).unwrap(), "[core]\n\tbare = false\n", "{ran:?}");
        assert!(!cage.path("app/.git/hooks/post-commit").exists(), "{ran:?}");
        assert!(cage.path("app/.git/index").exists(), "commits must work: {ran:?}");
    });
}

#[test]
fn hooks_of_a_new_repository_are_removed_and_plain_settings_stay() {
    with_each(|cage| {
        let ran = cage.run("git init -q . && printf '#!/bin/sh\\n' > .git/hooks/pre-commit && echo 'use x' > .envrc");
        assert!(ran.is_done(), "{ran:?}");
        assert!(!cage.path("app/.git/hooks/pre-commit").exists() && !cage.path("app/.envrc").exists(), "{ran:?}");
        assert!(cage.path("app/.git/config").exists());
        assert_eq!(ran.settled.len(), 2, "{ran:?}");
    });
}

#[test]
fn credentials_and_own_directories_are_not_there() {
    with_each(|mut cage| {
        cage.write(".ssh/id_ed25519", "KEY MATERIAL");
        cage.write(".netrc", "KEY MATERIAL");
        cage.write("state/shellmate/keys.json", "KEY MATERIAL");
        cage.confinement.own = vec![cage.path("state/shellmate")];
        let ran =
            cage.run("cat ~/.ssh/* ~/.netrc ../state/shellmate/* ../.ssh/id_ed25519; cp -r ~/.ssh ssh; cat ssh/*");
        assert!(!ran.output.contains("KEY MATERIAL"), "{ran:?}");
        let ran = cage.run("touch ~/.ssh/authorized_keys ~/.ssh/new");
        assert!(!ran.is_done() && !cage.path(".ssh/authorized_keys").exists(), "{ran:?}");
    });
}

#[test]
fn sockets_of_agents_cannot_be_reached() {
    with_each(|mut cage| {
        let outside = tempfile::Builder::new().prefix("agent-").tempdir_in("/tmp").unwrap();
        let (agent, in_home) = (outside.path().join("agent.1"), cage.path("docker.sock"));
        let _listening = [&agent, &in_home].map(|path| UnixListener::bind(path).unwrap());
        cage.environment.push(("SSH_AUTH_SOCK".into(), agent.clone().into()));
        cage.environment.push(("DOCKER_HOST".into(), format!("unix://{}", in_home.display()).into()));
        for path in [&agent, &in_home] {
            let ran = cage.run(&format!("python3 -c \"{CONNECT}\" {}", path.display()));
            assert!(ran.output.contains("Error") && !ran.output.contains("connected"), "{ran:?}");
        }
    });
}

#[test]
fn abstract_sockets_cannot_be_reached() {
    with_each(|cage| {
        let name = format!("shellmate-test-{}-{:?}", std::process::id(), cage.confinement.backend);
        let address = SocketAddr::from_abstract_name(&name).unwrap();
        let _listening = UnixListener::bind_addr(&address).unwrap();
        let ran = cage.run(&format!("python3 -c \"{CONNECT}\" '@{name}'"));
        assert!(ran.output.contains("Error") && !ran.output.contains("connected"), "{ran:?}");
        let cage = cage.offline();
        let ran = cage.run(&format!("python3 -c \"{CONNECT}\" '@{name}'"));
        assert!(ran.output.contains("Error") && !ran.output.contains("connected"), "{ran:?}");
    });
}

#[test]
fn other_processes_cannot_be_seen_or_touched() {
    with_each(|cage| {
        let mut victim = Command::new("sleep").arg("1000").env("SECRET_OF_ANOTHER", "KEY-MATERIAL").spawn().unwrap();
        let (pid, parent) = (victim.id(), std::process::id());
        let ran = cage.run(&format!(
            "cat /proc/{pid}/environ /proc/{parent}/environ /proc/$PPID/environ /proc/1/environ | tr '\\0' '\\n'; \
             kill -9 {pid}; kill -9 {parent}; ls -l /proc/{parent}/fd /proc/1/fd; \
             python3 -c 'import ctypes; print(\"traced\", ctypes.CDLL(None, use_errno=True).ptrace(16, {pid}, 0, 0))'"
        ));
        assert!(!ran.output.contains("KEY-MATERIAL") && !ran.output.contains("traced 0"), "{ran:?}");
        assert!(victim.try_wait().unwrap().is_none(), "it was killed: {ran:?}");
        victim.kill().unwrap();
        victim.wait().unwrap();
    });
}

#[test]
fn without_network_nothing_is_reached() {
    let server = std::net::TcpListener::bind("127.0.0.1:0").unwrap();
    let port = server.local_addr().unwrap().port();
    let connect = format!("(exec 3<>/dev/tcp/127.0.0.1/{port}) && echo connected");
    with_each(|cage| {
        assert!(cage.run(&connect).output.contains("connected"));
        let cage = cage.offline();
        let ran = cage.run(&connect);
        assert!(!ran.output.contains("connected"), "{ran:?}");
        let ran = cage
            .run("(exec 3<>/dev/udp/127.0.0.1/53 && echo x >&3) && cat /proc/net/route /proc/net/dev | grep -v lo:");
        assert!(!ran.output.contains("eth"), "{ran:?}");
    });
}

#[test]
fn daemons_end_with_the_command() {
    with_each(|cage| {
        let mark = format!("1{}.5", std::process::id());
        let ran =
            cage.run(&format!("setsid -f sleep {mark} >/dev/null 2>&1; (sleep {mark} & disown) >/dev/null 2>&1; true"));
        assert!(ran.is_done() && ran.report.ended_others, "{ran:?}");
        let is_left = |entry: &fs::DirEntry| {
            let line = fs::read_to_string(entry.path().join("cmdline")).unwrap_or_default();
            line.contains(&mark) && line.starts_with("sleep")
        };
        let left: Vec<PathBuf> =
            fs::read_dir("/proc").unwrap().flatten().filter(is_left).map(|entry| entry.path()).collect();
        assert!(left.is_empty(), "{left:?} {ran:?}");
    });
}

#[test]
fn mounts_and_namespaces_cannot_be_changed() {
    with_each(|cage| {
        cage.write(".ssh/id_ed25519", "KEY MATERIAL");
        let ran = cage.run(
            "umount -l ~/.ssh; umount /tmp; mount -o remount,rw / ; mount --bind / /mnt; \
             unshare -Ur true && echo in; unshare -m true && echo in; chroot / true && echo in; \
             nsenter -t 1 -m true && echo in; cat ~/.ssh/id_ed25519",
        );
        assert!(!ran.output.lines().any(|line| line == "in") && !ran.output.contains("KEY MATERIAL"), "{ran:?}");
    });
}

#[test]
fn settings_of_the_kernel_cannot_be_changed() {
    with_each(|cage| {
        // Opening is enough to see. Nothing is written, because a failing test would change this machine.
        let ran = cage.run(
            "for f in /proc/sys/kernel/hostname /proc/sys/kernel/core_pattern /proc/sys/vm/drop_caches /proc/sysrq-trigger \
             /sys/kernel/uevent_helper /sys/power/state; do (: >> $f) && echo opened $f; done",
        );
        assert!(!ran.output.contains("opened"), "{ran:?}");
    });
}

#[test]
fn keys_cannot_be_put_into_a_terminal() {
    with_each(|cage| {
        let program = "import fcntl,os,termios,pty\nm,s=pty.openpty()\nos.setsid() if os.getsid(0)!=os.getpid() else None\n\
                       try: fcntl.ioctl(s,termios.TIOCSTI,b'x'); print('typed')\nexcept OSError as e: print('denied',e.errno)";
        let ran = cage.run(&format!("python3 - <<'EOF'\n{program}\nEOF"));
        assert!(!ran.output.contains("typed"), "{ran:?}");
    });
}

#[test]
fn descriptors_of_the_session_are_closed() {
    with_each(|cage| {
        let ran = cage.run("exec ls -l /proc/self/fd");
        let numbers =
            ran.output.lines().filter_map(|line| line.split(" -> ").next()?.split(' ').next_back()?.parse().ok());
        // ls itself opens the directory as 3.
        assert!(numbers.into_iter().all(|number: u32| number <= 3), "{ran:?}");
        assert!(ran.output.contains("3 -> /proc/") && !ran.output.contains("memfd"), "{ran:?}");
    });
}

#[test]
fn a_command_has_no_capabilities() {
    with_each(|cage| {
        let ran = cage.run("grep -E '^(CapPrm|CapEff|CapBnd|NoNewPrivs|Seccomp):' /proc/self/status");
        let words: Vec<&str> = ran.output.split_whitespace().collect();
        assert_eq!(words[1], "0000000000000000", "{ran:?}");
        assert_eq!(words[3], "0000000000000000", "{ran:?}");
        assert!(ran.output.contains("NoNewPrivs:\t1") && ran.output.contains("Seccomp:\t2"), "{ran:?}");
    });
}

#[test]
fn the_home_directory_is_no_project() {
    with_each(|cage| {
        let ran = cage.run_in("", "echo evil > new; echo evil > .bashrc; echo fine > $TMPDIR/x && cat $TMPDIR/x");
        assert!(ran.output.contains("fine") && !cage.path("new").exists() && !cage.path(".bashrc").exists(), "{ran:?}");
    });
}

#[test]
fn read_only_writes_only_the_temporary_directory() {
    with_each(|mut cage| {
        cage.confinement.level = SandboxLevel::ReadOnly;
        let ran = cage.run("echo x > file; echo fine > $TMPDIR/x && cat $TMPDIR/x");
        assert!(ran.output.contains("fine") && !cage.path("app/file").exists(), "{ran:?}");
    });
}

#[test]
fn an_exception_opens_one_path_and_no_hidden_one() {
    with_each(|mut cage| {
        cage.write(".ssh/config", "");
        fs::create_dir(cage.path("out")).unwrap();
        let plain = cage.confinement.clone();
        let write = |path| SandboxException { change: SandboxChange::Write(path), justification: "test".into() };
        cage.confinement = plain.clone().with(Some(&write(cage.path("out"))));
        let ran = cage.run("echo x > ../out/file; echo x > ../other");
        assert!(cage.path("out/file").exists() && !cage.path("other").exists(), "{ran:?}");
        let hidden = plain.with(Some(&write(cage.path(".ssh/config"))));
        let cwd = cage.path("app");
        let request = CommandRequest { command: "true", cwd: &cwd, environment: &cage.environment };
        assert!(hidden.command(request).unwrap_err().to_string().contains("hidden"));
    });
}

#[test]
fn a_git_file_that_names_another_directory_opens_nothing() {
    with_each(|cage| {
        cage.write("victim/HEAD", "ref");
        cage.write("app/.git", "gitdir: ../victim\n");
        let ran = cage.run("echo evil > ../victim/file");
        assert!(!cage.path("victim/file").exists(), "{ran:?}");
    });
}

#[test]
fn the_shared_temporary_directories_are_replaced() {
    with_namespaces(|cage| {
        let outside = tempfile::NamedTempFile::new_in("/tmp").unwrap();
        let ran = cage.run(&format!(
            "ls {} 2>&1; echo kept > /tmp/mine; cat /var/tmp/mine $TMPDIR/mine; ls /run/user /run/docker.sock",
            outside.path().display()
        ));
        assert!(ran.output.contains("kept\nkept") && ran.output.contains("No such file"), "{ran:?}");
        assert!(!Path::new("/tmp/mine").exists());
        assert!(cage.run("cat /tmp/mine").output.contains("kept"), "the next command finds it");
    });
}
