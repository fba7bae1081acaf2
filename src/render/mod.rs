//! Renders the events of a turn as bytes for the terminal.
//!
//! Pure: takes events, the time and the window size, and appends bytes to the given `Vec`. Output goes to the main screen. Final lines are
//! never rewritten; only the live region at the cursor is redrawn. Text from models, tools and files passes `text::sanitize` first, so that
//! only shellmate's own sequences reach the terminal: SGR, erase in line, relative moves, synchronized output, hyperlinks. Uses only
//! `chat` and `text`.

mod ascii;
mod ask;
mod background;
mod call;
mod card;
mod code;
mod diff;
mod finder;
mod line;
mod link;
mod look;
mod markdown;
mod options;
mod output;
mod painter;
mod pick;
mod region;
mod status;
mod theme;
mod thought;
mod unfold;
mod word;

#[cfg(test)]
mod tests;

pub(crate) use ask::{ApprovalRequest, CardText, FileChange, Subject, approval, confirmation, inquiry};
pub(crate) use background::{Background, Themes};
pub(crate) use card::{CardChoice, CardFoot, CardView};
pub(crate) use code::{CodeColours, highlighted};
pub(crate) use diff::{UnifiedDiff, diff, unified_diffs};
pub(crate) use finder::{FinderLayout, FinderRow, FinderView, finder_rows};
pub(crate) use options::{KeyLabels, RenderOptions, ScreenSize, TerminalMode, Wrapping, cooked};
pub(crate) use painter::{Painter, compaction, wrapped};
pub(crate) use pick::{PickRow, pick_list};
pub(crate) use theme::{BUILT_IN as BUILT_IN_THEMES, Theme, about as about_theme, background as theme_background};
pub(crate) use unfold::Unfolding;

pub(crate) use crate::text::style::Depth;
