//! What the reminders of contacts depend on, read for any number of contacts in few queries.

use std::collections::{HashMap, HashSet};

use ::contacts::Contact;
use communications::{
    AccountFacts, Channel, ContactClock, ContactFacts, ContactReminders, DecidedStep, InvoiceFacts,
    MessageId, PausedUntil, StepRecord,
};
use diesel::dsl::sql;
use diesel::expression::SqlLiteral;
use diesel::prelude::*;
use diesel::sql_types::Bool;
use diesel_async::RunQueryDsl;
use kernel::{AccountId, StoreResult};
use store_schema::rows::row_ref::RowRef;
use store_schema::rows::{ConsentRow, ContactRow, StepRow};
use store_schema::schema::{
    address_holds, charges, contact_consents, contacts, escalations, invoices, messages, payment_intents,
    promises, reminder_pauses, reminder_steps,
};
use store_schema::types::{RowDay, RowId, RowInstant, Uid};
use time::{Date, Duration, OffsetDateTime};

use super::columns::{columns_of, sorted_by};
use super::contact_addresses::{addresses, closed, is_of, phone_number, unread, waiting_in_quarantine};
use super::id_lists::MAX_LISTED;
use super::overview::IS_OPEN;
use super::preferences;
use crate::dialect::{Connection, Locked, UNINDEXED, together};

/// How far back reminders are read: the longest period of the caps, plus a week in which a message may have
/// waited to be sent.
const COUNTED: Duration = Duration::days(37);

/// The states of a message that was sent or will be. A failed message counts if an attempt began, as it may
/// have been sent.
const WRITTEN: [&str; 3] = ["queued", "sent", "delivered"];

type ReminderInvoiceRow =
    (RowId, RowId, String, RowDay, RowDay, i64, i64, Option<RowInstant>, RowInstant, Option<RowInstant>);

/// The stored rows of contacts, before conversion.
#[derive(Default)]
pub(super) struct ContactRows {
    contacts: Vec<ContactRow>,
    invoices: Vec<ReminderInvoiceRow>,
    steps: Vec<StepRow>,
    pauses: Vec<(RowId, Option<RowDay>)>,
    promises: Vec<(RowId, RowDay)>,
    pending: HashSet<RowId>,
    escalations: Vec<(RowId, Option<RowInstant>)>,
    /// The contact of each unread message that holds reminders of one of the contacts, and the number that it
    /// came from if it is a text message.
    unread: Vec<(Option<RowId>, Option<String>)>,
    /// The contact and the sender of each quarantined message that may be from one of the contacts.
    quarantined: Vec<(Option<RowId>, Option<String>)>,
    /// Contact, message and purpose, when the message was written, and when the latest attempt at sending it
    /// began.
    written: Vec<(RowId, RowId, String, RowInstant, Option<RowInstant>)>,
    holds: Vec<(String, String, String)>,
    consents: Vec<ConsentRow>,
}

/// Which invoices of the contacts to read.
#[derive(Debug, Clone, Copy)]
pub(super) enum InvoiceSelection {
    /// Those due by this day.
    DueBy(Date),
    /// All open ones, which are locked.
    Locked,
}

/// Reads everything that the reminders of these contacts depend on, apart from the account.
pub(super) async fn load_contacts(
    account: AccountId,
    contacts: Vec<ContactRow>,
    which: InvoiceSelection,
    now: OffsetDateTime,
    connection: &mut Connection,
) -> QueryResult<ContactRows> {
    let account = RowId::from(account);
    let ids: Vec<RowId> = contacts.iter().map(|contact| contact.id).collect();
    let invoices = load_invoices(account, &ids, which, connection).await?;
    let invoice_ids: Vec<RowId> = invoices.iter().map(|invoice| invoice.0).collect();
    let mut rows = ContactRows { contacts, invoices, ..ContactRows::default() };
    for ids in invoice_ids.chunks(MAX_LISTED) {
        rows.load_of_invoices(account, ids, connection).await?;
    }
    rows.load_of_contacts(account, &ids, now, connection).await?;
    Ok(rows)
}

fn addresses_of(row: &ContactRow) -> Vec<String> {
    addresses(row.email.as_deref(), row.phone.as_deref())
}

async fn load_invoices(
    account: RowId,
    contacts: &[RowId],
    which: InvoiceSelection,
    connection: &mut Connection,
) -> QueryResult<Vec<ReminderInvoiceRow>> {
    let open = invoices::table
        .filter(invoices::account_id.eq(account))
        .filter(invoices::contact_id.eq_any(contacts))
        .filter(is_open())
        .order(sorted_by("id"))
        .select((
            invoices::id,
            invoices::contact_id.assume_not_null(),
            invoices::status,
            invoices::invoice_date,
            invoices::due_date,
            invoices::total,
            invoices::amount_paid,
            invoices::last_sent_at,
            invoices::created_at,
            invoices::issued_at,
        ));
    match which {
        InvoiceSelection::DueBy(day) => {
            open.filter(invoices::due_date.le(RowDay(day))).load(connection).await
        }
        InvoiceSelection::Locked => Locked(open).load(connection).await,
    }
}

impl ContactRows {
    async fn load_of_invoices(
        &mut self,
        account: RowId,
        ids: &[RowId],
        connection: &mut Connection,
    ) -> QueryResult<()> {
        let steps = reminder_steps::table
            .filter(reminder_steps::account_id.eq(account))
            .filter(reminder_steps::invoice_id.eq_any(ids))
            .filter(reminder_steps::is_latest)
            .select(columns_of::<StepRow>());
        let pauses = reminder_pauses::table
            .filter(reminder_pauses::account_id.eq(account))
            .filter(reminder_pauses::invoice_id.eq_any(ids))
            .select((reminder_pauses::invoice_id, reminder_pauses::until));
        let promised = promises::table
            .filter(promises::account_id.eq(account))
            .filter(promises::invoice_id.eq_any(ids))
            .filter(promises::superseded_at.is_null())
            .select((promises::invoice_id, promises::promised_on));
        let pending = charges::table
            .filter(charges::account_id.eq(account))
            .filter(charges::invoice_id.eq_any(ids))
            .filter(charges::state.eq("pending"))
            .select(charges::invoice_id);
        // A debit that was ordered may have no charge yet.
        let of_intents = payment_intents::table
            .filter(payment_intents::account_id.eq(account))
            .filter(payment_intents::invoice_id.eq_any(ids))
            .filter(payment_intents::state.eq("pending"))
            .select(payment_intents::invoice_id);
        let (mut steps, mut pauses, mut promised, pending, ordered) =
            together!(connection; steps, pauses, promised, pending, of_intents)?;
        self.steps.append(&mut steps);
        self.pauses.append(&mut pauses);
        self.promises.append(&mut promised);
        self.pending.extend::<Vec<RowId>>(pending);
        self.pending.extend::<Vec<RowId>>(ordered);
        Ok(())
    }

    async fn load_of_contacts(
        &mut self,
        account: RowId,
        ids: &[RowId],
        now: OffsetDateTime,
        connection: &mut Connection,
    ) -> QueryResult<()> {
        let escalated = escalations::table
            .filter(escalations::account_id.eq(account))
            .filter(escalations::contact_id.eq_any(ids))
            .select((escalations::contact_id.assume_not_null(), escalations::resolved_at));
        let addresses: Vec<String> = self.contacts.iter().flat_map(addresses_of).collect();
        let unread = unread(account, ids, addresses.clone());
        let quarantined = waiting_in_quarantine(account, ids, addresses.clone());
        let written = messages::table
            .filter(messages::account_id.eq(account))
            .filter(messages::contact_id.eq_any(ids))
            .filter(messages::direction.eq("out"))
            .filter(messages::purpose.eq_any(["reminder", "service"]))
            .filter(
                messages::state
                    .eq_any(WRITTEN)
                    .or(messages::state.eq("failed").and(messages::began_at.is_not_null())),
            )
            .filter(messages::id.ge(RowId::first_at(now - COUNTED)))
            .select((
                messages::contact_id.assume_not_null(),
                messages::id,
                messages::purpose.assume_not_null(),
                messages::written_at,
                messages::began_at,
            ));
        let consents = contact_consents::table
            .filter(contact_consents::account_id.eq(account))
            .filter(contact_consents::contact_id.eq_any(ids))
            .order(contact_consents::id.desc())
            .select(columns_of::<ConsentRow>());
        let holds = address_holds::table
            .filter(address_holds::account_id.eq(account))
            .filter(address_holds::address.eq_any(addresses))
            .filter(address_holds::reopened_at.is_null())
            .select((address_holds::address, address_holds::channel, address_holds::reason));
        (self.escalations, self.unread, self.quarantined, self.written, self.consents, self.holds) =
            together!(connection; escalated, unread, quarantined, written, consents, holds)?;
        Ok(())
    }

    /// The facts of each contact. The message `on_its_way` is not counted among those that its contact got.
    pub(super) fn read(
        self,
        account: &AccountFacts,
        on_its_way: Option<MessageId>,
    ) -> StoreResult<Vec<ContactReminders>> {
        let mut invoices = self.read_invoices()?;
        let mut consents: HashMap<RowId, Vec<ConsentRow>> = HashMap::new();
        for row in self.consents {
            consents.entry(row.contact_id).or_default().push(row);
        }
        let counted =
            self.written.into_iter().filter(|row| on_its_way.is_none_or(|id| RowId::from(id) != row.1));
        let mut written: HashMap<RowId, Vec<(bool, OffsetDateTime)>> = HashMap::new();
        for (contact, _, purpose, written_at, began_at) in counted {
            // The message may have waited long before it was sent.
            let at = began_at.unwrap_or(written_at).0;
            written.entry(contact).or_default().push((purpose == "reminder", at));
        }
        for (_, contact, .., last_sent_at, _, _) in &self.invoices {
            written.entry(*contact).or_default().extend(last_sent_at.map(|at| (false, at.0)));
        }
        let mut read = Vec::new();
        for row in self.contacts {
            let id = row.id;
            let written = written.remove(&id).unwrap_or_default();
            let escalations: Vec<Option<OffsetDateTime>> =
                self.escalations.iter().filter(|one| one.0 == id).map(|one| one.1.map(|at| at.0)).collect();
            let preferences = preferences::of_consents(id.id(), consents.remove(&id).unwrap_or_default())?;
            let own = addresses_of(&row);
            let closed = closed((id, &own), &self.holds)?;
            let reply_unread = is_of((id, &own), &self.unread) || is_of((id, &own), &self.quarantined);
            let phone = phone_number(row.phone.as_deref());
            let contact = Contact::try_from(row)?;
            let country = contact.address.as_ref().and_then(|address| address.country.as_ref());
            let clock = ContactClock::new(
                country.map(|country| country.as_str()),
                &account.zone,
                &account.policy.holidays,
            );
            let contact = ContactFacts {
                contact: id.id(),
                name: contact.name.to_string(),
                clock,
                email: contact.email,
                phone,
                open_escalation: escalations.contains(&None),
                escalation_closed_at: escalations.into_iter().flatten().max(),
                reply_unread,
                closed,
                consents: [Channel::Sms, Channel::Voice]
                    .into_iter()
                    .filter(|channel| preferences.allows(*channel))
                    .collect(),
                written_at: written.iter().map(|(_, at)| *at).collect(),
                reminded_at: written.iter().filter(|one| one.0).map(|(_, at)| *at).collect(),
            };
            read.push(ContactReminders { contact, invoices: invoices.remove(&id).unwrap_or_default() });
        }
        Ok(read)
    }

    fn read_invoices(&self) -> StoreResult<HashMap<RowId, Vec<InvoiceFacts>>> {
        let mut records: HashMap<(RowId, RowId), Vec<StepRecord>> = HashMap::new();
        for row in &self.steps {
            let place = (row.invoice_id, row.contact_id);
            let DecidedStep { step, .. } = DecidedStep::try_from(row.clone())?;
            let record = StepRecord { key: step.key, due_at: step.due_at, decision: step.decision };
            records.entry(place).or_default().push(record);
        }
        let pauses: HashMap<RowId, Option<RowDay>> = self.pauses.iter().copied().collect();
        let promises: HashMap<RowId, RowDay> = self.promises.iter().copied().collect();
        let mut invoices: HashMap<RowId, Vec<InvoiceFacts>> = HashMap::new();
        for (id, contact, status, invoice_date, due_date, total, paid, sent, created, issued) in
            &self.invoices
        {
            let row_ref = RowRef { table: "invoices", id: *id };
            let facts = InvoiceFacts {
                invoice: id.id(),
                status: row_ref.named("status", status)?,
                is_due: paid < total,
                invoice_date: invoice_date.0,
                due_date: due_date.0,
                issued_at: issued.unwrap_or(*created).0,
                mailed_at: sent.map(|at| at.0),
                promised_until: promises.get(id).map(|day| day.0),
                payment_pending: self.pending.contains(id),
                paused: pauses
                    .get(id)
                    .map(|until| until.map_or(PausedUntil::Never, |day| PausedUntil::Date(day.0))),
                records: records.remove(&(*id, *contact)).unwrap_or_default(),
            };
            invoices.entry(*contact).or_default().push(facts);
        }
        Ok(invoices)
    }
}

/// The invoice can have reminders. SQLite finds the invoices by their contacts, which are fewer.
fn is_open() -> SqlLiteral<Bool> {
    sql(&format!("{UNINDEXED}{IS_OPEN}"))
}

/// The contacts of an account with ids after `after` that have an open invoice due by `due_by`.
pub(super) async fn page_of_contacts(
    account: AccountId,
    due_by: Date,
    after: RowId,
    limit: u32,
    connection: &mut Connection,
) -> QueryResult<Vec<ContactRow>> {
    let account = RowId::from(account);
    let open = invoices::table
        .filter(invoices::account_id.eq(account))
        .filter(invoices::contact_id.eq(contacts::id.nullable()))
        // Follows from the conditions on the contact, but PostgreSQL would join the invoices of all contacts.
        .filter(sql::<Bool>(&format!("{UNINDEXED}invoices.contact_id > ")).bind::<Uid, _>(after))
        .filter(is_open())
        .filter(invoices::due_date.le(RowDay(due_by)));
    contacts::table
        .filter(contacts::account_id.eq(account))
        .filter(contacts::id.gt(after))
        .filter(diesel::dsl::exists(open))
        .order(contacts::id)
        .limit(i64::from(limit))
        .select(columns_of::<ContactRow>())
        .load(connection)
        .await
}
