//! After SIGTERM, requests in progress are finished, and a start is given up.

use std::io::{BufRead as _, BufReader, Write as _};
use std::process::{Command, Stdio};

use futures_util::future::join_all;

use crate::test_app::{Database, invoice_body, on_both, send_sigterm, serving, until};

#[tokio::test]
async fn sigterm_finishes_requests_in_flight() {
    on_both(async |mut server| {
        let account = server.account().await;
        let requests: Vec<_> = (0..10)
            .map(|_| {
                let account = account.clone();
                tokio::spawn(async move {
                    let mut made = Vec::new();
                    // Until the server no longer takes requests.
                    while let Ok(answer) = account
                        .try_to_send(
                            reqwest::Method::POST,
                            "/invoices",
                            &[],
                            Some(invoice_body().to_string().into_bytes()),
                        )
                        .await
                    {
                        made.push(answer.expect(201).text("id").to_owned());
                    }
                    made
                })
            })
            .collect();
        until("more than five invoices", async || {
            let page = account.get("/invoices?limit=5").await.expect(200);
            (page.body["has_more"] == true).then_some(())
        })
        .await;
        assert!(server.terminate().await.success());
        let made: Vec<String> = join_all(requests).await.into_iter().flat_map(Result::unwrap).collect();
        server.start_again();
        let account = account.at(&server.base);
        assert!(made.len() > 5);
        for id in made {
            account.get(&format!("/invoices/{id}")).await.expect(200);
        }
    })
    .await;
}

#[test]
fn sigterm_while_another_process_migrates_ends_the_start_in_order() {
    let Some(database) = Database::empty_postgres() else { return };
    let Some(psql) = testkit::postgres::server().and_then(|server| server.tool("psql")) else { return };
    // Has the lock of migrations until the test ends.
    let mut other = Command::new(psql)
        .args(["--quiet", "--tuples-only", &database.url])
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .spawn()
        .unwrap();
    let mut input = other.stdin.take().unwrap();
    writeln!(input, "SELECT 'locked' FROM pg_advisory_lock(1668248436, 1);").unwrap();
    let mut said = String::new();
    BufReader::new(other.stdout.take().unwrap()).read_line(&mut said).unwrap();
    assert!(said.contains("locked"), "{said}");

    let mut start = serving(&database, &[("COUNTINGHOUSE_MIGRATE_ON_START", "true")]);
    let mut start = start.stdout(Stdio::null()).stderr(Stdio::piped()).spawn().unwrap();
    let mut log = BufReader::new(start.stderr.take().unwrap()).lines().map(Result::unwrap);
    assert!(log.any(|line| line.contains("another process migrates the database")));
    send_sigterm(&start);
    assert!(start.wait().unwrap().success());
    assert!(log.any(|line| line.contains("stopped before serving")));
    drop(input);
    other.wait().unwrap();
}
