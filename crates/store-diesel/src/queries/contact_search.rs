//! Lists of contacts, and searching contacts by word prefixes.

use ::contacts::SearchText;
use diesel::dsl::IntoBoxed;
use diesel::prelude::*;
use diesel::sql_types::Bool;
use kernel::{StoreError, StoreResult};
use store_schema::schema::{contact_words, contacts};
use store_schema::types::RowId;

use super::pooled_connection::PooledConnection;
use super::run_statements::RunStatements as _;
use crate::dialect::Db;

type Condition = Box<dyn BoxableExpression<contacts::table, Db, SqlType = Bool>>;

/// The account's contacts that match the search, newest first: every word of the search text is a prefix of
/// one of the contact's words, or its number is.
pub(super) fn matching<'a>(
    account: RowId,
    search: Option<&SearchText>,
) -> IntoBoxed<'a, contacts::table, Db> {
    let query = contacts::table
        .into_boxed::<Db>()
        .filter(contacts::account_id.eq(account))
        .order(contacts::id.desc());
    let Some(search) = search else {
        return query;
    };
    let words = search.words().iter().map(|word| has_word(account, word));
    let words = words.reduce(|one, other| -> Condition { Box::new(one.and(other)) });
    match (words, search.number()) {
        (Some(words), Some(number)) => query.filter(words.or(has_word(account, number))),
        (Some(words), None) => query.filter(words),
        (None, _) => query,
    }
}

/// Whether a contact has a word that begins so.
fn has_word(account: RowId, word: &str) -> Condition {
    // Sorts after every text that begins with the word.
    let end = format!("{word}{}", char::MAX);
    let with_word = contact_words::table
        .filter(contact_words::account_id.eq(account))
        .filter(contact_words::word.ge(word.to_owned()))
        .filter(contact_words::word.lt(end))
        .select(contact_words::contact_id);
    Box::new(contacts::id.eq_any(with_word))
}

/// The ids of the newest contacts that match the search text.
pub(super) async fn ids(
    connection: &mut PooledConnection,
    account: RowId,
    search: &SearchText,
    limit: usize,
) -> StoreResult<Vec<RowId>> {
    let limit = i64::try_from(limit).map_err(|source| StoreError::Failed(source.into()))?;
    let query = matching(account, Some(search)).select(contacts::id).limit(limit);
    connection.fetch_all(query).await
}
