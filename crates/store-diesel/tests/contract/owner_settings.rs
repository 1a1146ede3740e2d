//! Settings of an owner: two forms that were opened with the same version do not overwrite each other.

use communications::{
    ChangeReminderSettingsError, PausedUntil, PolicyChange, ReminderPolicy, ReminderSettingsChange,
};
use futures_util::future::join_all;
use kernel::{AccountId, TimeZone};
use payments::{ChangeTermsError, PaymentSettings, TermsChange, UnappliedMoney};
use serde_json::{Value, json};
use store_diesel::Store;
use time::macros::date;

use crate::database::on_both;
use crate::erasure::invoiced;
use crate::fixtures::{NOW, audit_entry, id, reminders, tenant};
use crate::online_payments::online_payments;

#[test]
fn reminder_settings_that_were_changed_meanwhile_are_not_overwritten() {
    on_both(async |db| {
        let (store, scope) = (&db.store, tenant(&db.store).await);
        let reminders = reminders(store);
        let unchanged = ReminderSettingsChange::default();
        let mut seen = reminders.change_settings(scope.id, &unchanged, None).await.unwrap();
        // The first round is on an account that has no stored policy yet.
        for round in 0..3_u8 {
            let version = seen.version();
            let changing = (0..6_u8).map(async |n| {
                let steps = format!("{}:email", round * 6 + n + 1);
                let change = ReminderSettingsChange {
                    policy: PolicyChange {
                        steps: Some(ReminderPolicy::parse_steps(&steps).unwrap()),
                        ..PolicyChange::default()
                    },
                    time_zone: Some(TimeZone::parse(["Europe/Berlin", "UTC"][usize::from(n % 2)]).unwrap()),
                    promise_days: Some(u16::from(100 + round * 6 + n)),
                };
                reminders.change_settings(scope.id, &change, Some(&version)).await
            });
            let (mut changed, mut refused) = (Vec::new(), 0);
            for result in join_all(changing).await {
                match result {
                    Ok(settings) => changed.push(settings),
                    Err(ChangeReminderSettingsError::Changed) => refused += 1,
                    Err(error) => panic!("{error:?}"),
                }
            }
            assert_eq!((changed.len(), refused), (1, 5), "in round {round}");
            seen = changed.remove(0);
            let stored = store.reminder_reads.account(scope.id, NOW).await.unwrap().unwrap();
            let days = store.promise_limits.promise_days(scope.id).await.unwrap();
            assert_eq!(
                (&stored.policy, &stored.zone, days),
                (&seen.policy, &seen.time_zone, seen.promise_days)
            );
        }
        let unknown = reminders.change_settings(id(), &unchanged, None).await;
        assert!(matches!(unknown, Err(ChangeReminderSettingsError::NotFound)));
    });
}

#[test]
fn payment_terms_that_were_changed_meanwhile_are_not_overwritten() {
    on_both(async |db| {
        let (store, scope) = (&db.store, tenant(&db.store).await);
        let payments = online_payments(store);
        let terms = async || payments::PaymentTerms {
            promise_days: store.promise_limits.promise_days(scope.id).await.unwrap(),
            online: payments.reads.settings(scope.id).await.unwrap(),
        };
        for round in 0..3_u8 {
            let version = terms().await.version();
            let changing = (0..6_u8).map(async |n| {
                let number = round * 6 + n + 20;
                let change = match n % 2 {
                    0 => TermsChange::PromiseDays(number.into()),
                    _ => TermsChange::Online(PaymentSettings {
                        minimum_percent: number,
                        unapplied: UnappliedMoney::Keep,
                    }),
                };
                (change, payments.change_terms(scope.id, change, Some(&version)).await)
            });
            let (mut changed, mut refused) = (Vec::new(), 0);
            for (change, result) in join_all(changing).await {
                match result {
                    Ok(()) => changed.push(change),
                    Err(ChangeTermsError::Changed) => refused += 1,
                    Err(error) => panic!("{error:?}"),
                }
            }
            assert_eq!((changed.len(), refused), (1, 5), "in round {round}");
            let stored = terms().await;
            match changed[0] {
                TermsChange::PromiseDays(days) => assert_eq!(stored.promise_days, days),
                TermsChange::Online(online) => assert_eq!(stored.online, online),
            }
        }
        let unknown = payments.change_terms(id(), TermsChange::PromiseDays(1), None).await;
        assert!(matches!(unknown, Err(ChangeTermsError::NotFound)));
    });
}

/// What the account's audit entries say, oldest first.
async fn audited(store: &Store, account: AccountId) -> Vec<(Option<Value>, Option<Value>)> {
    let entries = store.audit.list(account, None, 100).await.unwrap();
    entries.into_iter().rev().map(|entry| (entry.before, entry.after)).collect()
}

#[test]
fn audit_entries_of_a_pause_name_the_one_before_and_a_repeated_pause_has_none() {
    on_both(async |db| {
        let store = &db.store;
        let (scope, _, invoice) = invoiced(store).await;
        let day = |day: u8| Some(PausedUntil::Date(date!(2026 - 12 - 01).replace_day(day).unwrap()));
        let pauses = [day(20), day(25), Some(PausedUntil::Never), Some(PausedUntil::Never), None, None];
        for until in pauses {
            let audited = store.audited(audit_entry(scope.id, "reminders.paused"));
            reminders(&audited).pause(scope.id, invoice.id, until).await.unwrap();
        }
        assert_eq!(store.reminder_reads.paused(scope.id, invoice.id).await.unwrap(), None);
        let id = invoice.id.to_string();
        let paused = |until: &str| Some(json!({"invoice": id, "until": until}));
        let expected = [
            (None, paused("2026-12-20")),
            (paused("2026-12-20"), paused("2026-12-25")),
            (paused("2026-12-25"), paused("never")),
            (paused("never"), Some(json!({"invoice": id}))),
        ];
        assert_eq!(audited(store, scope.id).await, expected);
    });
}

#[test]
fn audit_entries_of_payment_terms_have_what_changed() {
    on_both(async |db| {
        let (store, scope) = (&db.store, tenant(&db.store).await);
        let online = |minimum_percent| {
            TermsChange::Online(PaymentSettings { minimum_percent, unapplied: UnappliedMoney::Return })
        };
        // A change to what is stored already is none.
        for change in [online(100), online(25), online(25), TermsChange::PromiseDays(30)] {
            let audited = store.audited(audit_entry(scope.id, "payments.changed"));
            online_payments(&audited).change_terms(scope.id, change, None).await.unwrap();
        }
        let expected = [(json!("minimum_percent 100"), json!("minimum_percent 25")), (json!(14), json!(30))];
        let expected = expected.map(|(before, after)| (Some(before), Some(after)));
        assert_eq!(audited(store, scope.id).await, expected);
    });
}

#[test]
fn audit_entries_of_reminder_settings_have_what_changed() {
    on_both(async |db| {
        let (store, scope) = (&db.store, tenant(&db.store).await);
        let settings = ReminderSettingsChange {
            time_zone: Some(TimeZone::parse("Europe/Berlin").unwrap()),
            promise_days: Some(20),
            ..ReminderSettingsChange::default()
        };
        for _ in 0..2 {
            let audited = store.audited(audit_entry(scope.id, "reminders.changed"));
            reminders(&audited).change_settings(scope.id, &settings, None).await.unwrap();
        }
        let zone = scope.time_zone.name();
        let before = format!("time zone {zone}, promises to pay within 14 days");
        let after = "time zone Europe/Berlin, promises to pay within 20 days";
        assert_eq!(audited(store, scope.id).await, [(Some(json!(before)), Some(json!(after)))]);
    });
}
