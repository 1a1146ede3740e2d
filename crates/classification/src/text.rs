//! A message as words: lower case, without accents and apostrophes, each with its place in the message.

use std::ops::Range;

/// What stands between a word and the one before it.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum Boundary {
    /// A space.
    None,
    /// A comma, a dash, a bracket.
    Clause,
    /// A full stop, a line break: a new sentence.
    Sentence,
}

/// One word.
#[derive(Debug, Clone)]
pub(super) struct Word {
    pub(super) text: String,
    /// Its byte range in the message.
    pub(super) span: Range<usize>,
    pub(super) before: Boundary,
    /// It stands between quotation marks.
    pub(super) quoted: bool,
    /// It is written with an apostrophe: "I'll" and not "ill".
    pub(super) contracted: bool,
}

/// How many words of a message are read: more would not make it clearer.
const MAX_WORDS: usize = 2_000;

/// The words of a message.
pub(super) fn words(message: &str) -> Vec<Word> {
    let mut reader = TextReader::default();
    for (at, character) in message.char_indices() {
        if reader.words.len() >= MAX_WORDS {
            break;
        }
        reader.read(at, character, message);
    }
    reader.end_word();
    let mut words = reader.words;
    if reader.quoted {
        // A quotation mark that is never closed is no quotation: inches, or a typing error.
        words.iter_mut().for_each(|word| word.quoted = false);
    }
    words
}

struct TextReader {
    words: Vec<Word>,
    text: String,
    span: Range<usize>,
    boundary: Boundary,
    quoted: bool,
    contracted: bool,
}

impl Default for TextReader {
    fn default() -> Self {
        let (words, text) = (Vec::new(), String::new());
        Self { words, text, span: 0..0, boundary: Boundary::Sentence, quoted: false, contracted: false }
    }
}

impl TextReader {
    fn read(&mut self, at: usize, character: char, message: &str) {
        let end = at.saturating_add(character.len_utf8());
        let next = message.get(end..).and_then(|rest| rest.chars().next()).map(narrow);
        let character = narrow(character);
        let within = !self.text.is_empty() && next.is_some_and(char::is_alphanumeric);
        if character.is_alphanumeric() {
            if self.text.is_empty() {
                self.span = at..end;
            }
            fold(character, &mut self.text);
            self.span.end = end;
        } else if is_apostrophe(character) && within {
            // "can't" is read as "cant".
            self.contracted = true;
        } else if matches!(character, '.' | ',' | '/' | '-' | ':') && within && self.is_number(next) {
            self.text.push(character);
        } else {
            self.end_word();
            self.boundary = self.boundary.max(boundary(character));
            if matches!(character, '"' | '\u{201c}' | '\u{201d}' | '\u{201e}' | '\u{ab}' | '\u{bb}') {
                self.quoted = !self.quoted;
            }
        }
    }

    /// Whether a character between digits belongs to the number: 1,200.00 and 15/12.
    fn is_number(&self, next: Option<char>) -> bool {
        let digit = |character: char| character.is_ascii_digit();
        self.text.ends_with(digit) && next.is_some_and(digit)
    }

    fn end_word(&mut self) {
        if self.text.is_empty() {
            return;
        }
        let text = without_stretching(&std::mem::take(&mut self.text));
        self.words.push(Word {
            text,
            span: self.span.clone(),
            before: self.boundary,
            quoted: self.quoted,
            contracted: std::mem::take(&mut self.contracted),
        });
        self.boundary = Boundary::None;
    }
}

const fn is_apostrophe(character: char) -> bool {
    matches!(character, '\'' | '\u{2019}' | '\u{2018}' | '`' | '\u{b4}')
}

const fn boundary(character: char) -> Boundary {
    match character {
        '.' | '!' | '?' | '\n' | '\u{2026}' => Boundary::Sentence,
        ',' | ';' | ':' | '-' | '(' | ')' | '\u{2013}' | '\u{2014}' | '*' | '/' => Boundary::Clause,
        _ => Boundary::None,
    }
}

/// "nooo" is "no", "helllp" is "help". Double letters are kept: "still".
fn without_stretching(word: &str) -> String {
    let mut kept = String::with_capacity(word.len());
    let mut characters = word.chars().peekable();
    while let Some(character) = characters.next() {
        let mut run = 1;
        while characters.next_if_eq(&character).is_some() {
            run += 1;
        }
        let times = if run >= 3 && character.is_alphabetic() { 1 } else { run };
        kept.extend(std::iter::repeat_n(character, times));
    }
    kept
}

/// Mathematical letters outside of their alphabets (Unicode block "Letterlike Symbols").
const LETTERLIKE: [(char, char); 24] = [
    ('ℂ', 'C'),
    ('ℊ', 'g'),
    ('ℋ', 'H'),
    ('ℌ', 'H'),
    ('ℍ', 'H'),
    ('ℎ', 'h'),
    ('ℐ', 'I'),
    ('ℑ', 'I'),
    ('ℒ', 'L'),
    ('ℕ', 'N'),
    ('ℙ', 'P'),
    ('ℚ', 'Q'),
    ('ℛ', 'R'),
    ('ℜ', 'R'),
    ('ℝ', 'R'),
    ('ℤ', 'Z'),
    ('ℨ', 'Z'),
    ('ℬ', 'B'),
    ('ℭ', 'C'),
    ('ℯ', 'e'),
    ('ℰ', 'E'),
    ('ℱ', 'F'),
    ('ℳ', 'M'),
    ('ℴ', 'o'),
];

/// The character of ASCII that a wide or mathematical one stands for (Unicode, compatibility decomposition):
/// `Ｓ` and `𝐒` are `S`.
#[must_use]
pub fn narrow(character: char) -> char {
    const LETTERS: u32 = 26;
    let number = u32::from(character);
    let ascii = match character {
        '\u{ff01}'..='\u{ff5e}' => number.checked_sub(0xfee0),
        '\u{3000}' => Some(u32::from(' ')),
        // Thirteen alphabets, each with capital and small letters.
        '\u{1d400}'..='\u{1d6a3}' => number.checked_sub(0x1_d400).map(|place| match place % (2 * LETTERS) {
            small @ LETTERS.. => u32::from('a') + small - LETTERS,
            capital => u32::from('A') + capital,
        }),
        // Letters that had a place before the alphabets did.
        other => LETTERLIKE.iter().find(|(letter, _)| *letter == other).map(|(_, ascii)| u32::from(*ascii)),
    };
    ascii.and_then(char::from_u32).unwrap_or(character)
}

/// Adds a character in lower case and without its accent: `É` as `e`, `ß` as `ss`.
pub fn fold(character: char, to: &mut String) {
    for lower in narrow(character).to_lowercase() {
        match lower {
            'à' | 'á' | 'â' | 'ã' | 'ä' | 'å' => to.push('a'),
            'ç' => to.push('c'),
            'è' | 'é' | 'ê' | 'ë' => to.push('e'),
            'ì' | 'í' | 'î' | 'ï' => to.push('i'),
            'ñ' => to.push('n'),
            'ò' | 'ó' | 'ô' | 'õ' | 'ö' | 'ø' => to.push('o'),
            'ù' | 'ú' | 'û' | 'ü' => to.push('u'),
            'ý' | 'ÿ' => to.push('y'),
            'ß' => to.push_str("ss"),
            'æ' => to.push_str("ae"),
            // Combining accents, among them the dot that remains of `İ` in lower case.
            '\u{300}'..='\u{36f}' => {}
            other => to.push(other),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn texts(message: &str) -> Vec<String> {
        words(message).into_iter().map(|word| word.text).collect()
    }

    #[test]
    fn message_becomes_lower_case_words_without_apostrophes_and_accents() {
        assert_eq!(texts("I CAN’T pay, café!"), ["i", "cant", "pay", "cafe"]);
        assert_eq!(texts("nooo heeelp, still"), ["no", "help", "still"]);
        assert_eq!(texts("Ｉ ｃａｎｎｏｔ　ｐａｙ，Ｉ’ｍ ill"), ["i", "cannot", "pay", "im", "ill"]);
        assert_eq!(texts("𝐒𝐓𝐎𝐏 𝘀𝘁𝗼𝗽 𝕊𝕋𝕆ℙ 𝓈𝓉ℴ𝓅 𝒵𝓏"), ["stop", "stop", "stop", "stop", "zz"]);
        assert_eq!(texts("$1,200.00 on 15/12."), ["1,200.00", "on", "15/12"]);
    }

    #[test]
    fn words_know_their_boundaries_and_quotation_marks() {
        let words = words("He said \"I won't\", then left. Bye");
        let before: Vec<_> = words.iter().map(|word| word.before).collect();
        assert_eq!(before.iter().filter(|before| **before == Boundary::Sentence).count(), 2);
        let quoted: Vec<_> = words.iter().filter(|word| word.quoted).map(|word| word.text.as_str()).collect();
        assert_eq!(quoted, ["i", "wont"]);
        assert!(super::words("a 27\" screen").iter().all(|word| !word.quoted));
    }
}
