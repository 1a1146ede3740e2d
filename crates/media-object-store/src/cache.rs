//! A cache in memory of the pictures that documents show.

use std::collections::VecDeque;
use std::sync::{Arc, Mutex, PoisonError};

use kernel::LogoKey;

/// How many bytes of pictures are kept.
const MAX_BYTES: usize = 16_000_000;

/// The pictures, the most recently used one last. They are few, so that searching all of them costs little
/// beside rendering one.
#[derive(Debug, Default)]
pub(crate) struct PictureCache(Mutex<VecDeque<(LogoKey, Arc<[u8]>)>>);

impl PictureCache {
    pub(crate) fn get(&self, key: &LogoKey) -> Option<Arc<[u8]>> {
        let mut kept = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        let place = kept.iter().position(|(one, _)| one == key)?;
        let found = kept.remove(place)?;
        let picture = found.1.clone();
        kept.push_back(found);
        Some(picture)
    }

    pub(crate) fn put(&self, key: &LogoKey, picture: Arc<[u8]>) {
        let mut kept = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        kept.retain(|(one, _)| one != key);
        kept.push_back((key.clone(), picture));
        let mut bytes: usize = kept.iter().map(|(_, picture)| picture.len()).sum();
        while bytes > MAX_BYTES
            && let Some((_, oldest)) = kept.pop_front()
        {
            bytes = bytes.saturating_sub(oldest.len());
        }
    }

    pub(crate) fn forget(&self, key: &LogoKey) {
        let mut kept = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        kept.retain(|(one, _)| one != key);
    }
}

#[cfg(test)]
mod tests {
    use kernel::LogoKind;
    use testkit::FixedRandom;

    use super::*;

    #[test]
    fn what_was_asked_for_longest_ago_makes_room() {
        let random = FixedRandom::default();
        let keys: Vec<_> = (0..5).map(|_| LogoKey::generate(LogoKind::Png, &random)).collect();
        let cache = PictureCache::default();
        for key in &keys[..4] {
            cache.put(key, vec![0; MAX_BYTES / 4].into());
        }
        assert!(cache.get(&keys[0]).is_some());
        cache.put(&keys[4], vec![0; 1].into());
        let kept = keys.iter().map(|key| cache.get(key).is_some());
        assert_eq!(kept.collect::<Vec<_>>(), [true, false, true, true, true]);
        cache.forget(&keys[0]);
        assert!(cache.get(&keys[0]).is_none());
    }
}
