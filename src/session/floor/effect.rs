//! What a floor wants to be done.

use nix::sys::signal::Signal;
use tokio_util::sync::CancellationToken;

use crate::chat::Event;
use crate::session::agent_link::AgentCommand;
use crate::session::prompt::Prompt;
use crate::session::requests::Wish;

use super::{Loan, RunResult};

/// One thing for the session to do.
pub(in crate::session) enum Effect {
    /// Bytes for the screen that change the cursor's line.
    Show(Vec<u8>),
    /// Bytes for the screen that leave the shell's line as it is.
    Draw(Vec<u8>),
    /// Bytes that lie over what the shell shows: no record of the screen is changed.
    Overlay(Vec<u8>),
    /// Bytes of the wipe filter are shown, before something else is.
    ShowRedraw,
    /// An accepted line is drawn again that bash has erased.
    Repaint(Vec<u8>),
    /// The outer terminal is told that an answer follows.
    AnswerBegins,
    /// The outer terminal is told that the prompt is drawn again.
    PromptAgain,
    /// Keys for the shell.
    Send(Vec<u8>),
    /// Keys to keep for the next floor that takes some.
    Hold(Vec<u8>),
    /// Keys for whichever floor there is now.
    Route(Vec<u8>),
    /// The keys that were held, for whichever floor there is now.
    RouteHeld,
    /// The keys that were held, for the shell.
    SendHeld,
    /// The keys that the shell has not read yet are held.
    TakeBack,
    /// The waiting hook goes on to the prompt.
    EndWait,
    /// The waiting hook runs a command.
    Run { command: String, loan: Loan },
    /// A command in the live shell is over.
    Ran(RunResult),
    /// A signal for the shell.
    Signal(Signal),
    /// The program in front draws its screen again.
    Redraw,
    /// A query for a model. `screen` is what a program showed below the conversation.
    Ask { text: String, screen: Option<String>, cancel: CancellationToken },
    /// A slash command for the agent.
    Command { command: AgentCommand, text: String, screen: Option<String>, cancel: CancellationToken },
    /// An answer is no longer wanted.
    Cancel(CancellationToken),
    /// A question is taken away: whoever asked hears that nobody answered, but only after what was ordered before.
    Unask(Box<Prompt>),
    /// The news of a slash command go to nobody.
    Disown,
    /// An event is kept in the transcript of its request.
    Record(u64, Event),
    /// A wish waits until its request has the floor, or may be asked about. The flag is whether the person knows about it.
    Want { request: u64, wish: Wish, is_told: bool },
    /// The next wish of this request is due, if there is one.
    NextWish(u64),
    /// Words for the model while it works.
    Steer(u64, String),
    /// The request in front goes on in the background from here on.
    GoBehind,
    /// An earlier request is shown again.
    Recall(Option<u64>),
    /// An accepted line for the next prompt, once that is drawn.
    PutOnPrompt(Vec<u8>),
    /// Text for the prompt, not to be run.
    Suggest(String),
    /// The conversation line opens.
    OpenLine,
    /// The queries of earlier conversations are read.
    LoadQueries,
    /// A query is kept for later conversations.
    KeepQuery(String),
    /// The paths that begin with this are looked for.
    Find(String),
    /// The text is edited in the person's own editor.
    Edit(String),
    /// A workspace that was deleted is made again before the hook needs it.
    MendWorkspace,
}
