//! The environment of the service: the certificate authorities that the machine trusts, its clock, and Redis.

use std::path::{Path, PathBuf};

use kernel::{Clock as _, SystemClock};
use rustls::pki_types::CertificateDer;
use rustls::pki_types::pem::PemObject as _;
use store_diesel::DatabaseKind;
use time::{Duration, OffsetDateTime};

use super::database::Opened;
use super::finding::{CheckOutcome, run_blocking};
use crate::settings::Settings;
use crate::wiring::shared_limits;

/// The years in which the system's clock is plausible.
const YEARS: std::ops::Range<i32> = 2026..2100;

/// The accepted difference between the clocks of two machines.
const TOLERANCE: Duration = Duration::seconds(5);

/// Whether there are certificate authorities to trust for outgoing TLS.
pub(super) async fn trust(extra: Option<PathBuf>) -> CheckOutcome {
    run_blocking(move || inspect(extra.as_deref())).await
}

fn inspect(extra: Option<&Path>) -> Result<String, String> {
    let system = rustls_native_certs::load_native_certs().certs.len();
    let Some(file) = extra else {
        return if system == 0 {
            Err("this machine has no certificates of authorities, so every outgoing TLS connection is refused: install the \
                 system's package ca-certificates, or set COUNTINGHOUSE_EXTRA_CA_FILE".to_owned())
        } else {
            Ok(format!("{system} authorities of the system"))
        };
    };
    let name = file.display();
    let read = CertificateDer::pem_file_iter(file).and_then(Iterator::collect::<Result<Vec<_>, _>>);
    match read {
        Ok(found) if !found.is_empty() => {
            Ok(format!("{system} authorities of the system, and {} of {name}", found.len()))
        }
        Ok(_) => Err(format!("COUNTINGHOUSE_EXTRA_CA_FILE: {name} holds no certificate in PEM form")),
        Err(error) => Err(format!("COUNTINGHOUSE_EXTRA_CA_FILE: {name} cannot be used: {error}")),
    }
}

/// Whether the clock is plausible: it decides when invoices are due and how long signatures are valid.
pub(super) async fn clock(opened: Option<&Opened>) -> CheckOutcome {
    let before = SystemClock.now();
    if !YEARS.contains(&before.year()) {
        return Err(off(before, "which cannot be").into());
    }
    let server = opened.filter(|opened| opened.store.upkeep.kind() == DatabaseKind::Postgres);
    let Some(server) = server else {
        return Ok(format!("it is {}", minute(before)));
    };
    let shown = server.store.checkup.clock().await?;
    Ok(compare(before, shown, SystemClock.now())?)
}

/// Whether Redis, if it is set, accepts a connection with the encryption and the password of its address.
pub(super) async fn redis(settings: &Settings) -> CheckOutcome {
    let Some(address) = &settings.redis_url else {
        return Ok(
            "not set: each process counts quotas for itself, which is right for one process".to_owned()
        );
    };
    let shared = shared_limits(settings).await.map_err(|error| format!("{error:#}"))?;
    if shared.is_some_and(|shared| shared.is_shared()) {
        return Ok(format!("{address} shares the quotas"));
    }
    Err(format!(
        "{address} does not let us in, so each process counts quotas for itself: see whether it is up, and \
         COUNTINGHOUSE_REDIS_URL has the right host, port and password"
    )
    .into())
}

fn compare(before: OffsetDateTime, shown: OffsetDateTime, after: OffsetDateTime) -> Result<String, String> {
    if (before - TOLERANCE..=after + TOLERANCE).contains(&shown) {
        Ok(format!("it is {}, and the database server agrees", minute(before)))
    } else {
        let apart = (shown - before).whole_seconds().unsigned_abs();
        Err(off(before, &format!("and the database server's clock is {apart} s away")))
    }
}

fn off(now: OffsetDateTime, how: &str) -> String {
    format!(
        "this machine says that it is {}, {how}: have its time kept, with chrony or systemd-timesyncd",
        minute(now)
    )
}

fn minute(now: OffsetDateTime) -> String {
    format!("{} {:02}:{:02} UTC", now.date(), now.hour(), now.minute())
}

#[cfg(test)]
mod tests {
    use super::*;
    use time::macros::datetime;

    #[test]
    fn clocks_may_differ_by_seconds() {
        let now = datetime!(2026-11-20 02:09:06 UTC);
        let compare = |apart| compare(now, now + Duration::seconds(apart), now + Duration::SECOND);
        assert!(compare(0).is_ok() && compare(6).is_ok() && compare(-5).is_ok());
        assert!(compare(7).unwrap_err().contains("7 s away"));
        assert!(compare(-90).unwrap_err().contains("02:09 UTC"));
    }

    #[test]
    fn certificate_file_without_certificates_is_reported() {
        let file = tempfile::NamedTempFile::new().unwrap();
        assert!(inspect(Some(file.path())).unwrap_err().contains("no certificate"));
    }
}
