//! Amending an invoice: only the fields that were sent change. An amendment can also issue a draft and send
//! the invoice.

use contacts::{ContactInput, FindOrCreateError, find_or_create};
use kernel::{
    AccountScope, EmailAddress, Field, FieldErrors, StoreError, StoreResult, Version, retry_contended,
};
use time::{Date, OffsetDateTime};

use crate::amendment::{ContactChange, InvoiceAmendment};
use crate::audited;
use crate::contact_faults::{look_up, with_missing_address};
use crate::input::InvoiceInput;
use crate::invoice::transitions::AmendRefused;
use crate::invoice::{Invoice, InvoiceId};
use crate::invoiced_contact::InvoicedContact;
use crate::invoicing::Invoicing;
use crate::ports::{InvoicingTx, Stored};
use crate::send::{queue_mail, recipient};

/// Why an invoice was not amended.
#[derive(Debug, thiserror::Error)]
pub enum AmendInvoiceError {
    /// Fields have faults, or no field was sent.
    #[error("the amendment is not valid")]
    Invalid(#[source] FieldErrors),
    /// The request had no field of an invoice.
    #[error("at least one field of the invoice must be sent")]
    Empty,
    /// The account has no such invoice.
    #[error("the account has no such invoice")]
    NotFound,
    /// The invoice was changed since the version that the caller wants to amend.
    #[error("the invoice was changed meanwhile")]
    Changed,
    /// The account has no contact with the given id.
    #[error("the account has no contact with this id")]
    ContactNotFound,
    /// Another request is changing the contact.
    #[error("another contact with this e-mail address or external id is being changed")]
    ContactConflict,
    /// Another invoice of the account has the chosen number.
    #[error("the account has an invoice with this number already")]
    DuplicateNumber,
    /// The amendment does not fit the invoice's present state.
    #[error(transparent)]
    Refused(#[from] AmendRefused),
    /// The store failed.
    #[error(transparent)]
    Store(#[from] StoreError),
}

impl From<FindOrCreateError> for AmendInvoiceError {
    fn from(error: FindOrCreateError) -> Self {
        match error {
            FindOrCreateError::Invalid(part) => {
                let mut faults = FieldErrors::default();
                faults.add_under("contact", part);
                Self::Invalid(faults)
            }
            FindOrCreateError::NotFound => Self::ContactNotFound,
            FindOrCreateError::Conflict => Self::ContactConflict,
            FindOrCreateError::Store(error) => Self::Store(error),
        }
    }
}

impl Invoicing {
    /// Amends an invoice, provided that it still has this version, if one is given. `faults` are those found
    /// in parsing the fields. The invoice is locked: of two writers, the second amends the result of the
    /// first.
    ///
    /// # Errors
    /// An [`AmendInvoiceError`]; then nothing was changed.
    pub async fn amend(
        &self,
        scope: &AccountScope,
        id: InvoiceId,
        version: Option<&Version>,
        input: InvoiceInput,
        faults: FieldErrors,
    ) -> Result<Invoice, AmendInvoiceError> {
        retry_contended(|| self.try_to_amend(scope, id, version, &input, &faults)).await
    }

    async fn try_to_amend(
        &self,
        scope: &AccountScope,
        id: InvoiceId,
        version: Option<&Version>,
        input: &InvoiceInput,
        faults: &FieldErrors,
    ) -> Result<Invoice, AmendInvoiceError> {
        let mut tx = self.store.begin(scope.id).await?;
        let mut invoice = tx.invoices().lock(id).await?.ok_or(AmendInvoiceError::NotFound)?;
        if version.is_some_and(|version| invoice.version() != *version) {
            return Err(AmendInvoiceError::Changed);
        }
        if !invoice.status.is_editable() {
            return Err(AmendRefused::Locked(invoice.status).into());
        }
        // A form always has fields.
        if version.is_none() && input.is_empty() && faults.is_empty() {
            return Err(AmendInvoiceError::Empty);
        }
        let amendment = match InvoiceAmendment::check(input.clone(), faults.clone(), &invoice, scope) {
            Ok(amendment) => amendment,
            Err(faults) => return Err(all_faults(&mut *tx, input, &invoice, faults).await?),
        };
        let now = self.clock.now();
        let today = scope.time_zone.date_at(now);
        let before = tx.is_audited().then(|| invoice.clone());
        let contact = self.contact_of(&mut *tx, scope, &amendment, now).await?;
        self.apply(&mut *tx, &mut invoice, amendment, contact, today, now).await?;
        if let Some(before) = before {
            tx.complete_audit(audited::amendment(&before, &invoice));
        }
        tx.commit().await?;
        Ok(invoice)
    }

    async fn contact_of(
        &self,
        tx: &mut dyn InvoicingTx,
        scope: &AccountScope,
        amendment: &InvoiceAmendment,
        now: OffsetDateTime,
    ) -> Result<Option<InvoicedContact>, AmendInvoiceError> {
        let ContactChange::Take(reference) = &amendment.contact else {
            return Ok(None);
        };
        let matching = tx.contacts().lock_matching(reference).await?;
        let found = find_or_create(tx.contacts(), scope.id, reference, &matching, &*self.ids, now).await;
        let sends = amendment.send && !amendment.stays_draft;
        let found = found.map_err(|error| with_missing_address(error, reference, sends))?;
        Ok(Some(found.contact.into()))
    }

    async fn apply(
        &self,
        tx: &mut dyn InvoicingTx,
        invoice: &mut Invoice,
        amendment: InvoiceAmendment,
        contact: Option<InvoicedContact>,
        today: Date,
        now: OffsetDateTime,
    ) -> Result<(), AmendInvoiceError> {
        let was_draft = invoice.is_draft();
        let total = invoice.totals.total;
        let amended = invoice.amend(amendment, contact, &*self.ids, today, now)?;
        let to = match amended.send {
            true => {
                let to = recipient_now(tx, invoice.contact.as_ref(), invoice.created_at).await?;
                Some(to.map_err(AmendInvoiceError::Invalid)?)
            }
            false => None,
        };
        if tx.invoices().update(invoice, amended.lines_replaced).await? == Stored::NumberTaken {
            return Err(AmendInvoiceError::DuplicateNumber);
        }
        if invoice.totals.total != total {
            tx.checkouts().expire(invoice.id, &*self.ids, now).await?;
        }
        if let Some(to) = to {
            queue_mail(tx, invoice, to, &*self.ids, now).await?;
        }
        if was_draft {
            self.queue_push(tx, invoice, now).await?;
        }
        Ok(())
    }
}

/// The faults of the fields, and those of the contact that only a look-up shows.
async fn all_faults(
    tx: &mut dyn InvoicingTx,
    input: &InvoiceInput,
    current: &Invoice,
    mut faults: FieldErrors,
) -> StoreResult<AmendInvoiceError> {
    let stays_draft = input.is_draft.as_value().copied().unwrap_or(current.is_draft());
    let issues = current.is_draft() && !stays_draft;
    // What stays a draft is not sent, so its contact needs no address.
    let send = input.send_invoice == Field::Value(true) && !stays_draft;
    let contact = match (&input.contact, &current.contact) {
        (Field::Value(sent), _) => {
            look_up(tx.contacts(), sent, send, &mut faults).await?.map(InvoicedContact::from)
        }
        (Field::Absent, Some(kept)) if issues => {
            let kept = ContactInput { id: Field::Value(kept.id), ..ContactInput::default() };
            look_up(tx.contacts(), &kept, send, &mut faults).await?.map(InvoicedContact::from)
        }
        (Field::Absent, kept) if !current.is_draft() => kept.clone(),
        _ => None,
    };
    if send && contact.is_some() {
        let to = recipient_now(tx, contact.as_ref(), current.created_at).await?;
        faults.add_all(to.err().unwrap_or_default());
    }
    Ok(AmendInvoiceError::Invalid(faults))
}

/// The address that an invoice is sent to: the one that it was issued with. If its contact was erased since,
/// the invoice keeps that address, as the law requires, but is only sent to an address that the contact was
/// given afterwards.
async fn recipient_now(
    tx: &mut dyn InvoicingTx,
    contact: Option<&InvoicedContact>,
    created_at: OffsetDateTime,
) -> StoreResult<Result<EmailAddress, FieldErrors>> {
    let Some(contact) = contact else {
        return Ok(recipient(None));
    };
    let present = tx.contacts().lock(contact.id).await?.and_then(|contact| contact.email);
    let may_be_gone = contact.email.is_none() || contact.email != present;
    if may_be_gone && tx.contacts().was_erased_since(contact.id, created_at).await? {
        let message = "belongs to a contact that was erased: nothing is sent to it";
        return Ok(present.ok_or_else(|| FieldErrors::one("contact.email", message)));
    }
    Ok(recipient(contact.email.as_ref()))
}
