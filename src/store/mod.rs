//! What is remembered: every command, in SQLite, for all terminals of a user.
//!
//! The only room that says SQL. Writing happens on a thread of its own behind a bounded queue, so a slow or broken disk never
//! reaches the session; trouble is one line of text, asked for when there is a good moment to show it.
