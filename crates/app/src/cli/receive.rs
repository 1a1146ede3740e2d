//! What a message on standard input is taken for.

use clap::error::ErrorKind;
use clap::{ArgMatches, Args, Command, Error, FromArgMatches};
use communications::{Address, Channel};

/// What a message is taken for.
#[derive(Debug, Clone)]
pub enum ReceiveAs {
    /// A raw e-mail, which says itself whom it is from.
    Mail,
    /// A text message from this number.
    Sms(Address),
}

#[derive(Debug, Args)]
struct Arguments {
    /// email or sms
    #[arg(long, default_value = "email", value_parser = |text: &str| Channel::parse(text))]
    channel: Channel,
    /// The number that a text message came from, such as +61412345678
    #[arg(long, value_parser = |text: &str| Address::parse(Channel::Sms, text))]
    from: Option<Address>,
}

impl TryFrom<Arguments> for ReceiveAs {
    type Error = Error;

    fn try_from(Arguments { channel, from }: Arguments) -> Result<Self, Error> {
        let (kind, said) = match (channel, from) {
            (Channel::Email, None) => return Ok(Self::Mail),
            (Channel::Sms, Some(from)) => return Ok(Self::Sms(from)),
            (Channel::Email, Some(_)) => {
                (ErrorKind::ArgumentConflict, "an e-mail says itself whom it is from: leave out --from")
            }
            (Channel::Sms, None) => (
                ErrorKind::MissingRequiredArgument,
                "--channel sms needs --from with the number that it came from",
            ),
            (Channel::Voice, _) => (ErrorKind::InvalidValue, "--channel must be email or sms"),
        };
        Err(Error::raw(kind, format_args!("{said}\n")))
    }
}

/// Arguments that do not fit together are wrong usage, as one alone is that cannot be read.
impl FromArgMatches for ReceiveAs {
    fn from_arg_matches(matches: &ArgMatches) -> Result<Self, Error> {
        Arguments::from_arg_matches(matches)?.try_into()
    }

    fn update_from_arg_matches(&mut self, matches: &ArgMatches) -> Result<(), Error> {
        *self = Self::from_arg_matches(matches)?;
        Ok(())
    }
}

impl Args for ReceiveAs {
    fn augment_args(command: Command) -> Command {
        Arguments::augment_args(command)
    }

    fn augment_args_for_update(command: Command) -> Command {
        Arguments::augment_args_for_update(command)
    }
}
