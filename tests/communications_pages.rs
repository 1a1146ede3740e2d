//! Messages of customers over HTTP, and the pages on which the owner sees them.

use communications::{Address, Channel, Message, MessageData};
use kernel::{Clock as _, Id, SystemClock, SystemIds};
use reqwest::Method;
use serde_json::json;

use crate::test_app::{Browser, TestApp, TestResponse, hidden, invoice_body, on_both_with, until};

const SETTINGS: &[(&str, &str)] = &[
    ("COUNTINGHOUSE_SANDBOX", "true"),
    ("COUNTINGHOUSE_WORKER_INTERVAL", "1s"),
    ("COUNTINGHOUSE_INBOUND_DOMAIN", "in.example.com"),
    ("COUNTINGHOUSE_INBOUND_TOKEN", "inbound-token"),
    ("COUNTINGHOUSE_TWILIO_ACCOUNT_SID", "AC0123456789abcdef0123456789abcdef"),
    ("COUNTINGHOUSE_TWILIO_AUTH_TOKEN", "s3cret"),
    ("COUNTINGHOUSE_TWILIO_FROM", "+14155550199"),
];

/// Opens a page repeatedly until it shows a text.
async fn shows(browser: &Browser, path: &str, text: &str) -> TestResponse {
    let look = async || Some(browser.get(path).await.expect(200)).filter(|page| page.html().contains(text));
    until(text, look).await
}

/// Stores messages that came in.
async fn receive(server: &TestApp, account: &str, count: usize) {
    let (account, ids) = (Id::parse(account).unwrap(), SystemIds::default());
    let mut tx = server.database.store().await.communications.begin(account).await.unwrap();
    for _ in 0..count {
        let (now, address) = (SystemClock.now(), Address::parse(Channel::Email, "ada@example.com").unwrap());
        let message = Message::new(MessageData {
            text: "Hello".to_owned(),
            ..MessageData::incoming(Id::new(&ids, now), account, (Channel::Email, address), now)
        });
        tx.messages().insert(&message, &[]).await.unwrap();
    }
    tx.commit().await.unwrap();
}

#[tokio::test]
async fn inbox_leads_to_a_next_page_only_when_there_is_one() {
    on_both_with(SETTINGS, async |server| {
        let (_, made) = server.account_of(&server.partner(), json!({})).await;
        let account = made["id"].as_str().unwrap();
        let owner = Browser::signed_in(&server, account).await;
        let next = async || {
            let inbox = owner.get("/dashboard/inbox").await.expect(200).html();
            let (before, _) = inbox.split_once("\" rel=\"next\">Next page</a>")?;
            Some(before.rsplit('"').next().unwrap().replace("&#38;", "&"))
        };
        receive(&server, account, 25).await;
        assert_eq!(next().await, None);
        receive(&server, account, 1).await;
        let last = owner.get(&next().await.unwrap()).await.expect(200).html();
        assert!(last.contains("Hello") && !last.contains("Next page"), "{last}");
    })
    .await;
}

#[tokio::test]
async fn reply_in_the_mailroom_is_understood_and_shown_to_the_owner() {
    on_both_with(SETTINGS, async |server| {
        let (key, made) = server.account_of(&server.partner(), json!({})).await;
        let owner = Browser::signed_in(&server, made["id"].as_str().unwrap()).await;
        let mut body = invoice_body();
        body["send_invoice"] = json!(true);
        let invoice = key.post("/invoices", &body).await.expect(201);
        let visitor = Browser::new(&server);
        let page = shows(&visitor, "/sandbox/mailroom", invoice.text("pay_url")).await;
        let (form_token, message) = (hidden(&page, "once"), hidden(&page, "message"));
        let fields = [("once", &*form_token), ("message", &*message)];
        let refused = visitor.post("/sandbox/mailroom", &fields).await.expect(422);
        assert!(refused.html().contains("Reply as the customer is required"), "{}", refused.html());
        let reply = [&fields[..], &[("text", "I lost my job and cannot pay this.")]].concat();
        visitor.post("/sandbox/mailroom", &reply).await.expect(303);
        let inbox = owner.get("/dashboard/inbox").await.expect(200).html();
        for text in ["Understood as: cannot pay right now", "<mark>", "E-mail from ada@example.com"] {
            assert!(inbox.contains(text), "{text} in {inbox}");
        }
        let contact = invoice.body["contact"]["id"].as_str().unwrap();
        let page = owner.get(&format!("/dashboard/contacts/{contact}")).await.expect(200).html();
        let correct = page.split("action=\"").find(|part| part.contains("/correct\"")).unwrap();
        let correct = correct.split('"').next().unwrap();
        let form_token = hidden(&owner.get("/dashboard/inbox").await, "once");
        let unknown = [("once", &*form_token), ("type", "joke"), ("back", "contact")];
        let refused = owner.post(correct, &unknown).await.expect(422).html();
        for text in ["The meaning must be hardship, dispute", "<mark>", "name=\"back\" value=\"contact\""] {
            assert!(refused.contains(text), "{text} in {refused}");
        }
        let fields = [("once", &*form_token), ("type", "other"), ("back", "contact")];
        let corrected = owner.post(correct, &fields).await.expect(303);
        assert!(corrected.header("location").contains(contact));
        shows(&owner, "/dashboard/inbox", "You changed this to: something else").await;
        // A form on the inbox of one contact leads back to it.
        let of_contact = format!("/dashboard/inbox?contact={contact}");
        shows(&owner, &of_contact, "name=\"back\" value=\"inbox_of_contact\"").await;
        let version = hidden(&owner.get(&of_contact).await, "version");
        let form_token = hidden(&owner.get(&of_contact).await, "once");
        let fields = [
            ("once", &*form_token),
            ("version", &*version),
            ("type", "dispute"),
            ("back", "inbox_of_contact"),
        ];
        let corrected = owner.post(correct, &fields).await.expect(303);
        assert!(corrected.header("location").contains(&format!("{of_contact}&done=")));
    })
    .await;
}

#[tokio::test]
async fn owner_starts_reminders_and_pauses_those_of_an_invoice() {
    on_both_with(SETTINGS, async |server| {
        const PATH: &str = "/dashboard/settings/communications";
        let (key, made) = server.account_of(&server.partner(), json!({})).await;
        let account = made["id"].as_str().unwrap();
        let owner = Browser::signed_in(&server, account).await;
        let invoice = key.post("/invoices", &invoice_body()).await.expect(201);
        let page = owner.get(PATH).await.expect(200).html();
        assert!(page.contains("Start reminders") && page.contains("No invoice is over 30 days late"));
        owner.submit(PATH, &[("action", "start"), ("timezone", "")]).await.expect(422);
        let fields = [
            ("action", "start"),
            ("timezone", "Australia/Perth"),
            ("steps.0.days", "3"),
            ("steps.0.channel", "email"),
            ("steps.0.tone", "firm"),
            ("steps.1.days", ""),
            ("promise_days", "9"),
        ];
        let stale = owner.get(PATH).await.expect(200);
        owner.submit(PATH, &fields).await.expect(303);
        let (form_token, version) = (hidden(&stale, "once"), hidden(&stale, "version"));
        let stale =
            [("once", &*form_token), ("version", &*version), ("action", "save"), ("promise_days", "8")];
        let refused = owner.post(PATH, &stale).await.expect(409).html();
        assert!(refused.contains("was changed in the meantime"), "{refused}");
        assert!(refused.contains(&format!("href=\"{PATH}\">Open the current version</a>")), "{refused}");
        let page = owner.get(PATH).await.expect(200).html();
        assert!(page.contains("value=\"9\""), "{page}");
        for text in
            ["Reminders have been on since", "Stop reminders", "value=\"Australia/Perth\"", "E-mail on "]
        {
            assert!(page.contains(text), "{text} in {page}");
        }
        let audit = server.command_json(&["audit", "list", "--account", account]);
        assert_eq!(audit[0]["action"], "reminders.started", "{audit}");
        owner.submit(PATH, &[("action", "test"), ("tone", "final")]).await.expect(303);
        let test = server.mails(1, |text| text.contains("Subject: Test: ")).await.remove(0);
        assert!(!test.contains("answer this e-mail"), "it has no reply address: {test}");
        let link = test.split("/unsubscribe/").nth(1).unwrap().split_whitespace().next().unwrap();
        let shown = Browser::new(&server).get(&format!("/unsubscribe/{link}")).await.expect(200).html();
        assert!(shown.contains("nothing was changed"), "{shown}");
        let path = format!("/dashboard/invoices/{}", invoice.text("id"));
        let page = owner.get(&path).await.expect(200);
        assert!(page.html().contains("Next: e-mail on "), "{}", page.html());
        let form_token = hidden(&page, "once");
        let past = [("once", &*form_token), ("action", "pause"), ("until", "2026-01-01")];
        let refused = owner.post(&format!("{path}/reminders"), &past).await.expect(422);
        assert!(refused.html().contains("must be after today"), "{}", refused.html());
        for field in ["name=\"amount\"", "name=\"received_at\""] {
            let of_payment =
                |page: &str| page.split(field).nth(1).unwrap().split('>').next().unwrap().to_owned();
            assert_eq!(of_payment(&refused.html()), of_payment(&page.html()), "the other form keeps {field}");
        }
        let never = [("once", &*form_token), ("action", "never")];
        owner.post(&format!("{path}/reminders"), &never).await.expect(303);
        let page = owner.get(&path).await.expect(200).html();
        assert!(
            page.contains("No reminders will be sent for this invoice")
                && page.contains("No reminder is planned for this invoice"),
            "{page}"
        );
        let contact = format!("/dashboard/contacts/{}", invoice.body["contact"]["id"].as_str().unwrap());
        let form_token = hidden(&owner.get(&contact).await, "once");
        let fields =
            [("once", &*form_token), ("channel", "sms"), ("how", "On the telephone"), ("action", "give")];
        owner.post(&format!("{contact}/consent"), &fields).await.expect(303);
        shows(&owner, &contact, "Text messages: consent given").await;
        let audit = server.command_json(&["audit", "list", "--account", account]);
        let actions: Vec<_> = audit.as_array().unwrap().iter().map(|entry| &entry["action"]).collect();
        let latest = ["consent.recorded", "reminders.paused", "reminders.started"];
        assert_eq!(actions[..3], latest, "{audit}");
        assert!(audit[0]["actor"].as_str().unwrap().contains('@'), "{audit}");
        assert!(!audit.to_string().contains("telephone"), "{audit}");
        let first = owner.get("/dashboard/settings").await.expect(303);
        assert_eq!(first.header("location"), "/dashboard/settings/profile");
        let page = owner.get("/dashboard/settings/security").await.expect(200).html();
        for text in
            ["Customer&#39;s consent recorded <small>channel sms</small>", "Open contact", "until never"]
        {
            assert!(page.contains(text), "{text} in {page}");
        }
    })
    .await;
}

/// Sends a body without the headers of a browser.
async fn call(server: &TestApp, path: &str, headers: &[(&str, &str)], body: &str) -> TestResponse {
    let browser = Browser::new(server);
    let request = browser.request(Method::POST, path).body(body.to_owned());
    let request = headers.iter().fold(request, |request, (name, value)| request.header(*name, *value));
    browser.send(request).await
}

#[tokio::test]
async fn providers_are_answered_when_their_messages_are_stored() {
    on_both_with(SETTINGS, async |server| {
        let mail = "From: <ada@example.com>\r\nMessage-ID: <a@example.com>\r\n\r\nHello\r\n";
        call(&server, "/inbound/mail/wrong", &[], mail).await.expect(404);
        for media_type in ["message/rfc822", "application/json", "text/plain"] {
            let headers = [("Content-Type", media_type)];
            let taken = call(&server, "/inbound/mail/inbound-token", &headers, mail).await.expect(200);
            assert!(taken.headers.get("set-cookie").is_none());
        }
        let fields = [("MessageSid", "SM1"), ("From", "+61412345678"), ("Body", "STOP")];
        let body = "MessageSid=SM1&From=%2B61412345678&Body=STOP";
        let path = "/inbound/twilio/sms";
        call(&server, path, &[("X-Twilio-Signature", "x")], body).await.expect(403);
        let signature = sms_twilio::signature("s3cret", &format!("{}{path}", server.base), &fields);
        let headers =
            [("X-Twilio-Signature", &*signature), ("Content-Type", "application/x-www-form-urlencoded")];
        let taken = call(&server, path, &headers, body).await.expect(200);
        assert!(taken.html().ends_with("<Response/>") && taken.header("content-type") == "text/xml");
        let browser = Browser::new(&server);
        browser.get("/unsubscribe/none").await.expect(404);
        call(&server, "/unsubscribe/none", &[], "List-Unsubscribe=One-Click").await.expect(404);
    })
    .await;
}
