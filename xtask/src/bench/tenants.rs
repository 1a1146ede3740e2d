//! The accounts of a measurement: a thousand small ones and a few large ones.

use access::{ApiKey, KeySpace};
use anyhow::Context;
use app::wiring::Dependencies;
use invoices::{Invoice, InvoiceId, Status};
use kernel::AccountId;
use uuid::Uuid;

use crate::seed::{self, records::Records};

/// How many accounts the requests are spread over.
pub(super) const ACCOUNTS: u32 = 1_000;
const CONTACTS: u32 = 5_000;
const INVOICES: u32 = 20_000;

/// An account as its caller knows it.
#[derive(Debug, Clone)]
pub(super) struct Tenant {
    /// Its number in the scripts of pgbench, from 1.
    pub(super) n: u32,
    pub(super) id: Uuid,
    pub(super) key: String,
    pub(super) hash: Vec<u8>,
    /// The address of a contact that is there.
    pub(super) contact: String,
    pub(super) external_id: String,
    /// One of its invoices.
    pub(super) invoice: Uuid,
}

/// Everybody.
#[derive(Debug)]
pub(super) struct Tenants {
    pub(super) partner_key: String,
    pub(super) partner_hash: Vec<u8>,
    pub(super) spread: Vec<Tenant>,
    /// Accounts with this many invoices.
    pub(super) sized: Vec<(u32, Tenant)>,
    /// Invoices that take many small payments.
    pub(super) open: Vec<(AccountId, InvoiceId)>,
    /// The same, of the smallest of the large accounts alone.
    pub(super) open_of_one: Vec<(AccountId, InvoiceId)>,
}

impl Tenants {
    /// Fills an empty database.
    pub(super) async fn seed(deps: &Dependencies, large: bool) -> anyhow::Result<Self> {
        let options = seed::Options::of(ACCOUNTS, CONTACTS, INVOICES, 1);
        let (records, keys) = seed::fill(deps, &options).await?;
        let invoices = records.invoices(0..INVOICES)?;
        let (partner_key, keys) = keys.split_once('\n').context("the partner's key comes first")?;
        let mut tenants = Self {
            partner_key: partner_key.to_owned(),
            partner_hash: hash(KeySpace::Partner, partner_key)?,
            spread: Vec::new(),
            sized: Vec::new(),
            open: open(&invoices),
            open_of_one: Vec::new(),
        };
        for (line, place) in keys.lines().zip(0..) {
            let invoice = invoices.get(usize::try_from(place)?);
            let invoice = invoice.context("every account has an invoice")?;
            tenants.spread.push(Tenant::new(line, place, place.saturating_add(1), invoice.id.uuid())?);
        }
        let sizes = [1_000, 100_000, 1_000_000].into_iter().filter(|size| large || *size <= 100_000);
        for (size, place) in sizes.zip(1..) {
            let options = seed::Options::of(1, 10, size, u64::from(size));
            let (records, keys) = seed::fill(deps, &options).await?;
            let tenant = large_tenant(&records, &keys, ACCOUNTS.saturating_add(place))?;
            if tenants.open_of_one.is_empty() {
                tenants.open_of_one = open(&records.invoices(0..size)?);
            }
            tenants.sized.push((size, tenant));
        }
        Ok(tenants)
    }

    /// Every account.
    pub(super) fn all(&self) -> impl Iterator<Item = &Tenant> {
        self.spread.iter().chain(self.sized.iter().map(|(_, tenant)| tenant))
    }

    /// An account with its open invoices, which nobody else pays.
    pub(super) fn payer(&self) -> anyhow::Result<(Uuid, &[(AccountId, InvoiceId)])> {
        let (account, _) = self.open_of_one.first().context("no open invoices")?;
        Ok((account.uuid(), &self.open_of_one))
    }

    /// The account of a request by its number; neighbours are of different accounts.
    pub(super) fn of_request(&self, n: u64) -> Option<&Tenant> {
        let count = u64::try_from(self.spread.len()).ok()?;
        let place = n.wrapping_mul(7_919).checked_rem(count)?;
        self.spread.get(usize::try_from(place).ok()?)
    }
}

fn large_tenant(records: &Records, keys: &str, n: u32) -> anyhow::Result<Tenant> {
    let line = keys.lines().nth(1).context("the account's key comes second")?;
    let invoices = records.invoices(0..1)?;
    let invoice = invoices.first().context("the account has an invoice")?;
    Tenant::new(line, 0, n, invoice.id.uuid())
}

fn open(invoices: &[Invoice]) -> Vec<(AccountId, InvoiceId)> {
    let open = invoices.iter().filter(|invoice| takes_payments(invoice));
    open.map(|invoice| (invoice.account, invoice.id)).collect()
}

/// A cent at a time for as long as anybody measures.
fn takes_payments(invoice: &Invoice) -> bool {
    invoice.status != Status::Draft && invoice.totals.total.minor() > 100_000
}

fn hash(space: KeySpace, key: &str) -> anyhow::Result<Vec<u8>> {
    let key = ApiKey::parse(space, key).map_err(|_not_a_key| anyhow::anyhow!("a seeded key is none"))?;
    Ok(key.hash().as_bytes().to_vec())
}

impl Tenant {
    fn new(line: &str, place: u32, n: u32, invoice: Uuid) -> anyhow::Result<Self> {
        let (id, key) = line.split_once(' ').context("an account's line is its id and its key")?;
        Ok(Self {
            n,
            id: id.parse()?,
            key: key.to_owned(),
            hash: hash(KeySpace::Account, key)?,
            contact: "contact-0@seed.example.com".to_owned(),
            external_id: format!("seed-{place}"),
            invoice,
        })
    }
}
