//! Addresses of other services, as they must be written.

use anyhow::bail;

/// The address of the collector that traces are sent to.
///
/// # Errors
/// One line that says what would be right.
pub fn check_otlp_endpoint(address: String) -> anyhow::Result<String> {
    let address = address.trim().trim_end_matches('/');
    let rest = address
        .strip_prefix("https://")
        .or_else(|| address.strip_prefix("http://"));
    match rest {
        Some(rest) if !rest.is_empty() && !rest.contains(['?', '#', ' ']) => Ok(address.to_owned()),
        // The address may hold a password, which is nobody else's business.
        _ => bail!(
            "COUNTINGHOUSE_OTLP_ENDPOINT must be the http:// or https:// address of a collector, without a query"
        ),
    }
}
