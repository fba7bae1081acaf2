//! Notices that a file of the configuration was saved, and reads the configuration again.
//!
//! A thread sleeps in the kernel until something happens to one of the files; it has no timer, so it costs nothing while nothing is
//! saved. It watches directories, not files: editors replace a file by another one of the same name. A directory that does not exist yet
//! is noticed by the one above it, and of a link the place that it leads to is watched too. Only Linux has this; elsewhere saved settings
//! count in new sessions and for questions.

use std::collections::BTreeMap;
use std::ffi::OsString;
use std::io;
use std::os::fd::AsFd;
use std::path::{Path, PathBuf};
use std::thread;
use std::time::Duration;

use nix::errno::Errno;
use nix::poll::{PollFd, PollFlags, PollTimeout, poll};
use nix::sys::inotify::{AddWatchFlags, InitFlags, Inotify, InotifyEvent, WatchDescriptor};

use crate::config::{ConfigReader, Paths};

use crate::session::errands::{Done, Reporter};
use crate::session::live::LiveSettings;

/// Enough for parsing a file and compiling patterns.
const STACK: usize = 1024 * 1024;

/// Some editors move a file away before they write it again. For so long a missing file is not taken for a deleted one.
const REPLACING: Duration = Duration::from_millis(300);

/// The names that matter in each directory.
type WatchedNames = BTreeMap<PathBuf, Vec<OsString>>;

/// Starts the thread. It lives as long as the process. `theme` is the file of the theme in use.
pub(in crate::session) fn start(mut reader: ConfigReader, theme: Option<PathBuf>, paths: Paths, report: Reporter) {
    let follow = move || {
        reader.depend_on(theme);
        let mut watch = ConfigWatch { reader, paths, report };
        if let Err(error) = watch.follow() {
            tracing::warn!(%error, "saved settings count only in new sessions and for questions");
        }
    };
    let started = thread::Builder::new().name("config".into()).stack_size(STACK).spawn(follow);
    if let Err(error) = started {
        tracing::warn!(%error, "saved settings count only in new sessions and for questions");
    }
}

struct ConfigWatch {
    reader: ConfigReader,
    paths: Paths,
    report: Reporter,
}

impl ConfigWatch {
    fn follow(&mut self) -> io::Result<()> {
        loop {
            let armed = ArmedWatch::new(self.reader.files())?;
            // Covers what was saved while nothing was watched.
            self.renew_if_changed();
            armed.wait()?;
            if self.reader.has_lost_a_file() {
                armed.wait_briefly();
            }
        }
    }

    fn renew_if_changed(&mut self) {
        if self.reader.has_changed() {
            let loaded = self.reader.read();
            self.reader.depend_on(loaded.config.theme_file(&self.paths));
            self.report.report(Done::Settings(Box::new(LiveSettings::of(&loaded, &self.paths))));
        }
    }
}

/// Directories that the kernel reports changes of.
struct ArmedWatch {
    changes: Inotify,
    names: Vec<(WatchDescriptor, Vec<OsString>)>,
}

impl ArmedWatch {
    /// Watches for changes of these files.
    fn new<'a>(files: impl Iterator<Item = &'a Path>) -> io::Result<ArmedWatch> {
        let files: Vec<&Path> = files.collect();
        loop {
            let changes = Inotify::init(InitFlags::IN_CLOEXEC)?;
            let wanted = watched(&files);
            let mut names = Vec::new();
            for (directory, names_in_it) in &wanted {
                // A directory that is gone again is not in the next round's list.
                if let Ok(watch) = changes.add_watch(directory, kinds()) {
                    names.push((watch, names_in_it.clone()));
                }
            }
            if watched(&files) == wanted {
                return Ok(ArmedWatch { changes, names });
            }
        }
    }

    /// Sleeps until one of the files may have changed.
    fn wait(&self) -> io::Result<()> {
        loop {
            match self.changes.read_events() {
                Ok(events) if events.iter().any(|event| self.is_ours(event)) => return Ok(()),
                Ok(_) | Err(Errno::EINTR) => {}
                Err(error) => return Err(error.into()),
            }
        }
    }

    /// Waits for the rest of a change that has begun.
    fn wait_briefly(&self) {
        let patience = PollTimeout::try_from(REPLACING).unwrap_or(PollTimeout::MAX);
        let _ = poll(&mut [PollFd::new(self.changes.as_fd(), PollFlags::POLLIN)], patience);
    }

    fn is_ours(&self, event: &InotifyEvent) -> bool {
        let about_the_directory = AddWatchFlags::IN_Q_OVERFLOW
            | AddWatchFlags::IN_IGNORED
            | AddWatchFlags::IN_DELETE_SELF
            | AddWatchFlags::IN_MOVE_SELF;
        let names = self.names.iter().find(|(watch, _)| *watch == event.wd).map(|(_, names)| names);
        let is_named = || names.zip(event.name.as_ref()).is_some_and(|(names, name)| names.contains(name));
        event.mask.intersects(about_the_directory) || is_named()
    }
}

/// The changes that matter. A file that is being written does not, until it is closed.
fn kinds() -> AddWatchFlags {
    AddWatchFlags::IN_CLOSE_WRITE
        | AddWatchFlags::IN_CREATE
        | AddWatchFlags::IN_DELETE
        | AddWatchFlags::IN_MOVE
        | AddWatchFlags::IN_ATTRIB
        | AddWatchFlags::IN_DELETE_SELF
        | AddWatchFlags::IN_MOVE_SELF
}

/// For each file the deepest directory of its path that exists, and the name in it that leads to the file. For a link, also its target.
fn watched(files: &[&Path]) -> WatchedNames {
    let mut wanted = WatchedNames::new();
    for file in files {
        let target = file.canonicalize().ok().filter(|target| target != file);
        for path in target.iter().map(PathBuf::as_path).chain([*file]) {
            let steps = path.ancestors().zip(path.ancestors().skip(1));
            if let Some((step, directory)) = steps.into_iter().find(|(_, directory)| directory.is_dir()) {
                let names = wanted.entry(directory.to_owned()).or_default();
                names.extend(step.file_name().map(OsString::from));
            }
        }
    }
    wanted
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::config::Layer;
    use crate::session::errands::Errands;
    use std::fs;
    use std::os::unix::fs::symlink;

    struct Following {
        errands: Errands,
        file: PathBuf,
        _temp: tempfile::TempDir,
    }

    impl Following {
        fn new(prepare: impl FnOnce(&Path) -> PathBuf) -> Following {
            let temp = tempfile::tempdir().unwrap();
            let file = prepare(temp.path());
            let home = temp.path().as_os_str().to_owned();
            let paths = Paths::from_env(|name| (name == "HOME").then(|| home.clone()), 0, None);
            let mut reader = ConfigReader::new([(Layer::User, file.clone())]);
            reader.read();
            let errands = Errands::new().unwrap();
            start(reader, None, paths, errands.reporter());
            Following { errands, file, _temp: temp }
        }

        /// Waits until the settings say whether hints are wanted. Saves the file again and again, because the thread may not watch yet.
        fn waits_for(&self, hint: bool, save: impl Fn(&Path)) {
            for _ in 0..600 {
                save(&self.file);
                let mut waited = [PollFd::new(self.errands.as_fd(), PollFlags::POLLIN)];
                poll(&mut waited, 100_u16).unwrap();
                let is_it = |done: &Done| matches!(done, Done::Settings(settings) if settings.hint == hint);
                if self.errands.take().iter().any(is_it) {
                    return;
                }
            }
            panic!("the change was not noticed");
        }
    }

    fn text(hint: bool) -> String {
        format!("hint = {hint}\n")
    }

    #[test]
    fn a_file_that_is_written_replaced_or_deleted_is_noticed() {
        let following = Following::new(|dir| dir.join("config.toml"));
        following.waits_for(true, |file| fs::write(file, text(true)).unwrap());
        following.waits_for(false, |file| {
            let fresh = file.with_extension("new");
            fs::write(&fresh, text(false)).unwrap();
            fs::rename(&fresh, file).unwrap();
        });
        following.waits_for(true, |file| fs::write(file, text(true)).unwrap());
        following.waits_for(false, |file| drop(fs::remove_file(file)));
    }

    #[test]
    fn a_directory_that_is_made_later_is_noticed() {
        let following = Following::new(|dir| dir.join(".config/shellmate/config.toml"));
        following.waits_for(true, |file| {
            fs::create_dir_all(file.parent().unwrap()).unwrap();
            fs::write(file, text(true)).unwrap();
        });
        following.waits_for(false, |file| drop(fs::remove_dir_all(file.parent().unwrap().parent().unwrap())));
    }

    #[test]
    fn the_target_of_a_link_is_watched() {
        let following = Following::new(|dir| {
            fs::create_dir_all(dir.join("dotfiles")).unwrap();
            fs::write(dir.join("dotfiles/mine.toml"), "").unwrap();
            symlink(dir.join("dotfiles/mine.toml"), dir.join("config.toml")).unwrap();
            dir.join("config.toml")
        });
        following
            .waits_for(true, |file| fs::write(file.parent().unwrap().join("dotfiles/mine.toml"), text(true)).unwrap());
    }
}
