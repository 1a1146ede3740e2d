//! A ledger with scripted results.

use std::collections::VecDeque;
use std::sync::Mutex;

use async_trait::async_trait;
use invoices::ledger::LedgerTaskId;
use invoices::{Invoice, InvoiceId, Invoicing, Ledger, LedgerError, LedgerInvoiceId};
use kernel::{AccountScope, SingleLine};

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
}

impl ScriptedLedger {
    async fn answer(&self, call: String, invoice: Option<InvoiceId>) -> Result<LedgerInvoiceId, LedgerError> {
        self.asked.lock().unwrap().push(call);
        let next = self.script.lock().unwrap().pop_front();
        let id = match next {
            None => "ledger-1",
            Some(Script::Takes(id)) => id,
            Some(Script::Fails(error)) => return Err(error),
            Some(Script::IsOvertakenByCancelling(id)) => {
                let (canceller, scope) = self.canceller.lock().unwrap().clone().unwrap();
                canceller.cancel(&scope, invoice.unwrap()).await.unwrap();
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
}
