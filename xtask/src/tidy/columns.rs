//! Lines of code and comment end by column 110, and functions outside tests have at most 60 lines.

use super::breach::Breach;
use super::code::Token;
use super::tree::{Tree, is_test_file};

const COLUMNS: usize = 110;
const FUNCTION_LINES: usize = 60;

pub(super) fn check(tree: &Tree) -> Vec<Breach> {
    let mut breaches: Vec<Breach> = tree
        .texts()
        .filter(|(path, _)| has_columns(path))
        .flat_map(|(path, text)| long_lines(path, text))
        .collect();
    let sources = tree.code().filter(|(path, _)| is_checked(path));
    breaches.extend(sources.flat_map(|(path, code)| long_functions(path, code)));
    breaches
}

/// Tests, their support code, and examples may have longer functions.
fn is_checked(path: &str) -> bool {
    !is_test_file(path) && !path.contains("/examples/") && !path.ends_with("/test_app.rs")
}

fn has_columns(path: &str) -> bool {
    let is_source = [".rs", ".sql", ".toml"].iter().any(|kind| path.ends_with(kind));
    // pgbench reads a statement from one line.
    is_source && !path.starts_with("xtask/src/bench/floors/")
}

/// A line without a space to break at, a code example in a comment and a line inside a text literal may be
/// longer.
fn long_lines(path: &str, text: &str) -> Vec<Breach> {
    let is_rust = path.ends_with(".rs");
    let mut is_example = false;
    text.lines()
        .enumerate()
        .filter(|(_, line)| {
            is_example ^= line.trim_start_matches([' ', '/', '!']).starts_with("```");
            !is_example && line.chars().count() > COLUMNS && can_break(line, is_rust)
        })
        .map(|(index, line)| {
            let what = format!("{} columns: break it by column {COLUMNS}", line.chars().count());
            Breach::new(path, index + 1, what)
        })
        .collect()
}

fn can_break(line: &str, is_rust: bool) -> bool {
    let text = line.trim_start();
    let marks = if is_rust { ["//", "//"] } else { ["--", "#"] };
    if let Some(comment) = marks.iter().find_map(|mark| text.strip_prefix(mark)) {
        // Tables and single long words cannot be broken.
        let comment = comment.trim_start_matches(['/', '!']).trim();
        return !comment.starts_with('|') && comment.contains(' ');
    }
    // rustfmt breaks code; a longer line contains a literal. SQL and TOML are formatted by hand.
    !is_rust && !text.contains('"') && !text.contains('\'')
}

/// Functions are measured from the line of `fn` to that of the closing brace. A body that is a single `match`
/// counts as a table and is not limited.
fn long_functions(path: &str, code: &[Token]) -> Vec<Breach> {
    let long = |start: usize| {
        let function = code.get(start..)?;
        let first = function.first().filter(|token| token.text == "fn")?;
        // The type of a function pointer has no name.
        function.get(1).filter(|token| token.text != "(")?;
        let body = function.get(signature_end(function)..)?;
        // A function that a trait requires has no body.
        body.first().filter(|token| token.text == "{")?;
        let lines = body.get(block_end(body)?)?.line - first.line + 1;
        (lines > FUNCTION_LINES && !is_match(body)).then(|| {
            let what = format!("a function of {lines} lines: at most {FUNCTION_LINES}");
            Breach::new(path, first.line, what)
        })
    };
    (0..code.len()).filter_map(long).collect()
}

/// The index of the end of the signature at the beginning of these tokens: before its body or semicolon.
fn signature_end(tokens: &[Token]) -> usize {
    let mut depth = 0_i32;
    let end = tokens.iter().position(|token| {
        match token.text.as_str() {
            "(" | "[" => depth += 1,
            ")" | "]" => depth -= 1,
            "{" | "}" | ";" => return depth == 0,
            _ => {}
        }
        depth < 0
    });
    end.unwrap_or(tokens.len())
}

/// The index of the end of the block at the beginning of these tokens; 0 if they do not begin with a block.
fn block_end(tokens: &[Token]) -> Option<usize> {
    let mut depth = 0_u32;
    tokens.iter().position(|token| {
        match token.text.as_str() {
            "{" => depth += 1,
            "}" => depth = depth.saturating_sub(1),
            _ => {}
        }
        depth == 0
    })
}

/// Whether the block at the beginning of these tokens is a single `match`.
fn is_match(body: &[Token]) -> bool {
    let inner = body.get(1..).unwrap_or_default();
    let arms = inner.iter().position(|token| token.text == "{").unwrap_or(0);
    let end = block_end(inner.get(arms..).unwrap_or_default()).map(|end| arms + end + 2);
    inner.first().is_some_and(|token| token.text == "match") && end == block_end(body)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn lines_of(path: &str, text: &str) -> Vec<usize> {
        let breaches = check(&Tree::from([(path, text)]));
        breaches.into_iter().map(|breach| breach.line).collect()
    }

    #[test]
    fn a_comment_past_the_last_column_is_reported() {
        let long = format!("// {}\n", "word ".repeat(30));
        assert_eq!(lines_of("crates/kernel/src/a.rs", &format!("fn f() {{}}\n{long}")), [2]);
        let sql = format!("-- {}\n", "word ".repeat(30));
        assert_eq!(lines_of("migrations/sqlite/up.sql", &sql), [1]);
    }

    #[test]
    fn tables_addresses_and_literals_may_be_longer() {
        for line in [
            format!("//! | {} |", "word ".repeat(30)),
            format!("// https://example.com/{}", "x".repeat(120)),
            format!("const TEXT: &str = \"{}\";", "word ".repeat(30)),
        ] {
            assert!(lines_of("crates/kernel/src/a.rs", &line).is_empty(), "{line}");
        }
        let prose = "word ".repeat(60);
        assert!(lines_of("README.md", &prose).is_empty());
    }

    #[test]
    fn a_function_of_more_than_sixty_lines_is_reported() {
        let function =
            |lines: usize| format!("    pub async fn f() {{\n{}    }}\n", "        g();\n".repeat(lines));
        assert!(lines_of("crates/kernel/src/a.rs", &function(58)).is_empty());
        assert_eq!(lines_of("crates/kernel/src/a.rs", &function(59)), [1]);
        let pointer = format!("f: fn(u8) -> u8 = |n| {{\n{}}},\n", "    g();\n".repeat(60));
        assert!(lines_of("crates/kernel/src/a.rs", &pointer).is_empty());
    }
}
