//! Reads images from files, for `@picture.png` and `--image`.

use std::fs::File;
use std::io::{self, Read};
use std::path::{Path, PathBuf};

use base64::Engine;
use base64::engine::general_purpose::STANDARD;

use super::regular;
use crate::chat::Image;
use crate::text::MIB;
use crate::tool::media_type;

/// The largest image. No vendor accepts a larger one.
const CAP: u64 = 20 * MIB as u64;

/// Why an image file cannot be attached.
#[derive(Debug, thiserror::Error)]
pub(crate) enum PictureError {
    #[error("cannot read {}", .0.display())]
    Read(PathBuf, #[source] io::Error),
    #[error("{} is not a regular file", .0.display())]
    NotAFile(PathBuf),
    #[error("{} is larger than 20 MiB", .0.display())]
    TooLarge(PathBuf),
    #[error("{} is not an image that a model can read (PNG, JPEG, GIF or WebP)", .0.display())]
    NotAPicture(PathBuf),
}

/// Reads an image. Its first bytes determine the type.
pub(crate) fn picture(path: &Path) -> Result<Image, PictureError> {
    let opened = regular::open(path).map_err(|error| PictureError::Read(path.to_owned(), error))?;
    let file = opened.filter(|(_, metadata)| metadata.is_file());
    let (file, _) = file.ok_or_else(|| PictureError::NotAFile(path.to_owned()))?;
    read(&file, path)
}

/// Reads an image from a file that was opened at this path.
pub(super) fn read(file: &File, path: &Path) -> Result<Image, PictureError> {
    let mut bytes = Vec::new();
    let read = file.take(CAP + 1).read_to_end(&mut bytes);
    read.map_err(|error| PictureError::Read(path.to_owned(), error))?;
    if bytes.len() as u64 > CAP {
        return Err(PictureError::TooLarge(path.to_owned()));
    }
    let media_type = media_type(&bytes).ok_or_else(|| PictureError::NotAPicture(path.to_owned()))?;
    Ok(Image { media_type: media_type.to_owned(), base64: STANDARD.encode(bytes) })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn images_are_recognised_by_their_first_bytes() {
        let dir = tempfile::tempdir().unwrap();
        let path = dir.path().join("a.txt");
        std::fs::write(&path, b"\x89PNG\r\n\x1a\n").unwrap();
        assert_eq!(picture(&path).unwrap(), Image { media_type: "image/png".into(), base64: "iVBORw0KGgo=".into() });
        std::fs::write(&path, "text").unwrap();
        assert!(picture(&path).unwrap_err().to_string().ends_with("(PNG, JPEG, GIF or WebP)"));
        assert!(picture(&dir.path().join("none")).is_err());
    }

    #[test]
    fn a_pipe_or_a_device_is_refused_at_once() {
        let dir = tempfile::tempdir().unwrap();
        let path = dir.path().join("pipe.png");
        nix::unistd::mkfifo(&path, nix::sys::stat::Mode::S_IRUSR).unwrap();
        for path in [path.as_path(), Path::new("/dev/zero"), dir.path()] {
            assert!(matches!(picture(path), Err(PictureError::NotAFile(_))), "{}", path.display());
        }
    }

    #[test]
    fn an_image_larger_than_the_cap_is_refused() {
        let dir = tempfile::tempdir().unwrap();
        let path = dir.path().join("large.png");
        std::fs::write(&path, b"\x89PNG\r\n\x1a\n").unwrap();
        File::options().write(true).open(&path).unwrap().set_len(CAP + 1).unwrap();
        assert!(matches!(picture(&path), Err(PictureError::TooLarge(_))));
    }
}
