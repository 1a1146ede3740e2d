//! Which settings are accepted, and how the others are reported.

use std::path::Path;
use std::time::Duration;

use access::Quotas;
use webhooks::DeliverySchedule;

use super::{LogFormat, Settings, SettingsError, names};

fn read(variables: &[(&str, &str)]) -> Result<Settings, SettingsError> {
    read_with(variables, Path::new("/nonexistent/countinghouse.toml"))
}

fn read_with(variables: &[(&str, &str)], file: &Path) -> Result<Settings, SettingsError> {
    let pair = |(name, value): &(&str, &str)| ((*name).to_owned(), (*value).to_owned());
    Settings::from_sources(variables.iter().map(pair), file)
}

#[test]
fn unset_settings_have_the_documented_defaults() {
    let settings = read(&[]).unwrap();
    assert_eq!(settings.database_url().reveal(), "sqlite://data/countinghouse.db");
    assert_eq!(settings.public_urls("127.0.0.1:8080".parse().unwrap()).base(), "http://127.0.0.1:8080");
    assert_eq!(settings.quotas(), Quotas::default());
    assert_eq!(settings.worker_interval, Duration::from_secs(60));
    assert_eq!(settings.log_format, LogFormat::Text);
    assert_eq!(settings.rust_log.filter().to_string(), "actix_http=off,info");
    assert_eq!(settings.webhook_schedule().unwrap(), DeliverySchedule::default());
    let kept = settings.kept_messages().unwrap();
    assert_eq!((kept.raw.whole_days(), kept.texts.whole_days()), (90, 730));
}

#[test]
fn public_url_is_an_address_that_clients_can_reach_in_its_usual_form() {
    let base = |url: &str| {
        let settings = read(&[("COUNTINGHOUSE_PUBLIC_URL", url)])?;
        Ok::<_, SettingsError>(settings.public_urls("127.0.0.1:8080".parse().unwrap()).base().to_owned())
    };
    for (url, shown) in [
        ("https://books.example.com/", "https://books.example.com"),
        (" HTTPS://Books.Example.COM:443//\n", "https://books.example.com"),
        ("https://example.com:8443/books/", "https://example.com:8443/books"),
        ("http://[::1]:8080", "http://[::1]:8080"),
    ] {
        assert_eq!(base(url).unwrap(), shown);
    }
    for bad in [
        "https://", "https:///x", "https:/x", "https://h:99999", "https://h:abc", "https://[::1",
        "https://:443", "https://a\"b<c>", "https://a\"b", "https://h/a b", "https://h\n/x", "https://h\t/x",
        "https://ada@h", "https://:secret@h", "https://h:0", "https://.", "https://a..b", "https://h?",
        "https://h#top", "ftp://h", "h",
    ] {
        let error = base(bad).unwrap_err().to_string();
        assert!(error.contains("COUNTINGHOUSE_PUBLIC_URL") && !error.contains("secret"), "{bad}: {error}");
    }
}

#[test]
fn empty_value_of_any_setting_is_an_unset_one() {
    let unset = format!("{:?}", read(&[]).unwrap());
    for key in names::keys() {
        let variable = names::variable_of_key(key);
        for empty in ["", " "] {
            let settings = read(&[(&*variable, empty)]).unwrap_or_else(|error| panic!("{variable}: {error}"));
            assert_eq!(format!("{settings:?}"), unset, "{variable}");
        }
    }
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("countinghouse.toml");
    std::fs::write(&file, "data_dir = ''\ninbound_domain = 'in.example.com'\n").unwrap();
    let settings = read_with(&[("COUNTINGHOUSE_INBOUND_DOMAIN", "")], &file).unwrap();
    assert_eq!(settings.data_dir, Path::new("data"));
    assert_eq!(settings.inbound_domain.as_deref(), Some("in.example.com"), "as if only the file had it");
}

#[test]
fn each_malformed_setting_is_named_in_one_line() {
    for (name, value) in [
        ("COUNTINGHOUSE_LISTEN", "0.0.0.0:80"),
        ("COUNTINGHOUSE_TLS_CERT_FILE", "a.pem"),
        ("COUNTINGHOUSE_LOG_FORMAT", "xml"),
        ("RUST_LOG", "app=loudly"),
        ("COUNTINGHOUSE_READS_PER_MINUTE", "0"),
        ("COUNTINGHOUSE_DEFAULT_CURRENCY", "XXX"),
        ("COUNTINGHOUSE_PUBLIC_URL", "ftp://x"),
        ("COUNTINGHOUSE_MASTER_KEY", "c2hvcnQ="),
        ("COUNTINGHOUSE_SMTP_URL", "http://x"),
        ("COUNTINGHOUSE_MAIL_FROM", "nobody"),
        ("COUNTINGHOUSE_MEDIA_URL", "https://example.com/bucket"),
        ("COUNTINGHOUSE_BEHIND_TLS_PROXY", "maybe"),
        ("COUNTINGHOUSE_CITUS", "true"),
        ("COUNTINGHOUSE_DATA_DIR", "not UTF-8: \u{fffd}"),
        ("COUNTINGHOUSE_RAW_MESSAGES_KEPT", "90"),
        ("COUNTINGHOUSE_RAW_MESSAGES_KEPT", "36501d"),
        ("COUNTINGHOUSE_MESSAGE_TEXTS_KEPT", "89d"),
        ("COUNTINGHOUSE_LANGUAGE_MODEL_URL", "https://models.example.com/v1"),
        ("COUNTINGHOUSE_LANGUAGE_MODEL_NAME", "small-1"),
        ("COUNTINGHOUSE_LANGUAGE_MODEL_KEY", "hunter2"),
        ("COUNTINGHOUSE_WEBHOOK_RETRY_WAITS", "1s,1s,1s,1s,1s"),
        ("COUNTINGHOUSE_WEBHOOK_RETRY_WAITS", "5m,x"),
        ("COUNTINGHOUSE_WEBHOOK_RETRY_WAITS", "5m,366d"),
        ("COUNTINGHOUSE_WEBHOOK_TIMEOUT", "0s"),
        ("DATABASE_URL", "mysql://localhost/x"),
        ("DATABASE_URL", "postgres://u:hunter2@h/x?sslmode=on"),
    ] {
        let error = read(&[(name, value)]).unwrap_err();
        let [fault] = error.faults.as_slice() else {
            panic!("{name}: {error}");
        };
        assert!(fault.contains(name), "{fault}");
        assert!(!fault.contains('\n') && !fault.contains("hunter2"), "{fault}");
    }
}

#[test]
fn number_or_switch_that_cannot_be_read_says_what_is_expected() {
    for (name, value, expected) in [
        ("COUNTINGHOUSE_PAYMENT_TERMS_DAYS", "a month", "a whole number from 0 to 65535"),
        ("COUNTINGHOUSE_PAYMENT_TERMS_DAYS", "70000", "a whole number from 0 to 65535"),
        ("COUNTINGHOUSE_PROXY_HOPS", "0", "a whole number from 1 to 255"),
        ("COUNTINGHOUSE_PROXY_HOPS", "many", "a whole number from 1 to 255"),
        ("COUNTINGHOUSE_READS_PER_MINUTE", "0", "a whole number from 1 to 4294967295"),
        ("COUNTINGHOUSE_MIGRATE_ON_START", "2", "true or false"),
        ("COUNTINGHOUSE_LISTEN", "localhost:8080", "an IP address and a port, such as 127.0.0.1:8080"),
    ] {
        let error = read(&[(name, value)]).unwrap_err().to_string();
        assert!(error.contains(expected), "{error}");
    }
}

#[test]
fn file_that_cannot_be_read_names_setting_or_line_and_no_value() {
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("countinghouse.toml");
    for (text, expected) in [
        ("inbound_token = 7291", "COUNTINGHOUSE_INBOUND_TOKEN in "),
        ("twilio_auth_token = 7291", "COUNTINGHOUSE_TWILIO_AUTH_TOKEN in "),
        ("language_model_key = 7291", "COUNTINGHOUSE_LANGUAGE_MODEL_KEY in "),
        ("master_key = 7291", "COUNTINGHOUSE_MASTER_KEY in "),
        ("xero_client_secret = 7291.5", "COUNTINGHOUSE_XERO_CLIENT_SECRET in "),
        ("payment_terms_days = 729100", "expected a whole number from 0 to 65535"),
        ("worker_interval = 7291", "expected text in quotation marks"),
        ("data_dir = 7291", "expected text in quotation marks"),
        ("listen = 7291", "expected an IP address and a port, such as \"127.0.0.1:8080\""),
        ("sandbox = 7291", "must be auto, true or false"),
        ("log_format = 7291", "expected text in quotation marks"),
        ("data_dir = 'data'\ninbound_token = '7291'\ninbound_token = '7291'", "in line 3: duplicate key"),
        ("inbound_token = 7291x", "in line 1: "),
    ] {
        std::fs::write(&file, text).unwrap();
        let error = read_with(&[], &file).unwrap_err().to_string();
        assert!(error.contains(expected) && !error.contains("7291"), "{error}");
    }
}

#[test]
fn file_whose_target_is_missing_is_not_taken_for_none() {
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("countinghouse.toml");
    std::os::unix::fs::symlink(folder.path().join("unmounted"), &file).unwrap();
    let error = read_with(&[], &file).unwrap_err().to_string();
    assert!(error.contains("countinghouse.toml cannot be read"), "{error}");
}

#[test]
fn setting_of_an_adapter_that_is_not_set_up_is_a_fault() {
    for (name, value, expected) in [
        ("COUNTINGHOUSE_TWILIO_URL", "https://twilio.example.com", "COUNTINGHOUSE_TWILIO_URL only with them"),
        ("COUNTINGHOUSE_XERO_ACCOUNT_CODE", "200", "other COUNTINGHOUSE_XERO_* settings only with them"),
    ] {
        let error = read(&[(name, value)]).unwrap_err().to_string();
        assert!(error.contains(expected), "{error}");
    }
}

#[test]
fn file_of_authorities_that_is_missing_or_not_of_certificates_is_named_once() {
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("ca.pem");
    let variables = [
        ("COUNTINGHOUSE_EXTRA_CA_FILE", file.to_str().unwrap()),
        // These read the file too.
        ("COUNTINGHOUSE_LANGUAGE_MODEL_URL", "https://models.example.com/v1"),
        ("COUNTINGHOUSE_LANGUAGE_MODEL_NAME", "small-1"),
    ];
    let fault = || match read(&variables).unwrap_err().faults.as_slice() {
        [fault] => fault.clone(),
        faults => panic!("{faults:?}"),
    };
    let named = format!("COUNTINGHOUSE_EXTRA_CA_FILE: cannot read {}", file.display());
    assert!(fault().starts_with(&named), "{}", fault());
    for pem in ["", "nothing here", "-----BEGIN CERTIFICATE-----\nAAAA\n-----END CERTIFICATE-----\n"] {
        std::fs::write(&file, pem).unwrap();
        let named = format!("COUNTINGHOUSE_EXTRA_CA_FILE: cannot use {}: ", file.display());
        assert!(fault().starts_with(&named) && !fault().contains('\n'), "{}", fault());
    }
    let authority = rcgen::generate_simple_self_signed(["localhost".to_owned()]).unwrap();
    std::fs::write(&file, authority.cert.pem()).unwrap();
    assert!(read(&variables).unwrap().extra_ca_pem().unwrap().is_some());
}

#[test]
fn all_faults_are_reported_together() {
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("countinghouse.toml");
    std::fs::write(&file, "mail_from = 'nobody'\nlissten = 1\n").unwrap();
    let variables = [
        ("PATH", "/bin"),
        ("COUNTINGHOUSE_LISTEM", "127.0.0.1:1"),
        ("COUNTINGHOUSE_MASTER_KEY", "short"),
        ("COUNTINGHOUSE_XERO_CLIENT_ID", "id"),
        ("COUNTINGHOUSE_XERO_CLIENT_SECRET", "secret"),
        ("COUNTINGHOUSE_XERO_BASE_URL", "http://example.com"),
    ];
    let error = read_with(&variables, &file).unwrap_err();
    for named in [
        "COUNTINGHOUSE_LISTEM", "COUNTINGHOUSE_MAIL_FROM", "COUNTINGHOUSE_MASTER_KEY",
        "COUNTINGHOUSE_XERO_BASE_URL", "lissten",
    ] {
        let count = error.faults.iter().filter(|fault| fault.contains(named));
        assert_eq!(count.count(), 1, "{named}: {error}");
    }
    assert_eq!(error.faults.len(), 5, "{error}");
}

#[test]
fn the_environment_wins_over_the_file_and_both_take_native_and_text_values() {
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("countinghouse.toml");
    std::fs::write(&file, "reads_per_minute = 7\nwrites_per_minute = 8\n").unwrap();
    let variables = [
        ("COUNTINGHOUSE_READS_PER_MINUTE", "9"),
        ("COUNTINGHOUSE_MIGRATE_ON_START", "true"),
        ("COUNTINGHOUSE_SMTP_URL", ""),
    ];
    let settings = read_with(&variables, &file).unwrap();
    assert_eq!((settings.quotas().reads, settings.quotas().writes), (9, 8));
    assert!(settings.migrate_on_start && settings.smtp_url.is_none());
}

#[test]
fn log_filter_of_the_environment_precedes_that_of_the_file() {
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("countinghouse.toml");
    std::fs::write(&file, "rust_log = 'warn'\n").unwrap();
    let logged =
        |variables: &[(&str, &str)]| read_with(variables, &file).unwrap().rust_log.filter().to_string();
    assert_eq!(logged(&[]), "warn");
    assert_eq!(logged(&[("RUST_LOG", "debug")]), "debug");
    assert_eq!(logged(&[("RUST_LOG", "")]), "warn", "an empty variable is unset");
}

#[test]
fn listening_outside_loopback_needs_tls_or_a_proxy() {
    let world = ("COUNTINGHOUSE_LISTEN", "0.0.0.0:80");
    assert!(read(&[world]).is_err());
    assert!(read(&[world, ("COUNTINGHOUSE_BEHIND_TLS_PROXY", "true")]).is_ok());
}

#[test]
fn public_url_of_plain_http_is_refused_with_a_certificate_or_a_proxy() {
    let proxy = ("COUNTINGHOUSE_BEHIND_TLS_PROXY", "true");
    let pair = [("COUNTINGHOUSE_TLS_CERT_FILE", "a.pem"), ("COUNTINGHOUSE_TLS_KEY_FILE", "b.pem")];
    for tls in [&[proxy][..], &pair] {
        let with = |url| read(&[&[("COUNTINGHOUSE_PUBLIC_URL", url)], tls].concat());
        let refused = with("http://books.example.com").unwrap_err().to_string();
        assert!(refused.starts_with("COUNTINGHOUSE_PUBLIC_URL must begin with https://"), "{refused}");
        assert!(with("https://books.example.com").is_ok());
    }
}

#[test]
fn sandbox_is_on_with_the_embedded_database_on_loopback_alone() {
    let has_sandbox = |variables: &[(&str, &str)]| read(variables).unwrap().has_sandbox();
    let postgres = ("DATABASE_URL", "postgres://db.example.com/books");
    let on = ("COUNTINGHOUSE_SANDBOX", "true");
    assert!(has_sandbox(&[]) && has_sandbox(&[on, postgres]));
    assert!(!has_sandbox(&[postgres]) && !has_sandbox(&[("COUNTINGHOUSE_SANDBOX", "false")]));
    for off in [
        ("COUNTINGHOUSE_PUBLIC_URL", "https://books.example.com"),
        ("COUNTINGHOUSE_PUBLIC_URL", "http://localhost.example.com"),
        ("COUNTINGHOUSE_BEHIND_TLS_PROXY", "true"),
    ] {
        assert!(!has_sandbox(&[off]) && !has_sandbox(&[on, off]), "{off:?}");
    }
    for base in ["http://localhost:8080", "http://127.0.0.1/books", "http://[::1]:8080"] {
        assert!(has_sandbox(&[("COUNTINGHOUSE_PUBLIC_URL", base)]), "{base}");
    }
    assert!(read(&[("COUNTINGHOUSE_SANDBOX", "maybe")]).is_err());
}

#[test]
fn test_clock_is_refused_where_the_sandbox_is_off_or_its_file_is_no_clock() {
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("now");
    let clock = ("COUNTINGHOUSE_TEST_CLOCK", file.to_str().unwrap());
    assert!(read(&[clock]).unwrap_err().to_string().contains("cannot read"));
    std::fs::write(&file, "2026-12-01T09:00:00Z").unwrap();
    let now = read(&[clock]).unwrap().clock().unwrap().now();
    assert_eq!(now, time::macros::datetime!(2026-12-01 9:00 UTC));
    let refused = read(&[clock, ("COUNTINGHOUSE_SANDBOX", "false")]).unwrap_err().to_string();
    assert!(refused.starts_with("COUNTINGHOUSE_TEST_CLOCK needs the sandbox"), "{refused}");
}

#[test]
fn the_redis_address_is_shown_without_its_password() {
    let redis = |url| read(&[("COUNTINGHOUSE_REDIS_URL", url)]);
    let shown = format!("{:?}", redis("rediss://:hunter2@cache.example.com").unwrap());
    assert!(shown.contains("cache.example.com") && !shown.contains("hunter2"));
    let refused = redis("redis://:hunter2@:x").unwrap_err().to_string();
    assert!(refused.starts_with("COUNTINGHOUSE_REDIS_URL:") && !refused.contains("hunter2"));
}

#[test]
fn language_model_is_set_by_address_and_name_and_its_key_is_never_shown() {
    assert!(read(&[]).unwrap().language_model().unwrap().is_none());
    let with = |url, key| {
        read(&[
            ("COUNTINGHOUSE_LANGUAGE_MODEL_URL", url),
            ("COUNTINGHOUSE_LANGUAGE_MODEL_NAME", "small-1"),
            ("COUNTINGHOUSE_LANGUAGE_MODEL_KEY", key),
        ])
    };
    let settings = with("https://models.example.com/v1", "hunter2").unwrap();
    assert!(!format!("{settings:?}").contains("hunter2"));
    let model = settings.language_model().unwrap().unwrap();
    assert_eq!((&*model.name, model.key.as_deref()), ("small-1", Some("hunter2")));
    assert!(!format!("{model:?}").contains("hunter2"));
    for (url, key, name) in [
        ("http://models.example.com/v1", "hunter2", "COUNTINGHOUSE_LANGUAGE_MODEL_URL"),
        ("https://me:hunter2@models.example.com", "x", "COUNTINGHOUSE_LANGUAGE_MODEL_URL"),
        ("http://127.0.0.1:8000/v1", "hunter2 x", "COUNTINGHOUSE_LANGUAGE_MODEL_KEY"),
    ] {
        let refused = with(url, key).unwrap_err().to_string();
        assert!(refused.starts_with(name) && !refused.contains("hunter2"), "{refused}");
    }
}
