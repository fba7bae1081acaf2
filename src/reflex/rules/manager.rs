//! The installed package manager.

use crate::reflex::world::World;

/// A package's name in several package managers: apt, dnf, pacman, apk, brew. Empty if it is not available there.
pub(super) type Names = [&'static str; 5];

/// The managers for the columns of [`Names`].
const COLUMNS: Names = ["apt", "dnf", "pacman", "apk", "brew"];

/// Package managers in order of preference: the program, the column of its names, the command that installs.
const SYSTEMS: &[(&str, &str, &str)] = &[
    ("apt", "apt", "sudo apt install"),
    ("apt-get", "apt", "sudo apt-get install"),
    ("dnf", "dnf", "sudo dnf install"),
    ("yum", "dnf", "sudo yum install"),
    ("pacman", "pacman", "sudo pacman -S"),
    ("apk", "apk", "sudo apk add"),
    ("zypper", "dnf", "sudo zypper install"),
    ("brew", "brew", "brew install"),
];

/// The command that installs a package with the first manager that exists.
pub(super) fn install(names: &Names, world: &dyn World) -> Option<String> {
    let name = |manager: &str| COLUMNS.iter().position(|column| *column == manager).map(|column| names[column]);
    install_by_name(world, |manager| name(manager).filter(|name| !name.is_empty()))
}

/// The same with a function that returns the package's name for a manager.
pub(super) fn install_by_name<'n>(world: &dyn World, name: impl Fn(&str) -> Option<&'n str>) -> Option<String> {
    let (_, names, install) = SYSTEMS.iter().find(|(program, ..)| world.has(program))?;
    Some(format!("{install} {}", name(names)?))
}
