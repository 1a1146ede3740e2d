//! `partner`: create and manage partners.

use kernel::{Operator, PartnerId, instant_text};
use partner_accounts::Partner;
use serde::Serialize;

use super::{open, open_or_make};
use crate::cli::{OnePartner, PartnerCommand};
use crate::output::{Output, columns};
use crate::settings::Settings;

#[derive(Serialize)]
struct PartnerOutput {
    partner_id: String,
    name: String,
    status: &'static str,
    created_at: String,
}

#[derive(Serialize)]
struct Created {
    partner_id: String,
    name: String,
    partner_key: String,
}

#[derive(Serialize)]
struct RotatedPartnerKey {
    partner_id: String,
    partner_key: String,
}

impl From<Partner> for PartnerOutput {
    fn from(partner: Partner) -> Self {
        Self {
            partner_id: partner.id.to_string(),
            status: partner.status(),
            created_at: instant_text(partner.created_at),
            name: partner.name.into_string(),
        }
    }
}

/// Runs a command on partners.
pub async fn run(settings: Settings, command: PartnerCommand, output: Output) -> anyhow::Result<()> {
    // A partner may be the first record of a new database.
    let deps = match &command {
        PartnerCommand::Create { .. } => open_or_make(settings).await?,
        _ => open(settings).await?,
    };
    let accounts = deps.operator_accounts();
    let operator = Operator::at_the_command_line();
    let switch = async |id: PartnerId, disabled: bool| {
        let partner = accounts.set_partner_disabled(operator, id, disabled).await?;
        let status = partner.status();
        tracing::info!(partner_id = %id, status, "the operator changed the status of a partner");
        output.show(&PartnerOutput::from(partner), |shown| format!("{} is {} now", shown.name, shown.status))
    };
    match command {
        PartnerCommand::Create { name } => {
            let (partner, key) = accounts.create_partner(operator, name).await?;
            let created = Created {
                partner_id: partner.id.to_string(),
                name: partner.name.into_string(),
                partner_key: key.reveal().to_owned(),
            };
            output.show(&created, |created| {
                format!(
                    "{} is partner {}\nIts key, shown this once: {}",
                    created.name, created.partner_id, created.partner_key
                )
            })
        }
        PartnerCommand::List => {
            let partners = accounts.store.partners(operator).await?;
            output
                .of_reading()
                .show(&partners.into_iter().map(PartnerOutput::from).collect::<Vec<_>>(), |shown| list(shown))
        }
        PartnerCommand::Disable(OnePartner { id }) => switch(id, true).await,
        PartnerCommand::Enable(OnePartner { id }) => switch(id, false).await,
        PartnerCommand::RotateKey(OnePartner { id }) => {
            let key = accounts.rotate_partner_key(operator, id).await?;
            tracing::info!(partner_id = %id, "the operator replaced the key of a partner");
            let rotated =
                RotatedPartnerKey { partner_id: id.to_string(), partner_key: key.reveal().to_owned() };
            output.show(&rotated, |rotated| {
                format!("Every earlier key is revoked. The new one, shown this once: {}", rotated.partner_key)
            })
        }
    }
}

fn list(partners: &[PartnerOutput]) -> String {
    if partners.is_empty() {
        return "There is no partner yet; `countinghouse partner create --name NAME` makes one.".to_owned();
    }
    let row = |partner: &PartnerOutput| {
        vec![
            partner.partner_id.clone(),
            partner.status.to_owned(),
            partner.created_at.clone(),
            partner.name.clone(),
        ]
    };
    columns(&["partner_id", "status", "created_at", "name"], &partners.iter().map(row).collect::<Vec<_>>())
}
