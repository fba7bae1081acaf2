//! Task runners and build tools: gulp, grunt, just, task, bazel, mix, cabal, stack, flutter, dart, dotnet, fab, deno, swift.

use std::path::Path;

use super::{Rule, pattern, swap};
use crate::reflex::case::Case;
use crate::reflex::finding::{Confidence, Finding};
use crate::reflex::line;
use crate::reflex::typo;
use crate::reflex::world::World;

pub(super) const RULES: &[Rule] = &[
    Rule {
        name: "gulp: an unknown task",
        tools: &["gulp", "npx", "yarn"],
        signs: &["is not in your gulpfile", "Task never defined:"],
        apply: gulp,
    },
    Rule {
        name: "grunt: an unknown task",
        tools: &["grunt", "npx", "yarn"],
        signs: &["not found. Use --force to continue"],
        apply: grunt,
    },
    Rule {
        name: "just: an unknown recipe",
        tools: &["just"],
        signs: &["does not contain recipe", "does not contain recipes"],
        apply: just,
    },
    Rule { name: "just: no justfile", tools: &["just"], signs: &["No justfile found"], apply: no_justfile },
    Rule {
        name: "task: an unknown task",
        tools: &["task", "go-task"],
        signs: &["does not exist", "not found"],
        apply: taskfile,
    },
    Rule {
        name: "bazel: an unknown command",
        tools: &["bazel", "bazelisk"],
        signs: &["' not found. Try 'bazel help'"],
        apply: bazel_command,
    },
    Rule {
        name: "bazel: an unknown target",
        tools: &["bazel", "bazelisk"],
        signs: &["did you mean "],
        apply: bazel_target,
    },
    Rule { name: "mix: an unknown task", tools: &["mix"], signs: &["could not be found"], apply: mix },
    Rule {
        name: "mix: dependencies that are missing",
        tools: &["mix", "iex"],
        signs: &["mix deps.get"],
        apply: mix_deps,
    },
    Rule { name: "mix: no project", tools: &["mix"], signs: &["Could not find a Mix.Project"], apply: mix_project },
    Rule {
        name: "cabal: an unknown command",
        tools: &["cabal"],
        signs: &["unrecognised command", "unrecognized command"],
        apply: cabal,
    },
    Rule {
        name: "haskell: a hidden package",
        tools: &["ghc", "cabal", "stack", "runghc", "runhaskell"],
        signs: &["Could not find module"],
        apply: haskell_module,
    },
    Rule {
        name: "flutter: an unknown command",
        tools: &["flutter", "dart"],
        signs: &["Could not find a command named", "Could not find a subcommand named"],
        apply: flutter,
    },
    Rule {
        name: "flutter: packages that are missing",
        tools: &["flutter", "dart"],
        signs: &["flutter pub get", "dart pub get"],
        apply: pub_get,
    },
    Rule {
        name: "dotnet: an unknown command",
        tools: &["dotnet"],
        signs: &[
            "You misspelled a built-in dotnet command",
            "Could not execute because the specified command",
            "No executable found matching command",
        ],
        apply: dotnet,
    },
    Rule {
        name: "dotnet: no project",
        tools: &["dotnet"],
        signs: &["MSB1003", "Couldn't find a project to run", "Could not find any project in"],
        apply: dotnet_project,
    },
    Rule { name: "fab: an unknown task", tools: &["fab"], signs: &["not found:", "No idea what"], apply: fab },
];

fn gulp(case: &Case<'_>, world: &dyn World) -> Option<Finding> {
    let caught =
        case.output.captures(pattern!(r#"(?:Task '([^']+)' is not in your gulpfile|Task never defined: (\S+))"#))?;
    let wrong = caught.iter().skip(1).flatten().next()?.as_str();
    let text = ["gulpfile.js", "gulpfile.mjs", "gulpfile.ts", "gulpfile.cjs"]
        .iter()
        .find_map(|name| world.read(Path::new(name)))
        .unwrap_or_default();
    let defined = pattern!(
        r#"(?:gulp\.task\(\s*['"]([\w:.-]+)['"]|exports\.(\w+)\s*=|export (?:const|function|async function) (\w+))"#
    );
    let names: Vec<&str> = defined
        .captures_iter(&text)
        .filter_map(|found| found.iter().skip(1).flatten().next().map(|name| name.as_str()))
        .collect();
    let told = case.output.captures(pattern!(r"Did you mean\?? ([\w:., -]+)"));
    let because = format!("The gulpfile has no task {wrong}.");
    let finding = match told.as_ref().and_then(|found| found.get(1)) {
        Some(told) => swap::told(case, wrong, told.as_str().split(", ").take(3)),
        None if text.is_empty() => swap::nearest(
            case,
            wrong,
            ["build", "clean", "default", "dev", "serve", "test", "watch", "lint", "styles", "scripts"],
        ),
        None => swap::nearest(case, wrong, names),
    };
    Some(
        finding
            .map_or_else(|| Finding::cause(Confidence::Sure, because.clone()), |found| found.because(because.clone())),
    )
}

fn grunt(case: &Case<'_>, world: &dyn World) -> Option<Finding> {
    let wrong = case.output.captures(pattern!(r#"Task "([^"]+)" not found"#))?.get(1)?.as_str();
    let index = case.position(wrong)?;
    let text = ["Gruntfile.js", "Gruntfile.coffee", "Gruntfile.ts"]
        .iter()
        .find_map(|name| world.read(Path::new(name)))
        .unwrap_or_default();
    let registered = pattern!(
        r#"registerTask\(\s*['"]([\w:.-]+)['"]|loadNpmTasks\(\s*['"]grunt-(?:contrib-)?([\w-]+)['"]|^\s{2,8}(\w+):\s*\{"#
    );
    let mut names: Vec<&str> = text
        .lines()
        .flat_map(|line| registered.captures(line))
        .filter_map(|found| found.iter().skip(1).flatten().next().map(|name| name.as_str()))
        .collect();
    if text.is_empty() {
        names = vec![
            "build", "clean", "concat", "copy", "default", "jshint", "serve", "test", "uglify", "watch", "compass",
            "sass", "less", "connect",
        ];
    }
    let because = format!("The Gruntfile has no task {wrong}.");
    let (task, rest) = wrong.split_once(':').map_or((wrong, ""), |(task, _)| (task, &wrong[task.len()..]));
    Some(match typo::nearest(task, names) {
        Some(meant) => {
            Finding::fix(Confidence::Likely, case.with_word(index, &format!("{meant}{rest}")), "the nearest task")
                .because(because)
        }
        None => Finding::cause(Confidence::Sure, because),
    })
}

fn just(case: &Case<'_>, world: &dyn World) -> Option<Finding> {
    let wrong = case.output.captures(pattern!(r"(?i)justfile does not contain recipes? `([^`]+)`"))?.get(1)?.as_str();
    let because = format!("The justfile has no recipe {wrong}.");
    if let Some(told) = case.output.captures(pattern!(r"Did you mean `([^`]+)`")) {
        return swap::told(case, wrong, [told.get(1)?.as_str()]).map(|found| found.because(because));
    }
    let text =
        ["justfile", "Justfile", ".justfile"].iter().find_map(|name| world.read(Path::new(name))).unwrap_or_default();
    let recipe = pattern!(r"^@?([A-Za-z_][\w-]*)(?:\s[^:]*)?:(?:[^=]|$)");
    let names: Vec<&str> = text.lines().filter_map(|line| Some(recipe.captures(line)?.get(1)?.as_str())).collect();
    let finding = swap::nearest(case, wrong, names);
    Some(
        finding
            .map_or_else(|| Finding::cause(Confidence::Sure, because.clone()), |found| found.because(because.clone())),
    )
}

fn no_justfile(case: &Case<'_>, world: &dyn World) -> Option<Finding> {
    let finding = Finding::cause(Confidence::Sure, "Neither this directory nor one above it holds a justfile.");
    let has_makefile = ["Makefile", "makefile", "GNUmakefile"].iter().any(|name| world.kind(Path::new(name)).is_some());
    Some(if has_makefile { finding.or(case.with_word(0, "make"), "there is a makefile") } else { finding })
}

fn taskfile(case: &Case<'_>, _: &dyn World) -> Option<Finding> {
    let caught = case
        .output
        .captures(pattern!(r#"[Tt]ask "([^"]+)" (?:does not exist|not found)(?:\. Did you mean "([^"]+)")?"#))?;
    swap::told(case, caught.get(1)?.as_str(), [caught.get(2)?.as_str()])
}

fn bazel_command(case: &Case<'_>, _: &dyn World) -> Option<Finding> {
    let wrong = case.output.captures(pattern!(r"Command '([^']+)' not found"))?.get(1)?.as_str();
    let names = [
        "analyze-profile",
        "aquery",
        "build",
        "canonicalize-flags",
        "clean",
        "config",
        "coverage",
        "cquery",
        "dump",
        "fetch",
        "help",
        "info",
        "license",
        "mobile-install",
        "mod",
        "query",
        "run",
        "shutdown",
        "sync",
        "test",
        "vendor",
        "version",
    ];
    swap::nearest(case, wrong, names).map(|found| found.because(format!("bazel has no command {wrong}.")))
}

fn bazel_target(case: &Case<'_>, _: &dyn World) -> Option<Finding> {
    let caught = case.output.captures(pattern!(r"no such target '([^']+)'.*did you mean '?([^'?)]+)"))?;
    let wrong = caught.get(1)?.as_str();
    let meant = caught.get(2)?.as_str().rsplit([':', '/']).next()?;
    let index = case
        .position(wrong)
        .or_else(|| case.words().iter().position(|word| wrong.ends_with(&word.text) && word.text.contains(':')))?;
    let typed = case.word(index)?;
    let package = typed.rsplit_once(':')?.0;
    Some(
        Finding::fix(Confidence::Sure, case.with_word(index, &format!("{package}:{meant}")), "bazel suggests it")
            .because(format!("The package has no target {wrong}.")),
    )
}

fn mix(case: &Case<'_>, _: &dyn World) -> Option<Finding> {
    let caught =
        case.output.captures(pattern!(r#"The task "([^"]+)" could not be found\.?(?: Did you mean "([^"]+)"\?)?"#))?;
    let wrong = caught.get(1)?.as_str();
    let because = format!("mix has no task {wrong}.");
    let names = [
        "app.start",
        "archive.install",
        "clean",
        "cmd",
        "compile",
        "deps",
        "deps.compile",
        "deps.get",
        "deps.update",
        "do",
        "ecto.create",
        "ecto.gen.migration",
        "ecto.migrate",
        "ecto.reset",
        "ecto.rollback",
        "escript.build",
        "format",
        "help",
        "hex.info",
        "local.hex",
        "new",
        "phx.new",
        "phx.routes",
        "phx.server",
        "release",
        "run",
        "test",
    ];
    let finding = match caught.get(2) {
        Some(meant) => swap::told(case, wrong, [meant.as_str()]),
        None => swap::nearest(case, wrong, names),
    };
    Some(
        finding
            .map_or_else(|| Finding::cause(Confidence::Sure, because.clone()), |found| found.because(because.clone())),
    )
}

fn mix_deps(case: &Case<'_>, _: &dyn World) -> Option<Finding> {
    let is_itself = case.has_word(&["deps.get"]);
    (!is_itself).then(|| {
        Finding::fix(Confidence::Sure, "mix deps.get", "fetches the dependencies")
            .because("Dependencies of mix.exs have not been fetched.")
    })
}

fn mix_project(_: &Case<'_>, _: &dyn World) -> Option<Finding> {
    Some(Finding::cause(Confidence::Sure, "There is no mix.exs in this directory."))
}

fn cabal(case: &Case<'_>, _: &dyn World) -> Option<Finding> {
    let wrong = case.output.captures(pattern!(r"unrecogni[sz]ed command: ([\w-]+)"))?.get(1)?.as_str();
    let told = case.output.captures(pattern!(r"Maybe you meant `([^`]+)`"));
    let names = [
        "bench",
        "build",
        "check",
        "clean",
        "configure",
        "exec",
        "freeze",
        "get",
        "haddock",
        "info",
        "init",
        "install",
        "list",
        "outdated",
        "repl",
        "run",
        "sdist",
        "test",
        "update",
        "upload",
    ];
    match told.as_ref().and_then(|found| found.get(1)) {
        Some(meant) => swap::told(case, wrong, [meant.as_str()]),
        None => swap::nearest(case, wrong, names),
    }
}

fn haskell_module(case: &Case<'_>, _: &dyn World) -> Option<Finding> {
    let module = case.output.captures(pattern!(r"Could not find module [‘`']([\w.]+)"))?.get(1)?.as_str();
    let package = case.output.captures(pattern!(r"member of the hidden package [‘`']([\w-]+?)-[0-9.]+"));
    let because = format!("No installed package contains the module {module}.");
    Some(match package {
        Some(package) if case.tool() == "ghc" || case.tool().starts_with("run") => Finding::fix(
            Confidence::Likely,
            case.with_inserted(1, &format!("-package {}", &package[1])),
            "uses the package",
        )
        .because(because),
        Some(package) => Finding::cause(Confidence::Sure, format!("{because} Add {} to build-depends.", &package[1])),
        None => Finding::cause(Confidence::Sure, because),
    })
}

fn flutter(case: &Case<'_>, _: &dyn World) -> Option<Finding> {
    let wrong = case.output.captures(pattern!(r#"Could not find a (?:sub)?command named "([^"]+)""#))?.get(1)?.as_str();
    let listed = swap::listed(case, "Did you mean");
    let because = format!("{} has no command {wrong}.", case.tool());
    let names = [
        "analyze",
        "assemble",
        "attach",
        "build",
        "channel",
        "clean",
        "config",
        "create",
        "devices",
        "doctor",
        "downgrade",
        "drive",
        "emulators",
        "gen-l10n",
        "install",
        "logs",
        "pub",
        "run",
        "screenshot",
        "symbolize",
        "test",
        "upgrade",
        "compile",
        "fix",
        "format",
        "info",
        "get",
        "add",
        "outdated",
    ];
    let finding = if listed.is_empty() {
        swap::nearest(case, wrong, names)
    } else {
        swap::told(case, wrong, listed.into_iter().take(3))
    };
    finding.map(|found| found.because(because))
}

fn pub_get(case: &Case<'_>, _: &dyn World) -> Option<Finding> {
    let command = if case.output.says("flutter pub get") { "flutter pub get" } else { "dart pub get" };
    let is_itself = case.has_word(&["get"]);
    (!is_itself).then(|| {
        Finding::fix(Confidence::Sure, command, "fetches the packages")
            .because("Packages of pubspec.yaml have not been fetched.")
    })
}

fn dotnet(case: &Case<'_>, _: &dyn World) -> Option<Finding> {
    let (_, wrong) = case.subcommand()?;
    if wrong == "ef" || case.output.says("\"dotnet-ef\"") {
        return Some(
            Finding::fix(Confidence::Sure, "dotnet tool install --global dotnet-ef", "installs the tool")
                .because("dotnet ef is a separate tool, which is not installed."),
        );
    }
    let names = [
        "add",
        "build",
        "build-server",
        "clean",
        "dev-certs",
        "format",
        "fsi",
        "help",
        "list",
        "msbuild",
        "new",
        "nuget",
        "pack",
        "package",
        "publish",
        "reference",
        "remove",
        "restore",
        "run",
        "sdk",
        "sln",
        "store",
        "test",
        "tool",
        "user-secrets",
        "vstest",
        "watch",
        "workload",
    ];
    if names.contains(&wrong) {
        return None;
    }
    swap::nearest(case, wrong, names).map(|found| found.because(format!("dotnet has no command {wrong}.")))
}

fn dotnet_project(case: &Case<'_>, world: &dyn World) -> Option<Finding> {
    let finding = Finding::cause(Confidence::Sure, "There is no project or solution in this directory.");
    let is_project = |name: &str| [".csproj", ".fsproj", ".vbproj"].iter().any(|extension| name.ends_with(extension));
    let entries = world.entries(Path::new("."));
    let directories = entries.iter().take(60).map(|entry| entry.name.as_str()).filter(|name| !name.starts_with('.'));
    let mut with_project =
        directories.filter(|name| world.entries(Path::new(name)).iter().any(|entry| is_project(&entry.name)));
    let (Some(first), None) = (with_project.next(), with_project.next()) else { return Some(finding) };
    let (index, name) = case.subcommand()?;
    let argument = if matches!(name, "run" | "watch") {
        format!("--project {}", line::quoted(first))
    } else {
        line::quoted(first)
    };
    Some(finding.or(case.with_inserted(index + 1, &argument), format!("{first} holds one")))
}

/// fabric lists the task that it did not find, and the tasks that exist.
fn fab(case: &Case<'_>, world: &dyn World) -> Option<Finding> {
    let idea = case.output.captures(pattern!(r"No idea what '([^']+)' is"));
    let wrong: Vec<&str> = match idea.as_ref().and_then(|found| found.get(1)) {
        Some(name) => vec![name.as_str()],
        None => swap::listed(case, "ommand(s) not found:"),
    };
    let listed = swap::listed(case, "Available commands:");
    let text = world.read(Path::new("fabfile.py")).unwrap_or_default();
    let defined = text.lines().filter_map(|line| line.strip_prefix("def ")?.split('(').next());
    let names: Vec<&str> = listed.into_iter().chain(defined).collect();
    let mut line = case.line.text().to_owned();
    for word in case.words().iter().skip(1).rev() {
        let task = word.text.split(':').next().unwrap_or_default();
        if !wrong.contains(&task) || !case.line.text()[word.span.clone()].starts_with(task) {
            continue;
        }
        let whole = || names.iter().find(|name| task.len() > 3 && name.split('_').any(|part| is_near(task, part)));
        let Some(meant) = typo::nearest(task, names.iter().copied()).or_else(|| whole().copied()) else { continue };
        line.replace_range(word.span.start..word.span.start + task.len(), meant);
    }
    let cause = format!("The fabfile has no task {}.", wrong.first()?);
    Some(Finding::fix(Confidence::Likely, line, "the nearest task").because(cause))
}

fn is_near(task: &str, part: &str) -> bool {
    typo::nearest(task, [part]).is_some()
}
