//! Pages of a list: their size, and the cursor of the next page.

use base64::Engine as _;
use base64::engine::general_purpose::URL_SAFE_NO_PAD;
use ring::hmac;
use uuid::Uuid;

/// The number of records on a page: in the lists of the API 1 to 100, by default 25 (contract, "Limits").
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct PageSize(u16);

impl PageSize {
    /// The size when the caller requests none.
    pub const DEFAULT: Self = Self(25);
    /// The largest size. A larger request is reduced to it without an error.
    pub const MAX: Self = Self(100);
    /// The size of a page in the export of a search: larger, since each page looks for what matches.
    pub const EXPORT_OF_SEARCH: Self = Self(2_000);

    /// The size for a requested number: above 100 it is 100; below 1 it is `None`.
    #[must_use]
    pub fn of(requested: u64) -> Option<Self> {
        (requested > 0).then(|| Self(u16::try_from(requested).unwrap_or(u16::MAX).min(Self::MAX.0)))
    }

    /// The number of records.
    #[must_use]
    pub fn get(self) -> usize {
        usize::from(self.0)
    }
}

impl Default for PageSize {
    fn default() -> Self {
        Self::DEFAULT
    }
}

/// One page of a list with cursor pagination.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ResultsPage<T> {
    /// The records.
    pub items: Vec<T>,
    /// Where the next page starts; `None` on the last page.
    pub next: Option<Cursor>,
}

/// One page of a list with offset pagination.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct OffsetPage<T> {
    /// The records.
    pub items: Vec<T>,
    /// How many records the whole list has.
    pub total: u64,
}

/// A position in a list, newest first: after the record with this id.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Cursor {
    /// The last record of the previous page.
    pub after: Uuid,
}

/// Authenticates cursors with HMAC-SHA256, truncated to 12 bytes, so that the service accepts only cursors
/// that it issued.
pub struct CursorKey(hmac::Key);

/// The text is not a cursor that this service issued for this list.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
#[error("must be the next_cursor of a previous page")]
pub struct ForeignCursor;

const SEAL_BYTES: usize = 12;

impl CursorKey {
    /// A key from secret bytes, which all processes on one database share.
    #[must_use]
    pub fn new(secret: &[u8]) -> Self {
        Self(hmac::Key::new(hmac::HMAC_SHA256, secret))
    }

    /// Writes a cursor as opaque text. `scope` identifies the list and its owner; the cursor is valid for
    /// this scope only.
    #[must_use]
    pub fn seal(&self, scope: &str, cursor: Cursor) -> String {
        let seal = self.seal_of(scope, cursor.after.as_bytes());
        let mut bytes = cursor.after.as_bytes().to_vec();
        bytes.extend(seal.as_ref().iter().take(SEAL_BYTES));
        URL_SAFE_NO_PAD.encode(bytes)
    }

    /// Parses the result of [`CursorKey::seal`] for the same scope.
    ///
    /// # Errors
    /// [`ForeignCursor`] for any other text.
    pub fn open(&self, scope: &str, text: &str) -> Result<Cursor, ForeignCursor> {
        let bytes = URL_SAFE_NO_PAD.decode(text).map_err(|_not_base64| ForeignCursor)?;
        let (id, seal) = bytes.split_at_checked(16).ok_or(ForeignCursor)?;
        let after = Uuid::from_slice(id).map_err(|_wrong_length| ForeignCursor)?;
        let genuine = self.seal_of(scope, id);
        // The comparison need not take constant time: a cursor grants no access, since queries are limited to
        // the caller's account.
        let is_genuine = genuine.as_ref().get(..SEAL_BYTES) == Some(seal);
        is_genuine.then_some(Cursor { after }).ok_or(ForeignCursor)
    }

    fn seal_of(&self, scope: &str, id: &[u8]) -> hmac::Tag {
        let mut context = hmac::Context::with_key(&self.0);
        context.update(scope.as_bytes());
        context.update(&[0]);
        context.update(id);
        context.sign()
    }
}

impl std::fmt::Debug for CursorKey {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str("CursorKey(redacted)")
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    #[test]
    fn sizes_above_the_largest_are_reduced_to_it() {
        assert_eq!(PageSize::of(0), None);
        assert_eq!(PageSize::of(1).unwrap().get(), 1);
        assert_eq!(PageSize::of(u64::MAX).unwrap(), PageSize::MAX);
        assert_eq!(PageSize::default().get(), 25);
    }

    #[test]
    fn only_cursors_of_this_service_and_list_are_followed() {
        let key = CursorKey::new(b"secret");
        let cursor = Cursor { after: Uuid::from_u128(7) };
        let text = key.seal("invoices", cursor);
        assert_eq!(key.open("invoices", &text), Ok(cursor));
        assert_eq!(key.open("contacts", &text), Err(ForeignCursor));
        assert_eq!(CursorKey::new(b"other").open("invoices", &text), Err(ForeignCursor));
        for bad in ["", "abc", "!!!", &text[1..], &format!("{text}AA")] {
            assert_eq!(key.open("invoices", bad), Err(ForeignCursor), "{bad}");
        }
    }

    proptest! {
        #[test]
        fn other_texts_and_scopes_are_refused(id in any::<u128>(), foreign in "[A-Za-z0-9_-]{38}|\\PC{0,60}", scope in "\\PC{0,12}") {
            let (key, cursor) = (CursorKey::new(b"secret"), Cursor { after: Uuid::from_u128(id) });
            let text = key.seal(&scope, cursor);
            prop_assert_eq!(key.open(&scope, &text), Ok(cursor));
            prop_assert_eq!(key.open(&scope, &foreign), Err(ForeignCursor));
            prop_assert_eq!(key.open(&format!("{scope}."), &text), Err(ForeignCursor));
        }

        #[test]
        fn a_changed_cursor_is_refused(id in any::<u128>(), place in any::<prop::sample::Index>(), byte in any::<u8>()) {
            let (key, cursor) = (CursorKey::new(b"secret"), Cursor { after: Uuid::from_u128(id) });
            let genuine = key.seal("invoices", cursor);
            let mut bytes = genuine.clone().into_bytes();
            let at = place.index(bytes.len());
            bytes[at] = byte;
            let text = String::from_utf8_lossy(&bytes).into_owned();
            prop_assert_eq!(key.open("invoices", &text).is_ok(), text == genuine);
        }
    }
}
