//! How `message receive` reads standard input: as an e-mail or as a text message.

use clap::error::ErrorKind;
use clap::{ArgMatches, Args, Command, Error, FromArgMatches};
use communications::{Address, Channel};

/// The kind of message on standard input.
#[derive(Debug, Clone)]
pub enum ReceiveAs {
    /// A raw e-mail, whose headers name the sender.
    Mail,
    /// A text message from this number.
    Sms(Address),
}

#[derive(Debug, Args)]
struct Arguments {
    /// email or sms
    #[arg(long, default_value = "email", value_parser = ["email", "sms"])]
    channel: String,
    /// The number that a text message came from, such as +61412345678
    #[arg(long, value_parser = number)]
    from: Option<Address>,
}

fn number(text: &str) -> Result<Address, &'static str> {
    let parsed = Address::parse(Channel::Sms, text);
    parsed.map_err(|_fault| "must be a telephone number that begins with + and the country's code")
}

impl TryFrom<Arguments> for ReceiveAs {
    type Error = Error;

    fn try_from(Arguments { channel, from }: Arguments) -> Result<Self, Error> {
        let (kind, said) = match (channel.as_str(), from) {
            ("sms", Some(from)) => return Ok(Self::Sms(from)),
            ("sms", None) => (
                ErrorKind::MissingRequiredArgument,
                "--channel sms needs --from with the number that it came from",
            ),
            (_email, None) => return Ok(Self::Mail),
            (_email, Some(_)) => {
                (ErrorKind::ArgumentConflict, "an e-mail says itself whom it is from: leave out --from")
            }
        };
        // The error of a command names its usage; one without a command would get that of the whole program.
        let command = Command::new("receive").bin_name("countinghouse message receive");
        Err(Self::augment_args(command).error(kind, said))
    }
}

/// Arguments that do not fit together are reported as a usage error, like one that cannot be parsed.
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
