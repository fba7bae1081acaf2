//! The user's real terminal: somebody else's, borrowed, and always given back as it was found.
