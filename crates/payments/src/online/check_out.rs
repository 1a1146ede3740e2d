//! Starting an online payment of an invoice.

use idempotency::Fingerprint;
use invoices::figures::money_text;
use invoices::{Invoice, InvoiceId, PayToken};
use kernel::{AccountId, Id, Money, StoreError, StoreResult, Unsealable, retry_contended};
use time::OffsetDateTime;

use super::gateway_account::{GatewayAccount, SealedGatewaySecret};
use super::gateway_job::GatewayTask;
use super::intent::{Intent, IntentState};
use super::offer::{least, payable, writable_around};
use super::online_payments::{OnlinePayments, live};
use super::ports::OnlineTx;
use crate::gateway::{
    AmountRefused, GatewayError, GatewayKind, GatewaySecret, NewCheckout, OpenedCheckout, PaymentGateway,
};

/// A payer's request to pay.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct CheckoutRequest {
    /// The invoice.
    pub invoice: InvoiceId,
    /// The token of the payment page.
    pub token: PayToken,
    /// The amount, in major units, as the payer wrote it; all that can be paid when left out.
    pub amount: Option<String>,
    /// The most that the page offered to pay, with its currency, as [`money_text`] writes it.
    pub most: Option<String>,
}

/// Why a payer is not sent to the gateway.
#[derive(Debug, thiserror::Error)]
pub enum CheckoutError {
    /// The invoice does not exist, or the address of its payment page was replaced.
    #[error("there is no such invoice")]
    NotFound,
    /// The invoice takes no payments, or the account is switched off.
    #[error("the invoice takes no payments")]
    NotPayable,
    /// The account has no gateway.
    #[error("the account takes no payments online")]
    NoGateway,
    /// The amount due is being paid already.
    #[error("a payment of all that is due is being processed")]
    BeingProcessed,
    /// The amount cannot be paid. The text states the permitted amounts.
    #[error("the amount {0}")]
    Amount(String),
    /// The invoice was changed while the checkout was being opened.
    #[error("the invoice was changed meanwhile")]
    Changed,
    /// The gateway refuses.
    #[error("the gateway does not open a checkout: {0}")]
    Refused(String),
    /// The gateway cannot be reached. A retry uses the same intent.
    #[error("the gateway does not answer: {0}")]
    Unreachable(String),
    /// The gateway's secrets cannot be unsealed.
    #[error(transparent)]
    Unsealable(#[from] Unsealable),
    /// The store failed.
    #[error(transparent)]
    Store(#[from] StoreError),
}

impl From<AmountRefused> for CheckoutError {
    fn from(refused: AmountRefused) -> Self {
        Self::Amount(refused.to_string())
    }
}

/// An intent that was stored or found, and the data to open its checkout with.
struct BegunCheckout {
    intent: Intent,
    gateway: GatewayAccount,
    new: NewCheckout,
}

impl OnlinePayments {
    /// Starts a payment: stores the intent, commits, then opens the gateway's checkout. Returns the address
    /// to send the payer to. A repeated request returns the same checkout; another amount expires the first.
    pub async fn check_out(
        &self,
        account: AccountId,
        request: &CheckoutRequest,
    ) -> Result<String, CheckoutError> {
        match self.try_to_open(account, request).await? {
            Ok(url) => Ok(url),
            // If a checkout was opened nevertheless, no payer has its address.
            Err(_repeated) => self.try_to_open(account, request).await?.map_err(CheckoutError::Unreachable),
        }
    }

    /// Opens the checkout of an intent. The inner error is a failure that the gateway repeats for the intent,
    /// which is over then.
    async fn try_to_open(
        &self,
        account: AccountId,
        request: &CheckoutRequest,
    ) -> Result<Result<String, String>, CheckoutError> {
        let begun = retry_contended(|| self.try_to_begin(account, request)).await?;
        if let Some(opened) = &begun.intent.checkout {
            return Ok(Ok(opened.url.clone()));
        }
        let adapter = self.adapter(begun.gateway.kind).ok_or(CheckoutError::NoGateway)?;
        let access = begun.gateway.access(&self.keys, begun.intent.created_at)?;
        match adapter.open_checkout(&access, &begun.new).await {
            Ok(opened) => retry_contended(|| self.try_to_note(&begun.intent, &opened)).await.map(Ok),
            Err(GatewayError::Repeated(why)) => {
                self.end_unopened(&begun.intent).await?;
                Ok(Err(why))
            }
            Err(GatewayError::Unreachable(why) | GatewayError::KeyRefused(why)) => {
                Err(CheckoutError::Unreachable(why))
            }
            Err(refused) => {
                // A request at once with the same intent may have stored its checkout.
                self.end_unopened(&begun.intent).await?;
                Err(match refused {
                    GatewayError::Amount(refused) => refused.into(),
                    other => CheckoutError::Refused(other.to_string()),
                })
            }
        }
    }

    async fn try_to_begin(
        &self,
        account: AccountId,
        request: &CheckoutRequest,
    ) -> Result<BegunCheckout, CheckoutError> {
        let now = self.now();
        let mut tx = self.store.begin(account).await?;
        let invoice = tx.invoices().lock(request.invoice).await?.ok_or(CheckoutError::NotFound)?;
        if invoice.pay_token != request.token {
            return Err(CheckoutError::NotFound);
        }
        let payee = tx.online().payee().await?.ok_or(CheckoutError::NotFound)?;
        if !payee.is_active || !invoice.status.is_payable() {
            return Err(CheckoutError::NotPayable);
        }
        let gateway = self.gateway_of(&mut *tx, account, now).await?;
        let adapter = self.adapter(gateway.kind).ok_or(CheckoutError::NoGateway)?;
        let open = tx.online().open_intents(invoice.id).await?;
        let amount = amount(&mut *tx, (&invoice, &open), request, &**adapter).await?;
        // The present address, not the invoice's copy: the contact may have been erased.
        let payer = tx.online().payer(&invoice).await?;
        let first = NewCheckout {
            intent: Id::new(&*self.invoicing.ids, now),
            account,
            amount,
            description: format!("Invoice {}", invoice.number.as_str()),
            company_name: payee.company_name,
            payer_email: payer.map(|payer| payer.email),
            return_url: self.invoicing.urls.payment_page(request.token.reveal()),
            expires_at: now.saturating_add(Intent::LASTS),
        };
        let intent = self.intent(&mut *tx, (&invoice, open), &gateway, &first, now).await?;
        tx.commit().await?;
        // The retry of an intent must send the same request, with the same id and times.
        let new = NewCheckout {
            intent: intent.id,
            return_url: self.invoicing.urls.payment_page_return(request.token.reveal(), intent.id),
            expires_at: intent.expires_at,
            ..first
        };
        Ok(BegunCheckout { intent, gateway, new })
    }

    /// The gateway account that the account's payers pay through. The sandbox's gateway account is created on
    /// first use.
    async fn gateway_of(
        &self,
        tx: &mut dyn OnlineTx,
        account: AccountId,
        now: OffsetDateTime,
    ) -> Result<GatewayAccount, CheckoutError> {
        let gateways = tx.online().gateways().await?;
        let kind = self.kind_for(&gateways).ok_or(CheckoutError::NoGateway)?;
        if kind.is_live() {
            return live(&gateways, now).cloned().ok_or(CheckoutError::NoGateway);
        }
        let id = GatewayAccount::sandbox_id(account);
        if let Some(gateway) = gateways.into_iter().find(|gateway| gateway.id == id) {
            return Ok(gateway);
        }
        let secret = || -> Result<SealedGatewaySecret, CheckoutError> {
            let mut bytes = [0_u8; 16];
            self.random.fill(&mut bytes);
            let text = format!("sandbox_{:032x}", u128::from_be_bytes(bytes));
            let secret = GatewaySecret::parse(&text).map_err(|_never| CheckoutError::NoGateway)?;
            Ok(SealedGatewaySecret::seal(&secret, &self.keys, &*self.random, (account, id)))
        };
        let mut gateway = GatewayAccount::new(id, account, GatewayKind::Sandbox, secret()?, now);
        gateway.webhook_secret = Some(secret()?);
        tx.online().put_gateway(&gateway).await?;
        Ok(gateway)
    }

    /// The open intent that matches this checkout, or a new one that replaces those of other amounts.
    async fn intent(
        &self,
        tx: &mut dyn OnlineTx,
        (invoice, open): (&Invoice, Vec<Intent>),
        gateway: &GatewayAccount,
        new: &NewCheckout,
        now: OffsetDateTime,
    ) -> Result<Intent, CheckoutError> {
        let opened_with = fingerprint(new);
        let mut same = None;
        for intent in open.into_iter().filter(Intent::can_be_paid) {
            let is_same = intent.is_for(new.amount, gateway.id, opened_with, now)
                && !gateway.was_key_undone(intent.created_at, now)
                && !(intent.state == IntentState::Opening && gateway.has_newer_key(intent.created_at, now));
            if same.is_none() && is_same && intent.token == invoice.pay_token {
                same = Some(intent);
            } else {
                let expiring = Intent { state: IntentState::Expiring, ..intent };
                tx.online().put_intent(&expiring).await?;
                let task = GatewayTask::Expire { intent: expiring.id.uuid() };
                let job = task.into_job(expiring.account, Some(invoice.id), &*self.invoicing.ids, now);
                tx.jobs().queue(job).await?;
            }
        }
        if let Some(intent) = same {
            return Ok(intent);
        }
        let intent = Intent {
            id: new.intent,
            account: invoice.account,
            invoice: invoice.id,
            gateway_account: gateway.id,
            amount: new.amount,
            state: IntentState::Opening,
            opened_with: Some(opened_with),
            checkout: None,
            token: invoice.pay_token.clone(),
            created_at: now,
            expires_at: new.expires_at,
        };
        tx.online().put_intent(&intent).await?;
        Ok(intent)
    }

    /// Stores the checkout of an intent. If it is no longer wanted, its expiry is queued.
    async fn try_to_note(&self, of: &Intent, opened: &OpenedCheckout) -> Result<String, CheckoutError> {
        let now = self.now();
        let mut tx = self.store.begin(of.account).await?;
        tx.invoices().lock(of.invoice).await?.ok_or(CheckoutError::NotFound)?;
        let intent = tx.online().intent(of.id).await?.ok_or(CheckoutError::NotFound)?;
        let is_wanted = matches!(intent.state, IntentState::Opening | IntentState::Open);
        let state = if is_wanted { IntentState::Open } else { IntentState::Expiring };
        let noted = Intent { state, checkout: Some(opened.clone()), ..intent };
        tx.online().put_intent(&noted).await?;
        if !is_wanted {
            let task = GatewayTask::Expire { intent: noted.id.uuid() };
            let job = task.into_job(noted.account, Some(noted.invoice), &*self.invoicing.ids, now);
            tx.jobs().queue(job).await?;
        }
        tx.commit().await?;
        if is_wanted { Ok(opened.url.clone()) } else { Err(CheckoutError::Changed) }
    }

    /// Ends an intent whose checkout is not stored. If it is just being opened, it is expired once it is
    /// stored. Returns the intent, with its checkout if that was stored meanwhile.
    pub(crate) async fn end_unopened(&self, of: &Intent) -> StoreResult<Intent> {
        retry_contended(async || {
            let mut tx = self.store.begin(of.account).await?;
            tx.invoices().lock(of.invoice).await?;
            let intent = tx.online().intent(of.id).await?.unwrap_or_else(|| of.clone());
            if intent.checkout.is_some() || intent.state == IntentState::Ended {
                return Ok(intent);
            }
            let ended = Intent { state: IntentState::Ended, ..intent };
            tx.online().put_intent(&ended).await?;
            tx.commit().await?;
            Ok::<_, StoreError>(ended)
        })
        .await
    }
}

/// The requested amount, if it can be paid at the gateway, and what it leaves can be paid later.
async fn amount(
    tx: &mut dyn OnlineTx,
    (invoice, open): (&Invoice, &[Intent]),
    request: &CheckoutRequest,
    adapter: &dyn PaymentGateway,
) -> Result<Money, CheckoutError> {
    let charges = tx.online().charges(invoice.id).await?;
    let most = payable(invoice.amount_due(), &charges, open);
    if most.is_zero() {
        return Err(CheckoutError::BeingProcessed);
    }
    let offered = writable_around(most, |amount| adapter.takes(amount)).0;
    if request.most.as_ref().is_some_and(|shown| !is_as_shown(shown, offered, request.amount.as_deref())) {
        return Err(CheckoutError::Changed);
    }
    let Some(text) = request.amount.as_deref() else {
        adapter.takes(most)?;
        return Ok(most);
    };
    let amount = Money::entered(text, invoice.currency);
    let amount = amount.map_err(|fault| CheckoutError::Amount(fault.to_string()))?;
    let settings = tx.online().settings().await?;
    let least = least(invoice.totals.total, most, &settings, |amount| adapter.takes(amount));
    if amount.minor() > most.minor() {
        return Err(CheckoutError::Amount(format!("must be at most {}", money_text(most))));
    }
    if amount.minor() < least.minor() {
        return Err(CheckoutError::Amount(format!("must be at least {}", money_text(least))));
    }
    adapter.takes(amount)?;
    let rest = Money::new(most.minor().saturating_sub(amount.minor()), most.currency());
    if let (false, Err(AmountRefused::BelowMinimum(rest))) = (rest.is_zero(), adapter.takes(rest)) {
        let fault = format!("must be {}, or leave at least {}", money_text(most), money_text(rest));
        return Err(CheckoutError::Amount(fault));
    }
    Ok(amount)
}

/// Whether the page showed what is offered now: the sum or, if the payer entered another one, its currency.
fn is_as_shown(shown: &str, offered: Money, entered: Option<&str>) -> bool {
    let Some((currency, sum)) = shown.split_once(' ') else {
        return false;
    };
    let read = |text: &str| Money::entered(&text.replace(',', ""), offered.currency()).ok();
    let is_another = entered.is_some_and(|entered| read(entered) != read(sum));
    currency == offered.currency().code() && (is_another || read(sum) == Some(offered))
}

/// The fields of a request that a gateway compares for one intent, without those stored in the intent.
fn fingerprint(new: &NewCheckout) -> Fingerprint {
    let email = new.payer_email.as_ref().map_or("", |email| email.as_str());
    let parts = [&*new.description, &*new.company_name, email, &*new.return_url];
    Fingerprint::of(parts.join("\n").as_bytes())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::online::samples::aud;

    #[test]
    fn sum_of_the_page_must_still_be_offered_unless_the_payer_entered_another_one() {
        let offered = aud(123_400);
        for (shown, entered, is_so) in [
            ("AUD 1,234.00", None, true),
            ("AUD 1,234.00", Some("1234.00"), true),
            ("AUD 100.00", None, false),
            ("AUD 100.00", Some("100.00"), false),
            ("AUD 100.00", Some("50"), true),
            ("JPY 100", Some("50"), false),
            ("EUR 1,234.00", None, false),
            ("", None, false),
        ] {
            assert_eq!(is_as_shown(shown, offered, entered), is_so, "{shown} {entered:?}");
        }
        assert_eq!(money_text(offered), "AUD 1,234.00");
    }
}
