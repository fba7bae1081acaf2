//! Recognises questions about shellmate itself.
//!
//! A topic has patterns, each a few groups of words. A question is about the topic if it has a word of every group of a pattern, and no
//! word that neither the topic nor ordinary language accounts for. So `how do I change the hotkey` is recognised, and `how do I change
//! the branch` or `the hotkey of tmux` are not: precision matters more than recall.

use std::collections::HashSet;
use std::sync::LazyLock;

use super::Topic;
use super::table::TOPICS;

/// Longer questions are left to a model.
const MOST_WORDS: usize = 14;

/// Words that say nothing about the subject.
const FILLER: &str = "a about all always an and any anything are as at be been by can could did do does doing for from get gets have \
    help how i i'd i'm in into is it its it's itself just know let like make makes me mean my need no of on one or out please say \
    set shellmate should show so tell that the their then there these this those to tool up use used using want way we \
    what what's when where where's which will with would you your yours again ever now only other another different \
    new own change changed changing switch choose select pick configure turn put go goes work works thing things";

/// Groups of words that many patterns need.
const GROUPS: [(&str, &str); 2] = [
    ("@off", "off|disable|stop|without|avoid|prevent|not|dont|don't|rid|less|quiet|silence"),
    ("@where", "where|where's|file|location|path|place|directory|folder|database|disk"),
];

/// The topics with the stems of their words.
static INDEX: LazyLock<Vec<IndexedTopic>> = LazyLock::new(|| TOPICS.iter().map(IndexedTopic::new).collect());

/// The stems of the words that say nothing.
static FILLERS: LazyLock<HashSet<String>> = LazyLock::new(|| FILLER.split_whitespace().map(stem).collect());

struct IndexedTopic {
    topic: &'static Topic,
    /// The groups of each pattern.
    patterns: Vec<Vec<Vec<String>>>,
    also: Vec<String>,
}

impl IndexedTopic {
    fn new(topic: &'static Topic) -> IndexedTopic {
        let named = |word: &'static str| GROUPS.iter().find(|(name, _)| *name == word).map_or(word, |(_, words)| words);
        let group = |group: &'static str| group.split('|').flat_map(|word| named(word).split('|')).map(stem).collect();
        let patterns = topic.asks.iter().map(|pattern| pattern.split(' ').map(group).collect()).collect();
        IndexedTopic { topic, patterns, also: topic.also.split_whitespace().map(stem).collect() }
    }

    /// The number of groups of the longest pattern that the words match, with nothing left over.
    fn matches(&self, words: &[String]) -> Option<usize> {
        let is_matched = |groups: &&Vec<Vec<String>>| {
            let has = |group: &Vec<String>| words.iter().any(|word| group.contains(word));
            let is_known = |word: &String| {
                FILLERS.contains(word) || self.also.contains(word) || groups.iter().any(|group| group.contains(word))
            };
            groups.iter().all(has) && words.iter().all(is_known)
        };
        self.patterns.iter().filter(is_matched).map(Vec::len).max()
    }
}

impl Topic {
    /// The topic of a question.
    pub(crate) fn of(question: &str) -> Option<&'static Topic> {
        let words: Vec<String> = words(question).take(MOST_WORDS + 1).collect();
        if words.len() > MOST_WORDS || words.iter().all(|word| FILLERS.contains(word)) {
            return None;
        }
        let matching = INDEX.iter().filter_map(|indexed| Some((indexed.matches(&words)?, indexed.topic)));
        // Of several, the one whose pattern asks for most; of equals, the first.
        matching.rev().max_by_key(|(groups, _)| *groups).map(|(_, topic)| topic)
    }
}

/// The stems of the words of a question.
fn words(question: &str) -> impl Iterator<Item = String> {
    let separate = |c: char| !(c.is_alphanumeric() || "'’_".contains(c));
    question.split(separate).map(|word| word.trim_matches('\'')).filter(|word| !word.is_empty()).map(stem)
}

/// A word without its common endings, so that `records`, `recorded` and `recording` are one.
fn stem(word: &str) -> String {
    let mut word = word.to_lowercase().replace('’', "'");
    for ending in ["'s", "s", "ing", "ed"] {
        if word.len() > ending.len() + 2
            && !word.ends_with("ss")
            && let Some(start) = word.strip_suffix(ending)
        {
            word.truncate(start.len());
        }
    }
    if word.len() > 3 && word.ends_with('e') {
        word.pop();
    }
    word
}
