//! Payment gateways: whether they accept the accounts' keys, and whether their charges match the stored ones.

use std::collections::HashMap;
use std::sync::Arc;

use futures_util::{StreamExt as _, stream};
use kernel::{SealingKeys, SystemIds};
use payments::{
    Charge, ChargeReport, ChargeState, GatewayAccess, GatewayAccount, GatewayError, PaymentGateway,
};
use time::{Duration, OffsetDateTime};

use super::database::Opened;
use super::finding::{CheckOutcome, CheckProblem};
use crate::master_key::MasterKey;
use crate::settings::Settings;
use crate::wiring::live_gateways;

/// How many connections one query reads.
const BATCH: u32 = 500;

/// The maximum number of connections that are checked: each takes several calls, and a check has a time
/// limit.
const MAX_GATEWAYS: usize = 50;

/// How many connections are checked concurrently.
const AT_ONCE: usize = 8;

/// The maximum number of charges of an account that are compared, newest first.
const MAX_CHARGES: u32 = 100_000;

/// How far back charges are compared.
const COMPARED: Duration = Duration::DAY;

const NONE_CONNECTED: &str = "no account is connected to a gateway";

/// The gateway accounts to check, and what the checks need.
struct GatewayChecks {
    adapters: Vec<Arc<dyn PaymentGateway>>,
    keys: SealingKeys,
    gateways: Vec<GatewayAccount>,
    /// How many further connections are not checked.
    others: usize,
    now: OffsetDateTime,
}

/// Whether the gateways accept the keys of the connected accounts.
pub(super) async fn keys(settings: &Settings, opened: &Opened) -> CheckOutcome {
    let Some(checks) = GatewayChecks::new(settings, opened).await? else {
        return Ok(NONE_CONNECTED.to_owned());
    };
    let check = async |adapter: &dyn PaymentGateway, access: &GatewayAccess, _: &GatewayAccount| {
        adapter.check_key(access).await.map_err(|error| error.to_string())
    };
    checks.outcome(checks.each(check).await, "take their keys")
}

/// Whether the stored charges of the last day are the same as in the gateways' lists.
pub(super) async fn charges(settings: &Settings, opened: &Opened) -> CheckOutcome {
    let Some(checks) = GatewayChecks::new(settings, opened).await? else {
        return Ok(NONE_CONNECTED.to_owned());
    };
    // Very recent charges are left out: the workers settle them in their next round.
    let settling = Duration::try_from(settings.worker_interval).unwrap_or(Duration::HOUR).saturating_mul(2);
    let (since, until) = (checks.now - COMPARED, checks.now.saturating_sub(settling));
    let check = async |adapter: &dyn PaymentGateway, access: &GatewayAccess, gateway: &GatewayAccount| {
        let listed = listed(adapter, access, since).await.map_err(|error| error.to_string())?;
        let stored = opened.store.online_reads.charges(gateway.account, MAX_CHARGES).await;
        let stored = stored.map_err(|error| error.to_string())?;
        let stored = stored.into_iter().map(|(charge, _)| charge);
        let stored: Vec<_> = stored.filter(|charge| charge.gateway_account == gateway.id).collect();
        let mut wrong = Vec::new();
        for report in missing(&listed, &stored, until) {
            let Some(id) = report.intent else { continue };
            let intent = opened.store.online_reads.intent(gateway.account, id).await;
            let id = &report.id.0;
            match intent.map_err(|error| error.to_string())? {
                Some(intent) if intent.gateway_account == gateway.id => {
                    wrong.push(format!("{id} is not recorded here as it is there"));
                }
                // A backup was restored that is older than the payment.
                None if report.account == Some(gateway.account) => wrong.push(format!(
                    "{id} was paid for this account, but its payment is not in this database: find the invoice and \
                     record the payment, with `countinghouse payment record`"
                )),
                // The payment was begun for another account, or in another service.
                _ => {}
            }
        }
        wrong.extend(unlisted(&listed, &stored, (since, until)));
        if wrong.is_empty() { Ok(()) } else { Err(wrong.join(", ")) }
    };
    checks.outcome(checks.each(check).await, "list the same charges of the last day as are stored here")
}

impl GatewayChecks {
    /// `None` if no account is connected to a gateway.
    async fn new(settings: &Settings, opened: &Opened) -> Result<Option<Self>, CheckProblem> {
        opened.require_schema()?;
        let now = opened.clock.now();
        let mut gateways = connected(opened, now).await?;
        if gateways.is_empty() {
            return Ok(None);
        }
        let adapters = live_gateways(settings, opened.clock.clone(), Arc::new(SystemIds::default()));
        let adapters = adapters.map_err(|error| format!("{error:#}"))?;
        let key = MasterKey::present(settings, opened.store.upkeep.kind());
        let key = key.map_err(|error| format!("{error:#}"))?;
        let others = gateways.len().saturating_sub(MAX_GATEWAYS);
        gateways.truncate(MAX_GATEWAYS);
        match key {
            Some(key) => Ok(Some(Self { adapters, keys: key.sealing_keys(), gateways, others, now })),
            None => Err(CheckProblem::Skipped("not looked at, since there is no master key")),
        }
    }

    /// Checks each connection; returns what is wrong with those that failed.
    async fn each(
        &self,
        check: impl AsyncFn(&dyn PaymentGateway, &GatewayAccess, &GatewayAccount) -> Result<(), String>,
    ) -> Vec<String> {
        let check = &check;
        let one = async |gateway: &GatewayAccount| {
            let adapter = self.adapters.iter().find(|adapter| adapter.kind() == gateway.kind)?;
            let checked = match gateway.access(&self.keys, self.now) {
                Ok(access) => check(&**adapter, &access, gateway).await,
                Err(error) => Err(error.to_string()),
            };
            let name = gateway.kind.label();
            checked.err().map(|fault| format!("{name} of account {}: {fault}", gateway.account))
        };
        let checks = self.gateways.iter().map(one);
        stream::iter(checks).buffer_unordered(AT_ONCE).filter_map(std::future::ready).collect().await
    }

    fn outcome(&self, wrong: Vec<String>, well: &str) -> CheckOutcome {
        if !wrong.is_empty() {
            return Err(wrong.join("; ").into());
        }
        let others = match self.others {
            0 => String::new(),
            others => format!("; {others} others were not asked"),
        };
        Ok(format!("{} connected gateways {well}{others}", self.gateways.len()))
    }
}

/// The connections of all accounts to live gateways through which checkouts are opened.
async fn connected(opened: &Opened, now: OffsetDateTime) -> Result<Vec<GatewayAccount>, CheckProblem> {
    let (mut found, mut after) = (Vec::new(), None);
    loop {
        let batch = opened.store.online_reads.all_gateways(after, BATCH).await?;
        let Some(last) = batch.last() else {
            return Ok(found);
        };
        after = Some(last.0);
        for (_, gateway) in batch {
            let gateway = gateway?;
            if gateway.kind.is_live() && gateway.is_connected(now) {
                found.push(gateway);
            }
        }
    }
}

async fn listed(
    adapter: &dyn PaymentGateway,
    access: &GatewayAccess,
    since: OffsetDateTime,
) -> Result<Vec<ChargeReport>, GatewayError> {
    let (mut all, mut page) = (Vec::new(), None);
    loop {
        let listed = adapter.changed_since(access, since, page.as_deref()).await?;
        all.extend(listed.charges);
        match listed.next_page {
            Some(next) => page = Some(next),
            None => return Ok(all),
        }
    }
}

/// The charges captured at the gateway until `until` that are not stored with the same amount.
fn missing<'a>(
    listed: &'a [ChargeReport],
    stored: &[Charge],
    until: OffsetDateTime,
) -> Vec<&'a ChargeReport> {
    let stored: HashMap<_, _> = stored.iter().map(|charge| (&charge.gateway_id, charge)).collect();
    let is_captured = |report: &&ChargeReport| {
        report.state == ChargeState::Succeeded && report.captured_at <= until && report.intent.is_some()
    };
    let is_stored = |report: &ChargeReport| {
        stored.get(&report.id).is_some_and(|charge| charge.captured() == report.amount)
    };
    let mut missing: Vec<_> = listed.iter().filter(is_captured).filter(|one| !is_stored(one)).collect();
    // A charge may be listed twice.
    missing.sort_by(|one, other| one.id.cmp(&other.id));
    missing.dedup_by(|one, other| one.id == other.id);
    missing
}

/// The charges stored as captured in this period that are missing from the gateway's list.
fn unlisted(
    listed: &[ChargeReport],
    stored: &[Charge],
    (since, until): (OffsetDateTime, OffsetDateTime),
) -> Vec<String> {
    // The list begins at a whole second.
    let is_recent = |charge: &&Charge| {
        charge.state == ChargeState::Succeeded
            && charge.captured_at > since.saturating_add(Duration::SECOND)
            && charge.captured_at <= until
    };
    let is_listed = |charge: &Charge| listed.iter().any(|report| report.id == charge.gateway_id);
    let unlisted = stored.iter().filter(is_recent).filter(|charge| !is_listed(charge));
    unlisted.map(|charge| format!("{} is not in the gateway's list", charge.gateway_id.0)).collect()
}
