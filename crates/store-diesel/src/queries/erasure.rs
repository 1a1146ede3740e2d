//! Erasing a contact's data from rows other than its own.

use ::contacts::ContactId;
use ::invoices::InvoicedContact;
use communications::{AnswerTask, CONTACT_ERASED, MessageId, MessageState, ReminderTask, WaitingMail};
use diesel::prelude::*;
use kernel::{SingleLine, StoreResult};
use mail::MailTask;
use outbox::Task as _;
use store_schema::rows::invoiced_contact_to_json;
use store_schema::schema::{
    address_holds, contacts, escalations, inbound_messages, invoices, jobs, messages, quarantine_candidates,
};
use store_schema::types::{RowId, RowInstant};
use time::OffsetDateTime;

use super::contact_addresses;
use super::id_lists::MAX_LISTED;
use super::inbox;
use super::run_statements::RunStatements as _;
use super::transaction::Transaction;
use crate::dialect::{FullyLocked, Locked, execute_together};

/// What is left of the reason why a mail was given up before the erasure: a mail server's answer may contain
/// the address.
const REASON_ERASED: &str = "the reason was erased with the contact";

/// Anonymizes the copies of a contact in drafts, cancelled ones too. Issued invoices keep theirs.
pub(super) async fn of_drafts(
    tx: &mut Transaction,
    account: RowId,
    contact: ContactId,
    mark: &str,
    at: OffsetDateTime,
) -> StoreResult<()> {
    let anonymous = InvoicedContact {
        id: contact,
        external_id: None,
        name: SingleLine::from_stored(mark.to_owned()),
        email: None,
        phone: None,
        address: None,
    };
    let statement = diesel::update(invoices::table)
        .filter(invoices::account_id.eq(account))
        .filter(invoices::contact_id.eq(RowId::from(contact)))
        .filter(
            invoices::status
                .eq("DRAFT")
                .or(invoices::status.eq("CANCELLED").and(invoices::issued_at.is_null())),
        )
        .set((
            invoices::contact.eq(invoiced_contact_to_json(&anonymous)),
            invoices::updated_at.eq(RowInstant(at)),
        ));
    tx.execute(statement).await.map(|_count| ())
}

/// Overwrites the stored reasons for closing and reopening the addresses of a contact: its present ones, and
/// those of its messages, which have not been erased yet. Closed addresses stay closed.
pub(super) async fn of_holds(
    tx: &mut Transaction,
    account: RowId,
    contact: ContactId,
    mark: &str,
) -> StoreResult<()> {
    let contact = RowId::from(contact);
    let own = contacts::table.find((account, contact)).select((contacts::email, contacts::phone));
    // This waits for transactions that store a copy of the contact, and later ones wait for this one.
    let found: Option<(Option<String>, Option<String>)> = tx.fetch_optional(FullyLocked(own)).await?;
    let (email, phone) = found.unwrap_or_default();
    let written_to = messages::table
        .filter(messages::account_id.eq(account))
        .filter(messages::contact_id.eq(contact))
        .select(messages::address)
        .distinct();
    let mut addresses: Vec<String> = tx.fetch_all(written_to).await?;
    addresses.extend(contact_addresses::addresses(email.as_deref(), phone.as_deref()));
    for addresses in addresses.chunks(MAX_LISTED) {
        let holds = || {
            address_holds::table
                .filter(address_holds::account_id.eq(account))
                .filter(address_holds::address.eq_any(addresses))
        };
        let reopened = holds().filter(address_holds::reopened_because.is_not_null());
        let removed = execute_together!(
            tx.conn().await?;
            diesel::update(holds()).set(address_holds::evidence.eq(mark)),
            diesel::update(reopened).set(address_holds::reopened_because.eq(mark))
        );
        tx.settle(removed)?;
    }
    Ok(())
}

/// Makes messages in quarantine no longer candidates for a contact. Each is for the contact that was written
/// to last at its sender's address besides this one, or else no longer for the account; one that is for no
/// account any more is dropped.
pub(super) async fn of_quarantine(
    tx: &mut Transaction,
    account: RowId,
    contact: ContactId,
) -> StoreResult<()> {
    let contact = RowId::from(contact);
    let waiting = quarantine_candidates::table
        .inner_join(inbound_messages::table.on(inbound_messages::id.eq(quarantine_candidates::inbound_id)))
        .filter(quarantine_candidates::account_id.eq(account))
        .filter(quarantine_candidates::contact_id.eq(contact))
        .order(inbound_messages::id)
        .select((inbound_messages::id, inbound_messages::channel, inbound_messages::sender));
    let waiting: Vec<(RowId, String, Option<String>)> = tx.fetch_all(waiting).await?;
    for (inbound, channel, sender) in waiting {
        let other = messages::table
            .filter(messages::account_id.eq(account))
            .filter(messages::address.nullable().eq(sender))
            .filter(messages::channel.eq(channel))
            .filter(messages::direction.eq("out"))
            .filter(messages::contact_id.ne(contact))
            .order(messages::id.desc())
            .select(messages::contact_id.assume_not_null())
            .limit(1);
        let other: Option<RowId> = tx.fetch_optional(other).await?;
        let Some(other) = other else {
            remove_candidate(tx, account, inbound).await?;
            continue;
        };
        let to_other = diesel::update(quarantine_candidates::table.find((account, inbound)))
            .set(quarantine_candidates::contact_id.eq(other));
        tx.execute(to_other).await?;
    }
    Ok(())
}

/// Makes an account no longer a candidate for a message in quarantine. A message without candidates can
/// neither be assigned nor hold reminders: it is dropped, and its raw bytes and its sender are removed.
async fn remove_candidate(tx: &mut Transaction, account: RowId, inbound: RowId) -> StoreResult<()> {
    let message = || inbound_messages::table.find(inbound);
    // Of erasures in several accounts at the same time, the last one must see that no candidate is left.
    let _locked: Option<RowId> = tx.fetch_optional(Locked(message().select(inbound_messages::id))).await?;
    tx.execute(diesel::delete(quarantine_candidates::table.find((account, inbound)))).await?;
    if !inbox::has_candidates(tx, inbound).await? {
        inbox::drop_with_content(tx, inbound, MessageState::Quarantined, CONTACT_ERASED).await?;
    }
    Ok(())
}

/// Gives up the notices to the owner about a contact and its escalations that wait to be sent, and removes
/// the content of all that was given up: they repeat the contact's name, address and words.
pub(super) async fn of_notices(
    tx: &mut Transaction,
    account: RowId,
    contact: ContactId,
    reason: &str,
    now: OffsetDateTime,
) -> StoreResult<()> {
    let contact = RowId::from(contact);
    let escalated = escalations::table
        .filter(escalations::account_id.eq(account))
        .filter(escalations::contact_id.eq(contact))
        .select(escalations::id);
    let mut about: Vec<RowId> = tx.fetch_all(escalated).await?;
    about.push(contact);
    let about: Vec<_> = about.into_iter().map(Some).collect();
    for about in about.chunks(MAX_LISTED) {
        let notices = |state: &'static str| {
            jobs::table
                .filter(jobs::account_id.eq(account))
                .filter(jobs::kind.eq(MailTask::KIND))
                .filter(jobs::to_customer.eq(false))
                .filter(jobs::state.eq(state))
                .filter(jobs::resource_id.eq_any(about))
        };
        let emptied = diesel::update(notices("given_up"))
            // What an erasure emptied keeps its reason, which is not counted as a failure.
            .filter(jobs::payload.ne("{}"))
            .set((jobs::last_error.eq(REASON_ERASED), jobs::payload.eq("{}")));
        tx.execute(emptied).await?;
        let ended = diesel::update(notices("waiting")).set((
            jobs::state.eq("given_up"),
            jobs::finished_at.eq(RowInstant(now)),
            jobs::last_error.eq(reason),
            jobs::payload.eq("{}"),
        ));
        tx.execute(ended).await?;
    }
    Ok(())
}

/// Gives up the reminders and answers to a contact that wait to be sent, and removes the reasons why others
/// were given up.
pub(super) async fn of_messages(
    tx: &mut Transaction,
    account: RowId,
    contact: ContactId,
    reason: &str,
    now: OffsetDateTime,
) -> StoreResult<()> {
    let to_contact = || {
        jobs::table
            .filter(jobs::account_id.eq(account))
            .filter(jobs::resource_id.eq(RowId::from(contact)))
            .filter(jobs::kind.eq(ReminderTask::KIND).or(jobs::kind.eq(AnswerTask::KIND)))
    };
    // All transactions lock jobs in the order of ids.
    let _locked: Vec<RowId> = tx
        .fetch_all(Locked(to_contact().filter(jobs::state.ne("done")).order(jobs::id).select(jobs::id)))
        .await?;
    let given_up = diesel::update(to_contact())
        .filter(jobs::state.eq("given_up"))
        .filter(jobs::last_error.ne(reason))
        .set(jobs::last_error.eq(REASON_ERASED));
    tx.execute(given_up).await?;
    let ended = diesel::update(to_contact()).filter(jobs::state.eq("waiting")).set((
        jobs::state.eq("given_up"),
        jobs::finished_at.eq(RowInstant(now)),
        jobs::last_error.eq(reason),
    ));
    tx.execute(ended).await.map(|_count| ())
}

/// Gives up the mail that waits to be sent to a contact, and removes the content of all that was given up.
/// Returns what waited. Mail of `sent` ends as done.
pub(super) async fn of_mail(
    tx: &mut Transaction,
    (account, contact): (RowId, ContactId),
    sent: &[MessageId],
    reason: &str,
    now: OffsetDateTime,
) -> StoreResult<Vec<WaitingMail>> {
    let addressed = jobs::table
        .filter(jobs::account_id.eq(account))
        .filter(jobs::kind.eq(MailTask::KIND))
        .filter(jobs::to_customer)
        .filter(jobs::state.ne("done"))
        .filter(jobs::payload.assume_not_null().like(format!("%{contact}%")))
        // All transactions lock jobs in the order of ids.
        .order(jobs::id)
        .select(jobs::id);
    let unsent: Vec<RowId> = tx.fetch_all(addressed).await?;
    let mut waiting = Vec::new();
    for unsent in unsent.chunks(MAX_LISTED) {
        waiting.extend(give_up(tx, account, (unsent, sent), reason, now).await?);
    }
    Ok(waiting)
}

/// Gives up those of these mails that wait to be sent, and removes the content of all that were not sent.
/// Returns what waited. Those of `sent` end as done.
async fn give_up(
    tx: &mut Transaction,
    account: RowId,
    (mails, sent): (&[RowId], &[MessageId]),
    reason: &str,
    now: OffsetDateTime,
) -> StoreResult<Vec<WaitingMail>> {
    let of_ids =
        |ids: Vec<RowId>| jobs::table.filter(jobs::account_id.eq(account)).filter(jobs::id.eq_any(ids));
    // Locked alone: a lock of the joined rows would lock the invoices too.
    let locked = Locked(of_ids(mails.to_vec()).filter(jobs::state.ne("done")).order(jobs::id).select((
        jobs::id,
        jobs::resource_id.assume_not_null(),
        jobs::queued_at,
        jobs::state,
    )));
    let locked: Vec<(RowId, RowId, RowInstant, String)> = tx.fetch_all(locked).await?;
    let (done, locked): (Vec<_>, Vec<_>) =
        locked.into_iter().partition(|row| row.3 == "waiting" && sent.contains(&row.0.id()));
    let done = diesel::update(of_ids(done.iter().map(|row| row.0).collect())).set((
        jobs::state.eq("done"),
        jobs::finished_at.eq(RowInstant(now)),
        jobs::payload.eq(None::<String>),
        jobs::letterhead.eq(None::<String>),
        jobs::last_error.eq(None::<String>),
    ));
    let waited = |row: &(RowId, RowId, RowInstant, String)| row.3 == "waiting";
    let ended = diesel::update(of_ids(locked.iter().filter(|row| waited(row)).map(|row| row.0).collect()))
        .set((
            jobs::state.eq("given_up"),
            jobs::finished_at.eq(RowInstant(now)),
            jobs::last_error.eq(reason),
        ));
    // A job that is not done must have a payload.
    let emptied = diesel::update(of_ids(locked.iter().map(|row| row.0).collect()))
        .set((jobs::payload.eq("{}"), jobs::last_error.eq(REASON_ERASED)));
    tx.execute(emptied).await?;
    tx.execute(ended).await?;
    tx.execute(done).await?;
    let waiting = locked.into_iter().filter(waited);
    let mail = |(id, invoice, queued_at, _): (RowId, RowId, RowInstant, String)| WaitingMail {
        id: id.id(),
        invoice: invoice.id(),
        queued_at: queued_at.0,
    };
    Ok(waiting.map(mail).collect())
}
