//! What payers see of an account, read in one statement.

use std::sync::OnceLock;

use ::invoices::{BankTransfer, Invoice, InvoiceForPayer, PayToken, Promise};
use diesel::prelude::*;
use diesel::query_builder::{AstPass, Query, QueryFragment, QueryId};
use diesel::sql_types::{Bool, Integer, Nullable, Text};
use kernel::{StoreResult, TimeZone};
use payments::details_from_stored;
use store_schema::rows::PromiseRow;
use store_schema::rows::row_ref::RowRef;
use store_schema::types::{Day, Instant, RowDay, RowId, RowInstant, Uid};
use time::OffsetDateTime;

use super::letterheads;
use crate::dialect;

/// One row: the account, the invoice's latest promise, the bank details in force, and whether the account
/// ever had a gateway.
#[derive(Debug, Queryable)]
pub(crate) struct SeenByPayers {
    letterhead: String,
    time_zone: String,
    off_by_partner: bool,
    off_by_operator: bool,
    promise_days: i32,
    promise_id: Option<RowId>,
    promised_on: Option<RowDay>,
    promised_by: Option<String>,
    promise_is_replacement: Option<bool>,
    promised_at: Option<RowInstant>,
    promise_message: Option<RowId>,
    bank_details: Option<String>,
    bank_details_in_force_at: Option<RowInstant>,
    ever_had_gateway: bool,
}

impl SeenByPayers {
    pub(super) fn with(self, invoice: Invoice) -> StoreResult<InvoiceForPayer> {
        let account = RowId::from(invoice.account);
        let row_ref = RowRef { table: "accounts", id: account };
        let days = u16::try_from(self.promise_days);
        Ok(InvoiceForPayer {
            letterhead: letterheads::read(account, &self.letterhead)?,
            time_zone: TimeZone::from_stored(&self.time_zone),
            account_is_active: !self.off_by_partner && !self.off_by_operator,
            promise_days: days.map_err(|_negative| row_ref.wrong("promise_days", "is out of range"))?,
            promise: self.promise(&invoice)?,
            bank_transfer: self.bank_transfer(account)?,
            ever_had_gateway: self.ever_had_gateway,
            invoice,
        })
    }

    fn promise(&self, invoice: &Invoice) -> StoreResult<Option<Promise>> {
        let (Some(id), Some(promised_on), Some(made_by), Some(is_replacement), Some(made_at)) = (
            self.promise_id,
            self.promised_on,
            self.promised_by.clone(),
            self.promise_is_replacement,
            self.promised_at,
        ) else {
            return Ok(None);
        };
        let (account_id, invoice_id) = (invoice.account.into(), invoice.id.into());
        let row = PromiseRow {
            account_id,
            id,
            invoice_id,
            promised_on,
            made_by,
            message_id: self.promise_message,
            is_replacement,
            made_at,
            superseded_at: None,
            withdrawn_at: None,
        };
        row.try_into().map(Some)
    }

    fn bank_transfer(&self, account: RowId) -> StoreResult<Option<BankTransfer>> {
        let (Some(details), Some(RowInstant(unchanged_since))) =
            (&self.bank_details, self.bank_details_in_force_at)
        else {
            return Ok(None);
        };
        let row_ref = RowRef { table: "bank_details", id: account };
        let details = details_from_stored(details).map_err(|fault| row_ref.wrong("details", fault))?;
        Ok(details.map(|details| BankTransfer { fields: details.fields(), unchanged_since }))
    }
}

/// Reads [`SeenByPayers`] by the token of a payment page. Each connection prepares it once.
#[derive(QueryId)]
pub(crate) struct SeenByPayersQuery {
    pub(crate) account: RowId,
    pub(crate) token: String,
    now: RowInstant,
}

impl SeenByPayersQuery {
    pub(super) fn new(token: &PayToken, now: OffsetDateTime) -> Self {
        Self { account: token.account().into(), token: token.reveal().to_owned(), now: RowInstant(now) }
    }
}

/// The SQL types of [`SeenByPayers`].
pub(crate) type SeenSql = (
    Text,
    Text,
    Bool,
    Bool,
    Integer,
    Nullable<Uid>,
    Nullable<Day>,
    Nullable<Text>,
    Nullable<Bool>,
    Nullable<Instant>,
    Nullable<Uid>,
    Nullable<Text>,
    Nullable<Instant>,
    Bool,
);

impl Query for SeenByPayersQuery {
    type SqlType = SeenSql;
}

impl QueryFragment<dialect::Db> for SeenByPayersQuery {
    fn walk_ast<'b>(&'b self, mut out: AstPass<'_, 'b, dialect::Db>) -> QueryResult<()> {
        out.push_sql("SELECT ");
        Self::push_columns(&mut out);
        self.push_rest(out)
    }
}

impl SeenByPayersQuery {
    /// Appends the selected columns.
    pub(crate) fn push_columns(out: &mut AstPass<'_, '_, dialect::Db>) {
        static LETTERHEAD: OnceLock<String> = OnceLock::new();
        out.push_sql(LETTERHEAD.get_or_init(letterheads::json));
        out.push_sql(
            ", a.time_zone, a.disabled_by_partner, a.disabled_by_operator, a.promise_days, \
             p.id, p.promised_on, p.made_by, p.is_replacement, p.made_at, p.message_id, \
             b.details, b.in_force_at, g.id IS NOT NULL",
        );
    }

    /// Appends the FROM and WHERE clauses, which select one row of `invoices`.
    pub(crate) fn push_rest<'b>(&'b self, mut out: AstPass<'_, 'b, dialect::Db>) -> QueryResult<()> {
        out.push_sql(
            " FROM invoices JOIN accounts AS a ON a.id = invoices.account_id \
             JOIN logins AS l ON l.account_id = a.id AND l.id = a.id \
             LEFT JOIN promises AS p ON p.account_id = invoices.account_id AND p.invoice_id = invoices.id \
             AND p.superseded_at IS NULL \
             LEFT JOIN bank_details AS b ON b.account_id = invoices.account_id AND b.id = \
             (SELECT d.id FROM bank_details AS d \
             WHERE d.currency = invoices.currency AND d.withdrawn_at IS NULL AND d.account_id = ",
        );
        out.push_bind_param::<Uid, _>(&self.account)?;
        out.push_sql(" AND d.in_force_at <= ");
        out.push_bind_param::<Instant, _>(&self.now)?;
        // The joins of bank details and gateways take the account as a parameter: from it a cluster learns
        // that all rows are on one server.
        out.push_sql(
            " ORDER BY d.in_force_at DESC, d.id DESC LIMIT 1) \
             LEFT JOIN gateway_accounts AS g ON g.account_id = invoices.account_id AND g.id = \
             (SELECT one.id FROM gateway_accounts AS one WHERE one.account_id = ",
        );
        out.push_bind_param::<Uid, _>(&self.account)?;
        out.push_sql(" LIMIT 1) WHERE invoices.account_id = ");
        out.push_bind_param::<Uid, _>(&self.account)?;
        out.push_sql(" AND invoices.pay_token = ");
        out.push_bind_param::<Text, _>(&self.token)
    }
}
