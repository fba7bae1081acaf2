//! Ruby with bundler, rake and rails; PHP with composer.

use std::path::Path;

use super::manager::{self, Names};
use super::{Rule, pattern, swap};
use crate::reflex::case::Case;
use crate::reflex::finding::{Confidence, Finding};
use crate::reflex::line;
use crate::reflex::typo;
use crate::reflex::world::World;

pub(super) const RULES: &[Rule] = &[
    Rule {
        name: "bundler: gems that are not installed",
        tools: &[],
        signs: &[
            "Run `bundle install` to install missing gems",
            "in locally installed gems",
            "Install missing gem executables with `bundle install`",
            "Bundler::GemNotFound",
        ],
        apply: bundle_install,
    },
    Rule {
        name: "bundler: another version is active",
        tools: &[],
        signs: &["Prepending `bundle exec`"],
        apply: bundle_exec,
    },
    Rule { name: "bundler: no Gemfile", tools: &["bundle"], signs: &["Could not locate Gemfile"], apply: no_gemfile },
    Rule {
        name: "bundler: an unknown command",
        tools: &["bundle"],
        signs: &["Could not find command"],
        apply: bundle_command,
    },
    Rule {
        name: "ruby: a file that cannot be loaded",
        tools: &[],
        signs: &["cannot load such file -- "],
        apply: load_error,
    },
    Rule {
        name: "ruby: a file without its extension",
        tools: &["ruby"],
        signs: &["No such file or directory -- "],
        apply: no_file,
    },
    Rule {
        name: "rails: migrations that are pending",
        tools: &[],
        signs: &["Migrations are pending"],
        apply: migrations,
    },
    Rule {
        name: "rails: no database",
        tools: &[],
        signs: &["ActiveRecord::NoDatabaseError", "We could not find your database"],
        apply: no_database,
    },
    Rule { name: "rake: an unknown task", tools: &[], signs: &["Don't know how to build task"], apply: rake_task },
    Rule {
        name: "rails: an unknown command",
        tools: &["rails"],
        signs: &["Unrecognized command", "Could not find generator"],
        apply: rails_command,
    },
    Rule {
        name: "rubocop: what can be corrected",
        tools: &["rubocop", "bundle"],
        signs: &["autocorrectable", "auto-correctable"],
        apply: rubocop,
    },
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

fn bundle_install(case: &Case<'_>, _: &dyn World) -> Option<Finding> {
    let because = "Gems that the Gemfile asks for are not installed.";
    let is_install = case.tool() == "bundle" && case.word(1).is_none_or(|word| word == "install");
    (!is_install)
        .then(|| Finding::fix(Confidence::Sure, "bundle install", "installs what the Gemfile lists").because(because))
}

fn bundle_exec(case: &Case<'_>, _: &dyn World) -> Option<Finding> {
    let is_bundled = case.tool() == "bundle";
    (!is_bundled).then(|| {
        Finding::fix(Confidence::Sure, case.with_inserted(0, "bundle exec"), "bundler's own advice")
            .because("Another version of a gem is active than the one the Gemfile asks for.")
    })
}

fn no_gemfile(_: &Case<'_>, _: &dyn World) -> Option<Finding> {
    Some(
        Finding::fix(Confidence::Likely, "bundle init", "makes a Gemfile")
            .because("Neither this directory nor one above it holds a Gemfile."),
    )
}

fn bundle_command(case: &Case<'_>, _: &dyn World) -> Option<Finding> {
    let wrong = case.output.captures(pattern!(r#"Could not find command "([^"]+)""#))?.get(1)?.as_str();
    let told = case.output.captures(pattern!(r"Did you mean\?\s+([\w-]+)"));
    let names = [
        "add", "binstubs", "cache", "check", "clean", "config", "console", "doctor", "exec", "gem", "help", "info",
        "init", "install", "licenses", "list", "lock", "open", "outdated", "platform", "plugin", "pristine", "remove",
        "show", "update", "version", "viz",
    ];
    let finding = match told.as_ref().and_then(|found| found.get(1)) {
        Some(meant) => swap::told(case, wrong, [meant.as_str()]),
        None => swap::nearest(case, wrong, names),
    };
    finding.map(|found| found.because(format!("bundler has no command {wrong}.")))
}

/// Files by the gem that has them, where the names differ.
const GEMS: &[(&str, &str)] = &[
    ("active_record", "activerecord"),
    ("active_support", "activesupport"),
    ("action_controller", "actionpack"),
    ("yaml", "psych"),
    ("rspec/core", "rspec"),
    ("capybara/rspec", "capybara"),
    ("bundler/setup", "bundler"),
    ("openssl", "openssl"),
    ("mysql2/mysql2", "mysql2"),
    ("sqlite3/sqlite3_native", "sqlite3"),
];

fn load_error(case: &Case<'_>, world: &dyn World) -> Option<Finding> {
    let file = case.output.captures(pattern!(r"cannot load such file -- (\S+)"))?.get(1)?.as_str();
    if file.starts_with(['/', '.']) {
        return Some(Finding::cause(Confidence::Sure, format!("There is no file {file}.rb.")));
    }
    let gem = GEMS
        .iter()
        .find(|(known, _)| *known == file)
        .map_or_else(|| file.split('/').next().unwrap_or(file), |(_, gem)| gem);
    let because = format!("{file} is neither in a gem that is installed nor where Ruby looks.");
    let has_gemfile = world.kind(Path::new("Gemfile")).is_some();
    let is_listed = world
        .read(Path::new("Gemfile"))
        .is_some_and(|text| text.contains(&format!("\"{gem}\"")) || text.contains(&format!("'{gem}'")));
    let command = match (has_gemfile, is_listed) {
        (true, true) if case.tool() != "bundle" => case.with_inserted(0, "bundle exec"),
        (true, true) => "bundle install".to_owned(),
        (true, false) => format!("bundle add {}", line::quoted(gem)),
        (false, _) => format!("gem install {}", line::quoted(gem)),
    };
    Some(Finding::fix(Confidence::Likely, command, format!("the gem {gem}")).because(because))
}

fn no_file(case: &Case<'_>, world: &dyn World) -> Option<Finding> {
    let wrong = case.output.captures(pattern!(r"No such file or directory -- (\S+)"))?.get(1)?.as_str();
    let index = case.position(wrong)?;
    let with_extension = format!("{wrong}.rb");
    let exists = world.kind(Path::new(&with_extension)).is_some();
    (exists || !wrong.contains('.')).then(|| {
        Finding::fix(Confidence::Likely, case.with_word(index, &with_extension), "the file with its extension")
            .because(format!("There is no file {wrong}."))
    })
}

fn migrations(case: &Case<'_>, _: &dyn World) -> Option<Finding> {
    let told = case.output.captures(pattern!(r"^\s*((?:bin/)?(?:rails|rake) db:migrate(?: RAILS_ENV=\w+)?)\s*$"));
    let command = told.as_ref().and_then(|found| found.get(1)).map_or("bin/rails db:migrate", |found| found.as_str());
    Some(
        Finding::fix(Confidence::Sure, case.with_before(&format!("{command} &&")), "runs the migrations first")
            .because("The database is behind the migrations."),
    )
}

fn no_database(_: &Case<'_>, _: &dyn World) -> Option<Finding> {
    Some(
        Finding::fix(Confidence::Likely, "bin/rails db:create", "creates the database")
            .because("The database that config/database.yml names does not exist."),
    )
}

fn rake_task(case: &Case<'_>, _: &dyn World) -> Option<Finding> {
    let wrong = case.output.captures(pattern!(r"Don't know how to build task '([^']+)'"))?.get(1)?.as_str();
    let told = case.output.captures(pattern!(r"Did you mean\?\s+([\w:-]+)"));
    let usual = [
        "db:create",
        "db:drop",
        "db:migrate",
        "db:reset",
        "db:rollback",
        "db:seed",
        "db:setup",
        "db:schema:load",
        "routes",
        "spec",
        "test",
        "build",
        "install",
        "release",
        "clean",
        "default",
        "assets:precompile",
    ];
    let because = format!("There is no task {wrong}.");
    let finding = match told.as_ref().and_then(|found| found.get(1)) {
        Some(meant) => swap::told(case, wrong, [meant.as_str()]),
        None => swap::nearest(case, wrong, usual),
    };
    Some(
        finding
            .map_or_else(|| Finding::cause(Confidence::Sure, because.clone()), |found| found.because(because.clone())),
    )
}

fn rails_command(case: &Case<'_>, _: &dyn World) -> Option<Finding> {
    let wrong = case
        .output
        .captures(pattern!(r#"(?:Unrecognized command|Could not find generator) ["']([^"']+)["']"#))?
        .get(1)?
        .as_str();
    let told = case.output.captures(pattern!(r"(?:Did you mean\?|Maybe you meant)\s+'?([\w:-]+)"));
    let usual = [
        "about",
        "console",
        "credentials:edit",
        "db:create",
        "db:migrate",
        "db:rollback",
        "db:seed",
        "dbconsole",
        "destroy",
        "generate",
        "new",
        "routes",
        "runner",
        "server",
        "test",
        "controller",
        "migration",
        "model",
        "scaffold",
        "job",
        "mailer",
    ];
    match told.as_ref().and_then(|found| found.get(1)) {
        Some(meant) => swap::told(case, wrong, [meant.as_str()]),
        None => swap::nearest(case, wrong, usual),
    }
}

fn rubocop(case: &Case<'_>, _: &dyn World) -> Option<Finding> {
    let is_rubocop = case.tool() == "rubocop" || case.has_word(&["rubocop"]);
    (is_rubocop && !case.has_word(&["-a", "-A", "--autocorrect"])).then(|| {
        Finding::fix(Confidence::Likely, case.with_inserted(usize::MAX, "-a"), "corrects what is safe to correct")
    })
}

fn composer_command(case: &Case<'_>, _: &dyn World) -> Option<Finding> {
    let wrong = case.output.captures(pattern!(r#"Command "([^"]+)" is (?:not defined|ambiguous)"#))?.get(1)?.as_str();
    let listed = swap::listed(case, "Did you mean");
    let because = format!("{} has no command {wrong}.", case.tool());
    let mut listed = if listed.is_empty() { swap::listed(case, "is ambiguous") } else { listed };
    // Of those it lists, the nearest comes first.
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
        finding =
            finding.or(case.with_word(index, &case.word(index)?.replacen(wrong, name, 1)), "composer suggests it");
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
