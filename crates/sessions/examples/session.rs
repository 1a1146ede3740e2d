//! A session's life and a second factor, with no database and no HTTP:
//! `cargo run -p sessions --example session`.

use std::error::Error;
use std::io::Write as _;
use std::net::{IpAddr, Ipv4Addr};

use kernel::{AccountId, AccountToken, Clock, Id, SystemClock, SystemIds, SystemRandom};
use sessions::{Failures, FailuresInMemory, Origin, RecoveryCode, Session, ThrottledSubject, TotpSecret};
use time::Duration;

#[tokio::main(flavor = "current_thread")]
async fn main() -> Result<(), Box<dyn Error>> {
    let mut out = std::io::stdout();
    let (ids, random) = (SystemIds::default(), SystemRandom::default());
    let now = SystemClock.now();
    let account: AccountId = Id::new(&ids, now);

    // The browser gets the token, which names the account; the store gets its hash.
    let token = AccountToken::generate(account, &random);
    let firefox = "Mozilla/5.0 (X11; Linux x86_64; rv:140.0) Gecko/20100101 Firefox/140.0";
    let origin = Origin::new(IpAddr::V4(Ipv4Addr::LOCALHOST), firefox);
    let session = Session::begin(Id::new(&ids, now), &token, origin, false, now);
    writeln!(out, "A session of {} lives: {}", session.origin.browser, session.is_live(now))?;
    let later = now + Duration::minutes(11);
    writeln!(
        out,
        "11 minutes later the password is asked for again: {}",
        !session.is_recently_authenticated(later)
    )?;
    writeln!(out, "13 idle hours later it has ended: {}", !session.is_live(now + Duration::hours(13)))?;

    // A code of the authenticator is accepted once, up to one time step early or late.
    let secret = TotpSecret::generate(&random);
    let step = now.unix_timestamp().div_euclid(30);
    let code = secret.code(step);
    let used = secret.step_of(&code, None, now);
    writeln!(out, "The authenticator's code is right: {}", used.is_some())?;
    writeln!(out, "The same code again is refused: {}", secret.step_of(&code, used, now).is_none())?;
    writeln!(
        out,
        "There are {} recovery codes for a lost authenticator",
        RecoveryCode::generate_all(&random).len()
    )?;

    // After five failures the next attempt must wait.
    let (failures, owner) = (FailuresInMemory::default(), ThrottledSubject::email("ada@example.com"));
    for attempt in 1..=6 {
        match failures.count(&owner, 5, now).await {
            Ok(()) => writeln!(out, "Failure {attempt} is counted")?,
            Err(over_limit) => writeln!(out, "Attempt {attempt} waits for {} s", over_limit.wait.seconds())?,
        }
    }
    Ok(())
}
