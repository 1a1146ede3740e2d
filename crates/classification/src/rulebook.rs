//! The rules: which words speak for which type, and how strongly.

use std::sync::LazyLock;

use rustc_hash::{FxHashMap, FxHashSet};

use crate::message_type::MessageType;
use crate::pattern::{Classes, INDEXED_LETTERS, MatchedText, Pattern};
use crate::text::Word;
use crate::wording::Wording;

/// The version of the rules, stored with each classification. It grows with every change of a rule.
pub const VERSION: u32 = 10;

const CLASSES: &str = include_str!("rules/classes.txt");
const EXAMPLES: [&str; 2] =
    [include_str!("rules/examples.txt"), include_str!("rules/examples_without_rules.txt")];
const RULES: [(MessageType, &str); 8] = [
    (MessageType::Hardship, include_str!("rules/hardship.txt")),
    (MessageType::Dispute, include_str!("rules/dispute.txt")),
    (MessageType::Refused, include_str!("rules/refused.txt")),
    (MessageType::HumanRequest, include_str!("rules/human_request.txt")),
    (MessageType::Promise, include_str!("rules/promise.txt")),
    (MessageType::PaidClaim, include_str!("rules/paid_claim.txt")),
    (MessageType::OptOut, include_str!("rules/opt_out.txt")),
    (MessageType::Other, include_str!("rules/other.txt")),
];

/// One rule.
#[derive(Debug)]
pub(super) struct Rule {
    pub(super) kind: MessageType,
    /// How strongly the rule speaks for the type; below 0, against it.
    pub(super) score: i32,
    pub(super) pattern: Pattern,
    /// Whether its own words negate ("cannot pay"), so that a "not" before them rarely negates the rule.
    pub(super) negates_itself: bool,
}

/// All rules, indexed by the words that they begin with.
#[derive(Debug)]
pub(super) struct Rulebook {
    rules: Vec<Rule>,
    by_word: FxHashMap<String, Vec<usize>>,
    by_letters: FxHashMap<String, Vec<usize>>,
    by_date: Vec<usize>,
    at_start: Vec<usize>,
    pub(super) wording: Wording,
    pub(super) classes: FxHashMap<String, FxHashSet<String>>,
    /// Malformed lines; a test checks that there are none.
    #[cfg(test)]
    faults: Vec<String>,
}

/// The rules of this version, read once.
pub(super) static RULEBOOK: LazyLock<Rulebook> = LazyLock::new(Rulebook::read);

impl Rulebook {
    fn read() -> Self {
        let mut faults = Vec::new();
        let mut classes = Classes::default();
        for line in lines(CLASSES) {
            let mut words = line.split_whitespace().map(str::to_owned);
            if let Some(name) = words.next() {
                classes.insert(name, words.collect());
            }
        }
        let negators: FxHashSet<&String> = classes.get("neg").into_iter().flatten().collect();
        let mut rules = Vec::new();
        for (kind, text) in RULES {
            for line in lines(text) {
                match rule(kind, line, &classes, &negators) {
                    Some(rule) => rules.push(rule),
                    None => faults.push(line.to_owned()),
                }
            }
        }
        let vocabulary = rules.iter().flat_map(|rule| rule.pattern.vocabulary()).cloned().collect();
        let sets = classes.iter().map(|(name, words)| (name.clone(), words.iter().cloned().collect()));
        let foreign = classes.get("foreign").into_iter().flatten().cloned().collect();
        let wording = Wording::new(vocabulary, foreign);
        let mut book = Self {
            by_word: FxHashMap::default(),
            by_letters: FxHashMap::default(),
            by_date: Vec::new(),
            at_start: Vec::new(),
            wording,
            classes: sets.collect(),
            rules,
            #[cfg(test)]
            faults,
        };
        book.index();
        book
    }

    fn index(&mut self) {
        for (number, rule) in self.rules.iter().enumerate() {
            let Some(first) = rule.pattern.first() else {
                self.at_start.push(number);
                continue;
            };
            for word in &first.words {
                self.by_word.entry(word.clone()).or_default().push(number);
            }
            for prefix in &first.prefixes {
                let letters: String = prefix.chars().take(INDEXED_LETTERS).collect();
                self.by_letters.entry(letters).or_default().push(number);
            }
            if first.date {
                self.by_date.push(number);
            }
        }
    }

    /// The rules that may match from this word on.
    pub(super) fn rules_at<'a>(
        &'a self,
        text: MatchedText<'a>,
        at: usize,
    ) -> impl Iterator<Item = (usize, &'a Rule)> {
        let word = text.words.get(at).map_or("", |word: &Word| word.text.as_str());
        let letters: String = word.chars().take(INDEXED_LETTERS).collect();
        let is_day = text.days.iter().any(|day| day.words.start == at);
        let by_word = self.by_word.get(word).into_iter().flatten();
        let by_letters = self.by_letters.get(&letters).into_iter().flatten();
        let by_date = self.by_date.iter().filter(move |_| is_day);
        let at_start = self.at_start.iter().filter(move |_| at == 0);
        by_word
            .chain(by_letters)
            .chain(by_date)
            .chain(at_start)
            .filter_map(|number| Some((*number, self.rule(*number)?)))
    }

    /// The rule with this index.
    pub(super) fn rule(&self, number: usize) -> Option<&Rule> {
        self.rules.get(number)
    }

    /// Whether a word is in a class.
    pub(super) fn is(&self, class: &str, word: &str) -> bool {
        self.classes.get(class).is_some_and(|words| words.contains(word))
    }
}

/// Two lists of messages with their types. The authors of the rules knew the first list.
pub(super) fn examples() -> [impl Iterator<Item = (MessageType, &'static str)>; 2] {
    EXAMPLES.map(typed)
}

/// The messages of lines such as `type|message`.
fn typed(text: &'static str) -> impl Iterator<Item = (MessageType, &'static str)> {
    let typed = |line: &'static str| {
        let (kind, text) = line.split_once('|')?;
        Some((kind.parse().ok()?, text))
    };
    lines(text).filter_map(typed)
}

fn lines(text: &'static str) -> impl Iterator<Item = &'static str> {
    text.lines().map(str::trim).filter(|line| !line.is_empty() && !line.starts_with('#'))
}

fn rule(kind: MessageType, line: &str, classes: &Classes, negators: &FxHashSet<&String>) -> Option<Rule> {
    let (score, pattern) = line.split_once(' ')?;
    let (score, not_negated) = score.strip_suffix('n').map_or((score, false), |score| (score, true));
    let score = score.parse().ok()?;
    let pattern = Pattern::parse(pattern.trim(), classes)?;
    let negates = |word: &String| negators.contains(word);
    let negating = pattern.first().is_some_and(|first| first.words.iter().any(negates));
    let negates_itself = not_negated || negating;
    Some(Rule { kind, score, pattern, negates_itself })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn rules_are_all_well_formed() {
        assert!(RULEBOOK.faults.is_empty(), "{:?}", RULEBOOK.faults);
    }
}
