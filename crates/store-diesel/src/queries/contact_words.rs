//! The words by which contacts are found.

use contacts::Contact;
use diesel::QueryResult;
use diesel::query_builder::{AstPass, QueryFragment, QueryId};
use diesel::sql_types::Text;
use kernel::{StoreError, StoreResult};
use store_schema::types::{RowId, Uid};

use crate::dialect::{self, Db};

/// Inserts the words of a contact, if the contact exists. The SQL text is constant, so each connection
/// prepares it once.
#[derive(Debug, QueryId)]
pub(super) struct InsertWords {
    account: RowId,
    contact: RowId,
    /// A JSON array of texts.
    words: String,
}

impl InsertWords {
    pub(super) fn of(account: RowId, contact: &Contact) -> StoreResult<Self> {
        let words = serde_json::to_string(&contact.search_words());
        let words = words.map_err(|source| StoreError::Failed(source.into()))?;
        Ok(Self { account, contact: contact.id.into(), words })
    }
}

impl QueryFragment<Db> for InsertWords {
    fn walk_ast<'b>(&'b self, mut out: AstPass<'_, 'b, Db>) -> QueryResult<()> {
        out.push_sql(
            "INSERT INTO contact_words (account_id, contact_id, word) SELECT c.account_id, c.id, one.value \
             FROM contacts AS c, ",
        );
        out.push_sql(dialect::JSON_TEXTS_BEGIN);
        out.push_bind_param::<Text, _>(&self.words)?;
        out.push_sql(dialect::JSON_TEXTS_END);
        out.push_sql(" WHERE c.account_id = ");
        out.push_bind_param::<Uid, _>(&self.account)?;
        out.push_sql(" AND c.id = ");
        out.push_bind_param::<Uid, _>(&self.contact)
    }
}
