//! Removing the data of an erased contact from stored responses.

use contacts::ContactId;
use serde_json::Value;

use crate::waiting_mail::ERASED;

/// The fields of a contact that identify a person, besides its name.
const PERSONAL: [&str; 4] = ["email", "phone", "external_id", "address"];

/// A body without the data of a contact, whether the body is the contact or contains it: the name is replaced
/// and the other fields are null, as the API shows the erased contact. `None` if the body does not have the
/// contact.
pub(crate) fn without_contact(body: &[u8], contact: ContactId) -> Option<Vec<u8>> {
    let mut value: Value = serde_json::from_slice(body).ok()?;
    erase_in(&mut value, &contact.to_string()).then(|| value.to_string().into_bytes())
}

/// The responses of this service are nested a few levels deep.
fn erase_in(value: &mut Value, contact: &str) -> bool {
    match value {
        Value::Array(elements) => {
            let mut found = false;
            for element in elements {
                found |= erase_in(element, contact);
            }
            found
        }
        Value::Object(fields) => {
            let is_contact = fields.get("id").and_then(Value::as_str) == Some(contact);
            let mut found = is_contact;
            for (name, field) in fields {
                if is_contact && name == "name" {
                    *field = Value::from(ERASED);
                } else if is_contact && PERSONAL.contains(&name.as_str()) {
                    *field = Value::Null;
                } else {
                    found |= erase_in(field, contact);
                }
            }
            found
        }
        _ => false,
    }
}

#[cfg(test)]
mod tests {
    use kernel::{Id, SystemIds};
    use serde_json::json;
    use time::OffsetDateTime;

    use super::*;

    #[test]
    fn response_about_a_contact_loses_its_data_and_keeps_all_else() {
        let contact: ContactId = Id::new(&SystemIds::default(), OffsetDateTime::UNIX_EPOCH);
        let id = contact.to_string();
        let ada = json!({
            "id": id, "name": "Ada Lovelace", "email": "ada@example.com", "phone": "+61 2", "external_id": "A",
            "address": {"line1": "1 Street", "country": "AU"}, "created_at": "2026-11-20T02:09:06.147Z",
        });
        let erased = json!({
            "id": id, "name": "(erased)", "email": null, "phone": null, "external_id": null, "address": null,
            "created_at": "2026-11-20T02:09:06.147Z",
        });
        let invoice = |contact: &Value| {
            let amount: Value = serde_json::from_str("110.00").unwrap();
            json!({"id": "i-1", "contact": contact, "total": amount, "line_items": [{"name": "Tea"}]})
        };
        let without = |body: &Value| without_contact(body.to_string().as_bytes(), contact);
        for (body, expected) in [(ada.clone(), erased.clone()), (invoice(&ada), invoice(&erased))] {
            assert_eq!(String::from_utf8(without(&body).unwrap()).unwrap(), expected.to_string());
        }
        let other = invoice(&json!({"id": "c-2", "name": id, "email": "grace@example.com"}));
        assert_eq!(without(&other), None);
        assert_eq!(without_contact(b"not JSON", contact), None);
    }
}
