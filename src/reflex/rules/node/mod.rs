//! npm, yarn, pnpm, bun and node: scripts and commands.

mod modules;
mod registry;
mod yarn;

use std::path::Path;

pub(super) use modules::RULES as MODULES;
pub(super) use registry::RULES as REGISTRY;
pub(super) use yarn::RULES as YARN;

use super::{Rule, pattern, swap};
use crate::reflex::case::Case;
use crate::reflex::finding::{Confidence, Finding};
use crate::reflex::line;
use crate::reflex::typo;
use crate::reflex::world::World;

/// npm's commands, the common ones first: of two equally similar ones, the earlier one is proposed.
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
    Rule {
        name: "node tools: an unknown command",
        tools: &["react-native", "ng", "vue-cli-service"],
        signs: &["Unrecognized command", "is invalid", "does not exist", "unknown command"],
        apply: tool_command,
    },
    Rule { name: "node: a bad option", tools: &["node"], signs: &["bad option: "], apply: bad_option },
    Rule { name: "node: OpenSSL of old", tools: &[], signs: &["ERR_OSSL_EVP_UNSUPPORTED"], apply: old_openssl },
    Rule { name: "node: out of memory", tools: &[], signs: &["JavaScript heap out of memory"], apply: memory },
    Rule {
        name: "eslint and prettier: only checked",
        tools: &["eslint", "prettier", "npx", "yarn", "pnpm", "stylelint"],
        signs: &["with the `--fix` option", "Run Prettier"],
        apply: only_checked,
    },
];

/// The scripts of the package in the current directory.
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
    let listed = lines.take_while(|line| line.starts_with([' ', '\t']) && !line.trim().is_empty());
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
    // `npm start` and `npm test` are scripts too; other scripts need `run`.
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
        // Common names of the script that starts a project.
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
    // Before version 7 npm printed only its usage.
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
    let because = "An old bundler uses a hash function that OpenSSL 3 no longer has; newer versions of the bundler do not need it.";
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
            .because("The program needed more memory than the limit of node's heap."),
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
