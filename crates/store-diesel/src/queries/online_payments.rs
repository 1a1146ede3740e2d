//! Online payments inside a transaction.

use ::invoices::{Addressee, Invoice, InvoiceId, InvoicingTx, OpenCheckouts};
use ::payments::{
    AccountPayments, Charge, ChargeRowId, GatewayAccount, GatewayAccountId, GatewayTask, Intent, IntentId,
    OnlineStore, OnlineTx, Payee, Payer, PaymentSettings, PaymentTerms, RefundState, Reversal,
    ReversalReason, SettlementContext, StoredGatewayEvent,
};
use async_trait::async_trait;
use diesel::dsl::{AsSelect, auto_type, sql};
use diesel::prelude::*;
use diesel::query_builder::{AstPass, Query, QueryFragment, QueryId};
use diesel::sql_types::Bool;
use kernel::{AccountId, EmailAddress, Ids, Named as _, StoreResult, TimeZone};
use mail::NoticeRecipient;
use store_schema::rows::{ChargeRow, GatewayAccountRow, IntentRow, ReversalRow, silenced_from_row};
use store_schema::schema::{
    accounts, charge_reversals, charges, contacts, gateway_accounts, gateway_events, logins, payment_intents,
    payment_settings,
};
use store_schema::types::{RowId, RowInstant, Uid};
use time::OffsetDateTime;

use super::columns::columns_of;
use super::database::Database;
use super::gateway_accounts::{gateways_of, gateways_query};
use super::jobs;
use super::old_rows::Old;
use super::owner_settings;
use super::payment_settings::{settings_of, settings_query};
use super::purpose::Purpose;
use super::run_statements::RunStatements as _;
use super::transaction::Transaction;
use super::unit_of_work::{UnitOfWork, parts};
use crate::dialect::{Db, FullyLocked, KeyLocked, Locked, together};

#[async_trait]
impl OnlineStore for Database {
    async fn begin(&self, account: AccountId) -> StoreResult<Box<dyn OnlineTx>> {
        Ok(Box::new(UnitOfWork::new(self, account)))
    }

    async fn record_listed_until(&self, gateway: &GatewayAccount, until: OffsetDateTime) -> StoreResult<()> {
        let mut tx = Transaction::new(self.pool.clone(), Purpose::Batch);
        let statement = diesel::update(gateway_accounts::table)
            .filter(gateway_accounts::account_id.eq(RowId::from(gateway.account)))
            .filter(gateway_accounts::id.eq(RowId::from(gateway.id)))
            .set(gateway_accounts::listed_until.eq(RowInstant(until)));
        tx.execute(statement).await?;
        tx.commit().await
    }

    async fn prune_events(&self, received_before: OffsetDateTime, limit: u32) -> StoreResult<u64> {
        let old = Old {
            table: "gateway_events",
            key: "account_id, gateway_account_id, event_id",
            condition: "received_at < $1",
            order: "received_at",
        };
        old.remove(&self.pool, received_before, limit).await
    }
}

impl OnlineTx for UnitOfWork<AccountId> {
    parts!(online: AccountPayments, invoicing: InvoicingTx);
}

type PayeeRow = (String, i16, String, String, bool, bool);

#[auto_type]
fn payee_query(account: RowId) -> _ {
    let own = logins::account_id.eq(accounts::id).and(logins::id.eq(accounts::id));
    let columns = (
        logins::email,
        accounts::silenced_notices,
        accounts::company_name,
        accounts::time_zone,
        accounts::disabled_by_partner,
        accounts::disabled_by_operator,
    );
    accounts::table.inner_join(logins::table.on(own)).filter(accounts::id.eq(account)).select(columns)
}

/// The contact of an invoice.
#[auto_type]
fn payer_query(account: RowId, contact: Option<RowId>) -> _ {
    contacts::table
        .filter(contacts::account_id.eq(account))
        .filter(contacts::id.nullable().eq(contact))
        .select((contacts::id, contacts::name, contacts::email))
}

fn payer_of((contact, name, email): (RowId, String, Option<String>)) -> Option<Payer> {
    let contact = Addressee::new(contact.id());
    email.map(|email| Payer { contact, name, email: EmailAddress::from_stored(email) })
}

#[auto_type]
fn charges_query(account: RowId, invoice: RowId) -> _ {
    let columns: AsSelect<ChargeRow, Db> = columns_of::<ChargeRow>();
    charges::table
        .filter(charges::account_id.eq(account))
        .filter(charges::invoice_id.eq(invoice))
        .order(charges::id)
        .select(columns)
}

fn charges_of(rows: Vec<ChargeRow>) -> StoreResult<Vec<Charge>> {
    rows.into_iter().map(Charge::try_from).collect()
}

fn payee_of(account: AccountId, row: PayeeRow) -> Payee {
    let (email, off, company_name, zone, by_partner, by_operator) = row;
    let email = EmailAddress::from_stored(email);
    Payee {
        owner: NoticeRecipient { account, email, silenced: silenced_from_row(off) },
        company_name,
        time_zone: TimeZone::from_stored(&zone),
        is_active: !by_partner && !by_operator,
    }
}

/// Expires the open intents of an invoice. Written by hand, since diesel prepares its own updates for each
/// execution.
#[derive(QueryId)]
struct ExpireOpen {
    account: RowId,
    invoice: RowId,
}

impl Query for ExpireOpen {
    type SqlType = Uid;
}

impl QueryFragment<Db> for ExpireOpen {
    fn walk_ast<'b>(&'b self, mut out: AstPass<'_, 'b, Db>) -> QueryResult<()> {
        out.push_sql("UPDATE payment_intents SET state = 'expiring' WHERE account_id = ");
        out.push_bind_param::<Uid, _>(&self.account)?;
        out.push_sql(" AND invoice_id = ");
        out.push_bind_param::<Uid, _>(&self.invoice)?;
        out.push_sql(" AND state IN ('opening', 'open') RETURNING id");
        Ok(())
    }
}

#[async_trait]
impl OpenCheckouts for UnitOfWork<AccountId> {
    async fn expire(&mut self, invoice: InvoiceId, ids: &dyn Ids, now: OffsetDateTime) -> StoreResult<()> {
        let open = ExpireOpen { account: self.account(), invoice: invoice.into() };
        let open: Vec<RowId> = self.tx.fetch_all(open).await?;
        for id in open {
            let task = GatewayTask::Expire { intent: id.0 };
            let (account, job) = (self.account(), task.into_job(self.scope, Some(invoice), ids, now));
            jobs::queue(&mut self.tx, account, job).await?;
        }
        Ok(())
    }
}

#[async_trait]
impl AccountPayments for UnitOfWork<AccountId> {
    async fn payee(&mut self) -> StoreResult<Option<Payee>> {
        let found = self.tx.fetch_optional(payee_query(self.account())).await?;
        Ok(found.map(|row| payee_of(self.scope, row)))
    }

    async fn payer(&mut self, invoice: &Invoice) -> StoreResult<Option<Payer>> {
        let contact = invoice.contact.as_ref().map(|contact| contact.id.into());
        let found = self.tx.fetch_optional(payer_query(self.account(), contact)).await?;
        Ok(found.and_then(payer_of))
    }

    async fn settlement_context(&mut self, invoice: &Invoice) -> StoreResult<Option<SettlementContext>> {
        let account = self.account();
        let (payee, settings) = (payee_query(account), settings_query(account));
        let charges = charges_query(account, invoice.id.into());
        let payer = Locked(payer_query(account, invoice.contact.as_ref().map(|contact| contact.id.into())));
        let found = together!(self.tx.conn().await?; payee, settings, charges, payer);
        let (mut payee, mut settings, charges, mut payer) = self.tx.settle(found)?;
        let Some(payee) = payee.pop() else {
            return Ok(None);
        };
        Ok(Some(SettlementContext {
            payee: payee_of(self.scope, payee),
            settings: settings_of(self.scope, settings.pop())?,
            charges: charges_of(charges)?,
            payer: payer.pop().and_then(payer_of),
        }))
    }

    async fn lock_account(&mut self) -> StoreResult<bool> {
        let account = self.account();
        let own = Locked(accounts::table.filter(accounts::id.eq(account)).select(accounts::id));
        let locked: Option<RowId> = self.tx.fetch_optional(own).await?;
        Ok(locked.is_some())
    }

    async fn settings(&mut self) -> StoreResult<PaymentSettings> {
        let found = self.tx.fetch_optional(settings_query(self.account())).await?;
        settings_of(self.scope, found)
    }

    async fn lock_terms(&mut self) -> StoreResult<Option<PaymentTerms>> {
        let Some((_zone, promise_days)) = owner_settings::lock(&mut self.tx, self.scope).await? else {
            return Ok(None);
        };
        Ok(Some(PaymentTerms { promise_days, online: self.settings().await? }))
    }

    async fn set_promise_days(&mut self, days: u16) -> StoreResult<()> {
        owner_settings::set_promise_days(&mut self.tx, self.scope, days).await
    }

    async fn put_settings(&mut self, settings: &PaymentSettings) -> StoreResult<()> {
        let row = (
            payment_settings::account_id.eq(self.account()),
            payment_settings::minimum_percent.eq(i16::from(settings.minimum_percent)),
            payment_settings::unapplied.eq(settings.unapplied.as_str()),
        );
        let statement = diesel::insert_into(payment_settings::table)
            .values(row)
            .on_conflict(payment_settings::account_id)
            .do_update()
            .set((
                payment_settings::minimum_percent.eq(i16::from(settings.minimum_percent)),
                payment_settings::unapplied.eq(settings.unapplied.as_str()),
            ));
        self.tx.execute(statement).await?;
        Ok(())
    }

    async fn gateways(&mut self) -> StoreResult<Vec<GatewayAccount>> {
        let found = self.tx.fetch_all(KeyLocked(gateways_query(self.account()))).await?;
        gateways_of(found)
    }

    async fn lock_gateways(&mut self) -> StoreResult<Vec<GatewayAccount>> {
        let found = self.tx.fetch_all(FullyLocked(gateways_query(self.account()))).await?;
        gateways_of(found)
    }

    async fn put_gateway(&mut self, gateway: &GatewayAccount) -> StoreResult<()> {
        let row = GatewayAccountRow { account_id: self.account(), ..gateway.into() };
        let statement = diesel::insert_into(gateway_accounts::table)
            .values(&row)
            .on_conflict((gateway_accounts::account_id, gateway_accounts::id))
            .do_update()
            .set(&row);
        self.tx.execute(statement).await?;
        Ok(())
    }

    async fn has_open_intents(
        &mut self,
        gateway: GatewayAccountId,
        begun_before: OffsetDateTime,
    ) -> StoreResult<bool> {
        let query = payment_intents::table
            .filter(payment_intents::account_id.eq(self.account()))
            .filter(payment_intents::gateway_account_id.eq(RowId::from(gateway)))
            .filter(sql::<Bool>("state <> 'ended'"))
            .filter(payment_intents::created_at.lt(RowInstant(begun_before)))
            .select(payment_intents::id)
            .limit(1);
        let found: StoreResult<Option<RowId>> = self.tx.fetch_optional(query).await;
        found.map(|found| found.is_some())
    }

    async fn has_waiting_refunds(
        &mut self,
        gateway: GatewayAccountId,
        begun_before: OffsetDateTime,
        requested_since: OffsetDateTime,
    ) -> StoreResult<bool> {
        let of_charge = charge_reversals::account_id
            .eq(charges::account_id)
            .and(charge_reversals::charge_id.eq(charges::id));
        let of_intent = charges::account_id
            .eq(payment_intents::account_id)
            .and(charges::intent_id.eq(payment_intents::id));
        let query = charge_reversals::table
            .inner_join(charges::table.on(of_charge))
            .inner_join(payment_intents::table.on(of_intent))
            .filter(charge_reversals::account_id.eq(self.account()))
            .filter(charge_reversals::state.ne(RefundState::Succeeded.as_str()))
            .filter(
                charge_reversals::reason
                    .eq_any([ReversalReason::Return, ReversalReason::Refund].map(|reason| reason.as_str())),
            )
            .filter(charge_reversals::created_at.ge(RowInstant(requested_since)))
            .filter(charges::gateway_account_id.eq(RowId::from(gateway)))
            .filter(payment_intents::created_at.lt(RowInstant(begun_before)))
            .select(charge_reversals::id)
            .limit(1);
        let found: StoreResult<Option<RowId>> = self.tx.fetch_optional(query).await;
        found.map(|found| found.is_some())
    }

    async fn open_intents_since(
        &mut self,
        gateway: GatewayAccountId,
        begun_since: OffsetDateTime,
    ) -> StoreResult<Vec<(IntentId, InvoiceId)>> {
        let query = payment_intents::table
            .filter(payment_intents::account_id.eq(self.account()))
            .filter(payment_intents::gateway_account_id.eq(RowId::from(gateway)))
            .filter(sql::<Bool>("state <> 'ended'"))
            .filter(payment_intents::created_at.ge(RowInstant(begun_since)))
            .select((payment_intents::id, payment_intents::invoice_id));
        let found: Vec<(RowId, RowId)> = self.tx.fetch_all(query).await?;
        Ok(found.into_iter().map(|(id, invoice)| (id.id(), invoice.id())).collect())
    }

    async fn intent(&mut self, id: IntentId) -> StoreResult<Option<Intent>> {
        let query =
            payment_intents::table.find((self.account(), RowId::from(id))).select(columns_of::<IntentRow>());
        let found: Option<IntentRow> = self.tx.fetch_optional(query).await?;
        found.map(Intent::try_from).transpose()
    }

    async fn open_intents(&mut self, invoice: InvoiceId) -> StoreResult<Vec<Intent>> {
        let query = payment_intents::table
            .filter(payment_intents::account_id.eq(self.account()))
            .filter(payment_intents::invoice_id.eq(RowId::from(invoice)))
            .filter(sql::<Bool>("state <> 'ended'"))
            .order(payment_intents::id)
            .select(columns_of::<IntentRow>());
        let found: Vec<IntentRow> = self.tx.fetch_all(query).await?;
        found.into_iter().map(Intent::try_from).collect()
    }

    async fn put_intent(&mut self, intent: &Intent) -> StoreResult<()> {
        let row = IntentRow { account_id: self.account(), ..intent.into() };
        let statement = diesel::insert_into(payment_intents::table)
            .values(&row)
            .on_conflict((payment_intents::account_id, payment_intents::id))
            .do_update()
            .set(&row);
        self.tx.execute(statement).await?;
        Ok(())
    }

    async fn charges(&mut self, invoice: InvoiceId) -> StoreResult<Vec<Charge>> {
        let found = self.tx.fetch_all(charges_query(self.account(), invoice.into())).await?;
        charges_of(found)
    }

    async fn add_charge(&mut self, charge: &Charge) -> StoreResult<()> {
        self.tx.store_charge(ChargeRow { account_id: self.account(), ..charge.into() });
        Ok(())
    }

    async fn update_charge(&mut self, charge: &Charge) -> StoreResult<()> {
        let row = ChargeRow { account_id: self.account(), ..charge.into() };
        let statement =
            diesel::update(charges::table.find((self.account(), RowId::from(charge.id)))).set(&row);
        self.tx.execute(statement).await?;
        Ok(())
    }

    async fn reversals(&mut self, charge: ChargeRowId) -> StoreResult<Vec<Reversal>> {
        let query = charge_reversals::table
            .filter(charge_reversals::account_id.eq(self.account()))
            .filter(charge_reversals::charge_id.eq(RowId::from(charge)))
            .order(charge_reversals::id)
            .select(columns_of::<ReversalRow>());
        let found: Vec<ReversalRow> = self.tx.fetch_all(query).await?;
        found.into_iter().map(Reversal::try_from).collect()
    }

    async fn put_reversal(&mut self, reversal: &Reversal) -> StoreResult<()> {
        for charge in self.tx.take_charges() {
            let insert = diesel::insert_into(charges::table).values(charge);
            self.tx.execute_unique(insert).await?;
        }
        let row = ReversalRow { account_id: self.account(), ..reversal.into() };
        let statement = diesel::insert_into(charge_reversals::table)
            .values(&row)
            .on_conflict((charge_reversals::account_id, charge_reversals::id))
            .do_update()
            .set(&row);
        self.tx.execute_unique(statement).await?;
        Ok(())
    }

    async fn store_event(&mut self, event: &StoredGatewayEvent) -> StoreResult<bool> {
        let row = (
            gateway_events::account_id.eq(self.account()),
            gateway_events::gateway_account_id.eq(RowId::from(event.gateway_account)),
            gateway_events::event_id.eq(&event.id),
            gateway_events::received_at.eq(RowInstant(event.received_at)),
        );
        let statement = diesel::insert_into(gateway_events::table).values(row).on_conflict_do_nothing();
        Ok(self.tx.execute(statement).await? > 0)
    }
}
