//! Misspelt modules.

use crate::reflex::case::Case;
use crate::reflex::finding::{Confidence, Finding};
use crate::reflex::typo;

/// Modules that are run with `-m`.
const RUN_AS_MODULES: &[&str] = &[
    "black",
    "build",
    "compileall",
    "coverage",
    "cProfile",
    "django",
    "doctest",
    "ensurepip",
    "flake8",
    "flask",
    "gunicorn",
    "http.server",
    "ipykernel",
    "isort",
    "json.tool",
    "jupyter",
    "mypy",
    "notebook",
    "pip",
    "pydoc",
    "pylint",
    "pytest",
    "ruff",
    "tarfile",
    "timeit",
    "tox",
    "trace",
    "twine",
    "unittest",
    "uvicorn",
    "venv",
    "virtualenv",
    "zipfile",
];

/// A misspelling after `-m`. An attacker may have registered a package under the misspelt name, so it is not installed.
pub(super) fn module(case: &Case<'_>, name: &str) -> Option<Finding> {
    let index = case.position("-m")? + 1;
    let meant = typo::nearest(name, RUN_AS_MODULES.iter().copied()).filter(|_| case.word(index) == Some(name))?;
    Some(
        Finding::fix(Confidence::Likely, case.with_word(index, meant), "the nearest module that is run with -m")
            .because(format!("There is no module {name}.")),
    )
    .filter(|_| !RUN_AS_MODULES.contains(&name))
}
