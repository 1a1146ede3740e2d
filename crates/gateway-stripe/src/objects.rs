//! Stripe's objects, with only the fields that are read.

use std::collections::BTreeMap;

use payments::GatewayError;
use serde::Deserialize;
use serde_json::Value;

/// One page of a list.
#[derive(Deserialize)]
pub(crate) struct StripeList<T> {
    pub(crate) data: Vec<T>,
    pub(crate) has_more: bool,
}

/// A record of a list; the id of the last record requests the next page.
pub(crate) trait Listed {
    fn id(&self) -> &str;
}

pub(crate) type Metadata = BTreeMap<String, String>;

#[derive(Deserialize)]
pub(crate) struct CheckoutSession {
    pub(crate) id: String,
    pub(crate) url: Option<String>,
    pub(crate) status: Option<String>,
    pub(crate) payment_status: Option<String>,
    pub(crate) payment_intent: Option<Value>,
}

#[derive(Deserialize)]
pub(crate) struct StripeCharge {
    pub(crate) id: String,
    pub(crate) status: String,
    pub(crate) amount: i64,
    pub(crate) amount_captured: i64,
    pub(crate) currency: String,
    pub(crate) captured: bool,
    pub(crate) created: i64,
    pub(crate) disputed: bool,
    pub(crate) metadata: Option<Metadata>,
    pub(crate) payment_intent: Option<Value>,
    pub(crate) payment_method_details: Option<MethodDetails>,
    pub(crate) balance_transaction: Option<Value>,
    pub(crate) refunds: Option<StripeList<Refund>>,
}

#[derive(Deserialize)]
pub(crate) struct MethodDetails {
    pub(crate) r#type: String,
}

#[derive(Deserialize, Clone)]
pub(crate) struct Refund {
    pub(crate) id: String,
    pub(crate) amount: i64,
    pub(crate) currency: String,
    pub(crate) status: Option<String>,
    pub(crate) metadata: Option<Metadata>,
}

#[derive(Deserialize)]
pub(crate) struct Dispute {
    pub(crate) id: String,
    pub(crate) amount: i64,
    pub(crate) currency: String,
    pub(crate) status: String,
}

#[derive(Deserialize)]
pub(crate) struct BalanceTransaction {
    pub(crate) created: i64,
}

#[derive(Deserialize)]
pub(crate) struct StripeEvent {
    pub(crate) id: String,
    pub(crate) data: EventData,
}

#[derive(Deserialize)]
pub(crate) struct EventData {
    pub(crate) object: Value,
}

/// A record of which no field is read: only the permission to read it is checked.
#[derive(Deserialize)]
pub(crate) struct IgnoredRecord {}

impl Listed for StripeCharge {
    fn id(&self) -> &str {
        &self.id
    }
}

impl Listed for Refund {
    fn id(&self) -> &str {
        &self.id
    }
}

impl Listed for Dispute {
    fn id(&self) -> &str {
        &self.id
    }
}

impl StripeCharge {
    /// The value in the charge's metadata or, if the charge has none, in its payment intent's.
    pub(crate) fn metadata_value(&self, name: &str) -> Option<&str> {
        let own = self.metadata.as_ref().and_then(|metadata| metadata.get(name)).map(String::as_str);
        own.or_else(|| self.payment_intent.as_ref()?.get("metadata")?.get(name)?.as_str())
    }
}

/// The id in a field that has an id or, if expanded, the object itself.
pub(crate) fn id_in(field: Option<&Value>) -> Option<&str> {
    let field = field?;
    field.as_str().or_else(|| field.get("id")?.as_str())
}

pub(crate) fn unreadable(what: &str) -> GatewayError {
    GatewayError::Unreachable(format!("Stripe's answer cannot be read: {what}"))
}
