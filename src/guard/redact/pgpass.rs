//! Lines of PostgreSQL's password file: `host:port:database:user:password`.

use super::dictionary::Hits;
use super::extent::{char_boundary, rest_of_line};
use super::found::Found;
use super::value;

/// Longer than any such line, from its port on.
const LONGEST: usize = 256;
/// Ports that such a line names, with the signs around them.
pub(super) const PORTS: &[&str] = &[":5432:", ":5433:", ":5434:", ":6432:", ":6543:", ":*:"];

pub(super) fn find(text: &str, hits: &Hits, found: &mut Vec<Found>) {
    for &at in &hits.ports {
        let host = text.as_bytes()[..at].last();
        let is_host = host.is_some_and(|byte| byte.is_ascii_alphanumeric() || b"*.-_]".contains(byte));
        let line = rest_of_line(&text[..char_boundary(text, at + LONGEST)], at + 1);
        let mut fields = text[line.clone()].splitn(4, ':').skip(1);
        let (Some(database), Some(user), Some(password)) = (fields.next(), fields.next(), fields.next()) else {
            continue;
        };
        let begins = |name: &str| name == "*" || name.starts_with(|c: char| c.is_ascii_alphabetic() || c == '_');
        let is_name = |name: &str| begins(name) && !name.contains([' ', '\t', '/']);
        // A colon in the password is written `\:`.
        let is_last = !password.replace("\\:", "").contains([':', ' ', '\t']);
        if is_host
            && is_name(database)
            && is_name(user)
            && is_last
            && password.len() >= 3
            && !value::is_stand_in(password)
        {
            found.push(Found::new(line.end - password.len()..line.end, "password"));
        }
    }
}
