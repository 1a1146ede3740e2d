//! Names for words of similar meaning: a message resembles an example that says the same about another thing.

use std::sync::LazyLock;

use rustc_hash::FxHashMap;

const CONCEPTS: &str = include_str!("rules/concepts.txt");

/// The concept of each word. If several lines have a word, the first counts.
static NAMES: LazyLock<FxHashMap<&'static str, &'static str>> = LazyLock::new(|| {
    let mut names = FxHashMap::default();
    for line in CONCEPTS.lines().filter(|line| !line.starts_with('#')) {
        let mut words = line.split_whitespace();
        let Some(name) = words.next() else { continue };
        for word in words {
            names.entry(word).or_insert(name);
        }
    }
    names
});

/// The concept of a word, or else of its singular.
pub(super) fn concept(word: &str) -> Option<&'static str> {
    let singular = || word.strip_suffix('s').filter(|word| word.len() > 2);
    NAMES.get(word).or_else(|| NAMES.get(singular()?)).copied()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn words_that_mean_alike_share_a_name() {
        assert_eq!(concept("sofa"), concept("boilers"));
        assert_eq!(concept("zebra"), None);
    }
}
