use proptest::prelude::*;

use super::error::Reason;
use super::parse::parse;
use super::quote::Dialect;
use super::script::*;
use super::token::Descriptor;
use super::*;

/// The words of a text that is one simple command.
fn words(text: &str) -> Vec<String> {
    let script = parse(text).unwrap();
    let [simple] = script.simple_commands()[..] else { panic!("one command: {text}") };
    simple.words.iter().map(|word| word.text.clone()).collect()
}

/// The words of every simple command.
fn commands(text: &str) -> Vec<Vec<String>> {
    let script = parse(text).unwrap();
    script.simple_commands().iter().map(|simple| simple.words.iter().map(|word| word.text.clone()).collect()).collect()
}

fn first_word(text: &str) -> Word {
    let Some(Token::Word(word)) = tokens(text).next() else { panic!("a word: {text}") };
    word
}

fn kinds(text: &str) -> Vec<ExpansionKind> {
    first_word(text).expansions.into_iter().map(|expansion| expansion.kind).collect()
}

fn reason(text: &str) -> Reason {
    parse(text).unwrap_err().reason
}

fn command(source: &str) -> ExpansionKind {
    ExpansionKind::Command { source: source.to_owned() }
}

#[test]
fn quotes_are_removed() {
    assert_eq!(words("git commit -m 'a b' \"c d\" e\\ f"), ["git", "commit", "-m", "a b", "c d", "e f"]);
    assert_eq!(words(r#"echo "a\"b" 'it'\''s' "\d""#), ["echo", "a\"b", "it's", r"\d"]);
    assert_eq!(words("echo $'a\\tb\\'c\\x41\\101' $\"d\""), ["echo", "a\tb'cAA", "d"]);
    assert_eq!(words("ls \\\n -l a\\\nb"), ["ls", "-l", "ab"]);
    assert_eq!(words("echo '' \"\""), ["echo", "", ""]);
}

#[test]
fn comments_are_skipped_only_where_a_word_would_begin() {
    assert_eq!(commands("echo a # b\nc#d"), [vec!["echo", "a"], vec!["c#d"]]);
    assert_eq!(commands("echo a\\\n#b; touch x"), [vec!["echo", "a#b"], vec!["touch", "x"]]);
    assert_eq!(words("echo \\\n#b; touch x"), ["echo"]);
}

#[test]
fn the_quoting_of_a_word_is_recorded() {
    let quoting = |text| first_word(text).quoting;
    assert_eq!(quoting("a\\\nb"), Quoting::Bare);
    assert_eq!(quoting("'a'"), Quoting::Single);
    assert_eq!(quoting("\"a$b\""), Quoting::Double);
    assert_eq!(quoting("$'a'"), Quoting::AnsiC);
    assert_eq!(quoting("$\"a\""), Quoting::Locale);
    assert_eq!(quoting("'a'b"), Quoting::Mixed);
    assert_eq!(quoting("'a''b'"), Quoting::Mixed);
    assert_eq!(quoting("a\\b"), Quoting::Mixed);
    assert_eq!(quoting("a'b"), Quoting::Open);
    assert_eq!(first_word(" $'ab' ").content(), 3..5);
    assert_eq!(first_word("'ab'").content(), 1..3);
}

#[test]
fn expansions_make_a_word_not_literal() {
    use ExpansionKind::{Arithmetic, Brace, Bytes, Glob, Parameter, Process, Tilde, Translation};
    for literal in ["a", "'$a*{b,c}~'", "\"a*?\"", "a\\$b", "a~b", "{}", "@{1}", "[", "]", "a$", "\"$\"", "a=b", "{a,b"]
    {
        assert_eq!(kinds(literal), [], "{literal}");
    }
    assert_eq!(kinds("a$b\"$1${c}\""), [Parameter, Parameter, Parameter]);
    assert_eq!(kinds("$((1+$x))"), [Arithmetic, Parameter]);
    assert_eq!(kinds("a*"), [Glob]);
    assert_eq!(kinds("a[bc]"), [Glob]);
    assert_eq!(kinds("{a,b}"), [Brace]);
    assert_eq!(kinds("{1..3}"), [Brace]);
    assert_eq!(kinds("~/a"), [Tilde]);
    assert_eq!(kinds("a=~/b"), [Tilde]);
    assert_eq!(kinds("a=b:~"), [Tilde]);
    assert_eq!(kinds("<(a)"), [Process { source: "a".into() }]);
    assert_eq!(kinds("$\"a\""), [Translation]);
    assert_eq!(kinds("$'\\xff'"), [Bytes]);
}

#[test]
fn commands_inside_words_are_found() {
    assert_eq!(kinds("$(a $(b))"), [command("a $(b)")]);
    assert_eq!(kinds("\"`a \\`b\\` \\\"`\""), [command("a `b` \"")]);
    assert_eq!(kinds("${x#$(a)}"), [ExpansionKind::Parameter, command("a")]);
    assert_eq!(kinds("\"${x:-\"$(a)\"}\""), [ExpansionKind::Parameter, command("a")]);
    assert_eq!(kinds("$(case x in x) a;; esac)b"), [command("case x in x) a;; esac")]);
    assert_eq!(kinds("$(cat <<E\n)\nE\n)"), [command("cat <<E\n)\nE\n")]);
    assert_eq!(kinds("$( # )\na)"), [command(" # )\na")]);
    let script = parse("cat <<A <<'B'\n`a`\\$(x)\nA\n$(b)\nB\n").unwrap();
    let found: Vec<_> = script.expansions().into_iter().map(|found| found.kind.clone()).collect();
    assert_eq!(found, [command("a")]);
}

#[test]
fn the_operator_before_each_command_is_kept() {
    use Operator::{And, Background, Newline, Or, Pipe, PipeBoth, Semicolon};
    let script = parse("a|b |& c && d || e; f & g\n\nh &").unwrap();
    let operators: Vec<_> = script.commands.iter().map(|listed| listed.operator).collect();
    let wanted = [Pipe, PipeBoth, And, Or, Semicolon, Background, Newline];
    assert_eq!(operators[0], None);
    assert_eq!(operators[1..], wanted.map(Some));
    assert_eq!(script.end, Some(Background));
}

#[test]
fn redirections_are_items_of_their_own() {
    let script = parse("a 2>&1 >>b c {d}<e &>f <<<g 3<>h").unwrap();
    let [simple] = script.simple_commands()[..] else { panic!() };
    let arguments: Vec<&str> = simple.words.iter().map(|word| word.text.as_str()).collect();
    assert_eq!(arguments, ["a", "c"]);
    let found: Vec<_> = simple
        .redirections
        .iter()
        .map(|found| (found.descriptor.clone(), found.kind, found.target.text.as_str()))
        .collect();
    let named = Some(Descriptor::Variable("d".into()));
    let wanted = [
        (Some(Descriptor::Number(2)), RedirectionKind::DuplicateOutput, "1"),
        (None, RedirectionKind::Append, "b"),
        (named, RedirectionKind::Read, "e"),
        (None, RedirectionKind::WriteBoth, "f"),
        (None, RedirectionKind::HereString, "g"),
        (Some(Descriptor::Number(3)), RedirectionKind::ReadWrite, "h"),
    ];
    assert_eq!(found, wanted);
    assert_eq!(words("a '2'>b"), ["a", "2"]);
}

#[test]
fn a_here_document_ends_only_at_its_delimiter() {
    let body = |text: &str| {
        let script = parse(text).unwrap();
        script.here_documents.iter().map(|here| text[here.span.clone()].to_owned()).collect::<Vec<_>>()
    };
    assert_eq!(body("cat <<E; b\nx\nE \nE\nc"), ["x\nE \n"]);
    assert_eq!(body("cat <<-E\n\tx\n\tE\n"), ["\tx\n"]);
    assert_eq!(body("cat <<E\nx\\\nE\nE\n"), ["x\\\nE\n"]);
    assert_eq!(body("cat <<'E'\nx\\\nE"), ["x\\\n"]);
    assert_eq!(body("cat <<A <<B\na\nA\nb\nB\n"), ["a\n", "b\n"]);
    assert_eq!(commands("cat <<E; b\nx; y\nE\nc"), [vec!["cat"], vec!["b"], vec!["c"]]);
    assert_eq!(reason("cat <<E\nx"), Reason::OpenHereDocument);
    assert_eq!(reason("cat <<E"), Reason::OpenHereDocument);
    assert_eq!(reason("(cat <<E)"), Reason::OpenHereDocument);
}

#[test]
fn assignments_stand_before_the_command() {
    let script = parse("A=1 B+='x y' c D=2").unwrap();
    let [simple] = script.simple_commands()[..] else { panic!() };
    let names: Vec<&str> = simple.assignments.iter().map(|assignment| assignment.name.as_str()).collect();
    assert_eq!(names, ["A", "B"]);
    assert_eq!(words("A=1 c D=2"), ["c", "D=2"]);
    assert_eq!(words("'A'=1"), ["A=1"]);
    assert_eq!(words("A\\=1"), ["A=1"]);
    let script = parse("A=(1 $(b)\n# )\n2)").unwrap();
    assert!(script.expansions().iter().any(|found| found.kind == command("b")));
    assert_eq!(script.simple_commands()[0].words, []);
}

#[test]
fn compound_commands_are_read() {
    let kind = |text: &str| match &parse(text).unwrap().commands[0].command {
        CommandNode::Compound(compound) => {
            assert_eq!(&text[compound.span.clone()], text);
            compound.kind
        }
        CommandNode::Simple(_) => panic!("compound: {text}"),
    };
    for (text, wanted) in [
        ("(a; b)", CompoundKind::Subshell),
        ("( (a) )", CompoundKind::Subshell),
        ("{ a; } >x", CompoundKind::Group),
        ("if a; then b; elif c; then d; else e; fi", CompoundKind::If),
        ("while a; do b; done", CompoundKind::While),
        ("until a\ndo b\ndone", CompoundKind::Until),
        ("for x in a b; do c; done", CompoundKind::For),
        ("for x; do c; done", CompoundKind::For),
        ("for ((i=0; i<3; i++)); do c; done", CompoundKind::For),
        ("select x in a; do c; done", CompoundKind::Select),
        ("case x in a|b) c;; (d) e ;& *) f; esac", CompoundKind::Case),
        ("[[ -f a && ( b == c* || ! d < e ) ]]", CompoundKind::Conditional),
        ("((1 + (2)))", CompoundKind::Arithmetic),
        ("f() { a; }", CompoundKind::Function),
        ("function f { a; }", CompoundKind::Function),
    ] {
        assert_eq!(kind(text), wanted, "{text}");
    }
    assert_eq!(commands("if a; then b; fi | while c; do (d); done"), [["a"], ["b"], ["c"], ["d"]]);
    assert_eq!(commands("case x in a) b;; c) ;; esac; d"), [["b"], ["d"]]);
    let script = parse("! time a").unwrap_err();
    assert_eq!(script.reason, Reason::Unexpected);
    let listed = &parse("! a | b; time c").unwrap().commands;
    assert!(listed[0].is_negated && !listed[1].is_negated && listed[2].is_timed);
}

#[test]
fn reserved_words_are_ordinary_words_after_the_start_of_a_command() {
    assert_eq!(words("echo if then { }"), ["echo", "if", "then", "{", "}"]);
    assert_eq!(words("'if' a"), ["if", "a"]);
    assert_eq!(words("A=1 if"), ["if"]);
    for text in ["then a", "}", "fi", "if a", "{ a }", "for 1 in a; do b; done", "if a; fi", "( )", "f() a", "a ;; b"] {
        parse(text).unwrap_err();
    }
}

#[test]
fn text_that_cannot_be_parsed_is_an_error_with_its_offset() {
    assert_eq!(parse("echo 'a"), Err(Reason::OpenQuote.at(5)));
    assert_eq!(parse("echo \"a"), Err(Reason::OpenQuote.at(5)));
    assert_eq!(reason("echo $(a"), Reason::Incomplete);
    assert_eq!(reason("echo `a"), Reason::OpenExpansion);
    assert_eq!(reason("a\u{1b}b"), Reason::Control);
    assert_eq!(reason("a |"), Reason::Incomplete);
    assert_eq!(reason("a >"), Reason::Incomplete);
    assert_eq!(reason("| a"), Reason::Unexpected);
    assert_eq!(reason("a; ; b"), Reason::Unexpected);
    assert_eq!(reason("a\\"), Reason::Incomplete);
    for text in [
        "((a) )",
        "echo $((a) )",
        "echo $[1]",
        "echo ${ a; }",
        "echo ${|a; }",
        "echo ${x@P}",
        "a[b c]=d",
        "a &\\\n& b",
        "echo $\\\n(b)",
        "coproc a",
        "a=(b)c",
        "a=b=(c)",
        ">a time",
        "$(time (a))",
        ">a b=(c)",
        "<1>a",
        "case a in }) b;; esac",
        "${a:-$\"b\"}",
        "echo \"${x:-'}\"",
        "time -p a",
        "echo ${x:-<(a)}",
    ] {
        parse(text).unwrap_err();
    }
    assert_eq!(reason(&"a".repeat(LONGEST + 1)), Reason::TooLong);
    assert_eq!(reason(&"$(".repeat(1000)), Reason::TooDeep);
    assert_eq!(reason(&"( ".repeat(1000)), Reason::TooDeep);
    assert_eq!(reason(&"${a".repeat(1000)), Reason::TooDeep);
    assert_eq!(reason(&format!("[[ {}", "! ".repeat(1000))), Reason::TooDeep);
}

#[test]
fn tokens_go_on_where_parsing_stops() {
    let texts = |text: &str| {
        tokens(text)
            .map(|token| match token {
                Token::Word(word) => word.text,
                Token::Redirection(redirection) => text[redirection.span].to_owned(),
                Token::Operator(_, span) => text[span].to_owned(),
            })
            .collect::<Vec<_>>()
    };
    assert_eq!(texts("echo 'open"), ["echo", "open"]);
    assert_eq!(texts("echo \"a $(b\" c"), ["echo", "a $(b", "c"]);
    assert_eq!(texts("echo $(b c"), ["echo", "$", "(", "b", "c"]);
    assert_eq!(texts("a `b c"), ["a", "`b", "c"]);
    assert_eq!(texts("a > | b 2>"), ["a", ">", "|", "b", "2>"]);
    assert_eq!(texts("set x (b c)"), ["set", "x", "(", "b", "c", ")"]);
    assert_eq!(texts("a 99999999999>b"), ["a", "99999999999", ">b"]);
}

#[test]
fn words_are_quoted_only_if_they_have_to_be() {
    assert_eq!(quote::word("src/main.rs", Dialect::Posix), "src/main.rs");
    assert_eq!(quote::word("a b", Dialect::Posix), "'a b'");
    assert_eq!(quote::word("it's", Dialect::Posix), r"'it'\''s'");
    assert_eq!(quote::word(r"it's \", Dialect::Fish), r"'it\'s \\'");
    assert_eq!(quote::word("", Dialect::Fish), "''");
    assert_eq!(quote::word("=ls", Dialect::Posix), "'=ls'");
    assert_eq!(quote::display("a\u{202e}b"), r#""a\u{202e}b""#);
    assert_eq!(quote::display("a/b.c"), "a/b.c");
}

/// Text in which the signs of the grammar are frequent.
pub(super) fn noise() -> impl Strategy<Value = String> {
    let sign = prop::sample::select(vec![
        "'",
        "\"",
        "\\",
        "$",
        "`",
        "(",
        ")",
        "((",
        "))",
        "{",
        "}",
        "[",
        "]",
        "[[",
        "]]",
        "<",
        ">",
        "&",
        "|",
        ";",
        "#",
        "\n",
        " ",
        "\t",
        "=",
        "~",
        "*",
        "!",
        "a",
        "é",
        "1",
        "if ",
        "then ",
        "fi",
        "do ",
        "done",
        "case ",
        " in ",
        "esac",
        "for ",
        "while ",
        "EOF",
        "<<",
        "$(",
        "${",
        "<(",
        "a=",
        "@P}",
        "\u{1}",
        "function ",
        "&&",
        "x() ",
    ]);
    prop::collection::vec(sign, 0..24).prop_map(|signs| signs.concat())
}

proptest! {
    #[test]
    fn any_text_is_read_and_spans_are_within_it(text in prop_oneof![noise(), "\\PC{0,40}", "[ -~é\n]{0,60}"]) {
        let mut last = 0;
        for token in tokens(&text) {
            let (span, is_target) = match token {
                Token::Word(word) => {
                    prop_assert!(text.get(word.content()).is_some());
                    prop_assert!(word.expansions.iter().all(|found| text.get(found.span.clone()).is_some()));
                    (word.span, false)
                }
                Token::Redirection(redirection) => {
                    prop_assert!(text.get(redirection.target.span).is_some());
                    (redirection.span, true)
                }
                Token::Operator(_, span) => (span, false),
            };
            prop_assert!(span.start >= last && (is_target || span.end > span.start));
            prop_assert!(text.get(span.clone()).is_some());
            last = span.end;
        }
        match parse(&text) {
            Ok(script) => {
                for simple in script.simple_commands() {
                    prop_assert!(text.get(simple.span.clone()).is_some_and(|raw| !raw.is_empty()));
                }
            }
            Err(error) => prop_assert!(error.offset <= text.len()),
        }
    }

    #[test]
    fn a_quoted_word_is_one_literal_word(word in "[ -~é]{0,20}") {
        let text = format!("echo {}", quote::word(&word, Dialect::Posix));
        let script = parse(&text).unwrap();
        let simple = script.simple_commands();
        prop_assert_eq!(simple[0].words[1].literal(), Some(word.as_str()));
    }
}
