//! The page that shows how far a replay of many deliveries is.

use askama::Template;
use invoices::figures::instant_text;
use kernel::{PublicUrls, TimeZone};
use webhooks::BulkReplay;

use crate::dashboard::{Dashboard, Section};
use crate::page::Page;
use crate::texts::{AccountTexts, ENGLISH, Texts};

/// How far a replay of many deliveries is.
#[derive(Debug, Clone, Template)]
#[template(path = "account/bulk_replay.html")]
pub struct BulkReplayPage {
    t: &'static Texts,
    s: &'static AccountTexts,
    layout: Dashboard,
    progress: String,
    made: u64,
    total: u64,
    is_finished: bool,
    /// Where to look again; `None` while the browser does so by itself.
    check_again: Option<String>,
    since: String,
    deliveries: String,
    times: String,
}

impl Page for BulkReplayPage {}

impl BulkReplayPage {
    /// `is_refreshed` says that the browser loads the page again by itself.
    #[must_use]
    pub fn new(
        company: &str,
        replay: &BulkReplay,
        is_refreshed: bool,
        zone: &TimeZone,
        urls: &PublicUrls,
    ) -> Self {
        let (t, s) = (&ENGLISH, ENGLISH.account);
        let is_finished = replay.finished_at.is_some();
        // What was abandoned meanwhile is replayed too.
        let total = replay.total.max(replay.made);
        let own = urls.page(format_args!("/dashboard/webhooks/replays/{}", replay.id));
        Self {
            t,
            s,
            layout: Dashboard::new(company, Section::Webhooks, s.replay_many, urls, t),
            progress: if is_finished { (s.replayed)(replay.made) } else { (s.replaying)(replay.made, total) },
            made: replay.made,
            total,
            is_finished,
            check_again: (!is_finished && !is_refreshed).then_some(own),
            since: (s.replayed_since)(&instant_text(replay.abandoned_since, zone)),
            deliveries: urls.page("/dashboard/webhooks/deliveries"),
            times: (s.times)(zone.name()),
        }
    }
}
