//! Ports that are already in use.

use super::{Rule, pattern};
use crate::reflex::case::Case;
use crate::reflex::finding::{Confidence, Finding};
use crate::reflex::world::World;

pub(super) const RULES: &[Rule] = &[Rule {
    name: "a port that is taken",
    tools: &[],
    signs: &[
        "ddress already in use",
        "ddress in use",
        "EADDRINUSE",
        "already allocated",
        "is already in use",
        "is in use",
        "already being used",
        "is being used",
        "Only one usage of each socket",
        "can't listen on port",
        "Unable to bind",
        "error while attempting to bind",
        "was already in use",
        "port is already",
    ],
    apply: taken,
}];

/// The default port of `manage.py runserver`.
const DJANGO: u16 = 8000;

fn taken(case: &Case<'_>, world: &dyn World) -> Option<Finding> {
    let says_taken = |line: &&&str| {
        RULES[0].signs.iter().any(|sign| line.contains(sign))
            && (line.to_lowercase().contains("address")
                || line.to_lowercase().contains("port")
                || line.contains("EADDRINUSE")
                || line.contains("bind")
                || line.contains("socket"))
    };
    let line = case.output.lines().iter().find(says_taken)?;
    let port = port_in(line)
        .or_else(|| {
            case.output
                .lines()
                .iter()
                .filter(|line| line.contains("ort") || line.contains("isten") || line.contains("bind"))
                .find_map(|line| port_in(line))
        })
        .or_else(|| port_typed(case))
        .or_else(|| case.has_word(&["runserver"]).then_some(DJANGO))?;
    let cause = match world.listener(port) {
        Some((0, name)) => format!("Port {port} is taken by {name}."),
        Some((pid, name)) => format!("Port {port} is taken by {name} (process {pid})."),
        None => format!("Another program has port {port}."),
    };
    let mut finding = Finding::cause(Confidence::Sure, cause);
    let free = (1..20).filter_map(|more| port.checked_add(more)).find(|port| world.listener(*port).is_none());
    let by_django = |free: u16| {
        let last = case.words().last().filter(|word| word.text == "runserver")?;
        Some(case.line.with(last.span.end..last.span.end, &format!(" {free}")))
    };
    if let Some(other) = free.and_then(|free| with_port(case, port, free).or_else(|| by_django(free))) {
        finding = finding.or(other, "a port that is free");
    }
    let look = if world.has("lsof") || !world.has("ss") {
        format!("lsof -i :{port}")
    } else {
        format!("ss -ltnp 'sport = :{port}'")
    };
    Some(finding.or(look, "who has it"))
}

fn port_in(line: &str) -> Option<u16> {
    let found = pattern!(r"(?:[Pp]ort:?\s+|:::|\]:|[\d*a-z\s]:|', |\bbind\D{0,40}?:)(\d{2,5})\b").captures_iter(line);
    found.filter_map(|found| found[1].parse().ok()).find(|port| *port > 0)
}

/// The port in the command, if exactly one of its numbers is one.
fn port_typed(case: &Case<'_>) -> Option<u16> {
    let mut numbers = case
        .words()
        .iter()
        .skip(1)
        .filter_map(|word| word.text.rsplit([':', '=']).next()?.parse::<u16>().ok())
        .filter(|port| *port >= 80);
    match (numbers.next(), numbers.next()) {
        (Some(only), None) => Some(only),
        _ => None,
    }
}

/// The line with another port, if the port occurs in it exactly once.
fn with_port(case: &Case<'_>, port: u16, other: u16) -> Option<String> {
    let text = case.line.text();
    let digits = port.to_string();
    let is_digit = |c: Option<char>| c.is_some_and(|c| c.is_ascii_digit());
    let mut places = text
        .match_indices(&digits)
        .map(|(at, _)| at)
        .filter(|at| !is_digit(text[..*at].chars().next_back()) && !is_digit(text[at + digits.len()..].chars().next()));
    let first = places.next()?;
    // `8080:80`: the port of the host comes first.
    let is_mapping = text[first + digits.len()..].starts_with(':');
    if places.next().is_some() && !is_mapping {
        return None;
    }
    Some(case.line.with(first..first + digits.len(), &other.to_string()))
}
