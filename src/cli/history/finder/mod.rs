//! The finder: a list of commands below the cursor that typed words filter, with the output of the selected one.
//!
//! A thread reads and searches the history; this one draws. It draws on the terminal, not on stdout, so that `$(…)` gets the choice
//! alone. Text of the history reaches the screen only through `render`, which removes escape sequences.

mod index;
mod pager;
mod region;
mod search;
mod signals;
mod state;

use std::collections::VecDeque;
use std::io;
use std::os::fd::AsFd;
use std::path::{Path, PathBuf};

use nix::poll::{PollFd, PollFlags, PollTimeout, poll};

use super::{HistoryContext, age, show, table};
use crate::capture::Output;
use crate::cli::alternate_screen::AlternateScreen;
use crate::input::{Decoder, Input};
use crate::render::{FinderLayout, FinderRow, FinderView, RenderOptions, finder_rows};
use crate::store::{Filter, History, HistoryEntry, StoredCommand};
use crate::text::{KIB, human};
use crate::tty::Tty;

use pager::OutputPager;
pub(super) use region::RegionStart;
use region::{FinderRegion, TtyWriter};
use search::SearchThread;
use signals::FinderSignals;
use state::{FinderState, FinderStep};

/// How long an ESC may be the beginning of another key, in milliseconds.
const ESC_PATIENCE: u16 = 50;
/// How long the first frame waits for the first hits, in milliseconds, so that no empty list flashes up.
const FIRST_HITS: u16 = 50;
/// The bytes of output that are turned into text for the part beside the list.
const PREVIEW: usize = 64 * KIB;

/// How the finder opens.
pub(super) struct FinderStart<'a> {
    /// The words to begin with.
    pub typed: &'a str,
    pub filter: Filter,
    pub region: RegionStart,
    pub look: RenderOptions,
}

/// How the finder ended.
#[derive(Debug, PartialEq, Eq)]
pub(super) enum FinderEnd {
    /// The text of the chosen command.
    Command(Vec<u8>),
    NoMatch,
    Left,
    /// This signal asked the process to end.
    Ended(i32),
}

/// Shows the finder until the person chooses a command or leaves. The screen and the terminal's settings are restored in all cases.
pub(super) fn find(start: FinderStart<'_>, context: &HistoryContext<'_>) -> anyhow::Result<FinderEnd> {
    let search = SearchThread::start(context.database, start.filter.clone())?;
    let state = FinderState::new(start.typed);
    search.begin(state.number(), state.filter());
    let signals = FinderSignals::new()?;
    let tty = Tty::open()?;
    tty.enter_raw()?;
    let size = tty.size();
    let mut look = start.look;
    (look.columns, look.rows) = (size.cols.max(1), size.rows.max(1));
    let layout = FinderLayout::of(&look);
    let region = FinderRegion::open(TtyWriter(&tty), start.region, layout.rows)?;
    let history = History::open(context.database)?;
    let keys = FinderKeys { tty: &tty, decoder: Decoder::default(), inputs: VecDeque::new() };
    let preview = None;
    FinderScreen { context, history, look, layout, state, preview, region, keys }.run(&search, &signals)
}

/// An open finder.
struct FinderScreen<'a> {
    context: &'a HistoryContext<'a>,
    history: History,
    look: RenderOptions,
    layout: FinderLayout,
    state: FinderState,
    /// The selected command, the line about it, and the last lines of its output.
    preview: Option<(i64, String, Vec<String>)>,
    region: FinderRegion<TtyWriter<'a>>,
    keys: FinderKeys<'a>,
}

/// What the finder waited for.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Awaited {
    Keys,
    Hits,
    Signal,
    Gone,
}

impl FinderScreen<'_> {
    fn run(mut self, search: &SearchThread, signals: &FinderSignals) -> anyhow::Result<FinderEnd> {
        let mut first = [PollFd::new(search.as_fd(), PollFlags::POLLIN)];
        let _ = poll(&mut first, PollTimeout::from(FIRST_HITS));
        if let Some(hits) = search.take() {
            self.state.found(hits?);
        }
        self.draw()?;
        let mut is_waiting = false;
        loop {
            let mut is_changed = match self.keys.wait(Some(search), signals, is_waiting)? {
                Awaited::Keys => false,
                Awaited::Hits => {
                    let step = search.take().transpose()?.map(|hits| self.state.found(hits));
                    step == Some(FinderStep::Redraw)
                }
                Awaited::Signal => match signals.ending() {
                    Some(signal) => return Ok(FinderEnd::Ended(signal)),
                    None => self.follow_size()?,
                },
                Awaited::Gone => return Ok(FinderEnd::Ended(nix::libc::SIGHUP)),
            };
            is_waiting = false;
            while let Some(input) = self.keys.inputs.pop_front() {
                let step = self.state.input(&input, self.layout.list_rows);
                is_changed |= step != FinderStep::Nothing;
                match step {
                    FinderStep::Nothing | FinderStep::Redraw => {}
                    FinderStep::Wait => {
                        self.keys.inputs.push_front(input);
                        is_waiting = true;
                        break;
                    }
                    FinderStep::Search => search.begin(self.state.number(), self.state.filter()),
                    FinderStep::Take(id) => {
                        let entry = self.history.entry(id)?;
                        return Ok(entry.map_or(FinderEnd::NoMatch, |entry| FinderEnd::Command(entry.command)));
                    }
                    FinderStep::NoMatch => return Ok(FinderEnd::NoMatch),
                    FinderStep::Leave => return Ok(FinderEnd::Left),
                    FinderStep::Show(id) => {
                        if let Some(signal) = self.show(id, signals)? {
                            return Ok(FinderEnd::Ended(signal));
                        }
                    }
                }
            }
            if is_changed {
                self.draw()?;
            }
        }
    }

    /// Takes a new size of the window over. Returns whether it has changed.
    fn follow_size(&mut self) -> io::Result<bool> {
        let size = self.keys.tty.size();
        if (size.cols, size.rows) == (self.look.columns, self.look.rows) {
            return Ok(false);
        }
        (self.look.columns, self.look.rows) = (size.cols.max(1), size.rows.max(1));
        self.layout = FinderLayout::of(&self.look);
        self.preview = None;
        self.region.resized(self.look.columns, self.layout.rows)?;
        Ok(true)
    }

    fn draw(&mut self) -> anyhow::Result<()> {
        let view = self.view()?;
        let (rows, cursor) = finder_rows(&view, &self.layout, &self.look);
        Ok(self.region.draw(&rows, cursor, self.look.synchronized)?)
    }

    fn view(&mut self) -> anyhow::Result<FinderView> {
        let room = self.layout.list_rows;
        let first = (self.state.selected() + 1).saturating_sub(room);
        let mut rows = Vec::new();
        for id in self.state.hits().best.iter().skip(first).take(room) {
            // A command that was deleted meanwhile leaves its row empty.
            rows.push(self.history.entry(*id)?.map(|entry| self.row(&entry)).unwrap_or_default());
        }
        let (about, output) = self.preview()?;
        Ok(FinderView {
            filter: self.state.filter().to_owned(),
            hint: self.hint(),
            rows,
            selected: self.state.selected() - first,
            about,
            output,
        })
    }

    fn hint(&self) -> String {
        let hits = self.state.hits();
        let more = if hits.is_done { "" } else { "+" };
        let place = match hits.count {
            0 if hits.is_done => "nothing matches".to_owned(),
            0 => "searching".to_owned(),
            count => format!("{} of {count}{more}", self.state.selected() + 1),
        };
        let arrows = if self.look.unicode { "↑ ↓" } else { "Up Down" };
        format!("{place}; {arrows} move, Enter choose, Tab full output, Esc leave")
    }

    fn row(&self, entry: &HistoryEntry) -> FinderRow {
        let elsewhere = entry.cwd.as_deref().filter(|cwd| *cwd != self.context.cwd);
        FinderRow {
            status: table::status(entry),
            is_good: entry.status.map(|status| status == 0),
            age: entry.started_at.map(|time| human::age(age(time, &self.context.now))).unwrap_or_default(),
            command: table::one_line(&entry.command),
            place: elsewhere.map(|cwd| self.short(cwd)).unwrap_or_default(),
        }
    }

    /// A path with `~` for the home directory.
    fn short(&self, path: &Path) -> String {
        let home = (self.context.variable)("HOME").map(PathBuf::from);
        let below = home.as_deref().and_then(|home| path.strip_prefix(home).ok());
        match below {
            Some(below) if below.as_os_str().is_empty() => "~".to_owned(),
            Some(below) => format!("~/{}", below.display()),
            None => path.display().to_string(),
        }
    }

    /// The line about the selected command, and the end of its output.
    fn preview(&mut self) -> anyhow::Result<(String, Vec<String>)> {
        let Some(id) = self.state.selected_id().filter(|_| self.layout.output_rows > 0) else {
            return Ok(Default::default());
        };
        if self.preview.as_ref().is_none_or(|(shown, ..)| *shown != id) {
            let (about, lines) = match self.history.get(id)? {
                Some(stored) => (show::about(&stored.entry, self.context), last_lines(stored, self.layout.output_rows)),
                None => Default::default(),
            };
            self.preview = Some((id, about, lines));
        }
        Ok(self.preview.clone().map(|(_, about, lines)| (about, lines)).unwrap_or_default())
    }

    /// Shows the whole output of a command until the person comes back. Returns the signal that asked the process to end, if one did.
    fn show(&mut self, id: i64, signals: &FinderSignals) -> anyhow::Result<Option<i32>> {
        let Some(stored) = self.history.get(id)? else { return Ok(None) };
        let mut pager = OutputPager::new(&stored, table::one_line(&stored.entry.command));
        let (keys, is_synchronized) = (&mut self.keys, self.look.synchronized);
        let mut screen = AlternateScreen::enter(self.region.out())?;
        let ended = 'shown: loop {
            let size = keys.tty.size();
            let (rows, columns) = (usize::from(size.rows.max(1)), usize::from(size.cols.max(1)));
            screen.draw(&pager.frame(rows, columns), is_synchronized)?;
            if keys.inputs.is_empty() {
                match keys.wait(None, signals, false)? {
                    Awaited::Keys | Awaited::Hits => {}
                    Awaited::Signal => {
                        if let Some(signal) = signals.ending() {
                            break Some(signal);
                        }
                    }
                    Awaited::Gone => break Some(nix::libc::SIGHUP),
                }
            }
            while let Some(input) = keys.inputs.pop_front() {
                if pager.input(&input, rows) {
                    break 'shown None;
                }
            }
        };
        drop(screen);
        self.follow_size()?;
        Ok(ended)
    }
}

/// The last lines of an output, as the terminal showed them.
fn last_lines(stored: StoredCommand, rows: usize) -> Vec<String> {
    let StoredCommand { output, size, .. } = stored;
    let kept = output.head.len() + output.tail.len();
    let text = if kept > 2 * PREVIEW {
        let bytes = [output.head, output.tail].concat();
        let missing = output.seen.saturating_sub(PREVIEW as u64);
        Output::restored(output.seen, Vec::new(), bytes[kept - PREVIEW..].to_vec(), missing, output.full_screen)
            .text(size)
    } else {
        output.text(size)
    };
    let lines: Vec<&str> = text.trim_end().lines().collect();
    lines[lines.len().saturating_sub(rows)..].iter().map(|line| (*line).to_owned()).collect()
}

/// The keys of the terminal.
struct FinderKeys<'a> {
    tty: &'a Tty,
    decoder: Decoder,
    /// Keys that were read and not handled yet.
    inputs: VecDeque<Input>,
}

impl FinderKeys<'_> {
    /// Waits for keys, hits or a signal. No keys are read while one waits for hits.
    fn wait(
        &mut self,
        search: Option<&SearchThread>,
        signals: &FinderSignals,
        is_waiting: bool,
    ) -> io::Result<Awaited> {
        loop {
            let is_undecided = self.decoder.is_undecided();
            let patience = if is_undecided { PollTimeout::from(ESC_PATIENCE) } else { PollTimeout::NONE };
            let wanted = if is_waiting { PollFlags::empty() } else { PollFlags::POLLIN };
            let mut waited =
                vec![PollFd::new(signals.as_fd(), PollFlags::POLLIN), PollFd::new(self.tty.as_fd(), wanted)];
            waited.extend(search.map(|search| PollFd::new(search.as_fd(), PollFlags::POLLIN)));
            let count = match poll(&mut waited, patience) {
                Err(nix::errno::Errno::EINTR) => continue,
                count => count?,
            };
            let is_ready = |at: usize| waited.get(at).is_some_and(|fd| fd.any() == Some(true));
            if count == 0 {
                self.inputs.extend(self.decoder.settle());
                return Ok(Awaited::Keys);
            } else if is_ready(0) {
                signals.drain();
                return Ok(Awaited::Signal);
            } else if is_ready(1) {
                let mut bytes = [0; 256];
                return match self.tty.read(&mut bytes) {
                    Ok(0) => Ok(Awaited::Gone),
                    Ok(count) => {
                        self.inputs.extend(bytes[..count].iter().filter_map(|byte| self.decoder.byte(*byte)));
                        Ok(Awaited::Keys)
                    }
                    Err(error) if error.kind() == io::ErrorKind::WouldBlock => continue,
                    Err(_) => Ok(Awaited::Gone),
                };
            } else {
                return Ok(Awaited::Hits);
            }
        }
    }
}
