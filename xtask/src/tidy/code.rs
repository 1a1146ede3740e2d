//! The shipped code of a Rust file: without comments, text literals and tests.

use proc_macro2::{Delimiter, Group, Spacing, TokenStream, TokenTree};

/// A word, a number, a bracket, `::` or another character, and its line number, from 1.
#[derive(Debug)]
pub(super) struct Token {
    pub(super) line: usize,
    pub(super) text: String,
}

/// The code of a file without comments, text literals and `#[cfg(test)]` items. Empty if the file is not
/// valid Rust.
pub(super) fn shipped(text: &str) -> Vec<Token> {
    let mut tokens = Vec::new();
    flatten(text.parse().unwrap_or_default(), &mut tokens);
    tokens
}

fn flatten(stream: TokenStream, tokens: &mut Vec<Token>) {
    let mut trees = stream.into_iter();
    while let Some(tree) = trees.next() {
        let mut push = |line, text: &str| tokens.push(Token { line, text: text.to_owned() });
        let line = tree.span().start().line;
        match &tree {
            TokenTree::Group(group) if is_test_attribute(group) => {
                // Removes the `#` before the attribute, and skips the item after it, which ends with a block
                // or a semicolon.
                tokens.pop();
                trees.find(|tree| match tree {
                    TokenTree::Group(group) => group.delimiter() == Delimiter::Brace,
                    tree => tree.to_string() == ";",
                });
            }
            TokenTree::Group(group) => {
                let (open, close) = match group.delimiter() {
                    Delimiter::Brace => ("{", "}"),
                    Delimiter::Bracket => ("[", "]"),
                    Delimiter::Parenthesis | Delimiter::None => ("(", ")"),
                };
                push(line, open);
                flatten(group.stream(), tokens);
                let line = group.span_close().start().line;
                tokens.push(Token { line, text: close.to_owned() });
            }
            TokenTree::Punct(colon) if colon.as_char() == ':' && colon.spacing() == Spacing::Joint => {
                trees.next();
                push(line, "::");
            }
            TokenTree::Literal(literal) => {
                let text = literal.to_string();
                if text.starts_with(|c: char| c.is_ascii_digit()) {
                    push(line, &text);
                }
            }
            TokenTree::Ident(_) | TokenTree::Punct(_) => push(line, &tree.to_string()),
        }
    }
}

fn is_test_attribute(group: &Group) -> bool {
    group.delimiter() == Delimiter::Bracket && group.stream().to_string().replace(' ', "") == "cfg(test)"
}

#[cfg(test)]
mod tests {
    use super::*;

    fn word_list(text: &str) -> Vec<String> {
        shipped(text).iter().map(|Token { line, text }| format!("{line}:{text}")).collect()
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
