//! Reading online payments outside any transaction.

use std::collections::HashMap;

use ::invoices::{InvoiceId, PayToken, PaymentId};
use ::payments::{
    Charge, CheckoutId, GatewayAccount, GatewayAccountId, Intent, IntentId, OfAllAccounts, OnlineFigures,
    OnlineReads, PaymentSettings, PaymentsOfInvoice, Reversal, ReversalId,
};
use async_trait::async_trait;
use diesel::dsl::sql;
use diesel::prelude::*;
use diesel::sql_types::Bool;
use kernel::{AccountId, StoreResult};
use store_schema::rows::{
    ChargeRow, GatewayAccountRow, IntentRow, OnlineAmountRow, ReversalRow, SPLIT_UNIT, online_figures,
};
use store_schema::schema::{charge_reversals, charges, gateway_accounts, payment_intents};
use store_schema::types::{Instant, RowId, RowInstant, Uid};
use time::OffsetDateTime;
use uuid::Uuid;

use super::columns::columns_of;
use super::database::Database;
use super::gateway_accounts::{gateways_after, gateways_of, gateways_query};
use super::payment_settings::{settings_of, settings_query};
use super::run_statements::RunStatements as _;
use crate::dialect::together;

type ChargeWithReversal = (ChargeRow, Option<ReversalRow>);

/// Groups rows, ordered by charge, into charges with their reversals.
fn grouped(rows: Vec<ChargeWithReversal>) -> StoreResult<Vec<(Charge, Vec<Reversal>)>> {
    let mut list: Vec<(Charge, Vec<Reversal>)> = Vec::new();
    for (charge, reversal) in rows {
        let charge = Charge::try_from(charge)?;
        let reversal = reversal.map(Reversal::try_from).transpose()?;
        match list.last_mut() {
            Some((last, reversals)) if last.id == charge.id => reversals.extend(reversal),
            _ => list.push((charge, reversal.into_iter().collect())),
        }
    }
    Ok(list)
}

fn figures() -> String {
    format!(
        "SELECT currency, what, CAST(sum(amount / {SPLIT_UNIT}) AS bigint) AS units, \
         CAST(sum(amount % {SPLIT_UNIT}) AS bigint) AS rest FROM (\
         SELECT currency, 0 AS what, amount FROM charges WHERE account_id = $1 AND state = 'pending' \
         UNION ALL SELECT currency, 0, amount FROM payment_intents AS i \
         WHERE account_id = $1 AND state <> 'ended' AND state = 'pending' AND NOT EXISTS (SELECT 1 FROM charges \
         WHERE account_id = $1 AND invoice_id = i.invoice_id AND intent_id = i.id AND state <> 'failed') \
         UNION ALL SELECT currency, 1, amount FROM charges \
         WHERE account_id = $1 AND state = 'succeeded' AND captured_at >= $2 \
         UNION ALL SELECT currency, 2, amount FROM charge_reversals \
         WHERE account_id = $1 AND state = 'succeeded' AND succeeded_at >= $2 \
         UNION ALL SELECT currency, 3, amount FROM charge_reversals \
         WHERE account_id = $1 AND state <> 'succeeded' AND reason IN ('return', 'refund')\
         ) AS amounts GROUP BY currency, what"
    )
}

#[async_trait]
impl OnlineReads for Database {
    async fn intent(&self, account: AccountId, id: IntentId) -> StoreResult<Option<Intent>> {
        let mut connection = self.pool.of(account.into()).read().await?;
        let query = payment_intents::table
            .filter(payment_intents::account_id.eq(RowId::from(account)))
            .filter(payment_intents::id.eq(RowId::from(id)))
            .select(columns_of::<IntentRow>());
        let found: Option<IntentRow> = connection.fetch_optional(query).await?;
        found.map(Intent::try_from).transpose()
    }

    async fn intent_of(
        &self,
        account: AccountId,
        gateway: GatewayAccountId,
        checkout: &CheckoutId,
    ) -> StoreResult<Option<Intent>> {
        let mut connection = self.pool.of(account.into()).read().await?;
        let query = payment_intents::table
            .filter(payment_intents::account_id.eq(RowId::from(account)))
            .filter(payment_intents::checkout_id.eq(&checkout.0))
            .filter(payment_intents::gateway_account_id.eq(RowId::from(gateway)))
            .select(columns_of::<IntentRow>())
            .limit(1);
        let found: Option<IntentRow> = connection.fetch_optional(query).await?;
        found.map(Intent::try_from).transpose()
    }

    async fn latest_intent(&self, token: &PayToken) -> StoreResult<Option<Intent>> {
        let mut connection = self.pool.of(token.account().into()).read().await?;
        let query = payment_intents::table
            .filter(payment_intents::account_id.eq(RowId::from(token.account())))
            .filter(payment_intents::pay_token.eq(token.reveal()))
            .order(payment_intents::id.desc())
            .select(columns_of::<IntentRow>())
            .limit(1);
        let found: Option<IntentRow> = connection.fetch_optional(query).await?;
        found.map(Intent::try_from).transpose()
    }

    async fn gateway(&self, account: AccountId, id: GatewayAccountId) -> StoreResult<Option<GatewayAccount>> {
        let mut connection = self.pool.read().await?;
        let query = gateway_accounts::table
            .filter(gateway_accounts::account_id.eq(RowId::from(account)))
            .filter(gateway_accounts::id.eq(RowId::from(id)))
            .select(columns_of::<GatewayAccountRow>());
        let found: Option<GatewayAccountRow> = connection.fetch_optional(query).await?;
        found.map(GatewayAccount::try_from).transpose()
    }

    async fn gateway_by_id(&self, id: GatewayAccountId) -> StoreResult<Option<GatewayAccount>> {
        let mut connection = self.pool.read().await?;
        let query = gateway_accounts::table
            .filter(gateway_accounts::id.eq(RowId::from(id)))
            .select(columns_of::<GatewayAccountRow>())
            .limit(1);
        let found: Option<GatewayAccountRow> = connection.fetch_optional(query).await?;
        found.map(GatewayAccount::try_from).transpose()
    }

    async fn gateways(&self, account: AccountId) -> StoreResult<Vec<GatewayAccount>> {
        let mut connection = self.pool.read().await?;
        let found = connection.fetch_all(gateways_query(account.into())).await?;
        gateways_of(found)
    }

    async fn all_gateways(
        &self,
        after: Option<(AccountId, GatewayAccountId)>,
        limit: u32,
    ) -> StoreResult<OfAllAccounts<GatewayAccountId, GatewayAccount>> {
        let mut connection = self.pool.read_shared().await?;
        let query = gateways_after(after, limit).select(columns_of::<GatewayAccountRow>());
        let found: Vec<GatewayAccountRow> = connection.fetch_all(query).await?;
        Ok(found.into_iter().map(|row| ((row.account_id.id(), row.id.id()), row.try_into())).collect())
    }

    async fn replaced_keys(
        &self,
        in_force_before: OffsetDateTime,
        after: Option<(AccountId, GatewayAccountId)>,
        limit: u32,
    ) -> StoreResult<Vec<(AccountId, GatewayAccountId)>> {
        let mut connection = self.pool.read_shared().await?;
        let query = gateways_after(after, limit)
            .filter(gateway_accounts::next_key.is_not_null())
            .filter(gateway_accounts::next_key_in_force_at.le(RowInstant(in_force_before)))
            .select((gateway_accounts::account_id, gateway_accounts::id));
        let found: Vec<(RowId, RowId)> = connection.fetch_all(query).await?;
        Ok(found.into_iter().map(|(account, id)| (account.id(), id.id())).collect())
    }

    async fn open_intents(
        &self,
        after: Option<(AccountId, IntentId)>,
        limit: u32,
    ) -> StoreResult<OfAllAccounts<IntentId, Intent>> {
        let nowhere = (RowId(Uuid::nil()), RowId(Uuid::nil()));
        let (account, id) = after.map_or(nowhere, |(account, id)| (account.into(), id.into()));
        let behind = payment_intents::account_id
            .gt(account)
            .or(payment_intents::account_id.eq(account).and(payment_intents::id.gt(id)));
        let mut connection = self.pool.read_shared().await?;
        let query = payment_intents::table
            .filter(sql::<Bool>("state <> 'ended'"))
            .filter(behind)
            .order((payment_intents::account_id, payment_intents::id))
            .limit(i64::from(limit))
            .select(columns_of::<IntentRow>());
        let found: Vec<IntentRow> = connection.fetch_all(query).await?;
        Ok(found.into_iter().map(|row| ((row.account_id.id(), row.id.id()), row.try_into())).collect())
    }

    async fn of_invoice(&self, account: AccountId, invoice: InvoiceId) -> StoreResult<PaymentsOfInvoice> {
        let row = RowId::from(account);
        let gateways = gateways_query(row);
        let settings = settings_query(row);
        let of_charge = charge_reversals::account_id
            .eq(charges::account_id)
            .and(charge_reversals::charge_id.eq(charges::id));
        let rows = charges::table
            .left_join(charge_reversals::table.on(of_charge))
            .filter(charges::account_id.eq(row))
            .filter(charges::invoice_id.eq(RowId::from(invoice)))
            .select((columns_of::<ChargeRow>(), columns_of::<Option<ReversalRow>>()));
        let pending = payment_intents::table
            .filter(payment_intents::account_id.eq(row))
            .filter(payment_intents::invoice_id.eq(RowId::from(invoice)))
            .filter(payment_intents::state.eq("pending"))
            .select(columns_of::<IntentRow>());
        let mut connection = self.pool.of(account.into()).read().await?;
        let found = together!(connection.conn()?; gateways, settings, rows, pending);
        let found: (Vec<GatewayAccountRow>, Vec<(i16, String)>, Vec<ChargeWithReversal>, Vec<IntentRow>) =
            connection.settle(found)?;
        let (gateways, mut settings, mut rows, mut pending) = found;
        // Sorted here: in this order SQLite would read all charges and intents of the account.
        rows.sort_by_key(|(charge, _)| charge.id);
        pending.sort_unstable_by_key(|row| row.id);
        let mut found = PaymentsOfInvoice {
            gateways: gateways_of(gateways)?,
            settings: settings_of(account, settings.pop())?,
            pending: pending.into_iter().map(Intent::try_from).collect::<StoreResult<_>>()?,
            ..PaymentsOfInvoice::default()
        };
        for (charge, reversals) in grouped(rows)? {
            found.charges.push(charge);
            found.reversals.extend(reversals);
        }
        Ok(found)
    }

    async fn settings(&self, account: AccountId) -> StoreResult<PaymentSettings> {
        let mut connection = self.pool.of(account.into()).read().await?;
        let found = connection.fetch_optional(settings_query(account.into())).await?;
        settings_of(account, found)
    }

    async fn charges(&self, account: AccountId, limit: u32) -> StoreResult<Vec<(Charge, Vec<Reversal>)>> {
        let mut connection = self.pool.of(account.into()).read().await?;
        let newest = charges::table
            .filter(charges::account_id.eq(RowId::from(account)))
            .order(charges::id.desc())
            .limit(i64::from(limit))
            .select(columns_of::<ChargeRow>());
        // Read apart, of one snapshot: in a join the limit would count reversals.
        connection.begin_reading().await?;
        let newest: Vec<ChargeRow> = connection.fetch_all(newest).await?;
        let oldest = newest.last().map_or(RowId(Uuid::max()), |charge| charge.id);
        let reversals = charge_reversals::table
            .filter(charge_reversals::account_id.eq(RowId::from(account)))
            .filter(charge_reversals::charge_id.ge(oldest))
            .order(charge_reversals::id)
            .select(columns_of::<ReversalRow>());
        let reversals: Vec<ReversalRow> = connection.fetch_all(reversals).await?;
        connection.end_reading().await?;
        let mut of_charge: HashMap<RowId, Vec<Reversal>> = HashMap::new();
        for row in reversals {
            of_charge.entry(row.charge_id).or_default().push(Reversal::try_from(row)?);
        }
        let with_reversals = |row: ChargeRow| {
            let reversals = of_charge.remove(&row.id).unwrap_or_default();
            Ok((Charge::try_from(row)?, reversals))
        };
        newest.into_iter().map(with_reversals).collect()
    }

    async fn unaccounted(
        &self,
        account: AccountId,
        invoices_since: OffsetDateTime,
    ) -> StoreResult<Vec<String>> {
        self.unaccounted_charges(account, invoices_since).await
    }

    async fn figures(&self, account: AccountId, since: OffsetDateTime) -> StoreResult<Vec<OnlineFigures>> {
        let mut connection = self.pool.of(account.into()).read().await?;
        let query = diesel::sql_query(figures())
            .bind::<Uid, _>(RowId::from(account))
            .bind::<Instant, _>(RowInstant(since));
        let rows: Vec<OnlineAmountRow> = connection.fetch_all(query).await?;
        online_figures(rows)
    }

    async fn charge_of(&self, account: AccountId, payment: PaymentId) -> StoreResult<Option<Charge>> {
        let mut connection = self.pool.of(account.into()).read().await?;
        let query = charges::table
            .filter(charges::account_id.eq(RowId::from(account)))
            .filter(charges::payment_id.eq(RowId::from(payment)))
            .select(columns_of::<ChargeRow>());
        let found: Option<ChargeRow> = connection.fetch_optional(query).await?;
        found.map(Charge::try_from).transpose()
    }

    async fn reversal(&self, account: AccountId, id: ReversalId) -> StoreResult<Option<(Charge, Reversal)>> {
        let mut connection = self.pool.of(account.into()).read().await?;
        let of_charge = charges::account_id
            .eq(charge_reversals::account_id)
            .and(charges::id.eq(charge_reversals::charge_id));
        let query = charge_reversals::table
            .inner_join(charges::table.on(of_charge))
            .filter(charge_reversals::account_id.eq(RowId::from(account)))
            .filter(charge_reversals::id.eq(RowId::from(id)))
            .select((columns_of::<ChargeRow>(), columns_of::<ReversalRow>()));
        let found: Option<(ChargeRow, ReversalRow)> = connection.fetch_optional(query).await?;
        found.map(|(charge, reversal)| Ok((charge.try_into()?, reversal.try_into()?))).transpose()
    }
}
