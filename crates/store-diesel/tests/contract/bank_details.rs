//! Bank details: in force after their delay, undone, removed, and seen by payers.

use invoices::TransferField;
use kernel::{AccountScope, AccountToken, Clock as _, Currency, Id, SystemIds};
use payments::{
    BankDetails, BankDetailsChange, BankDetailsEntry, Holder, Iban, NewBankDetails, UndoError, in_force,
    pending,
};
use sessions::AuditEntry;
use store_diesel::Store;
use testkit::FixedClock;
use time::{Duration, OffsetDateTime};

use crate::database::on_both;
use crate::fixtures::{NOW, audit_entry, bank_details, input, stored_contact, stored_invoice, tenant};
use crate::jobs::lease;

const FIRST: &str = "DE89370400440532013000";
/// [`FIRST`] as payers see it.
const SPACED: &str = "DE89 3704 0044 0532 0130 00";
const SECOND: &str = "NL91ABNA0417164300";

fn new(iban: &str, currency: &str) -> NewBankDetails {
    let holder = Holder::parse("Acme Pty Ltd").unwrap();
    NewBankDetails {
        currency: Currency::parse(currency).unwrap(),
        details: BankDetails::Iban { holder, iban: Iban::parse(iban).unwrap(), bic: None },
    }
}

/// Details for payers in euros.
pub(crate) fn euros() -> NewBankDetails {
    new(FIRST, "EUR")
}

async fn change(
    store: &Store,
    clock: &FixedClock,
    scope: &AccountScope,
    iban: &str,
) -> Option<BankDetailsEntry> {
    match bank_details(store, clock.clone()).change(scope, &new(iban, "EUR"), None).await.unwrap() {
        BankDetailsChange::Entered(entry) => Some(*entry),
        BankDetailsChange::Unchanged | BankDetailsChange::Withdrawn(_) => None,
    }
}

/// The IBAN that payers of euros see at an instant.
async fn shown(store: &Store, scope: &AccountScope, at: OffsetDateTime) -> Option<String> {
    let euro = Currency::parse("EUR").unwrap();
    let entry = store.bank_details_reads.in_force(scope.id, euro, at).await.unwrap()?;
    let mut not_withdrawn = store.bank_details_reads.not_withdrawn(scope.id).await.unwrap();
    not_withdrawn.retain(|entry| entry.currency == euro);
    assert_eq!(in_force(&not_withdrawn, at).map(|entry| entry.id), Some(entry.id));
    entry.transfer()?.field(TransferField::Iban).map(|iban| iban.replace(' ', ""))
}

#[test]
fn new_details_come_into_force_after_the_delay_and_the_old_ones_stand_meanwhile() {
    on_both(async |db| {
        let (store, clock) = (&db.store, FixedClock::default());
        let (scope, other) = (tenant(store).await, tenant(store).await);
        let first = change(store, &clock, &scope, FIRST).await.unwrap();
        let day = Duration::DAY;
        assert_eq!(shown(store, &scope, NOW).await, None);
        assert_eq!(shown(store, &scope, NOW + day - Duration::SECOND).await, None);
        assert_eq!(shown(store, &scope, NOW + day).await.as_deref(), Some(FIRST));
        assert_eq!(shown(store, &other, NOW + day).await, None);
        // Entering the same details again neither changes nor delays anything.
        clock.advance(Duration::hours(23));
        assert_eq!(change(store, &clock, &scope, FIRST).await, None);
        assert_eq!(shown(store, &scope, NOW + day).await.as_deref(), Some(FIRST));
        clock.advance(Duration::hours(1));
        let second = change(store, &clock, &scope, SECOND).await.unwrap();
        assert_eq!(shown(store, &scope, NOW + day * 2 - Duration::SECOND).await.as_deref(), Some(FIRST));
        assert_eq!(shown(store, &scope, NOW + day * 2).await.as_deref(), Some(SECOND));
        let not_withdrawn = store.bank_details_reads.not_withdrawn(scope.id).await.unwrap();
        assert_eq!(pending(&not_withdrawn, NOW + day), Some(&second));
        assert_eq!(in_force(&not_withdrawn, NOW + day), Some(&first));
        // Entering the details in force withdraws the pending ones.
        assert_eq!(change(store, &clock, &scope, FIRST).await, None);
        assert_eq!(shown(store, &scope, NOW + day * 9).await.as_deref(), Some(FIRST));
        // One mail to the owner for each entry.
        assert_eq!(lease(store, NOW + day, 10).await.len(), 2);
    });
}

#[test]
fn undone_change_gives_way_to_the_details_before_it() {
    on_both(async |db| {
        let (store, clock) = (&db.store, FixedClock::default());
        let scope = tenant(store).await;
        change(store, &clock, &scope, FIRST).await.unwrap();
        clock.advance(Duration::DAY);
        let second = change(store, &clock, &scope, SECOND).await.unwrap();
        let reads = &store.bank_details_reads;
        let found = reads.by_undo_token(scope.id, &second.undo_token_hash).await.unwrap();
        assert_eq!(found.as_ref(), Some(&second));
        let other = tenant(store).await;
        assert_eq!(reads.by_undo_token(other.id, &second.undo_token_hash).await.unwrap(), None);
        let mut tx = store.bank_details.begin(other.id).await.unwrap();
        tx.bank_details().withdraw(&[second.id], NOW).await.unwrap();
        tx.commit().await.unwrap();
        let at = NOW + Duration::days(3);
        assert_eq!(shown(store, &scope, at).await.as_deref(), Some(SECOND), "another account's");
        let mut tx = store.bank_details.begin(scope.id).await.unwrap();
        tx.bank_details().withdraw(&[second.id], at).await.unwrap();
        tx.commit().await.unwrap();
        assert_eq!(shown(store, &scope, at).await.as_deref(), Some(FIRST));
        let withdrawn = reads.by_undo_token(scope.id, &second.undo_token_hash).await.unwrap().unwrap();
        assert_eq!(withdrawn.withdrawn_at, Some(at));
    });
}

/// The token in the latest queued mail.
async fn mailed_token(store: &Store, now: OffsetDateTime) -> AccountToken {
    let mail = lease(store, now, 10).await.pop().unwrap();
    let job: serde_json::Value = serde_json::from_str(&mail.payload).unwrap();
    let sealed = job["payload"]["sealed_token"].as_str().unwrap();
    let keys = kernel::SealingKeys::new(&[7; 32], None);
    AccountToken::parse(&mail::open_secret(&keys, mail.lease.id, sealed).unwrap()).unwrap()
}

#[test]
fn change_is_undone_with_the_mailed_token_once_until_seven_days_after_it_is_in_force() {
    on_both(async |db| {
        let (store, clock) = (&db.store, FixedClock::default());
        let scope = tenant(store).await;
        let service = bank_details(store, clock.clone());
        change(store, &clock, &scope, FIRST).await.unwrap();
        let first = mailed_token(store, NOW).await;
        clock.advance(Duration::days(8) - Duration::SECOND);
        service.undoable(&first).await.unwrap();
        clock.advance(Duration::SECOND);
        assert!(matches!(service.undo(&first).await, Err(UndoError::Expired)));
        let entry = change(store, &clock, &scope, SECOND).await.unwrap();
        let second = mailed_token(store, clock.now()).await;
        clock.advance(Duration::days(2));
        assert_eq!(shown(store, &scope, clock.now()).await.as_deref(), Some(SECOND));
        let (undone, _owner) = service.undo(&second).await.unwrap();
        assert_eq!(undone, entry);
        assert_eq!(shown(store, &scope, clock.now()).await.as_deref(), Some(FIRST));
        assert!(matches!(service.undo(&second).await, Err(UndoError::Undone)));
        let unknown = AccountToken::generate(scope.id, &kernel::SystemRandom::default());
        assert!(matches!(service.undo(&unknown).await, Err(UndoError::NotFound)));
    });
}

#[test]
fn removed_details_are_shown_no_more_and_those_of_other_currencies_are() {
    on_both(async |db| {
        let (store, clock) = (&db.store, FixedClock::default());
        let scope = tenant(store).await;
        let service = bank_details(store, clock.clone());
        change(store, &clock, &scope, FIRST).await.unwrap();
        service.change(&scope, &new(SECOND, "AUD"), None).await.unwrap();
        let euro = Currency::parse("EUR").unwrap();
        // Pending details are withdrawn at once.
        assert!(matches!(service.remove(&scope, euro, None).await.unwrap(), BankDetailsChange::Withdrawn(_)));
        assert_eq!(service.remove(&scope, euro, None).await.unwrap(), BankDetailsChange::Unchanged);
        change(store, &clock, &scope, FIRST).await.unwrap();
        clock.advance(Duration::DAY);
        let removed = service.remove(&scope, euro, None).await.unwrap();
        assert!(matches!(removed, BankDetailsChange::Entered(_)), "{removed:?}");
        assert_eq!(service.remove(&scope, euro, None).await.unwrap(), BankDetailsChange::Unchanged);
        let until = clock.now() + Duration::DAY;
        assert_eq!(shown(store, &scope, until - Duration::SECOND).await.as_deref(), Some(FIRST));
        assert_eq!(shown(store, &scope, until).await, None);
        clock.advance(Duration::days(2));
        let aud = Currency::parse("AUD").unwrap();
        assert!(service.in_force(&scope, aud).await.unwrap().is_some());
        // The mailed link undoes the removal.
        let token = mailed_token(store, clock.now()).await;
        service.undo(&token).await.unwrap();
        assert_eq!(shown(store, &scope, clock.now()).await.as_deref(), Some(FIRST));
    });
}

#[test]
fn audit_entry_is_written_with_the_commit_of_the_change_and_not_without_it() {
    on_both(async |db| {
        let (store, clock) = (&db.store, FixedClock::default());
        let scope = tenant(store).await;
        let entered = |second| AuditEntry {
            id: Id::new(&SystemIds::default(), NOW + Duration::seconds(second)),
            ..audit_entry(scope.id, "bank_details.entered")
        };
        let entries = async || store.audit.list(scope.id, None, 10).await.unwrap();
        let service = |entry: &AuditEntry| bank_details(&store.audited(entry.clone()), clock.clone());
        let first = entered(1);
        service(&first).change(&scope, &new(FIRST, "EUR"), None).await.unwrap();
        let after = Some(format!("EUR: Acme Pty Ltd, {SPACED}").into());
        let written = AuditEntry { after, ..first.clone() };
        assert_eq!(entries().await, std::slice::from_ref(&written));
        // A change without effect leaves no audit entry, and neither does a failed one.
        let unchanged = service(&entered(2)).change(&scope, &new(FIRST, "EUR"), None).await.unwrap();
        assert_eq!(unchanged, BankDetailsChange::Unchanged);
        let audited = store.audited(entered(3));
        let mut tx = audited.bank_details.begin(scope.id).await.unwrap();
        tx.bank_details().lock().await.unwrap();
        drop(tx);
        assert_eq!(entries().await, std::slice::from_ref(&written));
        // The change fails together with its entry, whose id is taken.
        service(&first).change(&scope, &new(SECOND, "EUR"), None).await.unwrap_err();
        let not_withdrawn = store.bank_details_reads.not_withdrawn(scope.id).await.unwrap();
        assert_eq!(not_withdrawn.len(), 1);
    });
}

#[test]
fn audit_entry_names_details_that_waited_and_are_withdrawn() {
    on_both(async |db| {
        let (store, clock) = (&db.store, FixedClock::default());
        let scope = tenant(store).await;
        let euro = Currency::parse("EUR").unwrap();
        let service = || bank_details(&store.audited(audit_entry(scope.id, "a.b")), clock.clone());
        service().change(&scope, &new(FIRST, "EUR"), None).await.unwrap();
        service().change(&scope, &new(SECOND, "EUR"), None).await.unwrap();
        service().change(&scope, &new(FIRST, "EUR"), None).await.unwrap();
        clock.advance(Duration::DAY);
        service().remove(&scope, euro, None).await.unwrap();
        service().change(&scope, &new(SECOND, "EUR"), None).await.unwrap();
        // Withdraws what waits.
        service().change(&scope, &new(FIRST, "EUR"), None).await.unwrap();
        let mut entries = store.audit.list(scope.id, None, 10).await.unwrap();
        entries.reverse();
        let said: Vec<_> = entries.into_iter().map(|entry| (entry.before, entry.after)).collect();
        let (first, second) =
            (format!("Acme Pty Ltd, {SPACED}"), "Acme Pty Ltd, NL91 ABNA 0417 1643 00".to_owned());
        let in_euros = |text: String| Some(format!("EUR: {text}").into());
        let expected = [
            (None, in_euros(first.clone())),
            (in_euros(format!("none; waiting: {first}")), in_euros(second.clone())),
            (in_euros(format!("none; waiting: {second}")), in_euros(first.clone())),
            (in_euros(first.clone()), None),
            (in_euros(format!("{first}; waiting: removal")), in_euros(second.clone())),
            (in_euros(format!("{first}; waiting: {second}")), in_euros(first)),
        ];
        assert_eq!(said, expected);
    });
}

#[test]
fn payer_sees_the_details_of_the_invoices_currency() {
    on_both(async |db| {
        let (store, clock) = (&db.store, FixedClock::default());
        let scope = tenant(store).await;
        let contact = stored_contact(store, scope.id).await;
        let raised = stored_invoice(store, &scope, "A", Some(contact), input(1)).await;
        let service = bank_details(store, clock);
        service.change(&scope, &new(FIRST, "EUR"), None).await.unwrap();
        service.change(&scope, &new(SECOND, "AUD"), None).await.unwrap();
        let seen = async |at| {
            let read = store.payer_reads.by_pay_token(&raised.pay_token, at).await.unwrap().unwrap();
            read.bank_transfer
        };
        assert_eq!(seen(NOW).await, None);
        let transfer = seen(NOW + Duration::DAY).await.unwrap();
        assert_eq!(transfer.field(TransferField::Iban), Some("NL91 ABNA 0417 1643 00"));
        assert_eq!(transfer.unchanged_since, NOW + Duration::DAY);
    });
}
