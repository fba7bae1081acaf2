//! Masks secrets in messages before they become part of a conversation.

use crate::chat::{Message, Outcome, Part};
use crate::guard::Redactor;

/// The message with its secrets masked. Calls and thinking of the model are sent back unchanged.
pub(super) fn masked(message: Message, redactor: &Redactor) -> Message {
    let parts = message.parts.into_iter().map(|part| match part {
        Part::Text(text) => Part::Text(redactor.mask(&text)),
        Part::Result { id, outcome } => Part::Result { id, outcome: masked_outcome(outcome, redactor) },
        Part::Thinking(_) | Part::Image(_) | Part::Call(_) => part,
    });
    Message { role: message.role, parts: parts.collect() }
}

fn masked_outcome(outcome: Outcome, redactor: &Redactor) -> Outcome {
    match outcome {
        Outcome::Done { text, images } => Outcome::Done { text: redactor.mask(&text), images },
        Outcome::Failed { message } => Outcome::Failed { message: redactor.mask(&message) },
    }
}

/// The message to the model that a call must not contain a redaction placeholder.
pub(super) fn refusal(placeholder: &str) -> String {
    let variable = placeholder.split_once('$').and_then(|(_, rest)| rest.split([' ', ']']).next());
    let instead = match variable {
        Some(name) => format!("use ${name}, the variable that holds it, "),
        None => String::new(),
    };
    format!(
        "{placeholder} stands for a secret that you are not shown, so it can't be part of a call: nothing was done. Leave the text \
         with the secret as it is (an edit of other lines does not need it), {instead}or let the user put it in. The \
         content of write_file and the new_string of edit_file may contain it; the user is asked whether to put the secret back there."
    )
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_refusal_names_the_variable_that_holds_the_secret() {
        assert!(refusal("[masked: $DB_PASSWORD #1]").contains("use $DB_PASSWORD, the variable that holds it, or let"));
        assert!(refusal("[masked: JWT #1]").contains("does not need it), or let"));
    }
}
