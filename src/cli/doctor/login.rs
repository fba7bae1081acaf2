//! shellmate as the login shell: the entry in the password database and the line in /etc/shells.

use std::fs;
use std::os::unix::fs::MetadataExt;
use std::path::{Path, PathBuf};

use nix::unistd::{AccessFlags, User, access, geteuid};

use super::{DoctorFinding, Exam};

/// The programs that may be login shells, one a line.
const SHELLS: &str = "/etc/shells";

pub(super) fn check(exam: &Exam<'_>) -> Vec<DoctorFinding> {
    let shell = User::from_uid(geteuid()).ok().flatten().map(|user| user.shell).unwrap_or_default();
    // An empty field stands for it, and so does a user without an entry.
    let shell = if shell.as_os_str().is_empty() { PathBuf::from("/bin/sh") } else { shell };
    let listed = fs::read_to_string(SHELLS).unwrap_or_default();
    let us = exam.binary.clone().unwrap_or_else(|| "/usr/bin/shellmate".into());
    judge(&shell, &listed, &us)
}

/// Judges the login shell, the lines of /etc/shells and the path of this binary.
fn judge(shell: &Path, listed: &str, us: &Path) -> Vec<DoctorFinding> {
    let name = shell.display();
    let is_named_like_us = shell.file_name().is_some_and(|file| file == "shellmate");
    let is_ours = is_named_like_us || same_file(shell, us);
    let fallback = usable_shell(listed);
    if access(shell, AccessFlags::X_OK).is_err() {
        let finding = DoctorFinding::fail(format!(
            "your login shell {name} does not exist or cannot be executed: you cannot log in"
        ));
        let fix = match is_named_like_us && us.exists() {
            true => format!("`chsh -s {}`, or `chsh -s {}`", us.display(), fallback.display()),
            false => format!("`chsh -s {}`", fallback.display()),
        };
        return vec![finding.fix(fix).public("the login shell is missing")];
    }
    let is_listed = |path: &Path| {
        let lines = listed.lines().map(str::trim).filter(|line| line.starts_with('/'));
        lines.map(Path::new).any(|line| line == path || same_file(line, path))
    };
    vec![match (is_ours, is_listed(shell)) {
        (true, true) => {
            DoctorFinding::ok("shellmate is your login shell and in /etc/shells").public("the login shell, listed")
        }
        (true, false) => {
            let finding =
                DoctorFinding::fail("shellmate is your login shell but not in /etc/shells: chsh, su and ftp refuse it");
            finding.fix(format!("`echo {name} | sudo tee -a /etc/shells`")).public("the login shell, not listed")
        }
        (false, _) => {
            DoctorFinding::ok(format!("{name} is your login shell; `shellmate init` says how to change that"))
                .public("not the login shell")
        }
    }]
}

/// The first shell of the list that is there.
fn usable_shell(listed: &str) -> PathBuf {
    let lines = listed.lines().map(str::trim).filter(|line| line.starts_with('/'));
    let mut usable = lines.map(PathBuf::from).filter(|path| access(path, AccessFlags::X_OK).is_ok());
    let is_common = |path: &PathBuf| path.file_name().is_some_and(|name| name == "bash" || name == "zsh");
    usable.find(is_common).unwrap_or_else(|| "/bin/sh".into())
}

pub(in crate::cli) fn same_file(one: &Path, other: &Path) -> bool {
    let identity = |path: &Path| fs::metadata(path).ok().map(|found| (found.dev(), found.ino()));
    let (one, other) = (identity(one), identity(other));
    one.is_some() && one == other
}

#[cfg(test)]
mod tests {
    use super::super::Level;
    use super::*;

    fn judged(shell: &Path, listed: &str, us: &Path) -> (Level, String) {
        let finding = judge(shell, listed, us).remove(0);
        (finding.level, finding.fix.unwrap_or_default())
    }

    #[test]
    fn each_state_of_the_login_shell_is_told() {
        let temp = tempfile::tempdir().unwrap();
        let us = temp.path().join("shellmate");
        let gone = temp.path().join("old/shellmate");
        assert_eq!(judged(Path::new("/bin/sh"), "/bin/sh\n", &us).0, Level::Ok);
        let (level, fix) = judged(&gone, "/bin/sh\n/bin/bash\n", &us);
        assert_eq!((level, fix.as_str()), (Level::Fail, "`chsh -s /bin/bash`"));
        fs::copy("/bin/sh", &us).unwrap();
        let (level, fix) = judged(&gone, "/bin/sh\n", &us);
        assert_eq!((level, fix), (Level::Fail, format!("`chsh -s {}`, or `chsh -s /bin/sh`", us.display())));
        let (level, fix) = judged(&us, "# none\n", &us);
        assert_eq!((level, fix), (Level::Fail, format!("`echo {} | sudo tee -a /etc/shells`", us.display())));
        assert_eq!(judged(&us, &format!("{}\n", us.display()), &us).0, Level::Ok);
    }
}
