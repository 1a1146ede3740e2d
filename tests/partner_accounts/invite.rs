//! The mail that invites an account's owner.

use std::path::Path;
use std::time::Duration;

use serde_json::json;

use crate::test_app::{TestApp, on_both};

/// The mails that were written to files. Waits until there are as many as wanted, for at most half a minute.
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
    mails.map(|file| std::fs::read_to_string(file.path()).unwrap()).collect()
}

#[tokio::test]
async fn owner_is_invited_also_while_communications_are_off() {
    on_both(async |server| {
        let partner = server.partner();
        let off = json!({"communications_enabled": false, "email": "grace@example.com"});
        server.account_of(&partner, off).await;
        let on = json!({"email": "ada@example.com"});
        server.account_of(&partner, on).await;
        let sent = mails(&server, 2).await;
        assert_eq!(sent.len(), 2);
        for owner in ["grace@example.com", "ada@example.com"] {
            let mail = sent.iter().find(|mail| mail.contains(owner)).unwrap();
            // Quoted-printable ends a wrapped line with an equals sign.
            let text = mail.replace("=\r\n", "");
            let link = text.split("/invitations/").nth(1).unwrap();
            let token = link.bytes();
            let token = token.take_while(|b| b.is_ascii_alphanumeric() || *b == b'-' || *b == b'_');
            assert_eq!(token.count(), 43, "{text}");
        }
    })
    .await;
}
