//! What settings are taken and what is said of the others.

use super::*;
use confique::Layer as _;

type Set = <Written as confique::Config>::Layer;

fn check(set: impl FnOnce(&mut Set)) -> anyhow::Result<Settings> {
    let mut layer = Set::empty();
    set(&mut layer);
    Settings::check(Written::from_layer(layer.with_fallback(Set::default_values())).unwrap())
}

#[test]
fn defaults_are_those_of_the_manual() {
    let settings = check(|_| {}).unwrap();
    assert_eq!(
        settings.database_url.reveal(),
        "sqlite://data/countinghouse.db"
    );
    assert_eq!(
        settings
            .public_urls("127.0.0.1:8080".parse().unwrap())
            .base(),
        "http://127.0.0.1:8080"
    );
    assert_eq!(settings.quotas, Quotas::default());
    assert_eq!(settings.worker_interval, Duration::from_secs(60));
}

#[test]
fn faults_name_their_setting() {
    let fault = |set: fn(&mut Set)| check(set).unwrap_err().to_string();
    for (message, name) in [
        (
            fault(|set| set.listen = Some("0.0.0.0:80".parse().unwrap())),
            "COUNTINGHOUSE_LISTEN",
        ),
        (
            fault(|set| set.tls_cert_file = Some("a.pem".into())),
            "COUNTINGHOUSE_TLS_KEY_FILE",
        ),
        (
            fault(|set| set.log_format = Some("xml".into())),
            "COUNTINGHOUSE_LOG_FORMAT",
        ),
        (
            fault(|set| set.reads_per_minute = Some(0)),
            "COUNTINGHOUSE_READS_PER_MINUTE",
        ),
        (
            fault(|set| set.default_currency = Some("XXX".into())),
            "COUNTINGHOUSE_DEFAULT_CURRENCY",
        ),
        (
            fault(|set| set.public_url = Some("ftp://x".into())),
            "COUNTINGHOUSE_PUBLIC_URL",
        ),
    ] {
        assert!(
            message.contains(name) && !message.contains('\n'),
            "{message}"
        );
    }
}

#[test]
fn listening_to_the_world_needs_tls_somewhere() {
    let world = "0.0.0.0:80".parse().unwrap();
    assert!(check(|set| (set.listen, set.behind_tls_proxy) = (Some(world), Some(true))).is_ok());
}

#[test]
fn unknown_names_are_refused() {
    let names = ["PATH".to_owned(), "COUNTINGHOUSE_LISTEM".to_owned()];
    assert!(
        refuse_unknown_variables(names.into_iter())
            .unwrap_err()
            .to_string()
            .contains("COUNTINGHOUSE_LISTEM")
    );
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join(FILE);
    std::fs::write(&file, "listen = '127.0.0.1:1'\nlissten = 1\n").unwrap();
    assert!(
        refuse_unknown_keys(&file)
            .unwrap_err()
            .to_string()
            .contains("lissten")
    );
}

#[test]
fn the_address_of_redis_is_kept_and_its_password_is_not_shown() {
    let url = |url: &str| Some(Secret::new(url.to_owned()));
    let settings = check(|set| set.redis_url = url("rediss://:hunter2@cache.example.com")).unwrap();
    let shown = format!("{settings:?}");
    assert!(shown.contains("cache.example.com") && !shown.contains("hunter2"));
    let refused = check(|set| set.redis_url = url("redis://:hunter2@:x")).unwrap_err();
    let refused = format!("{refused:#}");
    assert!(refused.starts_with("COUNTINGHOUSE_REDIS_URL ") && !refused.contains("hunter2"));
}
