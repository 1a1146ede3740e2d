//! Rendered PDFs: all kinds of invoices, and invalid input.

#![expect(clippy::unwrap_used, reason = "a test says what is wrong by failing")]

use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};

use invoices::{
    BankTransfer, Invoice, InvoiceData, InvoiceDocument, InvoiceStatus, InvoiceTexts, Letterhead,
    LetterheadLogo, LineAmountTypes, LogoKind, Payment, PaymentMethod, ReceiptDocument, RecordedBy,
    TransferField, WayToPay,
};
use kernel::{Id, SingleLine, TimeZone};
use pdf_krilla::PdfRenderer;
use proptest::prelude::*;
use time::macros::datetime;
use tracing::span::{self, Attributes, Record};
use tracing::{Event, Level, Metadata, Subscriber};

mod sample;

const PNG: &[u8] = include_bytes!("sample/logo.png");
const JPEG: &[u8] = include_bytes!("sample/logo.jpg");

fn document(letterhead: &Letterhead, data: InvoiceData) -> InvoiceDocument {
    InvoiceDocument {
        letterhead: letterhead.clone(),
        invoice: Invoice::from_stored(data),
        pay_url: sample::PAY_URL.to_owned(),
        bank_transfer: None,
        way_to_pay: WayToPay::Online,
    }
}

fn rendered(letterhead: &Letterhead, data: InvoiceData) -> Vec<u8> {
    let pdf = PdfRenderer::new().unwrap().render(&document(letterhead, data)).unwrap();
    assert!(pdf.starts_with(b"%PDF-1."));
    assert!(pdf.trim_ascii_end().ends_with(b"%%EOF"));
    pdf
}

fn sample_of(lines: usize) -> InvoiceData {
    (*sample::invoice(lines).unwrap()).clone()
}

/// How often a text occurs in the bytes of the PDF. Its objects are not compressed, only the contents of
/// streams.
fn count(pdf: &[u8], what: &str) -> usize {
    let what = what.as_bytes();
    pdf.windows(what.len()).filter(|part| *part == what).count()
}

fn pages(pdf: &[u8]) -> usize {
    count(pdf, "/Type/Page\n") + count(pdf, "/Type/Page/")
}

fn with_logo(bytes: &[u8], kind: LogoKind) -> Letterhead {
    Letterhead { logo: Some(LetterheadLogo { bytes: Arc::from(bytes), kind }), ..sample::letterhead() }
}

#[test]
fn an_invoice_has_the_pages_that_its_lines_need() {
    for (lines, expected) in [(0, 1), (1, 1), (12, 1), (120, 5)] {
        let pdf = rendered(&with_logo(PNG, LogoKind::Png), sample_of(lines));
        assert_eq!(pages(&pdf), expected, "{lines} lines");
        assert_eq!(count(&pdf, "/Subtype/Image"), 2, "the logo and its transparency");
    }
}

#[test]
fn receipt_has_one_page_without_watermark_and_link() {
    let mut data = sample_of(12);
    data.status = InvoiceStatus::Paid;
    let payment = Payment {
        id: Id::from_uuid(uuid::Uuid::from_u128(7)),
        amount: data.totals.total,
        received_at: datetime!(2026-11-24 20:00 UTC),
        method: PaymentMethod::Card,
        reference: Some(SingleLine::parse(&"long ".repeat(50)).unwrap()),
        recorded_by: RecordedBy::Operator,
    };
    let document = ReceiptDocument {
        letterhead: with_logo(PNG, LogoKind::Png),
        invoice: Invoice::from_stored(data),
        payment,
        refunded: None,
        time_zone: TimeZone::utc(),
    };
    let documents = PdfRenderer::new().unwrap();
    let pdf = documents.receipt(&document).unwrap();
    let refunded = ReceiptDocument { refunded: Some(document.payment.amount), ..document.clone() };
    let with_refund = documents.receipt(&refunded).unwrap();
    assert!(with_refund != pdf && pages(&with_refund) == 1);
    assert!(pdf.starts_with(b"%PDF-1.") && pages(&pdf) == 1);
    assert_eq!((count(&pdf, "/ExtGState<<"), count(&pdf, "/Subtype/Link")), (0, 0));
    assert!(pdf == documents.receipt(&document).unwrap());
}

#[test]
fn bank_details_are_on_what_is_to_be_paid_alone() {
    let transfer = BankTransfer {
        fields: vec![
            (TransferField::AccountHolder, "Brightwater Electrical Pty Ltd".to_owned()),
            (TransferField::Iban, "DE89 3704 0044 0532 0130 00".to_owned()),
            (TransferField::Instructions, "word ".repeat(180)),
        ],
        unchanged_since: datetime!(2026-11-20 02:00 UTC),
    };
    let documents = PdfRenderer::new().unwrap();
    for status in InvoiceStatus::ALL {
        let mut data = sample_of(1);
        data.status = status;
        let without = document(&sample::letterhead(), data);
        let with = InvoiceDocument { bank_transfer: Some(transfer.clone()), ..without.clone() };
        let differs = documents.render(&with).unwrap() != documents.render(&without).unwrap();
        assert_eq!(differs, status.is_payable(), "{status:?}");
    }
}

#[test]
fn the_same_invoice_gives_the_same_bytes() {
    let render = || rendered(&with_logo(PNG, LogoKind::Png), sample_of(12));
    assert!(render() == render());
}

#[test]
fn every_status_and_a_draft_without_contact_and_lines_are_rendered() {
    for status in InvoiceStatus::ALL {
        let mut data = sample_of(1);
        data.status = status;
        let pdf = rendered(&sample::letterhead(), data);
        // Only the watermark is transparent.
        let has_watermark =
            matches!(status, InvoiceStatus::Draft | InvoiceStatus::Paid | InvoiceStatus::Cancelled);
        assert_eq!(count(&pdf, "/ExtGState<<") > 0, has_watermark, "{status:?}");
    }
    let mut data = sample_of(0);
    (data.status, data.contact) = (InvoiceStatus::Draft, None);
    data.texts = InvoiceTexts::default();
    let pdf = rendered(&Letterhead::default(), data);
    assert_eq!(pages(&pdf), 1);
}

#[test]
fn payments_are_rendered_and_what_is_paid_has_no_link() {
    let mut data = sample_of(12);
    sample::pay(&mut data, 10_000, PaymentMethod::Cash, None).unwrap();
    assert!(count(&rendered(&sample::letterhead(), data.clone()), "/URI") > 0);
    let rest = data.totals.total.minor() - 10_000;
    sample::pay(&mut data, rest, PaymentMethod::Card, Some("last")).unwrap();
    assert_eq!(data.status, InvoiceStatus::Paid);
    assert_eq!(count(&rendered(&sample::letterhead(), data), "/URI"), 0);
}

#[test]
fn no_text_makes_it_panic() {
    let hostile = [
        "lines\r\nand\rlines\n\n\n\tand tabs\u{b}\u{c}",
        "\u{202e}reversed\u{202c} \u{200f}שלום עולם\u{200e} السلام عليكم",
        "👨‍👩‍👧‍👦🏳️‍🌈😀 \u{1f1e6}\u{1f1fa} 漢字かな한국어 ไทย हिन्दी",
        "z\u{300}\u{301}\u{302}\u{303}\u{304}\u{305}\u{306}\u{307}algo \u{301}\u{301}",
        "\u{feff}\u{fffe}\u{ffff}\u{e000}\u{10ffff}\u{ad}\u{200b}\u{2060}x",
        "<b>&amp;</b> (PDF) \\ /Type /Page endobj endstream %%EOF ]]> <?xpacket",
        "ŻÓŁĆ ăâîșț ẞ ếặữ Ἀθῆναι Ѣђѓ",
    ];
    for text in hostile {
        let lines = [(text, "1", "10", "10")];
        for currency in ["AUD", "JPY", "BHD"] {
            let mut data = sample::facts(&lines, currency, LineAmountTypes::Inclusive).unwrap();
            data.texts.reference = SingleLine::parse(text).ok();
            let letterhead = Letterhead {
                company_name: text.to_owned(),
                email: Some(text.to_owned()),
                address_lines: vec![text.to_owned(), "\0\u{1b}[31m\u{85}".to_owned(), String::new()],
                brand_color: Some(text.to_owned()),
                ..Letterhead::default()
            };
            let pdf = rendered(&letterhead, data);
            assert!((1..=2).contains(&pages(&pdf)), "{text}");
        }
    }
}

#[test]
fn a_logo_is_shown_in_either_format() {
    for (bytes, kind) in [(PNG, LogoKind::Png), (JPEG, LogoKind::Jpeg)] {
        let pdf = rendered(&with_logo(bytes, kind), sample_of(1));
        assert!(count(&pdf, "/Subtype/Image") > 0, "{kind:?}");
    }
}

#[test]
fn a_logo_that_cannot_be_read_is_left_out() {
    let mut huge = PNG.to_vec();
    // The file's header claims a width and height of 65,535. The claim must be refused without allocating
    // that much memory.
    huge[16..24].copy_from_slice(&[0, 0, 0xff, 0xff, 0, 0, 0xff, 0xff]);
    let mut damaged = PNG.to_vec();
    let middle = damaged.len() / 2;
    damaged[middle..middle + 40].fill(0x55);
    for (bytes, kind) in [
        (&b""[..], LogoKind::Png),
        (b"", LogoKind::Jpeg),
        (b"<svg/>", LogoKind::Png),
        (JPEG, LogoKind::Png),
        (PNG, LogoKind::Jpeg),
        (&PNG[..PNG.len() / 2], LogoKind::Png),
        (&JPEG[..JPEG.len() / 2], LogoKind::Jpeg),
        (&JPEG[..20], LogoKind::Jpeg),
        (&huge, LogoKind::Png),
        (&damaged, LogoKind::Png),
    ] {
        let warnings = Warnings::default();
        let pdf = tracing::subscriber::with_default(warnings.clone(), || {
            rendered(&with_logo(bytes, kind), sample_of(1))
        });
        assert_eq!(count(&pdf, "/Subtype/Image"), 0, "{kind:?} {}", bytes.len());
        assert_eq!(warnings.0.load(Ordering::Relaxed), 1, "{kind:?} {}", bytes.len());
    }
}

/// Counts the warnings of this crate.
#[derive(Clone, Default)]
struct Warnings(Arc<AtomicUsize>);

impl Subscriber for Warnings {
    fn enabled(&self, metadata: &Metadata<'_>) -> bool {
        *metadata.level() == Level::WARN && metadata.target().starts_with("pdf_krilla")
    }

    fn event(&self, _: &Event<'_>) {
        self.0.fetch_add(1, Ordering::Relaxed);
    }

    fn new_span(&self, _: &Attributes<'_>) -> span::Id {
        span::Id::from_u64(1)
    }

    fn record(&self, _: &span::Id, _: &Record<'_>) {}

    fn record_follows_from(&self, _: &span::Id, _: &span::Id) {}

    fn enter(&self, _: &span::Id) {}

    fn exit(&self, _: &span::Id) {}
}

proptest! {
    #[test]
    fn no_damaged_picture_brings_it_down(
        jpeg in any::<bool>(), swapped in prop::bool::weighted(0.1), cut in any::<prop::sample::Index>(),
        edits in prop::collection::vec((any::<prop::sample::Index>(), any::<u8>()), 0..6),
    ) {
        let mut bytes = if jpeg { JPEG } else { PNG }.to_vec();
        // Edits near the beginning, where sizes, types and tables are, do the most damage.
        for (place, byte) in &edits {
            let at = place.index(bytes.len().min(900));
            bytes[at] = *byte;
        }
        if edits.len() % 2 == 1 {
            bytes.truncate(cut.index(bytes.len()));
        }
        let kind = if jpeg == swapped { LogoKind::Png } else { LogoKind::Jpeg };
        let pdf = rendered(&with_logo(&bytes, kind), sample_of(0));
        prop_assert_eq!(pages(&pdf), 1);
    }
}
