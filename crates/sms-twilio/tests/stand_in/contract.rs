//! Checks requests against Twilio's public API description of `POST /Accounts/{sid}/Messages.json`.

use super::server::Request;

/// The parameters of the operation.
const PARAMETERS: [&str; 24] = [
    "To", "From", "MessagingServiceSid", "Body", "MediaUrl", "ContentSid", "ContentVariables",
    "StatusCallback", "ApplicationSid", "MaxPrice", "ProvideFeedback", "Attempt", "ValidityPeriod",
    "ForceDelivery", "ContentRetention", "AddressRetention", "SmartEncoded", "PersistentAction",
    "TrafficType", "ShortenUrls", "ScheduleType", "SendAt", "SendAsMms", "RiskCheck",
];
/// The parameters that may occur more than once.
const LISTS: [&str; 2] = ["MediaUrl", "PersistentAction"];
/// The most characters of a text.
const MAX_BODY_LENGTH: usize = 1_600;

/// All that is wrong with a request.
pub(crate) fn faults(request: &Request, account_sid: &str) -> Vec<String> {
    let mut faults = Vec::new();
    let mut want = |holds: bool, what: &str| {
        if !holds {
            faults.push(what.to_owned());
        }
    };
    let path = format!("/2010-04-01/Accounts/{account_sid}/Messages.json");
    want(request.method == "POST" && request.path == path, "no such operation");
    want(request.query.is_empty(), "a POST with a query");
    let form = request.header("content-type") == "application/x-www-form-urlencoded";
    want(form, "a body that is no form");
    for (name, _) in &request.form {
        want(PARAMETERS.contains(&name.as_str()), &format!("{name}: no such parameter"));
        let is_single = request.values(name).len() == 1 || LISTS.contains(&name.as_str());
        want(is_single, &format!("{name}: more than once"));
    }
    want(request.value("To").is_some_and(is_e164), "To: required, in E.164");
    match (request.value("From"), request.value("MessagingServiceSid")) {
        (Some(from), _) => want(is_e164(from) || is_sender_name(from), "From: a number in E.164 or a name"),
        (None, service) => want(service.is_some(), "From or MessagingServiceSid: required"),
    }
    let has_content = ["Body", "MediaUrl", "ContentSid"].iter().any(|name| request.value(name).is_some());
    want(has_content, "Body, MediaUrl or ContentSid: required");
    let body = request.value("Body").unwrap_or("x");
    want((1..=MAX_BODY_LENGTH).contains(&body.chars().count()), "Body: 1 to 1600 characters");
    let callback = request.value("StatusCallback");
    want(callback.is_none_or(is_callback), "StatusCallback: an address with a host name without underscores");
    faults
}

fn is_e164(text: &str) -> bool {
    text.strip_prefix('+').is_some_and(|digits| {
        let right_length = (7..=15).contains(&digits.len());
        right_length && !digits.starts_with('0') && digits.bytes().all(|byte| byte.is_ascii_digit())
    })
}

/// At most 11 letters, digits and spaces, with a letter among them.
fn is_sender_name(text: &str) -> bool {
    let known = |c: char| c.is_ascii_alphanumeric() || c == ' ';
    text.len() <= 11 && text.chars().all(known) && text.chars().any(|c| c.is_ascii_alphabetic())
}

fn is_callback(text: &str) -> bool {
    let rest = text.strip_prefix("https://").or_else(|| text.strip_prefix("http://"));
    let host = rest.and_then(|rest| rest.split(['/', '?', ':']).next()).unwrap_or_default();
    !host.is_empty() && !host.contains('_') && text.is_ascii() && !text.contains(' ')
}
