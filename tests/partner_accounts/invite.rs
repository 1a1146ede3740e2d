//! The mail that invites an account's owner.

use std::path::Path;
use std::time::Duration;

use serde_json::json;

use crate::test_app::{TestApp, on_both};

/// The mails that were delivered into files, once there are as many, or what there is after a generous while.
async fn mails(server: &TestApp, wanted: usize) -> Vec<String> {
    let folder = server.database.folder.path().join("mail");
    let mut found = read(&folder);
    for _ in 0..300 {
        if found.len() >= wanted {
            break;
        }
        tokio::time::sleep(Duration::from_millis(100)).await;
        found = read(&folder);
    }
    found
}

fn read(folder: &Path) -> Vec<String> {
    let files = std::fs::read_dir(folder).into_iter().flatten().flatten();
    let mails = files.filter(|file| file.path().extension().is_some_and(|ext| ext == "eml"));
    mails
        .map(|file| std::fs::read_to_string(file.path()).unwrap())
        .collect()
}

#[tokio::test]
async fn the_owner_of_a_new_account_is_invited_by_mail_unless_communications_are_off() {
    on_both(async |server| {
        let partner = server.partner();
        let quiet = json!({"communications_enabled": false, "email": "quiet@example.com"});
        server.account_of(&partner, quiet).await;
        server
            .account_of(&partner, json!({"email": "ada@example.com"}))
            .await;
        let sent = mails(&server, 1).await;
        assert_eq!(sent.len(), 1);
        assert!(sent[0].contains("ada@example.com"));
        // Quoted-printable breaks lines with an equals sign at the end.
        let text = sent[0].replace("=\r\n", "");
        let link = text.split("/invitations/").nth(1).unwrap();
        let token = link
            .bytes()
            .take_while(|b| b.is_ascii_alphanumeric() || *b == b'-' || *b == b'_');
        assert_eq!(token.count(), 43, "{text}");
        assert!(!text.contains("{secret}"));
    })
    .await;
}
