//! The caller of a dashboard page: an owner who is signed in.

use actix_web::dev::Payload;
use actix_web::http::Method;
use actix_web::http::header::USER_AGENT;
use actix_web::web::Data;
use actix_web::{FromRequest, HttpRequest};
use futures_util::future::LocalBoxFuture;
use http_server::{ApiError, CallerId, ErrorCode, RequestContext, ServerState, client_address};
use kernel::{AccountScope, AccountToken, EmailAddress};
use sessions::{Actor, AuditedChange, Origin, SessionError, SessionId, SessionRecord};
use time::Date;

use crate::forms::PageError;
use crate::next_page::{page_of, with_next};
use crate::payer::request::state;
use crate::session_cookie;
use crate::state::PagesState;

/// An owner who is signed in. Holding one is the permission: only a valid session of an account that is not
/// switched off yields it.
pub(crate) struct SessionCaller {
    session_record: SessionRecord,
    origin: Origin,
    /// The page of the request, to come back to.
    page: String,
    state: Data<PagesState>,
}

impl SessionCaller {
    /// The account that the owner works in.
    pub(crate) const fn scope(&self) -> &AccountScope {
        &self.session_record.scope
    }

    /// The present day in the account's time zone.
    pub(crate) fn today(&self) -> Date {
        self.scope().time_zone.date_at(self.state.clock.now())
    }

    /// The e-mail address of the login.
    pub(crate) const fn login(&self) -> &EmailAddress {
        &self.session_record.email
    }

    pub(crate) fn company_name(&self) -> &str {
        &self.session_record.company_name
    }

    pub(crate) const fn session_id(&self) -> SessionId {
        self.session_record.session.id
    }

    /// The session with its account, for the use cases of logins.
    pub(crate) const fn session_record(&self) -> &SessionRecord {
        &self.session_record
    }

    /// Where the request came from.
    pub(crate) const fn origin(&self) -> &Origin {
        &self.origin
    }

    pub(crate) const fn state(&self) -> &Data<PagesState> {
        &self.state
    }

    /// Requires that the owner has entered the password or a code within the last ten minutes.
    ///
    /// # Errors
    /// A redirect to `/confirm`, which leads back to this page.
    pub(crate) fn require_recent_authentication(&self) -> Result<(), PageError> {
        if self.session_record.session.is_recently_authenticated(self.state.clock.now()) {
            return Ok(());
        }
        Err(PageError::see_other(with_next(&self.state.links, "/confirm", &self.page)))
    }

    /// The use cases for one change by the owner; the transaction of the change also writes an audit entry.
    pub(crate) fn audited(&self, change: AuditedChange) -> PagesState {
        let actor = Actor::Owner(self.session_record.email.clone());
        let (account, address) = (self.session_record.scope.id, Some(self.origin.address));
        let entry = self.state.audit.entry(account, &actor, address, change);
        (self.state.audited)(&self.state, entry)
    }

    /// The same caller, if the session has not ended while a file was being sent.
    ///
    /// # Errors
    /// A redirect to the sign-in.
    pub(crate) async fn still_signed_in(self, http: &HttpRequest) -> Result<Self, PageError> {
        Self::admit(http.clone()).await
    }

    /// Counts a form of the account. A form with a file, which looks for its session twice, counts once.
    async fn count_form(&self) -> Result<(), ApiError> {
        self.state.owner_forms.count(self.scope().id, self.state.clock.now()).await
    }

    async fn admit(request: HttpRequest) -> Result<Self, PageError> {
        let state = state::<PagesState>(&request)?.clone();
        let context = RequestContext::of(&request)?;
        context.set_route(&request);
        let page = page_of(&request, &state.public_urls);
        let sign_in = || PageError::see_other(with_next(&state.links, "/login", &page));
        let token = session_cookie::presented(request.headers(), &state.public_urls).ok_or_else(sign_in)?;
        let session_record = match state.sessions.authenticate(&token).await {
            Ok(session_record) => session_record,
            Err(SessionError::NotSignedIn) => return Err(sign_in()),
            Err(SessionError::AccountDisabled(by)) => {
                if let Some(token) = AccountToken::parse(&token) {
                    let letterhead = state.invoicing.reads.letterhead(token.account()).await?;
                    context.set_company(&letterhead.company_name);
                }
                return Err(switched_off(by));
            }
            Err(SessionError::Store(error)) => return Err(error.into()),
        };
        context.set_caller(CallerId::Account(session_record.scope.id));
        context.set_company(&session_record.company_name);
        let origin = origin_of(&request)?;
        Ok(Self { session_record, origin, page, state })
    }
}

impl FromRequest for SessionCaller {
    type Error = PageError;
    type Future = LocalBoxFuture<'static, Result<Self, PageError>>;

    fn from_request(request: &HttpRequest, _payload: &mut Payload) -> Self::Future {
        let request = request.clone();
        Box::pin(async move {
            let is_form = request.method() == Method::POST;
            let caller = Self::admit(request).await?;
            if is_form {
                caller.count_form().await?;
            }
            Ok(caller)
        })
    }
}

/// The error page of an account that is switched off.
pub(crate) fn switched_off(by: access::SwitchedOffBy) -> PageError {
    let sentence = format!(
        "Your account was switched off by {by}. Ask them to switch it on again, and give them the request id \
         below."
    );
    PageError::new(ErrorCode::AccountDisabled, sentence)
}

/// Where a request came from.
pub(crate) fn origin_of(request: &HttpRequest) -> Result<Origin, ApiError> {
    let user_agent = request.headers().get(USER_AGENT).and_then(|value| value.to_str().ok());
    let address = client_address(request, state::<ServerState>(request)?.transport);
    Ok(Origin::new(address, user_agent.unwrap_or_default()))
}
