//! Rows of `partners`.

use diesel::prelude::*;
use kernel::SingleLine;
use partner_accounts::Partner;

use super::row_ref::text;
use crate::schema::partners;
use crate::types::{RowId, RowInstant};

#[derive(Debug, Queryable, Selectable, Insertable)]
#[diesel(table_name = partners)]
pub struct PartnerRow {
    id: RowId,
    name: String,
    disabled: bool,
    created_at: RowInstant,
}

impl From<&Partner> for PartnerRow {
    fn from(partner: &Partner) -> Self {
        Self {
            id: partner.id.into(),
            name: text(&partner.name),
            disabled: partner.disabled,
            created_at: RowInstant(partner.created_at),
        }
    }
}

impl From<PartnerRow> for Partner {
    fn from(row: PartnerRow) -> Self {
        Self {
            id: row.id.id(),
            name: SingleLine::from_stored(row.name),
            disabled: row.disabled,
            created_at: row.created_at.0,
        }
    }
}
