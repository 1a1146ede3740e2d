//! Inbound mail: how fast it is stored, and how fast it is processed.

use std::sync::Arc;
use std::time::{Duration, Instant};

use anyhow::Context;
use communications::{InboundService, Incoming};
use kernel::PublicUrls;

use super::case::{Case, in_turns};
use super::environment::Environment;
use super::figure::{Figure, Goal, Spread};
use super::script::STORE_MESSAGE;
use super::tenants::{scattered, turn};
use super::understanding;
use crate::fixtures::client::post_raw;
use crate::fixtures::service_process::{Service, free_address};

const NAME: &str = "POST /inbound/mail/{token}";
const TOKEN: &str = "a-benchmark-sends-this";
/// The goal for storing: messages a second over eight connections.
const STORED: f64 = 500.0;
/// How many messages are stored before the service starts to process them.
const WAITING: u32 = 5_000;
/// How many of them are stored concurrently.
const AT_ONCE: usize = 16;
const LOOK_EACH: Duration = Duration::from_millis(250);

/// Replies to reminders, each with the words of a customer.
struct Mails {
    /// The token and the address of each reminder.
    reminders: Vec<(String, String)>,
    texts: Vec<String>,
}

/// Measures both.
pub(super) async fn measure(environment: &Environment) -> anyhow::Result<Vec<Figure>> {
    let mails = Arc::new(Mails::read(environment)?);
    let mut figures = Vec::new();
    let service = serve(environment).await?;
    for connections in &environment.options.connections {
        let (of, run) = (mails.clone(), connections.to_string());
        let tenants = &environment.tenants.spread;
        let case = Case::new(NAME, 200, STORE_MESSAGE, None, tenants, move |_, n| {
            post_raw(&format!("/inbound/mail/{TOKEN}"), "message/rfc822", &of.mail(&run, n))
        })
        .with_floors_when_idle();
        let figure = in_turns(environment, &service, &Arc::new(case), *connections).await?;
        let goal = (*connections == 8).then_some(Goal::AtLeast(STORED));
        figures.push(Figure { goal, ..figure });
        environment.sql("DELETE FROM inbound_messages;")?;
    }
    service.stop()?;
    figures.push(work_through(environment, &mails).await?);
    Ok(figures)
}

async fn serve(environment: &Environment) -> anyhow::Result<Service> {
    let mut command = environment.database.command();
    command.env("COUNTINGHOUSE_INBOUND_DOMAIN", "in.example.com").env("COUNTINGHOUSE_INBOUND_TOKEN", TOKEN);
    environment.database.serve(command, free_address()?).await
}

/// The time from the start of the service to the last processed message, minus the time to readiness.
async fn work_through(environment: &Environment, mails: &Arc<Mails>) -> anyhow::Result<Figure> {
    let database = &environment.database;
    let urls = PublicUrls::new("http://127.0.0.1");
    let inbound = Arc::new(database.deps.inbound(&urls)?);
    let mut rates = Vec::new();
    for round in environment.options.rounds() {
        environment.say(&format!("working on {WAITING} messages, round {round}"));
        environment.sql("DELETE FROM inbound_messages;")?;
        store(&inbound, mails, round).await?;
        let begun = Instant::now();
        let service = serve(environment).await?;
        while waiting(environment)? > 0 {
            tokio::time::sleep(LOOK_EACH).await;
        }
        let took = begun.elapsed().saturating_sub(service.took);
        service.stop()?;
        rates.push(f64::from(WAITING) / took.as_secs_f64());
    }
    let name = format!("messages worked on, of {WAITING} that wait");
    Ok(Figure::plain(database.kind, name, "/s", Spread::of(rates).unwrap_or_default()))
}

/// Stores messages while no service processes them.
async fn store(inbound: &Arc<InboundService>, mails: &Arc<Mails>, round: u32) -> anyhow::Result<()> {
    let run = format!("waiting-{round}");
    let mut storing = tokio::task::JoinSet::new();
    for n in 0..u64::from(WAITING) {
        if storing.len() >= AT_ONCE {
            storing.join_next().await.transpose()?.transpose()?;
        }
        let (inbound, mail) = (inbound.clone(), mails.mail(&run, n));
        storing.spawn(async move { inbound.receive(Incoming::Mail(mail)).await });
    }
    while let Some(stored) = storing.join_next().await {
        stored??;
    }
    Ok(())
}

fn waiting(environment: &Environment) -> anyhow::Result<u32> {
    let counted = environment
        .lines("SELECT CAST(count(*) AS text) AS line FROM inbound_messages WHERE state = 'stored'")?;
    Ok(counted.first().context("a count is one line")?.parse()?)
}

impl Mails {
    fn read(environment: &Environment) -> anyhow::Result<Self> {
        let lines = environment.lines(
            "SELECT reply_token || ' ' || address AS line FROM messages WHERE reply_token IS NOT NULL ORDER BY id",
        )?;
        let read = |line: &String| {
            let (token, address) = line.split_once(' ').context("a token and an address")?;
            Ok((token.to_owned(), address.to_owned()))
        };
        let reminders = lines.iter().map(read).collect::<anyhow::Result<Vec<_>>>()?;
        Ok(Self { reminders, texts: understanding::texts()? })
    }

    /// The `n`th mail of a run: a reply to a reminder, which it quotes.
    fn mail(&self, run: &str, n: u64) -> Vec<u8> {
        let nothing = (String::new(), String::new());
        let (token, address) = turn(&self.reminders, scattered(n)).unwrap_or(&nothing);
        let text = turn(&self.texts, n).map_or("", String::as_str);
        format!(
            "From: Customer <{address}>\r\nTo: reply+{token}@in.example.com\r\nSubject: Re: Your invoice\r\n\
             Message-ID: <{run}-{n}@customer.example.com>\r\nMIME-Version: 1.0\r\n\
             Content-Type: text/plain; charset=utf-8\r\nContent-Transfer-Encoding: 8bit\r\n\r\n\
             {text}\r\n\r\nOn Monday, Seeded company wrote:\r\n> Your invoice is due soon.\r\n> Pay it here.\r\n"
        )
        .into_bytes()
    }
}
