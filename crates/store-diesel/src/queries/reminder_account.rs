//! What the reminders of an account depend on, apart from its contacts.

use communications::{AccountFacts, MessageId, MonthlyTexts, ReminderPolicy};
use diesel::prelude::*;
use diesel_async::RunQueryDsl;
use kernel::{AccountId, StoreResult, TimeZone};
use store_schema::rows::PolicyRow;
use store_schema::schema::{accounts, messages, reminder_policies};
use store_schema::types::RowId;
use time::OffsetDateTime;
use uuid::Uuid;

use super::columns::columns_of;
use crate::dialect::Connection;

/// An account as stored.
pub(super) struct AccountRows {
    account: RowId,
    found: Option<(String, bool, bool, bool, Option<i64>)>,
    policy: Option<PolicyRow>,
    texts: Option<MonthlyTexts>,
}

/// Reads an account and its policy. This month's text messages and calls are counted if the account has a
/// limit, except the message `on_its_way`: it was allowed when it was queued.
pub(super) async fn load(
    account: AccountId,
    on_its_way: Option<MessageId>,
    now: OffsetDateTime,
    connection: &mut Connection,
) -> QueryResult<AccountRows> {
    let account = RowId::from(account);
    let found = accounts::table
        .filter(accounts::id.eq(account))
        .select((
            accounts::time_zone,
            accounts::disabled_by_partner,
            accounts::disabled_by_operator,
            accounts::communications_enabled,
            accounts::monthly_message_limit,
        ))
        .get_result::<(String, bool, bool, bool, Option<i64>)>(connection)
        .await
        .optional()?;
    let policy = reminder_policies::table
        .filter(reminder_policies::account_id.eq(account))
        .select(columns_of::<PolicyRow>())
        .get_result::<PolicyRow>(connection)
        .await
        .optional()?;
    let texts = match &found {
        Some((zone, .., Some(limit))) => {
            Some(count_texts((account, zone, *limit), on_its_way, now, connection).await?)
        }
        _ => None,
    };
    Ok(AccountRows { account, found, policy, texts })
}

/// How many text messages and calls of this month were queued and not dropped.
async fn count_texts(
    (account, zone, limit): (RowId, &str, i64),
    except: Option<MessageId>,
    now: OffsetDateTime,
    connection: &mut Connection,
) -> QueryResult<MonthlyTexts> {
    let zone = TimeZone::from_stored(zone);
    let today = zone.date_at(now);
    let month = zone.start_of(today.replace_day(1).unwrap_or(today));
    let used = messages::table
        .filter(messages::account_id.eq(account))
        .filter(messages::direction.eq("out"))
        .filter(messages::channel.ne("email"))
        .filter(messages::state.ne("dropped"))
        .filter(messages::id.ge(RowId::first_at(month)))
        .filter(messages::id.ne(except.map_or(RowId(Uuid::nil()), RowId::from)))
        .count()
        .get_result::<i64>(connection)
        .await?;
    Ok(MonthlyTexts { limit, used, counted_on: today })
}

/// Whether a locked account may queue another text message or call this month.
pub(super) async fn has_texts_left(
    locked: (RowId, String, Option<i64>),
    now: OffsetDateTime,
    connection: &mut Connection,
) -> QueryResult<bool> {
    let (account, zone, limit) = locked;
    let Some(limit) = limit else {
        return Ok(true);
    };
    let texts = count_texts((account, &zone, limit), None, now, connection).await?;
    Ok(texts.used < texts.limit)
}

impl AccountRows {
    /// Converts the rows; `None` when there is no such account.
    pub(super) fn read(self) -> StoreResult<Option<AccountFacts>> {
        let Some((zone, by_partner, by_operator, communicates, _limit)) = self.found else {
            return Ok(None);
        };
        let policy = self.policy.map(ReminderPolicy::try_from).transpose()?;
        Ok(Some(AccountFacts {
            account: self.account.id(),
            zone: TimeZone::from_stored(&zone),
            is_on: communicates && !by_partner && !by_operator,
            policy: policy.unwrap_or_else(ReminderPolicy::initial),
            texts: self.texts,
            sends_texts: false,
        }))
    }
}
