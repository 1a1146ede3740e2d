//! The records, each derived only from its own number and the seed.

use std::fmt::Write;
use std::ops::Range;

use access::{ApiKey, KeySpace, NewKey};
use anyhow::Context;
use contacts::Contact;
use invoices::{
    CreationContext, Invoice, InvoiceNumber, InvoiceTexts, LineAmountTypes, NewInvoice, NewLine, PayToken,
    totals,
};
use kernel::{AccountId, Currency, Decimal, EmailAddress, Field, FieldErrors, Id, MultiLine, SingleLine};
use partner_accounts::{Account, NewAccount, Partner, ProfileInput};
use time::macros::datetime;
use time::{Duration, OffsetDateTime};

use super::options::Options;
use super::random::SeededGenerator;

/// The time of the first record; each later one is a second later.
const BEGINNING: OffsetDateTime = datetime!(2020-01-01 00:00 UTC);

/// The partner and the accounts that all other records belong to.
pub(crate) struct Records {
    pub(crate) partner: Partner,
    pub(crate) partner_key: NewKey,
    pub(crate) accounts: Vec<(Account, NewKey)>,
    seed: u64,
    contacts: u32,
    invoices: u32,
    currency: Currency,
}

/// Kinds of records, so that no two share random values or ids.
const PARTNER: u64 = 1;
const ACCOUNT: u64 = 2;
const CONTACT: u64 = 3;
const INVOICE: u64 = 4;

/// First and last names of contacts.
const NAMES: [&str; 12] = [
    "Ada Lovelace", "Grace Hopper", "Barbara Liskov", "Edsger Dijkstra", "Niklaus Wirth", "Tony Hoare",
    "Zoë Müller", "Jürgen O'Brien", "Søren Ångström", "Chloé García", "Łukasz Wójcik", "Nguyễn Văn",
];
/// Descriptions of line items.
const GOODS: [&str; 10] = [
    "Consulting", "Hosting, monthly", "Design of a logo", "Translation, per page", "Support hours",
    "Licence, one seat", "Training day", "Travel", "Photographs", "Repair of a bicycle",
];
/// Tax rates, in ten-thousandths of a percent.
const TAX_RATES: [i64; 4] = [0, 100_000, 150_000, 200_000];

impl Records {
    /// The partner and its accounts, with their keys in the clear as lines of text.
    pub(crate) fn begin(options: &Options) -> anyhow::Result<(Self, String)> {
        let generator = SeededGenerator::new(options.seed, PARTNER, 0);
        let key = ApiKey::generate(KeySpace::Partner, &generator);
        let partner = Partner {
            id: Id::new(&generator, BEGINNING),
            name: SingleLine::parse("Seeded partner")?,
            disabled: false,
            created_at: BEGINNING,
        };
        let mut keys = format!("{}\n", key.reveal());
        let mut records = Self {
            partner_key: key.record(Id::new(&generator, BEGINNING), BEGINNING),
            partner,
            accounts: Vec::new(),
            seed: options.seed,
            contacts: options.contacts,
            invoices: options.invoices,
            currency: Currency::parse("AUD")?,
        };
        for n in 0..options.accounts {
            let (account, record, key) = records.account(n)?;
            writeln!(keys, "{} {}", account.id, key.reveal())?;
            records.accounts.push((account, record));
        }
        Ok((records, keys))
    }

    fn account(&self, n: u32) -> anyhow::Result<(Account, NewKey, ApiKey)> {
        let generator = SeededGenerator::new(self.seed, ACCOUNT, n.into());
        let (now, seed) = (at(n), self.seed);
        let input = ProfileInput {
            company_name: Field::Value(SingleLine::parse(&format!("Seeded company {seed}-{n}"))?),
            email: Field::Value(EmailAddress::parse(&format!("owner-{seed}-{n}@seed.example.com"))?),
            external_id: Field::Value(SingleLine::parse(&format!("seed-{n}"))?),
            ..ProfileInput::default()
        };
        let new = NewAccount::check(input, FieldErrors::default())
            .map_err(|faults| anyhow::anyhow!("the made-up account is not valid: {faults:?}"))?;
        let account_id = Id::new(&generator, now);
        let key = ApiKey::generate(KeySpace::Account, &generator);
        let record = key.record(Id::new(&generator, now), now);
        Ok((Account::open(new, account_id, self.partner.id, self.currency, &record, now), record, key))
    }

    /// The account that the `n`th record belongs to, and the record's number within it.
    fn owner(&self, n: u32) -> Option<(AccountId, u32)> {
        let count = u32::try_from(self.accounts.len()).ok()?;
        let (place, within) = (n.checked_rem(count)?, n.checked_div(count)?);
        let (account, _) = self.accounts.get(usize::try_from(place).ok()?)?;
        Some((account.id, within))
    }

    /// Contacts by their numbers.
    pub(crate) fn contacts(&self, numbers: Range<u32>) -> Vec<Contact> {
        numbers.filter_map(|n| self.contact(n)).collect()
    }

    fn contact(&self, n: u32) -> Option<Contact> {
        let generator = SeededGenerator::new(self.seed, CONTACT, n.into());
        let now = at(n);
        let (account, within) = self.owner(n)?;
        let first = generator.pick(&NAMES)?.split(' ').next()?;
        let last = generator.pick(&NAMES)?.split(' ').nth(1)?;
        Some(Contact {
            id: Id::new(&generator, now),
            account,
            name: SingleLine::parse(&format!("{first} {last}")).ok()?,
            email: EmailAddress::parse(&format!("contact-{within}@seed.example.com")).ok(),
            phone: None,
            external_id: SingleLine::parse(&format!("contact-{within}")).ok(),
            address: None,
            created_at: now,
            updated_at: now,
        })
    }

    /// Invoices by their numbers.
    pub(crate) fn invoices(&self, numbers: Range<u32>) -> anyhow::Result<Vec<Invoice>> {
        numbers.map(|n| self.invoice(n).context("a made-up invoice is not valid")).collect()
    }

    fn invoice(&self, n: u32) -> Option<Invoice> {
        let generator = SeededGenerator::new(self.seed, INVOICE, n.into());
        let now = at(n);
        let (account, within) = self.owner(n)?;
        // Contacts are distributed over the accounts like invoices: those of this account are
        // `owner + k * accounts`.
        let accounts = u32::try_from(self.accounts.len()).ok()?;
        let place = n.checked_rem(accounts)?;
        let of_this_account =
            self.contacts.checked_sub(place)?.checked_add(accounts)?.checked_sub(1)?.checked_div(accounts)?;
        let chosen = u32::try_from(generator.below(of_this_account.into())).ok()?;
        let contact = self.contact(chosen.checked_mul(accounts)?.checked_add(place)?);
        let number =
            InvoiceNumber::generated(InvoiceNumber::DEFAULT_PREFIX, u64::from(within).checked_add(1)?);
        let new = self.new_invoice(&generator, now)?;
        let pay_token = PayToken::generate(account, &generator);
        let context =
            CreationContext { account, number, contact, pay_token, ids: &generator, now, today: now.date() };
        Some(Invoice::create(new, context))
    }

    fn new_invoice(&self, generator: &SeededGenerator, now: OffsetDateTime) -> Option<NewInvoice> {
        let types = LineAmountTypes::Exclusive;
        let count = generator.below(5).checked_add(1)?;
        let lines: Vec<NewLine> = (0..count).filter_map(|_| line(generator)).collect();
        let amounts: Option<Vec<_>> = lines.iter().map(|line| line.amounts(types, self.currency)).collect();
        let due_in = Duration::days(i64::try_from(generator.below(60)).ok()?);
        Some(NewInvoice {
            is_draft: generator.below(20) == 0,
            send: false,
            number: None,
            contact: None,
            invoice_date: now.date(),
            due_date: now.date().checked_add(due_in)?,
            currency: self.currency,
            line_amount_types: types,
            totals: totals::totals(amounts?, types, self.currency)?,
            lines,
            texts: InvoiceTexts::default(),
        })
    }

    /// The next invoice number of each account.
    pub(crate) fn sequences(&self) -> impl Iterator<Item = (AccountId, u64)> {
        let accounts = u64::try_from(self.accounts.len()).unwrap_or(u64::MAX);
        self.accounts.iter().zip(0_u64..).map(move |((account, _), place)| {
            let mine =
                u64::from(self.invoices).saturating_add(accounts).saturating_sub(place).saturating_sub(1);
            (account.id, mine.checked_div(accounts).unwrap_or(0).saturating_add(1))
        })
    }
}

fn line(generator: &SeededGenerator) -> Option<NewLine> {
    let quantity = i64::try_from(generator.below(9)).ok()?.checked_add(1)?.checked_mul(10_000)?;
    let cents = i64::try_from(generator.below(50_000)).ok()?.checked_add(1)?;
    Some(NewLine {
        description: MultiLine::parse(generator.pick(&GOODS)?).ok()?,
        quantity: Decimal::from_ten_thousandths(quantity),
        unit_amount: Decimal::from_ten_thousandths(cents.checked_mul(100)?),
        tax_rate: Decimal::from_ten_thousandths(*generator.pick(&TAX_RATES)?),
        tax_type: None,
    })
}

/// The instant of the `n`th record of its kind.
fn at(n: u32) -> OffsetDateTime {
    BEGINNING + Duration::seconds(n.into())
}
