//! The overview, and the pages of invoices and contacts.

mod charge_rows;
mod contact_list;
mod contact_page;
mod invoice_form;
mod invoice_list;
mod invoice_page;
mod new_contact_page;
mod overview_page;
mod refund_page;
mod summary_rows;
mod timeline_rows;

pub use contact_list::{ContactList, ContactListPage};
pub use contact_page::{ContactPage, contact_values};
pub use invoice_form::{
    Editing, FormAccount, InvoiceFormPage, contact_of_new, invoice_values, shown_contact,
};
pub use invoice_list::{InvoiceList, InvoiceListPage};
pub use invoice_page::{CancelPage, InvoicePage, ShownInvoice};
pub use new_contact_page::NewContactPage;
pub use overview_page::{OverviewPage, PlannedReminders, ShownOverview};
pub use refund_page::RefundPage;
