//! How to start shellmate in every new terminal: the lines for the terminal that was found, and those for the login shell.

use std::fs;
use std::io::Write;
use std::path::Path;

use anyhow::Result;
use nix::unistd::{User, geteuid};

use crate::cli::environment;
use crate::cli::terminal_program::TerminalProgram;
use crate::host;
use crate::text::shell::quote;

use super::found::Inventory;

/// Prints how shellmate becomes the command of the terminal, or the login shell.
pub(super) fn print(found: &Inventory, out: &mut dyn Write) -> Result<()> {
    let binary = found.binary.display().to_string();
    let (place, lines) = of_terminal(found.terminal.program, &binary);
    writeln!(out, "\nTo start shellmate in every new terminal,\n{place}:")?;
    lines.iter().try_for_each(|line| writeln!(out, "  {line}"))?;
    let listed = fs::read_to_string("/etc/shells").unwrap_or_default();
    let login = User::from_uid(geteuid()).ok().flatten().map(|user| user.shell).unwrap_or_default();
    login_shell(&found.binary, &login, &listed, out)?;
    let is_on_path = host::is_on_path("shellmate", &std::env::var_os("PATH").unwrap_or_default());
    let here = match environment("SHELLMATE_SESSION") {
        Some(_) => "You are in shellmate now:".to_owned(),
        None if is_on_path => "`shellmate` starts it here;".to_owned(),
        None => format!("`{}` starts it here;", quote::display(&binary)),
    };
    writeln!(out, "\n{here} `> QUESTION` asks, and `> /help` lists the commands.")?;
    writeln!(out, "`shellmate doctor` looks for problems.")?;
    Ok(())
}

/// Prints the lines that make the binary the login shell, and the line that undoes it.
pub(super) fn login_shell(binary: &Path, login: &Path, listed: &str, out: &mut dyn Write) -> Result<()> {
    let (path, quoted) = (binary.display().to_string(), quote::display(&binary.display().to_string()));
    let is_shellmate = login == binary || login.file_name().is_some_and(|name| name == "shellmate");
    let former = if is_shellmate || login.as_os_str().is_empty() { Path::new("/bin/bash") } else { login };
    let back = quote::display(&former.display().to_string());
    if is_shellmate {
        writeln!(out, "\nshellmate is your login shell; `chsh -s {back}` changes that.")?;
        return Ok(());
    }
    writeln!(out, "\nOr make it your login shell (`chsh -s {back}` undoes it):")?;
    if !listed.lines().any(|line| line.trim() == path) {
        writeln!(out, "  echo {quoted} | sudo tee -a /etc/shells")?;
    }
    writeln!(out, "  chsh -s {quoted}")?;
    Ok(())
}

/// Prints the commands that the questions would lead to, for a run without a terminal.
pub(super) fn print_commands(found: &Inventory, out: &mut dyn Write) -> Result<()> {
    let offers = found.offers();
    writeln!(out, "\nThere is no terminal to ask questions on. These commands do the same:")?;
    match offers.first() {
        Some(_) => {
            offers.iter().try_for_each(|offer| writeln!(out, "  shellmate config set model.name {}", offer.name))?
        }
        None => {
            writeln!(out, "  shellmate auth login openai    (or another provider: `shellmate auth status` lists them)")?
        }
    }
    writeln!(out, "  shellmate doctor --online")?;
    writeln!(out, "  shellmate config set theme dark")?;
    Ok(())
}

/// Where a terminal has its command, and the lines that make it shellmate.
pub(super) fn of_terminal(program: Option<TerminalProgram>, binary: &str) -> (&'static str, Vec<String>) {
    let one = |line: String| vec![line];
    match program {
        Some(TerminalProgram::Tmux) => {
            ("put this into ~/.tmux.conf", one(format!("set -g default-command \"{binary}\"")))
        }
        Some(TerminalProgram::Screen) => ("put this into ~/.screenrc", one(format!("shell {binary}"))),
        Some(TerminalProgram::Zellij) => {
            ("put this into ~/.config/zellij/config.kdl", one(format!("default_shell \"{binary}\"")))
        }
        Some(TerminalProgram::VsCode) => {
            let system = if cfg!(target_os = "macos") { "osx" } else { "linux" };
            let lines = vec![
                format!(
                    "\"terminal.integrated.profiles.{system}\": {{ \"shellmate\": {{ \"path\": \"{binary}\" }} }},"
                ),
                format!("\"terminal.integrated.defaultProfile.{system}\": \"shellmate\""),
            ];
            ("put this into the settings.json of VS Code", lines)
        }
        Some(TerminalProgram::Kitty) => ("put this into ~/.config/kitty/kitty.conf", one(format!("shell {binary}"))),
        Some(TerminalProgram::Alacritty) => {
            let lines = vec!["[terminal]".to_owned(), format!("shell = \"{binary}\"")];
            ("put this into ~/.config/alacritty/alacritty.toml", lines)
        }
        Some(TerminalProgram::WezTerm) => (
            "put this into ~/.wezterm.lua, above `return config`",
            one(format!("config.default_prog = {{ \"{binary}\" }}")),
        ),
        Some(TerminalProgram::Ghostty) => {
            ("put this into ~/.config/ghostty/config", one(format!("command = {binary}")))
        }
        Some(TerminalProgram::Foot) => {
            ("put this into ~/.config/foot/foot.ini", vec!["[main]".to_owned(), format!("shell={binary}")])
        }
        Some(TerminalProgram::Xterm) => ("start xterm with this command", one(format!("xterm -e {binary}"))),
        Some(TerminalProgram::Iterm2) => {
            ("open Settings, Profiles, General, Command, choose Custom Shell and enter", one(binary.to_owned()))
        }
        Some(TerminalProgram::AppleTerminal) => {
            ("open Settings, General, \"Shells open with\", choose Command and enter", one(binary.to_owned()))
        }
        Some(TerminalProgram::WindowsTerminal) => (
            "put this into the profile in its settings.json",
            one(format!("\"commandline\": \"wsl.exe ~ -e {binary}\"")),
        ),
        Some(TerminalProgram::Konsole) => {
            ("open Settings, Edit Current Profile, General and enter as the command", one(binary.to_owned()))
        }
        Some(TerminalProgram::GnomeTerminal) => {
            let place = "open Preferences, your profile, Command, choose \"Run a custom command instead of my shell\" and enter";
            (place, one(binary.to_owned()))
        }
        Some(TerminalProgram::Vte) | None => {
            ("enter this as the command of a profile of your terminal", one(binary.to_owned()))
        }
    }
}
