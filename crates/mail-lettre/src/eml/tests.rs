//! Files are complete, and readable only by their owner.

use std::fs;

use mail::{MailTransport, MailTransportError};
use mail_parser::MessageParser;

use super::EmlTransport;
use crate::fixture;
use crate::setup_error::SetupError;

#[tokio::test]
async fn a_mail_is_one_file_under_its_id() {
    let root = tempfile::tempdir().unwrap();
    let folder = root.path().join("data/mail");
    let transport = EmlTransport::new(&folder, fixture::sender()).unwrap();
    let mail = fixture::mail();
    // Again, as after a crash between sending and recording.
    for _ in 0..2 {
        transport.send(&mail).await.unwrap();
        let names: Vec<_> = fs::read_dir(&folder)
            .unwrap()
            .map(|entry| entry.unwrap().file_name().into_string().unwrap())
            .collect();
        assert_eq!(names, [format!("{}.eml", mail.id)]);
    }
    let file = folder.join(format!("{}.eml", mail.id));
    let bytes = fs::read(&file).unwrap();
    let parsed = MessageParser::default().parse(&bytes).unwrap();
    assert_eq!(parsed.subject(), Some(mail.message.subject.as_str()));
    assert_eq!(parsed.body_html(0).unwrap(), mail.message.html);
    #[cfg(unix)]
    {
        use std::os::unix::fs::PermissionsExt;
        let mode = fs::metadata(&file).unwrap().permissions().mode();
        assert_eq!(mode & 0o777, 0o600);
    }
}

#[tokio::test]
async fn a_folder_that_cannot_be_written_is_a_passing_failure() {
    let root = tempfile::tempdir().unwrap();
    let folder = root.path().join("mail");
    let transport = EmlTransport::new(&folder, fixture::sender()).unwrap();
    fs::remove_dir(&folder).unwrap();
    fs::write(&folder, "in the way").unwrap();
    let failed = transport.send(&fixture::mail()).await;
    assert!(matches!(failed, Err(MailTransportError::Temporary(_))));
    fs::remove_file(&folder).unwrap();
    assert_eq!(transport.send(&fixture::mail()).await, Ok(()));
}

#[test]
fn a_folder_that_cannot_be_made_is_refused() {
    let file = tempfile::NamedTempFile::new().unwrap();
    let below_a_file = file.path().join("mail");
    assert!(matches!(EmlTransport::new(below_a_file, fixture::sender()), Err(SetupError::Folder { .. })));
}
