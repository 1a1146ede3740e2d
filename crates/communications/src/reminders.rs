//! Reminders: what an account's policy asks for, when a contact may be reminded, and what will happen next.
//!
//! The decisions are functions of their arguments: [`plan`](plan::plan) says what happens now,
//! [`permit`](permit::permit) whether one reminder may be sent, [`forecast`](forecast::forecast) what will
//! happen if nothing else does. [`ReminderService`](service::ReminderService) carries them out.

pub mod account_forecast;
pub mod attempt;
pub mod change_policy;
mod contact_forecast;
mod content;
mod course;
pub mod decide;
pub mod decision;
mod email;
pub mod facts;
pub mod forecast;
pub mod payload;
pub mod permit;
pub mod plan;
pub mod policy;
pub mod ports;
pub mod preview;
pub mod service;
pub mod settings;
pub(crate) mod step_outcome;
