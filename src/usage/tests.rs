use std::path::Path;

use jiff::tz::TimeZone;
use proptest::prelude::*;

use super::*;
use crate::store::{ConversationRecorder, ConversationSetup, QueryFigures};
use crate::text::bars::{ChartLook, ChartPaint};
use crate::text::style::{Ansi, Depth, Style};
use crate::text::width;

const LOOK: ChartLook = ChartLook { columns: 60, unicode: true, paint: ChartPaint::NONE };

fn query(at: &str, model: &str, input: u64, cost: Option<f64>) -> (SystemTime, QueryFigures) {
    let figures = QueryFigures {
        provider: "p".into(),
        model: model.into(),
        input,
        output: 10,
        cached: input / 2,
        cache_written: 0,
        cost,
        first_token: Some(Duration::from_millis(input)),
        duration: Duration::from_secs(2),
        ending: "answered".into(),
    };
    (at.parse::<Timestamp>().unwrap().into(), figures)
}

/// A report in the time zone of Kathmandu, which is 5:45 ahead.
fn report(queries: &[(SystemTime, QueryFigures)]) -> UsageReport {
    let now = now();
    let mut report = UsageReport::default();
    queries.iter().for_each(|(asked_at, query)| report.add(*asked_at, query, &now));
    report
}

fn now() -> Zoned {
    let zone = TimeZone::fixed(jiff::tz::Offset::from_seconds(20_700).unwrap());
    "2026-11-18T07:00:00Z".parse::<Timestamp>().unwrap().to_zoned(zone)
}

#[test]
fn days_are_those_of_the_local_time_zone() {
    let report = report(&[
        query("2026-11-17T18:14:59Z", "m", 1, None),
        query("2026-11-17T18:15:00Z", "m", 2, None),
        query("2026-11-18T01:00:00Z", "m", 4, None),
    ]);
    let days: Vec<(String, u64)> = report.by_day().into_iter().map(|(day, sum)| (day.to_string(), sum.input)).collect();
    assert_eq!(days, [("2026-11-17".into(), 1), ("2026-11-18".into(), 6)], "midnight is 18:15 UTC");
}

#[test]
fn figures_add_up_and_an_unknown_price_stays_unknown() {
    let report = report(&[
        query("2026-11-18T01:00:00Z", "dear", 100, Some(0.5)),
        query("2026-11-18T01:00:00Z", "dear", 300, Some(0.25)),
        query("2026-11-18T01:00:00Z", "free", 200, None),
    ]);
    let models = report.by_model();
    assert_eq!(models.iter().map(|(model, _)| model.as_str()).collect::<Vec<_>>(), ["p/dear", "p/free"]);
    assert_eq!((models[0].1.queries, models[0].1.tokens(), models[0].1.cost), (2, 420, Some(0.75)));
    assert_eq!(models[1].1.cost, None);
    let total = report.total();
    assert_eq!((total.cached, total.first_token()), (300, Some(Duration::from_millis(200))), "the median");
}

#[test]
fn a_chart_has_days_models_and_a_total() {
    let report = report(&[
        query("2026-11-17T01:00:00Z", "m", 990, Some(0.5)),
        query("2026-11-18T01:00:00Z", "m", 490, Some(0.25)),
        query("2026-11-18T01:00:00Z", "local", 240, None),
    ]);
    let lines = chart(&report, LOOK);
    assert_eq!(lines[0], "Tue 17 Nov  ████████████████████████  1.0k  $0.50    1 query");
    assert!(
        lines[1].starts_with("Wed 18 Nov  ██████████████████ ") && lines[1].ends_with("  750  $0.25  2 queries"),
        "{}",
        lines[1]
    );
    assert!(lines[3].starts_with("p/m      █") && lines[4].starts_with("p/local  █"), "{lines:#?}");
    assert_eq!(
        lines[6..],
        [
            "total: 1.7k tokens in (860 cached), 30 out, $0.75".to_owned(),
            "3 queries, first token after 490ms".to_owned(),
        ]
    );
}

#[test]
fn a_chart_fits_every_terminal_and_charset() {
    let report = report(&[query("2026-11-17T01:00:00Z", "módel-with-a-long-name", 990, Some(0.5))]);
    let plain = chart(&report, ChartLook { unicode: false, ..LOOK }).join("\n");
    assert!(plain.is_ascii() && plain.contains("####"), "{plain}");
    let narrow = chart(&report, ChartLook { columns: 24, ..LOOK });
    assert_eq!(narrow[0], "Tue 17 Nov  ██████  1.0k");
    let paint = ChartPaint { depth: Some(Depth::Ansi16), bar: Style::colour(Ansi::Cyan), ..ChartPaint::NONE };
    let coloured = chart(&report, ChartLook { paint, ..LOOK });
    assert!(coloured[0].contains("\x1b[36m█") && !chart(&report, LOOK)[0].contains('\x1b'));
}

#[test]
fn many_days_become_months() {
    let queries: Vec<(SystemTime, QueryFigures)> = (1..=28)
        .flat_map(|day| {
            [
                query(&format!("2026-09-{day:02}T01:00:00Z"), "m", 5, None),
                query(&format!("2026-10-{day:02}T01:00:00Z"), "m", 5, None),
            ]
        })
        .collect();
    let lines = chart(&report(&queries), LOOK);
    assert!(lines[0].starts_with("Sep 2026  █") && lines[1].starts_with("Oct 2026  █") && lines[2].is_empty());
}

/// Records questions that cost this much, and ends the recorder.
fn recorded(database: &Path, count: usize) {
    let (session, host, terminal) = ("s".to_owned(), "box".to_owned(), String::new());
    let recorder = ConversationRecorder::new(ConversationSetup {
        database: database.to_owned(),
        session,
        host,
        terminal,
        limits: Default::default(),
    });
    let log = recorder.begin();
    for _ in 0..count {
        let exchange = log.ask("/".into(), "why".into(), r#"{"question":"why"}"#.to_owned());
        let figures = QueryFigures {
            provider: "p".into(),
            model: "m".into(),
            input: 7,
            cost: Some(0.5),
            first_token: Some(Duration::from_millis(30)),
            duration: Duration::from_millis(90),
            ending: "failed".into(),
            ..QueryFigures::default()
        };
        exchange.end(figures, r#"{"model":"p/m"}"#.into());
    }
    recorder.close(true, Duration::from_secs(60));
}

#[test]
fn recorded_queries_are_read_by_period() {
    let home = tempfile::tempdir().unwrap();
    let database = home.path().join("history.db");
    let read = |period, now: &Zoned| UsageReport::read(&Conversations::open(&database).unwrap(), period, now).unwrap();
    let now = Zoned::now();
    assert!(read(Period::All, &now).is_empty(), "no database yet");
    recorded(&database, 3);
    let total = read(Period::Today, &Zoned::now()).total();
    assert_eq!((total.queries, total.unanswered, total.input, total.cost), (3, 3, 21, Some(1.5)));
    assert_eq!((total.first_token(), total.duration), (Some(Duration::from_millis(30)), Duration::from_millis(270)));
    let later = &now + 10.days();
    assert!(read(Period::Week, &later).is_empty());
    assert_eq!(read(Period::Month, &later).total().queries, 3);
    assert_eq!(read(Period::All, &(&now + 400.days())).total().queries, 3);
}

#[test]
fn periods_have_names() {
    assert!(Period::NAMES.iter().all(|name| name.parse::<Period>().is_ok()));
    assert_eq!(
        "year".parse::<Period>().unwrap_err().to_string(),
        "there is no period year; there are today, week, month and all"
    );
}

proptest! {
    #[test]
    fn no_line_is_wider_than_the_terminal(columns in 1usize..120, inputs in proptest::collection::vec(0u64..10_000_000_000, 1..6), name in "\\PC{0,20}") {
        let queries: Vec<(SystemTime, QueryFigures)> = inputs.iter().map(|input| query("2026-11-18T01:00:00Z", &name, *input, Some(1.0))).collect();
        for line in chart(&report(&queries), ChartLook { columns, ..LOOK }) {
            prop_assert!(width::cells(&line) <= columns, "{line:?}");
        }
    }
}
