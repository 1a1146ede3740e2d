//! Webhooks: registered by the operator, delivered by the server, received over HTTPS.

mod deliveries;
mod endpoints;
mod escalation_events;
mod failed_attempts;
mod fixture;
mod graceful_shutdown;
mod process_crash;
mod rekey;
mod replay;
mod sample;
mod several_processes;
mod torture_command;
