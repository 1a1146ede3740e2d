//! Webhooks: registered by the operator, delivered by the server, received over HTTPS.

mod delivering;
mod escalating;
mod failing;
mod ground;
mod killing;
mod registering;
mod rekeying;
mod replaying;
mod sampling;
mod sharing;
mod stopping;
mod torturing;
