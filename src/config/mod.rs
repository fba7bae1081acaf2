//! What the user wishes: one TOML file, composed into the rooms' own option types.
//!
//! A missing file is the defaults; a broken one is the defaults and one line that says where it is broken. Imported only by
//! `session` and `cli`; no room reads a configuration by itself.
