//! The numbers of the invoices of planned reminders.

use std::collections::BTreeMap;

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
    let mut numbers = BTreeMap::new();
    for id in planned.iter().flat_map(|message| &message.invoices).take(MAX_NUMBERS) {
        if let Some(invoice) = caller.state().reminders.invoices.get(caller.scope().id, *id).await? {
            numbers.insert(*id, invoice.number.to_string());
        }
    }
    Ok(numbers)
}
