//! tar, unzip and other archivers.

use crate::reflex::case::Case;
use crate::reflex::finding::{Confidence, Finding};
use crate::reflex::near;
use crate::reflex::rules::Rule;
use crate::reflex::world::World;

pub(in crate::reflex::rules) const RULES: &[Rule] = &[
    Rule { name: "tar: -f is missing", tools: &["tar"], signs: &["missing -f option"], apply: tar_file },
    Rule {
        name: "tar: no operation",
        tools: &["tar"],
        signs: &["must specify one of the", "Must specify one of", "May not specify more than one"],
        apply: tar_operation,
    },
    Rule {
        name: "an archive of another kind",
        tools: &["tar", "unzip", "gunzip", "gzip", "bunzip2", "xz", "zcat"],
        signs: &[
            "not in gzip format",
            "does not look like a tar archive",
            "nrecognized archive format",
            "End-of-central-directory",
            "not a bzip2 file",
            "not recognized",
            "unknown suffix",
            "Child returned status",
        ],
        apply: archive_kind,
    },
    Rule { name: "unzip: no such archive", tools: &["unzip"], signs: &["cannot find or open"], apply: unzip_missing },
];

fn tar_file(case: &Case<'_>, _: &dyn World) -> Option<Finding> {
    let flags = case.word(1)?;
    let is_flags = flags.trim_start_matches('-').chars().all(|c| c.is_ascii_alphabetic())
        && !flags.starts_with("--")
        && !flags.contains('f')
        && flags.contains(['x', 'c', 't']);
    (is_flags && case.words().len() > 2).then(|| {
        Finding::fix(Confidence::Sure, case.with_raw(1, &format!("{flags}f")), "with the archive's name")
            .because("Without f, tar reads and writes a tape or the terminal.")
    })
}

fn tar_operation(case: &Case<'_>, _: &dyn World) -> Option<Finding> {
    let is_archive = |word: &str| {
        [".tar", ".tgz", ".tbz2", ".txz", ".tar.gz", ".tar.bz2", ".tar.xz", ".tar.zst"]
            .iter()
            .any(|ending| word.ends_with(ending))
    };
    let operands: Vec<(usize, &str)> = case.operands().collect();
    let cause = "tar must be told what to do: x to extract, c to create, t to list.";
    match operands.as_slice() {
        [(index, archive)] if is_archive(archive) && case.words().len() == 2 => {
            Some(Finding::fix(Confidence::Guess, case.with_inserted(*index, "-xf"), "to extract it").because(cause))
        }
        [(flags_at, flags), ..] if case.output.says("more than one") => Some(Finding::cause(
            Confidence::Likely,
            format!(
                "{} asks for two things at once: extract (x), create (c) or list (t).",
                case.word(*flags_at).unwrap_or(flags)
            ),
        )),
        _ => Some(Finding::cause(Confidence::Likely, cause)),
    }
}

fn archive_kind(case: &Case<'_>, world: &dyn World) -> Option<Finding> {
    if case.output.says("annot open: No such file") {
        return None;
    }
    if case.tool() == "tar"
        && let Some(finding) = tar_file(case, world)
    {
        return Some(finding);
    }
    let (index, archive) = case.operands().find(|(_, word)| word.contains('.') && !word.ends_with('/'))?;
    let shown = &case.line.text()[case.words()[index].span.clone()];
    let ends = |endings: &[&str]| endings.iter().any(|ending| archive.ends_with(ending));
    let tool = case.tool();
    let cause = format!("{archive} is not an archive of the kind {tool} was told.");
    let finding = |command: String, why: &str| {
        Some(Finding::fix(Confidence::Likely, command, why.to_owned()).because(cause.clone()))
    };
    if ends(&[".zip", ".jar", ".whl", ".apk"]) && tool != "unzip" {
        return finding(case.with_command(&format!("unzip {shown}")), "a zip archive");
    }
    if ends(&[".tar.gz", ".tgz", ".tar.bz2", ".tar.xz", ".tar", ".tar.zst", ".txz", ".tbz2"]) && tool != "tar" {
        return finding(case.with_command(&format!("tar -xf {shown}")), "a tar archive");
    }
    if tool == "tar" {
        let flags = case.word(1).filter(|flags| !flags.starts_with("--") && flags.contains('x'))?;
        let plain: String = flags.chars().filter(|c| !"zjJ".contains(*c)).collect();
        if plain != flags {
            return finding(case.with_raw(1, &plain), "tar finds out the compression by itself");
        }
    }
    Some(Finding::cause(Confidence::Likely, format!("{cause} `file {shown}` tells what it is.")))
}

fn unzip_missing(case: &Case<'_>, world: &dyn World) -> Option<Finding> {
    let (index, typed) = case.operands().next()?;
    let meant = near::path(typed, world)?;
    Some(
        Finding::fix(Confidence::Likely, case.with_word(index, &meant), "the nearest file")
            .because(format!("There is no {typed}.")),
    )
}
