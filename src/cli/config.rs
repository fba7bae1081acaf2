//! `shellmate config`: shows and changes the configuration file.

use std::fs;
use std::io::{self, Write};
use std::os::unix::fs::{DirBuilderExt, OpenOptionsExt};
use std::path::Path;
use std::process::{Command, ExitCode};

use anyhow::{Context, Result, bail};

use crate::config::{self, Config, Paths};
use crate::host;

use super::args::ConfigAction;
use super::report;

/// The first line of a file that `edit` creates.
const TEMPLATE: &str =
    "# Settings of shellmate: `shellmate config get` shows what is in effect, docs/CONFIG.md describes each key.\n";

/// Runs the subcommand. Values go to `out`, problems of the file to stderr.
pub(crate) fn run(action: Option<ConfigAction>, paths: &Paths, out: &mut impl Write) -> Result<ExitCode> {
    let file = paths.config_file();
    match action.unwrap_or(ConfigAction::Get { key: None }) {
        ConfigAction::Get { key } => return get(file.as_deref(), key.as_deref(), out),
        ConfigAction::Set { key, value } => {
            if key == "shell" {
                host::find(&super::start::search(Some(value.clone().into()), None))?;
            }
            config::set_in_file(&known(file)?, &key, &value, paths)?;
        }
        ConfigAction::Edit => return edit(&known(file)?),
        ConfigAction::Schema => writeln!(out, "{:#}", config::schema())?,
        ConfigAction::Path => writeln!(out, "{}", known(file)?.display())?,
    }
    out.flush()?;
    Ok(ExitCode::SUCCESS)
}

fn known<T>(path: Option<T>) -> Result<T> {
    path.context("no directory for a configuration; `shellmate doctor` says why")
}

/// Prints a value. For a key without a value it prints nothing and exits with 1.
fn get(file: Option<&Path>, key: Option<&str>, out: &mut impl Write) -> Result<ExitCode> {
    let loaded = Config::load(file);
    let problems = loaded.problems.into_iter().chain(loaded.config.pattern_problems());
    report::notices(problems);
    let all = toml::Table::try_from(&loaded.config).context("the configuration has no text form")?;
    let Some(key) = key else {
        out.write_all(toml::to_string(&loaded.config)?.as_bytes())?;
        out.flush()?;
        return Ok(ExitCode::SUCCESS);
    };
    let mut names = key.split('.');
    let first = names.next().and_then(|name| all.get(name));
    match names.try_fold(first, |value, name| Some(value?.get(name))).flatten() {
        Some(toml::Value::String(text)) => writeln!(out, "{text}")?,
        Some(toml::Value::Table(table)) => out.write_all(toml::to_string(table)?.as_bytes())?,
        Some(value) => writeln!(out, "{value}")?,
        None if key == "shell" => return Ok(ExitCode::FAILURE),
        None => return Err(config::unknown_key(key).into()),
    }
    out.flush()?;
    Ok(ExitCode::SUCCESS)
}

fn edit(path: &Path) -> Result<ExitCode> {
    if let Some(parent) = path.parent() {
        let made = fs::DirBuilder::new().recursive(true).mode(0o700).create(parent);
        made.with_context(|| format!("cannot create {}", parent.display()))?;
    }
    match fs::OpenOptions::new().write(true).create_new(true).mode(0o600).open(path) {
        Ok(mut file) => file.write_all(TEMPLATE.as_bytes())?,
        Err(error) if error.kind() == io::ErrorKind::AlreadyExists => {}
        Err(error) => return Err(error).with_context(|| format!("cannot create {}", path.display())),
    }
    let editors = ["VISUAL", "EDITOR"].into_iter().filter_map(|name| std::env::var(name).ok());
    let editor = editors.into_iter().find(|editor| !editor.trim().is_empty()).unwrap_or_else(|| "vi".to_owned());
    // The variable may hold a command line (`code --wait`), so a shell runs it.
    let status = Command::new("/bin/sh").arg("-c").arg(format!("exec {editor} \"$1\"")).arg("sh").arg(path).status();
    if !status.with_context(|| format!("cannot run {editor}"))?.success() {
        bail!("{editor} failed; the file was not checked");
    }
    let loaded = Config::load(Some(path));
    let problems: Vec<_> = loaded.problems.into_iter().chain(loaded.config.pattern_problems()).collect();
    let sound = problems.is_empty();
    report::notices(problems);
    Ok(if sound { ExitCode::SUCCESS } else { ExitCode::FAILURE })
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::ffi::OsString;

    fn ran(paths: &Paths, action: ConfigAction) -> Result<String> {
        let mut out = Vec::new();
        run(Some(action), paths, &mut out)?;
        Ok(String::from_utf8(out)?)
    }

    fn get(key: &str) -> ConfigAction {
        ConfigAction::Get { key: Some(key.to_owned()) }
    }

    #[test]
    fn what_is_set_is_got() {
        let temp = tempfile::tempdir().unwrap();
        let home = temp.path().as_os_str().to_owned();
        let paths = Paths::from_env(|name| (name == "HOME").then(|| home.clone()), 0, None);
        let set = |key: &str, value: &str| ConfigAction::Set { key: key.to_owned(), value: value.to_owned() };
        ran(&paths, set("history.ignore", "^pass")).unwrap();
        ran(&paths, set("capture.head", "1 MiB")).unwrap();
        assert_eq!(ran(&paths, get("history.ignore")).unwrap(), "[\"^pass\"]\n");
        assert_eq!(ran(&paths, get("capture.head")).unwrap(), "1 MiB\n");
        assert_eq!(ran(&paths, get("capture.spill_days")).unwrap(), "7\n");
        assert_eq!(ran(&paths, get("shell")).unwrap(), "");
        assert!(ran(&paths, get("capture")).unwrap().contains("head = \"1 MiB\"\n"));
        assert!(ran(&paths, get("capture.haed")).is_err());
        assert!(ran(&paths, get("capture.head.x")).is_err());
        assert_eq!(ran(&paths, ConfigAction::Path).unwrap().trim(), paths.config_file().unwrap().to_str().unwrap());
        let all = ran(&paths, ConfigAction::Get { key: None }).unwrap();
        assert_eq!(Config::parse(&all).config, Config::load(paths.config_file().as_deref()).config);
    }

    #[test]
    fn without_a_home_there_are_the_defaults_but_no_file() {
        let paths = Paths::from_env(|_| None::<OsString>, 0, None);
        assert_eq!(ran(&paths, get("history.commands")).unwrap(), "100000\n");
        assert!(ran(&paths, ConfigAction::Path).is_err());
    }

    #[test]
    fn the_template_is_a_configuration() {
        assert_eq!(Config::parse(TEMPLATE), config::Loaded::default());
    }
}
