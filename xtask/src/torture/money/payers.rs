//! Payers, and other changes of their invoices.

use std::net::SocketAddr;
use std::sync::Arc;

use serde_json::Value;
use uuid::Uuid;

use super::super::caller::Request;
use super::super::environment::{Account, Shared};
use super::super::load::Worker;
use super::super::load::up_to;
use super::super::response_log::ResponseLog;
use super::account::PaidAccount;
use super::gateway::Gateway;

/// The longest time that a payer spends at the gateway, in milliseconds.
const AT_THE_GATEWAY: u64 = 250;
/// The longest time before another change of the invoice, in milliseconds.
const UNTIL_DISTURBED: u64 = 600;
/// Clients are distinguished by numbers; those of rivals are after those of payers.
const RIVALS: u64 = 1_000;

/// A payer, and a rival who changes the same invoices.
pub(super) struct Payer {
    worker: Worker,
    rival: Worker,
    gateway: Arc<Gateway>,
    base: String,
}

impl Payer {
    pub(super) fn new(
        environment: &Shared,
        gateway: &Arc<Gateway>,
        paid: &PaidAccount,
        response_log: &Arc<ResponseLog>,
        targets: &Arc<[SocketAddr]>,
        n: u64,
    ) -> Self {
        Self {
            worker: Worker::new(environment, response_log, targets, n),
            rival: Worker::new(environment, response_log, targets, n + RIVALS),
            gateway: gateway.clone(),
            base: paid.base(),
        }
    }

    /// Pays invoices until all payers together have made this number of charges.
    pub(super) async fn pay_until(mut self, charges: u32) {
        while self.gateway.charged() < charges {
            self.worker.done += 1;
            let _done: Option<()> = self.turn().await;
        }
    }

    /// Pays one invoice.
    async fn turn(&mut self) -> Option<()> {
        self.worker.create_invoice().await?;
        let invoice = self.worker.invoices.last()?.clone();
        self.rival.invoices = vec![invoice.clone()];
        let Self { worker, rival, gateway, base } = self;
        let (paid, ()) = tokio::join!(pay_online(worker, gateway, base, &invoice), disturb(rival));
        paid
    }
}

/// Changes an invoice meanwhile: mostly not at all, otherwise once or twice.
async fn disturb(rival: &mut Worker) {
    let draw = rival.generator.below(100);
    let times = match draw {
        0..45 => 0,
        45..85 => 1,
        _ => 2,
    };
    for _ in 0..times {
        rival.done += 1;
        tokio::time::sleep(up_to(&rival.generator, UNTIL_DISTURBED)).await;
        let _done: Option<()> = match rival.generator.below(3) {
            0 => rival.cancel().await,
            1 => rival.amend().await,
            _ => rival.pay().await,
        };
    }
}

/// Opens the payment page, goes to the gateway, pays, and returns or not. Sometimes a second amount is begun
/// before the first is paid, and both are paid.
async fn pay_online(
    worker: &mut Worker,
    gateway: &Gateway,
    base: &str,
    (account, id, total): &(Account, Uuid, i64),
) -> Option<()> {
    let response = worker.caller.send(&Request::get(&format!("/invoices/{id}"), &account.key)).await?;
    let invoice = response.json();
    let page = invoice.get("pay_url").and_then(Value::as_str)?.strip_prefix(base)?;
    let first = check_out(worker, page, None).await;
    let second = if worker.generator.below(8) == 0 {
        let percent = i64::try_from(worker.generator.below(80)).ok()? + 15;
        let part = total * percent / 100;
        check_out(worker, page, Some(format!("{}.{:02}", part / 100, part % 100))).await
    } else {
        None
    };
    for session in first.into_iter().chain(second) {
        if worker.generator.below(15) == 0 {
            // This payer leaves the gateway without paying.
            continue;
        }
        tokio::time::sleep(up_to(&worker.generator, AT_THE_GATEWAY)).await;
        if gateway.pay(&session, &worker.generator).is_some() && worker.generator.below(2) == 0 {
            let back = gateway.return_path(&session, base)?;
            let response = worker.caller.send(&Request::page(&back)).await?;
            if response.status != 200 {
                worker.wrong(&format!("coming back to {back}"), &response);
            }
        }
    }
    Some(())
}

/// The gateway's checkout to which the form of the payment page leads; `None` if the invoice cannot be paid
/// any more.
async fn check_out(worker: &mut Worker, page: &str, amount: Option<String>) -> Option<String> {
    let shown = worker.caller.send(&Request::page(page)).await?;
    let Some(form_token) = shown.hidden("once") else {
        // There is no form: the invoice is cancelled, paid, or being paid.
        if shown.status != 200 {
            worker.wrong(&format!("opening {page}"), &shown);
        }
        return None;
    };
    let form = [("once", form_token.as_str()), ("amount", amount.as_deref().unwrap_or_default())];
    let response = worker.caller.send(&Request::form(&format!("{page}/checkout"), &form)).await?;
    match response.status {
        303 => response.location.rsplit('/').next().map(str::to_owned),
        // The invoice is no longer payable or is being paid, or the amount is not allowed.
        409 | 422 => None,
        _ => {
            worker.wrong(&format!("paying at {page}"), &response);
            None
        }
    }
}
