//! `/dashboard/settings/profile`: the account's profile.

use actix_web::http::StatusCode;
use actix_web::web::Payload;
use actix_web::{HttpRequest, HttpResponse};
use http_server::ApiError;
use kernel::{Field, FieldSource as _, HttpsUrl, Version};
use pages::{Confirmation, Form, ProfilePage, profile_values};
use partner_accounts::{
    Account, AmendProfileError, BrandColor, LogoAddress, LogoUnavailable, ProfileAmendment, ProfileInput,
};
use sessions::AuditedChange;

use super::errors::own_account_error;
use crate::forms::submit::{new_form_token, see_other};
use crate::forms::upload::Upload;
use crate::forms::{Done, FormError, FormFields, FormReader, PageError, PageResult, submit};
use crate::page::{render, render_with};
use crate::routing::{Routes, form_page, page};
use crate::session_caller::SessionCaller;

const PATH: &str = "/dashboard/settings/profile";

pub(crate) fn configure(routes: &mut Routes<'_>) {
    routes.service(page("/dashboard/settings", first)).service(form_page(PATH, show, save));
}

/// The address above the pages of the settings leads to the first of them.
async fn first(caller: SessionCaller) -> HttpResponse {
    see_other(&caller.state().links.page(PATH))
}

async fn show(caller: SessionCaller, http: HttpRequest) -> PageResult {
    let state = caller.state();
    let account = state.own_accounts.get(caller.scope().id).await.map_err(own_account_error)?;
    let form =
        Form::new(new_form_token(state, caller.scope().id), profile_values(&account, &state.public_urls));
    let (urls, version) = (state.links.clone(), account.version().as_str().to_owned());
    Ok(render(&http, move || ProfilePage::new(&account, &form, version, &urls)).await?)
}

async fn save(caller: SessionCaller, http: HttpRequest, payload: Payload) -> PageResult {
    let Upload { fields, file } = Upload::read(&http, payload, "logo").await?;
    let caller = caller.still_signed_in(&http).await?;
    let (state, id) = (caller.state(), caller.scope().id);
    let saved = submit(state, id, http.path(), &fields, async || {
        let account = state.own_accounts.get(id).await.map_err(own_account_error)?;
        let version = Version::from_text(fields.get("version"));
        let mut reader = FormReader::new(&fields);
        let input = read(&mut reader, &fields, logo_address(&caller, &account).as_deref());
        let amendment = ProfileAmendment { fields: input, logo: file.clone(), version: Some(version) };
        let own_accounts = caller.audited(AuditedChange::of("profile.changed")).own_accounts;
        let amended = own_accounts.amend_profile(id, amendment, reader.into_faults()).await;
        amended.map_err(|error| to_form_error(error, file.is_some(), || state.links.page(PATH)))?;
        Ok(Done::confirmed(&state.links, PATH, Confirmation::Saved))
    });
    let error = match saved.await {
        Ok(response) => return Ok(response),
        Err(error) => error,
    };
    let version = fields.get("version").to_owned();
    let form = fields.shown_again(state, id, error)?;
    let account = state.own_accounts.get(id).await.map_err(own_account_error)?;
    let urls = state.links.clone();
    let page = move || ProfilePage::new(&account, &form, version, &urls);
    Ok(render_with(StatusCode::UNPROCESSABLE_ENTITY, &http, page).await?)
}

/// The URL of the stored copy of the logo, as the form shows it.
fn logo_address(caller: &SessionCaller, account: &Account) -> Option<String> {
    account.logo.as_ref().map(|logo| caller.state().public_urls.logo(logo))
}

fn read(reader: &mut FormReader<'_>, fields: &FormFields, shown_logo: Option<&str>) -> ProfileInput {
    // The URL that the form shows means no change, and need not be valid as a new one.
    let is_unchanged = shown_logo == Some(fields.get("logo_url"));
    let shared = ProfileInput::read(reader);
    ProfileInput {
        brand_color: reader.text("brand_color", BrandColor::parse),
        communications_enabled: reader.text("communications_enabled", |text| match text {
            "true" => Ok(true),
            "false" => Ok(false),
            _ => Err("must be true or false"),
        }),
        logo_url: if is_unchanged {
            Field::Absent
        } else {
            reader.text("logo_url", |text| HttpsUrl::parse(text.trim())).map(LogoAddress::from)
        },
        ..shared
    }
}

fn to_form_error(error: AmendProfileError, has_file: bool, current: impl FnOnce() -> String) -> FormError {
    match error {
        AmendProfileError::Invalid(mut faults) => {
            if has_file {
                // Browsers do not send a file again with the form that is shown again.
                faults.add("logo", "was not stored, because of the other fields; choose the file again");
            }
            faults.into()
        }
        AmendProfileError::Changed => PageError::changed(current()).into(),
        AmendProfileError::NotFound => PageError::not_found().into(),
        AmendProfileError::Logo(LogoUnavailable::Store(error)) | AmendProfileError::Store(error) => {
            error.into()
        }
        AmendProfileError::Logo(error @ (LogoUnavailable::Copies(_) | LogoUnavailable::TooLate)) => {
            ApiError::internal(error).into()
        }
    }
}
