//! C and C++: missing headers and libraries, and language standards that are too old.

use super::manager::{self, Names};
use super::{Rule, pattern};
use crate::reflex::case::Case;
use crate::reflex::finding::{Confidence, Finding};
use crate::reflex::world::World;

const COMPILERS: &[&str] = &["gcc", "g++", "cc", "c++", "clang", "clang++"];

pub(super) const RULES: &[Rule] = &[
    Rule {
        name: "c: a header that is not installed",
        tools: &[],
        signs: &["No such file or directory", "file not found", "cannot open source file"],
        apply: missing_header,
    },
    Rule {
        name: "c: no compiler",
        tools: &[],
        signs: &["no acceptable C compiler found", "No CMAKE_C_COMPILER could be", "No CMAKE_CXX_COMPILER could be"],
        apply: no_compiler,
    },
    Rule {
        name: "c: a library that is not installed",
        tools: &[],
        signs: &["cannot find -l", "library not found for -l", "unable to find library -l"],
        apply: missing_library,
    },
    Rule {
        name: "c: a library pkg-config does not know",
        tools: &[],
        signs: &["in the pkg-config search path", "No package '", "required by crate"],
        apply: missing_pkg_config,
    },
    Rule {
        name: "c: the linker was not told the library",
        tools: COMPILERS,
        signs: &["undefined reference to", "Undefined symbols"],
        apply: unlinked,
    },
    Rule {
        name: "c: a newer standard",
        tools: COMPILERS,
        signs: &["-std=", "c++11", "C++11", "c++17", "C++17", "ISO C++ 2011", "C99"],
        apply: newer_standard,
    },
    Rule {
        name: "c: C++ given to the C compiler",
        tools: &["gcc", "cc", "clang"],
        signs: &["std::", "iostream", "cstdio", "__gxx_personality"],
        apply: cpp_as_c,
    },
    Rule { name: "c: no input", tools: COMPILERS, signs: &["no input files"], apply: no_input },
];

/// Prefixes of header paths, libraries, names for pkg-config, and the packages that contain them.
const PACKAGES: &[(&str, &str, &str, Names)] = &[
    ("Python.h", "python3", "python3", ["python3-dev", "python3-devel", "python", "python3-dev", "python"]),
    ("openssl/", "ssl", "openssl", ["libssl-dev", "openssl-devel", "openssl", "openssl-dev", "openssl"]),
    ("", "crypto", "libcrypto", ["libssl-dev", "openssl-devel", "openssl", "openssl-dev", "openssl"]),
    ("zlib.h", "z", "zlib", ["zlib1g-dev", "zlib-devel", "zlib", "zlib-dev", "zlib"]),
    ("bzlib.h", "bz2", "bzip2", ["libbz2-dev", "bzip2-devel", "bzip2", "bzip2-dev", "bzip2"]),
    ("lzma.h", "lzma", "liblzma", ["liblzma-dev", "xz-devel", "xz", "xz-dev", "xz"]),
    ("zstd.h", "zstd", "libzstd", ["libzstd-dev", "libzstd-devel", "zstd", "zstd-dev", "zstd"]),
    ("curl/", "curl", "libcurl", ["libcurl4-openssl-dev", "libcurl-devel", "curl", "curl-dev", "curl"]),
    ("ncurses.h", "ncurses", "ncurses", ["libncurses-dev", "ncurses-devel", "ncurses", "ncurses-dev", "ncurses"]),
    ("curses.h", "ncursesw", "ncursesw", ["libncurses-dev", "ncurses-devel", "ncurses", "ncurses-dev", "ncurses"]),
    (
        "readline/",
        "readline",
        "readline",
        ["libreadline-dev", "readline-devel", "readline", "readline-dev", "readline"],
    ),
    ("ffi.h", "ffi", "libffi", ["libffi-dev", "libffi-devel", "libffi", "libffi-dev", "libffi"]),
    ("sqlite3.h", "sqlite3", "sqlite3", ["libsqlite3-dev", "sqlite-devel", "sqlite", "sqlite-dev", "sqlite"]),
    ("libpq-fe.h", "pq", "libpq", ["libpq-dev", "libpq-devel", "postgresql-libs", "libpq-dev", "libpq"]),
    (
        "mysql",
        "mysqlclient",
        "mysqlclient",
        ["libmysqlclient-dev", "mysql-devel", "mariadb-libs", "mariadb-dev", "mysql-client"],
    ),
    (
        "mariadb",
        "mariadb",
        "libmariadb",
        ["libmariadb-dev", "mariadb-connector-c-devel", "mariadb-libs", "mariadb-dev", "mariadb-connector-c"],
    ),
    ("libxml/", "xml2", "libxml-2.0", ["libxml2-dev", "libxml2-devel", "libxml2", "libxml2-dev", "libxml2"]),
    ("libxslt/", "xslt", "libxslt", ["libxslt1-dev", "libxslt-devel", "libxslt", "libxslt-dev", "libxslt"]),
    (
        "jpeglib.h",
        "jpeg",
        "libjpeg",
        ["libjpeg-dev", "libjpeg-turbo-devel", "libjpeg-turbo", "libjpeg-turbo-dev", "jpeg"],
    ),
    ("png.h", "png", "libpng", ["libpng-dev", "libpng-devel", "libpng", "libpng-dev", "libpng"]),
    (
        "ft2build.h",
        "freetype",
        "freetype2",
        ["libfreetype-dev", "freetype-devel", "freetype2", "freetype-dev", "freetype"],
    ),
    (
        "fontconfig/",
        "fontconfig",
        "fontconfig",
        ["libfontconfig-dev", "fontconfig-devel", "fontconfig", "fontconfig-dev", "fontconfig"],
    ),
    ("cairo", "cairo", "cairo", ["libcairo2-dev", "cairo-devel", "cairo", "cairo-dev", "cairo"]),
    ("glib.h", "glib-2.0", "glib-2.0", ["libglib2.0-dev", "glib2-devel", "glib2", "glib-dev", "glib"]),
    ("gtk/", "gtk-3", "gtk+-3.0", ["libgtk-3-dev", "gtk3-devel", "gtk3", "gtk+3.0-dev", "gtk+3"]),
    ("", "gtk-4", "gtk4", ["libgtk-4-dev", "gtk4-devel", "gtk4", "gtk4.0-dev", "gtk4"]),
    (
        "webkit2/",
        "webkit2gtk-4.1",
        "webkit2gtk-4.1",
        ["libwebkit2gtk-4.1-dev", "webkit2gtk4.1-devel", "webkit2gtk-4.1", "webkit2gtk-4.1-dev", ""],
    ),
    ("alsa/", "asound", "alsa", ["libasound2-dev", "alsa-lib-devel", "alsa-lib", "alsa-lib-dev", ""]),
    (
        "pulse/",
        "pulse",
        "libpulse",
        ["libpulse-dev", "pulseaudio-libs-devel", "libpulse", "pulseaudio-dev", "pulseaudio"],
    ),
    ("libudev.h", "udev", "libudev", ["libudev-dev", "systemd-devel", "systemd-libs", "eudev-dev", ""]),
    ("systemd/", "systemd", "libsystemd", ["libsystemd-dev", "systemd-devel", "systemd-libs", "", ""]),
    ("dbus/", "dbus-1", "dbus-1", ["libdbus-1-dev", "dbus-devel", "dbus", "dbus-dev", "dbus"]),
    ("X11/", "X11", "x11", ["libx11-dev", "libX11-devel", "libx11", "libx11-dev", "libx11"]),
    ("xcb/", "xcb", "xcb", ["libxcb1-dev", "libxcb-devel", "libxcb", "libxcb-dev", "libxcb"]),
    (
        "xkbcommon/",
        "xkbcommon",
        "xkbcommon",
        ["libxkbcommon-dev", "libxkbcommon-devel", "libxkbcommon", "libxkbcommon-dev", "libxkbcommon"],
    ),
    (
        "wayland-client.h",
        "wayland-client",
        "wayland-client",
        ["libwayland-dev", "wayland-devel", "wayland", "wayland-dev", ""],
    ),
    ("GL/gl.h", "GL", "gl", ["libgl1-mesa-dev", "mesa-libGL-devel", "mesa", "mesa-dev", "mesa"]),
    ("GL/glew.h", "GLEW", "glew", ["libglew-dev", "glew-devel", "glew", "glew-dev", "glew"]),
    ("GL/glut.h", "glut", "glut", ["freeglut3-dev", "freeglut-devel", "freeglut", "freeglut-dev", "freeglut"]),
    ("GLFW/", "glfw", "glfw3", ["libglfw3-dev", "glfw-devel", "glfw", "glfw-dev", "glfw"]),
    ("SDL2/", "SDL2", "sdl2", ["libsdl2-dev", "SDL2-devel", "sdl2", "sdl2-dev", "sdl2"]),
    ("SDL.h", "SDL", "sdl", ["libsdl1.2-dev", "SDL-devel", "sdl12-compat", "sdl12-compat-dev", "sdl12-compat"]),
    ("boost/", "boost_system", "boost", ["libboost-all-dev", "boost-devel", "boost", "boost-dev", "boost"]),
    ("Eigen/", "", "eigen3", ["libeigen3-dev", "eigen3-devel", "eigen", "eigen-dev", "eigen"]),
    ("eigen3/", "", "eigen", ["libeigen3-dev", "eigen3-devel", "eigen", "eigen-dev", "eigen"]),
    ("opencv2/", "opencv_core", "opencv4", ["libopencv-dev", "opencv-devel", "opencv", "opencv-dev", "opencv"]),
    ("gtest/", "gtest", "gtest", ["libgtest-dev", "gtest-devel", "gtest", "gtest-dev", "googletest"]),
    ("fmt/", "fmt", "fmt", ["libfmt-dev", "fmt-devel", "fmt", "fmt-dev", "fmt"]),
    (
        "nlohmann/",
        "",
        "nlohmann_json",
        ["nlohmann-json3-dev", "json-devel", "nlohmann-json", "nlohmann-json", "nlohmann-json"],
    ),
    ("spdlog/", "spdlog", "spdlog", ["libspdlog-dev", "spdlog-devel", "spdlog", "spdlog-dev", "spdlog"]),
    (
        "yaml-cpp/",
        "yaml-cpp",
        "yaml-cpp",
        ["libyaml-cpp-dev", "yaml-cpp-devel", "yaml-cpp", "yaml-cpp-dev", "yaml-cpp"],
    ),
    ("yaml.h", "yaml", "yaml-0.1", ["libyaml-dev", "libyaml-devel", "libyaml", "yaml-dev", "libyaml"]),
    ("gmp.h", "gmp", "gmp", ["libgmp-dev", "gmp-devel", "gmp", "gmp-dev", "gmp"]),
    ("mpfr.h", "mpfr", "mpfr", ["libmpfr-dev", "mpfr-devel", "mpfr", "mpfr-dev", "mpfr"]),
    ("pcap.h", "pcap", "libpcap", ["libpcap-dev", "libpcap-devel", "libpcap", "libpcap-dev", "libpcap"]),
    ("pcap/", "pcap", "libpcap", ["libpcap-dev", "libpcap-devel", "libpcap", "libpcap-dev", "libpcap"]),
    ("libusb", "usb-1.0", "libusb-1.0", ["libusb-1.0-0-dev", "libusb1-devel", "libusb", "libusb-dev", "libusb"]),
    ("event2/", "event", "libevent", ["libevent-dev", "libevent-devel", "libevent", "libevent-dev", "libevent"]),
    ("uv.h", "uv", "libuv", ["libuv1-dev", "libuv-devel", "libuv", "libuv-dev", "libuv"]),
    ("ev.h", "ev", "libev", ["libev-dev", "libev-devel", "libev", "libev-dev", "libev"]),
    ("uuid/", "uuid", "uuid", ["uuid-dev", "libuuid-devel", "util-linux-libs", "util-linux-dev", "ossp-uuid"]),
    ("expat.h", "expat", "expat", ["libexpat1-dev", "expat-devel", "expat", "expat-dev", "expat"]),
    ("pcre.h", "pcre", "libpcre", ["libpcre3-dev", "pcre-devel", "pcre", "pcre-dev", "pcre"]),
    ("pcre2.h", "pcre2-8", "libpcre2-8", ["libpcre2-dev", "pcre2-devel", "pcre2", "pcre2-dev", "pcre2"]),
    ("lua.h", "lua5.4", "lua5.4", ["liblua5.4-dev", "lua-devel", "lua", "lua5.4-dev", "lua"]),
    ("ruby.h", "ruby", "ruby", ["ruby-dev", "ruby-devel", "ruby", "ruby-dev", "ruby"]),
    ("sasl/", "sasl2", "libsasl2", ["libsasl2-dev", "cyrus-sasl-devel", "libsasl", "cyrus-sasl-dev", "cyrus-sasl"]),
    ("ldap.h", "ldap", "ldap", ["libldap2-dev", "openldap-devel", "libldap", "openldap-dev", "openldap"]),
    ("security/pam_appl.h", "pam", "pam", ["libpam0g-dev", "pam-devel", "pam", "linux-pam-dev", ""]),
    ("sys/acl.h", "acl", "libacl", ["libacl1-dev", "libacl-devel", "acl", "acl-dev", ""]),
    ("gssapi", "gssapi_krb5", "krb5-gssapi", ["libkrb5-dev", "krb5-devel", "krb5", "krb5-dev", "krb5"]),
    ("magic.h", "magic", "libmagic", ["libmagic-dev", "file-devel", "file", "file-dev", "libmagic"]),
    ("fuse", "fuse", "fuse", ["libfuse-dev", "fuse-devel", "fuse2", "fuse-dev", ""]),
    ("hdf5.h", "hdf5", "hdf5", ["libhdf5-dev", "hdf5-devel", "hdf5", "hdf5-dev", "hdf5"]),
    ("cblas.h", "blas", "blas", ["libopenblas-dev", "openblas-devel", "openblas", "openblas-dev", "openblas"]),
    ("lapack", "lapack", "lapack", ["liblapack-dev", "lapack-devel", "lapack", "lapack-dev", "lapack"]),
    ("fftw3.h", "fftw3", "fftw3", ["libfftw3-dev", "fftw-devel", "fftw", "fftw-dev", "fftw"]),
    ("gsl/", "gsl", "gsl", ["libgsl-dev", "gsl-devel", "gsl", "gsl-dev", "gsl"]),
    ("mpi.h", "mpi", "ompi", ["libopenmpi-dev", "openmpi-devel", "openmpi", "openmpi-dev", "open-mpi"]),
    ("git2.h", "git2", "libgit2", ["libgit2-dev", "libgit2-devel", "libgit2", "libgit2-dev", "libgit2"]),
    ("ssh/", "ssh", "libssh", ["libssh-dev", "libssh-devel", "libssh", "libssh-dev", "libssh"]),
    (
        "sodium.h",
        "sodium",
        "libsodium",
        ["libsodium-dev", "libsodium-devel", "libsodium", "libsodium-dev", "libsodium"],
    ),
    ("zmq.h", "zmq", "libzmq", ["libzmq3-dev", "zeromq-devel", "zeromq", "zeromq-dev", "zeromq"]),
    ("jansson.h", "jansson", "jansson", ["libjansson-dev", "jansson-devel", "jansson", "jansson-dev", "jansson"]),
    ("json-c/", "json-c", "json-c", ["libjson-c-dev", "json-c-devel", "json-c", "json-c-dev", "json-c"]),
    ("libavcodec/", "avcodec", "libavcodec", ["libavcodec-dev", "ffmpeg-free-devel", "ffmpeg", "ffmpeg-dev", "ffmpeg"]),
    (
        "portaudio.h",
        "portaudio",
        "portaudio-2.0",
        ["portaudio19-dev", "portaudio-devel", "portaudio", "portaudio-dev", "portaudio"],
    ),
    ("linux/", "", "linux-headers", ["linux-libc-dev", "kernel-headers", "linux-api-headers", "linux-headers", ""]),
    ("stdio.h", "c", "", ["libc6-dev", "glibc-devel", "glibc", "musl-dev", ""]),
    ("stdlib.h", "m", "", ["libc6-dev", "glibc-devel", "glibc", "musl-dev", ""]),
    ("bits/", "", "", ["gcc-multilib", "glibc-devel.i686", "lib32-glibc", "", ""]),
    ("elf.h", "elf", "libelf", ["libelf-dev", "elfutils-libelf-devel", "libelf", "elfutils-dev", "libelf"]),
    ("iostream", "stdc++", "", ["g++", "gcc-c++", "gcc", "g++", "gcc"]),
];

fn with_package(cause: String, names: Option<&Names>, what: &str, world: &dyn World) -> Finding {
    let finding = Finding::cause(Confidence::Sure, cause);
    match names.and_then(|names| manager::install(names, world)) {
        Some(command) => finding.or(command, format!("the package with {what}")),
        None => finding,
    }
}

fn no_compiler(_: &Case<'_>, world: &dyn World) -> Option<Finding> {
    let names: Names = ["build-essential", "gcc-c++", "base-devel", "build-base", "gcc"];
    Some(with_package("There is no C compiler on this machine.".to_owned(), Some(&names), "a compiler", world))
}

fn missing_header(case: &Case<'_>, world: &dyn World) -> Option<Finding> {
    if !case.output.says("error: ") {
        return None;
    }
    let caught = case.output.captures(pattern!(r#"(?:fatal error|error|catastrophic error): (?:cannot open source file )?['"‘]?([\w./+-]+?(?:\.h|\.hpp|\.hh|\.H)?)['"’]?(?:: No such file or directory| file not found)?$"#))?;
    let header = caught.get(1)?.as_str();
    let is_header = header.contains(".h")
        || ["iostream", "vector", "string", "cstdio", "boost/", "Eigen/", "opencv2/"]
            .iter()
            .any(|known| header.starts_with(known));
    if !is_header {
        return None;
    }
    let names = PACKAGES.iter().find(|(begin, ..)| {
        !begin.is_empty() && (header == *begin || !begin.ends_with(".h") && header.starts_with(begin))
    });
    let is_own =
        names.is_none() && case.output.lines().iter().any(|line| line.contains(&format!("#include \"{header}\"")));
    let cause = if is_own {
        format!("The header {header} is not where the compiler looks: add its directory with -I.")
    } else {
        format!("The header {header} is not installed, or not where the compiler looks.")
    };
    Some(with_package(cause, names.map(|(.., names)| names), header, world))
}

fn missing_library(case: &Case<'_>, world: &dyn World) -> Option<Finding> {
    let name = case
        .output
        .captures(pattern!(r"(?:cannot find|library not found for|unable to find library) -l([\w.+-]+)"))?
        .get(1)?
        .as_str()
        .trim_end_matches(['.', ':']);
    let names = PACKAGES.iter().find(|(_, library, ..)| *library == name).map(|(.., names)| names);
    Some(with_package(format!("The linker does not find the library {name}."), names, name, world))
}

fn missing_pkg_config(case: &Case<'_>, world: &dyn World) -> Option<Finding> {
    let caught = case.output.captures(pattern!(r"(?:Package '?([\w.+-]+?)'?,? (?:was not found|required by|virtual:world)|No package '([^']+)' found|The system library `([^`]+)` required by crate)"))?;
    let name = caught.iter().skip(1).flatten().next()?.as_str();
    let names = PACKAGES
        .iter()
        .find(|(_, _, known, _)| !known.is_empty() && (*known == name || *known == name.trim_start_matches("lib")))
        .map(|(.., names)| names);
    Some(with_package(
        format!("pkg-config does not know {name}: its development package is not installed."),
        names,
        name,
        world,
    ))
}

/// Whether a function's name starts with one of these prefixes, by which its library is known.
fn begins(name: &str, with: &[&str]) -> bool {
    with.iter().any(|with| name.starts_with(with))
}

/// The flag that links the library with this symbol, if it is well known.
fn library(name: &str) -> Option<&'static str> {
    const MATHS: &[&str] = &[
        "sqrt", "pow", "sin", "cos", "tan", "exp", "log", "floor", "ceil", "fabs", "atan2", "fmod", "log10", "sqrtf",
        "powf", "cbrt", "hypot", "round", "acos", "asin", "atan",
    ];
    Some(match name {
        name if MATHS.contains(&name) => "-lm",
        name if begins(name, &["pthread_", "sem_"]) => "-pthread",
        name if begins(name, &["dlopen", "dlsym", "dlclose", "dlerror"]) => "-ldl",
        name if begins(name, &["clock_gettime", "shm_open", "mq_"]) => "-lrt",
        name if begins(name, &["curl_easy", "curl_global", "curl_multi"]) => "-lcurl",
        name if begins(name, &["SSL_", "TLS_"]) => "-lssl -lcrypto",
        name if begins(name, &["EVP_", "RSA_", "BIO_", "SHA256_", "MD5_"]) => "-lcrypto",
        name if begins(name, &["inflate", "deflate", "gzopen", "compress2"]) => "-lz",
        name if begins(name, &["initscr", "endwin", "printw", "stdscr", "wrefresh"]) => "-lncurses",
        name if begins(name, &["sqlite3_"]) => "-lsqlite3",
        name if name == "readline" || name == "add_history" => "-lreadline",
        name if begins(name, &["SDL_"]) => "-lSDL2",
        name if begins(name, &["glfw"]) => "-lglfw",
        name if begins(name, &["XOpenDisplay", "XCreate"]) => "-lX11",
        name if begins(name, &["png_"]) => "-lpng",
        "crypt" => "-lcrypt",
        _ => return None,
    })
}

fn unlinked(case: &Case<'_>, _: &dyn World) -> Option<Finding> {
    let symbols: Vec<&str> = case
        .output
        .lines()
        .iter()
        .filter_map(|line| pattern!(r#"(?:undefined reference to [`'‘]|^\s*"_)([\w:~@]+)"#).captures(line)?.get(1))
        .map(|found| found.as_str())
        .collect();
    let first = *symbols.first()?;
    if begins(first, &["std::", "__cxa", "operator", "__gxx"]) {
        return None;
    }
    // If one symbol is unknown, it is the user's own, and a flag would not be enough.
    let mut flags: Vec<&str> = Vec::new();
    for symbol in symbols {
        let Some(flag) = library(symbol) else {
            let is_main = symbol == "main" || symbol == "WinMain";
            let because = if is_main {
                "The program has no main function among the files that were given.".to_owned()
            } else {
                format!(
                    "{symbol} is used, but nothing that is linked defines it: a source file or a library is missing from the command."
                )
            };
            return Some(Finding::cause(Confidence::Sure, because));
        };
        if !flags.contains(&flag) {
            flags.push(flag);
        }
    }
    let flags = flags.join(" ");
    let because = format!("The library that has {first} must be named to the linker, after the files that use it.");
    Some(
        Finding::fix(Confidence::Sure, case.with_inserted(usize::MAX, &flags), format!("links with {flags}"))
            .because(because),
    )
}

fn newer_standard(case: &Case<'_>, _: &dyn World) -> Option<Finding> {
    if case.words().iter().any(|word| word.text.starts_with("-std=")) {
        return None;
    }
    let says = |any: &[&str]| any.iter().any(|words| case.output.says(words));
    let is_cpp = case.tool().ends_with("++");
    let told = case
        .output
        .captures(pattern!(r"(?:with|use option|using|enable with|or) (?:the )?[`'‘]?(-std=[a-z+]+[0-9a-z]+)"));
    let flag = if let Some(told) = told {
        told.get(1)?.as_str()
    } else if is_cpp && says(&["ISO C++ 2011", "C++11", "c++11"]) {
        "-std=c++11"
    } else if is_cpp && says(&["C++17", "c++17"]) {
        "-std=c++17"
    } else if !is_cpp && says(&["C99"]) {
        "-std=c99"
    } else {
        return None;
    };
    // Old compilers name an experimental spelling; they accept the final one too.
    let flag = flag.replace("c++0x", "c++11").replace("gnu++0x", "gnu++11").replace("c++1z", "c++17");
    Some(
        Finding::fix(Confidence::Likely, case.with_inserted(usize::MAX, &flag), "the standard the code needs")
            .because("The code is written for a newer standard than the compiler assumes."),
    )
}

fn cpp_as_c(case: &Case<'_>, _: &dyn World) -> Option<Finding> {
    let is_cpp = case
        .words()
        .iter()
        .any(|word| [".cpp", ".cc", ".cxx", ".C"].iter().any(|extension| word.text.ends_with(extension)));
    let compiler = match case.tool() {
        "clang" => "clang++",
        "cc" => "c++",
        _ => "g++",
    };
    let is_linking = case.output.says("undefined reference to `std::")
        || case.output.says("__gxx_personality")
        || case.output.says("undefined reference to 'std::");
    (is_cpp && is_linking).then(|| {
        Finding::fix(Confidence::Sure, case.with_word(0, compiler), "links the C++ library")
            .because("A C++ program was linked as if it were C.")
    })
}

fn no_input(case: &Case<'_>, _: &dyn World) -> Option<Finding> {
    (case.words().len() == 1)
        .then(|| Finding::cause(Confidence::Sure, format!("{} was given no file to compile.", case.tool())))
}
