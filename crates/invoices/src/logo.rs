//! The logo on paper: where it can be loaded from, and its picture.
//!
//! A picture is read from where logos are kept, which may be on another machine, so it is fetched before the transaction that sends an
//! invoice and never in it. When the account gets another logo between the two, the document of that one mail has none.

use std::sync::Arc;

use async_trait::async_trait;
use kernel::{AccountId, LogoKey, StoreError};

use crate::invoicing::Invoicing;
use crate::letterhead::{Letterhead, Logo};
use crate::send::InvoiceMailer;

/// The pictures of logos. A missing logo spoils no invoice, so there are no errors here.
#[async_trait]
pub trait LogoPictures: Send + Sync {
    /// The picture of a name, which is the same at every call; `None` when there is none, or when it cannot be read: then the
    /// implementation warns the operator.
    async fn picture(&self, key: &LogoKey) -> Option<Arc<[u8]>>;
}

/// Has no picture of any logo: for whoever draws and mails without them.
#[derive(Debug, Clone, Copy, Default)]
pub struct NoPictures;

#[async_trait]
impl LogoPictures for NoPictures {
    async fn picture(&self, _: &LogoKey) -> Option<Arc<[u8]>> {
        None
    }
}

/// A logo that was fetched, under the name it has.
#[derive(Debug, Clone)]
pub struct FetchedLogo {
    key: LogoKey,
    logo: Logo,
}

impl InvoiceMailer {
    /// Fetches a letterhead's logo. Never inside a transaction.
    pub async fn fetch_logo(&self, letterhead: &Letterhead) -> Option<FetchedLogo> {
        let key = letterhead.logo_key.clone()?;
        let bytes = self.pictures.picture(&key).await?;
        let kind = key.kind();
        let logo = Logo { bytes, kind };
        Some(FetchedLogo { key, logo })
    }

    /// A letterhead with the address of its logo, and with the picture if it is the one that was fetched.
    #[must_use]
    pub fn with_logo(&self, letterhead: Letterhead, fetched: Option<&FetchedLogo>) -> Letterhead {
        let key = letterhead.logo_key.as_ref();
        let own = fetched.filter(|fetched| Some(&fetched.key) == key);
        Letterhead {
            logo: own.map(|fetched| fetched.logo.clone()),
            logo_url: key.map(|key| self.urls.logo(key)),
            ..letterhead
        }
    }
}

impl Invoicing {
    /// Fetches the account's logo, for a transaction that may send an invoice.
    pub(crate) async fn logo_of(
        &self,
        account: AccountId,
    ) -> Result<Option<FetchedLogo>, StoreError> {
        let letterhead = self.reads.letterhead(account).await?;
        Ok(self.mailer.fetch_logo(&letterhead).await)
    }
}

#[cfg(test)]
mod tests {
    use kernel::{LogoKind, PublicUrls, SystemRandom};

    use super::*;
    use crate::document::{DocumentError, InvoiceDocuments};
    use crate::invoice::Invoice;

    struct Blank;

    impl InvoiceDocuments for Blank {
        fn render(&self, _: &Letterhead, _: &Invoice, _: &str) -> Result<Vec<u8>, DocumentError> {
            Ok(Vec::new())
        }
    }

    /// Has the picture of one name.
    struct One(LogoKey);

    #[async_trait]
    impl LogoPictures for One {
        async fn picture(&self, key: &LogoKey) -> Option<Arc<[u8]>> {
            (*key == self.0).then(|| Arc::from(&b"picture"[..]))
        }
    }

    fn key(kind: LogoKind) -> LogoKey {
        LogoKey::generate(kind, &SystemRandom::default()).unwrap()
    }

    fn with_logo(key: &LogoKey) -> Letterhead {
        Letterhead {
            logo_key: Some(key.clone()),
            ..Letterhead::default()
        }
    }

    #[tokio::test]
    async fn a_letterhead_gets_the_picture_that_it_names() {
        let (ours, other) = (key(LogoKind::Jpeg), key(LogoKind::Png));
        let mailer = InvoiceMailer {
            documents: Arc::new(Blank),
            pictures: Arc::new(One(ours.clone())),
            urls: PublicUrls::new("https://books.example.com"),
        };
        let fetched = mailer.fetch_logo(&with_logo(&ours)).await;
        let shown = mailer.with_logo(with_logo(&ours), fetched.as_ref());
        assert_eq!(shown.logo.map(|logo| logo.kind), Some(LogoKind::Jpeg));
        let url = format!("https://books.example.com/logos/{ours}");
        assert_eq!(shown.logo_url, Some(url));

        // Replaced since, unreadable, none at all.
        let replaced = mailer.with_logo(with_logo(&other), fetched.as_ref());
        assert_eq!((replaced.logo, replaced.logo_url.is_some()), (None, true));
        assert!(mailer.fetch_logo(&with_logo(&other)).await.is_none());
        let none = mailer.with_logo(Letterhead::default(), fetched.as_ref());
        assert_eq!((none.logo, none.logo_url), (None, None));
    }
}
