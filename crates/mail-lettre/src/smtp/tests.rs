//! Servers that misbehave in ways that a real one cannot be made to.

use std::sync::{Arc, Mutex};
use std::time::Duration;

use kernel::EmailAddress;
use mail::{MailTransport, MailTransportError};
use tokio::io::{AsyncBufReadExt, AsyncWriteExt, BufReader};
use tokio::net::{TcpListener, TcpStream};

use super::{SmtpTransport, TIMEOUTS};
use crate::fixture;
use crate::session::{SmtpSendError, Timeouts, send_mail};
use crate::setup_error::SetupError;
use crate::smtp_url::SmtpUrl;

/// The responses of a server, in Latin-1: its greeting, and those to lines with this beginning. An empty
/// response is silence.
type Answers = &'static [(&'static str, &'static str)];

/// Instead of a response, the server closes the connection.
const CLOSES: &str = "closes";

const GREETING: &str = "";
const POLITE: Answers = &[
    (GREETING, "220 hello"),
    ("EHLO", "250-hello\r\n250 AUTH PLAIN"),
    ("AUTH", "235 welcome"),
    ("NOOP", "250 yes"),
    ("MAIL", "250 yes"),
    ("RCPT", "250 yes"),
    ("DATA", "354 go on"),
    (".", "250 taken"),
    ("QUIT", "221 bye"),
];

/// A server that responds by the first list, else by the second; counts its connections.
struct Server {
    port: u16,
    connections: Arc<Mutex<usize>>,
}

impl Server {
    async fn start(first: Answers, then: Answers) -> Self {
        let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
        let port = listener.local_addr().unwrap().port();
        let connections = Arc::new(Mutex::new(0));
        let counted = connections.clone();
        tokio::spawn(async move {
            while let Ok((stream, _)) = listener.accept().await {
                *counted.lock().unwrap() += 1;
                tokio::spawn(answer(stream, first, then));
            }
        });
        Self { port, connections }
    }

    fn transport(&self, login: &str) -> SmtpTransport {
        let url = format!("smtp://{login}127.0.0.1:{}", self.port);
        let mut transport = transport_to(&url).unwrap();
        transport.timeouts = Timeouts {
            connect: Duration::from_millis(300),
            command: Duration::from_millis(300),
            content: Duration::from_millis(300),
            quit: Duration::from_millis(10),
        };
        transport
    }
}

async fn answer(stream: TcpStream, first: Answers, then: Answers) {
    let (read, mut write) = stream.into_split();
    let mut lines = BufReader::new(read).lines();
    let said = |line: &str| {
        let matching = |(start, _): &&(&str, &str)| match *start {
            GREETING => line.is_empty(),
            "." => line == ".",
            start => line.starts_with(start),
        };
        first.iter().chain(then).find(matching).map(|(_, said)| *said)
    };
    let mut line = GREETING.to_owned();
    loop {
        if let Some(said) = said(&line).filter(|said| !said.is_empty()) {
            if said == CLOSES {
                return;
            }
            let latin: Vec<u8> = said.chars().filter_map(|letter| u8::try_from(letter).ok()).collect();
            write.write_all(&[&latin[..], b"\r\n"].concat()).await.unwrap();
        }
        match lines.next_line().await {
            // The empty line that ends the headers of a mail must not match `GREETING`.
            Ok(Some(next)) => line = if next.is_empty() { "-".to_owned() } else { next },
            _ => return,
        }
    }
}

/// Sends one mail to a server that is polite except for these responses.
async fn attempt(but: Answers, login: &str) -> Result<(), MailTransportError> {
    let server = Server::start(but, POLITE).await;
    server.transport(login).send(&fixture::mail()).await
}

fn temporary(result: Result<(), MailTransportError>) -> String {
    match result {
        Err(MailTransportError::Temporary(reason)) => reason,
        other => panic!("{other:?}"),
    }
}

#[tokio::test]
async fn refused_connection_is_temporary_whatever_the_code() {
    let said = temporary(attempt(&[(GREETING, "554 you are on a list")], "").await);
    assert_eq!(said, "554 you are on a list");
    let said = temporary(attempt(&[("EHLO", "550 go away")], "").await);
    assert_eq!(said, "550 go away");
    let said = temporary(attempt(&[("AUTH", "535 5.7.8 no")], "ada:sesame@").await);
    assert_eq!(said, "535 5.7.8 no");
    let said = temporary(attempt(&[("MAIL", "530 log in first")], "").await);
    assert_eq!(said, "530 log in first");
    let said = temporary(attempt(&[("MAIL", "550 5.7.1 not you")], "").await);
    assert_eq!(said, "550 5.7.1 not you", "the sender is the operator's to correct");
}

#[tokio::test]
async fn content_does_not_follow_commands_that_took_longer_than_they_may() {
    let server = Server::start(&[(".", "554 refused")], POLITE).await;
    let transport = server.transport("");
    let mail = crate::compose::compose(&transport.sender, &fixture::mail()).unwrap();
    for (ago, is_sent) in [(Duration::ZERO, true), (5 * transport.timeouts.command, false)] {
        let mut connection = transport.connect().await.unwrap();
        let began = tokio::time::Instant::now().checked_sub(ago).unwrap();
        let (envelope, content) = (mail.envelope(), mail.formatted());
        let sent = send_mail(&mut connection, envelope, &content, transport.timeouts, began).await;
        let is_refused = matches!(sent, Err(SmtpSendError::Smtp(_)));
        let is_late = matches!(sent, Err(SmtpSendError::ProcessPaused));
        assert_eq!((is_refused, is_late), (is_sent, !is_sent));
    }
}

#[tokio::test]
async fn refused_mail_is_permanent_and_deferred_mail_is_temporary() {
    for step in ["RCPT", "DATA", "."] {
        let but: Answers = match step {
            "RCPT" => &[("RCPT", "550 no")],
            "DATA" => &[("DATA", "550 no")],
            _ => &[(".", "550 no")],
        };
        let refused = MailTransportError::Permanent("550 no".to_owned());
        assert_eq!(attempt(but, "").await, Err(refused), "{step}");
    }
    // A refusal counts even if the server then stops responding.
    let rude: Answers = &[("RCPT", "550 no"), ("QUIT", "")];
    let refused = MailTransportError::Permanent("550 no".to_owned());
    assert_eq!(attempt(rude, "").await, Err(refused));
    let said = temporary(attempt(&[("RCPT", "450 4.2.0 greylisted")], "").await);
    assert_eq!(said, "450 4.2.0 greylisted");
}

#[tokio::test]
async fn password_repeated_by_the_server_is_blanked() {
    let but: Answers = &[("AUTH", "535 ada:open-sesame is wrong")];
    let said = temporary(attempt(but, "ada:open%2Dsesame@").await);
    assert_eq!(said, "535 ada:[redacted] is wrong");
}

#[tokio::test]
async fn silent_server_ends_in_a_timeout() {
    let said = temporary(attempt(&[(GREETING, "")], "ada:sesame@").await);
    assert!(said.contains("did not answer to the connection within"), "{said}");
    assert!(!said.contains("sesame"));
    let said = temporary(attempt(&[("DATA", "")], "").await);
    assert!(said.contains("did not answer to DATA within"), "{said}");
}

fn unknown(result: Result<(), MailTransportError>) -> String {
    match result {
        Err(MailTransportError::Unknown(reason)) => reason,
        other => panic!("{other:?}"),
    }
}

#[tokio::test]
async fn mail_without_an_answer_to_its_content_may_have_been_accepted() {
    let said = unknown(attempt(&[(".", "")], "").await);
    assert!(said.contains("did not answer to the content within"), "{said}");
    unknown(attempt(&[(".", CLOSES)], "").await);
    temporary(attempt(&[("DATA", CLOSES)], "").await);
}

#[tokio::test]
async fn answer_to_the_content_that_is_no_text_ends_the_attempts() {
    for said in ["250 2.0.0 accepté", "451 réessayez"] {
        let but: Answers = Box::leak(Box::new([(".", said)]));
        let given_up = attempt(but, "").await;
        assert!(matches!(given_up, Err(MailTransportError::Permanent(_))), "{given_up:?}");
    }
}

#[tokio::test]
async fn connection_is_reused_only_after_a_sent_mail() {
    let server = Server::start(&[], POLITE).await;
    let transport = server.transport("");
    for _ in 0..3 {
        transport.send(&fixture::mail()).await.unwrap();
    }
    assert_eq!(*server.connections.lock().unwrap(), 1);
    let server = Server::start(&[(".", "")], POLITE).await;
    let transport = server.transport("");
    for _ in 0..2 {
        unknown(transport.send(&fixture::mail()).await);
    }
    assert_eq!(*server.connections.lock().unwrap(), 2);
}

#[tokio::test]
async fn address_beyond_ascii_needs_smtputf8() {
    let mut mail = fixture::mail();
    mail.message.to = EmailAddress::parse("jürgen@example.com").unwrap();
    let server = Server::start(&[], POLITE).await;
    let refused = server.transport("").send(&mail).await;
    assert!(matches!(refused, Err(MailTransportError::Permanent(_))));
    let knows: Answers = &[("EHLO", "250-hello\r\n250 SMTPUTF8")];
    let server = Server::start(knows, POLITE).await;
    assert_eq!(server.transport("").send(&mail).await, Ok(()));
}

fn transport_to(url: &str) -> Result<SmtpTransport, SetupError> {
    SmtpTransport::new(SmtpUrl::parse(url).unwrap(), fixture::sender(), None)
}

#[tokio::test]
async fn required_tls_sends_no_mail_unencrypted() {
    let server = Server::start(&[], POLITE).await;
    let url = format!("smtp://ada:sesame@127.0.0.1:{}?tls=required", server.port);
    let transport = transport_to(&url).unwrap();
    let said = temporary(transport.send(&fixture::mail()).await);
    assert!(said.contains("STARTTLS is not supported"), "{said}");
}

#[test]
fn certificates_that_cannot_be_read_are_refused() {
    let set_up = |ca: &std::path::Path| {
        let url = SmtpUrl::parse("smtp://m").unwrap();
        SmtpTransport::new(url, fixture::sender(), Some(ca)).unwrap_err()
    };
    assert!(matches!(set_up("not/there.pem".as_ref()), SetupError::CaFile { .. }));
    let empty = tempfile::NamedTempFile::new().unwrap();
    assert!(matches!(set_up(empty.path()), SetupError::NoCertificate(_)));
}

#[test]
fn debug_output_of_a_transport_has_no_password() {
    let url = "smtps://ada:sesame@mail.example.com";
    let transport = transport_to(url).unwrap();
    let shown = format!("{transport:?}");
    assert!(shown.contains("mail.example.com") && !shown.contains("sesame"));
}

#[tokio::test]
async fn probe_logs_in_and_sends_nothing() {
    // This server refuses every recipient, but the probe names none.
    let server = Server::start(&[("RCPT", "550 no"), ("QUIT", "")], POLITE).await;
    server.transport("ada:secret@").probe().await.unwrap();
    assert_eq!(*server.connections.lock().unwrap(), 1);
    let server = Server::start(&[("AUTH", "535 not ada")], POLITE).await;
    let said = temporary(server.transport("ada:secret@").probe().await);
    assert_eq!(said, "535 not ada");
    let server = Server::start(&[("MAIL", "550 5.7.1 not you")], POLITE).await;
    assert_eq!(temporary(server.transport("ada:secret@").probe().await), "550 5.7.1 not you");
    let server = Server::start(&[(GREETING, "")], POLITE).await;
    temporary(server.transport("").probe().await);
}

/// A lease is checked before a mail is sent, for as long as sending may take.
#[test]
fn sending_takes_no_longer_than_a_lease_allows_for() {
    // MAIL, RCPT and DATA.
    let commands = TIMEOUTS.command * 3;
    assert!(TIMEOUTS.connect + commands + TIMEOUTS.content <= outbox::LONGEST_SENDING);
}
