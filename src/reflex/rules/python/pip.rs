//! pip, poetry, uv and pipenv.

use std::path::Path;

use crate::reflex::case::Case;
use crate::reflex::finding::{Confidence, Finding};
use crate::reflex::rules::{Rule, pattern, swap};
use crate::reflex::typo;
use crate::reflex::world::World;

const COMMANDS: &[&str] = &[
    "install",
    "download",
    "uninstall",
    "freeze",
    "inspect",
    "list",
    "show",
    "check",
    "config",
    "search",
    "cache",
    "index",
    "wheel",
    "hash",
    "completion",
    "debug",
    "help",
    "lock",
];

/// Popular packages whose names are often misspelt. Similarity alone would not be a reason to propose a package.
const POPULAR: &[&str] = &[
    "aiohttp",
    "ansible",
    "beautifulsoup4",
    "black",
    "boto3",
    "celery",
    "click",
    "cryptography",
    "django",
    "fastapi",
    "flask",
    "gunicorn",
    "httpx",
    "ipython",
    "jinja2",
    "jupyter",
    "jupyterlab",
    "keras",
    "lxml",
    "matplotlib",
    "mypy",
    "networkx",
    "numpy",
    "opencv-python",
    "openai",
    "pandas",
    "pillow",
    "poetry",
    "polars",
    "psycopg2-binary",
    "pydantic",
    "pygame",
    "pylint",
    "pymongo",
    "pytest",
    "python-dotenv",
    "pyyaml",
    "redis",
    "requests",
    "rich",
    "ruff",
    "scikit-learn",
    "scipy",
    "scrapy",
    "seaborn",
    "selenium",
    "setuptools",
    "sqlalchemy",
    "streamlit",
    "sympy",
    "tensorflow",
    "torch",
    "torchvision",
    "tqdm",
    "transformers",
    "twine",
    "typer",
    "uvicorn",
    "virtualenv",
    "websockets",
];

const TOOLS: &[&str] = &["pip", "pip3", "python", "python3", "py", "pip2", "uv"];

pub(in crate::reflex::rules) const RULES: &[Rule] = &[
    Rule { name: "pip: an unknown command", tools: TOOLS, signs: &["unknown command"], apply: unknown_command },
    Rule {
        name: "pip: the environment is the system's",
        tools: TOOLS,
        signs: &["externally-managed-environment", "externally managed"],
        apply: externally_managed,
    },
    Rule { name: "pip: not allowed to write", tools: TOOLS, signs: &["Permission denied"], apply: permission },
    Rule {
        name: "pip: no such distribution",
        tools: TOOLS,
        signs: &["No matching distribution found for", "Could not find a version that satisfies"],
        apply: no_distribution,
    },
    Rule { name: "pip: a deprecated name", tools: TOOLS, signs: &["PyPI package is deprecated"], apply: deprecated },
    Rule {
        name: "pip: no requirements file",
        tools: TOOLS,
        signs: &["Could not open requirements file", "Could not open requirements file"],
        apply: no_requirements,
    },
    Rule { name: "python: no venv module", tools: &[], signs: &["ensurepip is not"], apply: no_ensurepip },
    Rule {
        name: "poetry: the lock does not fit",
        tools: &["poetry"],
        signs: &["Run `poetry lock", "pyproject.toml changed significantly"],
        apply: poetry_lock,
    },
    Rule {
        name: "poetry: no project",
        tools: &["poetry"],
        signs: &["could not find a pyproject.toml"],
        apply: poetry_init,
    },
    Rule {
        name: "poetry: an unknown command",
        tools: &["poetry"],
        signs: &["does not exist", "is not defined"],
        apply: poetry_command,
    },
    Rule { name: "uv: no environment", tools: &["uv"], signs: &["run `uv venv`"], apply: uv_environment },
    Rule { name: "uv: no project", tools: &["uv"], signs: &["No `pyproject.toml` found"], apply: uv_project },
    Rule {
        name: "uv: install is for pip",
        tools: &["uv"],
        signs: &["unrecognized subcommand 'install'"],
        apply: uv_install,
    },
];

/// The position of `install` after `pip` or `python -m pip`.
fn install_index(case: &Case<'_>) -> Option<usize> {
    case.position("install").filter(|_| case.tool().starts_with("pip") || case.has_word(&["pip"]))
}

fn unknown_command(case: &Case<'_>, _: &dyn World) -> Option<Finding> {
    let caught = case.output.captures(pattern!(r#"unknown command "([^"]+)"(?: - maybe you meant "([^"]+)")?"#))?;
    let wrong = caught.get(1)?.as_str();
    let finding = match caught.get(2) {
        Some(meant) => swap::told(case, wrong, [meant.as_str()]),
        None => swap::nearest(case, wrong, COMMANDS.iter().copied()),
    };
    finding.map(|found| found.because(format!("pip has no command {wrong}.")))
}

fn externally_managed(case: &Case<'_>, world: &dyn World) -> Option<Finding> {
    let index = install_index(case)?;
    let rest: Vec<&str> = case.words()[index + 1..].iter().map(|word| &case.line.text()[word.span.clone()]).collect();
    let rest: Vec<&str> = rest.into_iter().filter(|word| !["--user", "-U", "--upgrade"].contains(word)).collect();
    let because =
        "This Python belongs to the system's package manager; packages of your own go into a virtual environment.";
    let existing =
        [".venv", "venv", "env"].into_iter().find(|name| world.kind(&Path::new(name).join("bin/pip")).is_some());
    let make = existing.map_or("python3 -m venv .venv && ".to_owned(), |_| String::new());
    let directory = existing.unwrap_or(".venv");
    let command = format!("{make}{directory}/bin/pip install {}", rest.join(" "));
    let finding = Finding::fix(Confidence::Sure, command, "installs into a virtual environment here").because(because);
    let is_one = rest.len() == 1 && !rest[0].starts_with(['-', '.', '/']);
    Some(if is_one {
        finding.or(format!("pipx install {}", rest[0]), "for a program, in an environment of its own")
    } else {
        finding
    })
}

fn permission(case: &Case<'_>, world: &dyn World) -> Option<Finding> {
    let index = install_index(case)?;
    let is_pips = ["EnvironmentError", "OSError", "Consider using the `--user` option", "site-packages"]
        .iter()
        .any(|words| case.output.says(words));
    if !is_pips {
        return None;
    }
    let because = "pip may not write where this Python keeps its packages.";
    if !case.has_word(&["--user"]) && world.variable("VIRTUAL_ENV").is_none() {
        return Some(
            Finding::fix(Confidence::Sure, case.with_inserted(index + 1, "--user"), "installs for you alone")
                .because(because),
        );
    }
    Some(Finding::cause(Confidence::Sure, format!("{because} A virtual environment of your own can be written to.")))
}

fn no_distribution(case: &Case<'_>, world: &dyn World) -> Option<Finding> {
    let caught = case.output.captures(pattern!(r"(?:No matching distribution found for|satisfies the requirement) ([A-Za-z0-9_.-]+)((?:[=<>!~]=?|===).*?)?(?: |$)"))?;
    let wrong = caught.get(1)?.as_str();
    let version = caught.get(2).map_or("", |found| found.as_str());
    if !version.is_empty() && case.output.says("from versions: ") && !case.output.says("from versions: none") {
        return Some(Finding::cause(
            Confidence::Sure,
            format!("{wrong} has no version {version} that fits this Python."),
        ));
    }
    let because = format!("The package index has no {wrong} for this Python.");
    if let Some(index) = case.position(wrong).filter(|_| wrong.ends_with(".txt")) {
        return Some(
            Finding::fix(Confidence::Sure, case.with_inserted(index, "-r"), "reads the packages from the file")
                .because(format!("{wrong} was taken for the name of a package.")),
        );
    }
    let index = case.words().iter().position(|word| {
        word.text == wrong
            || word.text.starts_with(wrong) && word.text[wrong.len()..].starts_with(['=', '<', '>', '~', '!', '['])
    })?;
    let known = super::PACKAGES
        .iter()
        .find(|(module, package)| *module == wrong && *package != wrong)
        .map(|(_, package)| *package);
    let meant = known.or_else(|| typo::nearest(wrong, POPULAR.iter().copied()))?;
    let text = format!("{meant}{}", &case.word(index)?[wrong.len()..]);
    let confidence = if known.is_some() { Confidence::Sure } else { Confidence::Likely };
    let is_typed = world.kind(Path::new(wrong)).is_none();
    is_typed.then(|| {
        Finding::fix(confidence, case.with_word(index, &text), format!("{meant} is the package's name"))
            .because(because)
    })
}

fn deprecated(case: &Case<'_>, _: &dyn World) -> Option<Finding> {
    let caught = case.output.captures(pattern!(r"The '([^']+)' PyPI package is deprecated, use '([^']+)'"))?;
    swap::told(case, caught.get(1)?.as_str(), [caught.get(2)?.as_str()])
}

fn no_requirements(case: &Case<'_>, world: &dyn World) -> Option<Finding> {
    let wrong = case.output.captures(pattern!(r"No such file or directory: '([^']+)'"))?.get(1)?.as_str();
    let entries = world.entries(Path::new("."));
    let here = entries.iter().map(|entry| entry.name.as_str()).filter(|name| name.ends_with(".txt"));
    let finding = swap::nearest(case, wrong, here)
        .or_else(|| entries.is_empty().then(|| swap::nearest(case, wrong, ["requirements.txt"])).flatten());
    Some(
        finding
            .unwrap_or_else(|| Finding::cause(Confidence::Sure, String::new()))
            .because(format!("There is no file {wrong}.")),
    )
}

fn no_ensurepip(case: &Case<'_>, _: &dyn World) -> Option<Finding> {
    let told = case.output.captures(pattern!(r"^\s*(?:sudo )?(apt(?:-get)? install python[0-9.]*-venv)"))?;
    Some(
        Finding::fix(
            Confidence::Sure,
            format!("sudo {}", &told[1]),
            "the part of Python that makes virtual environments",
        )
        .because("This system has venv in a separate package."),
    )
}

fn poetry_lock(_: &Case<'_>, _: &dyn World) -> Option<Finding> {
    Some(
        Finding::fix(Confidence::Sure, "poetry lock", "brings poetry.lock up to date")
            .because("pyproject.toml has changed since poetry.lock was made."),
    )
}

fn poetry_init(_: &Case<'_>, _: &dyn World) -> Option<Finding> {
    Some(
        Finding::fix(Confidence::Likely, "poetry init", "makes a pyproject.toml")
            .because("Neither this directory nor one above it holds a pyproject.toml."),
    )
}

fn poetry_command(case: &Case<'_>, _: &dyn World) -> Option<Finding> {
    let wrong = case
        .output
        .captures(pattern!(r#"The (?:requested )?command "?([\w:-]+)"? (?:does not exist|is not defined)"#))?
        .get(1)?
        .as_str();
    let names = [
        "about", "add", "build", "check", "config", "env", "export", "init", "install", "lock", "new", "publish",
        "remove", "run", "search", "self", "shell", "show", "source", "sync", "update", "version",
    ];
    let listed = swap::listed(case, "Did you mean");
    let finding = if listed.is_empty() { swap::nearest(case, wrong, names) } else { swap::told(case, wrong, listed) };
    finding.map(|found| found.because(format!("poetry has no command {wrong}.")))
}

fn uv_environment(case: &Case<'_>, _: &dyn World) -> Option<Finding> {
    Some(
        Finding::fix(Confidence::Sure, case.with_before("uv venv &&"), "makes a virtual environment first")
            .because("There is no virtual environment here."),
    )
}

fn uv_project(_: &Case<'_>, _: &dyn World) -> Option<Finding> {
    Some(
        Finding::fix(Confidence::Likely, "uv init", "makes a pyproject.toml")
            .because("Neither this directory nor one above it holds a pyproject.toml."),
    )
}

fn uv_install(case: &Case<'_>, world: &dyn World) -> Option<Finding> {
    let index = case.position("install")?;
    let add = case.with_word(index, "add");
    let pip = case.with_inserted(index, "pip");
    let is_project = world.kind(Path::new("pyproject.toml")).is_some() && !case.has_word(&["-r"]);
    let (first, second) = if is_project { (add, pip) } else { (pip, add) };
    Some(
        Finding::fix(Confidence::Sure, first, "what uv calls it")
            .or(second, "the other way")
            .because("uv has no command install."),
    )
}
