//! Creating an invoice: contact, number, invoice and stored response in one transaction.

use std::sync::atomic::{AtomicBool, Ordering};

use contacts::{ContactInput, FindOrCreateError, find_or_create};
use idempotency::{Claim, IdempotentOutcome, IdempotentResponse};
use kernel::{AccountScope, AuditDetails, Field, FieldErrors, StoreError, StoreResult, retry_contended};
use time::{Date, OffsetDateTime};

use crate::audited;
use crate::check::NewInvoice;
use crate::contact_faults::{look_up, with_missing_address};
use crate::input::InvoiceInput;
use crate::invoice::{CreationContext, Invoice};
use crate::invoicing::Invoicing;
use crate::number::InvoiceNumber;
use crate::pay_token::PayToken;
use crate::ports::{CreationNeeds, InvoicingTx, Stored};
use crate::send::{queue_mail, recipient};

/// Why an invoice was not created.
#[derive(Debug, thiserror::Error)]
pub enum CreateInvoiceError {
    /// Fields have faults.
    #[error("the invoice is not valid")]
    Invalid(#[source] FieldErrors),
    /// The account has no contact with the given id.
    #[error("the account has no contact with this id")]
    ContactNotFound,
    /// Another request is changing the contact.
    #[error("another contact with this e-mail address or external id is being changed")]
    ContactConflict,
    /// Another invoice of the account has the chosen number.
    #[error("the account has an invoice with this number already")]
    DuplicateNumber,
    /// The account's plan allows no more invoices this month.
    #[error(
        "the account's plan has a limit of {0} invoices a month, and this month's are used up: the next can be \
         created on the first of next month, or when the operator of this service has raised the limit"
    )]
    PlanLimitReached(u64),
    /// The store failed.
    #[error(transparent)]
    Store(#[from] StoreError),
}

impl From<FindOrCreateError> for CreateInvoiceError {
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
    /// Creates an invoice and returns its response, once for each idempotency key. `faults` are those found
    /// in parsing the fields.
    ///
    /// With a ticket, an error may hide a stored response: the fields are checked before the ticket is
    /// claimed, and a request that was carried out may no longer be valid on the next day. Pass the error's
    /// response to [`store_error_response`](idempotency::store_error_response), and return what that returns.
    ///
    /// # Errors
    /// A [`CreateInvoiceError`]; then nothing was changed: no contact created, no number used up.
    pub async fn create(
        &self,
        scope: &AccountScope,
        input: InvoiceInput,
        faults: FieldErrors,
        idempotent_response: &IdempotentResponse<'_, Invoice>,
    ) -> Result<IdempotentOutcome, CreateInvoiceError> {
        let now = self.clock.now();
        let today = scope.time_zone.date_at(now);
        // A draft is not sent, so its contact needs no address.
        let send = input.send_invoice == Field::Value(true) && input.is_draft != Field::Value(true);
        let contact = input.contact.clone();
        let new = match NewInvoice::check(input, faults, scope, self.policy, today) {
            Ok(new) => new,
            Err(faults) => return Err(self.all_faults(scope, contact, send, faults).await?),
        };
        let is_repeated = AtomicBool::new(false);
        let attempt = || {
            let is_repeated = is_repeated.swap(true, Ordering::Relaxed);
            self.attempt(scope, &new, now, today, idempotent_response, is_repeated)
        };
        retry_contended(attempt).await
    }

    /// The faults of the fields, and those of the contact that only a look-up shows.
    async fn all_faults(
        &self,
        scope: &AccountScope,
        contact: Field<ContactInput>,
        send: bool,
        mut faults: FieldErrors,
    ) -> StoreResult<CreateInvoiceError> {
        if let Field::Value(contact) = contact {
            let mut tx = self.store.begin(scope.id).await?;
            let found = look_up(tx.contacts(), &contact, send, &mut faults).await?;
            if send
                && let Some(found) = found
                && let Err(missing) = recipient(found.email.as_ref())
            {
                faults.add_all(missing);
            }
        }
        Ok(CreateInvoiceError::Invalid(faults))
    }

    async fn attempt(
        &self,
        scope: &AccountScope,
        new: &NewInvoice,
        now: OffsetDateTime,
        today: Date,
        idempotent_response: &IdempotentResponse<'_, Invoice>,
        is_repeated: bool,
    ) -> Result<IdempotentOutcome, CreateInvoiceError> {
        let mut tx = self.store.begin(scope.id).await?;
        let needs = CreationNeeds {
            ticket: idempotent_response.ticket,
            contact: new.contact.as_ref(),
            takes_position: new.number.is_none(),
        };
        let start = tx.invoices().begin_creation(&needs).await?;
        if let Claim::Taken(settled) = start.claim {
            return Ok(settled);
        }
        // Before a contact is inserted: every creation that locks the sequence locks it before its contact.
        let used_up = used_up_plan(&mut *tx, scope, today).await?;
        let contact = match &new.contact {
            Some(reference) => {
                let matching = &start.matching;
                let found = find_or_create(tx.contacts(), scope.id, reference, matching, &*self.ids, now);
                let found = found.await.map_err(|error| with_missing_address(error, reference, new.send))?;
                Some(found.contact)
            }
            None => None,
        };
        let email = contact.as_ref().and_then(|contact| contact.email.as_ref());
        let to = new.send.then(|| recipient(email).map_err(CreateInvoiceError::Invalid)).transpose()?;
        if let Some(limit) = used_up {
            return Err(CreateInvoiceError::PlanLimitReached(limit));
        }
        let number = match &new.number {
            Some(chosen) => chosen.clone(),
            None => next_number(&mut *tx, scope, start.position, is_repeated).await?,
        };
        let pay_token = PayToken::generate(scope.id, &*self.random);
        let context =
            CreationContext { account: scope.id, number, contact, pay_token, ids: &*self.ids, now, today };
        let invoice = Invoice::create(new.clone(), context);
        insert(&mut *tx, &invoice, new.number.is_some()).await?;
        if let Some(to) = to {
            queue_mail(&mut *tx, &invoice, to, &*self.ids, now).await?;
        }
        self.queue_push(&mut *tx, &invoice, now).await?;
        let response = (idempotent_response.present)(&invoice);
        if let Some(ticket) = idempotent_response.ticket {
            tx.stored_responses().store(ticket, &response).await?;
        }
        if tx.is_audited() {
            tx.complete_audit(AuditDetails { before: None, after: Some(audited::figures(&invoice)) });
        }
        tx.commit().await?;
        Ok(IdempotentOutcome::Fresh(response))
    }
}

/// The number of the position that was taken. In the first attempt it is assumed to be free: otherwise the
/// commit fails by contention, and the repeated attempt looks for one that no caller chose.
async fn next_number(
    tx: &mut dyn InvoicingTx,
    scope: &AccountScope,
    position: Option<u64>,
    is_repeated: bool,
) -> StoreResult<InvoiceNumber> {
    let prefix = scope.invoice_prefix.as_deref().unwrap_or(InvoiceNumber::DEFAULT_PREFIX);
    let mut position = position.ok_or_else(|| StoreError::Failed("no number was taken".into()))?;
    if is_repeated {
        position = tx.numbers().first_free_in_sequence(prefix, position).await?;
    }
    Ok(InvoiceNumber::generated(prefix, position))
}

/// Inserts an invoice whose number was chosen or generated.
async fn insert(
    tx: &mut dyn InvoicingTx,
    invoice: &Invoice,
    is_chosen: bool,
) -> Result<(), CreateInvoiceError> {
    if !is_chosen {
        return Ok(tx.invoices().insert_generated(invoice).await?);
    }
    match tx.invoices().insert(invoice).await? {
        Stored::Done => Ok(()),
        Stored::NumberTaken => Err(CreateInvoiceError::DuplicateNumber),
    }
}

/// The account's monthly limit, if it is reached. The month is a calendar month in the account's time zone;
/// drafts count.
async fn used_up_plan(
    tx: &mut dyn InvoicingTx,
    scope: &AccountScope,
    today: Date,
) -> StoreResult<Option<u64>> {
    let Some(limit) = scope.monthly_invoice_limit else {
        return Ok(None);
    };
    let first = today.replace_day(1).unwrap_or(today);
    let created = tx.numbers().count_created_since(scope.time_zone.start_of(first)).await?;
    Ok((created >= limit).then_some(limit))
}
