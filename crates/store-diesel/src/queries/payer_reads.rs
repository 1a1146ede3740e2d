//! Reading an invoice by the token of its payment page.

use ::invoices::{InvoiceForPayer, PayToken, PayerReads};
use async_trait::async_trait;
use kernel::{StoreError, TimeZone};

use super::database::Database;
use super::{letterheads, load_invoice};
use crate::types::RowId;

#[async_trait]
impl PayerReads for Database {
    async fn by_pay_token(&self, token: &PayToken) -> Result<Option<InvoiceForPayer>, StoreError> {
        let account = RowId::from(token.account());
        let mut read = self.pool.point_read().await?;
        let found = load_invoice::by_pay_token(&mut read, account, token.reveal().to_owned()).await?;
        drop(read);
        let Some(invoice) = found else {
            return Ok(None);
        };
        let mut connection = self.pool.read().await?;
        let found = letterheads::load(account, connection.conn()?).await;
        let (letterhead, time_zone, off_by_partner, off_by_operator) = connection.settle(found)?;
        Ok(Some(InvoiceForPayer {
            invoice,
            letterhead: letterheads::read(account, &letterhead)?,
            time_zone: TimeZone::from_stored(&time_zone),
            account_is_active: !off_by_partner && !off_by_operator,
        }))
    }
}
