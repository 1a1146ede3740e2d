//! Finding contacts by a reference.

use std::sync::OnceLock;

use contacts::ContactReference;
use diesel::dsl::{AsSelect, IntoBoxed, Select};
use diesel::prelude::*;
use store_schema::rows::ContactRow;
use store_schema::schema::contacts::{self as table, account_id, email_key, external_id, id};
use store_schema::types::RowId;
use store_schema::written_once::WrittenOnce;

use super::columns::columns_of;
use crate::dialect::Db;

type ContactColumns = WrittenOnce<AsSelect<ContactRow, Db>>;

/// The contacts with any of the values in a reference; `None` when the reference has no values. Each
/// condition names the account, so that an index serves each.
pub(crate) fn matching(
    account: RowId,
    reference: &ContactReference,
) -> Option<IntoBoxed<'_, Select<table::table, ContactColumns>, Db>> {
    if !reference.can_match() {
        return None;
    }
    static TEXT: OnceLock<String> = OnceLock::new();
    let columns = WrittenOnce::at(&TEXT, columns_of::<ContactRow>());
    let mut found = table::table.select(columns).into_boxed::<Db>();
    let of = || account_id.eq(account);
    if let Some(wanted) = reference.id {
        found = found.or_filter(of().and(id.eq(RowId::from(wanted))));
    }
    if let Some(wanted) = &reference.external_id {
        found = found.or_filter(of().and(external_id.eq(wanted.as_str())));
    }
    if let Some(wanted) = &reference.email {
        found = found.or_filter(of().and(email_key.eq(wanted.matching_key())));
    }
    Some(found)
}
