//! Lines to show above the next prompt, and text to put on it.

/// Lines and text for the next prompt.
#[derive(Debug, Default)]
pub(in crate::session) struct NextPrompt {
    /// One line each.
    pub(in crate::session) notices: Vec<String>,
    /// What is wrong with the configuration that was saved last.
    pub(in crate::session) settings: SettingsNotice,
    /// The corrected form of a command that has failed.
    pub(in crate::session) hint: Option<String>,
    /// A line for a person who has not asked anything yet.
    pub(in crate::session) offer: Option<String>,
    /// The offer, the hint and the news of background requests, as whole lines for the screen.
    pub(in crate::session) announcement: Vec<u8>,
    /// Whether an announcement was shown since `take_announced`.
    was_announced: bool,
    /// Text to put on the prompt when it is drawn.
    pub(in crate::session) text: Option<Vec<u8>>,
}

/// What is wrong with the configuration, said once.
#[derive(Debug, Default)]
pub(in crate::session) struct SettingsNotice {
    problem: Option<String>,
    is_said: bool,
}

impl SettingsNotice {
    /// The configuration has this problem now, or none.
    pub(in crate::session) fn replace(&mut self, problem: Option<String>) {
        let is_said = self.is_said && problem == self.problem;
        *self = SettingsNotice { problem, is_said };
    }

    /// Takes the line to show, unless it was shown.
    pub(super) fn take(&mut self) -> Option<String> {
        let problem = self.problem.clone().filter(|_| !self.is_said);
        self.is_said = true;
        problem
    }
}

impl NextPrompt {
    /// Takes the announcement to show it.
    pub(super) fn take_announcement(&mut self) -> Vec<u8> {
        self.was_announced |= !self.announcement.is_empty();
        std::mem::take(&mut self.announcement)
    }

    /// Whether an announcement was shown since the last call.
    pub(in crate::session) fn take_announced(&mut self) -> bool {
        std::mem::take(&mut self.was_announced)
    }
}
