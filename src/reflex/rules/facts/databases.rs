use super::Fact;

pub(super) const FACTS: &[Fact] = &[];
