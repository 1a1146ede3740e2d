//! Communications with customers: planning reminders, understanding messages, and what comes in.

use super::environment::Environment;
use super::figure::Figure;
use super::{inbound_mail, reminder_plan};

/// Measures what the database takes part in. The plan's reminders are what the mail that comes in answers.
pub(super) async fn measure(environment: &Environment) -> anyhow::Result<Vec<Figure>> {
    let mut figures = reminder_plan::measure(environment).await?;
    figures.extend(inbound_mail::measure(environment).await?);
    Ok(figures)
}
