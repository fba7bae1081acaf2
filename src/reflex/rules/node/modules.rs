//! JavaScript modules that are missing, and programs that scripts call.

use std::path::Path;

use crate::reflex::case::Case;
use crate::reflex::finding::{Confidence, Finding};
use crate::reflex::line;
use crate::reflex::rules::{Rule, known, pattern};
use crate::reflex::typo;
use crate::reflex::world::World;

pub(in crate::reflex::rules) const RULES: &[Rule] = &[
    Rule {
        name: "node: a module that is not there",
        tools: &[],
        signs: &[
            "Cannot find module",
            "Cannot find package",
            "Can't resolve '",
            "ailed to resolve import",
            "Could not resolve \"",
        ],
        apply: missing_module,
    },
    Rule {
        name: "tsc: types that are missing",
        tools: &[],
        signs: &["Could not find a declaration file for module"],
        apply: missing_types,
    },
    Rule {
        name: "node: programs of packages",
        tools: &["npm", "yarn", "pnpm", "bun"],
        signs: &[": not found", "command not found", "is not recognized"],
        apply: missing_program,
    },
    Rule {
        name: "tsc: not the compiler",
        tools: &[],
        signs: &["This is not the tsc command you are looking for"],
        apply: not_tsc,
    },
    Rule {
        name: "node: import in a script",
        tools: &[],
        signs: &["Cannot use import statement outside a module"],
        apply: import_outside,
    },
    Rule {
        name: "node: require in a module",
        tools: &[],
        signs: &["require is not defined in ES module scope", "ERR_REQUIRE_ESM"],
        apply: require_inside,
    },
    Rule {
        name: "node: a TypeScript file",
        tools: &["node"],
        signs: &["ERR_UNKNOWN_FILE_EXTENSION"],
        apply: typescript,
    },
];

/// The command that installs packages with this project's package manager.
pub(super) fn installer(world: &dyn World) -> &'static str {
    let has = |name: &str| world.kind(Path::new(name)).is_some();
    match () {
        () if has("pnpm-lock.yaml") => "pnpm add",
        () if has("yarn.lock") => "yarn add",
        () if has("bun.lockb") || has("bun.lock") => "bun add",
        () => "npm install",
    }
}

/// The name of the package in a module's path; nothing for a file or a module of node itself.
fn package(module: &str) -> Option<&str> {
    if module.is_empty()
        || module.starts_with(['.', '/', '~', '#'])
        || module.starts_with("node:")
        || module.starts_with("@/")
        || module.contains('\\')
    {
        return None;
    }
    let parts = if module.starts_with('@') { 2 } else { 1 };
    let end = module.match_indices('/').nth(parts - 1).map_or(module.len(), |(at, _)| at);
    Some(&module[..end])
}

/// Whether package.json lists a package.
fn is_listed(name: &str, world: &dyn World) -> bool {
    world.read(Path::new("package.json")).is_some_and(|text| text.contains(&format!("\"{name}\"")))
}

fn missing_module(case: &Case<'_>, world: &dyn World) -> Option<Finding> {
    let caught = case.output.captures(pattern!(r#"(?:Cannot find module|Cannot find package|Can't resolve|[Ff]ailed to resolve import|Could not resolve) ['"]([^'"]+)['"]"#))?;
    let module = caught.get(1)?.as_str();
    let Some(name) = package(module) else { return missing_file(case, module, world) };
    // A plain name may be a file below a base directory that the project has configured.
    let is_ours = world.kind(Path::new("src").join(name).as_path()).is_some();
    if is_ours {
        return Some(Finding::cause(
            Confidence::Likely,
            format!("{module} is looked for among packages; a file of the project begins with ./ or an alias."),
        ));
    }
    let installer = installer(world);
    let manager = installer.split(' ').next().unwrap_or("npm");
    if is_listed(name, world) {
        let because = format!("package.json asks for {name}, but it is not installed.");
        return Some(
            Finding::fix(Confidence::Sure, format!("{manager} install"), "installs what package.json lists")
                .because(because),
        );
    }
    let cause = format!("The package {name} is not installed.");
    if !known::NODE.has(name) {
        return Some(Finding::cause(Confidence::Likely, format!("{cause} {}", known::NODE.doubt(name))));
    }
    Some(
        Finding::fix(Confidence::Likely, format!("{installer} {}", line::quoted(name)), format!("installs {name}"))
            .because(cause),
    )
}

/// `node indx.js`: this file is missing, or a file that it imports.
fn missing_file(case: &Case<'_>, module: &str, world: &dyn World) -> Option<Finding> {
    let finding = Finding::cause(
        Confidence::Sure,
        format!("There is no file {module}, with or without one of the usual extensions."),
    );
    let is_node = matches!(case.tool(), "node" | "nodemon" | "ts-node" | "tsx" | "deno" | "bun");
    let index = case
        .words()
        .iter()
        .skip(1)
        .position(|word| {
            !word.text.starts_with('-')
                && (module.ends_with(&format!("/{}", word.text.trim_start_matches("./"))) || word.text == module)
        })
        .map(|at| at + 1);
    let Some(index) = index.filter(|_| is_node) else { return Some(finding) };
    let typed = Path::new(case.word(index)?);
    let name = typed.file_name()?.to_str()?;
    let directory = typed.parent().filter(|parent| !parent.as_os_str().is_empty()).unwrap_or(Path::new("."));
    let entries = world.entries(directory);
    let names: Vec<&str> = entries
        .iter()
        .map(|entry| entry.name.as_str())
        .filter(|name| [".js", ".mjs", ".cjs", ".ts"].iter().any(|extension| name.ends_with(extension)))
        .collect();
    Some(match typo::nearest(name, names) {
        Some(meant) => {
            finding.or(case.with_word(index, &typed.with_file_name(meant).to_string_lossy()), "the nearest file")
        }
        None => finding,
    })
}

fn missing_types(case: &Case<'_>, world: &dyn World) -> Option<Finding> {
    let module =
        case.output.captures(pattern!(r"Could not find a declaration file for module '([^']+)'"))?.get(1)?.as_str();
    let name = package(module)?;
    let types = name.strip_prefix('@').map_or_else(|| name.to_owned(), |scoped| scoped.replacen('/', "__", 1));
    let dev = match installer(world) {
        "npm install" => "npm install --save-dev",
        "yarn add" => "yarn add --dev",
        "bun add" => "bun add --dev",
        _ => "pnpm add --save-dev",
    };
    Some(
        Finding::fix(Confidence::Likely, format!("{dev} @types/{types}"), "the types of the package")
            .because(format!("{name} comes without types.")),
    )
}

/// Programs and the packages that contain them, where the names differ.
const PROGRAMS: &[(&str, &str)] = &[
    ("tsc", "typescript"),
    ("ng", "@angular/cli"),
    ("vue-cli-service", "@vue/cli-service"),
    ("webpack", "webpack webpack-cli"),
    ("nest", "@nestjs/cli"),
    ("sls", "serverless"),
    ("babel", "@babel/cli @babel/core"),
    ("cap", "@capacitor/cli"),
    ("storybook", "storybook"),
    ("expo", "expo"),
    ("playwright", "@playwright/test"),
    ("remix", "@remix-run/dev"),
    ("rw", "@redwoodjs/cli"),
    ("svelte-kit", "@sveltejs/kit"),
    ("swc", "@swc/cli @swc/core"),
    ("run-p", "npm-run-all"),
    ("run-s", "npm-run-all"),
    ("graphql-codegen", "@graphql-codegen/cli"),
    ("changeset", "@changesets/cli"),
    ("biome", "@biomejs/biome"),
];

const SAME: &[&str] = &[
    "vite",
    "next",
    "nuxt",
    "jest",
    "mocha",
    "eslint",
    "prettier",
    "react-scripts",
    "ts-node",
    "tsx",
    "nodemon",
    "cross-env",
    "rimraf",
    "concurrently",
    "vitest",
    "rollup",
    "esbuild",
    "gulp",
    "grunt",
    "parcel",
    "husky",
    "astro",
    "gatsby",
    "tsup",
    "turbo",
    "nx",
    "lerna",
    "cypress",
    "prisma",
    "electron",
    "serve",
    "npm-run-all",
    "env-cmd",
    "tailwindcss",
    "postcss",
    "sass",
    "stylelint",
    "karma",
    "ava",
    "c8",
    "nyc",
    "pm2",
    "http-server",
];

fn missing_program(case: &Case<'_>, world: &dyn World) -> Option<Finding> {
    let caught = case.output.captures(pattern!(r"(?:^sh: (?:line )?(?:[0-9]+: )?([\w@./-]+): (?:command )?not found|^'([^']+)' is not recognized|^/bin/sh: (?:[0-9]+: )?([\w@./-]+): (?:command )?not found|^\S*sh: command not found: ([\w@./-]+))"))?;
    let name = caught.iter().skip(1).flatten().next()?.as_str();
    if MANAGER_NAMES.contains(&name) {
        return None;
    }
    let package = PROGRAMS
        .iter()
        .find(|(program, _)| *program == name)
        .map(|(_, package)| *package)
        .or_else(|| SAME.iter().find(|known| **known == name).copied());
    let installer = installer(world);
    let manager = if installer.starts_with("npm") { case.tool() } else { installer.split(' ').next().unwrap_or("npm") };
    let is_bare = world.kind(Path::new("node_modules")).is_none();
    let listed = package.is_some_and(|package| is_listed(package.split(' ').next().unwrap_or(package), world));
    if listed || is_bare {
        let because =
            format!("The script calls {name}, which is not installed: node_modules is missing or incomplete.");
        return Some(
            Finding::fix(Confidence::Likely, format!("{manager} install"), "installs what package.json lists")
                .because(because),
        );
    }
    let package = package?;
    let save = if manager == "npm" { "npm install --save-dev".to_owned() } else { format!("{manager} add --dev") };
    Some(
        Finding::fix(Confidence::Likely, format!("{save} {package}"), format!("installs {name}"))
            .because(format!("The script calls {name}, which is not installed.")),
    )
}

const MANAGER_NAMES: &[&str] = &["npm", "yarn", "pnpm", "bun", "node"];

fn not_tsc(_: &Case<'_>, world: &dyn World) -> Option<Finding> {
    let dev = if installer(world).starts_with("npm") {
        "npm install --save-dev".to_owned()
    } else {
        format!("{} --dev", installer(world))
    };
    Some(
        Finding::fix(Confidence::Sure, format!("{dev} typescript"), "the package with the compiler")
            .because("TypeScript is not installed here; npx found another package called tsc."),
    )
}

fn import_outside(_: &Case<'_>, _: &dyn World) -> Option<Finding> {
    Some(Finding::cause(
        Confidence::Sure,
        "The file is read as CommonJS: set \"type\": \"module\" in package.json, or name it .mjs.",
    ))
}

fn require_inside(_: &Case<'_>, _: &dyn World) -> Option<Finding> {
    Some(Finding::cause(Confidence::Sure, "The file is an ES module: use import, or name it .cjs."))
}

fn typescript(case: &Case<'_>, _: &dyn World) -> Option<Finding> {
    let is_typescript = case.words().iter().any(|word| word.text.ends_with(".ts") || word.text.ends_with(".tsx"));
    is_typescript.then(|| {
        Finding::fix(Confidence::Likely, case.with_raw(0, "npx tsx"), "runs TypeScript")
            .because("This node does not run TypeScript by itself.")
    })
}
