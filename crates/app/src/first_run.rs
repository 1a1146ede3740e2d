//! The first run on an empty embedded database: a partner, an account, and commands to try.

use std::fmt::Write as _;
use std::sync::Arc;

use kernel::{AccountToken, EmailAddress, Field, Operator, PublicUrls, SealingKeys, SingleLine};
use partner_accounts::{BootstrapKeys, PartnerName, ProfileInput};

use crate::wiring::Dependencies;

/// The keys and the invitation that the first run created, as plain text, to be printed once.
pub struct FirstKeys {
    keys: BootstrapKeys,
    invitation: AccountToken,
}

/// Creates a first partner and one account if there is no partner yet; `None` if there is one. All or
/// nothing, and when several processes start at once, only one of them does it.
pub async fn prepare(deps: &Dependencies, sealing: Arc<SealingKeys>) -> anyhow::Result<Option<FirstKeys>> {
    let input = ProfileInput {
        company_name: Field::Value(SingleLine::parse("Example Company")?),
        email: Field::Value(EmailAddress::parse("owner@example.com")?),
        external_id: Field::Value(SingleLine::parse("first-account")?),
        ..ProfileInput::default()
    };
    let (operator, name) = (Operator::at_the_command_line(), PartnerName::parse("First partner")?);
    // Set up first: what is created below is shown only if nothing fails after it.
    let (accounts, logins) = (deps.operator_accounts(), deps.logins(sealing)?);
    let founded = accounts.bootstrap(operator, name, input, deps.settings.default_currency).await?;
    let Some(keys) = founded else {
        return Ok(None);
    };
    let (_, invitation) = logins.invite(operator, keys.account).await?;
    Ok(Some(FirstKeys { keys, invitation }))
}

impl FirstKeys {
    /// The text to print: both keys, and commands to paste. Each line that begins with `curl` is a complete
    /// command.
    #[must_use]
    pub fn welcome(&self, urls: &PublicUrls) -> String {
        let (api, docs) = (urls.api(), urls.docs());
        let (partner, account) = (self.keys.partner_key.reveal(), self.keys.account_key.reveal());
        let dashboard = urls.invitation(self.invitation.reveal());
        let json = "-H 'Content-Type: application/json'";
        let invoice = r#"{"contact":{"name":"Ada Lovelace","email":"ada@example.com"},"line_items":[{"description":"Consulting","quantity":2,"unit_amount":50,"tax_rate":10}]}"#;
        let customer = r#"{"company_name":"Customer Pty Ltd","email":"owner@customer.example.com","external_id":"customer-1"}"#;
        let mut text = String::new();
        // Writing to a string cannot fail.
        let _ = write!(
            text,
            "\nThis is a new database, so a first partner and one account were made.\n\
             Keep these keys: they are shown this once.\n\n  \
             partner key  {partner}\n  account key  {account}\n\n\
             Raise an invoice, list the invoices, provision another account:\n\n\
             curl -sS -X POST '{api}/invoices' -H 'Authorization: Bearer {account}' {json} -H 'Idempotency-Key: first-invoice' -d '{invoice}'\n\n\
             curl -sS '{api}/invoices' -H 'Authorization: Bearer {account}'\n\n\
             curl -sS -X POST '{api}/partner/accounts' -H 'Authorization: Bearer {partner}' {json} -d '{customer}'\n\n\
             The API's documentation is at {docs}\n\n\
             Open the dashboard: {dashboard}\n"
        );
        text
    }
}
