//! The outgoing HTTP client: the address guard, the webhook sender, the logo download.
