//! What a front hears while a turn runs.

use std::time::Duration;

use super::call::{Call, Outcome};
use super::usage::Usage;

/// One thing that happened, in order. Deltas are to be appended to what came before.
#[derive(Debug, Clone, PartialEq)]
pub enum Event {
    /// A request is on its way to the model.
    StepStarted { step: u32 },
    /// The model that answers, where the person has not been told yet.
    Model(String),
    /// More of what the model thinks.
    Thinking(String),
    /// More of the answer, markdown.
    Text(String),
    /// A call is about to run; `title` is one line for a person, such as a path or a command.
    CallStarted { call: Call, title: String },
    /// More of what a running call prints.
    CallOutput { id: String, text: String },
    /// A call is over; `detail` is what a person may want to unfold (a diff, the output), if it differs from the outcome.
    CallFinished { id: String, outcome: Outcome, detail: Option<String>, took: Duration },
    /// The request failed and will be sent again; `attempt` is the number of the one to come.
    Retrying { attempt: u32, after: Duration, why: String },
    /// Tokens of this step.
    Usage(Usage),
    /// The person said something meanwhile, for the model's next step.
    Steered(String),
    /// One line the person should see.
    Notice(String),
    /// The turn is over.
    Finished(Ending),
}

/// How a turn ended.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Ending {
    Answered,
    /// The person stopped it.
    Interrupted,
    /// The step limit was reached and not extended.
    StepLimit,
    /// It could not go on; one line says why.
    Failed(String),
}
