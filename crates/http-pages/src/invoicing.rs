//! The overview, and the pages of invoices and contacts.

mod actions;
mod contact;
mod contact_list;
mod detail;
mod edit;
mod export;
mod form_contact;
pub(crate) mod invoice_fields;
mod invoice_list;
mod invoice_query;
mod new;
mod new_contact;
mod overview;
mod payments;
mod promise;
mod refund;
mod replacement;

use actix_web::HttpResponse;
use actix_web::web::Data;

use crate::forms::submit::see_other;
use crate::routing::{Routes, form_page, form_post, page};
use crate::state::PagesState;

pub(crate) use contact::get as contact;
pub(crate) use contact::show_refused as show_refused_contact;
pub(crate) use detail::respond_to_form as respond_to_invoice_form;

pub(crate) fn configure(routes: &mut Routes<'_>) {
    routes
        .service(page("/", home))
        .service(page("/dashboard", overview::show))
        .service(page("/dashboard/invoices", invoice_list::show))
        .service(page("/dashboard/invoices/export.csv", export::csv))
        .service(form_page("/dashboard/invoices/new", new::show, new::send))
        .service(page("/dashboard/invoices/{id}", detail::show))
        .service(page("/dashboard/invoices/{id}/invoice.pdf", detail::pdf))
        .service(form_page("/dashboard/invoices/{id}/edit", edit::show, edit::send))
        .service(form_post("/dashboard/invoices/{id}/send", actions::send))
        .service(form_post("/dashboard/invoices/{id}/cancel", actions::cancel))
        .service(form_post("/dashboard/invoices/{id}/payments", payments::send))
        .service(form_post("/dashboard/invoices/{id}/promise", promise::send))
        .service(form_page("/dashboard/invoices/{id}/refund/{payment_id}", refund::show, refund::send))
        .service(form_post("/dashboard/invoices/{id}/replacement", replacement::send))
        .service(form_post("/dashboard/invoices/{id}/pay-link", actions::replace_pay_link))
        .service(page("/dashboard/contacts", contact_list::show))
        .service(form_page("/dashboard/contacts/new", new_contact::show, new_contact::send))
        .service(form_page("/dashboard/contacts/{id}", contact::show, contact::send));
}

async fn home(state: Data<PagesState>) -> HttpResponse {
    see_other(&state.links.page("/dashboard"))
}
