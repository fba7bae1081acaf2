//! The installed package manager.

use crate::reflex::world::World;

/// A package's name with the managers that have one: apt, dnf, pacman, apk, brew. Empty where there is none.
pub(super) type Names = [&'static str; 5];

/// What the columns of [`Names`] are for.
const COLUMNS: Names = ["apt", "dnf", "pacman", "apk", "brew"];

/// Managers of systems, in the order they are looked for: the program, whose names it goes by, how it installs.
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

/// The command that installs a package, with the first manager there is.
pub(super) fn install(names: &Names, world: &dyn World) -> Option<String> {
    let name = |manager: &str| COLUMNS.iter().position(|column| *column == manager).map(|column| names[column]);
    install_by_name(world, |manager| name(manager).filter(|name| !name.is_empty()))
}

/// The same, where the name is looked up by the manager's.
pub(super) fn install_by_name<'n>(world: &dyn World, name: impl Fn(&str) -> Option<&'n str>) -> Option<String> {
    let (_, names, install) = SYSTEMS.iter().find(|(program, ..)| world.has(program))?;
    Some(format!("{install} {}", name(names)?))
}
