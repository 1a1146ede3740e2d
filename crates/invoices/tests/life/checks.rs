//! Checks across the fields of a new invoice, and of an amendment.

use contacts::ContactInput;
use invoices::amendment::ContactChange;
use invoices::{InvoiceAmendment, InvoiceInput, InvoicingPolicy, NewInvoice};
use kernel::{AccountScope, Field, FieldErrors, SingleLine};
use time::macros::date;
use time::{Date, Duration};

use crate::make::*;

fn check(sent: InvoiceInput, scope: &AccountScope) -> Result<NewInvoice, Vec<String>> {
    NewInvoice::check(sent, FieldErrors::default(), scope, InvoicingPolicy::default(), TODAY)
        .map_err(|faults| faults.iter().map(|fault| fault.field.clone()).collect())
}

fn dates(invoice_date: Field<Date>, due_date: Field<Date>) -> Result<(Date, Date), Vec<String>> {
    let new = check(InvoiceInput { invoice_date, due_date, ..input("100") }, &scope())?;
    Ok((new.invoice_date, new.due_date))
}

#[test]
fn due_date_follows_from_the_terms_as_far_as_the_calendar_goes() {
    assert_eq!(dates(Field::Absent, Field::Absent), Ok((TODAY, TODAY + Duration::days(14))));
    let last = date!(9999 - 12 - 31);
    let fits = last - Duration::days(14);
    assert_eq!(dates(Field::Value(fits), Field::Absent), Ok((fits, last)));
    let late = last - Duration::days(13);
    assert_eq!(dates(Field::Value(late), Field::Absent), Ok((late, late)));
    assert_eq!(dates(Field::Absent, Field::Value(TODAY)), Ok((TODAY, TODAY)));
    let before = TODAY - Duration::DAY;
    assert_eq!(dates(Field::Absent, Field::Value(before)), Err(vec!["due_date".to_owned()]));
    // A date that could not be parsed has its own fault.
    assert!(dates(Field::Faulty, Field::Value(before)).is_ok());
}

#[test]
fn date_of_another_year_than_1900_to_9999_is_refused() {
    for other in [date!(1899 - 12 - 31), Date::MIN] {
        assert_eq!(dates(Field::Value(other), Field::Absent), Err(vec!["invoice_date".to_owned()]));
        let sent = InvoiceInput {
            invoice_date: Field::Value(other),
            due_date: Field::Value(other),
            ..InvoiceInput::default()
        };
        let refused = InvoiceAmendment::check(sent, FieldErrors::default(), &unpaid("1"), &scope());
        let fields: Vec<_> = refused.unwrap_err().iter().map(|fault| fault.field.clone()).collect();
        assert_eq!(fields, ["invoice_date", "due_date"]);
    }
    let first = date!(1900 - 01 - 01);
    assert_eq!(dates(Field::Value(first), Field::Value(first)), Ok((first, first)));
}

#[test]
fn only_an_issued_invoice_is_sent_and_only_where_customers_are_written_to() {
    let sent = || InvoiceInput { send_invoice: Field::Value(true), ..input("100") };
    assert!(check(sent(), &scope()).unwrap().send);
    assert!(!check(input("100"), &scope()).unwrap().send);
    let draft = InvoiceInput { is_draft: Field::Value(true), ..sent() };
    assert_eq!(check(draft.clone(), &scope()), Err(vec!["send_invoice".to_owned()]));
    let (name, phone) = (SingleLine::parse("Ada").unwrap(), SingleLine::parse("1").unwrap());
    let no_address =
        ContactInput { name: Field::Value(name), phone: Field::Value(phone), ..ContactInput::default() };
    let kept = create(InvoiceInput { is_draft: Field::Value(true), ..input("100") });
    let amended = InvoiceInput { contact: Field::Value(no_address.clone()), ..sent() };
    let checked = InvoiceAmendment::check(amended, FieldErrors::default(), &kept, &scope());
    assert!(checked.is_ok(), "that it stays a draft is found when it is amended");
    let draft = InvoiceInput { contact: Field::Value(no_address), ..draft };
    assert_eq!(check(draft, &scope()), Err(vec!["send_invoice".to_owned()]), "it needs no address");
    let silent = AccountScope { communications_enabled: false, ..scope() };
    assert_eq!(check(sent(), &silent), Err(vec!["send_invoice".to_owned()]));
    assert!(check(input("100"), &silent).is_ok());
    let refused = InvoiceAmendment::check(sent(), FieldErrors::default(), &unpaid("100"), &silent);
    assert_eq!(refused.unwrap_err().iter().next().unwrap().field, "send_invoice");
}

#[test]
fn contact_that_cannot_exist_yet_is_complete() {
    let of = |contact: ContactInput| InvoiceInput { contact: Field::Value(contact), ..input("100") };
    let named =
        || ContactInput { name: Field::Value(SingleLine::parse("Ada").unwrap()), ..ContactInput::default() };
    let missing = Err(vec!["contact.email".to_owned(), "contact.phone".to_owned()]);
    assert_eq!(check(of(named()), &scope()), missing);
    let phone = Field::Value(SingleLine::parse("1").unwrap());
    assert!(check(of(ContactInput { phone, ..named() }), &scope()).is_ok());
    // An unparsed field may have been sufficient; other missing ones are reported too.
    assert!(check(of(ContactInput { phone: Field::Faulty, ..named() }), &scope()).is_ok());
    assert_eq!(check(of(ContactInput { name: Field::Faulty, ..named() }), &scope()), missing);
    let nameless = ContactInput { phone: Field::Faulty, ..ContactInput::default() };
    assert_eq!(check(of(nameless), &scope()), Err(vec!["contact.name".to_owned()]));
    let unread = ContactInput { email: Field::Faulty, ..ContactInput::default() };
    assert!(check(of(unread), &scope()).is_ok(), "it may be the address of an existing contact");
    let without = InvoiceInput { contact: Field::Absent, ..input("100") };
    assert_eq!(check(without.clone(), &scope()), Err(vec!["contact".to_owned()]));
    assert!(check(InvoiceInput { is_draft: Field::Value(true), ..without }, &scope()).is_ok());
}

#[test]
fn contact_is_kept_cleared_or_copied_again() {
    let draft = || create(InvoiceInput { is_draft: Field::Value(true), ..input("100") });
    let change = |invoice: &invoices::Invoice, contact: Field<ContactInput>, is_draft: Field<bool>| {
        let sent = InvoiceInput { contact, is_draft, ..InvoiceInput::default() };
        let checked = InvoiceAmendment::check(sent, FieldErrors::default(), invoice, &scope());
        checked.map(|amendment| amendment.contact).map_err(|_faults| ())
    };
    assert_eq!(change(&draft(), Field::Absent, Field::Absent), Ok(ContactChange::Keep));
    assert_eq!(change(&draft(), Field::Null, Field::Absent), Ok(ContactChange::Clear));
    assert_eq!(change(&unpaid("1"), Field::Absent, Field::Absent), Ok(ContactChange::Keep));
    assert_eq!(change(&unpaid("1"), Field::Null, Field::Absent), Err(()));
    // The contact may have changed since the draft was saved.
    let issued = change(&draft(), Field::Absent, Field::Value(false)).unwrap();
    let ContactChange::Take(reference) = issued else { panic!("{issued:?}") };
    assert_eq!(reference.id, draft().contact.as_ref().map(|contact| contact.id));
    assert_eq!(change(&draft(), Field::Null, Field::Value(false)), Err(()));
}
