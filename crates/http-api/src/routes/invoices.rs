//! `/invoices`: create, amend, cancel, read, render and list invoices.

mod amend;
mod cancel;
mod create;
mod get;
mod invoice_body;
mod list;
mod list_page;
mod list_parameters;
mod pdf;
mod view;

pub use view::InvoiceView;

use crate::operation::Operation;

pub(crate) fn operations() -> [Operation; 6] {
    [
        create::operation(),
        list::operation(),
        get::operation(),
        amend::operation(),
        cancel::operation(),
        pdf::operation(),
    ]
}
