//! The effects that a floor can ask for.

use nix::sys::signal::Signal;
use tokio_util::sync::CancellationToken;

use crate::chat::Event;
use crate::session::agent_link::AgentCommand;
use crate::session::prompt::Prompt;
use crate::session::requests::Wish;

use super::{Loan, RunResult};

/// One thing that the session should do.
pub(in crate::session) enum Effect {
    /// Shows bytes that change the cursor's line.
    Show(Vec<u8>),
    /// Shows bytes that leave the shell's line as it is.
    Draw(Vec<u8>),
    /// Shows bytes on top of the shell's screen. The records of the screen do not change.
    Overlay(Vec<u8>),
    /// Shows the bytes that the wipe filter holds back, before anything else is shown.
    ShowRedraw,
    /// Draws an accepted line again that bash has erased.
    Repaint(Vec<u8>),
    /// Tells the outer terminal that an answer follows.
    AnswerBegins,
    /// Draws the prompt again with these bytes, between the marks that tell the outer terminal so.
    PromptAgain(Vec<u8>),
    /// Sends keys to the shell.
    Send(Vec<u8>),
    /// Keeps keys for the next floor that takes some.
    Hold(Vec<u8>),
    /// Discards the held keys.
    DropHeld,
    /// Gives keys to the current floor.
    Route(Vec<u8>),
    /// Gives the held keys to the current floor.
    RouteHeld,
    /// Sends the held keys to the shell.
    SendHeld,
    /// Holds the keys that the shell has not read yet.
    TakeBack,
    /// Lets the waiting hook continue to the prompt.
    EndWait,
    /// Lets the waiting hook run a command.
    Run { command: String, loan: Loan },
    /// Reports the end of a command in the live shell.
    Ran(RunResult),
    /// Sends a signal to the shell.
    Signal(Signal),
    /// Lets the program in the foreground draw its screen again.
    Redraw,
    /// Asks a model. `screen` is the text of the program below the conversation.
    Ask { text: String, screen: Option<String>, cancel: CancellationToken },
    /// Gives a slash command to the agent.
    Command { command: AgentCommand, text: String, screen: Option<String>, cancel: CancellationToken },
    /// Cancels an answer.
    Cancel(CancellationToken),
    /// Withdraws a question. The asker is told that nobody answered, after the effects before this one.
    Unask(Box<Prompt>),
    /// Ignores the news of a slash command.
    Disown,
    /// Adds an event to the transcript of its request.
    Record(u64, Event),
    /// Keeps a wish until its request has the floor, or until the person may be asked. `is_told` says whether the person knows
    /// about it.
    Want { request: u64, wish: Wish, is_told: bool },
    /// Passes on the next wish of this request, if there is one.
    NextWish(u64),
    /// Sends a message to the model while it works.
    Steer(u64, String),
    /// Moves the request in the foreground to the background.
    GoBehind,
    /// Shows an earlier request again.
    Recall(Option<u64>),
    /// Puts an accepted line on the next prompt when it is drawn.
    PutOnPrompt(Vec<u8>),
    /// Puts text on the prompt without running it.
    Suggest(String),
    /// Opens the conversation line.
    OpenLine,
    /// Reads the queries of earlier conversations.
    LoadQueries,
    /// Keeps a query for later conversations.
    KeepQuery(String),
    /// Searches for paths that start with this text.
    Find(String),
    /// Opens the text in the person's own editor.
    Edit(String),
    /// Creates a deleted workspace again before the hook needs it.
    MendWorkspace,
}
