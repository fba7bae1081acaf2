//! The package that contains a command, for the installed package manager.

use crate::reflex::rules::manager;
use crate::reflex::world::World;

const TABLE: &str = include_str!("packages.txt");

/// Package managers of languages, for commands that no distribution packages.
const LANGUAGES: &[(&str, &str, &str)] = &[
    ("pipx", "pip", "pipx install"),
    ("pip", "pip", "pip install"),
    ("pip3", "pip", "pip3 install"),
    ("npm", "npm", "npm install -g"),
    ("cargo", "cargo", "cargo install"),
    ("gem", "gem", "gem install"),
];

/// The commands of the table.
pub(super) fn known() -> impl Iterator<Item = &'static str> {
    TABLE.lines().filter(|line| !line.starts_with('#')).filter_map(|line| line.split(' ').next())
}

/// The command that installs the package with a command, if it is known.
pub(super) fn installation(command: &str, world: &dyn World) -> Option<String> {
    let entry = TABLE.lines().find(|line| line.split(' ').next() == Some(command))?;
    let package = |manager: &str, or_its_own: bool| {
        let told = entry.split(' ').skip(1).find_map(|field| field.strip_prefix(manager)?.strip_prefix(':'));
        // A package with another name in one manager may also have another name in a manager that is not listed.
        let same = (or_its_own && !entry.contains(' ')).then_some(command);
        told.or(same).filter(|name| *name != "-")
    };
    let system = manager::install_by_name(world, |manager| package(manager, true));
    let mut languages = LANGUAGES.iter().filter(|(program, ..)| world.has(program));
    system.or_else(|| languages.find_map(|(_, name, install)| Some(format!("{install} {}", package(name, false)?))))
}
