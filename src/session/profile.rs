//! Who uses the session, on which machine and in which shell, and how they want it to look.

use std::cell::OnceCell;
use std::sync::{Arc, OnceLock};

use crate::host::ShellKind;
use crate::input::Editing;
use crate::render::{self, RenderOptions, Theme, Wrapping};

/// What does not change while the session runs.
pub(super) struct Profile {
    pub(super) shell: ShellKind,
    pub(super) host: String,
    /// Looked up by the agent's thread when it starts: the answer may be a network away.
    user: Arc<OnceLock<String>>,
    pub(super) editing: Editing,
    /// The default until it is asked for: reading it takes memory that a tab without questions does not need.
    theme: OnceCell<Theme>,
    /// Who breaks lines of prose.
    wrap: Wrapping,
}

impl Profile {
    pub(super) fn new(shell: ShellKind, host: String, editing: Editing, wrap: Wrapping) -> Profile {
        Profile { shell, host, user: Arc::default(), editing, theme: OnceCell::new(), wrap }
    }

    pub(super) fn with_user(self, user: Arc<OnceLock<String>>) -> Profile {
        Profile { user, ..self }
    }

    pub(super) fn with_theme(self, theme: Theme) -> Profile {
        Profile { theme: OnceCell::from(theme), ..self }
    }

    /// The name of the user, empty before it is known.
    pub(super) fn user(&self) -> &str {
        self.user.get().map_or("", String::as_str)
    }

    /// How to paint on a terminal of this size.
    pub(super) fn options(&self, size: render::ScreenSize) -> RenderOptions {
        let variable = |name: &str| std::env::var(name).unwrap_or_default();
        let theme = *self.theme.get_or_init(Theme::default);
        RenderOptions::of_terminal(size, theme, self.wrap, variable)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn options_have_the_size_of_the_terminal() {
        let profile = Profile::new(ShellKind::Zsh, "box".into(), Editing::Vi, Wrapping::default());
        let options = profile.options(render::ScreenSize { columns: 100, rows: 40 });
        assert_eq!(options.columns, 100);
        assert_eq!(profile.user(), "", "nobody has looked yet");
    }
}
