//! Error messages, notices and exit codes. No other file prints them.

use std::fmt::Display;
use std::io::{self, IsTerminal, Write};
use std::process::ExitCode;

use crate::config::EditError;
use crate::render::{self, RenderOptions, Theme, Wrapping};
use crate::text::sanitize;
use crate::text::style::{Ansi, Depth, Style};
use crate::tty;

use super::invocation::UsageError;

/// shellmate itself failed; the shell never ran.
pub(crate) const FAILED: u8 = 125;
/// The shell was found but could not be executed.
pub(crate) const NOT_EXECUTABLE: u8 = 126;
/// No shell was found.
pub(crate) const NOT_FOUND: u8 = 127;

/// What a stream can show.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Surface {
    /// A file or a pipe.
    Plain,
    /// A file or a pipe that is to have colours nevertheless.
    PlainColour,
    /// A terminal without colours, or whose user does not want any.
    Monochrome,
    /// A terminal with colours.
    Colour,
}

impl Surface {
    pub(crate) fn of(stream: &impl IsTerminal) -> Self {
        Self::from(stream.is_terminal(), |name| std::env::var(name).unwrap_or_default())
    }

    fn from(is_terminal: bool, variable: impl Fn(&str) -> String) -> Self {
        let wants_none = !variable("NO_COLOR").is_empty();
        let is_dumb = ["", "dumb"].contains(&variable("TERM").as_str());
        match is_terminal {
            false if forces_colour(&variable) => Self::PlainColour,
            false => Self::Plain,
            true if wants_none || is_dumb => Self::Monochrome,
            true => Self::Colour,
        }
    }

    fn paint(self, style: Style, text: &str) -> String {
        match self {
            Self::Colour | Self::PlainColour => style.paint(text, Depth::Ansi16),
            Self::Plain | Self::Monochrome => text.to_owned(),
        }
    }
}

/// Whether colours are wanted where there is no terminal, as for `| less -R`.
pub(crate) fn forces_colour(variable: impl Fn(&str) -> String) -> bool {
    !["", "0"].contains(&variable("CLICOLOR_FORCE").as_str()) && variable("NO_COLOR").is_empty()
}

/// An error with its hints and its exit code.
#[derive(Debug)]
pub(crate) struct Report {
    error: anyhow::Error,
    hints: Vec<String>,
    code: u8,
}

impl Report {
    pub(crate) fn hint(mut self, hint: impl Into<String>) -> Self {
        self.hints.push(hint.into());
        self
    }

    pub(crate) fn code(self, code: u8) -> Self {
        Self { code, ..self }
    }

    /// Prints it on stderr and returns the exit code. A closed pipe (`| head`) is not an error.
    pub(crate) fn print(&self) -> ExitCode {
        if self.is_broken_pipe() {
            return ExitCode::SUCCESS;
        }
        let stderr = io::stderr();
        // If stderr is closed, the error cannot be reported anywhere.
        let _ = stderr.lock().write_all(self.render(Surface::of(&stderr)).as_bytes());
        ExitCode::from(self.code)
    }

    fn is_broken_pipe(&self) -> bool {
        let mut causes = self.error.chain().filter_map(|cause| cause.downcast_ref::<io::Error>());
        causes.any(|cause| cause.kind() == io::ErrorKind::BrokenPipe)
    }

    fn render(&self, surface: Surface) -> String {
        let heading = |colour, word| surface.paint(Style::BOLD.and(Style::colour(colour)), word);
        let mut out = format!("{} {}\n", heading(Ansi::Red, "error:"), chain(&self.error));
        for hint in &self.hints {
            out.push_str(&format!("{} {}\n", heading(Ansi::Cyan, "hint:"), line(hint)));
        }
        out
    }
}

impl From<anyhow::Error> for Report {
    /// Adds the hints that belong to an error.
    fn from(error: anyhow::Error) -> Self {
        let mut report = Self { code: FAILED, hints: Vec::new(), error };
        if let Some(usage) = report.error.downcast_ref::<UsageError>() {
            report.hints.push(usage.hint().to_owned());
        }
        match report.error.downcast_ref::<EditError>() {
            Some(EditError::UnknownKey(_, Some(near))) => report.hints.push(format!("did you mean `{near}`?")),
            Some(EditError::UnknownKey(_, None)) => {
                report.hints.push("`shellmate config get` lists the keys".to_owned());
            }
            Some(EditError::IsTable { keys, .. }) => {
                // `config set model x` means `model.name`.
                let name = keys.iter().find(|key| key.ends_with(".name"));
                let hint = match name {
                    Some(name) => format!("did you mean `{name}`?"),
                    None => format!("its keys are {}", keys.join(", ")),
                };
                report.hints.push(hint);
            }
            Some(EditError::NotToml(_)) => report.hints.push("`shellmate config edit` opens the file".to_owned()),
            Some(EditError::NoEntry { .. } | EditError::BadValue(_) | EditError::Read(..) | EditError::Write(..))
            | None => {}
        }
        report
    }
}

/// The exit code for a shell that could not be started, as in `env` and `nohup`.
pub(crate) fn start_code(error: &io::Error) -> u8 {
    match error.kind() {
        io::ErrorKind::NotFound => NOT_FOUND,
        io::ErrorKind::PermissionDenied | io::ErrorKind::IsADirectory | io::ErrorKind::ExecutableFileBusy => {
            NOT_EXECUTABLE
        }
        // ENOEXEC has no `ErrorKind`.
        _ if error.raw_os_error() == Some(nix::libc::ENOEXEC) => NOT_EXECUTABLE,
        _ => FAILED,
    }
}

/// Writes one dim line that starts with `shellmate:`.
pub(crate) fn notice(out: &mut impl Write, surface: Surface, text: impl Display) -> io::Result<()> {
    aside(out, surface, format!("shellmate: {}", line(&text.to_string())))
}

/// Writes one dim line. On a terminal it ends with `\r\n`, because the terminal may be in raw mode.
pub(crate) fn aside(out: &mut impl Write, surface: Surface, text: impl Display) -> io::Result<()> {
    let words = surface.paint(Style::DIM, &one_line(&text.to_string()));
    let end = match surface {
        Surface::Plain | Surface::PlainColour => "\n",
        Surface::Monochrome | Surface::Colour => "\r\n",
    };
    out.write_all(format!("{words}{end}").as_bytes())
}

/// Prints a text of several lines on stderr, wrapped at words on a terminal.
pub(crate) fn words(text: &str) {
    let stderr = io::stderr();
    let text = match stderr.is_terminal() {
        true => {
            let tty::WindowSize { rows, cols: columns, .. } = tty::size_of(&stderr);
            let variable = |name: &str| std::env::var(name).unwrap_or_default();
            let options = RenderOptions::of_terminal(
                render::ScreenSize { columns, rows },
                Theme::default(),
                Wrapping::default(),
                variable,
            );
            render::wrapped(text, &options).join("\n") + "\n"
        }
        false => text.to_owned(),
    };
    let _ = stderr.lock().write_all(text.as_bytes());
}

/// Prints notices on stderr.
pub(crate) fn notices(lines: impl IntoIterator<Item = impl Display>) {
    let mut stderr = io::stderr().lock();
    let surface = Surface::of(&stderr);
    for line in lines {
        let _ = notice(&mut stderr, surface, line);
    }
}

/// The messages of an error and its sources, each once.
fn chain(error: &anyhow::Error) -> String {
    let mut text = String::new();
    for cause in error.chain() {
        let cause = cause_words(&cause.to_string());
        if text.is_empty() {
            text = cause;
        } else if !text.ends_with(&cause) {
            text.push_str(": ");
            text.push_str(&cause);
        }
    }
    text
}

/// Adapts messages of the operating system: lower case, without `(os error N)`.
fn cause_words(message: &str) -> String {
    let message = line(message);
    let message = message.split(" (os error ").next().unwrap_or(&message);
    let mut letters = message.chars();
    match (letters.next(), letters.next()) {
        (Some(first), Some(second)) if first.is_uppercase() && second.is_lowercase() => {
            first.to_lowercase().chain(message.chars().skip(1)).collect()
        }
        _ => message.to_owned(),
    }
}

/// The text on one line, sanitized, with its indentation.
fn one_line(text: &str) -> String {
    sanitize(text).replace('\n', " ")
}

fn line(text: &str) -> String {
    sanitize(text).lines().map(str::trim).filter(|line| !line.is_empty()).collect::<Vec<_>>().join(" ")
}

#[cfg(test)]
mod tests {
    use super::*;
    use anyhow::Context;

    fn denied() -> io::Error {
        io::Error::from_raw_os_error(nix::libc::EACCES)
    }

    #[test]
    fn the_environment_decides_about_colours() {
        for (is_terminal, pairs, expected) in [
            (true, &[("TERM", "xterm")][..], Surface::Colour),
            (true, &[("TERM", "dumb")], Surface::Monochrome),
            (true, &[("TERM", "xterm"), ("NO_COLOR", "1"), ("CLICOLOR_FORCE", "1")], Surface::Monochrome),
            (false, &[("TERM", "xterm")], Surface::Plain),
            (false, &[("TERM", "xterm"), ("CLICOLOR_FORCE", "1")], Surface::PlainColour),
            (false, &[("TERM", "xterm"), ("CLICOLOR_FORCE", "0")], Surface::Plain),
            (false, &[("CLICOLOR_FORCE", "1"), ("NO_COLOR", "1")], Surface::Plain),
        ] {
            let variable = |name: &str| pairs.iter().find(|(known, _)| *known == name).map_or("", |(_, value)| value);
            assert_eq!(Surface::from(is_terminal, |name| variable(name).to_owned()), expected, "{pairs:?}");
        }
        let mut out = Vec::new();
        notice(&mut out, Surface::PlainColour, "x").unwrap();
        assert_eq!(out, b"\x1b[2mshellmate: x\x1b[0m\n");
    }

    #[test]
    fn further_rows_of_a_list_item_align_with_its_text() {
        for columns in [30, 44, 60, 80] {
            let size = render::ScreenSize { columns, rows: 24 };
            let options = RenderOptions::of_terminal(size, Theme::default(), Wrapping::default(), |name| match name {
                "TERM" => "xterm".to_owned(),
                _ => String::new(),
            });
            let rows = render::wrapped(crate::agent::NO_MODEL, &options);
            let list = rows.iter().skip_while(|row| !row.starts_with("  1. ")).take_while(|row| !row.is_empty());
            let list: Vec<&String> = list.collect();
            assert!(list.len() > 3, "{rows:?}");
            for row in list {
                let indent = row.len() - row.trim_start_matches([' ', '1', '2', '3', '.']).len();
                assert_eq!(indent, 5, "{columns}: {row:?}");
            }
        }
    }

    #[test]
    fn an_error_is_its_causes_in_one_line_and_its_hints() {
        let report = Report::from(anyhow::Error::new(denied()).context("cannot open /x")).hint("chmod it");
        assert_eq!(report.render(Surface::Plain), "error: cannot open /x: permission denied\nhint: chmod it\n");
        let coloured = "\x1b[1;31merror:\x1b[0m cannot open /x: permission denied\n\x1b[1;36mhint:\x1b[0m chmod it\n";
        assert_eq!(report.render(Surface::Colour), coloured);
    }

    #[test]
    fn known_errors_bring_their_hints() {
        let usage = Report::from(anyhow::Error::new(UsageError::ShellWithoutPath));
        let words = "error: `--shell` needs the path of a shell\nhint: for example `shellmate --shell /bin/zsh`\n";
        assert_eq!(usage.render(Surface::Monochrome), words);
        let key = crate::config::edit::set("", "histroy", "1").context("cannot set it").unwrap_err();
        assert_eq!(Report::from(key).hints, ["did you mean `history`?"]);
    }

    #[test]
    fn messages_are_sanitized_and_not_repeated() {
        let error = anyhow::anyhow!("a\x1b[2J\nb").context("outer: a\u{FFFD}[2J b");
        assert_eq!(Report::from(error).render(Surface::Plain), "error: outer: a\u{FFFD}[2J b\n");
    }

    #[test]
    fn a_closed_pipe_is_not_an_error() {
        let gone = io::Error::from(io::ErrorKind::BrokenPipe);
        assert!(Report::from(anyhow::Error::new(gone).context("cannot write")).is_broken_pipe());
        assert!(!Report::from(anyhow::Error::new(denied())).is_broken_pipe());
    }

    #[test]
    fn codes_are_those_of_env_and_nohup() {
        assert_eq!(start_code(&denied()), NOT_EXECUTABLE);
        assert_eq!(start_code(&io::Error::from_raw_os_error(nix::libc::ENOENT)), NOT_FOUND);
        assert_eq!(start_code(&io::Error::from_raw_os_error(nix::libc::ENOEXEC)), NOT_EXECUTABLE);
        assert_eq!(start_code(&io::Error::from_raw_os_error(nix::libc::EMFILE)), FAILED);
    }

    #[test]
    fn a_notice_is_one_line() {
        for (surface, expected) in [
            (Surface::Plain, "shellmate: a b\n"),
            (Surface::Monochrome, "shellmate: a b\r\n"),
            (Surface::Colour, "\x1b[2mshellmate: a b\x1b[0m\r\n"),
        ] {
            let mut out = Vec::new();
            notice(&mut out, surface, "a\n b\n").unwrap();
            assert_eq!(String::from_utf8(out).unwrap(), expected);
        }
    }
}
