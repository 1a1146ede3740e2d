//! A ledger with scripted results.

use std::collections::VecDeque;
use std::sync::Mutex;

use async_trait::async_trait;
use invoices::ledger::LedgerTaskId;
use invoices::{Invoice, InvoiceId, Invoicing, Ledger, LedgerError, LedgerInvoiceId};
use kernel::{AccountScope, Clock, SingleLine};
use testkit::FixedClock;
use time::{Duration, OffsetDateTime};

/// What a scripted ledger does when it is called.
pub(crate) enum Script {
    Takes(&'static str),
    Fails(LedgerError),
    /// The invoice is cancelled while the call is in progress, and then the ledger accepts it.
    IsOvertakenByCancelling(&'static str),
}

/// A ledger that follows its script and then accepts everything; it records its calls.
#[derive(Default)]
pub(crate) struct ScriptedLedger {
    pub(crate) script: Mutex<VecDeque<Script>>,
    pub(crate) asked: Mutex<Vec<String>>,
    /// The keys of the pushes.
    pub(crate) keys: Mutex<Vec<LedgerTaskId>>,
    /// What [`Ledger::find`] finds.
    pub(crate) entered: Mutex<Option<&'static str>>,
    pub(crate) canceller: Mutex<Option<(Invoicing, AccountScope)>>,
    pub(crate) limit: Mutex<Option<CallLimit>>,
}

/// The most calls in a minute, which begins when the last one is over.
pub(crate) struct CallLimit {
    pub(crate) per_minute: usize,
    pub(crate) clock: FixedClock,
    pub(crate) minute_ends_at: OffsetDateTime,
    pub(crate) taken: usize,
    pub(crate) refused: usize,
}

impl CallLimit {
    fn take(&mut self) -> Result<(), LedgerError> {
        let now = self.clock.now();
        if self.minute_ends_at <= now {
            (self.minute_ends_at, self.taken, self.refused) = (now + Duration::MINUTE, 0, 0);
        }
        if self.taken == self.per_minute {
            self.refused += 1;
            let wait = self.minute_ends_at - now;
            return Err(LedgerError::Later { reason: "the ledger answered 429".to_owned(), wait });
        }
        self.taken += 1;
        Ok(())
    }
}

impl ScriptedLedger {
    async fn answer(&self, call: String, invoice: Option<InvoiceId>) -> Result<LedgerInvoiceId, LedgerError> {
        self.limit.lock().unwrap().as_mut().map_or(Ok(()), CallLimit::take)?;
        self.asked.lock().unwrap().push(call);
        let next = self.script.lock().unwrap().pop_front();
        let id = match next {
            None => "ledger-1",
            Some(Script::Takes(id)) => id,
            Some(Script::Fails(error)) => return Err(error),
            Some(Script::IsOvertakenByCancelling(id)) => {
                let (canceller, scope) = self.canceller.lock().unwrap().clone().unwrap();
                canceller.cancel(&scope, invoice.unwrap(), None).await.unwrap();
                id
            }
        };
        Ok(SingleLine::parse(id).unwrap())
    }
}

#[async_trait]
impl Ledger for ScriptedLedger {
    async fn push(&self, key: LedgerTaskId, invoice: &Invoice) -> Result<LedgerInvoiceId, LedgerError> {
        self.keys.lock().unwrap().push(key);
        self.answer(format!("push {}", invoice.number), Some(invoice.id)).await
    }

    async fn find(&self, invoice: &Invoice) -> Result<Option<LedgerInvoiceId>, LedgerError> {
        let call = format!("find {}", invoice.number);
        self.asked.lock().unwrap().push(call);
        let entered = *self.entered.lock().unwrap();
        Ok(entered.map(|id| SingleLine::parse(id).unwrap()))
    }

    async fn void(&self, id: &LedgerInvoiceId) -> Result<(), LedgerError> {
        let call = format!("void {}", id.as_str());
        self.answer(call, None).await.map(drop)
    }

    fn not_before(&self) -> Option<OffsetDateTime> {
        let limit = self.limit.lock().unwrap();
        limit.as_ref().filter(|limit| limit.refused > 0).map(|limit| limit.minute_ends_at)
    }
}
