//! Settling a charge, measured at the use case, which gets the report of the charge: no gateway is called.

use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};

use anyhow::{Context, bail};
use invoices::InvoiceId;
use kernel::{AccountId, Currency, Id, Money, PublicUrls, SealingKeys};
use payments::{ChargeId, ChargeReport, ChargeState, MethodKind, OnlinePayments, Settled};

use super::case::use_case_in_turns;
use super::environment::Environment;
use super::figure::{Figure, Goal};
use super::script::SETTLE;
use super::tenants::{TAKES_CENTS, scattered, turn};
use crate::fixtures::database::DatabaseKind;

pub(super) const NAME: &str = "a settled charge (use case, no HTTP)";

/// How many charges are settled before the measurement.
const WARM_UP: u32 = 2_000;

/// A charge of a gateway for each call, spread over the open invoices.
struct Charges {
    payments: OnlinePayments,
    open: Vec<(AccountId, InvoiceId)>,
    currency: Currency,
    next: AtomicU64,
}

/// Measures settling in turns with the database's statements for it.
pub(super) async fn measure(environment: &Environment) -> anyhow::Result<Vec<Figure>> {
    prepare(environment)?;
    let deps = &environment.database.deps;
    let urls = PublicUrls::new("http://127.0.0.1");
    // This use case seals and opens no secrets.
    let keys = Arc::new(SealingKeys::new(&[0; 32], None));
    let payments = deps.online_payments(&urls, keys)?;
    let (open, currency) = (environment.tenants.open.clone(), Currency::parse("AUD")?);
    let charges = Arc::new(Charges { payments, open, currency, next: AtomicU64::new(0) });
    charges.warm_up(environment).await?;
    let mut figures = Vec::new();
    for connections in &environment.options.connections {
        figures.push(in_turns(environment, &charges, *connections).await?);
    }
    environment.sql("DELETE FROM jobs;")?;
    Ok(figures)
}

async fn in_turns(
    environment: &Environment,
    charges: &Arc<Charges>,
    connections: u32,
) -> anyhow::Result<Figure> {
    let script = SETTLE.over(1, u32::try_from(charges.open.len())?);
    let clients = vec![charges.clone(); usize::try_from(connections)?];
    let figure = use_case_in_turns(environment, NAME, script, clients, |charges| async move {
        charges.settle_one().await?;
        Ok(charges)
    });
    let goal = (connections == 8).then_some(Goal::Ratio(0.6));
    Ok(Figure { goal, ..figure.await? })
}

impl Charges {
    /// PostgreSQL plans a prepared statement for the current size of the tables, which are empty here, and
    /// keeps the plan until the next ANALYZE.
    async fn warm_up(&self, environment: &Environment) -> anyhow::Result<()> {
        for _ in 0..WARM_UP {
            self.settle_one().await?;
        }
        match environment.database.kind {
            DatabaseKind::Postgres | DatabaseKind::Citus => environment.sql("ANALYZE;"),
            DatabaseKind::Sqlite => Ok(()),
        }
    }

    /// Settles a charge of a cent.
    async fn settle_one(&self) -> anyhow::Result<()> {
        let n = self.next.fetch_add(1, Ordering::Relaxed);
        let (account, invoice) = turn(&self.open, scattered(n))?;
        let report = ChargeReport {
            id: ChargeId(format!("ch_{n}")),
            intent: Some(Id::from_uuid(invoice.uuid())),
            account: Some(*account),
            state: ChargeState::Succeeded,
            amount: Money::new(1, self.currency),
            method: MethodKind::Card,
            captured_at: self.payments.invoicing.clock.now(),
            reversals: Vec::new(),
        };
        let gateway = (*account, Id::from_uuid(account.uuid()));
        match self.payments.settle(gateway, &report).await.context(NAME)? {
            Settled::Stored(charge) if charge.applied == report.amount => Ok(()),
            other => bail!("a charge was not applied: {other:?}"),
        }
    }
}

/// Creates a connection for each account, with the account's id, and an intent for each open invoice, with
/// the invoice's id.
fn prepare(environment: &Environment) -> anyhow::Result<()> {
    let (now, secret) = match environment.database.kind {
        DatabaseKind::Postgres | DatabaseKind::Citus => ("now()", "'\\x00'"),
        DatabaseKind::Sqlite => ("CAST(unixepoch('subsec') * 1000000 AS integer)", "x'00'"),
    };
    environment.sql(&format!(
        "INSERT INTO gateway_accounts (account_id, id, kind, secret_key, connected_at) \
         SELECT id, id, 'stripe', {secret}, {now} FROM accounts; \
         INSERT INTO payment_intents \
         (account_id, id, invoice_id, gateway_account_id, amount, currency, state, pay_token, created_at, expires_at) \
         SELECT account_id, id, id, account_id, 1, currency, 'ended', coalesce(pay_token, ''), {now}, {now} \
         FROM invoices WHERE total > {TAKES_CENTS} AND status <> 'DRAFT';"
    ))
}
