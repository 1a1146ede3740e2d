//! Changes of invoices: locked, amended, paid, cancelled, also concurrently.

use futures_util::future::join_all;
use idempotency::{IdempotencyKey, IdempotentOutcome, StoredResponse};
use invoices::{
    AmendInvoiceError, CancelInvoiceError, InvoiceInput, InvoiceNumber, InvoiceStatus, InvoiceTextsInput,
    NewPayment, PaymentMethod, RecordPaymentError, RecordedBy, Stored,
};
use kernel::{AccountScope, Currency, Field, FieldErrors, Id};
use store_diesel::Store;
use testkit::FixedClock;

use crate::database::on_both;
use crate::fixtures::{id, input, invoicing, line, stored_contact, stored_invoice, tenant};

fn payment(amount: &str) -> NewPayment {
    NewPayment {
        amount: amount.to_owned(),
        currency: None,
        method: PaymentMethod::BankTransfer,
        reference: Some(line("R 1")),
        received_at: None,
        recorded_by: RecordedBy::Operator,
    }
}

/// An unpaid invoice of 121.00.
async fn issued(store: &Store, scope: &AccountScope) -> invoices::Invoice {
    let contact = stored_contact(store, scope.id).await;
    let number = format!("N-{}", crate::fixtures::fresh());
    stored_invoice(store, scope, &number, Some(contact), input(1)).await
}

#[test]
fn what_is_changed_is_read_back_whole() {
    on_both(async |db| {
        let store = &db.store;
        let scope = tenant(store).await;
        let made = issued(store, &scope).await;
        let invoicing = invoicing(store, FixedClock::default());
        let sent = InvoiceInput {
            texts: InvoiceTextsInput { reference: Field::Value(line("PO")), ..InvoiceTextsInput::default() },
            line_items: input(3).line_items,
            ..InvoiceInput::default()
        };
        let amended = invoicing.amend(&scope, made.id, None, sent, FieldErrors::default());
        let amended = amended.await.unwrap();
        assert_eq!(amended.lines.len(), 3);
        let texts = InvoiceTextsInput { reference: Field::Null, ..InvoiceTextsInput::default() };
        let cleared = InvoiceInput { texts, ..InvoiceInput::default() };
        let cleared = invoicing.amend(&scope, made.id, None, cleared, FieldErrors::default()).await.unwrap();
        assert_eq!(cleared.texts.reference, None);
        assert_eq!(store.invoice_reads.get(scope.id, made.id).await.unwrap(), Some(cleared));
        let little = payment("0.05");
        let paid = invoicing.record_payment(scope.id, made.id, &little);
        let paid = paid.await.unwrap();
        assert_eq!(paid.status, InvoiceStatus::PartiallyPaid);
        let read = store.invoice_reads.get(scope.id, made.id).await.unwrap();
        assert_eq!(read, Some(paid));
        let cancelled = invoicing.cancel(&scope, made.id, None).await.unwrap();
        let read = store.invoice_reads.get(scope.id, made.id).await.unwrap();
        assert_eq!(read, Some(cancelled));
    });
}

#[test]
fn forty_payments_at_once_never_sum_up_to_more_than_the_total() {
    on_both(async |db| {
        let store = &db.store;
        let other = db.another_process().await;
        let scope = tenant(store).await;
        let made = issued(store, &scope).await;
        let payments = (0..40).map(async |n: u32| {
            let store = if n.is_multiple_of(2) { store } else { &other };
            let invoicing = invoicing(store, FixedClock::default());
            let ten = payment("10");
            match invoicing.record_payment(scope.id, made.id, &ten).await {
                Ok(_) => true,
                Err(RecordPaymentError::Refused(_)) => false,
                Err(error) => panic!("{error:?}"),
            }
        });
        let recorded = join_all(payments).await;
        let count = recorded.iter().filter(|recorded| **recorded).count();
        assert_eq!(count, 12, "twelve times 10 fit into 121");
        let read = store.invoice_reads.get(scope.id, made.id).await.unwrap().unwrap();
        assert_eq!((read.payments.len(), read.amount_paid.to_string()), (12, "120.00".to_owned()));
        assert_eq!(read.status, InvoiceStatus::PartiallyPaid);
    });
}

#[test]
fn a_payment_repeated_under_its_key_is_recorded_once() {
    on_both(async |db| {
        let store = &db.store;
        let other = db.another_process().await;
        let scope = tenant(store).await;
        let made = issued(store, &scope).await;
        let present = |invoice: &invoices::Invoice| StoredResponse {
            status: 200,
            body: invoice.amount_paid.to_string().into_bytes(),
        };
        let record_payment = async |store: &Store, new: NewPayment| {
            let key = IdempotencyKey::parse("k").unwrap();
            let invoicing = invoicing(store, FixedClock::default());
            invoicing.record_payment_once(scope.id, made.id, &new, key, &present).await
        };
        let record = async |store: &Store, amount: &str| record_payment(store, payment(amount)).await;
        let refused = record(store, "500").await;
        assert!(matches!(refused, Err(RecordPaymentError::Refused(_))));
        let first = StoredResponse { status: 200, body: b"50.00".to_vec() };
        let fresh = IdempotentOutcome::Fresh(first.clone());
        assert_eq!(record(store, "50").await.unwrap(), fresh);
        let invoicing = invoicing(store, FixedClock::default());
        let one = payment("1");
        let in_between = invoicing.record_payment(scope.id, made.id, &one);
        in_between.await.unwrap();
        let replayed = IdempotentOutcome::Replayed(first.clone());
        assert_eq!(record(store, "50").await.unwrap(), replayed);
        assert_eq!(record(&other, "50.00").await.unwrap(), replayed);
        let reused = IdempotentOutcome::KeyReused(first);
        assert_eq!(record(store, "51").await.unwrap(), reused);
        let euro = Currency::parse("EUR").unwrap();
        let other_currency = NewPayment { currency: Some(euro), ..payment("50") };
        assert_eq!(record_payment(store, other_currency).await.unwrap(), reused);
        let read = store.invoice_reads.get(scope.id, made.id).await.unwrap();
        assert_eq!(read.unwrap().payments.len(), 2);
    });
}

/// A read would miss the payment, which is written with the commit.
#[test]
fn transaction_after_a_payment_refuses_further_invoice_access() {
    on_both(async |db| {
        let store = &db.store;
        let scope = tenant(store).await;
        let made = issued(store, &scope).await;
        let paid = invoicing(store, FixedClock::default());
        let paid = paid.record_payment(scope.id, made.id, &payment("1")).await.unwrap();
        let again = invoices::Payment { id: id(), ..paid.payments[0].clone() };
        for case in 0..3 {
            let mut tx = store.invoicing.begin(scope.id).await.unwrap();
            let mut held = tx.invoices().lock(made.id).await.unwrap().unwrap();
            held.record_payment(again.clone(), held.updated_at).unwrap();
            tx.invoices().put_paid(&held, &again).await.unwrap();
            assert!(match case {
                0 => tx.invoices().lock(made.id).await.is_err(),
                1 => tx.invoices().update(&held, false).await.is_err(),
                _ => tx.invoices().put_paid(&held, &again).await.is_err(),
            });
        }
        let read = store.invoice_reads.get(scope.id, made.id).await.unwrap();
        assert_eq!(read, Some(paid));
    });
}

#[test]
fn of_a_payment_and_a_cancellation_at_once_one_comes_first() {
    on_both(async |db| {
        let store = &db.store;
        let scope = tenant(store).await;
        let operator = invoicing(&db.another_process().await, FixedClock::default());
        let invoicing = invoicing(store, FixedClock::default());
        for _ in 0..10 {
            let made = issued(store, &scope).await;
            let full = payment("121");
            let (paid, cancelled) = tokio::join!(
                operator.record_payment(scope.id, made.id, &full),
                invoicing.cancel(&scope, made.id, None),
            );
            let read = store.invoice_reads.get(scope.id, made.id).await.unwrap().unwrap();
            match (paid, cancelled) {
                (Ok(_), Err(CancelInvoiceError::NotCancellable(_))) => {
                    assert_eq!(read.status, InvoiceStatus::Paid)
                }
                (Err(RecordPaymentError::Refused(_)), Ok(_)) => {
                    assert_eq!((read.status, read.payments.len()), (InvoiceStatus::Cancelled, 0));
                }
                both => panic!("{both:?}"),
            }
        }
    });
}

#[test]
fn a_number_that_is_taken_leaves_the_transaction_in_use() {
    on_both(async |db| {
        let store = &db.store;
        let scope = tenant(store).await;
        let (one, other) = (issued(store, &scope).await, issued(store, &scope).await);
        let invoicing = invoicing(store, FixedClock::default());
        let taken = InvoiceInput {
            invoice_number: Field::Value(InvoiceNumber::parse(other.number.as_str()).unwrap()),
            ..InvoiceInput::default()
        };
        let refused = invoicing.amend(&scope, one.id, None, taken, FieldErrors::default()).await;
        assert!(matches!(refused, Err(AmendInvoiceError::DuplicateNumber)));
        let mut tx = store.invoicing.begin(scope.id).await.unwrap();
        let held = tx.invoices().lock(one.id).await.unwrap().unwrap();
        assert_eq!(held, one);
        assert_eq!(tx.invoices().update(&held, true).await.unwrap(), Stored::Done);
        tx.commit().await.unwrap();
    });
}

#[test]
fn an_invoice_of_another_account_is_not_held() {
    on_both(async |db| {
        let store = &db.store;
        let (one, other) = (tenant(store).await, tenant(store).await);
        let made = issued(store, &one).await;
        let mut tx = store.invoicing.begin(other.id).await.unwrap();
        assert_eq!(tx.invoices().lock(made.id).await.unwrap(), None);
        assert!(tx.invoices().update(&made, false).await.is_err());
        drop(tx);
        let mut tx = store.invoicing.begin(one.id).await.unwrap();
        assert_eq!(
            tx.invoices().lock(Id::from_uuid(id::<kernel::scope::AccountEntity>().uuid())).await.unwrap(),
            None
        );
    });
}

#[test]
fn a_letterhead_is_the_accounts_own() {
    on_both(async |db| {
        let store = &db.store;
        let scope = tenant(store).await;
        let read = store.invoice_reads.letterhead(scope.id).await.unwrap();
        assert!(read.company_name.starts_with("Company ") && read.email.is_some());
    });
}
