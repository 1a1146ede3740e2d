//! Mails owners about messages that have been unread for a day.

use std::sync::Arc;

use kernel::{AccountId, Clock, Id, Ids, OneFailed, StoreResult, error_chain, retry_contended};
use mail::{Notice, OwnerNotice};
use time::{Duration, OffsetDateTime};

use crate::ports::{CommunicationsStore, UnreadReads};

/// How long a message is unread before the owner is notified.
const WAIT: Duration = Duration::DAY;

/// The shortest time between two such mails to an owner.
const MAIL_INTERVAL: Duration = Duration::DAY;

/// Mails owners about unread messages.
#[derive(Clone)]
pub struct UnreadService {
    /// Begins transactions.
    pub store: Arc<dyn CommunicationsStore>,
    /// Finds the accounts.
    pub unread: Arc<dyn UnreadReads>,
    /// Tells the time.
    pub clock: Arc<dyn Clock>,
    /// Makes ids.
    pub ids: Arc<dyn Ids>,
}

impl UnreadService {
    /// Mails the owners of at most `limit` accounts with messages that have been unread for a day or longer:
    /// at most once a day, and not again for the same messages. Returns how many were mailed. Several
    /// processes may do this at once.
    ///
    /// # Errors
    /// A [`kernel::StoreError`]; mails that were queued before are still sent. If it concerns one account
    /// alone, the other owners were mailed.
    pub async fn notify_owners(&self, limit: u32) -> StoreResult<u64> {
        let now = self.clock.now();
        let accounts = self.unread.accounts_to_notify(now - WAIT, now - WAIT - MAIL_INTERVAL, limit).await?;
        let (mut notified, mut failures) = (0_u64, OneFailed::default());
        for account in accounts {
            let is_notified = retry_contended(|| self.notify_owner(account, now)).await;
            let is_notified = failures.set_aside(is_notified, |error| {
                tracing::warn!(%account, error = error_chain(error), "an owner is mailed about unread messages later");
            })?;
            notified = notified.saturating_add(u64::from(is_notified == Some(true)));
        }
        failures.into_result().map(|()| notified)
    }

    async fn notify_owner(&self, account: AccountId, now: OffsetDateTime) -> StoreResult<bool> {
        let mut tx = self.store.begin(account).await?;
        let notified = tx.unread_notices().lock_notified_until().await?;
        let until = now - WAIT;
        // Another process may have notified the owner meanwhile.
        if notified.is_some_and(|notified| until < notified.saturating_add(MAIL_INTERVAL)) {
            return Ok(false);
        }
        let is_new = tx.unread_notices().count_unread(notified, until).await? > 0;
        let owner = tx.escalating().escalations().owner().await?;
        let Some(owner) = owner.filter(|owner| is_new && owner.wants(OwnerNotice::UnreadMessages)) else {
            return Ok(false);
        };
        let waiting = tx.unread_notices().count_unread(None, until).await?;
        tx.unread_notices().put_notified_until(until).await?;
        let mail = notice(waiting).into_mail(Id::new(&*self.ids, now), &owner, account.uuid(), now);
        tx.jobs().queue(mail.into_job()).await?;
        tx.commit().await?;
        Ok(true)
    }
}

fn notice(waiting: u64) -> Notice {
    let (subject, what) = if waiting == 1 {
        (
            "A message from a customer is waiting to be read".to_owned(),
            "A message has been unread for a day.".to_owned(),
        )
    } else {
        let subject = format!("{waiting} messages from customers are waiting to be read");
        (subject, format!("{waiting} messages have been unread for a day or longer."))
    };
    Notice {
        subject,
        paragraphs: vec![
            what,
            "Reminders to these customers wait until you have read the messages and pressed \"Handled\"."
                .to_owned(),
        ],
        quote: None,
        link_text: "Open the inbox".to_owned(),
        path: "/dashboard/inbox".to_owned(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn notice_says_how_many_wait_and_leads_to_the_inbox() {
        let one = notice(1);
        assert_eq!(one.subject, "A message from a customer is waiting to be read");
        let three = notice(3);
        assert_eq!(three.subject, "3 messages from customers are waiting to be read");
        assert!(three.paragraphs[0].contains("3 messages"), "{three:?}");
        assert_eq!(three.path, "/dashboard/inbox");
    }
}
