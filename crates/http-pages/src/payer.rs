//! The pages with which payers see, pay and respond to an invoice, by the token of its payment page.

mod checkout;
mod help;
mod payment_page;
mod promise;
pub(crate) mod request;
pub(crate) mod throttle;

use crate::routing::Routes;

pub(crate) fn configure(routes: &mut Routes<'_>) {
    routes
        .configure(payment_page::configure)
        .configure(checkout::configure)
        .configure(help::configure)
        .configure(promise::configure);
}
