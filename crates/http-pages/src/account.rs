//! The pages of the dashboard on escalations, webhooks and settings.

mod api_key;
mod deliveries;
mod endpoints;
mod errors;
mod escalations;
mod lists;
mod notifications;
mod profile;

pub(crate) use errors::own_account_error;

use crate::routing::Routes;

pub(crate) fn configure(routes: &mut Routes<'_>) {
    routes
        .configure(self::escalations::configure)
        .configure(api_key::configure)
        .configure(endpoints::configure)
        .configure(deliveries::configure)
        .configure(profile::configure)
        .configure(notifications::configure);
}
