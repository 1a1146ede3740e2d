//! The columns of an account's letterhead.

use ::invoices::Letterhead;
use diesel::prelude::*;
use kernel::LogoKey;

use crate::schema::{accounts, logins};

#[derive(Debug, Queryable, Selectable)]
#[diesel(table_name = accounts)]
pub(crate) struct LetterheadRow {
    company_name: String,
    phone: Option<String>,
    abn: Option<String>,
    address_line1: Option<String>,
    address_city: Option<String>,
    address_state: Option<String>,
    address_postal_code: Option<String>,
    address_country: Option<String>,
    brand_color: Option<String>,
    logo_key: Option<String>,
    #[diesel(select_expression = logins::email)]
    email: String,
}

impl From<LetterheadRow> for Letterhead {
    fn from(row: LetterheadRow) -> Self {
        let town = [row.address_city, row.address_state, row.address_postal_code];
        let town: Vec<String> = town.into_iter().flatten().collect();
        let town = (!town.is_empty()).then(|| town.join(" "));
        let lines = [row.address_line1, town, row.address_country];
        Self {
            company_name: row.company_name,
            email: Some(row.email),
            phone: row.phone,
            abn: row.abn,
            address_lines: lines.into_iter().flatten().collect(),
            brand_color: row.brand_color,
            logo_key: row.logo_key.map(LogoKey::from_stored),
            logo: None,
            logo_url: None,
        }
    }
}
