//! Settings of owners, and reminders.

use communications::{PausedUntil, PolicyChange, ReminderSettingsChange};
use kernel::FieldErrors;
use partner_accounts::ProfileAmendment;
use testkit::FixedClock;

use super::{Operations, Rows};
use crate::fixtures::{NOW, bank_details, reminders};
use crate::own_account::{named, own_accounts};
use crate::routing::logs::Sent;

impl<F: Fn(&str, Rows, &Sent)> Operations<'_, F> {
    pub(super) async fn owners(&mut self) {
        let (store, scope) = (&self.requests.store, &self.prepared.scope);
        let not_withdrawn = store.bank_details_reads.not_withdrawn(scope.id);
        self.during("the bank details of an owner", Rows::OfAccount, not_withdrawn).await.unwrap();
        let details = bank_details(store, FixedClock::default());
        let new = crate::bank_details::euros();
        let change = details.change(scope, &new, None);
        self.during("changing bank details", Rows::OfAccountAndLock, change).await.unwrap();
        let silenced = store.own_accounts.silenced(scope.id);
        let silenced = self.during("what is not mailed", Rows::EverywhereRead, silenced).await.unwrap();
        let silence = store.own_accounts.silence(scope.id, silenced.unwrap(), mail::SilencedNotices::NONE);
        self.during("changing what is mailed", Rows::EverywhereChanged, silence).await.unwrap();
        let own = own_accounts(store, FixedClock::default());
        let amendment = ProfileAmendment { fields: named("Acme Two"), ..ProfileAmendment::default() };
        let amend = own.amend_profile(scope.id, amendment, FieldErrors::default());
        self.during("changing a profile", Rows::EverywhereChanged, amend).await.unwrap();
        let invoicing = self.requests.invoicing();
        let replace = invoicing.replace_pay_link(scope, self.prepared.invoice.id, None);
        self.during("replacing a payment link", Rows::OfAccount, replace).await.unwrap();
    }

    pub(super) async fn reminders(&mut self) {
        let (store, account) = (&self.requests.store, self.prepared.scope.id);
        let invoice = self.prepared.invoice.id;
        let (read, changed) = (Rows::OfAccount, Rows::OfAccountByCoordinator);
        let reads = &store.reminder_reads;
        self.during("reminders of an account", read, reads.account(account, NOW)).await.unwrap().unwrap();
        self.during("what was decided", read, reads.decided(account, invoice)).await.unwrap();
        self.during("a pause", read, reads.paused(account, invoice)).await.unwrap();
        self.during("the contact of an invoice", read, reads.contact_of(account, invoice)).await.unwrap();
        let reminders = reminders(store);
        self.during("a forecast", read, reminders.forecast(account, 60)).await.unwrap();
        let start = PolicyChange { started: Some(true), ..PolicyChange::default() };
        let start = start.into();
        let start = reminders.change_settings(account, &start, None);
        self.during("changing a policy", Rows::OfAccountAndLock, start).await.unwrap();
        let days = ReminderSettingsChange { promise_days: Some(30), ..ReminderSettingsChange::default() };
        let days = reminders.change_settings(account, &days, None);
        self.during("changing settings of reminders", Rows::EverywhereChanged, days).await.unwrap();
        let pause = reminders.pause(account, invoice, Some(PausedUntil::Never));
        self.during("pausing reminders", changed, pause).await.unwrap();
        let preview = communications::ReminderPreview {
            contact: Some(self.prepared.contact.id),
            tone: communications::Tone::Friendly,
            subject: "Reminder".to_owned(),
            text: "Please pay.".to_owned(),
            html: "<p>Please pay.</p>".to_owned(),
            sms: None,
        };
        let test = reminders.send_test(account, &self.prepared.email, &preview);
        self.during("a test of a reminder", changed, test).await.unwrap();
    }
}
