//! The pages of the dashboard on communications with customers.

mod answer;
mod contact_forms;
mod inbox;
mod messages;
mod pause;
mod policy_form;
mod settings;

use crate::routing::{Routes, form_page, form_post, page};

pub(crate) fn configure(routes: &mut Routes<'_>) {
    routes
        .configure(settings::configure)
        .service(page(inbox::PATH, inbox::show))
        .service(page("/dashboard/messages/{id}", messages::show))
        .service(form_page("/dashboard/messages/{id}/answer", answer::show, answer::send))
        .service(form_post("/dashboard/messages/{id}/handled", messages::handled))
        .service(form_post("/dashboard/messages/{id}/correct", messages::correct))
        .service(form_post("/dashboard/contacts/{id}/consent", contact_forms::consent))
        .service(form_post("/dashboard/contacts/{id}/turn-on", contact_forms::turn_on))
        .service(form_post("/dashboard/contacts/{id}/works-again", contact_forms::works_again))
        .service(form_post("/dashboard/invoices/{id}/reminders", pause::send));
}
