//! npm and its registry: packages that cannot be installed.

use std::path::Path;

use super::MANAGERS;
use crate::reflex::case::Case;
use crate::reflex::finding::{Confidence, Finding};
use crate::reflex::line;
use crate::reflex::rules::{Rule, pattern};
use crate::reflex::typo;
use crate::reflex::world::World;

pub(in crate::reflex::rules) const RULES: &[Rule] = &[
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
];

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
    let because = "Two packages require incompatible versions of a third one.";
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

/// Popular packages, whose names are often misspelt.
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
    Some(
        Finding::fix(Confidence::Likely, "npm cache verify", "mends the cache").because(
            "The download does not match the lock file: the cache is damaged, or the lock file is out of date.",
        ),
    )
}
