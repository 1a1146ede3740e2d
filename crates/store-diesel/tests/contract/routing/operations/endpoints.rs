//! Endpoints and deliveries of an owner.

use kernel::HttpsUrl;
use webhooks::{NewEndpoint, Subscriptions};

use super::{Operations, Rows};
use crate::routing::logs::Sent;
use crate::webhook_deliveries::administration;

impl<F: Fn(&str, Rows, &Sent)> Operations<'_, F> {
    pub(super) async fn endpoints(&mut self) {
        let (store, account) = (&self.requests.store, self.prepared.scope.id);
        let administration = administration(store);
        let list = administration.endpoints(account);
        self.during("the endpoints of an owner", Rows::EverywhereRead, list).await.unwrap();
        let replay = administration.replay_own(account, self.prepared.delivery);
        self.during("sending a delivery again", Rows::OfAccountByCoordinator, replay).await.unwrap();
        let url = HttpsUrl::parse("https://example.com/second").unwrap();
        let register = administration.register(account, NewEndpoint { url, events: Subscriptions::ALL });
        self.during("adding an endpoint", Rows::EverywhereChanged, register).await.unwrap();
    }
}
