//! Words in quotes.

/// How a shell reads what is between single quotes.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Dialect {
    /// bash, zsh and sh: nothing inside single quotes is special.
    Posix,
    /// fish: a backslash inside single quotes escapes a quote or a backslash.
    Fish,
}

/// An argument as it must be typed: in quotes only if it has to be. As the first word of a command it could still be read as a reserved
/// word or an assignment.
pub(crate) fn word(word: &str, dialect: Dialect) -> String {
    if is_plain(word) {
        word.to_owned()
    } else {
        String::from_utf8_lossy(&bytes(word.as_bytes(), dialect)).into_owned()
    }
}

/// Any bytes but NUL as one word in single quotes.
pub(crate) fn bytes(word: &[u8], dialect: Dialect) -> Vec<u8> {
    let mut out = vec![b'\''];
    for &byte in word {
        match (byte, dialect) {
            (b'\'', Dialect::Posix) => out.extend_from_slice(br"'\''"),
            (b'\'' | b'\\', Dialect::Fish) => out.extend_from_slice(&[b'\\', byte]),
            _ => out.push(byte),
        }
    }
    out.push(b'\'');
    out
}

/// A word for people to read: in double quotes, with everything invisible spelled out, unless it is plain.
pub(crate) fn display(word: &str) -> String {
    if is_plain(word) { word.to_owned() } else { format!("{word:?}") }
}

/// Whether every shell takes the word as it is.
fn is_plain(word: &str) -> bool {
    let is_plain = |c: char| c.is_alphanumeric() || "-_./:=@%+,".contains(c);
    // zsh replaces `=name` with the path of that command.
    !word.is_empty() && !word.starts_with(['=', '%']) && word.chars().all(is_plain)
}
