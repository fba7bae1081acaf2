//! The package manager that is here.

use crate::reflex::world::World;

/// A package's name with the managers that have one: apt, dnf, pacman, apk, brew. Empty where there is none.
pub(super) type Names = [&'static str; 5];

const MANAGERS: &[(&str, usize, &str)] = &[
    ("apt", 0, "apt install"),
    ("apt-get", 0, "apt-get install"),
    ("dnf", 1, "dnf install"),
    ("yum", 1, "yum install"),
    ("pacman", 2, "pacman -S"),
    ("apk", 3, "apk add"),
    ("brew", 4, "brew install"),
];

/// The command that installs a package, with the first manager there is.
pub(super) fn install(names: &Names, world: &dyn World) -> Option<String> {
    let (program, index, words) = MANAGERS.iter().find(|(program, ..)| world.has(program))?;
    let name = names[*index];
    let sudo = if *program == "brew" || world.is_root() && !world.has("sudo") { "" } else { "sudo " };
    (!name.is_empty()).then(|| format!("{sudo}{words} {name}"))
}
