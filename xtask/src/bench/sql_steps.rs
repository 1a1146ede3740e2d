//! A script for the embedded database, split into statements with named values.

use diesel::QueryResult;
use diesel::query_builder::{AstPass, Query, QueryFragment, QueryId};
use diesel::sql_types::{BigInt, Binary, Text, Untyped};
use diesel::sqlite::Sqlite;

/// A value for a name in a script.
#[derive(Debug, Clone)]
pub(super) enum Value {
    Int(i64),
    Text(String),
    Bytes(Vec<u8>),
}

/// The values of one pass through a script.
pub(super) type Values = [(&'static str, Value)];

/// A statement: text, and the name of the value behind it, in turns.
#[derive(Debug, Clone)]
pub(super) struct Step {
    pieces: Vec<(String, Option<String>)>,
}

/// The statements of a script.
pub(super) fn steps(script: &str) -> Vec<Step> {
    let statements = script.split(';').map(str::trim);
    let statements = statements.filter(|statement| !statement.is_empty());
    statements.map(Step::parse).collect()
}

impl Step {
    /// A name is a colon and letters.
    fn parse(statement: &str) -> Self {
        let mut parts = statement.split(':');
        let first = parts.next().unwrap_or_default().to_owned();
        let mut pieces = vec![(first, None)];
        for part in parts {
            let end = part.find(|c: char| !c.is_ascii_lowercase() && c != '_').unwrap_or(part.len());
            let (name, text) = part.split_at_checked(end).unwrap_or((part, ""));
            if let Some((_, value)) = pieces.last_mut() {
                *value = Some(name.to_owned());
            }
            pieces.push((text.to_owned(), None));
        }
        Self { pieces }
    }

    /// The statement with its values, ready to run.
    pub(super) const fn with<'a>(&'a self, values: &'a Values) -> Filled<'a> {
        Filled { step: self, values }
    }
}

/// A statement with its values. It is prepared once for each connection, since its text is always the same.
#[derive(Debug, Clone, Copy)]
pub(super) struct Filled<'a> {
    step: &'a Step,
    values: &'a Values,
}

impl QueryId for Filled<'_> {
    type QueryId = ();
    const HAS_STATIC_QUERY_ID: bool = false;
}

impl Query for Filled<'_> {
    type SqlType = Untyped;
}

impl QueryFragment<Sqlite> for Filled<'_> {
    fn walk_ast<'b>(&'b self, mut out: AstPass<'_, 'b, Sqlite>) -> QueryResult<()> {
        for (text, name) in &self.step.pieces {
            out.push_sql(text);
            let Some(name) = name else { continue };
            let value = self.values.iter().find(|(of, _)| of == name);
            match value.map(|(_, value)| value) {
                Some(Value::Int(number)) => out.push_bind_param::<BigInt, _>(number)?,
                Some(Value::Text(text)) => out.push_bind_param::<Text, _>(text)?,
                Some(Value::Bytes(bytes)) => out.push_bind_param::<Binary, _>(bytes)?,
                None => {
                    let what = format!("no value for :{name}");
                    return Err(diesel::result::Error::QueryBuilderError(what.into()));
                }
            }
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_are_taken_out_of_the_text() {
        let steps = steps("SELECT :a, x FROM y\nWHERE z = :long_name;\nCOMMIT;\n");
        assert_eq!(steps.len(), 2);
        let names: Vec<_> = steps[0].pieces.iter().filter_map(|(_, name)| name.as_deref()).collect();
        assert_eq!(names, ["a", "long_name"]);
        assert_eq!(steps[1].pieces, [("COMMIT".to_owned(), None)]);
    }
}
