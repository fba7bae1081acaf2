//! Answers in markdown.

use super::*;

const ANSWER: &str = "\
# Why it failed

`rows` is **moved** into the closure on *line 41*, so the borrow after it can't stand. See \
[the book](https://doc.rust-lang.org/book/ch04-01.html) for ~~all~~ the rules.
This line goes on.

## What to do

1. Clone it
   - cheap here
   - three words
2. Borrow it
- [x] done
- [ ] open

> Ownership is
> the key.

```rust
fn main() {
    let rows = vec![1]; // moved
}
```
---

| Crate | Size | Note |
|:------|-----:|------|
| serde | 12 | **fast** |
| 漢字 | 3 | wide |

Done.
";

fn answer(columns: u16, size: usize) -> Scene {
    Scene::new(columns).pieces(ANSWER, size).finish()
}

#[test]
fn an_answer_on_80_columns() {
    insta::assert_snapshot!(answer(80, 7).screen(), @"
    Why it failed

    rows is moved into the closure on line 41, so the borrow after it can't stand.
    See the book for all the rules. This line goes on.

    What to do

    1. Clone it
      - cheap here
      - three words
    2. Borrow it
    - [x] done
    - [ ] open

    > Ownership is the key.

    fn main() {
        let rows = vec![1]; // moved
    }

    ────────────────────────────────────────

    Crate  Size  Note
    ─────  ────  ────
    serde    12  fast
    漢字      3  wide

    Done.
    █
    ");
}

#[test]
fn an_answer_on_40_columns() {
    insta::assert_snapshot!(answer(40, 7).screen(), @"
    Why it failed

    rows is moved into the closure on line
    41, so the borrow after it can't stand.
    See the book for all the rules. This
    line goes on.

    What to do

    1. Clone it
      - cheap here
      - three words
    2. Borrow it
    - [x] done
    - [ ] open

    > Ownership is the key.

    fn main() {
        let rows = vec![1]; // moved
    }

    ───────────────────────────────────────

    Crate  Size  Note
    ─────  ────  ────
    serde    12  fast
    漢字      3  wide

    Done.
    █
    ");
}

#[test]
fn an_answer_on_140_columns() {
    insta::assert_snapshot!(answer(140, 7).screen(), @"
    Why it failed

    rows is moved into the closure on line 41, so the borrow after it can't stand. See the book for all the rules. This line goes on.

    What to do

    1. Clone it
      - cheap here
      - three words
    2. Borrow it
    - [x] done
    - [ ] open

    > Ownership is the key.

    fn main() {
        let rows = vec![1]; // moved
    }

    ────────────────────────────────────────

    Crate  Size  Note
    ─────  ────  ────
    serde    12  fast
    漢字      3  wide

    Done.
    █
    ");
}

#[test]
fn inline_markup_and_code_have_their_looks() {
    let text = "**bold** *it* `code` [x](https://a.b)\n```bash\nls -l \"$HOME\" # c\n```\n";
    insta::assert_snapshot!(Scene::new(80).text(text).finish().escapes(), @r#"
    ␛[1mbold␛[0m ␛[3mit␛[0m ␛[36mcode␛[0m ␛]8;;https://a.b␛\␛[4;34mx␛[0m␛]8;;␛\␍␊
    ␍␊
    ␛[34mls␛[0m -l ␛[32m"$HOME"␛[0m ␛[2;3m# c␛[0m␍␊
    "#);
}

#[test]
fn a_delta_is_shown_before_its_line_is_complete() {
    let scene = Scene::new(80).text("hel");
    insta::assert_snapshot!(scene.screen(), @"hel█");
    let scene = scene.text("lo **wor");
    insta::assert_snapshot!(scene.screen(), @"hello wor█");
    let scene = scene.text("ld**");
    insta::assert_snapshot!(scene.screen(), @"hello world█");
}

#[test]
fn appended_text_is_written_without_a_redraw() {
    let mut scene = Scene::new(80).text("some ").text("words ").text("and more");
    insta::assert_snapshot!(scene.escapes(), @"some words and more");
    scene.bytes.clear();
    insta::assert_snapshot!(scene.text(" *args stay").finish().escapes(), @" ␛[3margs stay␛[0m␛[?2026h␍␛[20C␛[K*args stay␛[?2026l␍␊");
}

#[test]
fn a_wide_table_becomes_records() {
    let text = "| Name | Description |\n|---|---|\n| a | a rather long description of what `a` is |\n| b | and one of b, too |\n";
    insta::assert_snapshot!(Scene::new(40).text(text).finish().screen(), @"
    Name: a
    Description: a rather long description
      of what a is

    Name: b
    Description: and one of b, too
    █
    ");
}

#[test]
fn rows_without_a_delimiter_row_are_text() {
    insta::assert_snapshot!(Scene::new(40).text("| not a table\nbut text\n").finish().screen(), @"
    | not a table
    but text
    █
    ");
}

#[test]
fn with_wrapping_by_the_terminal_long_lines_are_not_broken() {
    let words = "word ".repeat(60);
    let scene = Scene::with(RenderOptions { wrap: Wrapping::Terminal, ..options(40) }).pieces(&words, 3).finish();
    assert_eq!(scene.bytes.iter().filter(|byte| **byte == b'\n').count(), 1);
    assert_eq!(scene.copied(), words.trim_end());
}

#[test]
fn prose_is_wrapped_at_words_and_code_is_not() {
    let text = "# A heading that is wider than the window\n\n- an item of a list with many words\n  1. a nested one with many words\n\n\
                > a quotation of several words\n\nhttps://example.com/a/rather/long/path and 漢字かな交じり文です。\n\n\
                ```\nlet code = \"is never wrapped at words\";\n```\n";
    insta::assert_snapshot!(Scene::new(24).pieces(text, 3).finish().screen(), @"
    A heading that is wider
    than the window

    - an item of a list with
      many words
      1. a nested one with
         many words

    > a quotation of several
    > words

    https://example.com/a/ra
    ther/long/path and 漢字
    かな交じり文です。

    let code = \"is never wra
    pped at words\";
    █
    ");
}

#[test]
fn a_delta_of_blanks_after_a_pause_does_not_change_the_line() {
    for piece in [" ", " *", " _", "*"] {
        let scene = Scene::new(40).text("some words").wait(1_500).text(piece).wait(100).text("and*_ more");
        let whole = Scene::new(40).text(&format!("some words{piece}and*_ more"));
        assert_eq!(scene.finish().screen(), whole.finish().screen(), "{piece:?}");
    }
}

#[test]
fn a_retry_marks_the_interrupted_text_and_starts_on_a_new_line() {
    let retry = Event::Retrying { attempt: 2, after: Duration::from_secs(1), why: "the stream broke".to_owned() };
    let scene = Scene::new(40).text("It is the ca").event(retry).wait(1_000).text("It is the cache.\n");
    insta::assert_snapshot!(scene.finish().screen(), @"
    It is the ca
    (interrupted; retrying)

    It is the cache.
    █
    ");
}

#[test]
fn a_wider_window_rewraps_the_open_paragraph() {
    let scene = Scene::new(20).text("some words that take more than one row").resize(40).text(" and more\n");
    insta::assert_snapshot!(scene.finish().screen(), @"
    some words that take more than one row
    and more
    █
    ");
}

#[test]
fn a_narrower_window_wraps_only_later_text() {
    let scene = Scene::new(40)
        .text("some words that take more than one row of it")
        .resize(20)
        .text("s width and no word twice\n");
    let screen = scene.finish().screen();
    assert_eq!(screen.matches("twice").count(), 1, "{screen}");
    assert_eq!(screen.matches("width").count(), 1, "{screen}");
}

#[test]
fn after_a_narrower_window_the_open_line_is_painted_at_the_new_width() {
    // This terminal cuts its rows when it shrinks, so the finished paragraph has lost its end.
    let paragraph = "A paragraph that has ended, and is wide.\n\n";
    for open in
        ["Short", "Words that fill more than one narrow", "Words that fill one row of the wide window, and a second"]
    {
        let scene = Scene::new(44).text(paragraph).pieces(open, 3).resize(22);
        let scene = scene.pieces(" and then go on until the end.", 3).finish();
        let screen = scene.screen();
        let rows: Vec<&str> = screen.lines().skip(2).filter(|row| !row.contains('█')).collect();
        assert!(screen.starts_with("A paragraph that has e\n\n"), "what is above is not touched\n{screen}");
        assert_eq!(rows.join(" "), format!("{open} and then go on until the end."), "no word twice\n{screen}");
        assert!(rows.iter().all(|row| row.len() <= 22), "{screen}");
    }
}

#[test]
fn text_that_ends_at_the_right_margin_leaves_no_blank_row() {
    let line = "x".repeat(40);
    insta::assert_snapshot!(Scene::new(40).pieces(&format!("{line}\n\n{line}{line}\n\nend"), 1).finish().screen(), @"
    xxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxx

    xxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxx
    xxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxx

    end
    █
    ");
}

#[test]
fn wrongly_guessed_emphasis_is_corrected_over_several_rows() {
    let text = "use *args and **kwargs in a function that takes any number of arguments, as here";
    insta::assert_snapshot!(Scene::new(40).text("before\n\n").pieces(text, 4).finish().screen(), @"
    before

    use *args and **kwargs in a function
    that takes any number of arguments, as
    here
    █
    ");
}

#[test]
fn code_keeps_its_blanks_and_is_not_indented() {
    let text = "1. Run\n   ```sh\n   make \\\n     all\n   ```\n2. Done\n";
    insta::assert_snapshot!(Scene::new(40).pieces(text, 2).finish().screen(), @r"
    1. Run

    make \
      all

    2. Done
    █
    ");
}

#[test]
fn joined_emoji_flags_and_marks_survive_streaming() {
    let text =
        "👩‍👩‍👧 family, 🇫🇷 flag, e\u{301} mark, ❤\u{FE0F} heart and **bold 漢字** until the row is full and then some more";
    let whole = Scene::new(40).text(text).finish().screen();
    assert_eq!(Scene::new(40).pieces(text, 1).finish().screen(), whole);
    insta::assert_snapshot!(whole, @"
    👩‍👩‍👧 family, 🇫🇷 flag, é mark, ❤️ heart
    and bold 漢字 until the row is full and
    then some more
    █
    ");
}

#[test]
fn a_resize_during_an_answer_neither_loses_nor_repeats_text() {
    for (from, to) in [(80, 40), (40, 80), (80, 200)] {
        let scene = Scene::new(from).pieces("The first words of a paragraph that has **some bold", 5);
        let scene = scene.resize(to).pieces(" text** and goes on after the window has changed.\n\nNext.", 5);
        let words = scene.finish().copied().split_whitespace().collect::<Vec<_>>().join(" ");
        // A terminal that cuts its rows when it shrinks keeps the first 40 cells.
        let kept = if to < from {
            "The first words of a paragraph that has"
        } else {
            "The first words of a paragraph that has some bold"
        };
        assert!(words.starts_with(kept), "{words}");
        assert!(words.contains("text and goes on after the window has changed. Next."), "{words}");
        assert_eq!(words.matches("first").count(), 1, "{words}");
    }
}

#[test]
fn a_stalled_answer_shows_the_status_line_and_continues_in_place() {
    let scene = Scene::new(40).text("A sentence that is longer than one row, and").wait(1_500);
    insta::assert_snapshot!(scene.screen(), @"
    A sentence that is longer than one row,
    and
    ⠇ writing · 1s · 10 out · Ctrl-C stops█
    ");
    let scene = scene.text(" its end.").finish();
    insta::assert_snapshot!(scene.screen(), @"
    A sentence that is longer than one row,
    and its end.
    █
    ");
}

#[test]
fn a_text_of_disputed_width_is_not_written_twice() {
    let quote = "> > **bold** &amp; \\* ⚠\u{fe0f} \n> > quoted ";
    let ideographs = "ends with 👩\u{200d}👩\u{200d}👧 漢字 \n「引用」、";
    for text in [quote, ideographs] {
        for columns in [2, 3, 5, 8] {
            for widening in [Widening::Ignores, Widening::Widens] {
                let whole = Scene::new(columns).on(widening).text(text).finish();
                let pieces = Scene::new(columns).on(widening).pieces(text, 1).finish();
                assert_eq!(pieces.screen(), whole.screen());
            }
        }
    }
}

#[test]
fn a_flag_after_a_long_word_does_not_end_its_row() {
    let text = "https://example.com/a/rather/long/path/without/any/break 🇫🇷🇩🇪 **bold** ";
    let whole = Scene::new(40).text(text).finish().screen();
    assert_eq!(Scene::new(40).pieces(text, 1).finish().screen(), whole);
    insta::assert_snapshot!(whole, @"
    https://example.com/a/rather/long/path/w
    ithout/any/break 🇫🇷🇩🇪 bold
    █
    ");
}
