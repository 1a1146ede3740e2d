//! The arguments of `webhook`.

mod secret;

use clap::{Args, Subcommand};
use kernel::{AccountId, HttpsUrl, scope::AccountEntity};
use time::OffsetDateTime;
use webhooks::delivery::DeliveryEntity;
use webhooks::endpoint::EndpointEntity;
use webhooks::{DeliveryId, EndpointId, EventName, SigningSecret, Subscriptions};

use self::secret::Secrets;
use super::arguments::{id, instant};

/// Commands on webhooks.
#[derive(Debug, Subcommand)]
pub enum WebhookCommand {
    /// Register an endpoint; its signing secret is printed once and cannot be read again
    Add(AddEndpoint),
    /// List an account's endpoints, oldest first
    List {
        /// The account's id
        #[arg(long, value_parser = id::<AccountEntity>)]
        account: AccountId,
    },
    /// Send no more deliveries to an endpoint; pending deliveries are stopped
    Disable(OneEndpoint),
    /// Send deliveries to an endpoint again, signed with its unchanged secret
    Enable(OneEndpoint),
    /// Delete an endpoint and its secret; the log of its deliveries stays
    Delete(OneEndpoint),
    /// List an account's deliveries with their attempts, newest event first
    Deliveries(ListDeliveries),
    /// Replay finished deliveries: the same event and the same bytes, in up to five new attempts
    Replay(ReplayDeliveries),
    /// Send one signed sample event to a receiver and print its response
    Test {
        /// URL of the receiver
        #[arg(long, value_parser = HttpsUrl::parse)]
        url: HttpsUrl,
        /// The secret to sign with; default: a generated one, which is printed
        #[arg(long, value_parser = Secrets)]
        secret: Option<SigningSecret>,
    },
    /// Send duplicate, forged, slow and broken requests to a receiver, and print which it handled
    Torture {
        /// URL of the receiver
        #[arg(long, value_parser = HttpsUrl::parse)]
        url: HttpsUrl,
        /// The secret with which the receiver verifies signatures
        #[arg(long, value_parser = Secrets)]
        secret: SigningSecret,
    },
}

/// The endpoint that a command applies to.
#[derive(Debug, Args)]
pub struct OneEndpoint {
    /// The endpoint's id
    #[arg(value_parser = id::<EndpointEntity>)]
    pub id: EndpointId,
}

fn events_help() -> String {
    format!("Events to deliver, separated by commas: {}", EventName::list())
}

/// The arguments of `webhook add`.
#[derive(Debug, Args)]
pub struct AddEndpoint {
    /// The account's id
    #[arg(long, value_parser = id::<AccountEntity>)]
    pub account: AccountId,
    /// URL that deliveries are sent to; must be https://
    #[arg(long, value_parser = HttpsUrl::parse)]
    pub url: HttpsUrl,
    /// Which events are delivered
    #[arg(long, help = events_help(), value_parser = |text: &str| Subscriptions::parse(text.split(',')))]
    pub events: Subscriptions,
}

/// Which deliveries to list.
#[derive(Debug, Args)]
pub struct ListDeliveries {
    /// The account's id
    #[arg(long, value_parser = id::<AccountEntity>)]
    pub account: AccountId,
    /// Only deliveries to this endpoint
    #[arg(long, value_parser = id::<EndpointEntity>)]
    pub endpoint: Option<EndpointId>,
    /// Maximum number of deliveries
    #[arg(long, default_value_t = 100, value_parser = clap::value_parser!(u32).range(1..=1_000))]
    pub limit: u32,
    /// Only deliveries after this one, the last of the previous list
    #[arg(long, value_parser = id::<DeliveryEntity>)]
    pub after: Option<DeliveryId>,
}

/// Which deliveries to replay.
#[derive(Debug, Args)]
#[command(group = clap::ArgGroup::new("which").required(true).args(["delivery", "abandoned_since"]))]
pub struct ReplayDeliveries {
    /// One finished delivery, by its id
    #[arg(value_name = "DELIVERY_ID", value_parser = id::<DeliveryEntity>, conflicts_with = "account")]
    pub delivery: Option<DeliveryId>,
    /// The account whose abandoned deliveries are replayed
    #[arg(long, value_parser = id::<AccountEntity>, requires = "abandoned_since")]
    pub account: Option<AccountId>,
    /// Deliveries abandoned at this instant or later, such as 2026-11-20T02:09:06Z
    #[arg(long, value_parser = instant, requires = "account")]
    pub abandoned_since: Option<OffsetDateTime>,
}
