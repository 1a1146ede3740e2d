//! Signed webhooks: events, endpoints, deliveries and their schedule.
