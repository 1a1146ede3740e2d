//! What happened, written by the transaction in which it happened.

use ::invoices::{EventId, InvoiceEvents, InvoiceId};
use async_trait::async_trait;
use diesel::prelude::*;
use diesel_async::RunQueryDsl;
use kernel::{AccountId, StoreError};
use time::OffsetDateTime;

use super::unit_of_work::UnitOfWork;
use crate::schema::events;
use crate::types::{RowId, RowInstant};

#[async_trait]
impl InvoiceEvents for UnitOfWork<AccountId> {
    async fn payment_recorded(
        &mut self,
        event: EventId,
        invoice: InvoiceId,
        at: OffsetDateTime,
    ) -> Result<(), StoreError> {
        let written = diesel::insert_into(events::table)
            .values((
                events::account_id.eq(self.account()),
                events::id.eq(RowId::from(event)),
                events::kind.eq("invoice.payment_recorded"),
                events::resource_id.eq(RowId::from(invoice)),
                events::happened_at.eq(RowInstant(at)),
            ))
            .execute(self.tx.conn().await?)
            .await;
        self.tx.settle(written).map(|_one| ())
    }
}
