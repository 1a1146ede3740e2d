//! Faults of fields as whole sentences, for which label and API message do not make one.

use super::account;

/// The sentence of a field's fault; `None` if label and message make one.
pub(super) fn english(field: &str, message: &str) -> Option<String> {
    let name = field.rsplit('.').next().unwrap_or(field);
    let sentence = match name {
        // The currency of the amount has none.
        _ if message == "must have at most 0 decimals" => "Enter an amount without decimals.",
        "amount" if message == "must be written with digits, and a point before the decimals" => {
            "Enter the amount in digits, with a point before any decimals."
        }
        "contact" if message.starts_with("is required unless") => "Enter a contact.",
        "line_items" if message.starts_with("at least one line") => "Enter at least one item.",
        "line_items" if message.starts_with("the total of the lines must not be negative") => {
            "The total of the items must not be negative."
        }
        "line_items" if message.starts_with("the total of the lines is larger") => {
            "The total of the items must be at most 999,999,999,999."
        }
        "line_items" if message.starts_with("the total cannot be below what is paid") => {
            return message.strip_prefix("the").map(|rest| format!("The{rest}."));
        }
        "tax_rate" if message.starts_with("must be 0 when") => {
            "Enter 0 as the tax: the amounts are set to No tax."
        }
        "name" if message == "is required to create a contact" => "Enter the name of the new contact.",
        "email" | "phone" if message.starts_with("an e-mail address or a phone number") => {
            "Enter an e-mail address or a phone number."
        }
        "email" if message.starts_with("belongs to a contact that was erased") => {
            "The contact of this invoice was erased. Nothing is sent to an erased contact."
        }
        "email" if message == "another contact has this e-mail address" => {
            "Another contact has this e-mail address."
        }
        "events" if message.starts_with("must name at least one event of") => "Choose at least one event.",
        "code" if message.starts_with("is not the code that the authenticator shows") => {
            "This is not the code that your authenticator shows. Check the time of your device."
        }
        "send_invoice" if message.starts_with("must not be true while communications_enabled") => {
            "Messages to customers are switched off. Switch them on in Settings, Profile."
        }
        "status" if message.starts_with("must be DRAFT") => "Choose a status from the list.",
        "reason" if message == "is required" => "Choose what it is about.",
        "statement" if message == "is required" => "Tell us in a few words what it is about.",
        "outcome" if message == "is required" => "Choose an outcome.",
        "steps" if message == "must be 1 to 20 steps" => "Enter 1 to 20 steps, or stop reminders.",
        "days" if message == "must not have the same day and channel twice" => {
            "Two steps have the same day and channel."
        }
        "since" if message == account::ENGLISH.nothing_abandoned => message,
        "kind" => return Some(format!("This kind of bank details {message}.")),
        _ => return None,
    };
    Some(sentence.to_owned())
}

#[cfg(test)]
mod tests {
    use super::{account, english};

    #[test]
    fn words_of_the_api_become_sentences_and_others_stay() {
        let of = |field: &str, message: &str| english(field, message).unwrap_or_default();
        assert_eq!(of("contact", "is required unless is_draft is true"), "Enter a contact.");
        let message = "at least one line is required unless is_draft is true";
        assert_eq!(of("line_items", message), "Enter at least one item.");
        let message = "the total of the lines must not be negative";
        assert_eq!(of("line_items", message), "The total of the items must not be negative.");
        let message = "must be 0 when line_amount_types is NO_TAX";
        assert_eq!(
            of("line_items.3.tax_rate", message),
            "Enter 0 as the tax: the amounts are set to No tax."
        );
        let message = "an e-mail address or a phone number is required to create a contact";
        assert_eq!(of("contact.email", message), "Enter an e-mail address or a phone number.");
        let message = "belongs to a contact that was erased: nothing is sent to it";
        let sentence = "The contact of this invoice was erased. Nothing is sent to an erased contact.";
        assert_eq!(of("contact.email", message), sentence);
        let message = "another contact has this e-mail address";
        assert_eq!(of("email", message), "Another contact has this e-mail address.");
        let message = "must have at most 0 decimals";
        assert_eq!(of("line_items.0.unit_amount", message), "Enter an amount without decimals.");
        let message = kernel::DecimalFault::NotPlain.to_string();
        assert!(of("amount", &message).ends_with("a point before any decimals."), "{message}");
        assert_eq!(of("events", "must name at least one event of: x, y"), "Choose at least one event.");
        let message = "is not the code that the authenticator shows: check the time of your device";
        assert!(of("code", message).starts_with("This is not the code that your authenticator shows."));
        assert_eq!(of("kind", "is for AUD only"), "This kind of bank details is for AUD only.");
        let message = "must not have the same day and channel twice";
        assert_eq!(of("steps.3.days", message), "Two steps have the same day and channel.");
        assert_eq!(of("steps", "must be 1 to 20 steps"), "Enter 1 to 20 steps, or stop reminders.");
        let nothing = account::ENGLISH.nothing_abandoned;
        assert_eq!(of("since", nothing), nothing);
        for (field, message) in
            [("since", "is required"), ("contact", "is required"), ("quantity", "must be above 0")]
        {
            assert_eq!(english(field, message), None);
        }
    }
}
