//! `/dashboard/settings/payments`: bank details, gateways, and how many days ahead payers may promise to pay.

use actix_web::HttpRequest;
use actix_web::http::StatusCode;
use http_server::ApiError;
use invoices::PromisePeriod;
use kernel::{Currency, Field, FieldErrors, FieldSource as _, Named as _, Version};
use pages::{Confirmation, Form, PaymentSettingsPage, ShownPaymentSettings};
use payments::{
    AccountNumber, BankDetailsInput, BankDetailsKind, Bic, Bsb, ChangeBankDetailsError, ChangeTermsError,
    GatewayKind, Iban, Instructions, NewBankDetails, PayId, PaymentSettings, PaymentTerms, RoutingNumber,
    SortCode, TermsChange, UnappliedMoney,
};
use sessions::AuditedChange;

use crate::forms::submit::{kept_form_token, new_form_token};
use crate::forms::{Done, FormError, FormFields, FormReader, PageError, PageResult, sent_version, submit};
use crate::gateway_settings;
use crate::page::{render, render_with};
use crate::routing::{self, Routes};
use crate::session_caller::SessionCaller;

pub(crate) const PATH: &str = "/dashboard/settings/payments";

pub(crate) fn configure(routes: &mut Routes<'_>) {
    routes.service(routing::form_page(PATH, show, send));
}

async fn show(caller: SessionCaller, http: HttpRequest) -> PageResult {
    caller.require_recent_authentication()?;
    let state = caller.state();
    let form = Form::new(new_form_token(state, caller.scope().id), stored_values(&caller).await?);
    let (settings, urls) = (settings(&caller).await?, state.links.clone());
    Ok(render(&http, move || PaymentSettingsPage::new(&settings, &form, &urls)).await?)
}

async fn terms(caller: &SessionCaller) -> Result<PaymentTerms, PageError> {
    let (state, account) = (caller.state(), caller.scope().id);
    let promise_days = state.promise_limits.promise_days(account).await?;
    Ok(PaymentTerms { promise_days, online: state.online.reads.settings(account).await? })
}

/// The values of fields before the owner changes them.
async fn stored_values(caller: &SessionCaller) -> Result<Vec<(String, String)>, PageError> {
    let terms = terms(caller).await?;
    let PaymentTerms { promise_days, online } = &terms;
    let currency = caller.scope().currency.code();
    Ok(vec![
        ("currency".to_owned(), currency.to_owned()),
        ("kind".to_owned(), usual_kind(currency).as_str().to_owned()),
        ("promise_days".to_owned(), promise_days.to_string()),
        ("minimum_percent".to_owned(), online.minimum_percent.to_string()),
        ("unapplied".to_owned(), online.unapplied.as_str().to_owned()),
        ("version".to_owned(), terms.version().as_str().to_owned()),
    ])
}

/// The usual kind of bank details for a currency.
fn usual_kind(currency: &str) -> BankDetailsKind {
    match currency {
        "AUD" => BankDetailsKind::Bsb,
        "EUR" => BankDetailsKind::Iban,
        "GBP" => BankDetailsKind::SortCode,
        "USD" => BankDetailsKind::Routing,
        _ => BankDetailsKind::Text,
    }
}

async fn settings(caller: &SessionCaller) -> Result<ShownPaymentSettings, PageError> {
    let state = caller.state();
    Ok(ShownPaymentSettings {
        company: caller.company_name().to_owned(),
        entries: state.bank_details.list(caller.scope()).await?,
        gateways: state.online.reads.gateways(caller.scope().id).await?,
        stripe_events: state.online.event_types(GatewayKind::Stripe),
        is_sandbox: state.sandbox.is_some(),
        time_zone: caller.scope().time_zone.clone(),
        delay: state.bank_details.delay,
        now: state.clock.now(),
        public: state.public_urls.clone(),
    })
}

async fn send(caller: SessionCaller, http: HttpRequest, form: FormFields) -> PageResult {
    caller.require_recent_authentication()?;
    let state = caller.state();
    let work = async || {
        match form.action().split_once('.') {
            Some(("remove", currency)) => remove(&caller, currency, &form).await?,
            Some(("connect", kind)) => gateway_settings::connect(&caller, kind, &form).await?,
            Some(("disconnect", id)) => gateway_settings::disconnect(&caller, id).await?,
            None if form.action() == "save_online" => set_online(&caller, &form).await?,
            None if form.action() == "save_promise_days" => set_promise_days(&caller, &form).await?,
            _ => change(&caller, &form).await?,
        }
        Ok(Done::confirmed(&state.links, PATH, Confirmation::Saved))
    };
    match submit(state, caller.scope().id, PATH, &form, work).await {
        Ok(response) => Ok(response),
        Err(refused) => {
            let faults = refused.into_faults()?;
            let form_token = kept_form_token(state, caller.scope().id, &form)?;
            let values = form.into_values_with(stored_values(&caller).await?);
            let form = Form::refused(form_token, values, faults);
            let (settings, urls) = (settings(&caller).await?, state.links.clone());
            let page = move || PaymentSettingsPage::new(&settings, &form, &urls);
            Ok(render_with(StatusCode::UNPROCESSABLE_ENTITY, &http, page).await?)
        }
    }
}

async fn change(caller: &SessionCaller, form: &FormFields) -> Result<(), FormError> {
    let (currency, details) = read(form)?;
    let new = NewBankDetails { currency, details };
    let bank_details = caller.audited(AuditedChange::of("bank_details.entered")).bank_details;
    let changed = bank_details.change(caller.scope(), &new, entries_version(form).as_ref()).await;
    changed.map_err(|error| to_form_error(error, caller))?;
    Ok(())
}

async fn remove(caller: &SessionCaller, currency: &str, form: &FormFields) -> Result<(), FormError> {
    let unknown = |_fault| FormError::Page(PageError::not_found());
    let currency = Currency::from_stored(currency).map_err(unknown)?;
    let bank_details = caller.audited(AuditedChange::of("bank_details.removed")).bank_details;
    let removed = bank_details.remove(caller.scope(), currency, entries_version(form).as_ref()).await;
    removed.map_err(|error| to_form_error(error, caller))?;
    Ok(())
}

/// The version of the bank details that the page of the form showed.
fn entries_version(form: &FormFields) -> Option<Version> {
    let sent = form.get("bank_details_version");
    (!sent.is_empty()).then(|| Version::from_text(sent))
}

async fn set_promise_days(caller: &SessionCaller, form: &FormFields) -> Result<(), FormError> {
    let mut reader = FormReader::new(form);
    match reader.text("promise_days", PromisePeriod::parse_days) {
        Field::Value(days) => change_terms(caller, TermsChange::PromiseDays(days), form).await,
        Field::Faulty => Err(reader.into_faults().into()),
        Field::Absent | Field::Null => Err(FieldErrors::one("promise_days", "is required").into()),
    }
}

async fn set_online(caller: &SessionCaller, form: &FormFields) -> Result<(), FormError> {
    let mut reader = FormReader::new(form);
    let percent = |text: &str| {
        let percent = text.trim().parse::<u8>().ok().filter(|percent| (1..=100).contains(percent));
        percent.ok_or("must be a whole number from 1 to 100")
    };
    let minimum_percent = reader.text("minimum_percent", percent);
    let unapplied = reader.text("unapplied", UnappliedMoney::parse);
    reader
        .require([("minimum_percent", minimum_percent.is_missing()), ("unapplied", unapplied.is_missing())]);
    let (Field::Value(minimum_percent), Field::Value(unapplied)) = (minimum_percent, unapplied) else {
        return Err(reader.into_faults().into());
    };
    let settings = PaymentSettings { minimum_percent, unapplied };
    change_terms(caller, TermsChange::Online(settings), form).await
}

/// Changes the terms that still have the version of the form.
async fn change_terms(
    caller: &SessionCaller,
    change: TermsChange,
    form: &FormFields,
) -> Result<(), FormError> {
    let action = match change {
        TermsChange::PromiseDays(_) => "promise_days.changed",
        TermsChange::Online(_) => "payments.changed",
    };
    let online = caller.audited(AuditedChange::of(action)).online;
    let changed = online.change_terms(caller.scope().id, change, sent_version(form).as_ref()).await;
    changed.map_err(|error| match error {
        ChangeTermsError::Changed => PageError::changed(caller.state().links.page(PATH)).into(),
        ChangeTermsError::NotFound => PageError::not_found().into(),
        ChangeTermsError::Store(error) => error.into(),
    })
}

fn read(form: &FormFields) -> Result<(Currency, payments::BankDetails), FieldErrors> {
    let mut reader = FormReader::new(form);
    let input = BankDetailsInput {
        currency: reader.text("currency", Currency::parse),
        kind: reader.text("kind", BankDetailsKind::parse),
        holder: reader.line("holder"),
        iban: reader.text("iban", Iban::parse),
        bic: reader.text("bic", Bic::parse),
        bsb: reader.text("bsb", Bsb::parse),
        sort_code: reader.text("sort_code", SortCode::parse),
        routing_number: reader.text("routing_number", RoutingNumber::parse),
        account_number: reader.text("account_number", AccountNumber::parse),
        pay_id: reader.text("pay_id", PayId::parse),
        instructions: reader.text("instructions", Instructions::parse),
    };
    input.check(&reader.into_faults())
}

fn to_form_error(error: ChangeBankDetailsError, caller: &SessionCaller) -> FormError {
    match error {
        ChangeBankDetailsError::Changed => PageError::changed(caller.state().links.page(PATH)).into(),
        ChangeBankDetailsError::Store(error) => error.into(),
        error => ApiError::internal(error).into(),
    }
}
