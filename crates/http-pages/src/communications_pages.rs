//! The pages of the dashboard on communications with customers.

mod policy_form;
mod settings;

use crate::routing::Routes;

pub(crate) fn configure(routes: &mut Routes<'_>) {
    routes.configure(settings::configure);
}
