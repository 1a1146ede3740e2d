//! Invoices are read back as they were stored.

use contacts::PostalAddress;
use invoices::{Invoice, InvoiceData, InvoiceStatus, LineAmountTypes, Payment, PaymentMethod, RecordedBy};
use kernel::{Currency, Decimal, Field, Money, MultiLine};
use time::Duration;

use crate::database::on_both;
use crate::fixtures::{
    NOW, contact, id, input, invoice, line, store_invoices, stored_contact, stored_invoice, tenant,
};

#[test]
fn invoices_of_each_currency_and_tax_type_are_read_back() {
    on_both(async |db| {
        let store = &db.store;
        let scope = tenant(store).await;
        let contact = stored_contact(store, scope.id).await;
        for (n, (code, unit, types)) in [
            ("JPY", "1234567", LineAmountTypes::Inclusive),
            ("BHD", "0.125", LineAmountTypes::Exclusive),
            ("AUD", "999999999.9999", LineAmountTypes::NoTax),
        ]
        .into_iter()
        .enumerate()
        {
            let mut input = input(3);
            input.currency = Field::Value(Currency::parse(code).unwrap());
            input.line_amount_types = Field::Value(types);
            input.texts.reference = Field::Value(line(&"r".repeat(255)));
            input.texts.notes = Field::Value(MultiLine::parse(&"ö\n\t".repeat(1_300)).unwrap());
            input.texts.staff = Field::Value(line("'; DROP TABLE invoices; --"));
            let Field::Value(lines) = &mut input.line_items else { panic!("there are lines") };
            for line_input in lines.iter_mut() {
                line_input.unit_amount = Field::Value(Decimal::parse(unit).unwrap());
                line_input.quantity = Field::Value(Decimal::parse("0.5").unwrap());
                line_input.tax_type = Field::Value(line(&"t".repeat(50)));
                if types == LineAmountTypes::NoTax {
                    line_input.tax_rate = Field::Absent;
                }
            }
            lines[1].unit_amount = Field::Value(Decimal::parse("-0.1").unwrap());
            lines[2].description = Field::Value(MultiLine::parse(&"日".repeat(4_000)).unwrap());
            let invoice = stored_invoice(store, &scope, &format!("N{n}"), Some(contact.clone()), input).await;
            let read = store.invoice_reads.get(scope.id, invoice.id).await.unwrap();
            assert_eq!(read, Some(invoice));
        }
    });
}

#[test]
fn empty_draft_is_read_back() {
    on_both(async |db| {
        let store = &db.store;
        let scope = tenant(store).await;
        let mut input = input(0);
        input.contact = Field::Absent;
        input.is_draft = Field::Value(true);
        let draft = invoice(&scope, "D", None, input);
        assert_eq!((draft.status, draft.lines.len()), (InvoiceStatus::Draft, 0));
        store_invoices(store, scope.id, std::slice::from_ref(&draft)).await;
        let read = store.invoice_reads.get(scope.id, draft.id).await.unwrap();
        assert_eq!(read, Some(draft));
    });
}

#[test]
fn five_hundred_lines_are_read_back_in_order() {
    on_both(async |db| {
        let store = &db.store;
        let scope = tenant(store).await;
        let contact = stored_contact(store, scope.id).await;
        let long = stored_invoice(store, &scope, "L", Some(contact), input(500)).await;
        let read = store.invoice_reads.get(scope.id, long.id).await.unwrap();
        assert_eq!(read, Some(long));
    });
}

#[test]
fn every_fact_that_may_be_absent_is_there_with_payments() {
    on_both(async |db| {
        let store = &db.store;
        let scope = tenant(store).await;
        let mut whole = contact(scope.id);
        whole.phone = Some(line("1"));
        whole.address = Some(PostalAddress { city: Some(line("Sydney")), ..PostalAddress::default() });
        store.bulk.contacts(std::slice::from_ref(&whole)).await.unwrap();
        let raised = invoice(&scope, "P", Some(whole), input(2));
        let aud = raised.currency;
        let payment = |method, recorded_by, reference: Option<&str>| Payment {
            id: id(),
            amount: Money::new(1_000, aud),
            received_at: NOW - Duration::days(1),
            method,
            reference: reference.map(line),
            recorded_by,
        };
        let paid = Invoice::from_stored(InvoiceData {
            status: InvoiceStatus::PartiallyPaid,
            amount_paid: Money::new(2_000, aud),
            payments: vec![
                payment(PaymentMethod::Card, RecordedBy::PaymentPage, None),
                payment(PaymentMethod::BankTransfer, RecordedBy::Operator, Some("ref")),
            ],
            last_sent_at: Some(NOW),
            send_count: u32::MAX,
            ledger_invoice_id: Some(line("ledger")),
            updated_at: NOW + Duration::hours(1),
            ..(*raised).clone()
        });
        store.bulk.invoices(std::slice::from_ref(&paid)).await.unwrap();
        let read = store.invoice_reads.get(scope.id, paid.id).await.unwrap();
        assert_eq!(read, Some(paid));
    });
}

#[test]
fn another_accounts_invoices_are_not_there() {
    on_both(async |db| {
        let store = &db.store;
        let (mine, theirs) = (tenant(store).await, tenant(store).await);
        let contact = stored_contact(store, theirs.id).await;
        let hidden = stored_invoice(store, &theirs, "H", Some(contact), input(1)).await;
        let read = store.invoice_reads.get(mine.id, hidden.id).await.unwrap();
        assert_eq!(read, None);
        let (reads, other) = (&store.invoice_reads, id());
        assert_eq!(reads.numbers(mine.id, &[hidden.id]).await.unwrap(), []);
        let number = hidden.number.to_string();
        assert_eq!(reads.numbers(theirs.id, &[hidden.id, other]).await.unwrap(), [(hidden.id, number)]);
        assert_eq!(reads.numbers(theirs.id, &[]).await.unwrap(), []);
        let mut tx = store.invoicing.begin(mine.id).await.unwrap();
        assert!(tx.invoices().insert(&hidden).await.is_err());
    });
}

#[test]
fn ledger_id_of_another_invoice_is_refused() {
    on_both(async |db| {
        let store = &db.store;
        let scope = tenant(store).await;
        let invoices = ["A", "B"].map(|number| invoice(&scope, number, None, input(1)));
        store_invoices(store, scope.id, &invoices).await;
        for (invoice, is_accepted) in invoices.iter().zip([true, false]) {
            let mut tx = store.invoicing.begin(scope.id).await.unwrap();
            let mut locked = tx.invoices().lock(invoice.id).await.unwrap().unwrap();
            assert!(locked.enter_in_ledger(line("xero-1"), NOW));
            let updated = tx.invoices().update(&locked, false).await;
            assert_eq!(updated.is_ok(), is_accepted);
            if is_accepted {
                tx.commit().await.unwrap();
            }
        }
    });
}
