//! The mail that tells the owner of an account of a new escalation.

use mail::Notice;

use crate::escalation::Escalation;
use crate::terms::EscalationType;

/// The contact and the invoice of an escalation, as shown to the owner.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(crate) struct NoticeSubject {
    /// The name of the contact.
    pub(crate) contact: Option<String>,
    /// The number of the invoice.
    pub(crate) invoice: Option<String>,
}

/// The content of the mail.
pub(crate) fn notice(escalation: &Escalation, of: &NoticeSubject) -> Notice {
    let who = of.contact.as_deref().unwrap_or("A customer");
    let what = match escalation.escalation_type {
        EscalationType::Hardship => "cannot pay at the moment and asks for help",
        EscalationType::Dispute => "disputes an invoice",
        EscalationType::HumanRequest => "asks to talk to a person",
        EscalationType::Refused => "refuses to pay",
    };
    let invoice = of.invoice.iter().map(|number| format!("It is about invoice {number}."));
    let settle = "Settle it with your customer, then record in the dashboard how it was resolved.";
    Notice {
        subject: format!("{who} {what}"),
        paragraphs: [format!("{who} {what}.")]
            .into_iter()
            .chain(invoice)
            .chain([settle.to_owned()])
            .collect(),
        quote: Some(escalation.statement.as_str().to_owned()),
        link_text: "Open the escalation".to_owned(),
        path: format!("/dashboard/escalations/{}", escalation.id),
    }
}
