//! A shell in a pseudo-terminal of ours.
