//! The layout of an invoice from top to bottom.
//!
//! Every part makes a block, and the flow places the blocks on pages. Nothing here depends on PDF: the result
//! is elements with positions.

use crate::color;
use crate::context::DocumentContext;
use crate::flow::{Flow, PageElements};
use crate::sheet::{Area, Element, HEIGHT, LEFT, RIGHT, WIDTH};
use crate::typesetter::Style;
use crate::{header, line_table, totals};

const BAR_HEIGHT: f32 = 7.0;
const FOOT_TOP: f32 = HEIGHT - 32.0;

/// The pages of an invoice.
pub(crate) fn pages(context: &DocumentContext<'_>) -> Vec<PageElements> {
    let mut flow = Flow::new();
    flow.place(header::header(context));
    flow.gap(17.0);
    flow.place(header::recipient(context));
    flow.gap(17.0);
    line_table::flow(context, &mut flow);
    flow.gap(14.0);
    flow.place(totals::block(context));
    totals::notes(context, &mut flow);
    let mut pages = flow.finish();
    add_frame(context, &format!("Invoice {}", context.invoice.number), &mut pages);
    pages
}

/// Adds to every page the brand's bar at the top; and at the foot the document's title, the company, and the
/// page number.
pub(crate) fn add_frame(context: &DocumentContext<'_>, what: &str, pages: &mut [PageElements]) {
    let of = pages.len();
    let title = title(context, what);
    for (index, page) in pages.iter_mut().enumerate() {
        let bar = Area { left: 0.0, top: 0.0, width: WIDTH, height: BAR_HEIGHT };
        let rule = Area { left: LEFT, top: FOOT_TOP - 8.0, width: RIGHT - LEFT, height: 0.6 };
        let number = format!("Page {} of {of}", index + 1);
        page.extend([
            Element::fill(bar, context.brand.fill),
            Element::fill(rule, color::RULE),
            title.clone(),
            context.typesetter.up_to(&number, Style::SMALL, RIGHT, FOOT_TOP),
        ]);
    }
}

/// The title and the company on one line, cut to fit: the first page has them in full.
fn title(context: &DocumentContext<'_>, what: &str) -> Element {
    let company = &context.letterhead.company_name;
    let width = RIGHT - LEFT - 90.0;
    let whole = format!("{what}  ·  {company}");
    let mut lines = context.typesetter.runs(&whole, Style::SMALL, width).into_iter();
    let text = match (lines.next(), lines.next()) {
        (Some(line), None) => line.text,
        (Some(line), Some(_)) => format!("{}…", line.text),
        (None, _) => String::new(),
    };
    context.typesetter.at(&text, Style::SMALL, LEFT, FOOT_TOP)
}

#[cfg(test)]
mod tests {
    use invoices::{
        BankTransfer, Invoice, InvoiceData, InvoiceStatus, Letterhead, LineAmountTypes, PaymentMethod,
        WayToPay,
    };
    use kernel::{Currency, Money, MultiLine, SingleLine, TimeZone};
    use time::macros::datetime;

    use super::*;
    use crate::color::BrandColors;
    use crate::header::PADDING;
    use crate::receipt;
    use crate::sample::{self, Wanted};
    use crate::sheet::{BOTTOM, SECOND_COLUMN};
    use crate::typesetter::Typesetter;
    use crate::wording::amount_in_currency;

    fn laid_out(letterhead: &Letterhead, data: InvoiceData) -> Vec<PageElements> {
        laid_out_for(letterhead, data, WayToPay::Online)
    }

    fn laid_out_for(letterhead: &Letterhead, data: InvoiceData, way_to_pay: WayToPay) -> Vec<PageElements> {
        let (typesetter, invoice) = (Typesetter::new().unwrap(), Invoice::from_stored(data));
        pages(&context(&typesetter, letterhead, &invoice, way_to_pay))
    }

    fn context<'a>(
        typesetter: &'a Typesetter,
        letterhead: &'a Letterhead,
        invoice: &'a Invoice,
        way_to_pay: WayToPay,
    ) -> DocumentContext<'a> {
        DocumentContext {
            typesetter,
            letterhead,
            invoice,
            pay_url: sample::PAY_URL,
            bank_transfer: None,
            way_to_pay,
            brand: BrandColors::of(None),
            logo: Some((400.0, 30.0)),
            has_watermark: true,
        }
    }

    fn sample_of(lines: usize) -> InvoiceData {
        (*sample::invoice(lines).unwrap()).clone()
    }

    /// The texts of a page; asserts that each stays within the margins.
    fn texts(page: &PageElements) -> Vec<String> {
        page.iter()
            .filter_map(|element| match element {
                Element::Text { left, baseline, size, run, .. } => {
                    let right = left + run.width * size;
                    assert!(*left > LEFT - 0.1 && right < RIGHT + 0.1, "{run:?}");
                    assert!(*baseline > 20.0 && *baseline < HEIGHT - 18.0, "{run:?}");
                    let is_foot = run.text.starts_with("Page ") || run.text.starts_with("Invoice ");
                    assert!(is_foot || *baseline <= BOTTOM, "{run:?}");
                    Some(run.text.clone())
                }
                _ => None,
            })
            .collect()
    }

    fn has(page: &[String], text: &str) -> bool {
        page.iter().any(|one| one == text)
    }

    #[test]
    fn pages_are_as_many_as_the_lines_need_and_each_has_its_head_and_number() {
        for (lines, count) in [(0, 1), (1, 1), (12, 1), (120, 5), (500, 16)] {
            let pages = laid_out(&sample::letterhead(), sample_of(lines));
            assert_eq!(pages.len(), count, "{lines} lines");
            for (index, page) in pages.iter().enumerate() {
                let texts = texts(page);
                assert!(has(&texts, &format!("Page {} of {count}", index + 1)));
                // The last page may have only the totals.
                assert!(index > 0 && index + 1 == count || has(&texts, "Description"));
            }
        }
    }

    #[test]
    fn everything_that_an_invoice_says_is_there() {
        let mut data = sample_of(12);
        sample::pay(&mut data, 200_000, PaymentMethod::BankTransfer, Some("HD 77")).unwrap();
        let texts = texts(&laid_out(&sample::letterhead(), data).concat());
        for text in [
            "Brightwater Electrical Pty Ltd",
            "ABN 51 824 753 556",
            "INV-0042",
            "20 November 2026",
            "PO 88213",
            "Maya Lindqvist",
            "Harbourside Dental Group",
            "Sydney NSW 2000",
            "Amount (AUD)",
            "1,599.75",
            "2.385",
            "−150.00",
            "5,781.65",
            "24 Nov 2026",
            "Bank transfer",
            "HD 77",
            "−2,000.00",
            "AUD\u{a0}6,525.22",
            "AUD\u{a0}4,525.22",
            "Thank you for your business.",
            "Pay online",
        ] {
            assert!(has(&texts, text), "{text}: {texts:?}");
        }
    }

    #[test]
    fn payments_and_bank_details_are_dated_by_the_day_of_the_account() {
        let mut data = sample::facts(&[("a", "1", "110", "0")], "AUD", LineAmountTypes::NoTax).unwrap();
        sample::pay(&mut data, 1_000, PaymentMethod::Card, None).unwrap();
        data.payments[0].received_at = datetime!(2026-11-24 20:00 UTC);
        for (zone, day) in [(None, "24 Nov 2026"), (Some("Australia/Sydney"), "25 Nov 2026")] {
            let time_zone = zone.map(|name| TimeZone::parse(name).unwrap());
            let letterhead = Letterhead { time_zone, ..sample::letterhead() };
            let texts = texts(&laid_out(&letterhead, data.clone()).concat());
            assert!(has(&texts, day), "{day}: {texts:?}");
            let invoice = Invoice::from_stored(data.clone());
            let transfer =
                BankTransfer { fields: Vec::new(), unchanged_since: datetime!(2026-11-24 20:00 UTC) };
            let typesetter = Typesetter::new().unwrap();
            let context = DocumentContext {
                bank_transfer: Some(&transfer),
                ..context(&typesetter, &letterhead, &invoice, WayToPay::BankTransfer)
            };
            let texts = self::texts(&pages(&context).concat());
            let since = format!("Unchanged since {}.", &day.replace("Nov", "November"));
            assert!(has(&texts, &since), "{since}: {texts:?}");
        }
    }

    #[test]
    fn taxes_inside_of_amounts_are_taken_out_of_the_summary() {
        let lines: [Wanted<'_>; 3] = [("a", "1", "110", "10"), ("b", "2", "55", "10"), ("c", "1", "7", "0")];
        let data = sample::facts(&lines, "JPY", LineAmountTypes::Inclusive).unwrap();
        let texts = texts(&laid_out(&sample::letterhead(), data).concat());
        for text in ["Line amounts include tax.", "200", "20", "JPY\u{a0}227", "0"] {
            assert!(has(&texts, text), "{text}: {texts:?}");
        }
        let data = sample::facts(&[("a", "1", "110", "0")], "AUD", LineAmountTypes::NoTax).unwrap();
        let texts = self::texts(&laid_out(&sample::letterhead(), data).concat());
        assert!(!texts.iter().any(|text| text.contains("Tax")), "{texts:?}");
    }

    #[test]
    fn only_what_is_to_be_paid_leads_to_the_payment_page() {
        for (status, links) in [
            (InvoiceStatus::Unpaid, true),
            (InvoiceStatus::Overdue, true),
            (InvoiceStatus::Scheduled, true),
            (InvoiceStatus::PartiallyPaid, true),
            (InvoiceStatus::Draft, false),
            (InvoiceStatus::Paid, false),
            (InvoiceStatus::Cancelled, false),
        ] {
            let mut data = sample_of(1);
            data.status = status;
            let page = laid_out(&sample::letterhead(), data).concat();
            let found = page.iter().any(|element| matches!(element, Element::Link(_)));
            assert_eq!(found, links, "{status:?}");
            assert_eq!(texts(&page).concat().contains("https://"), links, "{status:?}");
        }
    }

    #[test]
    fn link_to_the_payment_page_says_how_to_pay_there() {
        for (way_to_pay, button, head) in [
            (WayToPay::Online, "Pay online", "PAY ONLINE"),
            (WayToPay::BankTransfer, "How to pay", "HOW TO PAY"),
            (WayToPay::None, "View invoice", "VIEW INVOICE"),
        ] {
            let page = laid_out_for(&sample::letterhead(), sample_of(1), way_to_pay).concat();
            let texts = texts(&page);
            assert!(has(&texts, button) && has(&texts, head), "{texts:?}");
            let pays_online = texts.iter().any(|text| text.to_lowercase() == "pay online");
            assert_eq!(pays_online, way_to_pay == WayToPay::Online);
        }
    }

    /// The text on the panel at the right: the amount in the largest font that it fits in.
    fn large_amount(pages: &[PageElements]) -> Vec<&str> {
        let of = |element| match element {
            &Element::Text { left, size, ref run, .. } => {
                (left == SECOND_COLUMN + PADDING && size > 10.0).then_some(run.text.as_str())
            }
            _ => None,
        };
        pages.iter().flatten().filter_map(of).collect()
    }

    #[test]
    fn large_amount_that_is_shrunk_to_fit_stays_on_one_line() {
        let (typesetter, letterhead) = (Typesetter::new().unwrap(), sample::letterhead());
        for (code, least) in [("KRW", 284_964_984_889), ("IDR", 5_059_298_877_567), ("BHD", 98_765_432_101)] {
            let mut data = sample::facts(&[("a", "1", "1", "0")], code, LineAmountTypes::NoTax).unwrap();
            sample::pay(&mut data, 1, PaymentMethod::Card, None).unwrap();
            for nth in 0..500 {
                let amount = Money::new(least + nth * 97_003_711, Currency::parse(code).unwrap());
                data.payments[0].amount = amount;
                data.totals.total = amount;
                data.amount_paid = Money::zero(amount.currency());
                let invoice = Invoice::from_stored(data.clone());
                let context = context(&typesetter, &letterhead, &invoice, WayToPay::Online);
                let text = amount_in_currency(amount);
                assert_eq!(large_amount(&pages(&context)), [text.as_str()]);
                let payment = &data.payments[0];
                let receipt = receipt::pages(&context, payment, None, payment.received_at.date());
                assert_eq!(large_amount(&receipt), [text.as_str()]);
            }
        }
    }

    /// Fields of maximum length, in one word and in many lines: no text may leave the margins or be lost.
    #[test]
    fn the_longest_texts_stay_in_the_margins_and_lose_no_letter() {
        let word = "W".repeat(4_000);
        let rows = "row\r\n".repeat(800);
        let lines: Vec<Wanted<'_>> = vec![
            (&word, "922337203685.4775", "0.0001", "12.3456"),
            (&rows, "0.0001", "922337203685477.5807", "0"),
            ("discount", "1", "-999999999999.9999", "99.9999"),
        ];
        let mut data = sample::facts(&lines[..2], "BHD", LineAmountTypes::Exclusive).unwrap();
        data.texts.reference = Some(SingleLine::parse(&"R".repeat(255)).unwrap());
        data.texts.staff = Some(SingleLine::parse(&"S s ".repeat(60)).unwrap());
        data.texts.notes = Some(MultiLine::parse(&"N".repeat(4_000)).unwrap());
        for _ in 0..60 {
            sample::pay(&mut data, 1_234, PaymentMethod::DirectDebit, Some(&"P".repeat(255))).unwrap();
        }
        let long = || "L".repeat(200);
        let letterhead = Letterhead {
            company_name: long(),
            email: Some(long()),
            phone: Some(long()),
            abn: Some(long()),
            address_lines: vec![long(), long(), "a\nb\tc\0d".to_owned(), long(), long()],
            ..Letterhead::default()
        };
        let pages = laid_out(&letterhead, data);
        let all: String = pages.iter().flat_map(texts).collect();
        assert!(all.matches('W').count() >= 4_000);
        assert_eq!(all.matches("row").count(), 800);
        assert!(all.matches('N').count() >= 4_000);
        assert!(all.matches('R').count() >= 255);
        assert!(all.matches('P').count() >= 60 * 255);
        assert!(all.matches('L').count() >= 1_600);
    }

    #[test]
    fn tax_summary_of_500_rates_flows_over_pages() {
        let rates: Vec<String> =
            (0..500_u32).map(|rate| format!("{}.{:02}", rate / 100, rate % 100)).collect();
        let lines: Vec<Wanted<'_>> = rates.iter().map(|rate| ("x", "1", "1000", rate.as_str())).collect();
        let data = sample::facts(&lines, "AUD", LineAmountTypes::Exclusive).unwrap();
        let pages = laid_out(&sample::letterhead(), data);
        let all: Vec<String> = pages.iter().flat_map(texts).collect();
        assert_eq!(all.iter().filter(|text| *text == "4.99%").count(), 2);
        assert!(has(&all, "Amount due"));
    }
}
