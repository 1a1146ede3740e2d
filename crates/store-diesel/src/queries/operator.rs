//! Reads and changes by the operator, across all tenants: partners and accounts.

use access::NewKey;
use async_trait::async_trait;
use diesel::dsl::exists;
use diesel::prelude::*;
use kernel::{AccountId, Commit as _, Operator, PartnerId, StoreResult};
use partner_accounts::{
    Account, AccountChange, Accounts, BootstrapRecords, InsertedAccount, OperatorStore, OwnAccount, Partner,
    audited,
};
use store_schema::rows::{PartnerKeyRow, PartnerRow, limit_to_row};
use store_schema::schema::{accounts, partner_keys, partners};
use store_schema::types::{RowId, RowInstant};
use time::OffsetDateTime;

use super::columns::columns_of;
use super::database::Database;
use super::endpoints::HasAccounts as _;
use super::keys;
use super::purpose::Purpose;
use super::run_statements::RunStatements as _;
use super::transaction::Transaction;
use super::unit_of_work::UnitOfWork;
use super::whole_accounts::{self, AccountSelection};

#[async_trait]
impl OperatorStore for Database {
    async fn insert_partner(&self, _operator: Operator, partner: &Partner, key: &NewKey) -> StoreResult<()> {
        let mut tx = Transaction::new(self.pool.clone(), Purpose::Command);
        insert_partner(&mut tx, partner, key).await?;
        tx.commit().await
    }

    async fn bootstrap(&self, _operator: Operator, records: &BootstrapRecords) -> StoreResult<bool> {
        let mut work = UnitOfWork::with_purpose(self, records.partner.id, Purpose::Command);
        let any: bool =
            work.tx.fetch_one(diesel::select(exists(partners::table.select(partners::id)))).await?;
        if any {
            return Ok(false);
        }
        insert_partner(&mut work.tx, &records.partner, &records.partner_key).await?;
        let account = &records.account;
        if work.insert_new(account).await? == InsertedAccount::Taken {
            return Ok(false);
        }
        work.put_key(account.id, &records.account_key).await?;
        work.tx.commit().await?;
        Ok(true)
    }

    async fn partners(&self, _operator: Operator) -> StoreResult<Vec<Partner>> {
        let mut connection = self.pool.read_shared().await?;
        let query = partners::table.order(partners::id.desc()).select(columns_of::<PartnerRow>());
        let rows: Vec<PartnerRow> = connection.fetch_all(query).await?;
        Ok(rows.into_iter().map(Partner::from).collect())
    }

    async fn set_partner_disabled(
        &self,
        _operator: Operator,
        id: PartnerId,
        disabled: bool,
    ) -> StoreResult<Option<Partner>> {
        let mut connection = self.pool.write().await?;
        let query = diesel::update(partners::table)
            .filter(partners::id.eq(RowId::from(id)))
            .set(partners::disabled.eq(disabled))
            .returning(PartnerRow::as_returning());
        let changed: Option<PartnerRow> = connection.fetch_optional(query).await?;
        Ok(changed.map(Partner::from))
    }

    async fn put_partner_key(&self, _operator: Operator, id: PartnerId, key: &NewKey) -> StoreResult<bool> {
        let mut tx = Transaction::new(self.pool.clone(), Purpose::Command);
        let found = keys::put_partner_key(&mut tx, id.into(), key).await?;
        tx.commit().await?;
        Ok(found)
    }

    async fn account(&self, _operator: Operator, id: AccountId) -> StoreResult<Option<Account>> {
        let mut connection = self.pool.read_shared().await?;
        whole_accounts::read(&mut connection, AccountSelection::Any(id)).await
    }

    async fn accounts(
        &self,
        _operator: Operator,
        partner: Option<PartnerId>,
        before: Option<AccountId>,
        limit: usize,
    ) -> StoreResult<Vec<Account>> {
        let mut connection = self.pool.read_shared().await?;
        whole_accounts::newest(&mut connection, partner, before, limit).await
    }

    async fn change_account(
        &self,
        _operator: Operator,
        id: AccountId,
        change: AccountChange,
        now: OffsetDateTime,
    ) -> StoreResult<Option<Account>> {
        let mut work = UnitOfWork::with_purpose(self, id, Purpose::Command);
        let tx = &mut work.tx;
        // Locked, so that of two concurrent equal changes the second sees that nothing is left to change.
        id.lock(tx, id).await?;
        let Some(before) = whole_accounts::read(tx, AccountSelection::Any(id)).await? else {
            return Ok(None);
        };
        if change.is_made_in(&before) {
            return Ok(Some(before));
        }
        let at = accounts::updated_at.eq(RowInstant(now));
        let row = diesel::update(accounts::table).filter(accounts::id.eq(RowId::from(id)));
        match change {
            AccountChange::OffByOperator(off) => {
                let set = row.set((accounts::disabled_by_operator.eq(off), at));
                tx.execute(set).await?
            }
            AccountChange::MonthlyInvoiceLimit(limit) => {
                let limit = limit.map(limit_to_row);
                let set = row.set((accounts::monthly_invoice_limit.eq(limit), at));
                tx.execute(set).await?
            }
            AccountChange::MonthlyMessageLimit(limit) => {
                let limit = limit.map(limit_to_row);
                tx.execute(row.set((accounts::monthly_message_limit.eq(limit), at))).await?
            }
            AccountChange::Currency(currency) => {
                let set = row.set((accounts::currency.eq(currency.code()), at));
                tx.execute(set).await?
            }
        };
        let changed = whole_accounts::read(tx, AccountSelection::Any(id)).await?;
        work.complete_audit(change.audited(&before));
        Box::new(work).commit().await?;
        Ok(changed)
    }

    async fn put_account_key(&self, _operator: Operator, id: AccountId, key: &NewKey) -> StoreResult<bool> {
        let mut work = UnitOfWork::with_purpose(self, id, Purpose::Command);
        let Some(before) = OwnAccount::lock(&mut work).await? else {
            return Ok(false);
        };
        let found = keys::put_account_key(&mut work.tx, None, id.into(), key).await?;
        work.complete_audit(audited::new_key(before.key.as_ref(), key));
        Box::new(work).commit().await?;
        Ok(found)
    }
}

async fn insert_partner(tx: &mut Transaction, partner: &Partner, key: &NewKey) -> StoreResult<()> {
    let statement = diesel::insert_into(partners::table).values(PartnerRow::from(partner));
    tx.execute(statement).await?;
    let statement =
        diesel::insert_into(partner_keys::table).values(PartnerKeyRow::new(partner.id.into(), key));
    tx.execute(statement).await?;
    Ok(())
}
