//! Recognises the messages with which servers say that a request is longer than the model's context window.

/// Parts of such messages, in lower case. Most servers have no code for this error.
const SPELLINGS: [&str; 14] = [
    "prompt is too long",
    "prompt is longer than the context",
    "maximum context length",
    "max context length",
    "context length exceeded",
    "greater than the context length",
    "does not fit in context length",
    "exceeds the context",
    "exceed context limit",
    "context window",
    "context size",
    "input token count",
    "reduce the length of the messages",
    "too many tokens in the prompt",
];

/// Parts of messages about something else that use similar words.
const OTHERS: [&str; 4] = ["rate limit", "too many requests", "tokens per minute", "tokens per day"];

/// Words before the number of tokens that the window has, in the order in which they are believed.
const BEFORE_WINDOW: [&str; 12] = [
    "n_ctx:",
    "n_ctx=",
    "context limit:",
    "context length is",
    "context length of only",
    "context length of",
    "context size (",
    "context window of",
    "allowed (",
    "model with",
    "limit of",
    ">",
];

/// Whether a message says that the request is too long.
pub(super) fn is_meant_by(message: &str) -> bool {
    let message = message.to_ascii_lowercase();
    let says = |words: &[&str]| words.iter().any(|words| message.contains(words));
    says(&SPELLINGS) && !says(&OTHERS)
}

/// The size of the window, if the message names it.
pub(super) fn window(message: &str) -> Option<u32> {
    let message = message.to_ascii_lowercase();
    BEFORE_WINDOW.iter().find_map(|words| {
        let (_, after) = message.split_once(words)?;
        // A sum of input and output comes before the limit: `190000 + 20000 > 200000`.
        let after = after.rsplit_once('>').map_or(after, |(_, after)| after);
        number(after)
    })
}

/// The number that a text begins with, after a few characters that are no digits. Thousands may be separated by commas.
fn number(text: &str) -> Option<u32> {
    let begin = text.find(|c: char| c.is_ascii_digit()).filter(|begin| *begin <= 12)?;
    let digits: String =
        text[begin..].chars().take_while(|c| c.is_ascii_digit() || *c == ',').filter(|c| *c != ',').collect();
    digits.parse().ok().filter(|window| *window >= 256)
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Messages of real servers, with the window that they name.
    const MESSAGES: [(&str, Option<u32>); 12] = [
        ("prompt is too long: 208310 tokens > 200000 maximum", Some(200_000)),
        (
            "input length and `max_tokens` exceed context limit: 190000 + 20000 > 200000, decrease input length",
            Some(200_000),
        ),
        (
            "This model's maximum context length is 8192 tokens. However, your messages resulted in 10000 tokens.",
            Some(8_192),
        ),
        ("the request exceeds the available context size (4096 tokens), try increasing it", Some(4_096)),
        ("The number of tokens to keep is greater than the context length (n_keep: 5000 >= n_ctx: 4096)", Some(4_096)),
        ("The prompt does not fit in context length", None),
        ("prompt is longer than the context length currently set", None),
        ("The input token count (1200000) exceeds the maximum number of tokens allowed (1,048,576).", Some(1_048_576)),
        ("This endpoint's maximum context length is 163840 tokens. However, you requested about 200000", Some(163_840)),
        ("Prompt contains 40000 tokens, too large for model with 32768 maximum context length", Some(32_768)),
        ("Please reduce the length of the messages or completion.", None),
        ("Your input exceeds the context window of this model.", None),
    ];

    #[test]
    fn the_spellings_of_every_server_are_known_with_their_windows() {
        for (message, size) in MESSAGES {
            assert!(is_meant_by(message), "{message}");
            assert_eq!(window(message), size, "{message}");
        }
    }

    #[test]
    fn a_rate_limit_is_not_an_overflow() {
        let limit =
            "ModelRequest too large for model on tokens per minute (TPM): Limit 6000; maximum context length is fine";
        assert!(!is_meant_by(limit));
        assert!(!is_meant_by("the field `messages` is required"));
    }
}
