//! Pagination by the last id of the previous page.

use kernel::{Cursor, Id, PageSize, ResultsPage, StoreError, StoreResult};

/// How many rows to read for a page: one more than its size, which shows whether there is a next page.
pub(super) fn one_more_than(size: PageSize) -> StoreResult<i64> {
    i64::try_from(size.get().saturating_add(1)).map_err(|source| StoreError::Failed(source.into()))
}

/// Makes a page of the rows that were read.
pub(super) fn page<T, E>(mut items: Vec<T>, size: PageSize, id: impl Fn(&T) -> Id<E>) -> ResultsPage<T> {
    let has_more = items.len() > size.get();
    items.truncate(size.get());
    let last = items.last().filter(|_last| has_more);
    let next = last.map(|last| Cursor { after: id(last).uuid() });
    ResultsPage { items, next }
}
