//! The texts of an invoice, as payers and owners read them and owners enter them. Its notes have a place of
//! their own on each page.

use invoices::InvoiceTexts;

use crate::form::{Control, Form, FormField};
use crate::texts::Texts;

/// The texts that everybody reads, each with its label.
pub(crate) fn of_everybody(texts: &InvoiceTexts, t: &Texts) -> Vec<(&'static str, Option<String>)> {
    vec![(t.reference, texts.reference.as_ref().map(ToString::to_string))]
}

/// The texts that the page of the owner shows besides, each with its label.
pub(crate) fn of_owner(texts: &InvoiceTexts, t: &Texts) -> Vec<(&'static str, Option<String>)> {
    vec![(t.invoicing.staff, texts.staff.as_ref().map(ToString::to_string))]
}

/// The fields of the invoice form.
pub(crate) fn fields(form: &Form, t: &Texts) -> Vec<FormField> {
    let d = &t.invoicing;
    vec![
        form.field("reference", t.reference, Control::Line("text")).hint(d.reference_hint),
        form.field("notes", t.notes, Control::Lines).hint(d.notes_hint),
        form.field("staff", d.staff, Control::Line("text")).hint(d.staff_hint),
    ]
}

/// The initial values of these fields, of every text: a field that opened empty would remove its text.
pub(crate) fn values(texts: &InvoiceTexts) -> impl Iterator<Item = (&'static str, String)> {
    texts.by_name().map(|(name, text)| (name, text.unwrap_or_default()))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::texts::ENGLISH;

    #[test]
    fn every_text_has_a_field() {
        let (texts, fields) = (InvoiceTexts::default(), fields(&Form::default(), &ENGLISH));
        let names = values(&texts).map(|(name, _)| name);
        assert!(names.eq(fields.iter().map(|field| field.name.as_str())));
    }
}
