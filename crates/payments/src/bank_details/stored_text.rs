//! Numbers that are stored as text, in their one form.

/// How each of these types is read from the store and written to it.
macro_rules! stored_text {
    ($($number:ty),+) => {$(
        impl $number {
            /// The number from the store.
            #[must_use]
            pub const fn from_stored(text: String) -> Self {
                Self(text)
            }

            /// The number in its stored form, without blanks.
            #[must_use]
            pub fn as_str(&self) -> &str {
                &self.0
            }
        }
    )+};
}
pub(super) use stored_text;
