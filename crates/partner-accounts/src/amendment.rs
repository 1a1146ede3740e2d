//! An amendment of an account: the fields that a partner sent to change it.

use kernel::{Field, FieldErrors};

use crate::account::{Account, AccountStatus, SwitchedOffByOperator};
use crate::profile::{ProfileInput, check_invoice_prefix};
use crate::slug::PaymentSlug;

/// The fields of an amendment as the partner sent them.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct AmendmentInput {
    /// Whether the owner's e-mail address was sent. It cannot be changed.
    pub email: Field<()>,
    /// `active` or `inactive`.
    pub status: Field<AccountStatus>,
    /// All other fields. The e-mail address in it is ignored.
    pub profile: ProfileInput,
}

/// A validated amendment. No field is [`Field::Faulty`], and no required field is [`Field::Null`].
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct AccountAmendment {
    status: Option<AccountStatus>,
    pub(crate) fields: ProfileInput,
}

impl AmendmentInput {
    /// Whether no field was sent.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        *self == Self::default()
    }
}

impl AccountAmendment {
    /// Checks the fields; `faults` are those found in parsing them. The check does not depend on the account.
    ///
    /// # Errors
    /// Every faulty field.
    pub fn check(input: AmendmentInput, mut faults: FieldErrors) -> Result<Self, FieldErrors> {
        let (email, status, fields) = (input.email, input.status, input.profile);
        if !matches!(email, Field::Absent) {
            faults.add("email", "cannot be changed");
        }
        let communications = &fields.communications_enabled;
        for (name, is_null, what) in [
            ("company_name", fields.company_name == Field::Null, "must not be empty"),
            ("timezone", fields.timezone == Field::Null, "must be the name of a time zone; UTC is one"),
            ("payment_slug", fields.payment_slug == Field::Null, "must not be empty"),
            ("communications_enabled", *communications == Field::Null, "must be true or false"),
            ("status", status == Field::Null, "must be active or inactive"),
        ] {
            if is_null {
                faults.add(name, what);
            }
        }
        check_invoice_prefix(&fields.invoice_prefix, &mut faults);
        faults.into_result()?;
        Ok(Self { status: status.value(), fields })
    }

    /// An amendment of the status only.
    #[must_use]
    pub fn to_status(status: AccountStatus) -> Self {
        Self { status: Some(status), fields: ProfileInput::default() }
    }

    /// The requested name of the payment page, if one was sent that is not the `present` one.
    #[must_use]
    pub fn slug(&self, present: &PaymentSlug) -> Option<PaymentSlug> {
        let requested = self.fields.payment_slug.as_value()?.as_str();
        (!present.is_requested_by(requested)).then(|| PaymentSlug::suggest(requested))
    }

    /// Applies the amendment to all fields of an account except its logo. `slug` is the new name of its
    /// payment page.
    ///
    /// # Errors
    /// [`SwitchedOffByOperator`]; then nothing was changed.
    pub fn apply(self, account: &mut Account, slug: PaymentSlug) -> Result<(), SwitchedOffByOperator> {
        if let Some(status) = self.status {
            account.switch(status)?;
        }
        put(&mut account.external_id, self.fields.external_id.clone());
        put(&mut account.webhook, self.fields.webhook_url.clone());
        self.apply_to_profile(account, slug);
        Ok(())
    }

    /// Applies the amendment to the fields that the owner can change too, except the logo.
    pub(crate) fn apply_to_profile(self, account: &mut Account, slug: PaymentSlug) {
        let (sent, profile) = (self.fields, &mut account.profile);
        account.payment_slug = slug;
        set(&mut profile.company_name, sent.company_name);
        put(&mut profile.first_name, sent.first_name);
        put(&mut profile.last_name, sent.last_name);
        put(&mut profile.phone, sent.phone);
        put(&mut profile.abn, sent.abn);
        set(&mut profile.time_zone, sent.timezone);
        put(&mut profile.address_line1, sent.address_line1);
        put(&mut profile.address_city, sent.address_city);
        put(&mut profile.address_state, sent.address_state);
        put(&mut profile.address_postal_code, sent.address_postal_code);
        put(&mut profile.address_country, sent.address_country);
        put(&mut profile.invoice_prefix, sent.invoice_prefix);
        put(&mut profile.brand_color, sent.brand_color);
        set(&mut profile.communications_enabled, sent.communications_enabled);
    }
}

/// Sets or clears a field.
fn put<T>(place: &mut Option<T>, sent: Field<T>) {
    match sent {
        Field::Value(value) => *place = Some(value),
        Field::Null => *place = None,
        Field::Absent | Field::Faulty => {}
    }
}

/// Sets a field that cannot be empty.
fn set<T>(place: &mut T, sent: Field<T>) {
    if let Field::Value(value) = sent {
        *place = value;
    }
}

#[cfg(test)]
mod tests;
