//! Reading for a caller while the key is looked up.

use access::AccountCaller;
use actix_web::HttpRequest;
use futures_util::future::try_join;
use kernel::AccountScope;

use super::authenticated::{enter, front_of};
use super::bearer::bearer;
use crate::error::ApiError;

/// Lets a request in that only reads, and reads for it.
///
/// When it is foreseen whose key it is, both are asked of the store at once. What was read is kept only for the very caller that it was
/// read for, with every setting as cached; for any other it is read anew, and for one that is refused not at all.
pub(crate) async fn read_ahead<T>(
    request: &HttpRequest,
    read: impl AsyncFn(&AccountScope) -> Result<T, ApiError>,
) -> Result<T, ApiError> {
    let state = front_of(request)?;
    let token = bearer(request.headers()).unwrap_or_default();
    let cached = state.scope_cache.of(&token);
    let ahead = async {
        match &cached.scope {
            Some(scope) => Ok(Some(read(scope).await)),
            None => Ok(None),
        }
    };
    // The key is asked for first: a refusal waits for nothing else.
    let (caller, ahead) = try_join(enter::<AccountCaller>(request), ahead)
        .await
        .inspect_err(|_refusal| state.scope_cache.refused(&cached))?;
    state.scope_cache.let_in(&cached, &caller);
    match ahead {
        Some(outcome) if cached.scope.as_ref() == Some(caller.scope()) => outcome,
        _ => read(caller.scope()).await,
    }
}

#[cfg(test)]
mod tests;
