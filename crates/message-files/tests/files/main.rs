//! The content of the files, and who may read them.
#![expect(clippy::unwrap_used, reason = "a test that is wrong should stop there")]

use std::fs;
use std::os::unix::fs::PermissionsExt as _;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use communications::{
    Address, Channel, MailCopies as _, MailCopy, MessageId, OutgoingSms, SmsError, SmsSender, SmsText,
};
use kernel::{AccountId, Id};
use message_files::MessageFiles;
use serde_json::{Value, json};
use tempfile::TempDir;
use testkit::FixedClock;
use time::OffsetDateTime;
use time::macros::datetime;
use uuid::Uuid;

const NOW: OffsetDateTime = datetime!(2026-12-03 09:00 UTC);

struct Fixture {
    root: TempDir,
    files: MessageFiles,
}

impl Fixture {
    fn new() -> Self {
        let root = tempfile::tempdir().unwrap();
        let files = MessageFiles::new(root.path().join("data/messages"), Arc::new(FixedClock::at(NOW)));
        Self { files: files.unwrap(), root }
    }

    fn folder(&self) -> PathBuf {
        self.root.path().join("data/messages")
    }

    fn read(&self, message: MessageId) -> Value {
        let bytes = fs::read(self.folder().join(format!("{message}.json"))).unwrap();
        serde_json::from_slice(&bytes).unwrap()
    }
}

fn id<E>(n: u128) -> Id<E> {
    Id::from_uuid(Uuid::from_u128(n))
}

fn sms(to: &str) -> OutgoingSms {
    OutgoingSms {
        message: id(7),
        account: id(1),
        to: Address::parse(Channel::Sms, to).unwrap(),
        text: SmsText::new("Acme: \"Invoice\" 7\n50 € Reply STOP to opt out").unwrap(),
    }
}

fn mode(path: &Path) -> u32 {
    fs::metadata(path).unwrap().permissions().mode() & 0o777
}

#[tokio::test]
async fn text_message_is_one_file_under_its_id() {
    let fixture = Fixture::new();
    assert_eq!(SmsSender::from(&fixture.files), "sandbox");
    let sms = sms("+491701234567");
    // Again, as after a crash between sending and recording.
    for _ in 0..2 {
        assert_eq!(fixture.files.answer(&sms).await, Ok(None));
    }
    assert_eq!(fs::read_dir(fixture.folder()).unwrap().count(), 1);
    let file = fixture.folder().join("00000000-0000-0000-0000-000000000007.json");
    assert_eq!(
        fs::read_to_string(&file).unwrap(),
        concat!(
            r#"{"message_id":"00000000-0000-0000-0000-000000000007","#,
            r#""account_id":"00000000-0000-0000-0000-000000000001","channel":"sms","from":"sandbox","#,
            r#""to":"+491701234567","text":"Acme: \"Invoice\" 7\n50 € Reply STOP to opt out","#,
            r#""at":"2026-12-03T09:00:00.000Z"}"#
        )
    );
    assert_eq!((mode(&fixture.folder()), mode(&file)), (0o700, 0o600));
}

#[tokio::test]
async fn mail_stands_beside_text_messages_with_its_own_date_in_utc() {
    let fixture = Fixture::new();
    let (message, account): (MessageId, AccountId) = (id(8), id(1));
    let at = datetime!(2026-12-01 10:00 +11);
    let copy = MailCopy {
        id: message,
        account,
        from: "books@example.com".to_owned(),
        to: "ada@example.com".to_owned(),
        text: "Hi".to_owned(),
        at,
    };
    fixture.files.keep(&copy).await.unwrap();
    let expected = json!({
        "message_id": message.to_string(),
        "account_id": account.to_string(),
        "channel": "email",
        "from": "books@example.com",
        "to": "ada@example.com",
        "text": "Hi",
        "at": "2026-11-30T23:00:00.000Z",
    });
    assert_eq!(fixture.read(message), expected);
}

#[tokio::test]
async fn folder_in_which_nothing_can_be_written_takes_no_message() {
    let fixture = Fixture::new();
    fs::remove_dir(fixture.folder()).unwrap();
    fs::write(fixture.folder(), "in the way").unwrap();
    let sms = sms("+61412345678");
    let failed = fixture.files.answer(&sms).await;
    assert!(matches!(failed, Err(SmsError::NotAccepted(_))), "{failed:?}");
    assert!(MessageFiles::new(fixture.folder().join("below"), Arc::new(FixedClock::default())).is_err());
    fs::remove_file(fixture.folder()).unwrap();
    assert_eq!(fixture.files.answer(&sms).await, Ok(None));
}
