//! Text cut to a size.

/// Returns the longest prefix of `text` that is at most `most` bytes long and ends at a character boundary.
pub(crate) fn beginning(text: &str, most: usize) -> &str {
    let end = (0..=most.min(text.len())).rev().find(|at| text.is_char_boundary(*at));
    &text[..end.unwrap_or(0)]
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_prefix_ends_at_a_character_boundary() {
        assert_eq!(beginning("aé", 2), "a");
        assert_eq!(beginning("aé", 3), "aé");
        assert_eq!(beginning("", 5), "");
    }
}
