//! `cargo xtask openapi`: the API's document, written from the code into the repository. A test fails when it
//! is stale.

use std::path::Path;

use anyhow::Context;

/// Writes `openapi.json` at the root of the repository.
pub(crate) fn write(root: &Path) -> anyhow::Result<()> {
    let file = root.join("openapi.json");
    std::fs::write(&file, http_api::openapi_json())
        .with_context(|| format!("cannot write {}", file.display()))
}
