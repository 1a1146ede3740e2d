//! The pages of contacts.

use contacts::Contact;
use invoices::{Invoice, InvoiceStatus, InvoiceSummary};
use kernel::{FieldErrors, SingleLine};
use pages::Form;
use pages::communications::{ShownCommunications, ShownMessage};
use pages::invoicing::{ContactList, ContactListPage, ContactPage, NewContactPage, contact_values};
use pages::stylesheet::CSS;

use crate::communications::{communications, long};
use crate::compressed;
use crate::invoicing::{COMPANY, HOSTILE, form, hostile, rendered};
use crate::sample::{TODAY, urls};

pub(crate) fn contact_of(invoice: &Invoice) -> Contact {
    let contact = invoice.contact.clone().unwrap();
    Contact {
        id: contact.id,
        account: invoice.account,
        name: contact.name,
        email: contact.email,
        phone: contact.phone,
        external_id: Some(SingleLine::from_stored(HOSTILE.to_owned())),
        address: contact.address,
        created_at: invoice.created_at,
        updated_at: invoice.updated_at,
    }
}

#[test]
fn form_of_a_new_contact_keeps_its_values_with_their_faults() {
    let values = [("name", HOSTILE), ("email", "ada"), ("external_id", "C-7")];
    let values = values.map(|(name, value)| (name.to_owned(), value.to_owned())).to_vec();
    let faults = FieldErrors::one("email", "is not an e-mail address");
    let html =
        rendered(&NewContactPage::new(&Form::refused("0199".to_owned(), values, faults), COMPANY, &urls()));
    for text in ["<a href=\"#email\">", "value=\"C-7\"", "name=\"phone\"", "name=\"once\" value=\"0199\""] {
        assert!(html.contains(text), "{text} in {html}");
    }
}

#[test]
fn contact_with_twenty_long_messages_weighs_at_most_15_kib_with_its_style_sheet() {
    let invoice = hostile(InvoiceStatus::Overdue);
    let contact = contact_of(&invoice);
    let (form, summaries) = (form(contact_values(&contact)), vec![InvoiceSummary::from(&invoice); 10]);
    let messages = (10..30).map(|number| ShownMessage { message: long(number), contact: None });
    let shown = ShownCommunications { messages: messages.collect(), ..communications() };
    let html = rendered(&ContactPage::new(&contact, &form, &summaries, &shown, TODAY, COMPANY, &urls()));
    let weight = compressed(&html) + compressed(CSS);
    assert!(weight <= 15 * 1_024, "{weight}");
}

#[test]
fn contact_is_shown_with_its_invoices_and_its_form() {
    let invoice = hostile(InvoiceStatus::Overdue);
    let contact = contact_of(&invoice);
    let (form, summaries) = (form(contact_values(&contact)), [InvoiceSummary::from(&invoice)]);
    let html =
        rendered(&ContactPage::new(&contact, &form, &summaries, &communications(), TODAY, COMPANY, &urls()));
    for text in [
        "name=\"address.postal_code\" value=\"2000\"",
        "name=\"version\" value=\"",
        "value=\"practice@harbourside.example\"",
        "class=\"alert\">Overdue<small>",
        "/dashboard/invoices/new?contact=",
    ] {
        assert!(html.contains(text), "{text} in {html}");
    }
    // Of the two that bounced, one works again.
    assert_eq!(html.matches("could not be delivered").count(), 2, "{html}");
    assert_eq!(html.matches("or mark this one as working again.").count(), 1, "{html}");
    let list = ContactList { contacts: vec![contact], ..ContactList::default() };
    let html = rendered(&ContactListPage::new(&list, COMPANY, &urls()));
    assert!(html.contains("<small>practice@harbourside.example</small>"), "{html}");
}

#[test]
fn empty_list_of_contacts_says_what_comes_there_and_links_the_first_steps() {
    let contacts = ContactListPage::new(&ContactList::default(), COMPANY, &urls());
    let html = rendered(&contacts);
    assert!(
        html.contains("The people and companies you invoice") && html.contains("/invoices/new\">"),
        "{html}"
    );
    assert!(html.contains("/dashboard/contacts/new\">New contact</a> <a"), "{html}");
}
