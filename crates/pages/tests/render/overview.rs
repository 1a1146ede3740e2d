//! The overview.

use escalations::{Channel, Escalation, EscalationData, EscalationType, Priority};
use invoices::{Ageing, InvoiceNumber, InvoiceStatus, LatestPayment, Overview, Owed, PaymentMethod};
use kernel::{Currency, Id, Money, MultiLine, SingleLine};
use pages::invoicing::{OverviewPage, PlannedReminders, ShownOverview};
use payments::OnlineFigures;
use time::macros::{date, datetime};
use webhooks::{Delivery, DeliveryState, EventName};

use crate::invoicing::{COMPANY, HOSTILE, ID, rendered, sydney};
use crate::sample::{shown, urls};

#[test]
fn overview_has_a_chart_and_its_table_for_each_currency() {
    let owed = |code: &str, amounts: [i64; 5]| {
        let money = |minor| Money::new(minor, Currency::parse(code).unwrap());
        Owed {
            outstanding: money(amounts.iter().sum()),
            overdue: money(amounts[1..].iter().sum()),
            paid: money(5_000),
            ageing: amounts.map(|minor| (money(minor), 1)),
        }
    };
    let payment = LatestPayment {
        invoice: shown(InvoiceStatus::Paid, 1).invoice.id,
        number: InvoiceNumber::from_stored(HOSTILE.to_owned()),
        contact: Some(SingleLine::from_stored(HOSTILE.to_owned())),
        amount: Money::new(5_000, Currency::parse("AUD").unwrap()),
        received_at: datetime!(2026-11-23 20:05 UTC),
        method: PaymentMethod::Cash,
    };
    let escalation = Escalation::from_stored(EscalationData {
        id: Id::parse(ID).unwrap(),
        account: Id::parse(ID).unwrap(),
        invoice: None,
        contact: None,
        escalation_type: EscalationType::Dispute,
        priority: Priority::High,
        channel: Channel::Email,
        statement: MultiLine::from_stored(HOSTILE.to_owned()),
        resolution: None,
        created_at: datetime!(2026-11-23 20:05 UTC),
        updated_at: datetime!(2026-11-23 20:05 UTC),
    });
    let delivery = Delivery {
        id: Id::parse(ID).unwrap(),
        event: Id::parse(ID).unwrap(),
        name: EventName::PaymentRecorded,
        endpoint: Id::parse(ID).unwrap(),
        url: "https://books.example".to_owned(),
        state: DeliveryState::Abandoned,
        begun: 5,
        attempts: Vec::new(),
        next_attempt_at: None,
        created_at: datetime!(2026-11-23 20:05 UTC),
    };
    let aud = |minor| Money::new(minor, Currency::parse("AUD").unwrap());
    let online = OnlineFigures {
        processing: aud(1_000),
        captured: aud(24_200),
        refunded: aud(12_100),
        refunding: aud(0),
    };
    let shown = ShownOverview {
        online: vec![online],
        overview: Overview {
            today: date!(2026 - 11 - 24),
            currencies: vec![
                owed("AUD", [20_000, 10_000, 0, 1, 0]),
                owed("JPY", [0; 5]),
                owed("IDR", [150_000_000_000, 0, 0, 0, 0]),
            ],
            latest_payments: vec![payment],
        },
        can_be_paid: true,
        time_zone: sydney(),
        escalations: vec![escalation],
        deliveries: vec![delivery],
        planned: PlannedReminders::Stopped,
    };
    let html = rendered(&OverviewPage::new(&shown, COMPANY, &urls()));
    assert_eq!((html.matches("<svg").count(), html.matches("<rect ").count()), (3, 3 * Ageing::ALL.len()));
    for text in [
        "<strong>AUD 300.01</strong>",
        "<strong class=\"long\">IDR 1,500,000,000.00</strong>",
        "width=\"600\"",
        "width=\"300\"",
        "width=\"2\"",
        "overdue</th><td data-label=\"Invoices\">1</td><td data-label=\"Amount due\">AUD 0.00",
        "<td data-label=\"Amount due\" class=\"long\">IDR 1,500,000,000.00",
        "24 November 2026<small>Cash</small>",
        "<h2 id=\"online-AUD\">Paid online in AUD</h2>",
        "<dt>Refunded in the last 30 days</dt><dd><strong>AUD 121.00</strong>",
        "/dashboard/escalations/01936f3c-2b7e-7c00-8000-000000000001\">",
        "/dashboard/webhooks/deliveries/01936f3c-2b7e-7c00-8000-000000000001\">",
        ", 24 November 2026, 07:05</a>",
    ] {
        assert!(html.contains(text), "{text} in {html}");
    }
}

#[test]
fn overview_of_a_new_account_links_the_first_step() {
    let shown = ShownOverview {
        online: Vec::new(),
        overview: Overview {
            today: date!(2026 - 11 - 24),
            currencies: Vec::new(),
            latest_payments: Vec::new(),
        },
        can_be_paid: false,
        time_zone: sydney(),
        escalations: Vec::new(),
        deliveries: Vec::new(),
        planned: PlannedReminders::Many,
    };
    let html = rendered(&OverviewPage::new(&shown, COMPANY, &urls()));
    assert!(html.contains("/dashboard/invoices/new\">New invoice</a></p>"), "{html}");
    let notice = "Customers cannot see how to pay you yet. <a href=\"https://books.example.com/dashboard/settings/payments\">";
    assert!(html.contains(notice), "{html}");
    assert!(html.contains("Reminders are on."), "{html}");
    for text in ["<svg", "Open escalations", "abandoned", "Latest payments"] {
        assert!(!html.contains(text), "{text} in {html}");
    }
}
