//! Keys of a gateway that the owner enters in the dashboard: the delay, the mail with the link that undoes
//! the change, and the replaced key.

use kernel::AccountId;
use serde_json::{Value, json};
use store_diesel::StoreOptions;
use time::Duration;

use super::Payer;
use super::stripe::{StripePayer, connect};
use crate::test_app::stripe::{InjectedFault, KEY, WEBHOOK_SECRET};
use crate::test_app::{Browser, Database, hidden, until};

const SETTINGS: &str = "/dashboard/settings/payments";

/// Another key of the owner. The stand-in refuses it, so it is entered while the stand-in does not respond.
pub(super) const OTHER: &str = "rk_test_51AnotherOfTheOwner";

/// Runs a test on both databases, with an account that has no gateway yet.
pub(super) async fn on_both(worker_interval: &str, test: impl AsyncFn(StripePayer)) {
    for database in Database::both() {
        test(StripePayer::unconnected(database, worker_interval).await).await;
    }
}

async fn enter(owner: &Browser, key: &str) {
    let fields = [("action", "connect.stripe"), ("key", key), ("webhook_secret", "")];
    owner.submit(SETTINGS, &fields).await.expect(303);
}

/// The links that undo an entry, from the mails written so far.
async fn undo_links(payer: &Payer, count: usize) -> Vec<String> {
    let mails = payer.server.mails(count, |mail| mail.contains("/gateway-keys/")).await;
    assert_eq!(mails.len(), count);
    let token = |mail: &String| Some(mail.split("/gateway-keys/").nth(1)?.split("/undo").next()?.to_owned());
    let links = mails.iter().filter_map(token).map(|token| format!("/gateway-keys/{token}/undo"));
    let mut links: Vec<_> = links.collect();
    links.sort_unstable();
    links
}

/// The states of the account's gateways at Stripe, from a list of its gateways.
fn states_at_stripe(list: &Value) -> Vec<&Value> {
    let of_stripe = list.as_array().unwrap().iter().filter(|one| one["kind"] == "stripe");
    of_stripe.map(|one| &one["state"]).collect()
}

/// How many sealed keys of the account's gateway the database contains.
async fn number_of_keys(payer: &Payer) -> usize {
    let url = &payer.server.database.url;
    let store = store_diesel::open(url, &StoreOptions::default()).await.unwrap();
    let gateways = store.online_reads.gateways(AccountId::parse(&payer.account).unwrap()).await.unwrap();
    assert_eq!(gateways.len(), 1);
    1 + usize::from(gateways[0].next_key.is_some())
}

pub(super) async fn until_one_key_is_left(payer: &Payer) {
    until("the end of the replaced key", async || (number_of_keys(payer).await == 1).then_some(())).await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn owner_connects_stripe_and_disconnects_it_and_no_secret_is_shown() {
    on_both("1h", async |test| {
        let payer = &test.payer;
        let owner = Browser::signed_in(&payer.server, &payer.account).await;
        let page = owner.get(SETTINGS).await.expect(200).html();
        assert!(page.contains("None is connected yet.") && page.contains("<li>refund.failed</li>"), "{page}");
        // The last two secrets are the id of an endpoint and a key.
        let (another, endpoint) = ("rk_test_51OfAnother", "we_1AbCdEf");
        let refused = [("", ""), ("short", ""), (another, ""), ("", WEBHOOK_SECRET)];
        for (key, secret) in refused.into_iter().chain([(KEY, endpoint), (KEY, another)]) {
            let fields = [("action", "connect.stripe"), ("key", key), ("webhook_secret", secret)];
            let refused = owner.submit(SETTINGS, &fields).await.expect(422).html();
            assert!(key.is_empty() || !refused.contains(key), "{refused}");
            assert!(!refused.contains(WEBHOOK_SECRET), "{refused}");
            let is_named = refused.contains("must begin with whsec_");
            assert_eq!(is_named, [endpoint, another].contains(&secret), "{refused}");
        }
        let error = json!({"error": {"type": "invalid_request_error", "message": "not for this account"}});
        test.stripe.next(InjectedFault::Respond(400, error));
        let fields = [("action", "connect.stripe"), ("key", KEY), ("webhook_secret", "")];
        owner.submit(SETTINGS, &fields).await.expect(422);
        enter(&owner, KEY).await;
        let page = owner.get(SETTINGS).await.expect(200).html();
        assert!(page.contains("The webhook secret is missing.") && !page.contains(KEY), "{page}");
        let events = page.split("Address for events</dt><dd>").nth(1).unwrap().split('<').next().unwrap();
        let fields = [("action", "connect.stripe"), ("key", ""), ("webhook_secret", WEBHOOK_SECRET)];
        owner.submit(SETTINGS, &fields).await.expect(303);
        let page = owner.get(SETTINGS).await.expect(200).html();
        assert!(!page.contains("The webhook secret is missing.") && !page.contains(WEBHOOK_SECRET), "{page}");
        let session = test.begin().await;
        test.stripe.world(|world| world.pay(&session, "card"));
        let told = test.stripe.events();
        let statuses = told.post(&reqwest::Client::new(), events).await;
        assert_eq!(statuses, vec![200; statuses.len()]);
        payer.until_charges("the charge", |charges| charges.len() == 1).await;
        let id = events.rsplit('/').nth(1).unwrap();
        owner.submit(SETTINGS, &[("action", &*format!("disconnect.{id}"))]).await.expect(303);
        assert!(owner.get(SETTINGS).await.expect(200).html().contains("None is connected yet."));
        let form_token = hidden(&owner.get(SETTINGS).await.expect(200), "once");
        let fields = [("once", &*form_token), ("action", &*format!("disconnect.{}", payer.account))];
        owner.post(SETTINGS, &fields).await.expect(404);
        let audit = payer.server.command_json(&["audit", "list", "--account", &payer.account]);
        let connected = audit.as_array().unwrap().iter().filter(|one| one["action"] == "gateway.connected");
        assert_eq!(connected.count(), 2);
        assert!(!audit.to_string().contains(KEY) && !audit.to_string().contains(WEBHOOK_SECRET));
    })
    .await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn key_that_replaces_another_comes_into_force_after_the_delay_and_the_other_one_ends_what_it_began() {
    on_both("1s", async |test| {
        let payer = &test.payer;
        let owner = Browser::signed_in(&payer.server, &payer.account).await;
        enter(&owner, KEY).await;
        test.unreachable_with_another_key();
        enter(&owner, OTHER).await;
        let page = owner.get(SETTINGS).await.expect(200).html();
        assert!(page.contains("A new key takes effect on "), "{page}");
        // Until its end the earlier key opens checkouts, and it completes them afterwards.
        test.advance(Duration::hours(23));
        let session = test.begin().await;
        test.advance(Duration::hours(25));
        assert_eq!(number_of_keys(payer).await, 2, "the checkout is open");
        test.stripe.world(|world| world.pay(&session, "card"));
        payer.until_charges("the charge", |charges| charges.len() == 1).await;
        assert_eq!(payer.invoice().await["status"], "PAID");
        // Only the other key is left, once a worker has noticed that.
        until_one_key_is_left(payer).await;
        test.assert_no_faults();
    })
    .await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn owner_undoes_a_key_before_and_after_it_is_in_force() {
    on_both("1h", async |test| {
        let payer = &test.payer;
        let owner = Browser::signed_in(&payer.server, &payer.account).await;
        enter(&owner, KEY).await;
        let first = undo_links(payer, 1).await.remove(0);
        test.unreachable_with_another_key();
        enter(&owner, OTHER).await;
        let links = undo_links(payer, 2).await;
        let second = links.into_iter().find(|link| *link != first).unwrap();
        let stranger = Browser::new(&payer.server);
        let page = stranger.get(&first).await.expect(200).html();
        assert!(page.contains("It is in force."), "the link of the key in force stays usable: {page}");
        let page = stranger.get(&second).await.expect(200);
        assert!(page.html().contains("If you undo this, the earlier key stays in use."), "{}", page.html());
        let form_token = hidden(&page, "once");
        for _ in 0..2 {
            stranger.post(&second, &[("once", &form_token)]).await.expect(303);
        }
        stranger.get(&second).await.expect(410);
        assert!(stranger.get(&format!("{second}?undone=1")).await.expect(200).html().contains("was undone"));
        assert!(!owner.get(SETTINGS).await.expect(200).html().contains("A new key takes effect on"));
        test.advance(Duration::hours(26));
        let session = test.begin().await;
        assert!(session.starts_with("cs_"), "the first key is in force");
        // A key that is undone when it is already in force is not used for anything new.
        test.unreachable_with_another_key();
        let entered = connect(payer, &format!("key={OTHER}\n"));
        assert_eq!(entered["state"], "connected", "the earlier key is in force");
        assert!(entered["in_force_at"].is_string(), "{entered}");
        let links = undo_links(payer, 3).await;
        let third = links.into_iter().find(|link| *link != first && *link != second).unwrap();
        test.advance(Duration::hours(52));
        let page = stranger.get(&third).await.expect(200);
        assert!(page.html().contains("It is in force."), "{}", page.html());
        stranger.post(&third, &[("once", &hidden(&page, "once"))]).await.expect(303);
        let list = payer.server.command_json(&["gateway", "list", "--account", &payer.account]);
        assert_eq!(states_at_stripe(&list), ["disconnected"], "{list}");
        // An undone key counts as another key, and the first key still has an open checkout.
        test.unreachable_with_another_key();
        let words = ["gateway", "connect", "--account", &payer.account, "stripe"];
        let refused = payer.server.command_with_input(&words, &format!("key={OTHER}"));
        let said = String::from_utf8_lossy(&refused.stderr).into_owned();
        assert!(!refused.status.success() && said.contains("have not ended"), "{said}");
        let audit = payer.server.command_json(&["audit", "list", "--account", &payer.account]);
        assert_eq!(audit[0]["action"], json!("gateway.undone"));
    })
    .await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn checkouts_that_were_opened_with_an_undone_key_are_expired() {
    on_both("1h", async |test| {
        let payer = &test.payer;
        test.unreachable_with_another_key();
        connect(payer, &format!("key={OTHER}\n"));
        let first = undo_links(payer, 1).await;
        connect(payer, &format!("key={KEY}\n"));
        let link = undo_links(payer, 2).await.into_iter().find(|link| !first.contains(link)).unwrap();
        test.advance(Duration::hours(25));
        let session = test.begin().await;
        let stranger = Browser::new(&payer.server);
        let page = stranger.get(&link).await.expect(200);
        stranger.post(&link, &[("once", &hidden(&page, "once"))]).await.expect(303);
        until("the end of the checkout", async || {
            let status = test.stripe.world(|world| world.session(&session))["status"].clone();
            (status == "expired").then_some(())
        })
        .await;
        assert!(payer.charges().is_empty());
        test.assert_no_faults();
    })
    .await;
}

/// Uses a link that undoes a key. Returns the page that it led to before.
async fn undo(payer: &Payer, link: &str) -> String {
    let stranger = Browser::new(&payer.server);
    let page = stranger.get(link).await.expect(200);
    stranger.post(link, &[("once", &hidden(&page, "once"))]).await.expect(303);
    page.html()
}

/// The link among these that is not among the known ones, which it is added to.
fn new_link(links: Vec<String>, known: &mut Vec<String>) -> String {
    let new = links.into_iter().find(|link| !known.contains(link)).unwrap();
    known.push(new.clone());
    new
}

/// The state of the connection that another call with a key leads to.
pub(super) fn state_after(payer: &Payer, key: &str) -> String {
    connect(payer, &format!("key={key}\n"))["state"].as_str().unwrap().to_owned()
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn link_of_a_key_in_force_can_be_used_when_an_intruder_enters_a_further_key() {
    on_both("1h", async |test| {
        let (payer, mut known) = (&test.payer, Vec::new());
        connect(payer, &format!("key={KEY}\n"));
        new_link(undo_links(payer, 1).await, &mut known);
        test.unreachable_with_another_key();
        connect(payer, &format!("key={OTHER}\n"));
        let of_other = new_link(undo_links(payer, 2).await, &mut known);
        test.advance(Duration::hours(25));
        test.unreachable_with_another_key();
        let further = connect(payer, "key=rk_test_51FurtherOfTheIntruder\n");
        assert!(further["in_force_at"].is_string(), "{further}");
        let of_further = new_link(undo_links(payer, 3).await, &mut known);
        assert!(undo(payer, &of_other).await.contains("It is in force."));
        let list = payer.server.command_json(&["gateway", "list", "--account", &payer.account]);
        assert_eq!(states_at_stripe(&list), ["disconnected"], "{list}");
        // Neither key comes into force afterwards.
        test.advance(Duration::hours(50));
        let list = payer.server.command_json(&["gateway", "list", "--account", &payer.account]);
        assert_eq!(states_at_stripe(&list), ["disconnected"], "{list}");
        for link in [of_other, of_further] {
            Browser::new(&payer.server).get(&link).await.expect(410);
        }
    })
    .await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn undoing_a_key_that_waits_does_not_concern_the_key_in_force() {
    on_both("1h", async |test| {
        let (payer, mut known) = (&test.payer, Vec::new());
        let gateway = connect(payer, &format!("key={KEY}\n"));
        let of_first = new_link(undo_links(payer, 1).await, &mut known);
        test.unreachable_with_another_key();
        connect(payer, &format!("key={OTHER}\n"));
        let waiting = new_link(undo_links(payer, 2).await, &mut known);
        assert!(undo(payer, &waiting).await.contains("the earlier key stays in use"));
        // A further key that waits takes nothing from the link of the key in force.
        test.advance(Duration::minutes(1));
        test.unreachable_with_another_key();
        connect(payer, "key=rk_test_51FurtherOfTheIntruder\n");
        let stranger = Browser::new(&payer.server);
        assert!(stranger.get(&of_first).await.expect(200).html().contains("It is in force."));
        stranger.get(&waiting).await.expect(404);
        assert_eq!(state_after(payer, KEY), "connected", "the further key is withdrawn");
        let id = gateway["gateway_account_id"].as_str().unwrap();
        payer.server.command_json(&["gateway", "disconnect", id]);
        assert_eq!(state_after(payer, KEY), "connected", "the same key connects it again at once");
        test.advance(Duration::minutes(2));
        assert!(undo(payer, &of_first).await.contains("It is in force."));
        assert_eq!(state_after(payer, KEY), "pending", "this one was undone");
    })
    .await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn undone_key_stays_undone_when_a_further_one_is_undone() {
    on_both("1h", async |test| {
        let (payer, mut known) = (&test.payer, Vec::new());
        connect(payer, &format!("key={KEY}\n"));
        let of_first = new_link(undo_links(payer, 1).await, &mut known);
        undo(payer, &of_first).await;
        test.advance(Duration::minutes(1));
        test.unreachable_with_another_key();
        connect(payer, &format!("key={OTHER}\n"));
        let of_other = new_link(undo_links(payer, 2).await, &mut known);
        test.advance(Duration::minutes(2));
        undo(payer, &of_other).await;
        test.advance(Duration::minutes(3));
        assert_eq!(state_after(payer, KEY), "pending");
    })
    .await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn key_can_be_undone_for_seven_days_after_the_delay() {
    on_both("1h", async |test| {
        let payer = &test.payer;
        connect(payer, &format!("key={KEY}\n"));
        let link = undo_links(payer, 1).await.remove(0);
        let stranger = Browser::new(&payer.server);
        test.advance(Duration::days(8) - Duration::minutes(1));
        stranger.get(&link).await.expect(200);
        test.advance(Duration::days(8));
        stranger.get(&link).await.expect(410);
    })
    .await;
}
