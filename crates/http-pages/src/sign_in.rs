//! The pages of owners who are not signed in yet, and the sign-out.

mod confirm;
mod invitation;
mod login;
mod password;
pub(crate) mod response;

use crate::routing::{Routes, form_page, form_post};

pub(crate) fn configure(routes: &mut Routes<'_>) {
    routes
        .service(form_page("/login", login::show, login::send))
        .service(form_page("/login/code", login::show_code, login::send_code))
        .service(form_page("/confirm", confirm::show, confirm::send))
        .service(form_post("/logout", login::sign_out))
        .service(form_page("/invitations/{token}", invitation::show, invitation::send))
        .service(form_page("/password/forgot", password::show_forgot, password::send_forgot))
        .service(form_page("/password/reset/{token}", password::show_reset, password::send_reset));
}
