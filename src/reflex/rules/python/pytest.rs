//! pytest: missing tests and plugins.

use std::path::Path;

use crate::reflex::case::Case;
use crate::reflex::finding::{Confidence, Finding};
use crate::reflex::rules::{Rule, pattern};
use crate::reflex::typo;
use crate::reflex::world::World;

pub(in crate::reflex::rules) const RULES: &[Rule] = &[
    Rule { name: "pytest: no such test", tools: &[], signs: &["ERROR: not found: "], apply: no_such_test },
    Rule {
        name: "pytest: no such file",
        tools: &[],
        signs: &["ERROR: file or directory not found: "],
        apply: no_such_file,
    },
    Rule {
        name: "pytest: an option of a plugin",
        tools: &[],
        signs: &["error: unrecognized arguments:"],
        apply: plugin_option,
    },
    Rule { name: "pytest: a fixture of a plugin", tools: &[], signs: &["fixture '"], apply: plugin_fixture },
    Rule {
        name: "pytest: async tests",
        tools: &[],
        signs: &["async def functions are not natively supported"],
        apply: asynchronous,
    },
    Rule { name: "pytest: nothing selected", tools: &[], signs: &[" deselected"], apply: nothing_selected },
];

/// Prefixes of options and fixtures, and the plugins that add them.
const OPTIONS: &[(&str, &str)] = &[
    ("--cov", "pytest-cov"),
    ("--no-cov", "pytest-cov"),
    ("-n", "pytest-xdist"),
    ("--numprocesses", "pytest-xdist"),
    ("--dist", "pytest-xdist"),
    ("--timeout", "pytest-timeout"),
    ("--asyncio-mode", "pytest-asyncio"),
    ("--html", "pytest-html"),
    ("--self-contained-html", "pytest-html"),
    ("--ds", "pytest-django"),
    ("--reuse-db", "pytest-django"),
    ("--create-db", "pytest-django"),
    ("--reruns", "pytest-rerunfailures"),
    ("--benchmark", "pytest-benchmark"),
    ("--snapshot-update", "syrupy"),
    ("--mypy", "pytest-mypy"),
    ("--flake8", "pytest-flake8"),
    ("--black", "pytest-black"),
    ("--random-order", "pytest-random-order"),
    ("--forked", "pytest-forked"),
    ("--alluredir", "allure-pytest"),
    ("--count", "pytest-repeat"),
    ("--testmon", "pytest-testmon"),
    ("--headed", "pytest-playwright"),
    ("--browser", "pytest-playwright"),
    ("--json-report", "pytest-json-report"),
    ("--nbval", "nbval"),
];

const FIXTURES: &[(&str, &str)] = &[
    ("mocker", "pytest-mock"),
    ("benchmark", "pytest-benchmark"),
    ("db", "pytest-django"),
    ("django_db", "pytest-django"),
    ("settings", "pytest-django"),
    ("event_loop", "pytest-asyncio"),
    ("httpx_mock", "pytest-httpx"),
    ("requests_mock", "requests-mock"),
    ("freezer", "pytest-freezer"),
    ("faker", "Faker"),
    ("page", "pytest-playwright"),
    ("snapshot", "syrupy"),
    ("datadir", "pytest-datadir"),
    ("aiohttp_client", "pytest-aiohttp"),
    ("qtbot", "pytest-qt"),
    ("fs", "pyfakefs"),
    ("subtests", "pytest-subtests"),
];

fn is_pytest(case: &Case<'_>) -> bool {
    matches!(case.tool(), "pytest" | "py.test") || case.has_word(&["pytest"])
}

fn no_such_test(case: &Case<'_>, world: &dyn World) -> Option<Finding> {
    let index = case.words().iter().position(|word| word.text.contains("::"))?;
    let node = case.word(index)?;
    let (file, path) = node.split_once("::")?;
    let (before, name) = path.rsplit_once("::").map_or(("", path), |(before, name)| (before, name));
    let because = format!("{file} has no test {path}.");
    let text = world.read(Path::new(file));
    let names: Vec<&str> = text
        .as_deref()
        .unwrap_or_default()
        .lines()
        .filter_map(|line| {
            let line = line.trim_start().trim_start_matches("async ");
            let rest = line.strip_prefix("def ").or_else(|| line.strip_prefix("class "))?;
            rest.split(['(', ':', ' ']).next()
        })
        .filter(|name| name.starts_with("test") || name.starts_with("Test"))
        .collect();
    let finding = Finding::cause(Confidence::Sure, because);
    let Some(meant) = typo::nearest(name, names) else { return Some(finding) };
    let node = if before.is_empty() { format!("{file}::{meant}") } else { format!("{file}::{before}::{meant}") };
    Some(finding.or(case.with_word(index, &node), format!("{meant} is the nearest test")))
}

fn no_such_file(case: &Case<'_>, world: &dyn World) -> Option<Finding> {
    let wrong = case.output.captures(pattern!(r"file or directory not found: (.+)$"))?.get(1)?.as_str();
    let index =
        case.words().iter().position(|word| word.text == wrong || word.text.split("::").next() == Some(wrong))?;
    let path = Path::new(wrong);
    let directory = path.parent().filter(|parent| !parent.as_os_str().is_empty()).unwrap_or(Path::new("."));
    let entries = world.entries(directory);
    let finding = Finding::cause(Confidence::Sure, format!("There is no {wrong}."));
    let meant = path
        .file_name()
        .and_then(|name| name.to_str())
        .and_then(|name| typo::nearest(name, entries.iter().map(|entry| entry.name.as_str())));
    Some(match meant {
        Some(meant) => {
            let right = path.with_file_name(meant).to_string_lossy().into_owned();
            finding.or(case.with_word(index, &case.word(index)?.replacen(wrong, &right, 1)), "the nearest there is")
        }
        None => finding,
    })
}

fn with_plugin(case: &Case<'_>, plugin: &str, because: String) -> Finding {
    Finding::fix(
        Confidence::Likely,
        case.with_before(&format!("pip install {plugin} &&")),
        format!("installs {plugin}"),
    )
    .because(because)
}

fn plugin_option(case: &Case<'_>, _: &dyn World) -> Option<Finding> {
    let wrong = case
        .output
        .captures(pattern!(r"error: unrecognized arguments: (\S+)"))
        .filter(|_| is_pytest(case))?
        .get(1)?
        .as_str();
    let option = wrong.split('=').next()?;
    let (_, plugin) =
        OPTIONS.iter().find(|(known, _)| option == *known || known.len() > 4 && option.starts_with(known))?;
    Some(with_plugin(case, plugin, format!("{option} is an option of the plugin {plugin}, which is not installed.")))
}

fn plugin_fixture(case: &Case<'_>, _: &dyn World) -> Option<Finding> {
    let wrong =
        case.output.captures(pattern!(r"fixture '([^']+)' not found")).filter(|_| is_pytest(case))?.get(1)?.as_str();
    Some(match FIXTURES.iter().find(|(known, _)| *known == wrong) {
        Some((_, plugin)) => {
            with_plugin(case, plugin, format!("{wrong} is a fixture of the plugin {plugin}, which is not installed."))
        }
        None => Finding::cause(Confidence::Sure, format!("No conftest.py and no plugin defines a fixture {wrong}.")),
    })
}

fn asynchronous(case: &Case<'_>, _: &dyn World) -> Option<Finding> {
    Some(with_plugin(case, "pytest-asyncio", "pytest runs async tests only with a plugin.".to_owned()))
}

fn nothing_selected(case: &Case<'_>, _: &dyn World) -> Option<Finding> {
    let is_nothing = case.status == Some(5) && is_pytest(case) && case.has_word(&["-k", "-m"]);
    is_nothing.then(|| Finding::cause(Confidence::Sure, "No test matches what was selected with -k or -m."))
}
