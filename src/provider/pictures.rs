//! Pictures for models that cannot see.

use super::ModelRequest;
use crate::chat::{Image, Outcome, Part};

/// The request with words in place of its pictures, and how many there were. `None` if it has none.
pub(super) fn in_words(request: &ModelRequest) -> Option<(ModelRequest, usize)> {
    let pictures = request.messages.iter().flat_map(|message| &message.parts).map(count).sum();
    if pictures == 0 {
        return None;
    }
    let mut told = request.clone();
    for part in told.messages.iter_mut().flat_map(|message| &mut message.parts) {
        match part {
            Part::Image(image) => *part = Part::Text(note(image)),
            Part::Result { outcome: Outcome::Done { text, images }, .. } => {
                for image in images.drain(..) {
                    text.push('\n');
                    text.push_str(&note(&image));
                }
            }
            Part::Text(_)
            | Part::Thinking(_)
            | Part::Call(_)
            | Part::Result { outcome: Outcome::Failed { .. }, .. } => {}
        }
    }
    Some((told, pictures))
}

fn count(part: &Part) -> usize {
    match part {
        Part::Image(_) => 1,
        Part::Result { outcome: Outcome::Done { images, .. }, .. } => images.len(),
        Part::Text(_) | Part::Thinking(_) | Part::Call(_) | Part::Result { outcome: Outcome::Failed { .. }, .. } => 0,
    }
}

/// What the model reads instead.
fn note(image: &Image) -> String {
    format!("[a picture ({}) was left out here, because you cannot see pictures]", image.media_type)
}

#[cfg(test)]
mod tests {
    use super::super::Effort;
    use super::super::testing::request;
    use super::*;
    use crate::chat::{Message, Role};

    #[test]
    fn pictures_become_words_wherever_they_are() {
        let image = || Image { media_type: "image/png".into(), base64: "QQ==".into() };
        let mut asked = request("m", Effort::Medium);
        assert_eq!(in_words(&asked), None);
        asked.messages = vec![
            Message { role: Role::User, parts: vec![Part::Text("look".into()), Part::Image(image())] },
            Message {
                role: Role::Tool,
                parts: vec![Part::Result {
                    id: "1".into(),
                    outcome: Outcome::Done { text: "a file".into(), images: vec![image()] },
                }],
            },
        ];
        let (told, count) = in_words(&asked).unwrap();
        assert_eq!(count, 2);
        assert!(told.messages[0].text().contains("a picture (image/png) was left out"));
        let Part::Result { outcome: Outcome::Done { text, images }, .. } = &told.messages[1].parts[0] else { panic!() };
        assert!(text.starts_with("a file\n[a picture") && images.is_empty());
    }
}
