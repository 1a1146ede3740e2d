//! The letterhead of an account: name, addresses and colours of the company that issues an invoice.

mod payload;

use std::sync::Arc;

pub use kernel::LogoKind;
use kernel::{EmailAddress, LogoKey, SingleLine, TimeZone};
use mail::{DisplayName, MailMessage};
use time::{Date, OffsetDateTime};

/// The text is not a letterhead.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
#[error("is not a letterhead")]
pub struct NotALetterhead;

/// Name, addresses and colours of the company that issues an invoice.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Letterhead {
    /// The company's name.
    pub company_name: String,
    /// The e-mail address.
    pub email: Option<String>,
    /// The phone number.
    pub phone: Option<String>,
    /// The Australian business number.
    pub abn: Option<String>,
    /// The postal address, a line each, from the street to the country.
    pub address_lines: Vec<String>,
    /// The time zone of dates that are shown for instants; UTC when `None`.
    pub time_zone: Option<TimeZone>,
    /// The brand's colour, `#1A2B3C`. Any other text is treated as `None`.
    pub brand_color: Option<String>,
    /// The key of the stored logo. [`InvoiceRenderer`](crate::InvoiceRenderer) reads its picture and makes
    /// its address.
    pub logo_key: Option<LogoKey>,
    /// The logo, for documents that embed it.
    pub logo: Option<LetterheadLogo>,
    /// The logo's address, `https://` or `http://`. Any other text is treated as `None`.
    pub logo_url: Option<String>,
}

impl Letterhead {
    /// Where replies to the company's mail go, unless the service receives them: to its e-mail address, if
    /// that is valid.
    #[must_use]
    pub fn reply_to(&self) -> Option<EmailAddress> {
        EmailAddress::parse(self.email.as_deref()?).ok()
    }

    /// The message with the company as its sender. Without a usable name or address, the operator's are used.
    #[must_use]
    pub fn addressed(&self, message: MailMessage, to_name: Option<DisplayName>) -> MailMessage {
        let from_name = SingleLine::shortened(&self.company_name).ok();
        MailMessage { from_name, reply_to: self.reply_to(), to_name, ..message }
    }

    /// The company's date at an instant.
    #[must_use]
    pub fn date_at(&self, instant: OffsetDateTime) -> Date {
        self.time_zone.as_ref().map_or(instant.date(), |zone| zone.date_at(instant))
    }
}

/// The picture of a logo, as it was uploaded.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct LetterheadLogo {
    /// The bytes of the picture.
    pub bytes: Arc<[u8]>,
    /// Their format.
    pub kind: LogoKind,
}
