//! What of a Rust file is code that ships: no comments, no literals, no tests.

use std::iter::Peekable;
use std::str::Chars;

/// The file with comments, strings, characters and `#[cfg(test)]` items blanked out; lines stay where they
/// are.
pub(super) fn shipped(text: &str) -> String {
    without_tests(&without_prose(text))
}

/// The words of a file with their line numbers, which start at one. A word is letters, digits and `_`.
pub(super) fn words(text: &str) -> impl Iterator<Item = (usize, &str)> {
    text.lines().enumerate().flat_map(|(index, line)| {
        line.split(|c: char| !(c.is_alphanumeric() || c == '_'))
            .filter(|word| !word.is_empty())
            .map(move |word| (index + 1, word))
    })
}

/// Walks through a file and copies it, or blanks of it.
struct Copier<'a> {
    rest: Peekable<Chars<'a>>,
    out: String,
}

fn without_prose(text: &str) -> String {
    let mut copier = Copier { rest: text.chars().peekable(), out: String::with_capacity(text.len()) };
    let mut word = String::new();
    while let Some(c) = copier.rest.next() {
        let next = copier.rest.peek().copied();
        match c {
            '/' if next == Some('/') => copier.blank_while(|c| c != '\n'),
            '/' if next == Some('*') => copier.blank_block_comment(),
            '"' if matches!(word.as_str(), "r" | "br" | "cr") => copier.blank_raw(0),
            '"' => copier.blank_quoted('"'),
            '#' if matches!(word.as_str(), "r" | "br" | "cr") => copier.raw_or_identifier(),
            '\'' => copier.character_or_lifetime(),
            _ => copier.out.push(c),
        }
        if c.is_alphanumeric() || c == '_' {
            word.push(c);
        } else {
            word.clear();
        }
    }
    copier.out
}

impl Copier<'_> {
    fn blank(&mut self, c: char) {
        self.out.push(if c == '\n' { '\n' } else { ' ' });
    }

    fn blank_while(&mut self, wanted: impl Fn(char) -> bool) {
        while let Some(c) = self.rest.next_if(|c| wanted(*c)) {
            self.blank(c);
        }
    }

    fn blank_block_comment(&mut self) {
        let mut depth = 0_u32;
        let mut before = '/';
        while let Some(c) = self.rest.next() {
            self.blank(c);
            match (before, c) {
                ('/', '*') => depth += 1,
                ('*', '/') => depth -= 1,
                _ => {
                    before = c;
                    continue;
                }
            }
            if depth == 0 {
                return;
            }
            before = ' ';
        }
    }

    fn blank_quoted(&mut self, quote: char) {
        while let Some(c) = self.rest.next() {
            self.blank(c);
            if c == '\\' {
                let escaped = self.rest.next();
                escaped.into_iter().for_each(|c| self.blank(c));
            } else if c == quote {
                return;
            }
        }
    }

    /// After `r#`: a raw string, or an identifier such as `r#type`.
    fn raw_or_identifier(&mut self) {
        let mut hashes = 1;
        while self.rest.next_if_eq(&'#').is_some() {
            hashes += 1;
        }
        if self.rest.next_if_eq(&'"').is_some() {
            self.blank_raw(hashes);
        }
    }

    fn blank_raw(&mut self, hashes: usize) {
        let mut seen = None;
        while seen != Some(hashes) {
            let Some(c) = self.rest.next() else { return };
            self.blank(c);
            seen = match (c, seen) {
                ('"', _) => Some(0),
                ('#', Some(count)) => Some(count + 1),
                _ => None,
            };
        }
    }

    fn character_or_lifetime(&mut self) {
        let mut ahead = self.rest.clone();
        let (first, second) = (ahead.next(), ahead.next());
        if first == Some('\\') || second == Some('\'') {
            self.blank_quoted('\'');
        }
    }
}

fn without_tests(code: &str) -> String {
    const MARK: &str = "#[cfg(test)]";
    let mut out = String::with_capacity(code.len());
    let mut rest = code;
    while let Some((before, item)) = rest.split_once(MARK) {
        out.push_str(before);
        let (tests, after) = item.split_at_checked(end_of_item(item)).unwrap_or((item, ""));
        out.extend(tests.chars().filter(|c| *c == '\n'));
        rest = after;
    }
    out.push_str(rest);
    out
}

/// Where an item ends: behind its closing brace, or behind its semicolon.
fn end_of_item(item: &str) -> usize {
    let mut depth = 0_u32;
    for (at, c) in item.char_indices() {
        match c {
            '{' | '[' | '(' => depth += 1,
            '}' | ']' | ')' => depth = depth.saturating_sub(1),
            _ => {}
        }
        if depth == 0 && matches!(c, '}' | ';') {
            return at + 1;
        }
    }
    item.len()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn word_list(text: &str) -> Vec<String> {
        let shipped = shipped(text);
        words(&shipped).map(|(line, word)| format!("{line}:{word}")).collect()
    }

    #[test]
    fn comments_and_literals_are_no_code() {
        let text = "a // f64\n/* f64 /* f64 */ f64 */ b\n\"f64 \\\" f64\" c\nr#\"f64 \" f64\"# d\n\
                    br\"f64\\\" e '\"' f '\\'' g r#type h 'x' i<'a> // \" f64\nj";
        let words = word_list(text);
        for (line, word) in [
            (1, "a"),
            (2, "b"),
            (3, "c"),
            (4, "d"),
            (5, "e"),
            (5, "f"),
            (5, "g"),
            (5, "h"),
            (5, "i"),
            (6, "j"),
        ] {
            assert!(words.contains(&format!("{line}:{word}")), "{line}:{word} of {words:?}");
        }
        assert!(!words.iter().any(|word| word.contains("f64")), "{words:?}");
    }

    #[test]
    fn tests_are_no_code_and_what_follows_them_keeps_its_line() {
        let text = "a\n#[cfg(test)]\nmod tests {\n  fn t() { f64 }\n  const C: char = '}';\n}\nb\n\
                    #[cfg(test)]\nconst F: [f64; 1] = [1.0; 1];\nc";
        assert_eq!(word_list(text), ["1:a", "7:b", "10:c"]);
    }
}
