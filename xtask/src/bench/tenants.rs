//! The accounts of a measurement: a thousand small ones and a few large ones.

use access::{ApiKey, KeySpace};
use anyhow::Context;
use app::wiring::Dependencies;
use invoices::{Invoice, InvoiceId, InvoiceStatus};
use kernel::AccountId;
use uuid::Uuid;

use crate::seed::{self, records::Records};

/// The number of accounts over which requests are spread.
pub(super) const ACCOUNTS: u32 = 1_000;
const CONTACTS: u32 = 5_000;
const INVOICES: u32 = 20_000;

/// The address of a contact that every account has.
pub(super) const CONTACT: &str = "contact-0@seed.example.com";

/// An account, with what a caller needs for its requests.
#[derive(Debug, Clone)]
pub(super) struct Tenant {
    /// Its number in the scripts of pgbench, from 1.
    pub(super) n: u32,
    pub(super) id: Uuid,
    pub(super) key: String,
    pub(super) hash: Vec<u8>,
    pub(super) external_id: String,
    /// One of its invoices.
    pub(super) invoice: Uuid,
    /// The token of that invoice's payment page, unless it is a draft.
    pub(super) pay_token: Option<String>,
}

/// Every account, and the partner that they belong to.
#[derive(Debug)]
pub(super) struct Tenants {
    pub(super) partner_key: String,
    pub(super) partner_hash: Vec<u8>,
    pub(super) spread: Vec<Tenant>,
    /// Accounts with this many invoices.
    pub(super) sized: Vec<(u32, Tenant)>,
    /// Invoices that take many small payments.
    pub(super) open: Vec<(AccountId, InvoiceId)>,
    /// Such invoices of the smallest of the large accounts, which get no other payments.
    pub(super) open_of_one: Vec<(AccountId, InvoiceId)>,
}

impl Tenants {
    /// Fills an empty database.
    pub(super) async fn seed(deps: &Dependencies, large: bool) -> anyhow::Result<Self> {
        let options = seed::Options::of(ACCOUNTS, CONTACTS, INVOICES, 1);
        let (records, keys) = seed::fill(deps, &options).await?;
        let partner_key = keys.lines().next().context("the partner's key comes first")?;
        let mut tenants = Self {
            partner_key: partner_key.to_owned(),
            partner_hash: hash(KeySpace::Partner, partner_key)?,
            spread: tenants(&records, &keys, 1)?,
            sized: Vec::new(),
            open: open(&records.invoices(0..INVOICES)?),
            open_of_one: Vec::new(),
        };
        let sizes = [1_000, 100_000, 1_000_000].into_iter().filter(|size| large || *size <= 100_000);
        for (size, n) in sizes.zip(ACCOUNTS + 1..) {
            let options = seed::Options::of(1, 10, size, u64::from(size));
            let (records, keys) = seed::fill(deps, &options).await?;
            tenants.sized.extend(self::tenants(&records, &keys, n)?.into_iter().map(|tenant| (size, tenant)));
            if tenants.open_of_one.is_empty() {
                tenants.open_of_one = open(&records.invoices(0..size)?);
            }
        }
        Ok(tenants)
    }

    /// Every account.
    pub(super) fn all(&self) -> impl Iterator<Item = &Tenant> {
        self.spread.iter().chain(self.sized.iter().map(|(_, tenant)| tenant))
    }
}

/// The `n`th of several elements taken in turns.
pub(super) fn turn<T>(of: &[T], n: u64) -> anyhow::Result<&T> {
    let place = n.checked_rem(u64::try_from(of.len())?).context("there is none")?;
    of.get(usize::try_from(place)?).context("there is none")
}

/// Maps `n` to a turn that is far from those of `n - 1` and `n + 1`.
pub(super) const fn scattered(n: u64) -> u64 {
    n.wrapping_mul(7_919)
}

/// The seeded accounts, numbered from `first`.
fn tenants(records: &Records, keys: &str, first: u32) -> anyhow::Result<Vec<Tenant>> {
    let lines = keys.lines().skip(1).zip(first..).zip(0_u32..);
    let tenant = |((line, n), place): ((&str, u32), u32)| {
        let (id, key) = line.split_once(' ').context("an account's line is its id and its key")?;
        let invoices = records.invoices(place..place + 1)?;
        let invoice = invoices.first().context("every account has an invoice")?;
        let has_page = invoice.status != InvoiceStatus::Draft;
        Ok(Tenant {
            n,
            id: id.parse()?,
            key: key.to_owned(),
            hash: hash(KeySpace::Account, key)?,
            external_id: format!("seed-{place}"),
            invoice: invoice.id.uuid(),
            pay_token: has_page.then(|| invoice.pay_token.reveal().to_owned()),
        })
    };
    lines.map(tenant).collect()
}

/// Invoices with a higher total than this, in minor units, get payments of a cent during a measurement. There
/// are so many of them that each gets only a few payments, as in practice.
pub(super) const TAKES_CENTS: i64 = 2_000;

fn open(invoices: &[Invoice]) -> Vec<(AccountId, InvoiceId)> {
    let is_open = |invoice: &&Invoice| {
        invoice.status != InvoiceStatus::Draft && invoice.totals.total.minor() > TAKES_CENTS
    };
    invoices.iter().filter(is_open).map(|invoice| (invoice.account, invoice.id)).collect()
}

fn hash(space: KeySpace, key: &str) -> anyhow::Result<Vec<u8>> {
    let key = ApiKey::parse(space, key).map_err(|_not_a_key| anyhow::anyhow!("a seeded key is none"))?;
    Ok(key.hash().as_bytes().to_vec())
}
