//! The conductor: owns the terminal, the shell and everything between them.
