//! Views of payment pages: the first of each day is stored, without delaying the response.

use std::collections::HashSet;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use invoices::{InvoiceForPayer, InvoiceId, PageView, PaymentPageHistory};
use kernel::AccountId;
use time::{Date, OffsetDateTime};

/// How many views are remembered, in at most about 10 MiB. When there are more, all are forgotten; then the
/// store gets statements that change nothing.
const MAX_VIEWS: usize = 65_536;

type InvoiceDay = (AccountId, InvoiceId, Date);

/// The views that this process has stored recently, so that it stores each invoice and day only once.
#[derive(Debug, Default)]
pub struct PageViews(Mutex<HashSet<InvoiceDay>>);

impl PageViews {
    /// Stores a view of an invoice, if it is the first of its day that this process sees. The caller does not
    /// wait for the store.
    pub(crate) fn keep(
        self: &Arc<Self>,
        shown: &InvoiceForPayer,
        now: OffsetDateTime,
        history: &Arc<dyn PaymentPageHistory>,
    ) {
        let invoice = &shown.invoice;
        let day = shown.time_zone.date_at(now);
        let view = PageView { account: invoice.account, invoice: invoice.id, day, first_at: now };
        if !self.insert(view) {
            return;
        }
        let (views, history) = (self.clone(), history.clone());
        actix_web::rt::spawn(async move {
            if let Err(error) = history.record_view(&view).await {
                tracing::warn!(error = %error, "a view of a payment page could not be kept");
                views.days().remove(&key(view));
            }
        });
    }

    /// Whether the view is the first of its day.
    fn insert(&self, view: PageView) -> bool {
        let mut days = self.days();
        if days.len() >= MAX_VIEWS {
            days.clear();
        }
        days.insert(key(view))
    }

    fn days(&self) -> MutexGuard<'_, HashSet<InvoiceDay>> {
        // A panic cannot have left the set half-changed: each change is a single call.
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

const fn key(view: PageView) -> InvoiceDay {
    (view.account, view.invoice, view.day)
}
