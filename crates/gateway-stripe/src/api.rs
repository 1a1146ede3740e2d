//! Calls to Stripe: URLs, headers, forms, lists.

use https_client::{HttpsClient, Response};
use payments::{GatewayAccess, GatewayError};
use reqwest::{RequestBuilder, Url};
use serde::de::DeserializeOwned;

use crate::http;
use crate::objects::{Listed, StripeList};
use crate::refusal;
use crate::settings::{SettingsFault, StripeSettings};

/// The version of the API in which requests are written and responses are read.
pub const API_VERSION: &str = "2026-10-28.endive";

/// How many records a page of a list has.
pub(crate) const PAGE_SIZE: &str = "20";
/// The maximum number of pages that are read of one list, such as a charge's refunds or a payment's charges.
const MAX_PAGES: usize = 20;

/// Parameters, in the order in which they are sent.
pub(crate) type Parameters = Vec<(String, String)>;

/// Stripe's API at its base URL.
pub(crate) struct Api {
    client: HttpsClient,
    base: Url,
}

impl Api {
    pub(crate) fn new(settings: &StripeSettings) -> Result<Self, SettingsFault> {
        Ok(Self { client: http::client(settings.extra_ca_pem.as_deref())?, base: settings.base()? })
    }

    pub(crate) fn base(&self) -> &Url {
        &self.base
    }

    /// Reads a record, or one page of a list.
    pub(crate) async fn get<T: DeserializeOwned>(
        &self,
        access: &GatewayAccess,
        path: &[&str],
        query: &[(String, String)],
    ) -> Result<T, GatewayError> {
        let mut url = self.url(path);
        if !query.is_empty() {
            url.query_pairs_mut().extend_pairs(query);
        }
        read(access, &http::send(&self.client, signed(self.client.get(url), access)).await?)
    }

    /// Sends a change, which Stripe carries out once for each idempotency key.
    pub(crate) async fn post<T: DeserializeOwned>(
        &self,
        access: &GatewayAccess,
        path: &[&str],
        key: &str,
        form: &Parameters,
    ) -> Result<T, GatewayError> {
        let request = self.client.post(self.url(path)).header("Idempotency-Key", key).form(form);
        read(access, &http::send(&self.client, signed(request, access)).await?)
    }

    /// Reads all pages of a list.
    pub(crate) async fn list<T: DeserializeOwned + Listed>(
        &self,
        access: &GatewayAccess,
        path: &[&str],
        query: &[(&str, &str)],
    ) -> Result<Vec<T>, GatewayError> {
        let mut all: Vec<T> = Vec::new();
        for _ in 0..MAX_PAGES {
            let mut query = parameters(query);
            query.push(pair("limit", PAGE_SIZE));
            query.extend(all.last().map(|last| pair("starting_after", last.id())));
            let page: StripeList<T> = self.get(access, path, &query).await?;
            let ended = !page.has_more || page.data.is_empty();
            all.extend(page.data);
            if ended {
                return Ok(all);
            }
        }
        Err(GatewayError::Unreachable("Stripe's list has no end".to_owned()))
    }

    fn url(&self, path: &[&str]) -> Url {
        let mut url = self.base.clone();
        if let Ok(mut segments) = url.path_segments_mut() {
            segments.pop_if_empty().push("v1").extend(path);
        }
        url
    }
}

pub(crate) fn pair(name: impl Into<String>, value: impl Into<String>) -> (String, String) {
    (name.into(), value.into())
}

pub(crate) fn parameters(pairs: &[(&str, &str)]) -> Parameters {
    pairs.iter().map(|(name, value)| pair(*name, *value)).collect()
}

/// Whether a text can be one of Stripe's ids: it becomes part of a URL.
pub(crate) fn is_id(text: &str) -> bool {
    (1..=255).contains(&text.len()) && text.bytes().all(|byte| byte.is_ascii_alphanumeric() || byte == b'_')
}

fn signed(request: RequestBuilder, access: &GatewayAccess) -> RequestBuilder {
    request.bearer_auth(access.key.reveal()).header("Stripe-Version", API_VERSION)
}

fn read<T: DeserializeOwned>(access: &GatewayAccess, response: &Response) -> Result<T, GatewayError> {
    if !response.status.is_success() {
        return Err(refusal::of(response, access));
    }
    serde_json::from_slice(&response.body).map_err(|error| {
        // Only the position of the fault: its text could quote the payer's data.
        let (line, column) = (error.line(), error.column());
        GatewayError::Unreachable(format!("Stripe's answer cannot be read at line {line}, column {column}"))
    })
}
