//! The body of `POST /contacts`, which is also the `contact` of an invoice.

use contacts::ContactInput;
use kernel::{EmailAddress, FieldSource as _};
use utoipa::ToSchema;

use crate::body::FieldReader;

/// A reference to a contact. The contact is found by `id`, else by `external_id`, else by `email`, else
/// created, which needs `name` and `email` or `phone`. Finding a contact never changes it.
#[derive(ToSchema)]
#[schema(as = ContactReference, example = json!({"name": "Ada Lovelace", "email": "ada@example.com", "external_id": "C-1"}))]
#[expect(dead_code, reason = "describes the body and never holds it")]
pub(crate) struct ContactReferenceBody {
    /// An existing contact's id.
    #[schema(format = Uuid)]
    id: Option<String>,
    /// Your own identifier, matched exactly.
    #[schema(max_length = 255)]
    external_id: Option<String>,
    /// The e-mail address, matched case-insensitively.
    #[schema(format = Email, max_length = 254)]
    email: Option<String>,
    /// The name of a new contact.
    #[schema(max_length = 200)]
    name: Option<String>,
    /// The phone number of a new contact, in free text.
    #[schema(max_length = 50)]
    phone: Option<String>,
}

impl ContactReferenceBody {
    /// Reads the reference into the input of the domain.
    pub(crate) fn read(reader: &mut FieldReader<'_>) -> ContactInput {
        ContactInput {
            id: reader.id("id"),
            external_id: reader.line("external_id"),
            email: reader.text("email", EmailAddress::parse),
            name: reader.line("name"),
            phone: reader.line("phone"),
        }
    }
}
