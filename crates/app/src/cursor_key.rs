//! The key that authenticates the cursors of lists.
//!
//! It is random, created at the first start and stored sealed, so cursors stay valid when the master key
//! changes.

use anyhow::Context as _;
use kernel::{CursorKey, SealingKeys, SecureRandom, StoreResult};
use store_diesel::{MetadataKey, Upkeep};

/// The context under which the stored key is sealed.
const SEALED_FOR: &[u8] = b"service_metadata cursor_key";

/// Reads the database's cursor key, or creates one.
///
/// # Errors
/// An error of the store, or one line when the stored key was sealed under another master key.
pub async fn load(
    upkeep: &dyn Upkeep,
    keys: &SealingKeys,
    random: &dyn SecureRandom,
) -> anyhow::Result<CursorKey> {
    let stored = match upkeep.metadata(MetadataKey::CursorKey).await? {
        Some(stored) => stored,
        None => {
            let mut secret = [0; 32];
            random.fill(&mut secret);
            let sealed = keys.seal(random, SEALED_FOR, &secret);
            let key = MetadataKey::CursorKey;
            upkeep.metadata_or_insert(key, &sealed).await?
        }
    };
    let secret = keys.open(SEALED_FOR, &stored).context("the cursor key")?;
    Ok(CursorKey::new(&secret))
}

/// Whether the stored key is sealed under another master key than the one with this prefix.
pub async fn is_left_behind(upkeep: &dyn Upkeep, key_prefix: &[u8]) -> StoreResult<bool> {
    let stored = upkeep.metadata(MetadataKey::CursorKey).await?;
    Ok(stored.is_some_and(|stored| !stored.starts_with(key_prefix)))
}

/// Seals the stored key under the present master key if it is sealed under the previous one.
///
/// # Errors
/// An error of the store, or one line when the stored key was sealed under neither.
pub async fn rekey(upkeep: &dyn Upkeep, keys: &SealingKeys, random: &dyn SecureRandom) -> anyhow::Result<()> {
    let Some(stored) = upkeep.metadata(MetadataKey::CursorKey).await? else {
        return Ok(());
    };
    if stored.starts_with(&keys.present_key_prefix()) {
        return Ok(());
    }
    let secret = keys.open(SEALED_FOR, &stored).context("the cursor key")?;
    let sealed = keys.seal(random, SEALED_FOR, &secret);
    let key = MetadataKey::CursorKey;
    upkeep.replace_metadata(key, &stored, &sealed).await?;
    Ok(())
}
