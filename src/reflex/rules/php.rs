//! PHP and composer.

use std::path::Path;

use super::manager::{self, Names};
use super::{Rule, pattern, swap};
use crate::reflex::case::Case;
use crate::reflex::finding::{Confidence, Finding};
use crate::reflex::typo;
use crate::reflex::world::World;

pub(super) const RULES: &[Rule] = &[
    Rule {
        name: "composer: an unknown command",
        tools: &["composer", "php", "artisan", "console"],
        signs: &["is not defined.", "is ambiguous"],
        apply: composer_command,
    },
    Rule {
        name: "composer: an unknown package",
        tools: &["composer"],
        signs: &["Could not find package"],
        apply: composer_package,
    },
    Rule {
        name: "composer: no project",
        tools: &["composer"],
        signs: &["could not find a composer.json"],
        apply: no_composer,
    },
    Rule { name: "php: what composer installs", tools: &["php"], signs: &["vendor/autoload.php"], apply: autoload },
    Rule { name: "php: a server's option", tools: &["php"], signs: &[], apply: php_server },
    Rule { name: "php: no such file", tools: &["php"], signs: &["Could not open input file: "], apply: php_file },
    Rule {
        name: "php: an extension that is missing",
        tools: &[],
        signs: &["Call to undefined function ", "requires ext-", "the requested PHP extension"],
        apply: php_extension,
    },
];

fn composer_command(case: &Case<'_>, _: &dyn World) -> Option<Finding> {
    let wrong = case.output.captures(pattern!(r#"Command "([^"]+)" is (?:not defined|ambiguous)"#))?.get(1)?.as_str();
    let listed = swap::listed(case, "Did you mean");
    let because = format!("{} has no command {wrong}.", case.tool());
    let mut listed = if listed.is_empty() { swap::listed(case, "is ambiguous") } else { listed };
    // Of the listed commands, the most similar comes first.
    let near: Vec<&str> = typo::meant(wrong, listed.iter().copied());
    listed.sort_by_key(|name| near.iter().position(|known| known == name).unwrap_or(usize::MAX));
    let names = [
        "about",
        "archive",
        "audit",
        "config",
        "create-project",
        "depends",
        "diagnose",
        "dump-autoload",
        "exec",
        "fund",
        "global",
        "init",
        "install",
        "licenses",
        "outdated",
        "remove",
        "require",
        "run-script",
        "search",
        "self-update",
        "show",
        "status",
        "update",
        "validate",
        "why",
    ];
    let finding = if !listed.is_empty() {
        swap::told(case, wrong, listed.into_iter().take(3))
    } else if case.tool() == "composer" {
        swap::nearest(case, wrong, names)
    } else {
        None
    };
    finding.map(|found| found.because(because))
}

fn composer_package(case: &Case<'_>, _: &dyn World) -> Option<Finding> {
    let wrong = case.output.captures(pattern!(r"Could not find package ([\w./-]+?)\.?(?:\s|$)"))?.get(1)?.as_str();
    let index =
        case.words().iter().position(|word| word.text == wrong || word.text.split([':', '=']).next() == Some(wrong))?;
    let because = format!("There is no package {wrong}.");
    let listed = swap::listed(case, "Did you mean");
    let mut finding = Finding::cause(Confidence::Sure, because);
    for name in listed.into_iter().take(3) {
        finding = finding.or(case.with_raw(index, &case.raw(index).replacen(wrong, name, 1)), "composer suggests it");
    }
    Some(finding)
}

fn no_composer(_: &Case<'_>, _: &dyn World) -> Option<Finding> {
    Some(
        Finding::fix(Confidence::Likely, "composer init", "makes a composer.json")
            .because("There is no composer.json in this directory."),
    )
}

fn autoload(case: &Case<'_>, _: &dyn World) -> Option<Finding> {
    let is_missing = case.output.says("Failed to open stream")
        || case.output.says("failed to open stream")
        || case.output.says("Failed opening required");
    is_missing.then(|| {
        Finding::fix(Confidence::Sure, "composer install", "installs the packages and their autoloader")
            .because("The packages of composer.json are not installed.")
    })
}

fn php_server(case: &Case<'_>, _: &dyn World) -> Option<Finding> {
    let index = case.position("-s")?;
    let is_address = case.word(index + 1).is_some_and(|word| word.contains(':'));
    is_address.then(|| Finding::fix(Confidence::Sure, case.with_word(index, "-S"), "the option that serves is -S"))
}

fn php_file(case: &Case<'_>, world: &dyn World) -> Option<Finding> {
    let wrong = case.output.captures(pattern!(r"Could not open input file: (\S+)"))?.get(1)?.as_str();
    let index = case.position(wrong)?;
    if case.has_word(&["-s"]) {
        return None;
    }
    let entries = world.entries(Path::new("."));
    let finding = swap::nearest_at(case, index, wrong, entries.iter().map(|entry| entry.name.as_str()));
    Some(
        finding
            .unwrap_or_else(|| Finding::cause(Confidence::Sure, String::new()))
            .because(format!("There is no file {wrong} here.")),
    )
}

fn php_extension(case: &Case<'_>, world: &dyn World) -> Option<Finding> {
    let caught = case.output.captures(pattern!(
        r"(?:Call to undefined function (?:\w+\\)*(\w+?)_\w+\(|requires ext-(\w+)|the requested PHP extension (\w+))"
    ))?;
    let name = caught.iter().skip(1).flatten().next()?.as_str();
    let table: &[(&str, Names)] = &[
        ("mb", ["php-mbstring", "php-mbstring", "php", "php-mbstring", "php"]),
        ("mbstring", ["php-mbstring", "php-mbstring", "php", "php-mbstring", "php"]),
        ("curl", ["php-curl", "php-common", "php", "php-curl", "php"]),
        ("simplexml", ["php-xml", "php-xml", "php", "php-simplexml", "php"]),
        ("dom", ["php-xml", "php-xml", "php", "php-dom", "php"]),
        ("xml", ["php-xml", "php-xml", "php", "php-xml", "php"]),
        ("mysqli", ["php-mysql", "php-mysqlnd", "php", "php-mysqli", "php"]),
        ("pg", ["php-pgsql", "php-pgsql", "php-pgsql", "php-pgsql", "php"]),
        ("gd", ["php-gd", "php-gd", "php-gd", "php-gd", "php"]),
        ("imagecreate", ["php-gd", "php-gd", "php-gd", "php-gd", "php"]),
        ("intl", ["php-intl", "php-intl", "php-intl", "php-intl", "php"]),
        ("zip", ["php-zip", "php-zip", "php", "php-zip", "php"]),
        ("bcmath", ["php-bcmath", "php-bcmath", "php", "php-bcmath", "php"]),
        ("gmp", ["php-gmp", "php-gmp", "php", "php-gmp", "php"]),
        ("sqlite3", ["php-sqlite3", "php-pdo", "php-sqlite", "php-sqlite3", "php"]),
        ("soap", ["php-soap", "php-soap", "php", "php-soap", "php"]),
    ];
    let (_, names) = table.iter().find(|(known, _)| *known == name)?;
    let finding = Finding::cause(Confidence::Likely, format!("PHP has no extension {name}."));
    Some(match manager::install(names, world) {
        Some(command) => finding.or(command, "the package with the extension"),
        None => finding,
    })
}
