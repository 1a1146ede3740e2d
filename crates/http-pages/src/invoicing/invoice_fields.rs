//! The fields of an invoice's form: puts its lines in order, and reads the input of the use cases.

use contacts::ContactInput;
use invoices::line_item::MAX_LINES;
use invoices::{InvoiceInput, InvoiceNumber, InvoiceTextsInput, LineAmountTypes, LineInput};
use kernel::{Currency, EmailAddress, Field, FieldErrors, FieldSource as _};
use pages::invoicing::shown_contact;

use crate::forms::{FormFields, FormReader};

const LINES: &str = "line_items";

/// The action of a button of the form.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Action {
    AddLine,
    /// Remove the line at this index.
    RemoveLine(usize),
    SaveDraft,
    Issue,
    IssueAndSend,
}

impl Action {
    /// Reads the field `action`.
    ///
    /// # Errors
    /// A fault when the field names no action.
    pub(super) fn read(fields: &FormFields) -> Result<Self, FieldErrors> {
        let action = match fields.action() {
            "add_line" => Some(Self::AddLine),
            "save_draft" => Some(Self::SaveDraft),
            "issue" => Some(Self::Issue),
            "issue_and_send" => Some(Self::IssueAndSend),
            other => {
                let place = other.strip_prefix("remove_line.").and_then(|place| place.parse().ok());
                place.map(Self::RemoveLine)
            }
        };
        let names = "must be add_line, remove_line with a place, save_draft, issue or issue_and_send";
        action.ok_or_else(|| FieldErrors::one("action", names))
    }

    /// Whether the action only adds or removes a line and shows the form again.
    pub(super) const fn is_about_lines(self) -> bool {
        matches!(self, Self::AddLine | Self::RemoveLine(_))
    }
}

/// The fields of a form, with its lines renumbered 0, 1, 2 and so on, so that faults name the indexes that
/// are shown.
pub(super) struct InvoiceFields {
    pub(super) fields: FormFields,
    /// How many lines there are.
    pub(super) lines: usize,
    /// The index of the line that was added, or that now stands where one was removed.
    pub(super) focus: Option<usize>,
}

/// The fields of one line, with their names relative to the line.
type FieldTexts = Vec<(String, String)>;

impl InvoiceFields {
    /// The fields as they were sent, without lines that are empty.
    ///
    /// # Errors
    /// When there are more lines than an invoice may have. The form is then not shown again, since rendering
    /// its page costs far more than sending the form.
    pub(super) fn filled(fields: &FormFields) -> Result<Self, FieldErrors> {
        let (head, mut lines) = split(fields)?;
        lines.retain(|line| line.iter().any(|(_, text)| !text.trim().is_empty()));
        Ok(Self::of(head, lines))
    }

    /// The fields with one line added or removed.
    ///
    /// # Errors
    /// As for [`InvoiceFields::filled`].
    pub(super) fn with_lines_changed(fields: &FormFields, action: Action) -> Result<Self, FieldErrors> {
        let (head, mut lines) = split(fields)?;
        let focus = match action {
            Action::AddLine if lines.len() < MAX_LINES => {
                lines.push(Vec::new());
                lines.len().checked_sub(1)
            }
            Action::RemoveLine(place) => {
                if place < lines.len() {
                    lines.remove(place);
                }
                Some(place)
            }
            _ => None,
        };
        Ok(Self { focus, ..Self::of(head, lines) })
    }

    fn of(head: FieldTexts, lines: Vec<FieldTexts>) -> Self {
        let count = lines.len();
        let numbered = lines.into_iter().enumerate().flat_map(|(place, line)| {
            line.into_iter().map(move |(name, text)| (format!("{LINES}.{place}.{name}"), text))
        });
        Self {
            fields: head.into_iter().chain(numbered).collect::<Vec<_>>().into(),
            lines: count,
            focus: None,
        }
    }

    /// With these fields instead, if there are any.
    pub(super) fn with_fields(self, fields: Option<FormFields>) -> Self {
        Self { fields: fields.unwrap_or(self.fields), ..self }
    }

    /// Reads the input of a use case and the faults of the fields.
    pub(super) fn read(&self, action: Action) -> (InvoiceInput, FieldErrors) {
        let mut reader = FormReader::new(&self.fields);
        let lines = reader.objects(LINES, MAX_LINES, |line| LineInput::read(line));
        let input = InvoiceInput {
            contact: match reader.object("contact", contact) {
                // Only the hidden fields have values.
                Field::Value(none) if none.is_empty() => Field::Null,
                contact => contact,
            },
            invoice_number: reader.text("invoice_number", InvoiceNumber::parse),
            invoice_date: reader.date("invoice_date"),
            due_date: reader.date("due_date"),
            currency: reader.text("currency", Currency::parse),
            line_amount_types: reader.text("line_amount_types", LineAmountTypes::parse),
            // A form without lines means an invoice without lines.
            line_items: if matches!(lines, Field::Absent) { Field::Value(Vec::new()) } else { lines },
            texts: InvoiceTextsInput::read(&mut reader),
            send_invoice: Field::Value(action == Action::IssueAndSend),
            is_draft: Field::Value(action == Action::SaveDraft),
        };
        (input, reader.into_faults())
    }
}

/// Reads the contact. The id of a contact that the form was opened for counts only as long as its fields are
/// as they were shown: other values mean another contact.
fn contact(reader: &mut FormReader<'_>) -> ContactInput {
    let entered = entered_contact(|name| reader.raw(name));
    let shown = reader.raw("shown");
    if shown == entered {
        return ContactInput { id: reader.id("id"), ..ContactInput::default() };
    }
    let id = if shown.is_empty() { reader.id("id") } else { Field::Absent };
    ContactInput { id, ..of_fields(reader) }
}

/// The contact's fields in the form of `contact.shown`. Blanks around a text do not count: they are not
/// stored.
pub(super) fn entered_contact<'a>(raw: impl Fn(&str) -> &'a str) -> String {
    shown_contact(raw("name").trim(), raw("email").trim(), raw("phone").trim())
}

fn of_fields(reader: &mut FormReader<'_>) -> ContactInput {
    ContactInput {
        id: Field::Absent,
        external_id: reader.line("external_id"),
        email: reader.text("email", EmailAddress::parse),
        name: reader.line("name"),
        phone: reader.line("phone"),
    }
}

/// Separates the fields outside the lines from those of each line, in the order of the lines' indexes.
fn split(fields: &FormFields) -> Result<(FieldTexts, Vec<FieldTexts>), FieldErrors> {
    let place_of = |name: &str| {
        let (place, rest) = name.strip_prefix(LINES)?.strip_prefix('.')?.split_once('.')?;
        Some((place.parse::<usize>().ok()?, rest.to_owned()))
    };
    let mut head = Vec::new();
    let mut lines = std::collections::BTreeMap::<usize, FieldTexts>::new();
    for (name, text) in fields.iter() {
        match place_of(name) {
            Some((place, name)) => lines.entry(place).or_default().push((name, text.to_owned())),
            None => head.push((name.to_owned(), text.to_owned())),
        }
    }
    if lines.len() > MAX_LINES {
        return Err(FieldErrors::one(LINES, format!("must have at most {MAX_LINES} lines")));
    }
    Ok((head, lines.into_values().collect()))
}

#[cfg(test)]
mod tests {
    use kernel::Id;

    use super::*;

    fn fields(encoded: &str) -> FormFields {
        FormFields::parse(encoded.as_bytes()).unwrap()
    }

    #[test]
    fn actions_are_read_by_their_names() {
        let read = |text: &str| Action::read(&fields(&format!("action={text}")));
        assert_eq!(read("remove_line.2"), Ok(Action::RemoveLine(2)));
        assert_eq!(read("issue_and_send"), Ok(Action::IssueAndSend));
        for unknown in ["", "remove_line.", "remove_line.-1", "delete"] {
            assert!(read(unknown).unwrap_err().names("action"), "{unknown}");
        }
    }

    #[test]
    fn empty_lines_are_left_out_and_faults_name_the_place_that_is_shown() {
        let sent = fields(
            "currency=AUD&line_items.0.description=&line_items.0.quantity=+&line_items.7.description=Tea\
             &line_items.7.quantity=two",
        );
        let filled = InvoiceFields::filled(&sent).unwrap();
        assert_eq!((filled.lines, filled.fields.get("line_items.0.description")), (1, "Tea"));
        let (input, faults) = filled.read(Action::Issue);
        assert!(faults.names("line_items.0.quantity"), "{faults:?}");
        assert_eq!(input.line_items.value().unwrap()[0].quantity, Field::Faulty);
        assert_eq!((input.is_draft, input.send_invoice), (Field::Value(false), Field::Value(false)));
    }

    #[test]
    fn form_opened_for_a_contact_is_for_that_contact_until_its_fields_are_changed() {
        let id = "019aa1b2-0000-7000-8000-000000000001";
        let read = |name: &str, shown: &str| {
            let encoded = form_urlencoded::Serializer::new(String::new())
                .append_pair("contact.id", id)
                .append_pair("contact.name", name)
                .append_pair("contact.email", "")
                .append_pair("contact.phone", "")
                .append_pair("contact.shown", shown)
                .finish();
            InvoiceFields::filled(&fields(&encoded)).unwrap().read(Action::Issue).0.contact
        };
        let shown = shown_contact("Ada", "", "");
        assert_eq!(read("Ada ", &shown), read("Ada", &shown), "a blank of the keyboard");
        let by_id = ContactInput { id: Field::Value(Id::parse(id).unwrap()), ..ContactInput::default() };
        assert_eq!(read("Ada", &shown), Field::Value(by_id));
        let other = read("Eve", &shown);
        let other = other.as_value().unwrap();
        assert_eq!((&other.id, other.name.as_value().unwrap().as_str()), (&Field::Absent, "Eve"));
        assert_eq!(read("", &shown), Field::Null, "no contact, as for a form without the hidden fields");
    }

    #[test]
    fn lines_are_added_and_removed_and_keep_their_texts() {
        let sent = fields("line_items.0.description=a&line_items.1.description=b&line_items.2.description=c");
        let removed = InvoiceFields::with_lines_changed(&sent, Action::RemoveLine(1)).unwrap();
        assert_eq!((removed.lines, removed.fields.get("line_items.1.description")), (2, "c"));
        assert_eq!(removed.focus, Some(1), "the line that took its place");
        let added = InvoiceFields::with_lines_changed(&sent, Action::AddLine).unwrap();
        assert_eq!((added.lines, added.fields.get("line_items.3.description")), (4, ""));
        assert_eq!((added.focus, InvoiceFields::filled(&sent).unwrap().focus), (Some(3), None));
        let none = InvoiceFields::with_lines_changed(&sent, Action::RemoveLine(9)).unwrap();
        assert_eq!(none.lines, 3);
    }

    #[test]
    fn more_lines_than_an_invoice_may_have_are_not_shown_again() {
        let many = (0..=MAX_LINES).map(|place| format!("line_items.{place}.quantity=1"));
        let sent = fields(&many.collect::<Vec<_>>().join("&"));
        assert!(InvoiceFields::filled(&sent).is_err_and(|faults| faults.names("line_items")));
        assert!(InvoiceFields::with_lines_changed(&sent, Action::AddLine).is_err());
    }

    #[test]
    fn form_without_lines_is_of_an_invoice_without_lines() {
        let (input, faults) = InvoiceFields::filled(&fields("reference=")).unwrap().read(Action::SaveDraft);
        assert!(faults.is_empty());
        assert_eq!(input.line_items, Field::Value(Vec::new()));
        assert_eq!(input.contact, Field::Absent);
    }
}
