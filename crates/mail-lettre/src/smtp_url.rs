//! The URL of a mail server, as the operator sets it.

use std::fmt;

use percent_encoding::percent_decode_str;
use url::Url;

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Tls {
    /// From the first byte: `smtps://`.
    Implicit,
    /// By `STARTTLS`, or no mail is sent: `smtp://...?tls=required`.
    Required,
    /// By `STARTTLS` when the server offers it: `smtp://`. It protects from eavesdroppers, not from active
    /// attackers.
    Opportunistic,
    /// None: `smtp://...?tls=none`, for a server on the same machine.
    None,
}

/// A mail server: its address, how TLS is used, and our login.
///
/// `smtp://user:password@host:port?tls=required`; the port is 587 for `smtp` and 465 for `smtps` unless
/// given, user and password are percent-encoded.
#[derive(Clone, PartialEq, Eq)]
pub struct SmtpUrl {
    /// The host's name or address.
    pub host: String,
    pub port: u16,
    pub tls: Tls,
    pub(crate) login: Option<SmtpCredentials>,
}

#[derive(Clone, PartialEq, Eq)]
pub(crate) struct SmtpCredentials {
    pub(crate) user: String,
    pub(crate) password: String,
}

/// What is wrong with the URL of a mail server. No message repeats the URL, which may hold a password.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
pub enum BadSmtpUrl {
    /// Not a URL of the right kind.
    #[error("must look like smtp://host:port or smtps://user:password@host:port")]
    Malformed,
    /// A user without a password, or the other way round, or not decodable.
    #[error("must have both a user name and a password or neither, percent-encoded")]
    Login,
    /// An unknown parameter.
    #[error("may have one parameter: tls=required, tls=opportunistic or tls=none, on smtp:// only")]
    Parameter,
}

impl SmtpUrl {
    /// Parses a URL.
    ///
    /// # Errors
    /// [`BadSmtpUrl`].
    ///
    /// ```
    /// let url = mail_lettre::SmtpUrl::parse("smtps://ada:s%40crecy@mail.example.com").unwrap();
    /// assert_eq!((url.host.as_str(), url.port), ("mail.example.com", 465));
    /// assert_eq!(format!("{url:?}"), "smtps://[redacted]@mail.example.com:465");
    /// ```
    pub fn parse(text: &str) -> Result<Self, BadSmtpUrl> {
        let url = Url::parse(text.trim()).map_err(|_unreadable| BadSmtpUrl::Malformed)?;
        let parameter = parameter(&url)?;
        let (tls, default_port) = match (url.scheme(), parameter.as_deref()) {
            ("smtps", None) => (Tls::Implicit, 465),
            ("smtp", None | Some("opportunistic")) => (Tls::Opportunistic, 587),
            ("smtp", Some("required")) => (Tls::Required, 587),
            ("smtp", Some("none")) => (Tls::None, 587),
            ("smtp" | "smtps", Some(_)) => return Err(BadSmtpUrl::Parameter),
            _ => return Err(BadSmtpUrl::Malformed),
        };
        let host = url.host_str().unwrap_or_default();
        let host = host.trim_start_matches('[').trim_end_matches(']');
        if host.is_empty() || !matches!(url.path(), "" | "/") || url.fragment().is_some() {
            return Err(BadSmtpUrl::Malformed);
        }
        Ok(Self { host: host.to_owned(), port: url.port().unwrap_or(default_port), tls, login: login(&url)? })
    }
}

fn parameter(url: &Url) -> Result<Option<String>, BadSmtpUrl> {
    let mut parameters = url.query_pairs();
    match (parameters.next(), parameters.next()) {
        (None, _) => Ok(None),
        (Some((name, value)), None) if name == "tls" => Ok(Some(value.into_owned())),
        _ => Err(BadSmtpUrl::Parameter),
    }
}

fn login(url: &Url) -> Result<Option<SmtpCredentials>, BadSmtpUrl> {
    let decoded = |text: &str| {
        let text = percent_decode_str(text).decode_utf8();
        text.map(|text| text.into_owned()).map_err(|_not_utf8| BadSmtpUrl::Login)
    };
    match (url.username(), url.password().unwrap_or_default()) {
        ("", "") => Ok(None),
        ("", _) | (_, "") => Err(BadSmtpUrl::Login),
        (user, password) => Ok(Some(SmtpCredentials { user: decoded(user)?, password: decoded(password)? })),
    }
}

impl fmt::Debug for SmtpUrl {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let (scheme, query) = match self.tls {
            Tls::Implicit => ("smtps", ""),
            Tls::Required => ("smtp", "?tls=required"),
            Tls::Opportunistic => ("smtp", ""),
            Tls::None => ("smtp", "?tls=none"),
        };
        let login = if self.login.is_some() { "[redacted]@" } else { "" };
        write!(f, "{scheme}://{login}{}:{}{query}", self.host, self.port)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn urls_say_where_and_how() {
        for (text, shown) in [
            ("smtp://localhost:2525", "smtp://localhost:2525"),
            ("smtp://mail.example.com", "smtp://mail.example.com:587"),
            ("smtps://mail.example.com/", "smtps://mail.example.com:465"),
            ("smtp://10.0.0.1?tls=required", "smtp://10.0.0.1:587?tls=required"),
            ("smtp://m:25?tls=none", "smtp://m:25?tls=none"),
            ("smtp://m:25?tls=opportunistic", "smtp://m:25"),
            ("smtp://ada:pw@m:25", "smtp://[redacted]@m:25"),
            ("smtp://[::1]:25", "smtp://::1:25"),
        ] {
            let url = SmtpUrl::parse(text).unwrap();
            assert_eq!(format!("{url:?}"), shown);
        }
    }

    #[test]
    fn user_and_password_are_decoded() {
        let url = SmtpUrl::parse("smtp://ada%40example.com:p%3Aw%2F%C3%A4@m").unwrap();
        let login = url.login.unwrap();
        assert_eq!(login.user, "ada@example.com");
        assert_eq!(login.password, "p:w/ä");
    }

    #[test]
    fn faulty_urls_are_refused_without_showing_what_they_hold() {
        for (text, fault) in [
            ("", BadSmtpUrl::Malformed),
            ("mail.example.com", BadSmtpUrl::Malformed),
            ("http://sesame@mail.example.com", BadSmtpUrl::Malformed),
            ("smtp://", BadSmtpUrl::Malformed),
            ("smtp://m/helo", BadSmtpUrl::Malformed),
            ("smtp://m:99999", BadSmtpUrl::Malformed),
            ("smtp://sesame@m", BadSmtpUrl::Login),
            ("smtp://:sesame@m", BadSmtpUrl::Login),
            ("smtp://a:%ffsesame@m", BadSmtpUrl::Login),
            ("smtp://a:sesame@m?tls=maybe", BadSmtpUrl::Parameter),
            ("smtp://a:sesame@m?ssl=1", BadSmtpUrl::Parameter),
            ("smtp://m?tls=none&tls=required", BadSmtpUrl::Parameter),
            ("smtps://m?tls=none", BadSmtpUrl::Parameter),
        ] {
            let found = SmtpUrl::parse(text).unwrap_err();
            assert_eq!(found, fault, "{text}");
            assert!(!found.to_string().contains("sesame"));
        }
    }
}
