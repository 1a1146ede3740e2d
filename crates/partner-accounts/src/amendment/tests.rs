use access::{ApiKey, KeySpace};
use kernel::{Currency, EmailAddress, Id, Ids as _, SingleLine};
use testkit::{CountingIds, FixedClock, FixedRandom};

use super::*;
use crate::brand_color::BrandColor;
use crate::profile::NewAccount;

fn account() -> Account {
    let (ids, now) = (CountingIds::default(), FixedClock::START);
    let key = ApiKey::generate(KeySpace::Account, &FixedRandom::default());
    let key = key.record(Id::from_uuid(ids.uuid_at(now)), now);
    let input = ProfileInput {
        company_name: value("Acme"),
        email: Field::Value(EmailAddress::parse("ada@acme.example.com").unwrap()),
        first_name: value("Ada"),
        external_id: value("c-1"),
        ..ProfileInput::default()
    };
    let new = NewAccount::check(input, FieldErrors::default()).unwrap();
    let (id, partner) = (ids.uuid_at(now), ids.uuid_at(now));
    let aud = Currency::parse("AUD").unwrap();
    Account::open(new, Id::from_uuid(id), Id::from_uuid(partner), aud, &key, now)
}

fn value<const MAX: usize>(text: &str) -> Field<SingleLine<MAX>> {
    Field::Value(SingleLine::parse(text).unwrap())
}

fn amended(input: AmendmentInput) -> Account {
    let mut account = account();
    let amendment = AccountAmendment::check(input, FieldErrors::default()).unwrap();
    let slug = amendment.slug(&account.payment_slug).unwrap_or(account.payment_slug.clone());
    amendment.apply(&mut account, slug).unwrap();
    account
}

#[test]
fn only_what_was_sent_changes_and_null_clears() {
    assert_eq!(amended(AmendmentInput::default()), account());
    let changed = amended(AmendmentInput {
        profile: ProfileInput {
            company_name: value("Acme Two"),
            first_name: Field::Null,
            external_id: Field::Null,
            payment_slug: value("Pay Acme!"),
            brand_color: Field::Value(BrandColor::parse("#010203").unwrap()),
            communications_enabled: Field::Value(false),
            ..ProfileInput::default()
        },
        ..AmendmentInput::default()
    });
    let mut wanted = account();
    wanted.external_id = None;
    wanted.payment_slug = PaymentSlug::suggest("pay-acme");
    wanted.profile.company_name = SingleLine::parse("Acme Two").unwrap();
    wanted.profile.first_name = None;
    wanted.profile.brand_color = Some(BrandColor::parse("#010203").unwrap());
    wanted.profile.communications_enabled = false;
    assert_eq!(changed, wanted);
}

#[test]
fn null_in_required_fields_and_fixed_fields_are_named_at_once() {
    let input = AmendmentInput {
        email: Field::Null,
        status: Field::Null,
        profile: ProfileInput {
            company_name: Field::Null,
            timezone: Field::Null,
            payment_slug: Field::Null,
            communications_enabled: Field::Null,
            invoice_prefix: value("A\u{200b}"),
            phone: Field::Faulty,
            ..ProfileInput::default()
        },
    };
    assert!(!input.is_empty());
    let faults = AccountAmendment::check(input, FieldErrors::one("phone", "must be a string"));
    let faults = faults.unwrap_err();
    let named: Vec<_> = faults.iter().map(|fault| fault.field.as_str()).collect();
    let wanted = [
        "phone", "email", "company_name", "timezone", "payment_slug", "communications_enabled", "status",
        "invoice_prefix",
    ];
    assert_eq!(named, wanted);
}

#[test]
fn the_partner_cannot_switch_on_what_the_operator_switched_off() {
    let mut account = account();
    let to = |account: &mut Account, status| {
        let slug = account.payment_slug.clone();
        AccountAmendment::to_status(status).apply(account, slug)
    };
    to(&mut account, AccountStatus::Inactive).unwrap();
    assert_eq!(account.status(), AccountStatus::Inactive);
    to(&mut account, AccountStatus::Active).unwrap();
    assert_eq!(account.status(), AccountStatus::Active);
    account.switches.disabled_by_operator = true;
    let before = account.clone();
    assert_eq!(to(&mut account, AccountStatus::Active), Err(SwitchedOffByOperator));
    assert_eq!(account, before);
    // The partner may set its own switch as well, and reset it only after the operator has reset theirs.
    to(&mut account, AccountStatus::Inactive).unwrap();
    assert!(account.switches.disabled_by_partner);
}
