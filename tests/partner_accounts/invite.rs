//! The mail that invites an account's owner.

use serde_json::json;

use crate::test_app::on_both;

#[tokio::test]
async fn owner_is_invited_also_while_communications_are_off() {
    on_both(async |server| {
        let partner = server.partner();
        let off = json!({"communications_enabled": false, "email": "grace@example.com"});
        server.account_of(&partner, off).await;
        let on = json!({"email": "ada@example.com"});
        server.account_of(&partner, on).await;
        let sent = server.mails(2, |_| true).await;
        assert_eq!(sent.len(), 2);
        for owner in ["grace@example.com", "ada@example.com"] {
            let mail = sent.iter().find(|mail| mail.contains(owner)).unwrap();
            let link = mail.split("/invitations/").nth(1).unwrap();
            let token = link.bytes();
            let token = token.take_while(|b| b.is_ascii_alphanumeric() || *b == b'-' || *b == b'_');
            assert_eq!(token.count(), 64, "{mail}");
        }
    })
    .await;
}
