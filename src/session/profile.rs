//! The user, the machine, the shell, and how the session should look.

use std::cell::OnceCell;
use std::sync::{Arc, OnceLock};

use crate::host::ShellKind;
use crate::input::{Editing, KeyAction, KeyMap};
use crate::render::{self, Background, CodeColours, KeyLabels, RenderOptions, Theme, Themes, Wrapping};

/// Facts about the person and the machine, and settings of the look.
pub(super) struct Profile {
    pub(super) shell: ShellKind,
    pub(super) host: String,
    /// The agent's thread looks it up when it starts, because that may take a network request.
    user: Arc<OnceLock<String>>,
    pub(super) editing: Editing,
    /// The keys in force.
    pub(super) keys: Arc<KeyMap>,
    labels: Arc<KeyLabels>,
    /// Not read before it is needed: that takes memory, which a tab without questions can save.
    themes: OnceCell<Themes>,
    /// The background of the terminal, as far as it is known. Only looked for if the themes follow it.
    pub(super) background: Option<Background>,
    /// Whether shellmate or the terminal breaks lines of prose.
    wrap: Wrapping,
    is_read_aloud: bool,
    /// The colours of code, loaded when the first answer is awaited.
    pub(super) code: CodeColours,
}

impl Profile {
    pub(super) fn new(shell: ShellKind, host: String, editing: Editing, wrap: Wrapping) -> Profile {
        Profile {
            shell,
            host,
            user: Arc::default(),
            editing,
            keys: Arc::default(),
            labels: Arc::default(),
            themes: OnceCell::new(),
            background: None,
            wrap,
            is_read_aloud: false,
            code: CodeColours::default(),
        }
    }

    /// Uses other keys from here on.
    pub(super) fn adopt_keys(&mut self, keys: KeyMap) {
        self.labels = Arc::new(KeyLabels {
            stop: keys.label(KeyAction::Stop).unwrap_or_default(),
            unfold: keys.label(KeyAction::Unfold),
            thinking: keys.label(KeyAction::Thinking),
        });
        self.keys = Arc::new(keys);
    }

    /// Uses other settings from here on. Without a theme the default is used.
    pub(super) fn adopt(&mut self, editing: Editing, wrap: Wrapping, themes: Option<Themes>, is_read_aloud: bool) {
        (self.editing, self.wrap, self.is_read_aloud) = (editing, wrap, is_read_aloud);
        self.background = self.background.or_else(|| named_background(themes.as_ref()));
        self.themes = themes.map(OnceCell::from).unwrap_or_default();
    }

    pub(super) fn with_user(self, user: Arc<OnceLock<String>>) -> Profile {
        Profile { user, ..self }
    }

    /// With output for a screen reader, or without.
    pub(super) fn read_aloud(self, is_read_aloud: bool) -> Profile {
        Profile { is_read_aloud, ..self }
    }

    pub(super) fn with_themes(self, themes: Themes) -> Profile {
        let background = named_background(Some(&themes));
        Profile { themes: OnceCell::from(themes), background, ..self }
    }

    /// The name of the user; empty until it is known.
    pub(super) fn user(&self) -> &str {
        self.user.get().map_or("", String::as_str)
    }

    /// Options for painting on a terminal of this size.
    pub(super) fn options(&self, size: render::ScreenSize) -> RenderOptions {
        let variable = |name: &str| std::env::var(name).unwrap_or_default();
        let options = RenderOptions::of_terminal(size, self.theme(), self.wrap, variable);
        RenderOptions { keys: Arc::clone(&self.labels), code: self.code.clone(), ..options }
            .read_aloud(self.is_read_aloud)
    }

    /// The theme for the background of the terminal.
    pub(super) fn theme(&self) -> Theme {
        self.themes.get_or_init(Themes::default).on(self.background)
    }

    /// Whether the background of the terminal makes a difference.
    pub(super) fn follows_background(&self) -> bool {
        self.themes.get().is_some_and(Themes::follow_background)
    }
}

/// The background that the environment names, if these themes follow it.
fn named_background(themes: Option<&Themes>) -> Option<Background> {
    let value = std::env::var("COLORFGBG").ok().filter(|_| themes.is_some_and(Themes::follow_background))?;
    Background::of_variable(&value)
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
