//! TLS, with a certificate that is trusted only through the operator's own file.

use std::path::PathBuf;

use crate::{transport, transport_trusting};
use mail::{MailTransport, MailTransportError};

use super::mail_to;
use super::server::{Server, Taken};

/// A certificate for 127.0.0.1 and its key, as files beside the mail.
struct Identity {
    certificate: PathBuf,
    key: PathBuf,
}

impl Identity {
    fn made_in(taken: &Taken) -> Self {
        let made =
            rcgen::generate_simple_self_signed(["127.0.0.1".to_owned()]).expect("a certificate can be made");
        let (certificate, key) = (taken.folder().join("certificate.pem"), taken.folder().join("key.pem"));
        std::fs::write(&certificate, made.cert.pem()).expect("the folder is ours");
        std::fs::write(&key, made.signing_key.serialize_pem()).expect("the folder is ours");
        Self { certificate, key }
    }

    fn start(&self, taken: &Taken, more: &[&str]) -> Server {
        let (certificate, key) = (self.certificate.to_str(), self.key.to_str());
        let (certificate, key) = certificate.zip(key).expect("a path in letters");
        let options = [&["--certificate", certificate, "--key", key], more].concat();
        Server::start(taken.folder(), 0, &options)
    }
}

#[tokio::test]
async fn encryption_is_used_where_offered_and_checked_against_the_operators_file() {
    let Some(taken) = Taken::if_there_is_a_server() else {
        return;
    };
    let identity = Identity::made_in(&taken);
    let (starts, implicit) =
        (identity.start(&taken, &["--login", "ada:sesame"]), identity.start(&taken, &["--implicit"]));
    let urls = [
        format!("smtp://ada:sesame@127.0.0.1:{}", starts.port),
        format!("smtp://ada:sesame@127.0.0.1:{}?tls=required", starts.port),
        format!("smtps://127.0.0.1:{}", implicit.port),
    ];
    let mail = mail_to("ada@example.com");
    for url in urls {
        let trusting = transport_trusting(&url, Some(&identity.certificate));
        assert_eq!(trusting.send(&mail).await, Ok(()), "{url}");
        let suspicious = transport(&url);
        match suspicious.send(&mail).await {
            Err(MailTransportError::Temporary(reason)) => {
                assert!(reason.contains("certificate"), "{reason}");
            }
            other => panic!("{url}: {other:?}"),
        }
    }
    let arrived = taken.mails();
    // Each server numbers its own mails; the port in the file name tells them apart.
    assert_eq!(arrived.len(), 3);
    for mail in arrived {
        assert!(mail.contains("X-Encrypted: True"));
    }
}
