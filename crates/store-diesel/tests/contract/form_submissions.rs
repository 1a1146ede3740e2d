//! Claiming form submissions.

use idempotency::{Fingerprint, FormToken, Submission, SubmissionClaim};
use kernel::{AccountId, Clock as _, SystemClock, SystemIds};
use time::Duration;

use crate::database::on_both;
use crate::fixtures::tenant;

fn sent(account: AccountId) -> Submission {
    let token = FormToken::new(&SystemIds::default(), SystemClock.now(), account);
    Submission { account, token, fingerprint: Fingerprint::of(b"content") }
}

#[test]
fn form_that_is_sent_twice_is_fresh_once() {
    on_both(async |db| {
        let (forms, now) = (&db.store.submissions, SystemClock.now());
        let (one, other) = (tenant(&db.store).await.id, tenant(&db.store).await.id);
        let first = sent(one);
        assert_eq!(forms.begin(&first, now).await.unwrap(), SubmissionClaim::Fresh);
        assert_eq!(forms.begin(&first, now).await.unwrap(), SubmissionClaim::Unfinished);
        forms.finish(&first, "/pay/token").await.unwrap();
        assert_eq!(
            forms.begin(&first, now).await.unwrap(),
            SubmissionClaim::Finished("/pay/token".to_owned())
        );
        let altered = Submission { fingerprint: Fingerprint::of(b"other"), ..first.clone() };
        assert_eq!(forms.begin(&altered, now).await.unwrap(), SubmissionClaim::OtherContent);
        let of_other = Submission { account: other, ..first };
        assert_eq!(
            forms.begin(&of_other, now).await.unwrap(),
            SubmissionClaim::Fresh,
            "another account's value"
        );
    });
}

#[test]
fn refused_form_may_be_sent_again_and_a_finished_one_stays() {
    on_both(async |db| {
        let (forms, now) = (&db.store.submissions, SystemClock.now());
        let form = sent(tenant(&db.store).await.id);
        assert_eq!(forms.begin(&form, now).await.unwrap(), SubmissionClaim::Fresh);
        forms.release(&form).await.unwrap();
        assert_eq!(forms.begin(&form, now).await.unwrap(), SubmissionClaim::Fresh);
        forms.finish(&form, "done").await.unwrap();
        forms.release(&form).await.unwrap();
        assert_eq!(forms.begin(&form, now).await.unwrap(), SubmissionClaim::Finished("done".to_owned()));
    });
}

#[test]
fn old_submissions_are_forgotten_a_bounded_number_at_a_time() {
    on_both(async |db| {
        let (forms, now) = (&db.store.submissions, SystemClock.now());
        let account = tenant(&db.store).await.id;
        for hours in 0..5 {
            forms.begin(&sent(account), now - Duration::hours(hours)).await.unwrap();
        }
        let before = now - Duration::minutes(90);
        assert_eq!(forms.prune(before, 2).await.unwrap(), 2);
        assert_eq!(forms.prune(before, 2).await.unwrap(), 1);
        assert_eq!(forms.prune(before, 2).await.unwrap(), 0);
    });
}
