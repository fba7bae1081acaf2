//! Python: missing modules, files, Django.

mod pip;
mod pytest;
mod slip;

use std::path::Path;

pub(super) use pip::RULES as PIP;
pub(super) use pytest::RULES as PYTEST;

use super::manager::{self, Names};
use super::{Rule, known, pattern, swap};
use crate::reflex::case::Case;
use crate::reflex::finding::{Confidence, Finding};
use crate::reflex::line;
use crate::reflex::world::World;

/// Modules whose package has another name.
const PACKAGES: &[(&str, &str)] = &[
    ("Crypto", "pycryptodome"),
    ("Cryptodome", "pycryptodomex"),
    ("MySQLdb", "mysqlclient"),
    ("OpenGL", "PyOpenGL"),
    ("OpenSSL", "pyOpenSSL"),
    ("PIL", "pillow"),
    ("PyQt5", "PyQt5"),
    ("Xlib", "python-xlib"),
    ("attr", "attrs"),
    ("babel", "Babel"),
    ("bs4", "beautifulsoup4"),
    ("bson", "pymongo"),
    ("cairo", "pycairo"),
    ("cv2", "opencv-python"),
    ("dateutil", "python-dateutil"),
    ("decouple", "python-decouple"),
    ("discord", "discord.py"),
    ("distutils", "setuptools"),
    ("dns", "dnspython"),
    ("docx", "python-docx"),
    ("dotenv", "python-dotenv"),
    ("faiss", "faiss-cpu"),
    ("fitz", "pymupdf"),
    ("flask_cors", "flask-cors"),
    ("flask_login", "flask-login"),
    ("flask_migrate", "flask-migrate"),
    ("flask_sqlalchemy", "flask-sqlalchemy"),
    ("flask_wtf", "flask-wtf"),
    ("git", "GitPython"),
    ("github", "PyGithub"),
    ("gi", "PyGObject"),
    ("google.protobuf", "protobuf"),
    ("google.cloud.storage", "google-cloud-storage"),
    ("google.generativeai", "google-generativeai"),
    ("googleapiclient", "google-api-python-client"),
    ("grpc", "grpcio"),
    ("grpc_tools", "grpcio-tools"),
    ("haystack", "farm-haystack"),
    ("jose", "python-jose"),
    ("jwt", "PyJWT"),
    ("kafka", "kafka-python"),
    ("ldap", "python-ldap"),
    ("levenshtein", "python-Levenshtein"),
    ("Levenshtein", "python-Levenshtein"),
    ("lzo", "python-lzo"),
    ("magic", "python-magic"),
    ("markdown", "Markdown"),
    ("memcache", "python-memcached"),
    ("mpl_toolkits", "matplotlib"),
    ("multipart", "python-multipart"),
    ("mysql", "mysql-connector-python"),
    ("nacl", "pynacl"),
    ("onnxruntime", "onnxruntime"),
    ("osgeo", "gdal"),
    ("pkg_resources", "setuptools"),
    ("pptx", "python-pptx"),
    ("psycopg2", "psycopg2-binary"),
    ("pylab", "matplotlib"),
    ("pywintypes", "pywin32"),
    ("rest_framework", "djangorestframework"),
    ("ruamel", "ruamel.yaml"),
    ("sentence_transformers", "sentence-transformers"),
    ("serial", "pyserial"),
    ("setuptools_rust", "setuptools-rust"),
    ("skimage", "scikit-image"),
    ("sklearn", "scikit-learn"),
    ("slugify", "python-slugify"),
    ("snappy", "python-snappy"),
    ("socketio", "python-socketio"),
    ("speech_recognition", "SpeechRecognition"),
    ("tensorflow_hub", "tensorflow-hub"),
    ("telegram", "python-telegram-bot"),
    ("toml", "toml"),
    ("torch", "torch"),
    ("umap", "umap-learn"),
    ("usb", "pyusb"),
    ("vlc", "python-vlc"),
    ("websocket", "websocket-client"),
    ("win32api", "pywin32"),
    ("win32com", "pywin32"),
    ("wx", "wxPython"),
    ("xdg", "pyxdg"),
    ("yaml", "pyyaml"),
    ("zmq", "pyzmq"),
    ("zstd", "zstandard"),
    ("sqlalchemy", "SQLAlchemy"),
    ("corsheaders", "django-cors-headers"),
    ("environ", "django-environ"),
    ("debug_toolbar", "django-debug-toolbar"),
    ("crispy_forms", "django-crispy-forms"),
    ("django_filters", "django-filter"),
    ("allauth", "django-allauth"),
    ("pythoncom", "pywin32"),
    ("talib", "TA-Lib"),
    ("apt", "python-apt"),
    ("ipykernel", "ipykernel"),
    ("prometheus_client", "prometheus-client"),
    ("pyaudio", "PyAudio"),
    ("Image", "pillow"),
    ("pandas_datareader", "pandas-datareader"),
    ("imblearn", "imbalanced-learn"),
    ("pysftp", "pysftp"),
    ("absl", "absl-py"),
];

/// Modules that Python 3 has under another name.
const RENAMED: &[(&str, &str)] = &[
    ("urllib2", "urllib.request"),
    ("ConfigParser", "configparser"),
    ("Queue", "queue"),
    ("StringIO", "io"),
    ("cPickle", "pickle"),
    ("commands", "subprocess"),
    ("httplib", "http.client"),
    ("urlparse", "urllib.parse"),
    ("Tkinter", "tkinter"),
    ("thread", "_thread"),
    ("cookielib", "http.cookiejar"),
    ("SocketServer", "socketserver"),
    ("__builtin__", "builtins"),
    ("HTMLParser", "html.parser"),
    ("SimpleHTTPServer", "http.server"),
    ("BaseHTTPServer", "http.server"),
];

/// Parts of Python that distributions package separately.
const PARTS: &[(&str, Names)] = &[
    ("tkinter", ["python3-tk", "python3-tkinter", "tk", "python3-tkinter", "python-tk"]),
    ("_tkinter", ["python3-tk", "python3-tkinter", "tk", "python3-tkinter", "python-tk"]),
    ("turtle", ["python3-tk", "python3-tkinter", "tk", "python3-tkinter", "python-tk"]),
    ("ensurepip", ["python3-venv", "python3", "python", "python3", "python"]),
    ("venv", ["python3-venv", "python3", "python", "python3", "python"]),
];

const DJANGO: &[&str] = &[
    "changepassword",
    "check",
    "collectstatic",
    "compilemessages",
    "createcachetable",
    "createsuperuser",
    "dbshell",
    "diffsettings",
    "dumpdata",
    "findstatic",
    "flush",
    "inspectdb",
    "loaddata",
    "makemessages",
    "makemigrations",
    "migrate",
    "runserver",
    "sendtestemail",
    "shell",
    "showmigrations",
    "sqlflush",
    "sqlmigrate",
    "squashmigrations",
    "startapp",
    "startproject",
    "test",
    "testserver",
];

pub(super) const RULES: &[Rule] = &[
    Rule {
        name: "python: a module that is not installed",
        tools: &[],
        signs: &["No module named"],
        apply: missing_module,
    },
    Rule {
        name: "python: a file without its extension",
        tools: &[],
        signs: &["can't open file"],
        apply: file_without_extension,
    },
    Rule {
        name: "python: print of Python 2",
        tools: &[],
        signs: &["Missing parentheses in call to 'print'", "Missing parentheses in call to 'exec'"],
        apply: python2,
    },
    Rule { name: "django: an unknown command", tools: &[], signs: &["Unknown command: "], apply: django_command },
    Rule {
        name: "django: tables that are missing",
        tools: &[],
        signs: &["no such table: ", "django.db.utils.ProgrammingError: relation"],
        apply: django_tables,
    },
    Rule {
        name: "django: migrations that conflict",
        tools: &[],
        signs: &["Conflicting migrations detected"],
        apply: django_conflict,
    },
    Rule {
        name: "django: South wants a merge",
        tools: &[],
        signs: &["--merge: will just attempt the migration"],
        apply: south_merge,
    },
    Rule {
        name: "python: formatters that only checked",
        tools: &["black", "ruff", "isort", "python", "python3", "uv"],
        signs: &[
            "would be reformatted",
            "Would reformat",
            "would reformat",
            "incorrectly sorted",
            "fixable with the `--fix` option",
        ],
        apply: only_checked,
    },
    Rule {
        name: "mypy: stubs that are missing",
        tools: &[],
        signs: &["Hint: \"python3 -m pip install types-", "pip install types-"],
        apply: missing_stubs,
    },
];

/// The name of a module's package.
fn package(module: &str) -> &str {
    let known = |name: &str| PACKAGES.iter().find(|(known, _)| *known == name).map(|(_, package)| *package);
    let root = module.split('.').next().unwrap_or(module);
    let deep: Option<&str> = PACKAGES
        .iter()
        .find(|(known, _)| known.contains('.') && module.starts_with(known))
        .map(|(_, package)| *package);
    deep.or_else(|| known(root)).unwrap_or(root)
}

/// The command that installs packages in this project: with its own tool if it has one, otherwise with pip.
fn installer(case: &Case<'_>, world: &dyn World) -> String {
    let has = |name: &str| world.kind(Path::new(name)).is_some();
    let interpreter = case.raw(0);
    let is_particular = pattern!(r"^python\d*\.\d+$").is_match(case.tool()) || interpreter.contains('/');
    match case.tool() {
        // The Python that was named is the one without the module.
        tool if is_particular && tool.starts_with("python") => return format!("{interpreter} -m pip install"),
        "uv" => "uv add",
        "poetry" => "poetry add",
        "pipenv" => "pipenv install",
        "pdm" => "pdm add",
        _ if has("uv.lock") => "uv add",
        _ if has("poetry.lock") => "poetry add",
        _ if has("Pipfile") => "pipenv install",
        _ if world.has("pip3") && !world.has("pip") => "pip3 install",
        _ => "pip install",
    }
    .to_owned()
}

fn missing_module(case: &Case<'_>, world: &dyn World) -> Option<Finding> {
    let caught = case.output.captures(pattern!(r#"No module named ['"]?([A-Za-z_][\w.-]*)['"]?(;.*)?"#))?;
    let module = caught.get(1)?.as_str().trim_end_matches('.');
    let root = module.split('.').next()?;
    if caught.get(2).is_some() {
        return Some(Finding::cause(Confidence::Likely, format!("{root} is a package that cannot be run with -m.")));
    }
    if let Some(finding) = slip::module(case, module) {
        return Some(finding);
    }
    if root == "pip" {
        let because = "This Python has no pip.";
        return Some(
            Finding::fix(
                Confidence::Likely,
                "python3 -m ensurepip --upgrade",
                "installs the pip that comes with Python",
            )
            .because(because),
        );
    }
    if let Some((_, now)) = RENAMED.iter().find(|(old, _)| *old == root) {
        return Some(Finding::cause(
            Confidence::Sure,
            format!("{root} is a module of Python 2; in Python 3 it is {now}."),
        ));
    }
    if let Some((_, names)) = PARTS.iter().find(|(part, _)| *part == root) {
        let cause = Finding::cause(
            Confidence::Sure,
            format!("{root} belongs to Python, but this system packages it on its own."),
        );
        return Some(match manager::install(names, world) {
            Some(command) => cause.or(command, format!("has {root}")),
            None => cause,
        });
    }
    let is_own = [format!("{root}.py"), format!("{root}/__init__.py"), format!("src/{root}"), format!("src/{root}.py")]
        .iter()
        .any(|path| world.kind(Path::new(path)).is_some());
    if is_own {
        return Some(Finding::cause(
            Confidence::Likely,
            format!(
                "{root} is in this project, but not where Python looks: run it from the project's top, with -m, or set PYTHONPATH."
            ),
        ));
    }
    // A module of the project that is run from another directory, or a wrong relative import.
    if root.starts_with('_')
        || ["tests", "test", "src", "app", "main", "utils", "config", "settings", "lib", "models"].contains(&root)
    {
        return Some(Finding::cause(
            Confidence::Likely,
            format!("{root} is most probably a module of the project itself, and Python does not look where it is."),
        ));
    }
    Some(not_installed(case, module, world))
}

/// A module whose package is not installed, with the command that installs it.
fn not_installed(case: &Case<'_>, module: &str, world: &dyn World) -> Finding {
    let root = module.split('.').next().unwrap_or(module);
    let package = package(module);
    let cause = format!("The module {root} is not installed in the Python that ran.");
    let is_known = known::PYTHON.has(package) || PACKAGES.iter().any(|(_, known)| *known == package);
    let words = if is_known { cause } else { format!("{cause} {}", known::PYTHON.doubt(package)) };
    let mut finding = Finding::cause(Confidence::Sure, words);
    if let Some(activate) = idle_environment(world) {
        finding = finding.or(case.with_before(&format!("{activate} &&")), "uses the virtual environment beside you");
    }
    let requirements = world.read(Path::new("requirements.txt"));
    let is_required = requirements
        .is_some_and(|text| text.lines().any(|line| line.trim().to_lowercase().starts_with(&package.to_lowercase())));
    let installer = installer(case, world);
    if is_required && installer.contains("pip install") {
        finding =
            finding.or(case.with_before(&format!("{installer} -r requirements.txt &&")), "requirements.txt lists it");
    }
    if !is_known && !is_required {
        return finding;
    }
    finding.or(case.with_before(&format!("{installer} {} &&", line::quoted(package))), format!("installs {package}"))
}

/// The command that activates a virtual environment that exists here and is not active.
fn idle_environment(world: &dyn World) -> Option<String> {
    if world.variable("VIRTUAL_ENV").is_some_and(|path| !path.is_empty()) {
        return None;
    }
    let script =
        if world.variable("SHELL").is_some_and(|shell| shell.ends_with("fish")) { "activate.fish" } else { "activate" };
    let directory = [".venv", "venv", "env", ".env", "virtualenv"]
        .into_iter()
        .find(|name| world.kind(&Path::new(name).join("bin/activate")).is_some())?;
    Some(format!("source {directory}/bin/{script}"))
}

fn file_without_extension(case: &Case<'_>, world: &dyn World) -> Option<Finding> {
    let caught = case.output.captures(pattern!(r"can't open file '([^']+)'"))?;
    let path = caught.get(1)?.as_str();
    let index = case.words().iter().position(|word| word.text == path || path.ends_with(&format!("/{}", word.text)))?;
    let typed = case.word(index)?;
    let with_extension = format!("{typed}.py");
    let exists = world.kind(Path::new(&with_extension)).is_some();
    let name = typed.rsplit('/').next().unwrap_or(typed);
    if exists || !name.contains('.') && !name.is_empty() {
        let confidence = if exists { Confidence::Sure } else { Confidence::Likely };
        return Some(
            Finding::fix(confidence, case.with_word(index, &with_extension), "the file with its extension")
                .because(format!("There is no file {typed}.")),
        );
    }
    let directory = Path::new(typed).parent().unwrap_or(Path::new(""));
    let entries = world.entries(if directory.as_os_str().is_empty() { Path::new(".") } else { directory });
    let meant = crate::reflex::typo::nearest(name, entries.iter().map(|entry| entry.name.as_str()))?;
    Some(
        Finding::fix(
            Confidence::Likely,
            case.with_word(index, &directory.join(meant).to_string_lossy()),
            "the nearest file",
        )
        .because(format!("There is no file {typed}.")),
    )
}

fn python2(case: &Case<'_>, world: &dyn World) -> Option<Finding> {
    let cause =
        Finding::cause(Confidence::Sure, "The program is written for Python 2: in Python 3 print is a function.");
    let is_python = case.tool().starts_with("python");
    Some(if is_python && world.has("python2") {
        cause.or(case.with_word(0, "python2"), "runs it with Python 2")
    } else {
        cause
    })
}

fn django_command(case: &Case<'_>, _: &dyn World) -> Option<Finding> {
    let caught = case.output.captures(pattern!(r"Unknown command: '([^']+)'\.?(?: Did you mean ([\w-]+)\?)?"))?;
    let wrong = caught.get(1)?.as_str();
    let finding = match caught.get(2) {
        Some(meant) => swap::told(case, wrong, [meant.as_str()]),
        None => swap::nearest(case, wrong, DJANGO.iter().copied()),
    };
    finding.map(|found| found.because(format!("manage.py has no command {wrong}.")))
}

/// `python manage.py`, as it was typed.
fn manage(case: &Case<'_>, command: &str) -> Option<String> {
    let index = case.words().iter().position(|word| word.text.ends_with("manage.py"))?;
    let words: Vec<String> = case.words()[..=index].iter().map(|word| line::quoted(&word.text)).collect();
    Some(format!("{} {command}", words.join(" ")))
}

fn django_tables(case: &Case<'_>, _: &dyn World) -> Option<Finding> {
    let command = manage(case, "migrate")?;
    Some(
        Finding::fix(Confidence::Likely, command, "creates the tables")
            .because("The database does not have the tables that the models describe."),
    )
}

fn django_conflict(case: &Case<'_>, _: &dyn World) -> Option<Finding> {
    let command = manage(case, "makemigrations --merge")?;
    Some(
        Finding::fix(Confidence::Sure, command, "Django's own advice").because("Two migrations continue the same one."),
    )
}

fn south_merge(case: &Case<'_>, _: &dyn World) -> Option<Finding> {
    manage(case, "")?;
    Some(Finding::fix(
        Confidence::Likely,
        case.with_inserted(usize::MAX, "--merge"),
        "runs the migrations out of order",
    ))
}

fn only_checked(case: &Case<'_>, _: &dyn World) -> Option<Finding> {
    if let Some(index) = ["--check", "--check-only", "-c"]
        .iter()
        .find_map(|flag| case.position(flag))
        .filter(|_| !case.output.says("--fix"))
    {
        return Some(
            Finding::fix(Confidence::Sure, case.without(index), "changes the files")
                .because("Some files are not formatted; they were only checked."),
        );
    }
    let index = case
        .position("check")
        .filter(|_| case.output.says("fixable with the `--fix` option") && !case.has_word(&["--fix"]))?;
    Some(Finding::fix(Confidence::Sure, case.with_inserted(index + 1, "--fix"), "repairs what can be repaired"))
}

fn missing_stubs(case: &Case<'_>, _: &dyn World) -> Option<Finding> {
    let name = case.output.captures(pattern!(r"pip install (types-[\w-]+)"))?.get(1)?.as_str();
    Some(
        Finding::fix(Confidence::Sure, format!("python3 -m pip install {name}"), "mypy's own advice")
            .because("mypy needs type stubs that are not installed."),
    )
}
