//! Pictures from files.

use std::fs::File;
use std::io::Read;
use std::path::Path;

use anyhow::Context;
use base64::Engine;
use base64::engine::general_purpose::STANDARD;

use crate::chat::Image;
use crate::text::MIB;
use crate::tool::media_type;

/// More than any vendor takes.
const CAP: u64 = 20 * MIB as u64;

/// Reads a picture.
pub(super) fn load(path: &Path) -> anyhow::Result<Image> {
    let mut bytes = Vec::new();
    let file = File::open(path).with_context(|| format!("cannot open {}", path.display()))?;
    file.take(CAP + 1).read_to_end(&mut bytes).with_context(|| format!("cannot read {}", path.display()))?;
    if bytes.len() as u64 > CAP {
        anyhow::bail!("{} is larger than 20 MiB", path.display());
    }
    let Some(media_type) = media_type(&bytes) else {
        anyhow::bail!("{} is not a picture a model can see (PNG, JPEG, GIF or WebP)", path.display());
    };
    Ok(Image { media_type: media_type.to_owned(), base64: STANDARD.encode(bytes) })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn pictures_are_known_by_their_first_bytes() {
        let dir = tempfile::tempdir().unwrap();
        let path = dir.path().join("a.txt");
        std::fs::write(&path, b"\x89PNG\r\n\x1a\n").unwrap();
        assert_eq!(load(&path).unwrap(), Image { media_type: "image/png".into(), base64: "iVBORw0KGgo=".into() });
        std::fs::write(&path, "text").unwrap();
        assert!(load(&path).unwrap_err().to_string().ends_with("(PNG, JPEG, GIF or WebP)"));
        assert!(load(&dir.path().join("none")).is_err());
    }
}
