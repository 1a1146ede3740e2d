//! Why Stripe refused a call.

use https_client::Response;
use payments::{AmountRefused, GatewayAccess, GatewayError};
use reqwest::StatusCode;
use serde::Deserialize;

/// The maximum number of characters quoted from Stripe's message.
const MAX_MESSAGE_LENGTH: usize = 500;
/// The prefixes of Stripe's secrets. Its messages contain parts of keys.
const KEY_PREFIXES: [&str; 5] = ["rk_", "sk_", "pk_", "ek_", "whsec_"];

#[derive(Deserialize, Default)]
struct StripeErrorBody {
    #[serde(default)]
    error: StripeError,
}

#[derive(Deserialize, Default)]
#[serde(default)]
struct StripeError {
    code: Option<String>,
    message: Option<String>,
}

/// The error of an unsuccessful response.
pub(crate) fn of(response: &Response, access: &GatewayAccess) -> GatewayError {
    let reply: StripeErrorBody = serde_json::from_slice(&response.body).unwrap_or_default();
    let mut text = format!("Stripe answered {}", response.status.as_u16());
    if let Some(message) = &reply.error.message {
        let message: String = message.chars().take(MAX_MESSAGE_LENGTH).collect();
        text.push_str(": ");
        text.push_str(&without_keys(&message.replace(access.key.reveal(), "[key]")));
    }
    match (response.status, reply.error.code.as_deref().unwrap_or_default()) {
        (StatusCode::UNAUTHORIZED | StatusCode::FORBIDDEN, _) => GatewayError::KeyRefused(text),
        (StatusCode::NOT_FOUND, _) | (_, "resource_missing") => GatewayError::NotFound,
        (StatusCode::BAD_REQUEST, "amount_too_small") => AmountRefused::BelowUnknownMinimum.into(),
        (StatusCode::BAD_REQUEST, "amount_too_large") => AmountRefused::AboveMaximum.into(),
        (status, _) if status.is_server_error() && is_replayed(response) => GatewayError::Repeated(text),
        (StatusCode::CONFLICT, "idempotency_key_in_use") => GatewayError::NotYet(text),
        (status, code) if may_pass(status, code) => GatewayError::Unreachable(text),
        _ => GatewayError::Refused(text),
    }
}

/// Whether Stripe repeats its first response to an idempotency key. It does so for a day, also with an error.
fn is_replayed(response: &Response) -> bool {
    response.headers.get("Idempotent-Replayed").is_some_and(|value| value.as_bytes() == b"true")
}

/// Whether the same call may succeed later. A redirect or an informational status does not come from Stripe,
/// but from an intermediary.
fn may_pass(status: StatusCode, code: &str) -> bool {
    let passing = [
        StatusCode::REQUEST_TIMEOUT,
        StatusCode::CONFLICT,
        StatusCode::FAILED_DEPENDENCY,
        StatusCode::TOO_EARLY,
        StatusCode::TOO_MANY_REQUESTS,
    ];
    !status.is_client_error() || passing.contains(&status) || matches!(code, "lock_timeout" | "rate_limit")
}

/// A message with everything that looks like a secret removed.
fn without_keys(message: &str) -> String {
    let words = message.split_inclusive(|c: char| !(c.is_ascii_alphanumeric() || "_*".contains(c)));
    words
        .map(|word| {
            let end = word.trim_end_matches(|c: char| !(c.is_ascii_alphanumeric() || "_*".contains(c)));
            let is_key = KEY_PREFIXES.iter().any(|prefix| end.starts_with(prefix));
            if is_key { word.replace(end, "[key]") } else { word.to_owned() }
        })
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn keys_in_messages_are_cut_out_and_names_of_permissions_stay() {
        for (said, kept) in [
            ("Invalid API Key provided: rk_live_****1234", "Invalid API Key provided: [key]"),
            ("The key 'rk_test_51abc' lacks 'rak_charge_read'.", "The key '[key]' lacks 'rak_charge_read'."),
            ("No such charge: 'ch_1'", "No such charge: 'ch_1'"),
            ("", ""),
        ] {
            assert_eq!(without_keys(said), kept);
        }
    }
}
