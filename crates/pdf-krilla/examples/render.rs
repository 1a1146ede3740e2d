//! Writes a sample invoice as PDF, and prints how long rendering took.
//!
//!     cargo run --release -p pdf-krilla --example render -- 12 invoice.pdf [variant]
//!
//! Variants: plain, logo, part-paid, paid, cancelled, draft, yen, inclusive, long, accents.

use std::error::Error;
use std::io::Write as _;
use std::sync::Arc;
use std::time::Instant;

use invoices::{
    Invoice, InvoiceData, InvoiceDocument, InvoiceStatus, Letterhead, LetterheadLogo, LineAmountTypes,
    LogoKind, PaymentMethod, WayToPay,
};
use pdf_krilla::PdfRenderer;

#[path = "../tests/sample/mod.rs"]
mod sample;

const LOGO: &[u8] = include_bytes!("../tests/sample/logo.png");
const ROUNDS: u32 = 50;

fn main() -> Result<(), Box<dyn Error>> {
    let mut arguments = std::env::args().skip(1);
    let lines = arguments.next().map_or(Ok(12), |text| text.parse())?;
    let file = arguments.next().unwrap_or_else(|| "invoice.pdf".to_owned());
    let variant = arguments.next().unwrap_or_default();
    let (letterhead, invoice) = wanted(lines, &variant)?;
    let pay_url = sample::PAY_URL.to_owned();
    let document =
        InvoiceDocument { letterhead, invoice, pay_url, bank_transfer: None, way_to_pay: WayToPay::Online };

    let begun = Instant::now();
    let documents = PdfRenderer::new()?;
    let ready = begun.elapsed();
    let begun = Instant::now();
    let pdf = documents.render(&document)?;
    let first = begun.elapsed();
    let begun = Instant::now();
    for _ in 0..ROUNDS {
        documents.render(&document)?;
    }
    let each = begun.elapsed() / ROUNDS;
    std::fs::write(&file, &pdf)?;
    writeln!(
        std::io::stdout(),
        "{file}: {} bytes; typeface {ready:?}, first {first:?}, then {each:?} each",
        pdf.len()
    )?;
    Ok(())
}

fn wanted(lines: usize, variant: &str) -> Result<(Letterhead, Invoice), Box<dyn Error>> {
    let letterhead = match variant {
        "plain" => sample::letterhead(),
        "accents" => Letterhead {
            company_name: "Łódź Żeglarska Stocznia, Ærø & Çeşme İşletmeleri".to_owned(),
            brand_color: Some("#F4C20D".to_owned()),
            ..sample::letterhead()
        },
        _ => Letterhead {
            logo: Some(LetterheadLogo { bytes: Arc::from(LOGO), kind: LogoKind::Png }),
            ..sample::letterhead()
        },
    };
    let mut data: InvoiceData = (*sample::invoice(lines)?).clone();
    let total = data.totals.total.minor();
    match variant {
        "paid" => sample::pay(&mut data, total, PaymentMethod::Card, None)?,
        "part-paid" => {
            let reference = Some("INV-0042 HARBOURSIDE");
            sample::pay(&mut data, total / 3, PaymentMethod::BankTransfer, reference)?;
            sample::pay(&mut data, total / 5, PaymentMethod::Card, None)?;
        }
        "cancelled" => data.status = InvoiceStatus::Cancelled,
        "draft" => (data.status, data.contact) = (InvoiceStatus::Draft, None),
        "yen" => data = sample::facts(&YEN, "JPY", LineAmountTypes::Inclusive)?,
        "inclusive" => data = sample::facts(&YEN, "BHD", LineAmountTypes::Inclusive)?,
        "accents" => data = sample::facts(&ACCENTS, "PLN", LineAmountTypes::Exclusive)?,
        "long" => {
            let long = "Donaudampfschifffahrtsgesellschaft".repeat(12);
            let words = "All works as quoted, including making good. ".repeat(60);
            let lines = [
                (long.as_str(), "922337203685.4775", "0.0001", "12.3456"),
                (words.as_str(), "1", "999999999.9999", "10"),
                ("Short", "0.0001", "922337203685477.5807", "0"),
            ];
            data = sample::facts(&lines, "BHD", LineAmountTypes::Exclusive)?;
        }
        _ => {}
    }
    Ok((letterhead, Invoice::from_stored(data)))
}

const YEN: [sample::Wanted<'static>; 3] = [
    ("Translation, Japanese to English, per character", "18250", "14", "10"),
    ("Interpreting, half a day", "2", "45000", "10"),
    ("Bento for the team", "12", "1080", "8"),
];

const ACCENTS: [sample::Wanted<'static>; 5] = [
    ("Żółć gęślą jaźń, příliš žluťoučký kůň, árvíztűrő tükörfúrógép", "1", "1234.5", "23"),
    ("Ελληνικά: τιμολόγιο παροχής υπηρεσιών", "2", "99.9", "23"),
    ("Кириллица: счёт за услуги, їжак, ђак", "3", "10", "8"),
    ("Decomposed: e\u{301} a\u{308} n\u{303} ş ğ İ ı ð þ ß", "4", "5", "8"),
    ("Missing: 漢字 かな 한국어 עברית العربية 😀 👩‍🚀 end", "5", "6", "0"),
];
