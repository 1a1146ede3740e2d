//! The page with the progress of a bulk replay of deliveries.

use askama::Template;
use invoices::figures::written_instant;
use kernel::{PublicUrls, TimeZone};
use webhooks::BulkReplay;

use crate::dashboard::{Dashboard, Section};
use crate::page::Page;
use crate::texts::{AccountTexts, ENGLISH, Texts};

/// The progress of a bulk replay of deliveries.
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
    /// The link that reloads the page; `None` while the browser reloads it automatically.
    check_again: Option<String>,
    since: String,
    deliveries: String,
    times: String,
}

impl Page for BulkReplayPage {}

impl BulkReplayPage {
    /// `is_refreshed`: whether the browser reloads the page automatically.
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
        // Another replay may have left some to this one.
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
            since: (s.replayed_since)(&written_instant(replay.abandoned_since, zone)),
            deliveries: urls.page("/dashboard/webhooks/deliveries"),
            times: (s.times)(zone.name()),
        }
    }
}
