//! Communications with customers: planning reminders, classifying messages, and receiving mail.

use super::environment::Environment;
use super::figure::Figure;
use super::{inbound_mail, reminder_plan};

/// Measures the parts that use the database. The incoming mail answers the reminders of the plan.
pub(super) async fn measure(environment: &Environment) -> anyhow::Result<Vec<Figure>> {
    let mut figures = reminder_plan::measure(environment).await?;
    figures.extend(inbound_mail::measure(environment).await?);
    Ok(figures)
}
