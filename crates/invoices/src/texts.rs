//! The texts of an invoice that are only for people to read.

use kernel::{Field, FieldSource, MultiLine, SingleLine};

/// The texts of an invoice that are only for people to read: no rule depends on them.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct InvoiceTexts {
    /// The caller's reference.
    pub reference: Option<SingleLine<255>>,
    /// Notes to the contact.
    pub notes: Option<MultiLine<4_000>>,
    /// The member of the account's staff who created the invoice.
    pub staff: Option<SingleLine<255>>,
}

impl InvoiceTexts {
    /// Each text with its name in requests.
    pub fn by_name(&self) -> impl Iterator<Item = (&'static str, Option<String>)> {
        let Self { reference, notes, staff } = self;
        let texts = [
            ("reference", reference.as_ref().map(ToString::to_string)),
            ("notes", notes.as_ref().map(ToString::to_string)),
            ("staff", staff.as_ref().map(ToString::to_string)),
        ];
        texts.into_iter()
    }

    /// The texts as they were stored under these names, without the rules for input.
    pub(crate) fn from_stored(mut text: impl FnMut(&str) -> Option<String>) -> Self {
        Self {
            reference: text("reference").map(SingleLine::from_stored),
            notes: text("notes").map(MultiLine::from_stored),
            staff: text("staff").map(SingleLine::from_stored),
        }
    }

    /// The names of the texts that differ in `other`.
    pub(crate) fn changed(&self, other: &Self) -> impl Iterator<Item = &'static str> {
        self.by_name()
            .zip(other.by_name())
            .filter_map(|((name, one), (_, other))| (one != other).then_some(name))
    }
}

/// The texts as the caller sent them.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct InvoiceTextsInput {
    /// The caller's reference, at most 255 characters.
    pub reference: Field<SingleLine<255>>,
    /// Notes to the contact, at most 4,000 characters.
    pub notes: Field<MultiLine<4_000>>,
    /// The member of the account's staff who created the invoice, at most 255 characters.
    pub staff: Field<SingleLine<255>>,
}

impl InvoiceTextsInput {
    /// Reads the texts of a request.
    pub fn read(source: &mut impl FieldSource) -> Self {
        Self {
            reference: source.line("reference"),
            notes: source.text("notes", MultiLine::parse),
            staff: source.line("staff"),
        }
    }

    /// The texts after an amendment of `current`: the fields that were sent, and the present values of the
    /// others.
    pub(crate) fn amending(self, current: &InvoiceTexts) -> InvoiceTexts {
        InvoiceTexts {
            reference: self.reference.or_current(current.reference.as_ref()),
            notes: self.notes.or_current(current.notes.as_ref()),
            staff: self.staff.or_current(current.staff.as_ref()),
        }
    }
}
