//! `/dashboard/settings/notifications`.

use serde_json::json;

use super::Owner;
use crate::escalations::raise;
use crate::test_app::hidden;
use crate::test_app::on_both;

const PATH: &str = "/dashboard/settings/notifications";

#[tokio::test]
async fn mails_about_escalations_are_sent_until_they_are_switched_off() {
    on_both(async |server| {
        let owner = Owner::new(&server).await;
        let page = owner.browser.get(PATH).await.expect(200);
        assert_eq!(page.html().matches(" checked").count(), 6, "{}", page.html());
        let account = format!("/partner/accounts/{}", owner.id);
        let off = json!({"communications_enabled": false});
        owner.partner.patch(&account, &off).await.expect(200);
        raise(&server, &owner.id, &["--statement", "The first one."]);
        let mail = server.mails(1, |text| text.contains("The first one.")).await;
        assert!(mail[0].contains("disputes an invoice"), "{}", mail[0]);
        let hidden_values = [("once", &*hidden(&page, "once")), ("version", &*hidden(&page, "version"))];
        let saved = [&hidden_values[..], &[("notices", "abandoned_deliveries")]].concat();
        owner.browser.post(PATH, &saved).await.expect(303);
        let page = owner.browser.get(PATH).await.expect(200).html();
        assert!(page.contains("value=\"abandoned_deliveries\" checked"), "{page}");
        assert!(page.contains("value=\"escalations\">"), "{page}");
        // A form that changes nothing leaves no audit entry.
        let same = [("notices", "abandoned_deliveries"), ("version", "61")];
        owner.browser.submit(PATH, &same).await.expect(303);
        let audit = server.command_json(&["audit", "list", "--account", &owner.id]);
        let [entry] = &audit.as_array().unwrap()[..] else { panic!("{audit}") };
        assert_eq!(
            (&entry["action"], &entry["before"]["refunds"]),
            (&json!("notices.changed"), &json!(true))
        );
        assert_eq!(
            (&entry["after"]["refunds"], entry["after"].get("abandoned_deliveries")),
            (&json!(false), None)
        );
        raise(&server, &owner.id, &["--statement", "The second one."]);
        let on = [("notices", "escalations"), ("notices", "abandoned_deliveries"), ("version", "61")];
        owner.browser.submit(PATH, &on).await.expect(303);
        raise(&server, &owner.id, &["--statement", "The third one."]);
        server.mails(1, |text| text.contains("The third one.")).await;
        assert!(server.mails_so_far(|text| text.contains("The second one.")).is_empty());
        let stale = owner.browser.submit(PATH, &[("notices", "escalations"), ("version", "1")]).await;
        let current = format!("href=\"{PATH}\">Open the current version</a>");
        assert!(stale.expect(409).html().contains(&current));
        owner.browser.submit(PATH, &[("notices", "security"), ("version", "60")]).await.expect(400);
    })
    .await;
}
