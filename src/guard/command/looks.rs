//! Commands that only look, with the options that leave it so.

use super::argument::{Argument, Certainty};
use super::options::{OptionError, ParsedOptions, PatternRisk, parse};
use super::scope::Scope;
use super::unclear::Unclear;
use super::{Extent, Touched, awk, find, git, paths};

/// Whether a command only looks.
#[derive(Debug, PartialEq, Eq)]
pub(super) enum LookJudgement {
    /// It looks, and reads these paths.
    Looks(Vec<Touched>),
    Changes,
    Unclear(Unclear),
}

impl From<OptionError> for LookJudgement {
    fn from(error: OptionError) -> Self {
        match error {
            OptionError::Unlisted => LookJudgement::Changes,
            OptionError::Unclear(why) => LookJudgement::Unclear(why),
        }
    }
}

/// What the operands of a command are.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum OperandKind {
    /// Files whose content is read, or directories that are listed.
    Files,
    /// One file: a second operand would be written.
    OneFile,
    /// A text, then files. The text is not an operand if one of these options is given.
    TextAndFiles(&'static [&'static str]),
    /// Texts that are not paths.
    Texts,
    /// There are none.
    None,
}

/// A command that only looks.
struct LookSpec {
    names: &'static str,
    options: &'static str,
    operands: OperandKind,
    risk: PatternRisk,
}

const fn look(names: &'static str, options: &'static str, operands: OperandKind, risk: PatternRisk) -> LookSpec {
    LookSpec { names, options, operands, risk }
}

use OperandKind::{Files, None as NoOperands, OneFile, TextAndFiles, Texts};
use PatternRisk::{Harmless, Options};

const LOOKS: &[LookSpec] = &[
    look("whoami arch nproc tty", "", NoOperands, Harmless),
    look("pwd", "-L -P --logical --physical", NoOperands, Harmless),
    look("exit return break continue", "", Texts, Options),
    look(
        "cat",
        "-A -b -e -E -n -s -t -T -u -v --show-all --number-nonblank --show-ends --number --squeeze-blank --show-tabs \
         --show-nonprinting",
        Files,
        Harmless,
    ),
    look("tac", "-b -r -s= --before --regex --separator=", Files, Harmless),
    look("rev", "-0 --zero", Files, Harmless),
    look("head", "-# -n= -c= -q -v -z --lines= --bytes= --quiet --silent --verbose --zero-terminated", Files, Harmless),
    look("tail", "-# -n= -c= -q -v -z --lines= --bytes= --quiet --silent --verbose --zero-terminated", Files, Harmless),
    look("wc", "-c -m -l -L -w --bytes --chars --lines --max-line-length --words --total=", Files, Harmless),
    look(
        "cut",
        "-b= -c= -d= -f= -n -s -z --bytes= --characters= --delimiter= --fields= --only-delimited --complement \
         --output-delimiter= --zero-terminated",
        Files,
        Harmless,
    ),
    look("tr", "-c -C -d -s -t --complement --delete --squeeze-repeats --truncate-set1", Texts, Harmless),
    look("nl", "-b= -d= -f= -h= -i= -l= -n= -p -s= -v= -w= --body-numbering= --number-width=", Files, Harmless),
    look("paste", "-d= -s -z --delimiters= --serial --zero-terminated", Files, Harmless),
    look("fold", "-b -s -w= --bytes --spaces --width=", Files, Harmless),
    look("seq", "-f= -s= -w --format= --separator= --equal-width", Texts, Harmless),
    look("id groups", "-a -g -G -n -r -u -z --group --groups --name --real --user --zero", Texts, Harmless),
    look(
        "uname",
        "-a -s -n -r -v -m -p -i -o --all --kernel-name --nodename --kernel-release --kernel-version --machine \
         --processor --hardware-platform --operating-system",
        NoOperands,
        Harmless,
    ),
    look(
        "hostname",
        "-f -i -I -s -A -d --fqdn --long --ip-address --all-ip-addresses --short --domain",
        NoOperands,
        Options,
    ),
    look("stat", "-L -f -c= -t --dereference --file-system --format= --printf= --terse", Files, Harmless),
    look(
        "ls dir",
        "-a -A -b -B -c -C -d -D -f -F -g -G -h -H -i -I= -k -l -L -m -n -N -o -p -q -Q -r -R -s -S -t -T= -u -U -v -w= -x -X -Z -1 \
         --all --almost-all --author --escape --block-size= --ignore-backups --color? --directory --classify? --file-type \
         --format= --full-time --group-directories-first --no-group --human-readable --si --dereference --hide= \
         --hyperlink? --indicator-style= --inode --ignore= --kibibytes --numeric-uid-gid --literal --hide-control-chars \
         --quote-name --quoting-style= --reverse --recursive --size --sort= --time= --time-style= --tabsize= --width= \
         --context --zero",
        Files,
        Harmless,
    ),
    look(
        "du",
        "-0 -a -A -b -B= -c -d= -D -H -h -k -l -L -m -P -S -s -t= -x --all --apparent-size --block-size= --bytes --total \
         --max-depth= --human-readable --inodes --si --separate-dirs --summarize --threshold= --time? --one-file-system \
         --exclude=",
        Files,
        Harmless,
    ),
    look(
        "df",
        "-a -B= -h -H -i -k -l -P -t= -T -x= --all --block-size= --human-readable --si --inodes --local --portability \
         --total --type= --print-type --exclude-type= --output?",
        Files,
        Options,
    ),
    look("which", "-a --all", Texts, Harmless),
    look("type", "-a -f -p -P -t", Texts, Harmless),
    look("basename", "-a -s= -z --multiple --suffix= --zero", Texts, Harmless),
    look("dirname", "-z --zero", Texts, Harmless),
    look(
        "realpath",
        "-e -m -L -P -q -s -z --canonicalize-existing --canonicalize-missing --logical --physical --quiet \
         --relative-to= --relative-base= --strip --no-symlinks --zero",
        Files,
        Harmless,
    ),
    look(
        "readlink",
        "-f -e -m -n -q -s -v -z --canonicalize --canonicalize-existing --canonicalize-missing --no-newline --quiet \
         --silent --verbose --zero",
        Files,
        Harmless,
    ),
    look(
        "cmp",
        "-b -i= -l -n= -s --print-bytes --ignore-initial= --verbose --bytes= --quiet --silent",
        Files,
        Harmless,
    ),
    look(
        "comm",
        "-1 -2 -3 -z --check-order --nocheck-order --output-delimiter= --total --zero-terminated",
        Files,
        Harmless,
    ),
    look(
        "diff",
        "-# -q -s -c -C= -u -U= -e -n -y -W= -p -F= -t -T -r -N -i -E -Z -b -w -B -I= -a -d -x= -X=@ -H --brief \
         --report-identical-files --context? --unified? --ed --rcs --side-by-side --width= --left-column \
         --suppress-common-lines --show-c-function --show-function-line= --label= --expand-tabs --initial-tab --tabsize= \
         --recursive --no-dereference --new-file --unidirectional-new-file --ignore-file-name-case --exclude= \
         --exclude-from=@ --starting-file= --from-file=@ --to-file=@ --ignore-case --ignore-tab-expansion \
         --ignore-trailing-space --ignore-space-change --ignore-all-space --ignore-blank-lines --ignore-matching-lines= \
         --text --strip-trailing-cr --minimal --horizon-lines= --speed-large-files --color?",
        Files,
        Options,
    ),
    look(
        "numfmt",
        "-d= -z --field= --format= --from= --to= --from-unit= --to-unit= --grouping --header? --padding= --round= --suffix= \
         --delimiter= --invalid= --zero-terminated",
        Texts,
        Harmless,
    ),
    look(
        "uniq",
        "-c -d -D -f= -i -s= -u -w= -z --count --repeated --all-repeated? --skip-fields= --group? --ignore-case \
         --skip-chars= --unique --check-chars= --zero-terminated",
        OneFile,
        Options,
    ),
    look("xxd", "-a -b -c= -e -E -g= -i -l= -p -r -s= -u", OneFile, Options),
    look("od", "-A= -j= -N= -t= -v -w? -a -b -c -d -f -i -l -o -s -x", Files, Harmless),
    look(
        "sort",
        "-b -d -f -g -h -i -k= -m -M -n -R -r -s -S= -t= -u -V -c -C -z --ignore-leading-blanks --dictionary-order \
         --ignore-case --general-numeric-sort --human-numeric-sort --ignore-nonprinting --key= --merge --month-sort \
         --numeric-sort --random-sort --reverse --sort= --stable --buffer-size= --field-separator= --unique \
         --version-sort --check? --zero-terminated --parallel= --batch-size= --debug",
        Files,
        Options,
    ),
    look(
        "md5sum sha1sum sha224sum sha256sum sha384sum sha512sum b2sum cksum",
        "-b -t -z --tag --binary --text --zero",
        Files,
        Harmless,
    ),
    look(
        "grep egrep fgrep",
        "-# -E -F -G -P -e= -f=@ -i -y -v -w -x -c -L -l -m= -o -q -s -b -H -h -n -T -Z -A= -B= -C= -a -I -U -z -r -R -d= -D= \
         --extended-regexp --fixed-strings --basic-regexp --perl-regexp --regexp= --file=@ --ignore-case \
         --no-ignore-case --invert-match --word-regexp --line-regexp --count --color? --colour? --files-without-match \
         --files-with-matches --max-count= --only-matching --quiet --silent --no-messages --byte-offset --with-filename \
         --no-filename --label= --line-number --initial-tab --null --after-context= --before-context= --context= \
         --group-separator= --no-group-separator --text --binary-files= --exclude= --exclude-from=@ --exclude-dir= \
         --include= --recursive --dereference-recursive --directories= --devices= --line-buffered --null-data",
        TextAndFiles(&["e", "f", "regexp", "file"]),
        Harmless,
    ),
    look(
        "rg",
        "-e= -f=@ -A= -B= -C= -c -F -i -s -S -l -m= -n -N -o -P -q -r= -t= -T= -u -U -v -w -x -g= -H -I -L -M= -a -b -0 -j= \
         -p -d= --regexp= --file=@ --after-context= --before-context= --context= --count --count-matches --fixed-strings \
         --ignore-case --case-sensitive --smart-case --files-with-matches --files-without-match --max-count= \
         --line-number --no-line-number --only-matching --pcre2 --quiet --replace= --type= --type-not= --type-list \
         --unrestricted --multiline --multiline-dotall --invert-match --word-regexp --line-regexp --glob= --iglob= \
         --with-filename --no-filename --follow --max-columns= --max-columns-preview --text --byte-offset --null \
         --null-data --threads= --pretty --max-depth= --maxdepth= --max-filesize= --files --hidden --no-hidden \
         --no-ignore --no-ignore-vcs --no-ignore-dot --no-ignore-parent --no-ignore-global --no-ignore-exclude \
         --no-ignore-files --ignore-file=@ --sort= --sortr= --stats --json --vimgrep --color= --colors= --heading \
         --no-heading --no-messages --no-config --no-pcre2-unicode --no-unicode --one-file-system --trim --column \
         --no-column --crlf --debug --encoding= --engine= --context-separator= --no-context-separator \
         --field-context-separator= --field-match-separator= --include-zero --passthru --path-separator= --version",
        TextAndFiles(&["e", "f", "regexp", "file", "files", "type-list"]),
        Options,
    ),
    look(
        "fd fdfind",
        "-H -I -u -s -i -g -F -a -L -p -0 -d= -t= -e= -E= -S= -o= -c= -j= -1 -q --hidden --no-ignore --no-ignore-vcs \
         --no-ignore-parent --unrestricted --case-sensitive --ignore-case --glob --regex --fixed-strings \
         --absolute-path --follow --full-path --print0 --max-depth= --min-depth= --exact-depth= --type= --extension= \
         --exclude= --size= --changed-within= --changed-before= --owner= --color= --threads= --max-results= --quiet \
         --show-errors --strip-cwd-prefix --one-file-system --prune --and=",
        TextAndFiles(&[]),
        Options,
    ),
    look(
        "file",
        "-b -i -L -h -k -N -n -0 -r -E --brief --mime --mime-type --mime-encoding --dereference --no-dereference \
         --keep-going --no-pad --no-buffer --print0 --raw --extension --apple",
        Files,
        Options,
    ),
    look(
        "tree",
        "-a -d -l -f -x -L= -P= -I= -p -u -g -s -h -D -F -q -N -Q -v -t -c -U -r -i -A -S -n -C -J -X --gitignore \
         --noreport --matchdirs --metafirst --ignore-case --prune --filelimit= --dirsfirst --filesfirst --sort= --du --si \
         --inodes --device --timefmt= --charset=",
        Files,
        Options,
    ),
    look(
        "date",
        "-d= -r=@ -u -R -I? --date= --reference=@ --utc --universal --rfc-email --rfc-3339= --iso-8601? --resolution",
        Texts,
        Options,
    ),
    look("sleep", "", Texts, Options),
    look("sed", "-n -e= --quiet --silent --expression=", TextAndFiles(&["e", "expression"]), Options),
    look("awk gawk mawk nawk", "-F= -v= --field-separator= --assign=", TextAndFiles(&[]), Options),
    look(
        "jq",
        "-c -r -j -a -S -C -M -s -n -e -R --compact-output --raw-output --join-output --ascii-output --sort-keys \
         --color-output --monochrome-output --slurp --null-input --exit-status --raw-input --tab --indent= --unbuffered \
         --stream --seq",
        TextAndFiles(&[]),
        Options,
    ),
];

/// Judges a command by its name and arguments. The name is one that the shell resolves to the command of that name.
pub(super) fn judge(name: &str, arguments: &[Argument], scope: &Scope<'_>) -> LookJudgement {
    match name {
        "git" => return git::judge(arguments, scope),
        "find" => return find::judge(arguments, scope),
        "test" | "[" => return test(arguments),
        "echo" | "true" | "false" | ":" => return texts(arguments),
        "printf" => return printf(arguments),
        "command" => return command_lookup(arguments),
        _ => {}
    }
    let Some(spec) = LOOKS.iter().find(|spec| spec.names.split(' ').any(|listed| listed == name)) else {
        return LookJudgement::Changes;
    };
    match parse(spec.options, arguments, spec.risk) {
        Ok(parsed) => by_spec(name, spec, arguments, &parsed, scope),
        Err(error) => error.into(),
    }
}

fn by_spec(
    name: &str,
    spec: &LookSpec,
    arguments: &[Argument],
    parsed: &ParsedOptions<'_>,
    scope: &Scope<'_>,
) -> LookJudgement {
    let operands: Vec<&Argument> = parsed.operands.clone();
    let is_refused = match name {
        // xxd does not read several letters in one word.
        "xxd" => arguments.iter().any(|word| word.text.len() > 2 && word.text.starts_with('-')),
        "date" => operands.iter().any(|operand| !operand.text.starts_with('+') || !operand.is_literal()),
        "sed" | "awk" | "gawk" | "mawk" | "nawk" | "jq" => !awk::is_harmless(name, parsed),
        _ => false,
    };
    let is_too_many = match spec.operands {
        OperandKind::None => !operands.is_empty(),
        // A pattern may match several files.
        OneFile => operands.len() > 1 || operands.iter().any(|operand| operand.known == Certainty::Pattern),
        Files | TextAndFiles(_) | Texts => false,
    };
    if is_refused || is_too_many {
        return LookJudgement::Changes;
    }
    let files = match spec.operands {
        Files | OneFile => &operands[..],
        TextAndFiles(instead) if parsed.has(instead) => &operands[..],
        TextAndFiles(_) => operands.get(1..).unwrap_or_default(),
        Texts | OperandKind::None => &[],
    };
    LookJudgement::Looks(reads(name, parsed, files, scope))
}

/// The files that a command reads. Without operands, a command that works on directories reads the current one.
fn reads(name: &str, parsed: &ParsedOptions<'_>, files: &[&Argument], scope: &Scope<'_>) -> Vec<Touched> {
    let is_recursive = match name {
        "rg" => true,
        "grep" | "egrep" | "fgrep" => parsed.has(&["r", "R", "recursive", "dereference-recursive", "d", "directories"]),
        "diff" => parsed.has(&["r", "recursive"]),
        _ => false,
    };
    let extent = if is_recursive { Extent::Below } else { Extent::Itself };
    let mut touched = Vec::new();
    for file in files.iter().filter(|file| file.text != "-") {
        paths::add(&mut touched, file, extent, scope);
    }
    for file in &parsed.files {
        paths::add(&mut touched, file, Extent::Itself, scope);
    }
    let is_here = matches!(name, "ls" | "dir" | "du" | "tree" | "fd" | "fdfind" | "rg") || is_recursive;
    if files.is_empty() && is_here {
        paths::add_text(&mut touched, ".", extent, scope);
    }
    touched
}

/// `test` and `[`: `-v` evaluates the subscript of an array.
fn test(arguments: &[Argument]) -> LookJudgement {
    for argument in arguments {
        match &argument.known {
            Certainty::Unknown(why) => return LookJudgement::Unclear(why.clone()),
            Certainty::Pattern => return LookJudgement::Unclear(Unclear::PatternOption(argument.text.clone())),
            Certainty::Literal if matches!(argument.text.as_str(), "-v" | "-R") => {
                return LookJudgement::Unclear(Unclear::Expression);
            }
            Certainty::Literal => {}
        }
    }
    LookJudgement::Looks(Vec::new())
}

/// Commands that print or ignore whatever they are given.
fn texts(arguments: &[Argument]) -> LookJudgement {
    match arguments.iter().find_map(Argument::why_unknown) {
        Some(why) => LookJudgement::Unclear(why.clone()),
        None => LookJudgement::Looks(Vec::new()),
    }
}

/// `printf`: `-v` sets a variable, and so does the conversion `%n`.
fn printf(arguments: &[Argument]) -> LookJudgement {
    let has_dashes = arguments.first().is_some_and(|first| first.is_literal() && first.text == "--");
    let arguments = &arguments[usize::from(has_dashes)..];
    let Some(format) = arguments.first() else { return LookJudgement::Changes };
    if let Some(why) = arguments.iter().find_map(Argument::why_unknown) {
        return LookJudgement::Unclear(why.clone());
    }
    let conversion = |rest: &str| rest.chars().find(|c| c.is_ascii_alphabetic() && !"hjlLtz".contains(*c) || *c == '%');
    let sets = format.text.split('%').skip(1).any(|rest| conversion(rest) == Some('n'));
    let is_format = format.is_literal() && (has_dashes || !format.text.starts_with('-')) && !sets;
    if is_format { LookJudgement::Looks(Vec::new()) } else { LookJudgement::Changes }
}

/// `command -v name`
fn command_lookup(arguments: &[Argument]) -> LookJudgement {
    match parse("-v -V", arguments, Options) {
        Ok(parsed) if parsed.has(&["v", "V"]) => LookJudgement::Looks(Vec::new()),
        Ok(_) => LookJudgement::Changes,
        Err(error) => error.into(),
    }
}
