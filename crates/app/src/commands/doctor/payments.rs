//! Online payments: whether all money is accounted for.

use super::database::Opened;
use super::finding::{Outcome, Problem};

/// How many connections one query reads.
const BATCH: u32 = 500;

/// The maximum number of charges of an account that are checked, newest first.
const MAX_CHARGES: u32 = 100_000;

/// Whether every part of every charge is accounted for.
pub(super) async fn conservation(opened: &Opened) -> Outcome {
    if !opened.has_schema {
        return Err(Problem::Skipped("not looked at, since the schema is not up to date"));
    }
    let reads = &opened.store.online_reads;
    let (mut looked_at, mut wrong, mut after, mut account) = (0_usize, Vec::new(), None, None);
    loop {
        let batch = reads.all_gateways(after, BATCH).await?;
        let Some(last) = batch.last() else {
            break;
        };
        after = Some((last.account, last.id));
        for gateway in &batch {
            // An account may have several connections; they are adjacent in the list.
            if account == Some(gateway.account) {
                continue;
            }
            account = Some(gateway.account);
            for (charge, reversals) in reads.charges(gateway.account, MAX_CHARGES).await? {
                looked_at = looked_at.saturating_add(1);
                let is_recorded = charge.applied.is_zero() == charge.payment.is_none();
                if !charge.figures(&reversals).are_conserved() || !is_recorded {
                    wrong.push(charge.gateway_id.0);
                }
            }
        }
    }
    if wrong.is_empty() {
        return Ok(format!("every part of {looked_at} charges is accounted for"));
    }
    let wrong = wrong.join(", ");
    Err(format!("these charges do not add up: {wrong}; look at `countinghouse payment charges`").into())
}
