//! Who uses the session, on which machine and in which shell, and how they want it to look.

use std::cell::{LazyCell, OnceCell};
use std::path::{Path, PathBuf};

use nix::unistd::{Uid, User};

use crate::config;
use crate::host::Kind;
use crate::input::{Editing, History};
use crate::render::{self, Options, Theme, Wrapping};

/// What does not change while the session runs.
pub(super) struct Profile {
    pub(super) shell: Kind,
    pub(super) host: String,
    /// Looked up when it is first needed: the answer may be a network away.
    user: LazyCell<String>,
    pub(super) editing: Editing,
    /// Where queries are kept.
    history: Option<PathBuf>,
    /// The default until it is asked for: reading it takes memory that a tab without questions does not need.
    theme: OnceCell<Theme>,
    /// Who breaks lines of prose.
    wrap: Wrapping,
}

impl Profile {
    pub(super) fn new(
        shell: Kind,
        host: String,
        editing: Editing,
        history: Option<PathBuf>,
        wrap: Wrapping,
    ) -> Profile {
        let user: LazyCell<String> = LazyCell::new(|| {
            let user = User::from_uid(Uid::effective()).ok().flatten();
            user.map(|user| user.name).unwrap_or_default()
        });
        Profile { shell, host, user, editing, history, theme: OnceCell::new(), wrap }
    }

    pub(super) fn with_theme(self, theme: Theme) -> Profile {
        Profile { theme: OnceCell::from(theme), ..self }
    }

    pub(super) fn user(&self) -> &str {
        &self.user
    }

    /// How to paint on a terminal of this size.
    pub(super) fn options(&self, size: render::Size) -> Options {
        let variable = |name: &str| std::env::var(name).unwrap_or_default();
        let theme = *self.theme.get_or_init(Theme::default);
        Options::of_terminal(size, theme, self.wrap, variable)
    }

    /// Opens the history of queries.
    pub(super) fn open_history(&self) -> History {
        // The history of commands makes the same directory, but perhaps later.
        if let Some(Err(error)) = self.history.as_deref().and_then(Path::parent).map(config::private_dir) {
            tracing::warn!(%error, "queries are not kept");
        }
        History::open(self.history.clone())
    }
}

#[cfg(test)]
mod tests {
    use std::os::unix::fs::PermissionsExt;

    use super::*;

    fn profile(history: Option<PathBuf>) -> Profile {
        Profile::new(Kind::Zsh, "box".into(), Editing::Vi, history, Wrapping::default())
    }

    #[test]
    fn the_history_of_queries_is_made_in_a_private_directory() {
        let place = tempfile::tempdir().unwrap();
        let path = place.path().join("state/queries");
        let mut history = profile(Some(path.clone())).open_history();
        history.add("why");
        let mode = std::fs::metadata(path.parent().unwrap()).unwrap().permissions().mode();
        assert_eq!(mode & 0o777, 0o700);
        assert_eq!(profile(Some(path)).open_history().len(), 1);
    }

    #[test]
    fn without_a_place_for_it_there_is_no_history() {
        let mut history = profile(None).open_history();
        history.add("why");
        assert_eq!(profile(None).open_history().len(), 0);
    }

    #[test]
    fn options_have_the_size_of_the_terminal() {
        let options = profile(None).options(render::Size { columns: 100, rows: 40 });
        assert_eq!(options.columns, 100);
    }
}
