//! The limit of forms of an account.

use super::Owner;
use crate::test_app::on_both;

const PATH: &str = "/dashboard/settings/api";

#[tokio::test]
async fn form_beyond_the_limit_of_an_account_waits_and_another_accounts_does_not() {
    on_both(async |server| {
        let (owner, other) = (Owner::new(&server).await, Owner::new(&server).await);
        for _ in 0..300 {
            owner.browser.post(PATH, &[]).await.expect(409);
        }
        let page = owner.browser.post(PATH, &[]).await.expect(429);
        let seconds: u32 = page.header("retry-after").parse().unwrap();
        assert!((1..=60).contains(&seconds), "{seconds}");
        assert!(page.html().contains("Wait a minute"), "{}", page.html());
        owner.browser.get(PATH).await.expect(200);
        other.browser.post(PATH, &[]).await.expect(409);
    })
    .await;
}
