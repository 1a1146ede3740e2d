//! The pages of the dashboard on escalations, webhooks and settings.

pub mod api_key;
pub mod bulk_replay;
pub mod deliveries;
pub mod endpoints;
pub mod escalations;
mod links;
pub mod notifications;
pub mod profile;
pub mod secret;

pub use self::escalations::{EscalationDetail, EscalationList, ShownEscalation};
pub use api_key::ApiKeyPage;
pub use bulk_replay::BulkReplayPage;
pub use deliveries::{DeliveryDetail, DeliveryList};
pub use endpoints::WebhooksPage;
pub use links::PageLinks;
pub use notifications::NotificationsPage;
pub use profile::{ProfilePage, profile_values};
pub use secret::SecretPage;
