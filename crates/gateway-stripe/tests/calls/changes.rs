//! Listing changes since an instant.

use std::collections::BTreeSet;

use kernel::Clock;
use payments::{ChargeState, GatewayError, PaymentGateway};
use serde_json::json;
use time::{Duration, OffsetDateTime};

use crate::fixture::Fixture;

impl Fixture {
    /// The ids of all listed charges, over all pages.
    async fn changed(&self, since: OffsetDateTime) -> BTreeSet<String> {
        let (mut found, mut page) = (BTreeSet::new(), None);
        for _ in 0..100 {
            let changed = self.stripe.changed_since(&self.access, since, page.as_deref()).await.unwrap();
            found.extend(changed.charges.into_iter().map(|charge| charge.id.0));
            page = changed.next_page;
            if page.is_none() {
                return found;
            }
        }
        panic!("the list has no end");
    }
}

#[tokio::test]
async fn everything_made_or_changed_since_is_listed_over_pages() {
    let fixture = Fixture::new().await;
    let (_, id) = fixture.open().await;
    let debit = fixture.stand_in.world(|world| world.order_debit(&id.0, "sepa_debit"));
    let refunded = fixture.paid().await.0;
    let disputed = fixture.paid().await.0;
    let untouched = fixture.paid().await.0;
    fixture.clock.advance(Duration::days(2));
    let since = fixture.clock.now();
    let mut expected: BTreeSet<String> = [debit.clone(), refunded.clone(), disputed.clone()].into();
    for _ in 0..45 {
        expected.insert(fixture.paid().await.0);
    }
    fixture.stand_in.world(|world| {
        world.debit_succeeds(&debit);
        world.refund_elsewhere(&refunded, 500);
        world.dispute(&disputed, 500, "aud", "needs_response");
        // Charges that are not this service's, one of them in a currency that is unknown here.
        world.charge_elsewhere("aud");
        world.charge_elsewhere("xyz");
        // As if its owner had copied the metadata, and one of another account of the same company.
        let intent = "01890000-0000-7000-8000-000000000001";
        world.charge_with("iqd", &json!({"intent_id": intent}));
        world.charge_with("aud", &json!({"intent_id": intent, "account_id": intent}));
    });
    assert_eq!(fixture.changed(since).await, expected);
    let all = fixture.changed(since - Duration::days(3)).await;
    assert!(all.contains(&untouched));
    assert_eq!(all.len(), expected.len() + 1);
    fixture.assert_no_faults();
}

#[tokio::test]
async fn listed_charge_has_its_current_state() {
    let fixture = Fixture::new().await;
    let (new, id) = fixture.open().await;
    let debit = fixture.stand_in.world(|world| world.order_debit(&id.0, "sepa_debit"));
    fixture.stand_in.world(|world| world.debit_succeeds(&debit));
    let page = fixture.stripe.changed_since(&fixture.access, fixture.clock.now(), None).await.unwrap();
    assert_eq!(page.charges[0].state, ChargeState::Succeeded);
    assert_eq!((page.charges[0].intent, page.charges[0].amount), (Some(new.intent), new.amount));
    let odd = fixture.stripe.changed_since(&fixture.access, fixture.clock.now(), Some("events:../x")).await;
    assert!(matches!(odd, Err(GatewayError::Refused(_))));
    fixture.assert_no_faults();
}
