//! Ruby with bundler, rake and rails.

use std::path::Path;

use super::{Rule, known, pattern, swap};
use crate::reflex::case::Case;
use crate::reflex::finding::{Confidence, Finding};
use crate::reflex::line;
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
];

fn bundle_install(case: &Case<'_>, _: &dyn World) -> Option<Finding> {
    let because = "Gems that the Gemfile requires are not installed.";
    let is_install = case.tool() == "bundle" && case.word(1).is_none_or(|word| word == "install");
    (!is_install)
        .then(|| Finding::fix(Confidence::Sure, "bundle install", "installs what the Gemfile lists").because(because))
}

fn bundle_exec(case: &Case<'_>, _: &dyn World) -> Option<Finding> {
    let is_bundled = case.tool() == "bundle";
    (!is_bundled).then(|| {
        Finding::fix(Confidence::Sure, case.with_inserted(0, "bundle exec"), "bundler's own advice")
            .because("The active version of a gem is not the one that the Gemfile requires.")
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

/// Files and the gems that contain them, where the names differ.
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
    if !is_listed && !known::RUBY.has(gem) && GEMS.iter().all(|(_, known)| *known != gem) {
        return Some(Finding::cause(Confidence::Likely, format!("{because} {}", known::RUBY.doubt(gem))));
    }
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
