//! The packages: their files, their scripts, and what users of an installed binary see.
//!
//! `tests/package` makes real packages and installs them in a clean system; it calls the ignored tests here. The others need no build.

use std::fs;
use std::os::unix::fs::PermissionsExt;
use std::path::{Path, PathBuf};
use std::process::{Command, Output};

use crate::harness::{Builder, Model, PROGRAM, Reply, Shell, Term, available};

/// A file of `docs/packaging`.
fn packaging(name: &str) -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("docs/packaging").join(name)
}

fn read(path: impl AsRef<Path>) -> String {
    fs::read_to_string(path.as_ref()).unwrap_or_else(|error| panic!("{}: {error}", path.as_ref().display()))
}

#[track_caller]
fn succeeds(command: &mut Command) -> String {
    let output = command.output().unwrap();
    assert!(output.status.success(), "{command:?}: {}", String::from_utf8_lossy(&output.stderr));
    String::from_utf8(output.stdout).unwrap()
}

fn script(path: &Path, text: &str) {
    fs::write(path, text).unwrap();
    fs::set_permissions(path, fs::Permissions::from_mode(0o755)).unwrap();
}

#[test]
fn the_scripts_of_packages_have_no_mistakes_that_checkers_know() {
    let of_sh = ["stage", "make-deb", "make-tarball", "debian/postinst", "debian/prerm", "debian/postrm"];
    for name in of_sh {
        succeeds(Command::new("sh").arg("-n").arg(packaging(name)));
    }
    for name in ["PKGBUILD", "shellmate.install", "../../tests/package"] {
        succeeds(Command::new("bash").arg("-n").arg(packaging(name)));
    }
    if available("shellcheck") {
        let files = of_sh.into_iter().chain(["shellmate.install", "../../tests/package"]).map(packaging);
        succeeds(Command::new("shellcheck").args(files));
        succeeds(Command::new("shellcheck").arg("--shell=bash").arg(packaging("PKGBUILD")));
    }
    if Path::new("/usr/bin/ruby").exists() {
        succeeds(Command::new("ruby").arg("-c").arg(packaging("shellmate.rb")));
    }
}

#[test]
fn placeholders_for_a_release_are_marked_and_versions_agree() {
    let (formula, build) = (read(packaging("shellmate.rb")), read(packaging("PKGBUILD")));
    for line in formula.lines().chain(build.lines()) {
        let is_placeholder = line.contains("example.invalid") || line.contains("00000000");
        assert!(!is_placeholder || line.ends_with("# FILLED BY A RELEASE"), "{line}");
    }
    assert!(formula.contains(concat!("shellmate-", env!("CARGO_PKG_VERSION"), ".tar.gz")));
    assert!(build.contains(concat!("\npkgver=", env!("CARGO_PKG_VERSION"), "\n")));
}

#[test]
fn staged_files_are_in_their_places_and_programs_can_read_them() {
    let place = tempfile::tempdir().unwrap();
    let root = place.path().join("usr");
    succeeds(Command::new(packaging("stage")).arg(PROGRAM).arg(&root));
    assert_eq!(fs::metadata(root.join("bin/shellmate")).unwrap().permissions().mode() & 0o777, 0o755);
    assert!(read(root.join("share/man/man1/shellmate.1")).contains("\n.TH shellmate 1"));
    assert!(read(root.join("share/doc/shellmate/LICENSE")).starts_with("MIT License"));
    assert!(read(root.join("share/doc/shellmate/changelog")).starts_with("# Changelog"));
    let completions = [
        (Shell::Bash, "share/bash-completion/completions/shellmate"),
        (Shell::Zsh, "share/zsh/site-functions/_shellmate"),
        (Shell::Fish, "share/fish/vendor_completions.d/shellmate.fish"),
    ];
    for (shell, file) in completions {
        if shell.available() {
            succeeds(Command::new(shell.path()).arg("-n").arg(root.join(file)));
        }
    }
    if Path::new("/usr/bin/mandoc").exists() {
        succeeds(
            Command::new("mandoc").args(["-T", "lint", "-W", "error"]).arg(root.join("share/man/man1/shellmate.1")),
        );
    }
}

#[test]
fn a_debian_package_has_its_fields_and_is_the_same_each_time() {
    if !available("dpkg-deb") {
        return;
    }
    let place = tempfile::tempdir().unwrap();
    // A small program takes the place of the binary, which takes long to compress.
    let stand_in = place.path().join("binary");
    script(&stand_in, "#!/bin/sh\necho \"$@\"\n");
    let make = |name: &str| {
        let file = place.path().join(name);
        succeeds(Command::new(packaging("make-deb")).arg(&stand_in).arg(&file).env("SOURCE_DATE_EPOCH", "1700000000"));
        file
    };
    let package = make("a.deb");
    assert_eq!(fs::read(&package).unwrap(), fs::read(make("b.deb")).unwrap());
    let field = |name: &str| succeeds(Command::new("dpkg-deb").arg("--field").arg(&package).arg(name));
    assert_eq!(field("Package"), "shellmate\n");
    assert_eq!(field("Version"), concat!(env!("CARGO_PKG_VERSION"), "-1\n"));
    assert!(
        !succeeds(Command::new("dpkg-deb").arg("--field").arg(&package)).contains('@'.to_string().repeat(2).as_str())
    );
    let list = succeeds(Command::new("dpkg-deb").arg("--contents").arg(&package));
    for path in [
        "-rwxr-xr-x root/root",
        "./usr/bin/shellmate\n",
        "./usr/share/bash-completion/completions/shellmate\n",
        "./usr/share/doc/shellmate/changelog.Debian.gz\n",
        "./usr/share/doc/shellmate/changelog.gz\n",
        "./usr/share/doc/shellmate/copyright\n",
        "./usr/share/fish/vendor_completions.d/shellmate.fish\n",
        "./usr/share/man/man1/shellmate.1.gz\n",
        "./usr/share/zsh/vendor-completions/_shellmate\n",
    ] {
        assert!(list.contains(path), "{path} is not in\n{list}");
    }
}

/// Names of calls that other systems do not have.
const LINUX_ONLY: [&str; 9] = [
    "inotify::",
    "fallocate(",
    "memfd_create(",
    "malloc_trim(",
    "nix::sched::",
    "nix::mount::",
    "SYS_",
    "prctl::",
    "O_PATH",
];

#[test]
fn calls_that_only_linux_has_are_behind_a_condition() {
    let source = Path::new(env!("CARGO_MANIFEST_DIR")).join("src");
    let mut waiting = vec![source.clone()];
    let mut wrong = Vec::new();
    while let Some(path) = waiting.pop() {
        if is_left_out(&path) || path.ends_with("tests") || path.ends_with("tests.rs") {
            continue;
        }
        if path.is_dir() {
            waiting.extend(fs::read_dir(&path).unwrap().map(|entry| entry.unwrap().path()));
            continue;
        }
        let text = read(&path);
        let code = text.lines().filter(|line| !line.trim_start().starts_with("//")).collect::<Vec<_>>().join("\n");
        let used = LINUX_ONLY.iter().find(|name| code.contains(**name));
        let is_conditional =
            ["cfg(target_os = \"linux\")", "cfg(target_env = \"gnu\")"].iter().any(|cfg| code.contains(cfg));
        if let Some(name) = used.filter(|_| !is_conditional) {
            wrong.push(format!("{}: {name}", path.strip_prefix(&source).unwrap().display()));
        }
    }
    assert!(wrong.is_empty(), "{wrong:#?}");
}

/// Whether the module around a file or directory leaves it out on other systems.
fn is_left_out(path: &Path) -> bool {
    let name = path.file_stem().unwrap().to_string_lossy();
    let module = fs::read_to_string(path.with_file_name("mod.rs")).unwrap_or_default();
    module.contains(&format!("#[cfg(target_os = \"linux\")]\nmod {name};"))
}

/// Runs the script that dpkg runs before it removes the package, on a system with these users.
fn remove(passwd: &str, arguments: &[&str], variable: Option<&str>) -> Output {
    let place = tempfile::tempdir().unwrap();
    fs::write(place.path().join("passwd"), passwd).unwrap();
    script(&place.path().join("getent"), "#!/bin/sh\n[ \"$1\" = passwd ] && cat \"$(dirname \"$0\")/passwd\"\n");
    let path = format!("{}:/usr/bin:/bin", place.path().display());
    let mut command = Command::new(packaging("debian/prerm"));
    command.args(arguments).env_clear().env("PATH", path).envs(variable.map(|value| ("SHELLMATE_REMOVE", value)));
    command.output().unwrap()
}

const USERS: &str = "root:x:0:0:root:/root:/bin/bash\n\
    daemon:x:1:1::/:\n\
    ann:x:1000:1000:Ann,,,:/home/ann:/usr/bin/shellmate\n\
    bob:x:1001:1001::/home/bob:/usr/bin/../bin/shellmate\n\
    eve:x:1002:1002::/home/eve:/opt/shellmate\n";

#[test]
fn a_login_shell_is_not_removed_without_saying_so() {
    let refused = remove(USERS, &["remove"], None);
    let said = String::from_utf8(refused.stderr).unwrap();
    assert_eq!(refused.status.code(), Some(1), "{said}");
    assert!(said.contains("login shell of:\n    ann\n    bob\n"), "{said}");
    assert!(said.contains("\n    chsh -s /bin/bash ann\n    chsh -s /bin/bash bob\n"), "{said}");
    assert!(said.contains("SHELLMATE_REMOVE=force") && !said.contains("    eve"), "{said}");
    let forced = remove(USERS, &["remove"], Some("force"));
    let said = String::from_utf8(forced.stderr).unwrap();
    assert!(forced.status.success() && said.contains("cannot log in") && said.contains("ann"), "{said}");
}

#[test]
fn an_upgrade_is_never_refused_and_nor_is_a_shell_that_nobody_uses() {
    let others = "root:x:0:0:root:/root:/bin/bash\n";
    for (users, arguments) in
        [(USERS, &["upgrade", "0.2.0-1"][..]), (USERS, &["failed-upgrade", "0.0.9-1"]), (others, &["remove"])]
    {
        let output = remove(users, arguments, None);
        assert!(output.status.success() && output.stderr.is_empty(), "{arguments:?} {output:?}");
    }
}

/// A program of the clean system that `tests/package` has made.
fn in_the_clean_system(program: &[&str]) -> Builder {
    let root = std::env::var("SHELLMATE_CLEAN_SYSTEM").expect("tests/package calls this test");
    Term::new(Shell::Bash).program("/usr/sbin/chroot").args([root.as_str()]).args(program.iter().copied())
}

#[test]
#[ignore = "tests/package runs it"]
fn an_installed_binary_hosts_a_shell_and_answers() {
    let program = std::env::var("SHELLMATE_INSTALLED").expect("tests/package calls this test");
    let model = Model::start([Reply::text(["It exited with ", "status 1."])]);
    let mut term = in_the_clean_system(&[&program, "--shell", "/bin/bash"])
        // By name, so that it must be resolved.
        .env("OPENAI_BASE_URL", model.url().replace("127.0.0.1", "localhost"))
        .env("SHELLMATE_MODEL", "scripted")
        .start();
    term.wait_for_prompt();
    term.run("false");
    term.typed("> why did that fail\r");
    term.wait_for("It exited with status 1.");
    term.wait_for_prompt();
    assert!(model.request().said(0).contains("false"));
    term.exit();
    // Without HOME the home directory is that of the user database.
    let output = in_the_clean_system(&["env", "-i", &program, "config", "path"]).command().output().unwrap();
    let paths = String::from_utf8_lossy(&output.stdout);
    assert!(paths.contains("/root/.config/shellmate/config.toml"), "{output:?}");
}

#[test]
#[ignore = "tests/package runs it"]
fn a_user_logs_in_with_the_installed_shell() {
    let program = std::env::var("SHELLMATE_INSTALLED").expect("tests/package calls this test");
    let login = ["su", "-", "ann", "-s", &program];
    let mut term = in_the_clean_system(&login).start();
    term.wait_for("ann@");
    term.typed("echo version=$SHELLMATE shell=$0\r");
    term.wait_for(concat!("\nversion=", env!("CARGO_PKG_VERSION"), " shell=-bash\n"));
    term.typed("exit\r");
    assert!(term.wait_exit().success());
    let output = in_the_clean_system(&login).args(["-c", "echo one; exit 7"]).command().output().unwrap();
    assert_eq!((String::from_utf8_lossy(&output.stdout).as_ref(), output.status.code()), ("one\n", Some(7)));
}
