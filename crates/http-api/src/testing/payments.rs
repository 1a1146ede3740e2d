//! Payments, which no request records.

use invoices::{Payment, PaymentMethod, RecordedBy};
use kernel::{Clock as _, Id, Ids as _, Money};
use testkit::CountingIds;

use super::House;

impl House {
    /// Records a payment on the invoice that was created last, in minor units.
    pub(crate) fn pay(&self, minor: i64) {
        let now = self.clock.now();
        let mut kept = self.kept();
        let invoice = kept.invoices.last_mut().unwrap();
        let payment = Payment {
            id: Id::from_uuid(CountingIds::default().uuid_at(now)),
            amount: Money::new(minor, invoice.currency),
            received_at: now,
            method: PaymentMethod::BankTransfer,
            reference: None,
            recorded_by: RecordedBy::Operator,
        };
        invoice.record_payment(payment, now).unwrap();
    }
}
