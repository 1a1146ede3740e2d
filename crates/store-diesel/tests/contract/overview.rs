//! The outstanding and the received amounts of accounts.

use invoices::{Ageing, Invoice, InvoiceData, InvoiceStatus, Owed, Payment, PaymentMethod, RecordedBy};
use kernel::{AccountScope, Currency, Field, Money};
use store_diesel::Store;
use time::{Date, Duration, OffsetDateTime};

use crate::database::on_both;
use crate::fixtures::{NOW, fresh, id, input, invoice, stored_contact, tenant};

/// Stores an invoice of 121.00 with this status and due date, and with payments received so many days ago.
async fn stored(
    store: &Store,
    scope: &AccountScope,
    status: InvoiceStatus,
    due_date: Date,
    payments: &[(&str, i64)],
) -> Invoice {
    let contact = stored_contact(store, scope.id).await;
    let mut input = input(1);
    input.is_draft = Field::Value(status == InvoiceStatus::Draft);
    let raised = invoice(scope, &format!("O-{}", fresh()), Some(contact), input);
    let aud = raised.currency;
    let payment = |(amount, days): &(&str, i64)| Payment {
        id: id(),
        amount: Money::parse(amount, aud).unwrap(),
        received_at: NOW - Duration::days(*days),
        method: PaymentMethod::Cheque,
        reference: None,
        recorded_by: RecordedBy::Dashboard,
    };
    let payments: Vec<Payment> = payments.iter().map(payment).collect();
    let paid = payments.iter().map(|payment| payment.amount.minor()).sum();
    let made = Invoice::from_stored(InvoiceData {
        status,
        invoice_date: due_date.min(raised.invoice_date),
        due_date,
        amount_paid: Money::new(paid, aud),
        payments,
        ..(*raised).clone()
    });
    store.bulk.invoices(std::slice::from_ref(&made)).await.unwrap();
    made
}

async fn owed(store: &Store, scope: &AccountScope, since: OffsetDateTime) -> Vec<Owed> {
    let first_due_dates = Ageing::first_due_dates(NOW.date());
    store.overview.owed(scope.id, first_due_dates, since).await.unwrap()
}

#[test]
fn open_invoices_are_summed_up_by_age_and_payments_by_time() {
    on_both(async |db| {
        let store = &db.store;
        let (scope, other) = (tenant(store).await, tenant(store).await);
        let today = NOW.date();
        let ago = |days| today - Duration::days(days);
        for (status, due_date, payments) in [
            (InvoiceStatus::Unpaid, today, &[][..]),
            (InvoiceStatus::Scheduled, today + Duration::days(40), &[]),
            (InvoiceStatus::Overdue, ago(1), &[]),
            (InvoiceStatus::PartiallyPaid, ago(30), &[("21", 2), ("0.05", 31)]),
            (InvoiceStatus::Overdue, ago(31), &[]),
            (InvoiceStatus::Overdue, ago(90), &[]),
            (InvoiceStatus::Overdue, ago(91), &[]),
            (InvoiceStatus::Draft, ago(91), &[]),
            (InvoiceStatus::Cancelled, ago(91), &[]),
            (InvoiceStatus::Paid, ago(91), &[("121", 1)]),
        ] {
            stored(store, &scope, status, due_date, payments).await;
        }
        stored(store, &other, InvoiceStatus::Unpaid, today, &[("5", 1)]).await;
        let owed = owed(store, &scope, NOW - Duration::days(30)).await;
        assert_eq!(owed.len(), 1);
        let ageing = owed[0].ageing.map(|(due, count)| (due.to_string(), count));
        let expected = [("242.00", 2), ("220.95", 2), ("121.00", 1), ("121.00", 1), ("121.00", 1)];
        assert_eq!(ageing, expected.map(|(due, count)| (due.to_owned(), count)));
        let sums = [owed[0].outstanding, owed[0].overdue, owed[0].paid].map(|sum| sum.to_string());
        assert_eq!(sums, ["825.95", "583.95", "142.00"]);
        let latest = store.overview.latest_payments(scope.id, 2).await.unwrap();
        let amounts: Vec<_> =
            latest.iter().map(|one| (one.amount.to_string(), one.contact.is_some())).collect();
        assert_eq!(amounts, [("121.00".to_owned(), true), ("21.00".to_owned(), true)]);
    });
}

#[test]
fn account_without_invoices_is_owed_nothing() {
    on_both(async |db| {
        let scope = tenant(&db.store).await;
        assert!(owed(&db.store, &scope, NOW).await.is_empty());
        assert!(db.store.overview.latest_payments(scope.id, 5).await.unwrap().is_empty());
    });
}

#[test]
fn sums_beyond_what_a_database_counts_are_shown_as_the_largest_amount() {
    on_both(async |db| {
        let store = &db.store;
        let scope = tenant(store).await;
        let bhd = Currency::parse("BHD").unwrap();
        for _ in 0..2 {
            let made = stored(store, &scope, InvoiceStatus::Unpaid, NOW.date(), &[]).await;
            let most = Money::new(i64::MAX, bhd);
            let totals = invoices::Totals { sub_total: most, tax_total: Money::zero(bhd), total: most };
            let number = invoices::InvoiceNumber::parse(&format!("B-{}", fresh())).unwrap();
            let pay_token = invoices::PayToken::generate(scope.id, &*crate::fixtures::RANDOM);
            let huge = Invoice::from_stored(InvoiceData {
                id: id(),
                number,
                pay_token,
                totals,
                currency: bhd,
                amount_paid: Money::zero(bhd),
                lines: Vec::new(),
                ..(*made).clone()
            });
            store.bulk.invoices(&[huge]).await.unwrap();
        }
        let owed = owed(store, &scope, NOW).await;
        let sums: Vec<_> = owed.iter().map(|one| one.outstanding.minor()).collect();
        assert_eq!(sums, [24_200, i64::MAX], "AUD, then BHD");
    });
}
