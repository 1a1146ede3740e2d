//! Numbers and aliases of bank accounts that are stored as text, in their one form.

/// How each of these types is read from the store and written to it.
macro_rules! stored_text {
    ($($stored:ty),+) => {$(
        impl $stored {
            /// The value from the store.
            #[must_use]
            pub const fn from_stored(text: String) -> Self {
                Self(text)
            }

            /// The text to store, from which [`Self::from_stored`] makes the value again.
            #[must_use]
            pub fn as_str(&self) -> &str {
                &self.0
            }
        }
    )+};
}
pub(super) use stored_text;
