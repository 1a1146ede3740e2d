//! Pages of invoices.

use invoices::{Invoice, InvoiceFilter, InvoiceNumber, InvoiceStatus};
use kernel::{AccountId, Cursor, Field, PageSize, ResultsPage};
use store_diesel::Store;
use time::Duration;

use crate::database::on_both;
use crate::fixtures::{NOW, input, invoice, invoice_at, store_invoices, stored_contact, tenant};

async fn page(
    store: &Store,
    account: AccountId,
    filter: &InvoiceFilter,
    size: u64,
    after: Option<Cursor>,
) -> ResultsPage<Invoice> {
    let size = PageSize::of(size).unwrap();
    let page = store.invoice_reads.list(account, filter, size, after).await;
    page.unwrap()
}

#[test]
fn a_walk_shows_each_invoice_once_while_others_are_created() {
    on_both(async |db| {
        let store = &db.store;
        let (scope, other) = (tenant(store).await, tenant(store).await);
        let (mine, theirs) = (stored_contact(store, scope.id).await, stored_contact(store, other.id).await);
        let make = |n: usize| invoice(&scope, &format!("N{n}"), Some(mine.clone()), input(2));
        let mut there: Vec<Invoice> = (0..7).map(make).collect();
        store_invoices(store, scope.id, &there).await;
        let foreign = invoice(&other, "F", Some(theirs), input(1));
        store_invoices(store, other.id, &[foreign]).await;
        there.reverse();

        let (mut seen, mut after, mut sizes) = (Vec::new(), None, Vec::new());
        loop {
            let page = page(store, scope.id, &InvoiceFilter::default(), 3, after).await;
            sizes.push(page.items.len());
            seen.extend(page.items);
            let newcomer = make(100 + sizes.len());
            store_invoices(store, scope.id, &[newcomer]).await;
            after = page.next;
            if after.is_none() {
                break;
            }
        }
        assert_eq!(seen, there);
        assert_eq!(sizes, [3, 3, 1]);
    });
}

#[test]
fn a_full_page_may_be_the_last() {
    on_both(async |db| {
        let store = &db.store;
        let scope = tenant(store).await;
        let empty = page(store, scope.id, &InvoiceFilter::default(), 2, None).await;
        assert_eq!((empty.items.len(), empty.next), (0, None));
        let contact = stored_contact(store, scope.id).await;
        for n in 0..2 {
            let one = invoice(&scope, &format!("N{n}"), Some(contact.clone()), input(1));
            store_invoices(store, scope.id, &[one]).await;
        }
        let full = page(store, scope.id, &InvoiceFilter::default(), 2, None).await;
        assert_eq!((full.items.len(), full.next), (2, None));
    });
}

#[test]
fn each_condition_narrows_the_list_and_together_they_narrow_it_more() {
    on_both(async |db| {
        let store = &db.store;
        let scope = tenant(store).await;
        let (ada, eve) = (stored_contact(store, scope.id).await, stored_contact(store, scope.id).await);
        let today = NOW.date();
        let make = |number: &str, contact: &contacts::Contact, days: i64, draft: bool| {
            let mut input = input(1);
            input.invoice_date = Field::Value(today + Duration::days(days));
            input.is_draft = Field::Value(draft);
            invoice_at(NOW, &scope, number, Some(contact.clone()), input)
        };
        let invoices = [
            make("1", &ada, 0, false),
            make("2", &ada, 0, true),
            make("3", &eve, -100, false),
            make("4", &eve, 5, false),
        ];
        store_invoices(store, scope.id, &invoices).await;
        let listed = async |filter: InvoiceFilter| {
            let page = page(store, scope.id, &filter, 100, None).await;
            let numbers = page.items.iter().map(|one| one.number.as_str().to_owned());
            numbers.collect::<Vec<_>>().concat()
        };
        let all = InvoiceFilter::default;
        let of = |statuses: &[InvoiceStatus]| InvoiceFilter { statuses: statuses.to_vec(), ..all() };
        assert_eq!(listed(all()).await, "4321");
        assert_eq!(listed(of(&[InvoiceStatus::Unpaid])).await, "1");
        assert_eq!(listed(of(&[InvoiceStatus::Overdue, InvoiceStatus::Scheduled])).await, "43");
        assert_eq!(listed(of(&[InvoiceStatus::Paid])).await, "");
        let contact = Some(ada.id);
        assert_eq!(listed(InvoiceFilter { contact, ..all() }).await, "21");
        let number = Some(InvoiceNumber::parse("3").unwrap());
        assert_eq!(listed(InvoiceFilter { number, ..all() }).await, "3");
        let date_from = Some(today);
        assert_eq!(listed(InvoiceFilter { date_from, ..all() }).await, "421");
        let date_to = Some(today);
        assert_eq!(listed(InvoiceFilter { date_to, ..all() }).await, "321");
        let together = InvoiceFilter {
            statuses: vec![InvoiceStatus::Draft, InvoiceStatus::Unpaid],
            contact,
            date_from,
            date_to,
            ..all()
        };
        assert_eq!(listed(together).await, "21");
    });
}
