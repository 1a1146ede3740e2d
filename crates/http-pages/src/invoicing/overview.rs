//! `/dashboard`.

use actix_web::HttpRequest;
use escalations::{Escalation, EscalationStatus};
use kernel::PageSize;
use pages::invoicing::{OverviewPage, PlannedReminders, ShownOverview};
use time::Duration;
use webhooks::{Delivery, DeliveryFilter, DeliveryState};

use crate::forms::{PageError, PageResult};
use crate::page::{render, run_blocking};
use crate::planned_numbers::numbers;
use crate::session_caller::SessionCaller;

/// How many records of each kind are shown.
const MAX_SHOWN: u32 = 5;
/// The maximum age of the abandoned deliveries that are shown.
const RECENT: Duration = Duration::days(7);
/// How many days ahead reminders are shown.
const PLAN_DAYS: u16 = 7;
/// With more open invoices than this, planned reminders take too long to compute on this page.
const MAX_INVOICES: usize = 1_000;

pub(super) async fn show(caller: SessionCaller, http: HttpRequest) -> PageResult {
    let state = caller.state().clone();
    let account = caller.scope().id;
    let can_be_paid =
        state.online.are_offered(account).await? || state.bank_details.are_shown(caller.scope()).await?;
    let shown = ShownOverview {
        can_be_paid,
        overview: state.overviews.get(caller.scope()).await?,
        online: state.online.figures(caller.scope().id).await?,
        time_zone: caller.scope().time_zone.clone(),
        escalations: open_escalations(&caller).await?,
        deliveries: abandoned_deliveries(&caller).await?,
        planned: planned(&caller).await?,
    };
    let company = caller.company_name().to_owned();
    Ok(render(&http, move || OverviewPage::new(&shown, &company, &state.links)).await?)
}

/// The planned reminders. For an account with many open invoices they are not computed here.
async fn planned(caller: &SessionCaller) -> Result<PlannedReminders, PageError> {
    let (state, account) = (caller.state(), caller.scope().id);
    let facts = state.reminders.reminder_reads.account(account, state.clock.now()).await?;
    if facts.is_none_or(|facts| facts.policy.started_at.is_none()) {
        return Ok(PlannedReminders::Stopped);
    }
    let Some(forecast) = state.reminders.account_forecast(account, PLAN_DAYS, MAX_INVOICES).await? else {
        return Ok(PlannedReminders::Many);
    };
    let limit = usize::try_from(MAX_SHOWN).unwrap_or_default();
    let (messages, _more) = run_blocking(move || forecast.messages(limit)).await?;
    let numbers = numbers(caller, &messages).await?;
    Ok(PlannedReminders::Next(messages, numbers))
}

async fn open_escalations(caller: &SessionCaller) -> Result<Vec<Escalation>, PageError> {
    let size = PageSize::of(MAX_SHOWN.into()).unwrap_or_default();
    let page = caller.state().escalation_reader.list(caller.scope(), size, None).await?;
    // The list has open escalations first.
    Ok(page.items.into_iter().filter(|one| one.status() == EscalationStatus::Open).collect())
}

async fn abandoned_deliveries(caller: &SessionCaller) -> Result<Vec<Delivery>, PageError> {
    let state = caller.state();
    let filter = DeliveryFilter {
        state: Some(DeliveryState::Abandoned),
        from: state.clock.now().checked_sub(RECENT),
        ..DeliveryFilter::newest(MAX_SHOWN)
    };
    Ok(state.webhooks.deliveries(caller.scope().id, filter).await?.items)
}
