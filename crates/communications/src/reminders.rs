//! Reminders: what an account's policy asks for, when a contact may be reminded, and what will happen next.
//!
//! Everything here is a function of its arguments: [`plan`](plan::plan) says what is to happen now,
//! [`permit`](permit::permit) whether one reminder may go out, [`rehearse`](rehearse::rehearse) what will
//! happen if nothing else does. [`ReminderService`](service::ReminderService) does it.

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
