//! Invoices inside a transaction: inserting new ones, and changing locked ones.

use ::invoices::{
    CreationNeeds, CreationStart, Invoice, InvoiceId, Invoices, InvoicingStore, InvoicingTx, Payment, Stored,
};
use async_trait::async_trait;
use contacts::Contact;
use diesel::prelude::*;
use kernel::{AccountId, StoreResult};
use store_schema::errors::failed;
use store_schema::rows::{InvoiceRow, LineItemRow, PaymentRow, with_details};
use store_schema::schema::line_items;
use store_schema::types::RowId;

use super::database::Database;
use super::run_statements::RunStatements as _;
use super::sequence::number_before;
use super::unit_of_work::UnitOfWork;
use super::update_invoice::UpdateInvoice;
use crate::{dialect, insert_invoice, load_invoice};

#[async_trait]
impl InvoicingStore for Database {
    async fn begin(&self, account: AccountId) -> StoreResult<Box<dyn InvoicingTx>> {
        Ok(Box::new(UnitOfWork::of_account(self, account)))
    }
}

#[async_trait]
impl Invoices for UnitOfWork<AccountId> {
    async fn insert(&mut self, invoice: &Invoice) -> StoreResult<Stored> {
        self.check_account(invoice)?;
        let row = InvoiceRow::from(invoice);
        let lines = LineItemRow::of(invoice);
        let layout = self.tx.layout();
        let inserted = insert_invoice::insert_invoice(self.tx.conn().await?, layout, row, lines).await;
        Ok(match self.tx.settle(inserted)? {
            true => Stored::Done,
            false => Stored::NumberTaken,
        })
    }

    async fn begin_creation(&mut self, needs: &CreationNeeds<'_>) -> StoreResult<CreationStart> {
        let CreationNeeds { ticket, contact, takes_position } = *needs;
        let (claim, found) = self.claim_with(ticket, contact, takes_position).await?;
        let contacts: StoreResult<_> = found.contacts.into_iter().map(Contact::try_from).collect();
        let position = found.next.map(number_before).transpose()?;
        Ok(CreationStart { claim, matching: contacts?, position })
    }

    async fn insert_generated(&mut self, invoice: &Invoice) -> StoreResult<()> {
        self.check_account(invoice)?;
        self.tx.store_invoice(invoice.into(), LineItemRow::of(invoice))
    }

    async fn lock(&mut self, id: InvoiceId) -> StoreResult<Option<Invoice>> {
        self.check_readable()?;
        let account = self.account();
        let found = load_invoice::lock(self.tx.conn().await?, account, id.into()).await;
        let (rows, lines, payments) = self.tx.settle(found)?;
        Ok(with_details(rows, lines, payments)?.pop())
    }

    async fn update(&mut self, invoice: &Invoice, lines_replaced: bool) -> StoreResult<Stored> {
        self.check_account(invoice)?;
        self.check_readable()?;
        let row = InvoiceRow::from(invoice);
        let updated = self.tx.execute_unique(UpdateInvoice::new(&row)).await?;
        if updated == 0 {
            return Ok(Stored::NumberTaken);
        }
        if lines_replaced {
            self.replace_lines(invoice).await?;
        }
        Ok(Stored::Done)
    }

    async fn put_paid(&mut self, invoice: &Invoice, payment: &Payment) -> StoreResult<()> {
        self.check_account(invoice)?;
        let paid = PaymentRow::new(self.account(), invoice.id.into(), payment);
        self.tx.store_paid(paid, invoice.into())
    }
}

impl UnitOfWork<AccountId> {
    fn check_account(&self, invoice: &Invoice) -> StoreResult<()> {
        if invoice.account == self.scope { Ok(()) } else { Err(failed("the invoice is of another account")) }
    }

    /// A payment or a new invoice is written with COMMIT; a read of invoices before that would miss it.
    fn check_readable(&self) -> StoreResult<()> {
        if self.tx.writes_invoice_last() {
            return Err(failed(
                "the transaction writes an invoice with its commit, and reads none after that",
            ));
        }
        Ok(())
    }

    async fn replace_lines(&mut self, invoice: &Invoice) -> StoreResult<()> {
        let statement = diesel::delete(line_items::table)
            .filter(line_items::account_id.eq(self.account()))
            .filter(line_items::invoice_id.eq(RowId::from(invoice.id)));
        self.tx.execute(statement).await?;
        let lines = LineItemRow::of(invoice);
        let inserted = dialect::insert_rows(self.tx.conn().await?, line_items::table, lines).await;
        self.tx.settle(inserted)
    }
}
