//! Waking delivery workers.

use futures_util::FutureExt;

use store_schema::delivery_notifier::DeliveryNotifier;
use store_schema::options::Announce;

#[test]
fn what_happened_between_two_waits_is_not_missed() {
    let delivery_notifier = DeliveryNotifier::new(Announce::Here);
    assert!(delivery_notifier.woken().now_or_never().is_none());
    delivery_notifier.wake();
    delivery_notifier.wake();
    assert!(delivery_notifier.woken().now_or_never().is_some());
    assert!(delivery_notifier.woken().now_or_never().is_none());
}
