//! Reading a record while its caller's key is looked up.

use access::AccountCaller;
use actix_web::HttpRequest;
use futures_util::future::try_join;
use http_server::ApiError;
use kernel::AccountScope;

use super::admit::{admit, app_state, bearer};

/// Admits a request that only reads, and reads for it.
///
/// When the cache knows which account the key belonged to last, the key and the record are asked of the store
/// at once. The record is used only if the look-up yields that very account with the same settings; else it
/// is read again, and for a refused caller not at all.
pub(crate) async fn read_ahead<T>(
    request: &HttpRequest,
    read: impl AsyncFn(&AccountScope) -> Result<T, ApiError>,
) -> Result<T, ApiError> {
    let state = app_state(request)?;
    let token = bearer(request.headers()).unwrap_or_default();
    let cached = state.scope_cache.of(&token);
    let ahead = async {
        match &cached.scope {
            Some(scope) => Ok(Some(read(scope).await)),
            None => Ok(None),
        }
    };
    // `try_join` ends with the first error: a refused request does not wait for the record.
    let (caller, ahead) = try_join(admit::<AccountCaller>(request), ahead)
        .await
        .inspect_err(|_refused| state.scope_cache.refused(&cached))?;
    state.scope_cache.let_in(&cached, &caller);
    match ahead {
        Some(outcome) if cached.scope.as_ref() == Some(caller.scope()) => outcome,
        _ => read(caller.scope()).await,
    }
}

#[cfg(test)]
mod tests;
