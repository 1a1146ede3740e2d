//! `/dashboard/settings/notifications`: which notices the owner gets by mail.

use actix_web::HttpRequest;
use http_server::ApiError;
use kernel::{FieldErrors, Named as _};
use mail::{OwnerNotice, SilencedNotices};
use pages::{Confirmation, Form, NotificationsPage};
use partner_accounts::OwnAccountError;
use serde_json::Value;
use sessions::AuditedChange;

use super::errors::own_account_error;
use crate::forms::submit::new_form_token;
use crate::forms::{Done, FormError, FormFields, PageError, PageResult, submit};
use crate::page::render;
use crate::routing::{Routes, form_page};
use crate::session_caller::SessionCaller;

const PATH: &str = "/dashboard/settings/notifications";

pub(crate) fn configure(routes: &mut Routes<'_>) {
    routes.service(form_page(PATH, show, save));
}

async fn show(caller: SessionCaller, http: HttpRequest) -> PageResult {
    let state = caller.state();
    let silenced = state.own_accounts.silenced(caller.scope().id).await.map_err(own_account_error)?;
    let on = OwnerNotice::ALL.iter().copied().filter(|kind| !silenced.contain(*kind));
    let values = on.map(|kind| ("notices".to_owned(), kind.as_str().to_owned())).collect();
    let form = Form::new(new_form_token(state, caller.scope().id), values);
    let (urls, company) = (state.links.clone(), caller.company_name().to_owned());
    let version = silenced.bits().to_string();
    Ok(render(&http, move || NotificationsPage::new(&company, &form, version, &urls)).await?)
}

async fn save(caller: SessionCaller, http: HttpRequest, fields: FormFields) -> PageResult {
    let (state, account) = (caller.state(), caller.scope().id);
    let saved = submit(state, account, http.path(), &fields, async || {
        let silenced = read(&fields)?;
        let before = fields.get("version").parse().map(SilencedNotices::from_bits);
        let before = before.map_err(|_no_version| {
            PageError::conflict("The form was not sent from its page. Open the page again.")
        })?;
        let own_accounts = caller.audited(change(before, silenced)).own_accounts;
        let changed = own_accounts.silence(account, before, silenced).await;
        changed.map_err(|error| match error {
            OwnAccountError::Changed => PageError::changed(state.links.page(PATH)),
            other => own_account_error(other),
        })?;
        Ok::<_, FormError>(Done::confirmed(&state.links, PATH, Confirmation::Saved))
    });
    Ok(saved.await?)
}

/// The audit entry of a change: the kinds of notices that differ, and whether each is mailed.
fn change(from: SilencedNotices, to: SilencedNotices) -> AuditedChange {
    let mailed = |silenced: SilencedNotices| -> Value {
        let changed = OwnerNotice::ALL.iter().filter(|kind| from.contain(**kind) != to.contain(**kind));
        changed.map(|kind| (kind.as_str().to_owned(), Value::from(!silenced.contain(*kind)))).collect()
    };
    AuditedChange::of("notices.changed").from(mailed(from)).to(mailed(to))
}

/// Reads the kinds of notices whose boxes are not checked.
fn read(fields: &FormFields) -> Result<SilencedNotices, ApiError> {
    if let Some(unknown) = fields.all("notices").find(|name| OwnerNotice::parse(name).is_err()) {
        let shown: String = unknown.chars().take(100).collect();
        return Err(ApiError::invalid(FieldErrors::one(
            "notices",
            format_args!("`{shown}` is no notification"),
        )));
    }
    let is_off = |kind: &OwnerNotice| fields.all("notices").all(|name| name != kind.as_str());
    Ok(SilencedNotices::of(OwnerNotice::ALL.iter().copied().filter(is_off)))
}
