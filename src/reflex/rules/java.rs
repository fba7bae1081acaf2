//! java, javac, maven, gradle, sbt, ant and lein.

use std::path::Path;

use super::{Rule, pattern, swap};
use crate::reflex::case::Case;
use crate::reflex::finding::{Confidence, Finding};
use crate::reflex::line;
use crate::reflex::typo;
use crate::reflex::world::World;

const PHASES: &[&str] = &[
    "validate",
    "initialize",
    "generate-sources",
    "process-sources",
    "generate-resources",
    "process-resources",
    "compile",
    "process-classes",
    "generate-test-sources",
    "process-test-sources",
    "test-compile",
    "test",
    "prepare-package",
    "package",
    "integration-test",
    "verify",
    "install",
    "deploy",
    "clean",
    "site",
    "site-deploy",
    "pre-clean",
    "post-clean",
];

const PLUGINS: &[&str] = &[
    "archetype",
    "antrun",
    "assembly",
    "checkstyle",
    "compiler",
    "dependency",
    "deploy",
    "enforcer",
    "exec",
    "failsafe",
    "flyway",
    "help",
    "install",
    "jar",
    "jetty",
    "jib",
    "liquibase",
    "quarkus",
    "release",
    "shade",
    "site",
    "spotless",
    "spring-boot",
    "surefire",
    "versions",
    "wrapper",
];

const TASKS: &[&str] = &[
    "assemble",
    "build",
    "check",
    "classes",
    "clean",
    "compileJava",
    "compileKotlin",
    "dependencies",
    "init",
    "installDist",
    "jar",
    "javadoc",
    "bootRun",
    "bootJar",
    "projects",
    "properties",
    "publish",
    "run",
    "shadowJar",
    "tasks",
    "test",
    "testClasses",
    "wrapper",
    "assembleDebug",
    "assembleRelease",
    "installDebug",
    "lint",
];

pub(super) const RULES: &[Rule] = &[
    Rule {
        name: "java: the name of a class",
        tools: &["java"],
        signs: &["Could not find or load main class"],
        apply: main_class,
    },
    Rule { name: "java: no such jar", tools: &["java"], signs: &["Unable to access jarfile"], apply: no_jar },
    Rule {
        name: "java: no main in a jar",
        tools: &["java"],
        signs: &["no main manifest attribute"],
        apply: no_manifest,
    },
    Rule {
        name: "java: compiled for a newer one",
        tools: &[],
        signs: &["UnsupportedClassVersionError"],
        apply: newer_class,
    },
    Rule {
        name: "javac: a class for a file",
        tools: &["javac"],
        signs: &["are only accepted if annotation processing"],
        apply: javac_class,
    },
    Rule { name: "javac: no such file", tools: &["javac"], signs: &["error: file not found:"], apply: javac_file },
    Rule {
        name: "maven: nothing to do",
        tools: &["mvn", "mvnw"],
        signs: &["No goals have been specified"],
        apply: no_goals,
    },
    Rule {
        name: "maven: an unknown phase",
        tools: &["mvn", "mvnw"],
        signs: &["Unknown lifecycle phase"],
        apply: unknown_phase,
    },
    Rule {
        name: "maven: an unknown plugin",
        tools: &["mvn", "mvnw"],
        signs: &["No plugin found for prefix"],
        apply: unknown_plugin,
    },
    Rule {
        name: "maven: no project",
        tools: &["mvn", "mvnw"],
        signs: &["there is no POM in this directory"],
        apply: no_pom,
    },
    Rule {
        name: "gradle: an unknown task",
        tools: &["gradle", "gradlew"],
        signs: &["not found in ", "is ambiguous in "],
        apply: unknown_task,
    },
    Rule {
        name: "gradle: no build",
        tools: &["gradle", "gradlew"],
        signs: &["does not contain a Gradle build"],
        apply: no_build,
    },
    Rule {
        name: "gradle and maven: the wrapper",
        tools: &["gradle", "mvn"],
        signs: &["not found", "Unknown command"],
        apply: wrapper,
    },
    Rule {
        name: "sbt: an unknown command",
        tools: &["sbt"],
        signs: &["Not a valid command", "Not a valid key"],
        apply: sbt,
    },
    Rule { name: "ant: an unknown target", tools: &["ant"], signs: &["does not exist in the project"], apply: ant },
    Rule { name: "lein: an unknown task", tools: &["lein"], signs: &["is not a task"], apply: lein },
];

fn main_class(case: &Case<'_>, world: &dyn World) -> Option<Finding> {
    let wrong = case.output.captures(pattern!(r"Could not find or load main class ([\w./$-]+)"))?.get(1)?.as_str();
    let index =
        case.position(wrong).or_else(|| case.words().iter().position(|word| word.text.replace('/', ".") == wrong))?;
    let typed = case.word(index)?;
    if let Some(class) = typed.strip_suffix(".class").or_else(|| typed.strip_suffix(".java")) {
        return Some(
            Finding::fix(Confidence::Sure, case.with_word(index, class), "java takes a class, not a file")
                .because(format!("There is no class called {typed}; a class has no extension.")),
        );
    }
    let finding = Finding::cause(Confidence::Likely, format!("There is no class {typed} on the class path."));
    let source = format!("{typed}.java");
    if world.kind(Path::new(&source)).is_some() {
        return Some(finding.or(case.with_before(&format!("javac {} &&", line::quoted(&source))), "compiles it first"));
    }
    let entries = world.entries(Path::new("."));
    let classes = entries.iter().filter_map(|entry| entry.name.strip_suffix(".class"));
    Some(match typo::nearest(typed, classes) {
        Some(meant) => finding.or(case.with_word(index, meant), "the nearest class here"),
        None => finding,
    })
}

fn no_jar(case: &Case<'_>, world: &dyn World) -> Option<Finding> {
    let wrong = case.output.captures(pattern!(r"Unable to access jarfile (.+)$"))?.get(1)?.as_str();
    let index = case.position(wrong)?;
    let name = wrong.rsplit('/').next()?;
    let finding = Finding::cause(Confidence::Sure, format!("There is no file {wrong}."));
    let given = Path::new(wrong).parent().and_then(Path::to_str).unwrap_or_default();
    for directory in [given, "target", "build/libs", "."] {
        let entries = world.entries(Path::new(if directory.is_empty() { "." } else { directory }));
        let jars: Vec<&str> = entries
            .iter()
            .map(|entry| entry.name.as_str())
            .filter(|name| name.ends_with(".jar") && !name.ends_with("-sources.jar"))
            .collect();
        let meant =
            jars.iter().find(|jar| **jar == name).copied().or_else(|| typo::nearest(name, jars.iter().copied()));
        if let Some(meant) = meant {
            let path = if directory.is_empty() || directory == "." {
                meant.to_owned()
            } else {
                format!("{directory}/{meant}")
            };
            return Some(finding.or(case.with_word(index, &path), "the nearest jar"));
        }
    }
    Some(finding)
}

fn no_manifest(case: &Case<'_>, _: &dyn World) -> Option<Finding> {
    let jar = case.output.captures(pattern!(r"no main manifest attribute, in (.+)$"))?.get(1)?.as_str();
    Some(Finding::cause(
        Confidence::Sure,
        format!(
            "{jar} does not say which class to run: name it with java -cp {jar} and the class, or build the jar with a Main-Class."
        ),
    ))
}

fn newer_class(case: &Case<'_>, _: &dyn World) -> Option<Finding> {
    let caught = case.output.captures(pattern!(r"class file version ([0-9]+)(?:\.0)?\).*(?:up to ([0-9]+))"))?;
    let release = |group: usize| {
        caught
            .get(group)
            .and_then(|found| found.as_str().parse::<u32>().ok())
            .map_or(0, |version| version.saturating_sub(44))
    };
    Some(Finding::cause(
        Confidence::Sure,
        format!("It was compiled for Java {}, and this is Java {}.", release(1), release(2)),
    ))
}

fn javac_class(case: &Case<'_>, _: &dyn World) -> Option<Finding> {
    let wrong = case.output.captures(pattern!(r"Class names, '([^']+)'"))?.get(1)?.as_str();
    let index = case.position(wrong)?;
    let is_ending = |ending: &str| ending == "class" || "java".starts_with(ending);
    let name = wrong.rsplit_once('.').filter(|(_, ending)| is_ending(ending)).map_or(wrong, |(name, _)| name);
    Some(
        Finding::fix(Confidence::Sure, case.with_word(index, &format!("{name}.java")), "javac takes files")
            .because(format!("{wrong} is not the name of a source file.")),
    )
}

fn javac_file(case: &Case<'_>, world: &dyn World) -> Option<Finding> {
    let wrong = case.output.captures(pattern!(r"file not found: (.+)$"))?.get(1)?.as_str();
    let path = Path::new(wrong);
    let entries =
        world.entries(path.parent().filter(|parent| !parent.as_os_str().is_empty()).unwrap_or(Path::new(".")));
    let sources = entries.iter().map(|entry| entry.name.as_str()).filter(|name| name.ends_with(".java"));
    let finding = Finding::cause(Confidence::Sure, format!("There is no file {wrong}."));
    let meant = path.file_name().and_then(|name| name.to_str()).and_then(|name| typo::nearest(name, sources));
    Some(match (meant, case.position(wrong)) {
        (Some(meant), Some(index)) => {
            finding.or(case.with_word(index, &path.with_file_name(meant).to_string_lossy()), "the nearest file")
        }
        _ => finding,
    })
}

fn no_goals(case: &Case<'_>, _: &dyn World) -> Option<Finding> {
    let package = case.with_inserted(usize::MAX, "clean package");
    let install = case.with_inserted(usize::MAX, "clean install");
    Some(
        Finding::fix(Confidence::Likely, package, "builds the package")
            .or(install, "and installs it locally")
            .because("maven was not told what to do."),
    )
}

fn unknown_phase(case: &Case<'_>, _: &dyn World) -> Option<Finding> {
    let wrong = case.output.captures(pattern!(r#"Unknown lifecycle phase "([^"]+)""#))?.get(1)?.as_str();
    let told = case.output.captures(pattern!(r"Available lifecycle phases are: ([^.]+)\."));
    let listed: Vec<&str> = told
        .as_ref()
        .and_then(|found| found.get(1))
        .map_or_else(|| PHASES.to_vec(), |found| found.as_str().split(", ").collect());
    let because = format!("maven has no phase {wrong}.");
    let begins = || {
        let meant = PHASES.iter().rfind(|phase| wrong.len() > 2 && phase.starts_with(wrong))?;
        Some(Finding::fix(
            Confidence::Likely,
            case.with_word(case.position(wrong)?, meant),
            format!("{meant} begins so"),
        ))
    };
    begins().or_else(|| swap::nearest(case, wrong, listed)).map_or_else(
        || Some(Finding::cause(Confidence::Sure, because.clone())),
        |found| Some(found.because(because.clone())),
    )
}

fn unknown_plugin(case: &Case<'_>, _: &dyn World) -> Option<Finding> {
    let wrong = case.output.captures(pattern!(r"No plugin found for prefix '([^']+)'"))?.get(1)?.as_str();
    let index = case.words().iter().position(|word| word.text.starts_with(&format!("{wrong}:")))?;
    let meant = typo::nearest(wrong, PLUGINS.iter().copied())?;
    let goal = format!("{meant}{}", &case.word(index)?[wrong.len()..]);
    Some(
        Finding::fix(Confidence::Likely, case.with_word(index, &goal), "the nearest plugin")
            .because(format!("maven knows no plugin {wrong}.")),
    )
}

/// A subdirectory that contains this file.
fn below(file: &str, world: &dyn World) -> Option<String> {
    let entries = world.entries(Path::new("."));
    let mut found =
        entries.into_iter().take(60).filter(|entry| world.kind(&Path::new(&entry.name).join(file)).is_some());
    let first = found.next()?;
    found.next().is_none().then_some(first.name)
}

fn no_pom(case: &Case<'_>, world: &dyn World) -> Option<Finding> {
    let finding = Finding::cause(Confidence::Sure, "There is no pom.xml in this directory.");
    if let Some(directory) = below("pom.xml", world) {
        return Some(
            finding.or(
                case.with_inserted(1, &format!("-f {}", line::quoted(&directory))),
                format!("{directory} holds one"),
            ),
        );
    }
    let is_above = world.kind(Path::new("../pom.xml")).is_some();
    Some(if is_above { finding.or(case.with_inserted(1, "-f .."), "the directory above holds one") } else { finding })
}

fn unknown_task(case: &Case<'_>, _: &dyn World) -> Option<Finding> {
    let wrong = case.output.captures(pattern!(r"Task '([^']+)' (?:not found|is ambiguous) in "))?.get(1)?.as_str();
    let because = format!("The project has no task {wrong}.");
    let told = case.output.captures(pattern!(r"[Cc]andidates are: (.+?)\.?$"));
    let index = case.words().iter().position(|word| word.text == wrong || word.text.ends_with(&format!(":{wrong}")))?;
    if let Some(told) = told {
        let names: Vec<&str> = told
            .get(1)?
            .as_str()
            .split(", ")
            .map(|name| name.trim_matches(['\'', ' ', '.']))
            .filter(|name| !name.is_empty())
            .collect();
        let mut ordered = typo::meant(wrong, names.iter().copied());
        ordered.extend(names.iter().filter(|name| !typo::meant(wrong, [**name]).contains(name)));
        let typed = case.word(index)?;
        let mut finding = Finding::cause(Confidence::Sure, because);
        for name in ordered.into_iter().take(3) {
            finding = finding.or(case.with_word(index, &typed.replace(wrong, name)), "gradle suggests it");
        }
        return Some(finding);
    }
    let finding = swap::nearest_at(case, index, wrong, TASKS.iter().copied());
    Some(
        finding
            .map_or_else(|| Finding::cause(Confidence::Sure, because.clone()), |found| found.because(because.clone())),
    )
}

fn no_build(case: &Case<'_>, world: &dyn World) -> Option<Finding> {
    let finding = Finding::cause(Confidence::Sure, "There is no Gradle build in this directory.");
    let directory = below("settings.gradle", world)
        .or_else(|| below("settings.gradle.kts", world))
        .or_else(|| below("build.gradle", world));
    Some(match directory {
        Some(directory) => finding
            .or(case.with_inserted(1, &format!("-p {}", line::quoted(&directory))), format!("{directory} holds one")),
        None => finding,
    })
}

fn wrapper(case: &Case<'_>, world: &dyn World) -> Option<Finding> {
    let name = case.tool();
    let is_missing = case
        .output
        .lines()
        .iter()
        .any(|line| line.contains(name) && line.contains("not found") || line.contains("Unknown command"));
    let wrapper = if name == "gradle" { "gradlew" } else { "mvnw" };
    let is_here = world.kind(Path::new(wrapper)).is_some();
    (is_missing && is_here).then(|| {
        Finding::fix(
            Confidence::Sure,
            case.with_word(0, &format!("./{wrapper}")),
            "the wrapper that came with the project",
        )
        .because(format!("{name} is not installed."))
    })
}

fn sbt(case: &Case<'_>, _: &dyn World) -> Option<Finding> {
    let caught = case.output.captures(pattern!(r"Not a valid (?:command|key): ([\w-]+) \(similar: ([^)]+)\)"))?;
    swap::told(case, caught.get(1)?.as_str(), caught.get(2)?.as_str().split(", ").take(3))
}

fn ant(case: &Case<'_>, world: &dyn World) -> Option<Finding> {
    let wrong = case.output.captures(pattern!(r#"Target "([^"]+)" does not exist"#))?.get(1)?.as_str();
    let text = world.read(Path::new("build.xml")).unwrap_or_default();
    let names: Vec<&str> = pattern!(r#"<target[^>]*?\sname="([^"]+)""#)
        .captures_iter(&text)
        .filter_map(|found| Some(found.get(1)?.as_str()))
        .collect();
    let finding = swap::nearest(case, wrong, names);
    let because = format!("build.xml has no target {wrong}.");
    Some(
        finding
            .map_or_else(|| Finding::cause(Confidence::Sure, because.clone()), |found| found.because(because.clone())),
    )
}

fn lein(case: &Case<'_>, _: &dyn World) -> Option<Finding> {
    let wrong = case.output.captures(pattern!(r"'([^']+)' is not a task"))?.get(1)?.as_str();
    let listed = swap::listed(case, "Did you mean this?");
    let finding = if listed.is_empty() {
        swap::nearest(
            case,
            wrong,
            [
                "check",
                "classpath",
                "clean",
                "compile",
                "deploy",
                "deps",
                "do",
                "help",
                "install",
                "jar",
                "javac",
                "new",
                "pom",
                "repl",
                "run",
                "search",
                "test",
                "uberjar",
                "update-in",
                "upgrade",
                "version",
            ],
        )
    } else {
        swap::told(case, wrong, listed)
    };
    finding.map(|found| found.because(format!("leiningen has no task {wrong}.")))
}
