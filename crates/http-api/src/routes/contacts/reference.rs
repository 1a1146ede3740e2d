//! The body of `POST /contacts`, which is also the `contact` of an invoice.

use contacts::ContactInput;
use serde::Deserialize;
use utoipa::ToSchema;

use crate::body::{FieldReader, RawField};

/// The contact that is meant. It is found by `id`, else by `external_id`, else by `email`, else created,
/// which needs `name` and `email` or `phone`. Finding a contact never changes it.
#[derive(Debug, Deserialize, ToSchema)]
#[schema(as = ContactReference, example = json!({"name": "Ada Lovelace", "email": "ada@example.com", "external_id": "C-1"}))]
pub(crate) struct ContactReferenceBody {
    /// An existing contact's id.
    #[serde(default)]
    #[schema(value_type = Option<String>, format = Uuid)]
    id: RawField,
    /// Your own identifier, matched exactly.
    #[serde(default)]
    #[schema(value_type = Option<String>, max_length = 255)]
    external_id: RawField,
    /// The e-mail address, matched whatever its case.
    #[serde(default)]
    #[schema(value_type = Option<String>, format = Email, max_length = 254)]
    email: RawField,
    /// The name of a new contact.
    #[serde(default)]
    #[schema(value_type = Option<String>, max_length = 200)]
    name: RawField,
    /// The phone number of a new contact, in free text.
    #[serde(default)]
    #[schema(value_type = Option<String>, max_length = 50)]
    phone: RawField,
}

impl ContactReferenceBody {
    /// The reference as the domain takes it.
    pub(crate) fn read(&self, reader: &mut FieldReader) -> ContactInput {
        ContactInput {
            id: reader.id("id", &self.id),
            external_id: reader.line("external_id", &self.external_id),
            email: reader.email("email", &self.email),
            name: reader.line("name", &self.name),
            phone: reader.line("phone", &self.phone),
        }
    }
}
