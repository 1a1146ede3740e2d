//! The language of the database's messages.
//!
//! From their English text the store learns that a transaction may be tried again or that the database is out
//! of service: diesel passes on no code of the error.

use store_diesel::Checkup;

/// What to do if the store cannot read the database's messages; `None` if it can.
pub(crate) async fn fault(checkup: &dyn Checkup) -> Result<Option<String>, kernel::StoreError> {
    let language = checkup.message_language().await?;
    Ok((!is_english(&language)).then(|| {
        format!(
            "PostgreSQL's messages are in another language than English (lc_messages = {language}): have a \
             superuser run `ALTER DATABASE ... SET lc_messages = 'C'`, and restart the service"
        )
    }))
}

/// Warns of messages that the store cannot read. An error of the store comes up in the next query too.
pub(crate) async fn warn(checkup: &dyn Checkup) {
    if let Ok(Some(fault)) = fault(checkup).await {
        tracing::warn!("{fault}");
    }
}

/// Whether messages are English under this `lc_messages`. Nothing set is the language of the server's
/// environment, which hosted databases leave at English.
fn is_english(language: &str) -> bool {
    let language = language.to_ascii_lowercase();
    let name = language.split(['_', '.', '-', '@']).next();
    matches!(name, Some("" | "c" | "posix" | "en" | "english"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn languages_whose_messages_the_store_reads_are_the_untranslated_and_english() {
        for language in ["", "C", "C.UTF-8", "POSIX", "en_US.UTF-8", "en-GB", "English_Australia.1252"] {
            assert!(is_english(language), "{language}");
        }
        for language in ["de_DE.UTF-8", "cs_CZ", "German_Germany.1252", "es_ES@euro"] {
            assert!(!is_english(language), "{language}");
        }
    }
}
