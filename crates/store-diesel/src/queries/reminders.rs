//! Reminders: decided inside a transaction, and read outside.

use std::collections::HashSet;

use ::contacts::ContactId;
use ::invoices::InvoiceId;
use async_trait::async_trait;
use communications::{
    AccountFacts, ContactReminders, DecidedStep, DecidedStepId, MessageId, NewDecision, PausedUntil,
    ReminderPolicy, ReminderReads, ReminderSettings, Reminders, StepDecision,
};
use diesel::dsl::sql;
use diesel::prelude::*;
use diesel::sql_types::Bool;
use kernel::{AccountId, Ids, Named as _, StoreError, StoreResult, TimeZone};
use store_schema::rows::{ContactRow, PolicyRow, StepRow};
use store_schema::schema::{
    accounts, contacts, invoices, reminder_pauses, reminder_policies, reminder_steps,
};
use store_schema::types::{RowDay, RowId, RowInstant};
use time::{Date, Duration, OffsetDateTime};
use uuid::Uuid;

use super::columns::{columns_of, sorted_by};
use super::database::Database;
use super::id_lists::MAX_LISTED;
use super::overview::IS_OPEN;
use super::owner_settings;
use super::preferences;
use super::reminder_account;
use super::reminder_facts::{self, InvoiceSelection};
use super::run_statements::RunStatements as _;
use super::unit_of_work::UnitOfWork;
use crate::dialect::{Locked, insert_rows};

#[async_trait]
impl Reminders for UnitOfWork<AccountId> {
    async fn lock_all(
        &mut self,
        contacts: &[ContactId],
        on_its_way: Option<MessageId>,
        now: OffsetDateTime,
    ) -> StoreResult<Option<(AccountFacts, Vec<ContactReminders>)>> {
        let wanted: Vec<RowId> = contacts.iter().copied().map(RowId::from).collect();
        let locked = preferences::lock_all(&mut self.tx, self.scope, &wanted).await?;
        if locked.is_empty() {
            return Ok(None);
        }
        let query = contacts::table
            .filter(contacts::account_id.eq(self.account()))
            .filter(contacts::id.eq_any(&locked))
            .order(contacts::id)
            .select(columns_of::<ContactRow>());
        let rows: Vec<ContactRow> = self.tx.fetch_all(query).await?;
        let facts = reminder_facts::load_contacts(
            self.scope,
            rows,
            InvoiceSelection::Locked,
            now,
            self.tx.conn().await?,
        )
        .await;
        let facts = self.tx.settle(facts)?;
        // After the locks: while this waited for them, the account may have been switched off.
        let account = reminder_account::load(self.scope, on_its_way, now, self.tx.conn().await?).await;
        let Some(account) = self.tx.settle(account)?.read()? else {
            return Ok(None);
        };
        let facts = facts.read(&account, on_its_way)?;
        Ok(Some((account, facts)))
    }

    async fn record_all(
        &mut self,
        decisions: &[NewDecision],
        at: OffsetDateTime,
        ids: &dyn Ids,
    ) -> StoreResult<()> {
        if decisions.is_empty() {
            return Ok(());
        }
        let row = |decision| self.step_row(DecidedStepId::new(ids, at), decision, at);
        let mut rows: Vec<StepRow> = decisions.iter().map(row).collect();
        let mut steps = HashSet::new();
        for row in rows.iter_mut().rev() {
            row.is_latest = steps.insert(step_of(row));
        }
        let invoices: HashSet<RowId> = rows.iter().map(|row| row.invoice_id).collect();
        let invoices: Vec<RowId> = invoices.into_iter().collect();
        let mut earlier: Vec<RowId> = Vec::new();
        for invoices in invoices.chunks(MAX_LISTED) {
            let query = reminder_steps::table
                .filter(reminder_steps::account_id.eq(self.account()))
                .filter(reminder_steps::invoice_id.eq_any(invoices))
                .filter(reminder_steps::is_latest)
                .select(columns_of::<StepRow>());
            let latest: Vec<StepRow> = self.tx.fetch_all(query).await?;
            earlier.extend(latest.iter().filter(|row| steps.contains(&step_of(row))).map(|row| row.id));
        }
        for earlier in earlier.chunks(MAX_LISTED) {
            let statement = diesel::update(reminder_steps::table)
                .filter(reminder_steps::account_id.eq(self.account()))
                .filter(reminder_steps::id.eq_any(earlier))
                .set(reminder_steps::is_latest.eq(false));
            self.tx.execute(statement).await?;
        }
        let inserted = insert_rows(self.tx.conn().await?, reminder_steps::table, rows).await;
        self.tx.settle(inserted)
    }

    async fn steps_of(&mut self, message: MessageId) -> StoreResult<Vec<StepDecision>> {
        let query = reminder_steps::table
            .filter(reminder_steps::account_id.eq(self.account()))
            .filter(reminder_steps::message_id.eq(RowId::from(message)))
            .filter(reminder_steps::is_latest)
            .order(sorted_by("invoice_id"))
            .select(columns_of::<StepRow>());
        let found: Vec<StepRow> = self.tx.fetch_all(query).await?;
        found.into_iter().map(|row| DecidedStep::try_from(row).map(|decided| decided.step)).collect()
    }

    async fn lock_settings(&mut self) -> StoreResult<Option<ReminderSettings>> {
        let Some((time_zone, promise_days)) = owner_settings::lock(&mut self.tx, self.scope).await? else {
            return Ok(None);
        };
        let row = Locked(
            reminder_policies::table
                .filter(reminder_policies::account_id.eq(self.account()))
                .select(columns_of::<PolicyRow>()),
        );
        let found: Option<PolicyRow> = self.tx.fetch_optional(row).await?;
        let policy = found.map(ReminderPolicy::try_from).transpose()?;
        let policy = policy.unwrap_or_else(ReminderPolicy::initial);
        Ok(Some(ReminderSettings { policy, time_zone, promise_days }))
    }

    async fn put_policy(&mut self, policy: &ReminderPolicy) -> StoreResult<()> {
        let row = PolicyRow::new(self.account(), policy);
        let statement = diesel::insert_into(reminder_policies::table)
            .values(&row)
            .on_conflict(reminder_policies::account_id)
            .do_update()
            .set(&row);
        self.tx.execute(statement).await?;
        Ok(())
    }

    async fn set_time_zone(&mut self, zone: &TimeZone, at: OffsetDateTime) -> StoreResult<()> {
        let statement = diesel::update(accounts::table)
            .filter(accounts::id.eq(self.account()))
            .set((accounts::time_zone.eq(zone.name()), accounts::updated_at.eq(RowInstant(at))));
        self.tx.execute(statement).await?;
        Ok(())
    }

    async fn set_promise_days(&mut self, days: u16) -> StoreResult<()> {
        owner_settings::set_promise_days(&mut self.tx, self.scope, days).await
    }

    async fn pause(
        &mut self,
        invoice: InvoiceId,
        until: Option<PausedUntil>,
    ) -> StoreResult<Option<PausedUntil>> {
        let (account, invoice) = (self.account(), RowId::from(invoice));
        let earlier = reminder_pauses::table.find((account, invoice));
        let earlier = diesel::delete(earlier).returning(reminder_pauses::until);
        let earlier: Option<Option<RowDay>> = self.tx.fetch_optional(earlier).await?;
        let earlier = earlier.map(paused_until);
        let Some(until) = until else {
            return Ok(earlier);
        };
        let day = match until {
            PausedUntil::Date(day) => Some(RowDay(day)),
            PausedUntil::Never => None,
        };
        let values = (
            reminder_pauses::account_id.eq(account),
            reminder_pauses::invoice_id.eq(invoice),
            reminder_pauses::until.eq(day),
        );
        let insert = diesel::insert_into(reminder_pauses::table).values(values);
        self.tx.execute(insert).await?;
        Ok(earlier)
    }
}

/// The last due date of an invoice that may have a step by an instant: one day more for time zones that are
/// ahead, and the days by which the first step precedes the due date.
fn due_by(account: &AccountFacts, until: OffsetDateTime) -> Date {
    let earliest = account.policy.steps.iter().map(|step| i64::from(step.key.days)).min();
    let days = Duration::days(1_i64.saturating_sub(earliest.unwrap_or_default()));
    account.zone.date_at(until).saturating_add(days)
}

/// Converts the day of a pause.
fn paused_until(day: Option<RowDay>) -> PausedUntil {
    day.map_or(PausedUntil::Never, |day| PausedUntil::Date(day.0))
}

/// What a decision is about: a step, on its day, for a contact. A later decision about a day to which the due
/// date moved leaves those about earlier days in force, since the due date may move back.
fn step_of(row: &StepRow) -> (RowId, RowId, i16, String, OffsetDateTime) {
    (row.invoice_id, row.contact_id, row.days, row.channel.clone(), row.due_at.0)
}

impl UnitOfWork<AccountId> {
    fn step_row(&self, id: DecidedStepId, decision: &NewDecision, at: OffsetDateTime) -> StepRow {
        let NewDecision { contact, step, message } = *decision;
        StepRow {
            account_id: self.account(),
            id: id.into(),
            invoice_id: step.invoice.into(),
            contact_id: contact.into(),
            days: step.key.days,
            channel: step.key.channel.as_str().to_owned(),
            due_at: RowInstant(step.due_at),
            decided_at: RowInstant(at),
            decision: step.decision.as_str().to_owned(),
            reason: step.decision.reason().map(str::to_owned),
            message_id: message.map(RowId::from),
            is_latest: true,
        }
    }
}

#[async_trait]
impl ReminderReads for Database {
    async fn started_accounts(&self, after: Option<AccountId>, limit: u32) -> StoreResult<Vec<AccountId>> {
        let after = after.map_or(RowId(Uuid::nil()), RowId::from);
        let mut connection = self.pool.read().await?;
        let query = reminder_policies::table
            .filter(reminder_policies::started_at.is_not_null())
            .filter(reminder_policies::account_id.gt(after))
            .order(reminder_policies::account_id)
            .limit(i64::from(limit))
            .select(reminder_policies::account_id);
        let found: Vec<RowId> = connection.fetch_all(query).await?;
        Ok(found.into_iter().map(RowId::id).collect())
    }

    async fn account(&self, account: AccountId, now: OffsetDateTime) -> StoreResult<Option<AccountFacts>> {
        let mut connection = self.pool.of(account.into()).read().await?;
        let found = reminder_account::load(account, None, now, connection.conn()?).await;
        connection.settle(found)?.read()
    }

    async fn contacts(
        &self,
        account: &AccountFacts,
        due_until: OffsetDateTime,
        after: Option<ContactId>,
        limit: u32,
        now: OffsetDateTime,
    ) -> StoreResult<Vec<ContactReminders>> {
        let due_by = due_by(account, due_until);
        let after = after.map_or(RowId(Uuid::nil()), RowId::from);
        let id = account.account;
        let mut connection = self.pool.of(id.into()).read().await?;
        connection.begin_reading().await?;
        let rows = reminder_facts::page_of_contacts(id, due_by, after, limit, connection.conn()?).await;
        let rows = connection.settle(rows)?;
        if rows.is_empty() {
            connection.end_reading().await?;
            return Ok(Vec::new());
        }
        let which = InvoiceSelection::DueBy(due_by);
        let facts = reminder_facts::load_contacts(id, rows, which, now, connection.conn()?).await;
        let facts = connection.settle(facts)?;
        connection.end_reading().await?;
        facts.read(account, None)
    }

    async fn count_due_before(&self, account: AccountId, day: Date) -> StoreResult<usize> {
        let mut connection = self.pool.of(account.into()).read().await?;
        let query = invoices::table
            .filter(invoices::account_id.eq(RowId::from(account)))
            .filter(sql::<Bool>(IS_OPEN))
            .filter(invoices::due_date.lt(RowDay(day)))
            .count();
        let count: i64 = connection.fetch_one(query).await?;
        usize::try_from(count).map_err(|source| StoreError::Failed(source.into()))
    }

    async fn has_more_open(
        &self,
        account: &AccountFacts,
        due_until: OffsetDateTime,
        limit: usize,
    ) -> StoreResult<bool> {
        let id = account.account;
        let mut connection = self.pool.of(id.into()).read().await?;
        let query = invoices::table
            .filter(invoices::account_id.eq(RowId::from(id)))
            .filter(sql::<Bool>(IS_OPEN))
            .filter(invoices::due_date.le(RowDay(due_by(account, due_until))))
            .offset(i64::try_from(limit).unwrap_or(i64::MAX))
            .limit(1)
            .select(invoices::due_date);
        let found: Option<RowDay> = connection.fetch_optional(query).await?;
        Ok(found.is_some())
    }

    async fn decided(&self, account: AccountId, invoice: InvoiceId) -> StoreResult<Vec<DecidedStep>> {
        let mut connection = self.pool.of(account.into()).read().await?;
        let query = reminder_steps::table
            .filter(reminder_steps::account_id.eq(RowId::from(account)))
            .filter(reminder_steps::invoice_id.eq(RowId::from(invoice)))
            .order((reminder_steps::decided_at.desc(), reminder_steps::id.desc()))
            .select(columns_of::<StepRow>());
        let found: Vec<StepRow> = connection.fetch_all(query).await?;
        found.into_iter().map(DecidedStep::try_from).collect()
    }

    async fn decided_of_former_invoices(
        &self,
        account: AccountId,
        contact: ContactId,
        after: Option<DecidedStepId>,
        limit: usize,
    ) -> StoreResult<Vec<(DecidedStepId, DecidedStep)>> {
        let contact = RowId::from(contact);
        let after = after.map_or(RowId(Uuid::nil()), RowId::from);
        let of_step = invoices::account_id
            .eq(reminder_steps::account_id)
            .and(invoices::id.eq(reminder_steps::invoice_id));
        let mut connection = self.pool.of(account.into()).read().await?;
        let query = reminder_steps::table
            .inner_join(invoices::table.on(of_step))
            .filter(reminder_steps::account_id.eq(RowId::from(account)))
            .filter(reminder_steps::contact_id.eq(contact))
            .filter(invoices::contact_id.is_null().or(invoices::contact_id.ne(contact)))
            .filter(reminder_steps::id.gt(after))
            .order(reminder_steps::id)
            .limit(i64::try_from(limit).unwrap_or(i64::MAX))
            .select(columns_of::<StepRow>());
        let found: Vec<StepRow> = connection.fetch_all(query).await?;
        found.into_iter().map(|row| Ok((row.id.id(), DecidedStep::try_from(row)?))).collect()
    }

    async fn contact_of(&self, account: AccountId, invoice: InvoiceId) -> StoreResult<Option<ContactId>> {
        let mut connection = self.pool.of(account.into()).read().await?;
        let query =
            invoices::table.find((RowId::from(account), RowId::from(invoice))).select(invoices::contact_id);
        let found: Option<Option<RowId>> = connection.fetch_optional(query).await?;
        Ok(found.flatten().map(RowId::id))
    }

    async fn paused(&self, account: AccountId, invoice: InvoiceId) -> StoreResult<Option<PausedUntil>> {
        let mut connection = self.pool.of(account.into()).read().await?;
        let query = reminder_pauses::table
            .find((RowId::from(account), RowId::from(invoice)))
            .select(reminder_pauses::until);
        let found: Option<Option<RowDay>> = connection.fetch_optional(query).await?;
        Ok(found.map(paused_until))
    }
}
