//! Rows of `accounts` and `logins`.

use diesel::prelude::*;
use kernel::{EmailAddress, HttpsUrl, LogoKey, SingleLine, StoreResult, TimeZone};
use mail::SilencedNotices;
use partner_accounts::{Account, BrandColor, KeyInfo, PaymentSlug, Profile, Switches};

use super::key::LiveKeyRow;
use super::row_ref::{RowRef, text, text_or_null};
use crate::schema::{accounts, logins};
use crate::types::{RowId, RowInstant};

#[derive(Debug, Queryable, Selectable, Insertable, AsChangeset)]
#[diesel(table_name = accounts, treat_none_as_default_value = false, treat_none_as_null = true)]
pub struct AccountRow {
    pub id: RowId,
    pub partner_id: RowId,
    pub external_id: Option<String>,
    pub company_name: String,
    pub first_name: Option<String>,
    pub last_name: Option<String>,
    pub phone: Option<String>,
    pub abn: Option<String>,
    pub time_zone: String,
    pub address_line1: Option<String>,
    pub address_city: Option<String>,
    pub address_state: Option<String>,
    pub address_postal_code: Option<String>,
    pub address_country: Option<String>,
    pub invoice_prefix: Option<String>,
    pub payment_slug: String,
    pub brand_color: Option<String>,
    pub communications_enabled: bool,
    pub currency: String,
    pub monthly_invoice_limit: Option<i64>,
    pub monthly_message_limit: Option<i64>,
    pub disabled_by_partner: bool,
    pub disabled_by_operator: bool,
    pub logo_key: Option<String>,
    pub created_at: RowInstant,
    pub updated_at: RowInstant,
}

#[derive(Debug, Insertable)]
#[diesel(table_name = logins)]
pub struct LoginRow {
    pub account_id: RowId,
    pub id: RowId,
    pub email: String,
    pub email_key: String,
    pub created_at: RowInstant,
}

/// An account as it is read: its row, its owner's e-mail address, its active key, and the URL of its
/// provisioned endpoint.
pub type WholeAccountRow = (AccountRow, String, Option<LiveKeyRow>, Option<String>);

/// Converts a row to an account.
pub fn whole_account(row: WholeAccountRow) -> StoreResult<Account> {
    let (account, email, key, webhook) = row;
    account.into_account(email, key, webhook)
}

impl From<&Account> for AccountRow {
    fn from(account: &Account) -> Self {
        let profile = &account.profile;
        Self {
            id: account.id.into(),
            partner_id: account.partner.into(),
            external_id: text_or_null(account.external_id.as_ref()),
            company_name: text(&profile.company_name),
            first_name: text_or_null(profile.first_name.as_ref()),
            last_name: text_or_null(profile.last_name.as_ref()),
            phone: text_or_null(profile.phone.as_ref()),
            abn: text_or_null(profile.abn.as_ref()),
            time_zone: profile.time_zone.name().to_owned(),
            address_line1: text_or_null(profile.address_line1.as_ref()),
            address_city: text_or_null(profile.address_city.as_ref()),
            address_state: text_or_null(profile.address_state.as_ref()),
            address_postal_code: text_or_null(profile.address_postal_code.as_ref()),
            address_country: text_or_null(profile.address_country.as_ref()),
            invoice_prefix: text_or_null(profile.invoice_prefix.as_ref()),
            payment_slug: account.payment_slug.as_str().to_owned(),
            brand_color: profile.brand_color.as_ref().map(|color| color.as_str().to_owned()),
            communications_enabled: profile.communications_enabled,
            currency: account.currency.code().to_owned(),
            monthly_invoice_limit: account.monthly_invoice_limit.map(limit_to_row),
            monthly_message_limit: account.monthly_message_limit.map(limit_to_row),
            disabled_by_partner: account.switches.disabled_by_partner,
            disabled_by_operator: account.switches.disabled_by_operator,
            logo_key: account.logo.as_ref().map(ToString::to_string),
            created_at: RowInstant(account.created_at),
            updated_at: RowInstant(account.updated_at),
        }
    }
}

/// The notices that an owner switched off, as stored.
pub fn silenced_to_row(silenced: SilencedNotices) -> i16 {
    i16::try_from(silenced.bits()).unwrap_or(i16::MAX)
}

/// The notices that an owner switched off, from a stored value.
pub fn silenced_from_row(bits: i16) -> SilencedNotices {
    SilencedNotices::from_bits(u16::try_from(bits).unwrap_or(0))
}

/// A limit as stored. One that exceeds the column's range is cut to its maximum, which has the same effect:
/// it is never reached.
pub fn limit_to_row(limit: u64) -> i64 {
    i64::try_from(limit).unwrap_or(i64::MAX)
}

impl From<&Account> for LoginRow {
    /// The owner's login has the id of the account.
    fn from(account: &Account) -> Self {
        Self {
            account_id: account.id.into(),
            id: account.id.into(),
            email: account.email.as_str().to_owned(),
            email_key: account.email.matching_key(),
            created_at: RowInstant(account.created_at),
        }
    }
}

impl AccountRow {
    fn into_account(
        self,
        email: String,
        key: Option<LiveKeyRow>,
        webhook: Option<String>,
    ) -> StoreResult<Account> {
        let row_ref = RowRef { table: "accounts", id: self.id };
        let limit = |name, limit: Option<i64>| limit.map(|limit| row_ref.count(name, limit)).transpose();
        let webhook = webhook.map(HttpsUrl::from_stored).transpose();
        let profile = Profile {
            company_name: SingleLine::from_stored(self.company_name),
            first_name: self.first_name.map(SingleLine::from_stored),
            last_name: self.last_name.map(SingleLine::from_stored),
            phone: self.phone.map(SingleLine::from_stored),
            abn: self.abn.map(SingleLine::from_stored),
            time_zone: TimeZone::from_stored(&self.time_zone),
            address_line1: self.address_line1.map(SingleLine::from_stored),
            address_city: self.address_city.map(SingleLine::from_stored),
            address_state: self.address_state.map(SingleLine::from_stored),
            address_postal_code: self.address_postal_code.map(SingleLine::from_stored),
            address_country: self.address_country.map(SingleLine::from_stored),
            invoice_prefix: self.invoice_prefix.map(SingleLine::from_stored),
            brand_color: self.brand_color.map(BrandColor::from_stored),
            communications_enabled: self.communications_enabled,
        };
        Ok(Account {
            id: self.id.id(),
            partner: self.partner_id.id(),
            external_id: self.external_id.map(SingleLine::from_stored),
            email: EmailAddress::from_stored(email),
            profile,
            currency: row_ref.currency(&self.currency)?,
            monthly_invoice_limit: limit("monthly_invoice_limit", self.monthly_invoice_limit)?,
            monthly_message_limit: limit("monthly_message_limit", self.monthly_message_limit)?,
            switches: Switches {
                disabled_by_partner: self.disabled_by_partner,
                disabled_by_operator: self.disabled_by_operator,
            },
            key: key.map(KeyInfo::from),
            webhook: webhook.map_err(|fault| row_ref.wrong("webhook_url", fault))?,
            logo: self.logo_key.map(LogoKey::from_stored),
            created_at: self.created_at.0,
            updated_at: self.updated_at.0,
            payment_slug: PaymentSlug::from_stored(self.payment_slug),
        })
    }
}
