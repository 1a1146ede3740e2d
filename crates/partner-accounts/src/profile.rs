//! The profile of an account, and its input.

use kernel::{EmailAddress, Field, FieldErrors, FieldSource, HttpsUrl, SingleLine, TimeZone};

use crate::brand_color::BrandColor;
use crate::logo_address::LogoAddress;
use crate::slug::PaymentSlug;

/// The fields of a new account as the partner sent them.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct ProfileInput {
    /// The partner's own identifier for the customer, at most 255 characters.
    pub external_id: Field<SingleLine<255>>,
    pub company_name: Field<SingleLine<200>>,
    pub email: Field<EmailAddress>,
    pub first_name: Field<SingleLine<200>>,
    pub last_name: Field<SingleLine<200>>,
    pub phone: Field<SingleLine<200>>,
    /// The Australian business number, in free text.
    pub abn: Field<SingleLine<200>>,
    /// The time zone, which determines dates.
    pub timezone: Field<TimeZone>,
    pub address_line1: Field<SingleLine<200>>,
    pub address_city: Field<SingleLine<200>>,
    pub address_state: Field<SingleLine<200>>,
    pub address_postal_code: Field<SingleLine<200>>,
    pub address_country: Field<SingleLine<200>>,
    /// The prefix of its invoice numbers.
    pub invoice_prefix: Field<SingleLine<20>>,
    /// The requested name of its payment page.
    pub payment_slug: Field<SingleLine<200>>,
    /// The address of its webhook endpoint.
    pub webhook_url: Field<HttpsUrl>,
    /// The address that its logo is downloaded from.
    pub logo_url: Field<LogoAddress>,
    pub brand_color: Field<BrandColor>,
    /// Whether the service may send messages to its customers.
    pub communications_enabled: Field<bool>,
}

impl ProfileInput {
    /// Reads the fields that partners and owners send alike.
    pub fn read(source: &mut impl FieldSource) -> Self {
        Self {
            company_name: source.line("company_name"),
            first_name: source.line("first_name"),
            last_name: source.line("last_name"),
            phone: source.line("phone"),
            abn: source.line("abn"),
            timezone: source.text("timezone", TimeZone::parse),
            address_line1: source.line("address_line1"),
            address_city: source.line("address_city"),
            address_state: source.line("address_state"),
            address_postal_code: source.line("address_postal_code"),
            address_country: source.line("address_country"),
            invoice_prefix: source.line("invoice_prefix"),
            payment_slug: source.line("payment_slug"),
            ..Self::default()
        }
    }
}

/// The profile of an account.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Profile {
    pub company_name: SingleLine<200>,
    pub first_name: Option<SingleLine<200>>,
    pub last_name: Option<SingleLine<200>>,
    pub phone: Option<SingleLine<200>>,
    /// The Australian business number.
    pub abn: Option<SingleLine<200>>,
    /// The time zone, which determines dates.
    pub time_zone: TimeZone,
    pub address_line1: Option<SingleLine<200>>,
    pub address_city: Option<SingleLine<200>>,
    pub address_state: Option<SingleLine<200>>,
    pub address_postal_code: Option<SingleLine<200>>,
    pub address_country: Option<SingleLine<200>>,
    /// The prefix of its invoice numbers; `None` for the service's default.
    pub invoice_prefix: Option<SingleLine<20>>,
    pub brand_color: Option<BrandColor>,
    /// Whether the service may send messages to its customers.
    pub communications_enabled: bool,
}

/// The validated fields of a new account.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct NewAccount {
    /// The partner's own identifier.
    pub external_id: Option<SingleLine<255>>,
    pub email: EmailAddress,
    /// The requested name of the payment page.
    pub slug: PaymentSlug,
    /// The address of the webhook endpoint, if one is requested.
    pub webhook: Option<HttpsUrl>,
    pub profile: Profile,
}

impl NewAccount {
    /// Checks the fields that were sent; `faults` are those found in parsing them.
    ///
    /// # Errors
    /// Every faulty field.
    pub fn check(input: ProfileInput, mut faults: FieldErrors) -> Result<Self, FieldErrors> {
        if input.company_name.is_missing() {
            faults.add("company_name", "is required");
        }
        if input.email.is_missing() {
            faults.add("email", "is required");
        }
        if matches!(input.communications_enabled, Field::Null) {
            faults.add("communications_enabled", "must be true or false");
        }
        check_invoice_prefix(&input.invoice_prefix, &mut faults);
        let (Some(company_name), Some(email)) = (input.company_name.value(), input.email.value()) else {
            return Err(faults);
        };
        faults.into_result()?;
        let requested = input.payment_slug.value();
        let slug = PaymentSlug::suggest(requested.as_ref().map_or(company_name.as_str(), SingleLine::as_str));
        Ok(Self {
            external_id: input.external_id.value(),
            email,
            slug,
            webhook: input.webhook_url.value(),
            profile: Profile {
                company_name,
                first_name: input.first_name.value(),
                last_name: input.last_name.value(),
                phone: input.phone.value(),
                abn: input.abn.value(),
                time_zone: input.timezone.value().unwrap_or_else(TimeZone::utc),
                address_line1: input.address_line1.value(),
                address_city: input.address_city.value(),
                address_state: input.address_state.value(),
                address_postal_code: input.address_postal_code.value(),
                address_country: input.address_country.value(),
                invoice_prefix: input.invoice_prefix.value(),
                brand_color: input.brand_color.value(),
                communications_enabled: input.communications_enabled.value().unwrap_or(true),
            },
        })
    }
}

/// A prefix may have the same characters as a chosen invoice number. Stored prefixes are not checked again.
pub(crate) fn check_invoice_prefix(prefix: &Field<SingleLine<20>>, faults: &mut FieldErrors) {
    let checked = prefix.as_value().map(SingleLine::check_printable);
    if let Some(Err(fault)) = checked {
        faults.add("invoice_prefix", fault);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn input() -> ProfileInput {
        ProfileInput {
            company_name: Field::Value(SingleLine::parse("Acme Pty Ltd").unwrap()),
            email: Field::Value(EmailAddress::parse("owner@acme.example.com").unwrap()),
            ..ProfileInput::default()
        }
    }

    #[test]
    fn a_name_and_an_address_are_enough() {
        let new = NewAccount::check(input(), FieldErrors::default()).unwrap();
        assert_eq!(new.slug.as_str(), "acme-pty-ltd");
        assert_eq!(new.profile.time_zone.name(), "UTC");
        assert!(new.profile.communications_enabled);
    }

    #[test]
    fn an_unprintable_character_in_the_invoice_prefix_is_refused() {
        for (prefix, is_taken) in [("Ü 7/", true), ("A\u{200b}", false), ("A\u{a0}B", false)] {
            let sent =
                ProfileInput { invoice_prefix: Field::Value(SingleLine::parse(prefix).unwrap()), ..input() };
            let checked = NewAccount::check(sent, FieldErrors::default());
            assert_eq!(checked.is_ok(), is_taken, "{prefix:?}");
            assert!(checked.err().is_none_or(|faults| faults.names("invoice_prefix")));
        }
    }

    #[test]
    fn every_fault_is_named_at_once() {
        let sent = ProfileInput {
            webhook_url: Field::Faulty,
            logo_url: Field::Faulty,
            communications_enabled: Field::Null,
            ..ProfileInput::default()
        };
        let mut read = FieldErrors::one("webhook_url", "no https");
        read.add("logo_url", "no https");
        let faults = NewAccount::check(sent, read).unwrap_err();
        let named: Vec<_> = faults.iter().map(|fault| fault.field.as_str()).collect();
        assert_eq!(named, ["webhook_url", "logo_url", "company_name", "email", "communications_enabled",]);
    }
}
