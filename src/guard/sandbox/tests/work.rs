//! Ordinary work goes on as without a sandbox.

use super::*;

fn assert_done(ran: &Ran) {
    assert!(ran.is_done(), "{}\n{ran:?}", ran.output);
}

fn is_installed(program: &str) -> bool {
    let found = std::env::split_paths(&std::env::var_os("PATH").unwrap()).any(|at| at.join(program).is_file());
    if !found {
        eprintln!("SKIPPED: {program} is not installed");
    }
    found
}

#[test]
fn git_commits_also_in_a_worktree() {
    with_each(|cage| {
        let commit = "git -c user.name=a -c user.email=a@b commit -qm";
        assert_done(
            &cage.run(&format!("git init -q . && echo a > a && git add a && {commit} one && git log --oneline")),
        );
        assert_done(
            &cage.run(&format!("echo b >> a && git add a && {commit} two && git checkout -qb side && git status")),
        );
        let git = |arguments: &[&str]| {
            let status = Command::new("git").args(arguments).current_dir(cage.path("app")).status().unwrap();
            assert!(status.success());
        };
        git(&["worktree", "add", "-q", "../tree"]);
        assert_done(&cage.run_in("tree", &format!("echo c > c && git add c && {commit} three && git log --oneline")));
        let ran = cage.run_in("tree", "echo evil > ../app/.git/hooks/post-commit");
        assert!(!cage.path("app/.git/hooks/post-commit").exists(), "{ran:?}");
    });
}

#[test]
fn cargo_builds_a_program() {
    with_each(|mut cage| {
        if !is_installed("cargo") {
            return;
        }
        for name in ["RUSTUP_HOME", "CARGO_HOME"] {
            let home = std::env::var_os("HOME").map(PathBuf::from).unwrap();
            let usual = home.join(if name == "CARGO_HOME" { ".cargo" } else { ".rustup" });
            cage.environment.push((name.into(), std::env::var_os(name).unwrap_or(usual.into())));
        }
        cage.write("app/Cargo.toml", "[package]\nname = \"one\"\nversion = \"0.1.0\"\nedition = \"2021\"\n");
        cage.write("app/src/main.rs", "fn main() { println!(\"built and run\"); }\n");
        let ran = cage.run("cargo run -q --offline");
        assert_done(&ran);
        assert!(ran.output.contains("built and run"), "{ran:?}");
    });
}

#[test]
fn python_uses_several_processes() {
    with_each(|cage| {
        if !is_installed("python3") {
            return;
        }
        cage.write(
            "app/many.py",
            "from multiprocessing import Pool, Lock\nimport tempfile\n\ndef twice(x): return 2 * x\n\nif __name__ == '__main__':\n    \
             Lock()\n    tempfile.mkdtemp()\n    print(sum(Pool(4).map(twice, range(100))))\n",
        );
        let ran = cage.run("python3 many.py");
        assert_done(&ran);
        assert_eq!(ran.output.trim(), "9900");
    });
}

#[test]
fn make_runs_jobs_at_the_same_time() {
    with_each(|cage| {
        if !is_installed("make") {
            return;
        }
        cage.write("app/Makefile", "all: a b c\na b c:\n\techo $@ > $@.out\n");
        assert_done(&cage.run("make -j4 && cat a.out b.out c.out"));
    });
}

#[test]
fn a_cache_can_be_written_but_not_its_neighbours() {
    with_each(|cage| {
        cage.write(".npm/_cacache/old", "");
        cage.write(".npm/bin/npm", "theirs");
        assert_done(&cage.run("echo package > ~/.npm/_cacache/new && cat ~/.npm/_cacache/new"));
        let ran = cage.run("echo evil > ~/.npm/bin/npm");
        assert_eq!(fs::read_to_string(cage.path(".npm/bin/npm")).unwrap(), "theirs", "{ran:?}");
    });
}

#[test]
fn npm_installs_from_a_directory() {
    with_each(|cage| {
        if !is_installed("npm") {
            return;
        }
        cage.write("app/dep/package.json", r#"{"name": "dep", "version": "1.0.0"}"#);
        cage.write("app/package.json", r#"{"name": "app", "version": "1.0.0", "dependencies": {"dep": "file:./dep"}}"#);
        assert_done(&cage.run("npm install --offline --no-audit --no-fund && ls node_modules/dep/package.json"));
    });
}

#[test]
fn programs_talk_to_themselves_without_network() {
    with_namespaces(|cage| {
        let cage = cage.offline();
        let program = "import socket,threading\ns=socket.create_server(('127.0.0.1',0))\n\
                       threading.Thread(target=lambda: s.accept()[0].sendall(b'hi')).start()\n\
                       print(socket.create_connection(s.getsockname()).recv(2).decode())";
        assert_done(&cage.run(&format!("python3 - <<'EOF'\n{program}\nEOF")));
    });
}

#[test]
fn a_script_may_signal_its_own_process_group() {
    with_namespaces(|cage| {
        let ran = cage.run("bash -c 'trap \"kill 0\" EXIT; trap : TERM; sleep 1000 & echo started'; echo after");
        assert!(ran.output.contains("started"), "{ran:?}");
        assert!(ran.report.end.is_some());
    });
}

#[test]
fn the_cost_of_a_sandbox_is_small() {
    with_each(|cage| {
        let cwd = cage.path("app");
        let time = |run: &dyn Fn()| {
            let began = std::time::Instant::now();
            run();
            began.elapsed()
        };
        let bare = || {
            Command::new("bash").args(["--noprofile", "--norc", "-c", "true"]).current_dir(&cwd).status().unwrap();
        };
        let confined = || assert_done(&cage.run("true"));
        // Other work on the machine only ever adds to a time.
        let [mut least, mut least_confined] = [std::time::Duration::MAX; 2];
        for _ in 0..15 {
            least = least.min(time(&bare));
            least_confined = least_confined.min(time(&confined));
        }
        eprintln!("{:?}: {least_confined:?} instead of {least:?}", cage.confinement.backend);
        // The calls that the sandbox adds are counted for the whole program; this catches a mistake of another order.
        assert!(least_confined < 40 * least, "{least_confined:?} instead of {least:?}");
    });
}
