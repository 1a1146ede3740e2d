//! The letterhead as the store keeps it with a mail: one JSON object of the account's columns.

use kernel::{LogoKey, TimeZone};
use mail::{QueuedMail, RenderError};
use serde::Deserialize;

use super::{Letterhead, NotALetterhead};

/// The columns of the account, and the e-mail address of its owner.
#[derive(Deserialize)]
struct LetterheadColumns {
    company_name: String,
    email: Option<String>,
    phone: Option<String>,
    abn: Option<String>,
    address_line1: Option<String>,
    address_city: Option<String>,
    address_state: Option<String>,
    address_postal_code: Option<String>,
    address_country: Option<String>,
    time_zone: Option<String>,
    brand_color: Option<String>,
    logo_key: Option<String>,
}

impl Letterhead {
    /// A letterhead from the store: a JSON object with the columns that [`Jobs::queue`](outbox::Jobs::queue)
    /// names.
    pub fn from_stored(json: &str) -> Result<Self, NotALetterhead> {
        let columns: LetterheadColumns = serde_json::from_str(json).map_err(|_fault| NotALetterhead)?;
        let town = [columns.address_city, columns.address_state, columns.address_postal_code];
        let town: Vec<String> = town.into_iter().flatten().collect();
        let town = (!town.is_empty()).then(|| town.join(" "));
        let lines = [columns.address_line1, town, columns.address_country];
        Ok(Self {
            company_name: columns.company_name,
            email: columns.email,
            phone: columns.phone,
            abn: columns.abn,
            address_lines: lines.into_iter().flatten().collect(),
            time_zone: columns.time_zone.as_deref().map(TimeZone::from_stored),
            brand_color: columns.brand_color,
            logo_key: columns.logo_key.map(LogoKey::from_stored),
            logo: None,
            logo_url: None,
        })
    }

    /// The letterhead that is stored with a mail.
    pub fn of_mail(mail: &QueuedMail) -> Result<Self, RenderError> {
        Self::from_stored(mail.letterhead.as_deref().unwrap_or_default())
            .map_err(|_fault| RenderError::Payload("its letterhead is missing or wrong"))
    }
}
