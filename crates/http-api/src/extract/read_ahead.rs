//! Reads a record while the caller's key is being looked up.

use access::AccountCaller;
use actix_web::HttpRequest;
use futures_util::future::try_join;
use http_server::ApiError;
use kernel::AccountScope;

use super::admit::{admit, app_state, bearer};

/// Admits a request that only reads, and reads its record at the same time.
///
/// When the cache knows the account that the key last belonged to, the key and the record are read from the
/// store concurrently. The record is used only if the look-up yields the same account with the same settings.
/// Otherwise it is read again; a refused caller gets nothing.
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
    state.scope_cache.record_accepted(&cached, &caller);
    match ahead {
        Some(outcome) if cached.scope.as_ref() == Some(caller.scope()) => outcome,
        _ => read(caller.scope()).await,
    }
}

#[cfg(test)]
mod tests;
