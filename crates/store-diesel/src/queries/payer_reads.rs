//! Reads for payers: by the token of a payment page, and by the name of an account's page.

use ::contacts::Contact;
use ::invoices::{InvoiceForPayer, InvoiceNumber, MailableInvoice, PayToken, PayeeAccount, PayerReads};
use async_trait::async_trait;
use diesel::prelude::*;
use kernel::{AccountId, StoreResult};
use store_schema::rows::ContactRow;
use store_schema::schema::{accounts, contacts, invoices, replaced_pay_tokens};
use store_schema::types::RowId;
use time::OffsetDateTime;

use super::columns::columns_of;
use super::database::Database;
use super::letterheads;
use super::run_statements::RunStatements as _;
use super::seen_by_payers::SeenByPayersQuery;
use crate::load_invoice;

#[async_trait]
impl PayerReads for Database {
    async fn by_pay_token(
        &self,
        token: &PayToken,
        now: OffsetDateTime,
    ) -> StoreResult<Option<InvoiceForPayer>> {
        let mut read = self.pool.of(token.account().into()).point_read().await?;
        let found = load_invoice::for_payer(&mut read, SeenByPayersQuery::new(token, now)).await?;
        found.map(|(invoice, seen)| seen.with(invoice)).transpose()
    }

    async fn replaced_pay_token(&self, token: &PayToken) -> StoreResult<Option<String>> {
        let mut connection = self.pool.of(token.account().into()).read().await?;
        let query = replaced_pay_tokens::table
            .inner_join(accounts::table.on(accounts::id.eq(replaced_pay_tokens::account_id)))
            .filter(replaced_pay_tokens::account_id.eq(RowId::from(token.account())))
            .filter(replaced_pay_tokens::pay_token.eq(token.reveal()))
            .select(accounts::payment_slug);
        connection.fetch_optional(query).await
    }

    async fn account_by_slug(&self, slug: &str) -> StoreResult<Option<PayeeAccount>> {
        let mut connection = self.pool.read().await?;
        let query = accounts::table.filter(accounts::payment_slug.eq(slug)).select(accounts::id);
        let found: Option<RowId> = connection.fetch_optional(query).await?;
        let Some(account) = found else {
            return Ok(None);
        };
        let found = letterheads::load(account, connection.conn()?).await;
        let (letterhead, _time_zone, off_by_partner, off_by_operator) = connection.settle(found)?;
        Ok(Some(PayeeAccount {
            id: account.id(),
            letterhead: letterheads::read(account, &letterhead)?,
            is_active: !off_by_partner && !off_by_operator,
        }))
    }

    async fn mailable_by_number(
        &self,
        account: AccountId,
        number: &InvoiceNumber,
    ) -> StoreResult<Option<MailableInvoice>> {
        let own = contacts::account_id
            .eq(invoices::account_id)
            .and(contacts::id.nullable().eq(invoices::contact_id));
        let mut connection = self.pool.of(account.into()).read().await?;
        let query = invoices::table
            .inner_join(accounts::table.on(accounts::id.eq(invoices::account_id)))
            .inner_join(contacts::table.on(own))
            .filter(invoices::account_id.eq(RowId::from(account)))
            .filter(invoices::number.eq(number.as_str()))
            .filter(accounts::communications_enabled)
            .filter(diesel::dsl::not(accounts::disabled_by_partner.or(accounts::disabled_by_operator)))
            .select((invoices::id, columns_of::<ContactRow>()));
        let found: Option<(RowId, ContactRow)> = connection.fetch_optional(query).await?;
        let Some((id, contact)) = found else {
            return Ok(None);
        };
        let contact = Contact::try_from(contact)?;
        drop(connection);
        let mut read = self.pool.of(account.into()).point_read().await?;
        let invoice = load_invoice::get(&mut read, account.into(), id).await?;
        Ok(invoice.map(|invoice| MailableInvoice { invoice, contact }))
    }
}
