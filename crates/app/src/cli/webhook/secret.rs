//! Secrets as arguments: the error for an invalid secret does not repeat its text, as clap does for other
//! arguments.

use std::ffi::OsStr;

use clap::builder::TypedValueParser;
use clap::error::ErrorKind;
use clap::{Arg, Command, Error};
use webhooks::SigningSecret;

/// Parses a signing secret.
#[derive(Debug, Clone, Copy)]
pub(super) struct Secrets;

impl TypedValueParser for Secrets {
    type Value = SigningSecret;

    fn parse_ref(
        &self,
        command: &Command,
        _arg: Option<&Arg>,
        value: &OsStr,
    ) -> Result<SigningSecret, Error> {
        let text = value.to_string_lossy();
        SigningSecret::parse(&text).map_err(|fault| {
            let message = format!("--secret {fault}\n");
            Error::raw(ErrorKind::ValueValidation, message).with_cmd(command)
        })
    }
}
