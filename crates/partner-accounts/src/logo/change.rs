//! Replacing or removing the logo of an account.

use kernel::{Field, LogoKey};
use time::OffsetDateTime;

use super::fetch::LogoUnavailable;
use super::ports::AccountLogos;
use crate::account::Account;

/// Gives an account the new copy of its logo, or none, and schedules the removal of the old copy.
pub(crate) async fn change_logo(
    logos: &mut dyn AccountLogos,
    account: &mut Account,
    requested: &Field<LogoKey>,
    now: OffsetDateTime,
) -> Result<(), LogoUnavailable> {
    let new = match requested {
        Field::Value(key) => Some(key),
        Field::Null => None,
        Field::Absent | Field::Faulty => return Ok(()),
    };
    if let Some(key) = new
        && !logos.adopt(key).await?
    {
        return Err(LogoUnavailable::TooLate);
    }
    if let Some(old) = std::mem::replace(&mut account.logo, new.cloned()) {
        logos.discard(account.id, &old, now).await?;
    }
    Ok(())
}
