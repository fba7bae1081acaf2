//! npm, yarn, pnpm, bun and node: scripts and commands.

mod modules;
mod yarn;

use std::path::Path;

pub(super) use modules::RULES as MODULES;
pub(super) use yarn::RULES as YARN;

use super::{Rule, pattern, swap};
use crate::reflex::case::Case;
use crate::reflex::finding::{Confidence, Finding};
use crate::reflex::line;
use crate::reflex::typo;
use crate::reflex::world::World;

/// npm's commands, the usual ones first: of two as near, the earlier is meant.
const COMMANDS: &[&str] = &[
    "install",
    "run",
    "test",
    "start",
    "uninstall",
    "update",
    "upgrade",
    "init",
    "publish",
    "audit",
    "ci",
    "exec",
    "login",
    "logout",
    "link",
    "list",
    "ls",
    "outdated",
    "pack",
    "view",
    "version",
    "cache",
    "config",
    "search",
    "prune",
    "rebuild",
    "dedupe",
    "access",
    "adduser",
    "bugs",
    "completion",
    "deprecate",
    "diff",
    "dist-tag",
    "docs",
    "doctor",
    "edit",
    "explain",
    "explore",
    "find-dupes",
    "fund",
    "get",
    "help",
    "hook",
    "org",
    "owner",
    "ping",
    "pkg",
    "prefix",
    "profile",
    "query",
    "repo",
    "restart",
    "root",
    "run-script",
    "set",
    "shrinkwrap",
    "star",
    "stars",
    "stop",
    "team",
    "token",
    "unpublish",
    "unstar",
    "whoami",
];

const MANAGERS: &[&str] = &["npm", "yarn", "pnpm", "bun"];

pub(super) const RULES: &[Rule] = &[
    Rule {
        name: "npm: a script that is not there",
        tools: MANAGERS,
        signs: &["issing script", "Script not found", "Couldn't find a script named", "ERR_PNPM_NO_SCRIPT"],
        apply: missing_script,
    },
    Rule {
        name: "npm: an unknown command",
        tools: &["npm"],
        signs: &["Unknown command", "where <command> is one of"],
        apply: unknown_command,
    },
    Rule { name: "npm: no package.json", tools: MANAGERS, signs: &["package.json"], apply: no_package },
    Rule { name: "npm: peers that conflict", tools: &["npm"], signs: &["ERESOLVE"], apply: peers },
    Rule { name: "npm: not allowed to write", tools: &["npm"], signs: &["EACCES"], apply: permission },
    Rule { name: "npm: ci needs a lock", tools: &["npm"], signs: &["npm ci"], apply: ci },
    Rule {
        name: "npm: a package that does not exist",
        tools: &["npm", "npx", "yarn", "pnpm"],
        signs: &["404", "is not in this registry", "is not in the npm registry", "Couldn't find package"],
        apply: no_such_package,
    },
    Rule {
        name: "npm: a version that does not exist",
        tools: &["npm"],
        signs: &["ETARGET", "No matching version found"],
        apply: no_such_version,
    },
    Rule { name: "npm: login", tools: MANAGERS, signs: &["ENEEDAUTH", "need auth"], apply: login },
    Rule { name: "npm: a damaged cache", tools: &["npm"], signs: &["EINTEGRITY"], apply: integrity },
    Rule { name: "node: a bad option", tools: &["node"], signs: &["bad option: "], apply: bad_option },
    Rule { name: "node: OpenSSL of old", tools: &[], signs: &["ERR_OSSL_EVP_UNSUPPORTED"], apply: old_openssl },
    Rule { name: "node: out of memory", tools: &[], signs: &["JavaScript heap out of memory"], apply: memory },
    Rule {
        name: "eslint and prettier: only checked",
        tools: &["eslint", "prettier", "npx", "yarn", "pnpm", "stylelint"],
        signs: &["with the `--fix` option", "Run Prettier"],
        apply: only_checked,
    },
    Rule {
        name: "node tools: an unknown command",
        tools: &["react-native", "ng", "vue-cli-service"],
        signs: &["Unrecognized command", "is invalid", "does not exist", "unknown command"],
        apply: tool_command,
    },
];

/// The scripts of the package that is here.
fn scripts(world: &dyn World) -> Vec<String> {
    let manifest =
        world.read(Path::new("package.json")).and_then(|text| serde_json::from_str::<serde_json::Value>(&text).ok());
    let scripts = manifest.as_ref().and_then(|manifest| manifest.get("scripts")?.as_object());
    scripts.map(|scripts| scripts.keys().cloned().collect()).unwrap_or_default()
}

/// The lines of a suggestion, without npm's prefix: `npm run build # run the "build" package script`.
fn suggestions<'a>(case: &Case<'a>) -> Vec<&'a str> {
    let bare = |line: &'a str| line.strip_prefix("npm ERR!").or_else(|| line.strip_prefix("npm error")).unwrap_or(line);
    let lines = case.output.after("Did you mean").iter().map(|line| bare(line));
    let listed = lines.take_while(|line| line.starts_with("    ") || line.starts_with('\t'));
    listed.map(|line| line.split('#').next().unwrap_or(line).trim()).filter(|line| !line.is_empty()).collect()
}

fn missing_script(case: &Case<'_>, world: &dyn World) -> Option<Finding> {
    let caught = case.output.captures(pattern!(
        r#"(?:[Mm]issing script:?|Script not found|Couldn't find a script named) ["'`]?([^"'`\s]+?)["'`.]*$"#
    ))?;
    let wrong = caught.get(1)?.as_str();
    let index = case.position(wrong)?;
    let because = format!("package.json has no script {wrong}.");
    let is_run = index > 1;
    // `npm start` and `npm test` are scripts, too; another one needs `run`.
    let propose = |name: &str| {
        if is_run { case.with_word(index, name) } else { case.with_raw(index, &format!("run {}", line::quoted(name))) }
    };
    let told: Vec<&str> = suggestions(case).into_iter().filter_map(|words| words.rsplit(' ').next()).collect();
    let inline =
        case.output.captures(pattern!(r#"Did you mean ["'`](?:pnpm run |yarn run |bun run )?([^"'`]+)["'`]\?"#));
    let told = inline.as_ref().and_then(|found| found.get(1)).map(|found| found.as_str()).into_iter().chain(told);
    let known = scripts(world);
    let mut names: Vec<&str> = told.collect();
    let confidence = if names.is_empty() { Confidence::Likely } else { Confidence::Sure };
    for name in typo::meant(wrong, known.iter().map(String::as_str)) {
        if !names.contains(&name) {
            names.push(name);
        }
    }
    if names.is_empty() {
        // What starts a project goes by a few names.
        let alike: &[&str] = match wrong {
            "start" | "dev" | "serve" | "develop" | "watch" => {
                &["dev", "start", "serve", "develop", "start:dev", "watch"]
            }
            "build" | "compile" => &["build", "compile", "build:prod"],
            "test" | "tests" => &["test", "test:unit", "tests", "unit"],
            "lint" => &["lint", "eslint", "check"],
            _ => &[],
        };
        names.extend(alike.iter().copied().filter(|name| *name != wrong && known.iter().any(|known| known == name)));
    }
    if names.is_empty() {
        let finding = Finding::cause(Confidence::Sure, because);
        return Some(if known.is_empty() {
            finding
        } else {
            finding.or(format!("{} run", case.tool()), "lists the scripts there are")
        });
    }
    let mut finding = Finding::cause(confidence, because);
    for name in names.into_iter().take(3) {
        finding = finding.or(propose(name), format!("runs the script {name}"));
    }
    Some(finding)
}

fn unknown_command(case: &Case<'_>, world: &dyn World) -> Option<Finding> {
    let named = case.output.captures(pattern!(r#"Unknown command: "([^"]+)""#));
    // Before version 7 npm printed its usage and nothing else.
    let wrong = named
        .as_ref()
        .and_then(|found| found.get(1))
        .map(|found| found.as_str())
        .or_else(|| case.subcommand().map(|(_, word)| word))?;
    let index = case.position(wrong)?;
    let because = format!("npm has no command {wrong}.");
    let is_old = named.is_none();
    if is_old && case.output.lines().iter().any(|line| line.split(',').any(|word| word.trim() == wrong)) {
        return None;
    }
    let scripts = scripts(world);
    if scripts.iter().any(|script| script == wrong) {
        let run = if is_old { "run-script" } else { "run" };
        return Some(
            Finding::fix(Confidence::Sure, case.with_inserted(1, run), "it is a script of this package")
                .because(because),
        );
    }
    let mut finding: Option<Finding> = None;
    for words in suggestions(case) {
        let Some(words) = words.strip_prefix("npm ") else { continue };
        let command = case.with_raw(index, words);
        finding = Some(match finding {
            None => Finding::fix(Confidence::Sure, command, "npm suggests it"),
            Some(found) => found.or(command, "npm suggests it, too"),
        });
    }
    let finding = finding.or_else(|| {
        let listed: Vec<&str> = if is_old {
            case.output
                .after("where <command> is one of")
                .iter()
                .take_while(|line| line.starts_with("    "))
                .flat_map(|line| line.split(','))
                .map(str::trim)
                .filter(|word| !word.is_empty())
                .collect()
        } else {
            COMMANDS.to_vec()
        };
        // npm lists common misspellings of its commands as if they were commands.
        swap::nearest_at(case, index, wrong, listed.into_iter().filter(|word| COMMANDS.contains(word)))
    });
    let script = typo::nearest(wrong, scripts.iter().map(String::as_str))
        .map(|name| case.with_raw(index, &format!("run {}", line::quoted(name))));
    match (finding, script) {
        (Some(found), Some(script)) => Some(found.or(script, "the nearest script").because(because)),
        (Some(found), None) => Some(found.because(because)),
        (None, Some(script)) => Some(Finding::fix(Confidence::Likely, script, "the nearest script").because(because)),
        (None, None) => Some(Finding::cause(Confidence::Sure, because)),
    }
}

fn no_package(case: &Case<'_>, world: &dyn World) -> Option<Finding> {
    let is_missing = case.output.lines().iter().any(|line| {
        line.contains("package.json")
            && (line.contains("ENOENT")
                || line.contains("no such file")
                || line.contains("Couldn't find a package.json")
                || line.contains("No package.json")
                || line.contains("No package.json was found"))
    });
    if !is_missing || world.kind(Path::new("package.json")).is_some() {
        return None;
    }
    let finding = Finding::cause(Confidence::Sure, "There is no package.json in this directory.");
    let entries = world.entries(Path::new("."));
    let mut below = entries.iter().take(60).filter(|entry| {
        entry.name != "node_modules" && world.kind(&Path::new(&entry.name).join("package.json")).is_some()
    });
    if let Some(first) = below.next() {
        let mut finding = finding
            .or(case.with_before(&format!("cd {} &&", line::quoted(&first.name))), format!("{} holds one", first.name));
        for entry in below.take(2) {
            finding = finding.or(
                case.with_before(&format!("cd {} &&", line::quoted(&entry.name))),
                format!("{} holds one, too", entry.name),
            );
        }
        return Some(finding);
    }
    let is_npm = case.tool() == "npm" && case.has_word(&["install", "i", "add", "ci", "update"]);
    Some(if is_npm { finding.or("npm init -y", "makes a package.json") } else { finding })
}

fn peers(case: &Case<'_>, _: &dyn World) -> Option<Finding> {
    let because = "Two packages want versions of a third that do not go together.";
    let (index, _) = case.subcommand()?;
    let is_install = case.has_word(&["install", "i", "add", "ci", "update", "uninstall", "up"])
        && !case.has_word(&["--legacy-peer-deps"]);
    is_install.then(|| {
        Finding::fix(
            Confidence::Likely,
            case.with_inserted(index + 1, "--legacy-peer-deps"),
            "installs as npm 6 did, without regard to peers",
        )
        .because(because)
    })
}

fn permission(case: &Case<'_>, _: &dyn World) -> Option<Finding> {
    if let Some(told) = case.output.captures(pattern!(r#"(sudo chown -R [0-9]+:[0-9]+ "[^"]+")"#)) {
        return Some(
            Finding::fix(Confidence::Sure, told.get(1)?.as_str(), "npm's own advice")
                .because("Files in npm's cache belong to root."),
        );
    }
    let is_global = case.has_word(&["-g", "--global"]) && !case.is_elevated();
    let (index, _) = case.subcommand().filter(|_| is_global)?;
    let because = "npm may not write to the directory where global packages go.";
    let own = case.with_inserted(index + 1, "--prefix ~/.local");
    Some(
        Finding::fix(Confidence::Likely, case.with_before("sudo"), "installs for everybody")
            .or(own, "installs into your own ~/.local")
            .because(because),
    )
}

fn ci(case: &Case<'_>, _: &dyn World) -> Option<Finding> {
    let index = case.position("ci").or_else(|| case.position("clean-install"))?;
    let is_lock =
        ["existing package-lock.json", "are in sync", "can only install"].iter().any(|words| case.output.says(words));
    is_lock.then(|| {
        Finding::fix(Confidence::Sure, case.with_word(index, "install"), "makes or updates the lock file")
            .because("npm ci needs a package-lock.json that fits package.json.")
    })
}

/// Names that others are misspellings of.
const POPULAR: &[&str] = &[
    "angular",
    "axios",
    "babel",
    "bootstrap",
    "chalk",
    "commander",
    "concurrently",
    "cors",
    "create-next-app",
    "create-react-app",
    "create-vite",
    "cross-env",
    "cypress",
    "dayjs",
    "dotenv",
    "electron",
    "esbuild",
    "eslint",
    "express",
    "fastify",
    "gulp",
    "husky",
    "inquirer",
    "jest",
    "jquery",
    "jsonwebtoken",
    "lodash",
    "mocha",
    "moment",
    "mongoose",
    "mysql2",
    "next",
    "nodemon",
    "nuxt",
    "passport",
    "pg",
    "playwright",
    "pm2",
    "postcss",
    "prettier",
    "prisma",
    "puppeteer",
    "react",
    "react-dom",
    "react-native",
    "react-router-dom",
    "redux",
    "rimraf",
    "rollup",
    "rxjs",
    "sass",
    "sequelize",
    "serve",
    "socket.io",
    "svelte",
    "tailwindcss",
    "ts-node",
    "tslib",
    "tsx",
    "typescript",
    "uuid",
    "vite",
    "vitest",
    "vue",
    "webpack",
    "webpack-cli",
    "yargs",
    "zod",
    "zustand",
    "http-server",
    "json-server",
    "typeorm",
    "styled-components",
];

fn no_such_package(case: &Case<'_>, _: &dyn World) -> Option<Finding> {
    let caught = case.output.captures(pattern!(r#"(?:'([^'@]+|@[^'@]+)(?:@[^']*)?' is not in|Not Found - GET https?://[^/\s]+/(\S+?)(?: |$)|Couldn't find package "([^"]+)"|/([\w.-]+): Not found)"#))?;
    let wrong = caught.iter().skip(1).flatten().next()?.as_str().replace("%2f", "/");
    let index =
        case.words().iter().position(|word| word.text == wrong || word.text.split('@').next() == Some(&wrong))?;
    let because = format!("The registry has no package {wrong}, or you may not see it.");
    Some(match typo::nearest(&wrong, POPULAR.iter().copied()) {
        Some(meant) => Finding::fix(
            Confidence::Likely,
            case.with_word(index, &case.word(index)?.replacen(&wrong, meant, 1)),
            format!("{meant} is the nearest known package"),
        )
        .because(because),
        None => Finding::cause(Confidence::Sure, because),
    })
}

fn no_such_version(case: &Case<'_>, _: &dyn World) -> Option<Finding> {
    let wanted = case.output.captures(pattern!(r"No matching version found for ((@?[^@\s]+)@([^\s]+?))\.?$"))?;
    let because = format!("{} has no version {}.", &wanted[2], &wanted[3]);
    Some(match case.position(wanted.get(1)?.as_str()) {
        Some(index) => Finding::fix(
            Confidence::Likely,
            case.with_word(index, &format!("{}@latest", &wanted[2])),
            "the newest there is",
        )
        .because(because),
        None => Finding::cause(Confidence::Sure, because),
    })
}

fn login(case: &Case<'_>, _: &dyn World) -> Option<Finding> {
    Some(
        Finding::fix(Confidence::Sure, format!("{} login", case.tool()), "signs you in to the registry")
            .because("The registry does not know who you are."),
    )
}

fn integrity(_: &Case<'_>, _: &dyn World) -> Option<Finding> {
    Some(Finding::fix(Confidence::Likely, "npm cache verify", "mends the cache").because(
        "What was downloaded is not what the lock file says: a damaged cache, or a lock file that is out of date.",
    ))
}

fn bad_option(case: &Case<'_>, _: &dyn World) -> Option<Finding> {
    let wrong = case.output.captures(pattern!(r"bad option: (\S+)"))?.get(1)?.as_str();
    let options = [
        "--check",
        "--env-file",
        "--eval",
        "--experimental-strip-types",
        "--experimental-vm-modules",
        "--expose-gc",
        "--help",
        "--import",
        "--input-type",
        "--inspect",
        "--inspect-brk",
        "--interactive",
        "--loader",
        "--max-old-space-size",
        "--no-deprecation",
        "--no-warnings",
        "--print",
        "--prof",
        "--require",
        "--stack-trace-limit",
        "--test",
        "--test-only",
        "--trace-deprecation",
        "--trace-warnings",
        "--unhandled-rejections",
        "--version",
        "--watch",
        "--watch-path",
    ];
    let (name, value) = wrong.split_once('=').map_or((wrong, ""), |(name, _)| (name, &wrong[name.len()..]));
    let meant = typo::nearest(name, options)?;
    Some(
        Finding::fix(
            Confidence::Likely,
            case.with_word(case.position(wrong)?, &format!("{meant}{value}")),
            format!("{meant} is the nearest option"),
        )
        .because(format!("node has no option {name}.")),
    )
}

fn old_openssl(case: &Case<'_>, _: &dyn World) -> Option<Finding> {
    let because = "An old bundler asks for a hash that OpenSSL 3 no longer has; newer versions of the bundler do not.";
    Some(
        Finding::fix(
            Confidence::Likely,
            case.with_before("NODE_OPTIONS=--openssl-legacy-provider"),
            "lets node use the old hashes",
        )
        .because(because),
    )
}

fn memory(case: &Case<'_>, _: &dyn World) -> Option<Finding> {
    Some(
        Finding::fix(Confidence::Likely, case.with_before("NODE_OPTIONS=--max-old-space-size=4096"), "a larger heap")
            .because("The program needed more memory than node gives its heap."),
    )
}

fn only_checked(case: &Case<'_>, _: &dyn World) -> Option<Finding> {
    if let Some(index) =
        case.position("--check").or_else(|| case.position("-c")).filter(|_| case.output.says("Run Prettier"))
    {
        return Some(
            Finding::fix(Confidence::Sure, case.with_word(index, "--write"), "formats the files")
                .because("Some files are not formatted; they were only checked."),
        );
    }
    let is_eslint = case.output.says("with the `--fix` option")
        && !case.has_word(&["--fix"])
        && (case.tool() == "eslint" || case.has_word(&["eslint"]));
    is_eslint.then(|| {
        Finding::fix(Confidence::Likely, case.with_inserted(usize::MAX, "--fix"), "repairs what can be repaired")
    })
}

fn tool_command(case: &Case<'_>, _: &dyn World) -> Option<Finding> {
    let caught = case
        .output
        .captures(pattern!(r#"(?:Unrecognized command |command \("|command "|unknown command )['"]?([\w:-]+)"#))?;
    let wrong = caught.get(1)?.as_str();
    let names: &[&str] = match case.tool() {
        "react-native" => &[
            "start",
            "run-ios",
            "run-android",
            "bundle",
            "link",
            "unlink",
            "install",
            "uninstall",
            "upgrade",
            "log-android",
            "log-ios",
            "init",
            "config",
            "doctor",
            "info",
            "eject",
            "new-library",
        ],
        "ng" => &[
            "add",
            "analytics",
            "build",
            "cache",
            "completion",
            "config",
            "deploy",
            "e2e",
            "extract-i18n",
            "generate",
            "lint",
            "new",
            "run",
            "serve",
            "test",
            "update",
            "version",
        ],
        _ => &["serve", "build", "inspect", "lint", "test:unit", "test:e2e"],
    };
    swap::nearest(case, wrong, names.iter().copied())
        .map(|found| found.because(format!("{} has no command {wrong}.", case.tool())))
}
