//! The list of invoices.

use invoices::{InvoiceNumber, InvoiceStatus, InvoiceSummary};
use pages::invoicing::{InvoiceList, InvoiceListPage};
use pages::stylesheet::CSS;
use time::macros::date;

use crate::compressed;
use crate::invoicing::{COMPANY, HOSTILE, form, hostile, invoice_page, rendered};
use crate::sample::{self, TODAY, changed, shown, urls};

fn list(invoices: Vec<InvoiceSummary>, query: &str) -> String {
    let list = InvoiceList {
        invoices,
        form: form(vec![("q".to_owned(), HOSTILE.to_owned()), ("status".to_owned(), "PAID".to_owned())]),
        query: query.to_owned(),
        next: Some("q=a&cursor=x".to_owned()),
        is_later_page: false,
    };
    rendered(&InvoiceListPage::new(&list, TODAY, COMPANY, &urls()))
}

#[test]
fn list_shows_each_invoice_and_keeps_its_conditions() {
    let invoices: Vec<_> = InvoiceStatus::ALL.map(|status| InvoiceSummary::from(&hostile(status))).to_vec();
    let html = list(invoices, "q=a");
    for text in [
        "<option value=\"PAID\" selected>Paid</option>",
        "href=\"https://books.example.com/dashboard/invoices?q=a&#38;cursor=x\" rel=\"next\">Next page</a>",
        "href=\"https://books.example.com/dashboard/invoices/export.csv?q=a\"",
        "Partly paid<small>Due 4 December 2026</small>",
        "aria-current=\"page\">Invoices</a>",
    ] {
        assert!(html.contains(text), "{text} in {html}");
    }
}

#[test]
fn filter_by_several_statuses_stays_chosen() {
    let filtered = |status: &str| {
        let form = form(vec![("status".to_owned(), status.to_owned())]);
        let list = InvoiceList { form, ..InvoiceList::default() };
        rendered(&InvoiceListPage::new(&list, TODAY, COMPANY, &urls()))
    };
    let several = "<option value=\"OVERDUE,PARTIALLY_PAID\" selected>Overdue, Partly paid</option>";
    assert!(filtered("OVERDUE,PARTIALLY_PAID").contains(several));
    let html = filtered("OVERDUE,other");
    assert!(!html.contains("value=\"OVERDUE,other\""), "{html}");
}

#[test]
fn partly_paid_invoice_after_its_due_date_is_shown_as_overdue() {
    let shown =
        changed(&shown(InvoiceStatus::PartiallyPaid, 1), |data| data.due_date = date!(2026 - 11 - 24));
    let detail = "class=\"status alert\">Partly paid, overdue since 25 November 2026</p>";
    for html in [sample::html(&shown), invoice_page(shown.invoice.clone())] {
        assert!(html.contains(detail), "{html}");
    }
    let listed = list(vec![InvoiceSummary::from(&shown.invoice)], "");
    let row = "class=\"alert\">Partly paid, overdue<small>Due 24 November 2026</small>";
    assert!(listed.contains(row), "{listed}");
}

#[test]
fn empty_list_says_what_comes_there_and_links_the_first_step() {
    let empty = list(Vec::new(), "");
    assert!(empty.contains("Your invoices will be listed here"), "{empty}");
    assert!(empty.contains("/dashboard/invoices/new\">New invoice</a></p>"), "{empty}");
    let nothing = list(Vec::new(), "q=a");
    assert!(nothing.contains("No invoices match these filters"), "{nothing}");
}

#[test]
fn list_of_fifty_rows_weighs_at_most_15_kib_with_its_style_sheet() {
    let summary = |n: usize| InvoiceSummary {
        number: InvoiceNumber::parse(&format!("INV-{n:04}")).unwrap(),
        ..InvoiceSummary::from(&shown(InvoiceStatus::ALL[n % 7], 1 + n % 9).invoice)
    };
    let weight = compressed(&list((0..50).map(summary).collect(), "q=a")) + compressed(CSS);
    assert!(weight <= 15 * 1_024, "{weight}");
}
