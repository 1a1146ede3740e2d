//! Finding a free name for a payment page.

use std::error::Error;

use kernel::{StoreResult, retry_contended};

use crate::ports::PaymentSlugs;
use crate::slug::PaymentSlug;

/// The requested name if it is free, else the first free one of `-2`, `-3`, ... An account's `own` present
/// name is free to that account. Names are looked up in growing batches, so that the thousandth account of
/// one name needs only a few look-ups.
pub(crate) async fn free_slug(
    slugs: &mut dyn PaymentSlugs,
    requested: &PaymentSlug,
    own: Option<&PaymentSlug>,
) -> StoreResult<PaymentSlug> {
    let (mut first, mut count) = (1_u32, 8_u32);
    loop {
        let last = first.saturating_add(count);
        let names: Vec<PaymentSlug> = (first..last).map(|n| requested.with_suffix(n)).collect();
        let taken = slugs.taken_slugs(&names).await?;
        let is_free = |name: &PaymentSlug| Some(name) == own || !taken.contains(name);
        if let Some(free) = names.into_iter().find(is_free) {
            return Ok(free);
        }
        (first, count) = (last, count.saturating_mul(4).min(512));
    }
}

/// Repeats a transaction as long as it returns `None`, because a concurrent one took a name that it had found
/// free. Such a repetition is not limited to a few tries: each one means that another account got its name,
/// and accounts of one name may be created in any number at the same time.
///
/// # Errors
/// That of the transaction.
pub(crate) async fn until_free<T, E, F>(transaction: impl Fn() -> F) -> Result<T, E>
where
    E: Error + 'static,
    F: Future<Output = Result<Option<T>, E>>,
{
    loop {
        if let Some(settled) = retry_contended(&transaction).await? {
            return Ok(settled);
        }
    }
}
