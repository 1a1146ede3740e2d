//! Reminders: what an account's policy asks for, when a contact may be reminded, and what will happen next.
//!
//! The decisions are functions of their arguments: [`plan`](plan::plan) says what happens now,
//! [`permit`](permit::permit) whether one reminder may be sent, [`rehearse`](rehearse::rehearse) what will
//! happen if nothing else does. [`ReminderService`](service::ReminderService) carries them out.

pub mod attempt;
pub mod change_policy;
mod content;
mod course;
pub mod decide;
pub mod decision;
mod email;
pub mod facts;
pub mod outlook;
pub mod payload;
pub mod permit;
pub mod plan;
pub mod policy;
pub mod ports;
pub mod preview;
pub mod rehearse;
pub mod service;
pub mod settings;
pub(crate) mod step_outcome;
