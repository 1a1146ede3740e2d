//! Payments, measured at the use case: no route of the public API records one.

use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::{Duration, Instant};

use anyhow::Context;
use indicatif::ProgressBar;
use invoices::{InvoiceId, Invoicing, NewPayment, PaymentMethod, RecordedBy};
use kernel::{AccountId, PublicUrls};
use tokio::task::JoinSet;

use super::environment::Environment;
use super::figure::{Figure, FloorRatio, Goal, Spread};
use super::floor::RECORD_PAYMENT;
use super::load::LoadResult;
use super::measure::median;
use super::options::Options;
use crate::fixtures::database_kind::Kind;

pub(super) const NAME: &str = "a payment (use case, no HTTP)";

/// Measures payments in turns with what the database does for them.
pub(super) async fn measure(
    environment: &Environment,
    connections: u32,
    options: &Options,
    progress: &ProgressBar,
) -> anyhow::Result<Figure> {
    let invoicing = Arc::new(invoicing(environment));
    let next = Arc::new(AtomicUsize::new(0));
    let script = RECORD_PAYMENT.over(1, u32::try_from(environment.tenants.open.len())?);
    let (mut service, mut floor, mut p50, mut p99) = (Vec::new(), Vec::new(), Vec::new(), Vec::new());
    for round in 0..options.rounds.max(1) {
        progress.set_message(format!(
            "{}: {NAME}, {connections} at once, round {}",
            environment.kind.name(),
            round.saturating_add(1)
        ));
        for turn in 0..2_u32 {
            if turn.wrapping_add(round) % 2 == 0 {
                let paid = run_load(environment, &invoicing, &next, connections, options.span()).await?;
                service.push(paid.per_second());
                p50.push(paid.percentile(50));
                p99.push(paid.percentile(99));
            } else {
                floor.push(script.run(environment, connections, options.span()).await?);
            }
        }
    }
    let mut figure =
        Figure::plain(environment.kind, NAME, "/s", Spread::of(service.clone()).unwrap_or_default());
    figure.connections = Some(connections);
    figure.store = FloorRatio::of(&service, &floor);
    figure.latency = median(p50).zip(median(p99));
    Ok(match (environment.kind, connections) {
        (Kind::Sqlite, 8) => figure.with_goal(Goal::Ratio(0.6)),
        _ => figure,
    })
}

fn invoicing(environment: &Environment) -> Invoicing {
    environment.deps.invoicing(&environment.settings, &PublicUrls::new("http://127.0.0.1"))
}

async fn run_load(
    environment: &Environment,
    invoicing: &Arc<Invoicing>,
    next: &Arc<AtomicUsize>,
    connections: u32,
    span: Duration,
) -> anyhow::Result<LoadResult> {
    let begun = Instant::now();
    let mut paying = JoinSet::new();
    for _ in 0..connections {
        let (invoicing, next, open) = (invoicing.clone(), next.clone(), environment.tenants.open.clone());
        paying.spawn(async move {
            let mut micros = Vec::new();
            while begun.elapsed() < span {
                let turn = next.fetch_add(1, Ordering::Relaxed);
                let before = Instant::now();
                pay(&invoicing, &open, turn).await?;
                micros.push(u32::try_from(before.elapsed().as_micros())?);
            }
            anyhow::Ok(micros)
        });
    }
    let mut micros = Vec::new();
    while let Some(paid) = paying.join_next().await {
        micros.extend(paid??);
    }
    Ok(LoadResult::new(micros, begun.elapsed()))
}

/// Pays a cent on an invoice, which is returned.
pub(super) async fn pay(
    invoicing: &Invoicing,
    open: &[(AccountId, InvoiceId)],
    turn: usize,
) -> anyhow::Result<InvoiceId> {
    let place = turn.wrapping_mul(7_919).checked_rem(open.len()).unwrap_or(0);
    let (account, invoice) = open.get(place).context("no invoice takes payments")?;
    let payment = NewPayment {
        amount: "0.01".to_owned(),
        method: PaymentMethod::BankTransfer,
        reference: None,
        received_at: None,
        recorded_by: RecordedBy::Operator,
    };
    invoicing.record_payment(*account, *invoice, &payment).await?;
    Ok(*invoice)
}
