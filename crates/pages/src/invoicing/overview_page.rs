//! The first page of the dashboard: amounts owed and paid, and what needs attention.

use std::collections::BTreeMap;

use askama::Template;
use communications::ForecastMessage;
use escalations::Escalation;
use invoices::figures::{money_text, written_date, written_instant};
use invoices::{Ageing, InvoiceId, LatestPayment, Overview, Owed};
use kernel::{PublicUrls, TimeZone};
use payments::OnlineFigures;
use webhooks::Delivery;

use crate::communications::plan_rows::PlanItem;
use crate::confirmation::Confirmation;
use crate::dashboard::{Dashboard, Section};
use crate::page::Page;
use crate::texts::{ENGLISH, Texts};

/// The content of the overview.
#[derive(Debug, Clone)]
pub struct ShownOverview {
    pub overview: Overview,
    /// Whether payers are offered a gateway, or bank details.
    pub can_be_paid: bool,
    /// The online payments in each currency.
    pub online: Vec<OnlineFigures>,
    pub time_zone: TimeZone,
    /// Open escalations, newest first.
    pub escalations: Vec<Escalation>,
    /// Abandoned deliveries of webhooks, newest first.
    pub deliveries: Vec<Delivery>,
    pub planned: PlannedReminders,
}

/// The next planned reminders.
#[derive(Debug, Clone)]
pub enum PlannedReminders {
    /// Reminders are off.
    Stopped,
    /// These messages will be sent next; the map has the numbers of their invoices.
    Next(Vec<ForecastMessage>, BTreeMap<InvoiceId, String>),
    /// There are too many open invoices to compute the plan at once.
    Many,
}

/// The first page of the dashboard.
#[derive(Debug, Clone, Template)]
#[template(path = "overview.html")]
pub struct OverviewPage {
    t: &'static Texts,
    layout: Dashboard,
    /// The URL for setting up a way to pay, while there is none.
    set_up_payments: Option<String>,
    currencies: Vec<CurrencyFigures>,
    online: Vec<OnlineSection>,
    payments: Vec<LatestPaymentItem>,
    escalations: Vec<CaseLink>,
    all_escalations: String,
    deliveries: Vec<CaseLink>,
    all_deliveries: String,
    zone: String,
    new_invoice: String,
    reminders: &'static str,
    planned: Vec<PlanItem>,
    reminder_settings: String,
}

#[derive(Debug, Clone)]
struct CurrencyFigures {
    code: &'static str,
    heading: String,
    figures: [(&'static str, String); 3],
    bars: Vec<Bar>,
}

/// The online payments in one currency.
#[derive(Debug, Clone)]
struct OnlineSection {
    code: &'static str,
    heading: String,
    figures: [(&'static str, String); 4],
}

/// A bar of the chart, which is also a row of the table.
#[derive(Debug, Clone)]
struct Bar {
    label: &'static str,
    amount: String,
    invoices: u64,
    is_overdue: bool,
    y: usize,
    text_y: usize,
    /// At most 600.
    width: i64,
}

#[derive(Debug, Clone)]
struct LatestPaymentItem {
    href: String,
    number: String,
    contact: String,
    date: String,
    method: &'static str,
    amount: String,
}

#[derive(Debug, Clone)]
struct CaseLink {
    href: String,
    text: String,
}

impl Page for OverviewPage {
    fn confirm(&mut self, what: Confirmation) {
        self.layout.confirm(what, self.t);
    }
}

impl OverviewPage {
    #[must_use]
    pub fn new(shown: &ShownOverview, company: &str, urls: &PublicUrls) -> Self {
        let t = &ENGLISH;
        let at = |instant| written_instant(instant, &shown.time_zone);
        let escalation = |one: &Escalation| CaseLink {
            href: urls.page(format_args!("/dashboard/escalations/{}", one.id)),
            text: (t.invoicing.case)((t.account.escalation_of)(one.escalation_type), &at(one.created_at)),
        };
        let delivery = |one: &Delivery| CaseLink {
            href: urls.page(format_args!("/dashboard/webhooks/deliveries/{}", one.id)),
            text: (t.invoicing.case)((t.account.event_of)(one.name), &at(one.created_at)),
        };
        let payments = shown.overview.latest_payments.iter();
        Self {
            t,
            layout: Dashboard::new(company, Section::Overview, t.overview, urls, t),
            set_up_payments: (!shown.can_be_paid).then(|| urls.page("/dashboard/settings/payments")),
            currencies: shown.overview.currencies.iter().map(|owed| figures(owed, t)).collect(),
            online: shown.online.iter().map(|figures| online(figures, t)).collect(),
            payments: payments.map(|payment| payment_row(payment, &shown.time_zone, urls, t)).collect(),
            escalations: shown.escalations.iter().map(escalation).collect(),
            all_escalations: urls.page("/dashboard/escalations"),
            deliveries: shown.deliveries.iter().map(delivery).collect(),
            all_deliveries: urls.page("/dashboard/webhooks/deliveries?state=abandoned"),
            zone: (t.invoicing.zone)(shown.time_zone.name()),
            new_invoice: urls.page("/dashboard/invoices/new"),
            reminders: match &shown.planned {
                PlannedReminders::Stopped => t.communications.stopped,
                PlannedReminders::Next(messages, _) if messages.is_empty() => {
                    t.communications.next_week_nothing
                }
                PlannedReminders::Next(..) => t.communications.next_week,
                PlannedReminders::Many => t.communications.many_planned,
            },
            planned: plan_rows(shown, urls, t),
            reminder_settings: urls.page("/dashboard/settings/communications"),
        }
    }
}

fn online(figures: &OnlineFigures, t: &Texts) -> OnlineSection {
    let (d, code) = (&t.invoicing, figures.captured.currency().code());
    OnlineSection {
        code,
        heading: (d.online_in)(code),
        figures: [
            (d.online_captured, money_text(figures.captured)),
            (d.online_refunded, money_text(figures.refunded)),
            (d.online_processing, money_text(figures.processing)),
            (d.online_refunding, money_text(figures.refunding)),
        ],
    }
}

fn plan_rows(shown: &ShownOverview, urls: &PublicUrls, t: &Texts) -> Vec<PlanItem> {
    let PlannedReminders::Next(messages, numbers) = &shown.planned else {
        return Vec::new();
    };
    let row = |one| PlanItem::new(one, numbers, &shown.time_zone, urls, t.communications);
    messages.iter().map(row).collect()
}

fn figures(owed: &Owed, t: &Texts) -> CurrencyFigures {
    let d = &t.invoicing;
    let most = owed.ageing.iter().map(|(due, _)| due.minor()).max().unwrap_or_default().max(1);
    let bars =
        Ageing::ALL.into_iter().zip(owed.ageing).enumerate().map(|(place, (ageing, (due, count)))| Bar {
            label: (d.ageing)(ageing),
            amount: money_text(due),
            invoices: count,
            is_overdue: ageing != Ageing::NotDue,
            y: place.saturating_mul(64).saturating_add(34),
            text_y: place.saturating_mul(64).saturating_add(26),
            width: share(due.minor(), most),
        });
    CurrencyFigures {
        code: owed.paid.currency().code(),
        heading: (d.ageing_of)(owed.paid.currency().code()),
        figures: [
            (d.outstanding, money_text(owed.outstanding)),
            (d.overdue, money_text(owed.overdue)),
            (d.paid_lately, money_text(owed.paid)),
        ],
        bars: bars.collect(),
    }
}

/// The width of the chart, in its own units.
const WIDTH: i64 = 600;

/// The width of a bar. An amount above 0 is at least 2 wide, so that it is visible.
fn share(part: i64, whole: i64) -> i64 {
    let share = i128::from(part).saturating_mul(WIDTH.into()).checked_div(whole.into()).unwrap_or_default();
    let share = i64::try_from(share.clamp(0, WIDTH.into())).unwrap_or_default();
    if part > 0 { share.max(2) } else { 0 }
}

fn payment_row(payment: &LatestPayment, zone: &TimeZone, urls: &PublicUrls, t: &Texts) -> LatestPaymentItem {
    LatestPaymentItem {
        href: urls.page(format_args!("/dashboard/invoices/{}", payment.invoice)),
        number: payment.number.to_string(),
        contact: payment.contact.as_ref().map(ToString::to_string).unwrap_or_default(),
        date: written_date(zone.date_at(payment.received_at)),
        method: (t.payment_method)(payment.method),
        amount: money_text(payment.amount),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn bars_are_in_proportion_and_no_amount_is_invisible() {
        assert_eq!(share(0, 10), 0);
        assert_eq!(share(5, 10), 300);
        assert_eq!(share(1, i64::MAX), 2);
        assert_eq!(share(i64::MAX, i64::MAX), 600);
    }
}
