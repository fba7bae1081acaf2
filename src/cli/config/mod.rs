//! `shellmate config`: shows and changes the configuration.

mod get;
mod project;

use std::fs;
use std::io::{self, Write};
use std::os::unix::fs::{DirBuilderExt, OpenOptionsExt};
use std::path::{Path, PathBuf};
use std::process::{Command, ExitCode};

use anyhow::{Context, Result, bail};

use crate::agent::Project;
use crate::config::{self, ConfigReader, Layer, Paths};
use crate::host;
use crate::text::sanitize;

use super::args::{ConfigAction, ConfigLayer};
use super::report;
use get::GetForm;
pub(super) use get::keys;

/// The first line of a file that `edit` creates.
const TEMPLATE: &str =
    "# Settings of shellmate: `shellmate config get` shows what is in effect, docs/CONFIG.md describes each key.\n";

const NO_DIRECTORY: &str = "no directory for a configuration; `shellmate doctor` says why";

/// Runs the subcommand. Values go to `out`, problems of the files to stderr.
pub(crate) fn run(action: Option<ConfigAction>, paths: &Paths, out: &mut impl Write) -> Result<ExitCode> {
    let file = paths.config_file();
    match action.unwrap_or(ConfigAction::Get { key: None, origin: false, json: false }) {
        ConfigAction::Get { key, origin, json } => {
            let form = match (json, origin) {
                (true, _) => GetForm::Json,
                (false, true) => GetForm::WithOrigins,
                (false, false) => GetForm::Values,
            };
            return get::get(paths, key.as_deref(), form, out);
        }
        ConfigAction::Set { key, value } => {
            if key == "shell" {
                host::find(&super::start::search(Some(value.clone().into()), None))?;
            }
            config::set_in_file(&known(file)?, &key, &value, paths)?;
        }
        ConfigAction::Edit => return edit(&known(file)?),
        ConfigAction::Schema => writeln!(out, "{:#}", config::schema())?,
        ConfigAction::Path { layer } => list_files(paths, layer, out)?,
    }
    out.flush()?;
    Ok(ExitCode::SUCCESS)
}

fn known<T>(path: Option<T>) -> Result<T> {
    path.context(NO_DIRECTORY)
}

/// Lists the files in the order in which they are read: layer, path, and whether it is there. For one layer only its path.
fn list_files(paths: &Paths, wanted: Option<ConfigLayer>, out: &mut impl Write) -> Result<()> {
    let layers = paths.config_layers().into_iter().map(|(layer, path)| match layer {
        Layer::System => (ConfigLayer::System, path),
        Layer::User => (ConfigLayer::User, path),
        Layer::Project => (ConfigLayer::Project, path),
    });
    let project = project_file().map(|path| (ConfigLayer::Project, path));
    let files: Vec<(ConfigLayer, PathBuf)> = layers.chain(project).collect();
    if let Some(wanted) = wanted {
        let file = files.into_iter().find(|(layer, _)| *layer == wanted).map(|(_, path)| path);
        let missing = if wanted == ConfigLayer::Project { "you are not in a project" } else { NO_DIRECTORY };
        return Ok(writeln!(out, "{}", file.context(missing)?.display())?);
    }
    for (layer, path) in files {
        let name = match layer {
            ConfigLayer::System => "system",
            ConfigLayer::User => "user",
            ConfigLayer::Project => "project",
        };
        let state = match (path.exists(), layer) {
            (false, _) => "missing",
            (true, ConfigLayer::System | ConfigLayer::User) => "read",
            (true, ConfigLayer::Project) => project_state(paths),
        };
        writeln!(out, "{name:<8} {}  ({state})", sanitize(&path.to_string_lossy()))?;
    }
    Ok(())
}

/// The configuration file of the project that the current directory is in.
fn project_file() -> Option<PathBuf> {
    let cwd = std::env::current_dir().ok()?;
    Some(Project::settings_file(&cwd))
}

/// How much of the project's file counts.
fn project_state(paths: &Paths) -> &'static str {
    let cwd = std::env::current_dir().unwrap_or_default();
    match Project::of(&cwd, &paths.trust_store()) {
        Some(Ok(project)) if project.is_trusted() => "read, trusted",
        Some(Ok(_)) => "not trusted: only its restrictions count",
        Some(Err(_)) | None => "cannot be used",
    }
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
        bail!(
            "{editor} failed, so the file was not checked; EDITOR names the editor, as in `EDITOR=nano shellmate config edit`"
        );
    }
    let problems = ConfigReader::new([(Layer::User, path.to_owned())]).read().all_problems();
    let sound = problems.is_empty();
    report::notices(problems);
    Ok(if sound { ExitCode::SUCCESS } else { ExitCode::FAILURE })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::config::Config;
    use std::ffi::OsString;

    fn ran(paths: &Paths, action: ConfigAction) -> Result<String> {
        let mut out = Vec::new();
        run(Some(action), paths, &mut out)?;
        Ok(String::from_utf8(out)?)
    }

    fn get(key: &str) -> ConfigAction {
        ConfigAction::Get { key: Some(key.to_owned()), origin: false, json: false }
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
        let path = |layer| ran(&paths, ConfigAction::Path { layer });
        assert_eq!(path(Some(ConfigLayer::User)).unwrap().trim(), paths.config_file().unwrap().to_str().unwrap());
        assert!(path(None).unwrap().contains("config.toml  (read)\n"));
        let all = ran(&paths, ConfigAction::Get { key: None, origin: false, json: false }).unwrap();
        assert_eq!(Config::parse(&all).config, Config::load(&paths).config);
    }

    #[test]
    fn without_a_home_there_are_the_defaults_but_no_file() {
        let paths = Paths::from_env(|_| None::<OsString>, 0, None);
        assert_eq!(ran(&paths, get("history.commands")).unwrap(), "100000\n");
        assert!(ran(&paths, ConfigAction::Path { layer: Some(ConfigLayer::User) }).is_err());
    }

    #[test]
    fn the_template_is_a_configuration() {
        let loaded = Config::parse(TEMPLATE);
        assert_eq!((loaded.config, loaded.problems), (Config::default(), Vec::new()));
    }
}
