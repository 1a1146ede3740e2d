//! Splits a migration into statements: a cluster accepts one in each message.

/// The statements of a script, without the comments around them.
pub(crate) fn split(script: &str) -> Vec<String> {
    let mut statements = Vec::new();
    let mut statement = String::new();
    let mut rest = script;
    while let Some(first) = rest.chars().next() {
        if rest.starts_with("--") {
            rest = rest.split_once('\n').map_or("", |(_, after)| after);
        } else if let Some(after) = rest.strip_prefix(';') {
            statements.push(std::mem::take(&mut statement));
            rest = after;
        } else {
            let length = token(rest, first);
            let (taken, after) = rest.split_at(length);
            statement.push_str(taken);
            rest = after;
        }
    }
    statements.push(statement);
    statements.iter().map(|one| one.trim().to_owned()).filter(|one| !one.is_empty()).collect()
}

/// The length of the first token: a quoted text, or one character.
fn token(rest: &str, first: char) -> usize {
    let quoted = |quote: &str| {
        let inside = rest.get(quote.len()..)?.find(quote)?;
        Some(inside.saturating_add(quote.len().saturating_mul(2)))
    };
    let length = match first {
        // A doubled quote inside begins the next token.
        '\'' => quoted("'"),
        '"' => quoted("\""),
        '$' => dollar_quote(rest).and_then(quoted),
        _ => None,
    };
    length.unwrap_or_else(|| first.len_utf8())
}

/// `$$` or `$tag$`.
fn dollar_quote(rest: &str) -> Option<&str> {
    let inside = rest.get(1..)?.find('$')?;
    let quote = rest.get(..inside.saturating_add(2))?;
    let tag = quote.trim_matches('$');
    let is_tag = !tag.starts_with(|c: char| c.is_ascii_digit())
        && tag.chars().all(|c| c.is_ascii_alphanumeric() || c == '_');
    is_tag.then_some(quote)
}

/// The name of the table that a statement creates.
pub(crate) fn created_table(statement: &str) -> Option<&str> {
    let rest = statement.strip_prefix("CREATE TABLE ")?;
    rest.split(|c: char| c.is_whitespace() || c == '(').next()
}

/// Splits the addition of a column with a constraint into two statements: a cluster requires a separate and
/// named constraint. The name is the one that PostgreSQL would generate.
pub(crate) fn apart(statement: &str) -> Vec<String> {
    let whole = || vec![statement.to_owned()];
    let Some((before, column)) = statement.split_once(" ADD COLUMN ") else {
        return whole();
    };
    let (Some(table), Some(name)) = (before.strip_prefix("ALTER TABLE "), column.split_whitespace().next())
    else {
        return whole();
    };
    let words = [(" CHECK ", "check", "CHECK "), (" REFERENCES ", "fkey", "REFERENCES ")];
    for (word, ending, constraint) in words {
        let upright = column.replace('\n', " ");
        if let Some(at) = upright.find(word) {
            let (plain, rest) = upright.split_at(at);
            let plain = plain.trim_end();
            let rest = rest.trim_start().trim_start_matches(constraint);
            let of = if ending == "fkey" { format!("FOREIGN KEY ({name}) ") } else { String::new() };
            return vec![
                format!("ALTER TABLE {table} ADD COLUMN {plain}"),
                format!("ALTER TABLE {table} ADD CONSTRAINT {table}_{name}_{ending} {of}{constraint}{rest}"),
            ];
        }
    }
    whole()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_script_is_split_at_its_semicolons_alone() {
        let script = "-- one; two\nCREATE TABLE x (\n    -- it's\n    a text DEFAULT ';''--'\n);\nDO $do$ BEGIN; END $do$;\n\nSELECT 1";
        assert_eq!(
            split(script),
            ["CREATE TABLE x (\n        a text DEFAULT ';''--'\n)", "DO $do$ BEGIN; END $do$", "SELECT 1"]
        );
        assert!(split("-- nothing to do\n").is_empty());
    }

    #[test]
    fn a_created_table_is_known_by_its_name() {
        assert_eq!(created_table("CREATE TABLE promises (\n"), Some("promises"));
        assert_eq!(created_table("CREATE TABLE promises("), Some("promises"));
        assert_eq!(created_table("CREATE INDEX a ON b (c)"), None);
    }

    #[test]
    fn a_constraint_is_added_after_its_column() {
        assert_eq!(
            apart("ALTER TABLE accounts ADD COLUMN days integer NOT NULL DEFAULT 14\n    CHECK (days > 0)"),
            [
                "ALTER TABLE accounts ADD COLUMN days integer NOT NULL DEFAULT 14",
                "ALTER TABLE accounts ADD CONSTRAINT accounts_days_check CHECK (days > 0)"
            ]
        );
        assert_eq!(
            apart("ALTER TABLE a ADD COLUMN b uuid REFERENCES partners (id)")[1],
            "ALTER TABLE a ADD CONSTRAINT a_b_fkey FOREIGN KEY (b) REFERENCES partners (id)"
        );
        assert_eq!(apart("ALTER TABLE a ADD COLUMN b uuid").len(), 1);
    }
}
