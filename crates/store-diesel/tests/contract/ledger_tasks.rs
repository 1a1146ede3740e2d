//! The ledger's tasks: as mail, seen with the commit, leased to one, settled once.

use invoices::ledger::{Outcome, Recorded};
use invoices::{LedgerTask, LedgerWork};
use kernel::AccountId;
use time::Duration;

use crate::ground::on_both;
use crate::make::{NOW, id, input, invoice, line, store_invoices, tenant};

const LEASE: Duration = Duration::minutes(5);

fn task(account: AccountId, what: LedgerWork) -> LedgerTask {
    LedgerTask { id: id(), account, invoice: id(), what, queued_at: NOW }
}

#[test]
fn tasks_come_back_as_they_went_in_and_end_once() {
    on_both(async |ground| {
        let (store, port) = (&ground.store, &ground.store.ledger_tasks);
        let account = tenant(store).await.id;
        let tasks = [task(account, LedgerWork::Push), task(account, LedgerWork::Void(line("xero-1")))];
        let mut tx = store.invoicing.begin(account).await.unwrap();
        for task in &tasks {
            tx.ledger().queue(task).await.unwrap();
        }
        tx.commit().await.unwrap();
        let leased = port.lease_due(NOW, LEASE, 10).await.unwrap();
        let back: Vec<_> = leased.iter().map(|leased| leased.work.clone()).collect();
        assert_eq!(back, tasks);
        let [push, void] = [leased[0].lease(), leased[1].lease()];
        let retry =
            Outcome::Retry { at: NOW, next_attempt_at: NOW + Duration::HOUR, reason: "503".to_owned() };
        assert_eq!(port.record(push, &retry).await.unwrap(), Recorded::Done);
        assert_eq!(port.record(void, &Outcome::Done { at: NOW }).await.unwrap(), Recorded::Done);
        assert_eq!(port.record(void, &retry).await.unwrap(), Recorded::LeaseLost);
        let again = port.lease_due(NOW + Duration::HOUR, LEASE, 10).await.unwrap();
        assert_eq!((again.len(), again[0].attempt), (1, 2));
        assert_eq!(port.record(push, &retry).await.unwrap(), Recorded::LeaseLost);
        let given_up = Outcome::GivenUp { at: NOW, reason: "404".to_owned() };
        assert_eq!(port.record(again[0].lease(), &given_up).await.unwrap(), Recorded::Done);
        assert_eq!(port.lease_due(NOW + Duration::DAY, LEASE, 10).await.unwrap(), []);
    });
}

#[test]
fn ledger_id_of_another_invoice_is_refused() {
    on_both(async |ground| {
        let store = &ground.store;
        let scope = tenant(store).await;
        let invoices = ["A", "B"].map(|number| invoice(&scope, number, None, input(1)));
        store_invoices(store, scope.id, &invoices).await;
        for (invoice, is_accepted) in invoices.iter().zip([true, false]) {
            let mut tx = store.invoicing.begin(scope.id).await.unwrap();
            let mut locked = tx.invoices().lock(invoice.id).await.unwrap().unwrap();
            assert!(locked.enter_in_ledger(line("xero-1"), NOW));
            let updated = tx.invoices().update(&locked, false).await;
            assert_eq!(updated.is_ok(), is_accepted);
            if is_accepted {
                tx.commit().await.unwrap();
            }
        }
    });
}
