//! Where variables and the outputs of commands come from.

/// Reads environment variables.
pub(crate) type Env<'a> = &'a dyn Variables;

/// A source of variables. Every function from a name to a value is one.
pub(crate) trait Variables: Send + Sync {
    /// The value: exported, or a stored key.
    fn get(&self, name: &str) -> Option<String>;

    /// The exported value. An exported key has precedence over a stored one.
    fn exported(&self, name: &str) -> Option<String> {
        self.get(name)
    }

    /// What a command of the configuration has printed, or why it failed. `None` if it has not run.
    fn output(&self, _command: &str) -> Option<Result<String, String>> {
        None
    }
}

impl<F: Fn(&str) -> Option<String> + Send + Sync> Variables for F {
    fn get(&self, name: &str) -> Option<String> {
        self(name)
    }
}

/// Only the exported variables.
pub(super) struct ExportedOnly<'a>(pub(super) Env<'a>);

impl Variables for ExportedOnly<'_> {
    fn get(&self, name: &str) -> Option<String> {
        self.0.exported(name)
    }

    fn output(&self, command: &str) -> Option<Result<String, String>> {
        self.0.output(command)
    }
}

/// The value of a variable, without blanks around it. An empty value counts as none.
pub(in crate::provider) fn variable(env: Env<'_>, name: &str) -> Option<String> {
    env.get(name).map(|value| value.trim().to_owned()).filter(|value| !value.is_empty())
}
