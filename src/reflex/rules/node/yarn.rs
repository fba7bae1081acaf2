//! yarn and pnpm: commands with other names, lock files.

use std::path::Path;

use crate::reflex::case::Case;
use crate::reflex::finding::{Confidence, Finding};
use crate::reflex::rules::{Rule, pattern, swap};
use crate::reflex::world::World;

const COMMANDS: &[&str] = &[
    "access",
    "add",
    "audit",
    "autoclean",
    "bin",
    "cache",
    "check",
    "config",
    "create",
    "dlx",
    "exec",
    "generate-lock-entry",
    "global",
    "help",
    "import",
    "info",
    "init",
    "install",
    "licenses",
    "link",
    "list",
    "login",
    "logout",
    "node",
    "outdated",
    "owner",
    "pack",
    "policies",
    "publish",
    "remove",
    "run",
    "set",
    "tag",
    "team",
    "test",
    "unlink",
    "unplug",
    "up",
    "upgrade",
    "upgrade-interactive",
    "version",
    "versions",
    "why",
    "workspace",
    "workspaces",
];

pub(in crate::reflex::rules) const RULES: &[Rule] = &[
    Rule {
        name: "yarn: a command that is not there",
        tools: &["yarn", "pnpm"],
        signs: &["not found"],
        apply: unknown_command,
    },
    Rule { name: "yarn: a command by another name", tools: &["yarn"], signs: &["Did you mean `yarn "], apply: alias },
    Rule {
        name: "yarn: a command that was replaced",
        tools: &["yarn"],
        signs: &["has been replaced with"],
        apply: replaced,
    },
    Rule {
        name: "yarn: a lock that must change",
        tools: &["yarn", "pnpm"],
        signs: &["frozen-lockfile", "OUTDATED_LOCKFILE", "YN0028"],
        apply: frozen,
    },
    Rule {
        name: "yarn: a global add",
        tools: &["yarn"],
        signs: &["The `yarn global add`", "yarn global add"],
        apply: global,
    },
    Rule {
        name: "yarn: a node that does not fit",
        tools: &["yarn", "npm", "pnpm"],
        signs: &["The engine \"node\" is incompatible", "EBADENGINE", "Unsupported engine"],
        apply: engine,
    },
];

fn unknown_command(case: &Case<'_>, world: &dyn World) -> Option<Finding> {
    let caught = case.output.captures(pattern!(
        r#"Command "([^"]+)" not found\.?(?: Did you mean "(?:pnpm run |yarn run )?([^"]+)"\?)?"#
    ))?;
    let wrong = caught.get(1)?.as_str();
    let because = format!("There is neither a command nor a script {wrong}.");
    if let Some(meant) = caught.get(2) {
        return swap::told(case, wrong, [meant.as_str()]).map(|found| found.because(because));
    }
    if wrong == "require" {
        return swap::told(case, wrong, ["add"]).map(|found| found.because(because));
    }
    let scripts = super::scripts(world);
    let words = scripts.iter().map(String::as_str).chain(COMMANDS.iter().copied());
    let finding = swap::nearest(case, wrong, words);
    let is_bare = world.kind(Path::new("package.json")).is_some() && world.kind(Path::new("node_modules")).is_none();
    match finding {
        Some(found) => Some(found.because(because)),
        None if is_bare => Some(
            Finding::fix(Confidence::Likely, format!("{} install", case.tool()), "installs what package.json lists")
                .because(because),
        ),
        None => Some(Finding::cause(Confidence::Sure, because)),
    }
}

fn alias(case: &Case<'_>, _: &dyn World) -> Option<Finding> {
    let meant = case.output.between("Did you mean `yarn ", "`")?;
    let (index, _) = case.subcommand()?;
    Some(Finding::fix(Confidence::Sure, case.with_raw(index, meant), "what yarn calls it"))
}

fn replaced(case: &Case<'_>, _: &dyn World) -> Option<Finding> {
    let caught = case.output.captures(pattern!(r"`([\w -]+)` has been replaced with `([\w -]+)`"))?;
    let index = case.position(caught.get(1)?.as_str())?;
    Some(
        Finding::fix(Confidence::Sure, case.with_raw(index, caught.get(2)?.as_str()), "yarn's own advice")
            .because(format!("yarn {} adds no packages.", &caught[1])),
    )
}

fn frozen(case: &Case<'_>, _: &dyn World) -> Option<Finding> {
    let because = "The lock file does not match package.json, and may not be changed.";
    let flag = ["--frozen-lockfile", "--immutable"].iter().find_map(|flag| case.position(flag));
    match flag {
        Some(index) => Some(
            Finding::fix(Confidence::Likely, case.without(index), "lets the lock file be brought up to date")
                .because(because),
        ),
        None if case.tool() == "pnpm" && case.has_word(&["install", "i"]) => Some(
            Finding::fix(
                Confidence::Likely,
                case.with_inserted(usize::MAX, "--no-frozen-lockfile"),
                "lets the lock file be brought up to date",
            )
            .because(because),
        ),
        None => None,
    }
}

fn global(case: &Case<'_>, _: &dyn World) -> Option<Finding> {
    let told = case.output.captures(pattern!(r#"(?:Run|use|Use) ["`](yarn global add [^"`]+)["`]"#))?;
    Some(Finding::fix(Confidence::Sure, case.with_command(told.get(1)?.as_str()), "yarn's own advice"))
}

fn engine(case: &Case<'_>, _: &dyn World) -> Option<Finding> {
    let caught = case.output.captures(pattern!(r#"Expected version "([^"]+)"\. Got "([^"]+)""#))?;
    Some(Finding::cause(Confidence::Sure, format!("A package needs node {}, and this is {}.", &caught[1], &caught[2])))
}
