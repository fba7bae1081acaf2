//! Pictures in recorded messages. An entry has a reference in the place of a picture, which is kept in a file of its own.

use base64::Engine;
use base64::engine::general_purpose::STANDARD;

use crate::chat::{Image, Message, Outcome, Part};
use crate::store::{KeptPicture, PictureFiles};

/// Begins a reference. No base64 begins like this.
const REFERENCE: &str = "sha256:";
/// Stands for a picture that is not there any more.
const MISSING: &str = "[a picture that is no longer kept]";

/// The message with references in the place of its pictures, and the pictures.
pub(super) fn take_out(message: &Message) -> (Message, Vec<KeptPicture>) {
    let mut message = message.clone();
    let mut pictures = Vec::new();
    for image in images(&mut message) {
        // What is no base64 stays as it is.
        if let Ok(bytes) = STANDARD.decode(&image.base64) {
            let picture = KeptPicture::new(bytes);
            image.base64 = format!("{REFERENCE}{}", picture.hash());
            pictures.push(picture);
        }
    }
    (message, pictures)
}

/// Replaces the references of a recorded message by the pictures. Returns how many are missing; a few words stand for each of these.
pub(crate) fn put_back(message: &mut Message, files: &PictureFiles) -> usize {
    let mut missing = 0;
    for part in &mut message.parts {
        match part {
            Part::Image(image) => {
                if !load(image, files) {
                    *part = Part::Text(MISSING.to_owned());
                    missing += 1;
                }
            }
            Part::Result { outcome: Outcome::Done { text, images }, .. } => {
                let before = images.len();
                images.retain_mut(|image| load(image, files));
                for _ in images.len()..before {
                    text.push('\n');
                    text.push_str(MISSING);
                    missing += 1;
                }
            }
            Part::Text(_) | Part::Thinking(_) | Part::Call(_) | Part::Result { .. } => {}
        }
    }
    missing
}

/// Reads the picture that an image refers to. Returns whether the image is whole.
fn load(image: &mut Image, files: &PictureFiles) -> bool {
    let Some(hash) = image.base64.strip_prefix(REFERENCE) else { return true };
    match files.read(hash) {
        Ok(bytes) => {
            image.base64 = STANDARD.encode(bytes);
            true
        }
        Err(error) => {
            tracing::warn!(%error, hash, "a picture of a conversation is missing");
            false
        }
    }
}

fn images(message: &mut Message) -> impl Iterator<Item = &mut Image> {
    message.parts.iter_mut().flat_map(|part| match part {
        Part::Image(image) => std::slice::from_mut(image).iter_mut(),
        Part::Result { outcome: Outcome::Done { images, .. }, .. } => images.iter_mut(),
        Part::Text(_) | Part::Thinking(_) | Part::Call(_) | Part::Result { .. } => [].iter_mut(),
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::chat::Role;

    fn image(base64: &str) -> Image {
        Image { media_type: "image/png".into(), base64: base64.into() }
    }

    #[test]
    fn an_entry_has_references_and_a_missing_picture_becomes_words() {
        let home = tempfile::tempdir().unwrap();
        let files = PictureFiles::beside(&home.path().join("history.db"));
        let result = Outcome::Done { text: "shot.png".into(), images: vec![image("AAAA"), image("AAEC")] };
        let parts = vec![Part::Image(image("AAAA")), Part::Result { id: "a".into(), outcome: result }];
        let message = Message { role: Role::Tool, parts };
        let (mut bare, pictures) = take_out(&message);
        assert_eq!(pictures.len(), 3);
        assert_eq!(pictures[0], pictures[1], "the same content has the same name");
        let stored = serde_json::to_string(&bare).unwrap();
        assert!(!stored.contains("AAAA") && stored.contains(pictures[2].hash()), "{stored}");
        assert_eq!(put_back(&mut bare, &files), 3);
        assert_eq!(bare.text(), MISSING);
        let Part::Result { outcome: Outcome::Done { text, images }, .. } = &bare.parts[1] else { panic!("a result") };
        assert_eq!((text.as_str(), images.len()), (&*format!("shot.png\n{MISSING}\n{MISSING}"), 0));
    }

    #[test]
    fn pictures_of_entries_that_have_no_references_stay_as_they_are() {
        let files = PictureFiles::beside(std::path::Path::new("/none/history.db"));
        let mut old = Message { role: Role::User, parts: vec![Part::Image(image("AAAA"))] };
        let before = old.clone();
        assert_eq!((put_back(&mut old, &files), old), (0, before));
    }
}
