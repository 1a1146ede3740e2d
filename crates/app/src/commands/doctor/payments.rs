//! Online payments: whether all money is accounted for.

use time::Duration;

use super::database::Opened;
use super::finding::CheckOutcome;

/// How many connections one query reads.
const BATCH: u32 = 500;

/// The maximum number of charges of an account that are checked, newest first.
const MAX_CHARGES: u32 = 100_000;

/// Events are deleted after 30 days; those of invoices that were created since are complete.
const EVENTS_ARE_COMPLETE: Duration = Duration::days(29);

/// Whether every part of every charge is accounted for, and each applied part is one payment with one event.
pub(super) async fn conservation(opened: &Opened) -> CheckOutcome {
    opened.require_schema()?;
    let reads = &opened.store.online_reads;
    let since = opened.clock.now().saturating_sub(EVENTS_ARE_COMPLETE);
    let (mut looked_at, mut wrong, mut after, mut account) = (0_usize, Vec::new(), None, None);
    loop {
        let batch = reads.all_gateways(after, BATCH).await?;
        let Some(last) = batch.last() else {
            break;
        };
        after = Some(last.0);
        for ((of, _), _) in batch {
            // An account may have several connections; they are adjacent in the list.
            if account == Some(of) {
                continue;
            }
            account = Some(of);
            for (charge, reversals) in reads.charges(of, MAX_CHARGES).await? {
                looked_at = looked_at.saturating_add(1);
                if !charge.figures(&reversals).are_conserved() || !charge.covers_own(&reversals) {
                    wrong.push(charge.gateway_id.0);
                }
            }
            wrong.extend(reads.unaccounted(of, since).await?);
        }
    }
    if wrong.is_empty() {
        return Ok(format!("every part of {looked_at} charges is accounted for"));
    }
    let wrong = wrong.join(", ");
    Err(format!("these charges do not add up: {wrong}; look at `countinghouse payment charges`").into())
}
