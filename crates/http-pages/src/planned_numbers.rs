//! The numbers of the invoices of planned reminders.

use std::collections::{BTreeMap, BTreeSet};

use communications::ForecastMessage;
use invoices::InvoiceId;

use crate::forms::PageError;
use crate::session_caller::SessionCaller;

/// The numbers of the invoices of a few messages.
pub(crate) async fn numbers(
    caller: &SessionCaller,
    planned: &[ForecastMessage],
) -> Result<BTreeMap<InvoiceId, String>, PageError> {
    /// At most this many invoices are named.
    const MAX_NUMBERS: usize = 50;
    let named: BTreeSet<InvoiceId> =
        planned.iter().flat_map(|message| &message.invoices).copied().take(MAX_NUMBERS).collect();
    let named: Vec<InvoiceId> = named.into_iter().collect();
    let numbers = caller.state().reminders.invoices.numbers(caller.scope().id, &named).await?;
    Ok(numbers.into_iter().collect())
}
