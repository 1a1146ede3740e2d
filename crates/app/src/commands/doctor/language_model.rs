//! The language model: whether it classifies a sample message, which no customer wrote.

use communications::MessageType;

use super::finding::CheckOutcome;
use crate::settings::Settings;
use crate::wiring::language_model;

const EXAMPLE: &str = "Our company went into administration last week, so nothing can be paid for now.";

pub(super) async fn answers(settings: &Settings) -> CheckOutcome {
    let Some(model) = language_model(settings).map_err(|error| format!("{error:#}"))? else {
        return Ok("not set: messages are read by the rules alone".to_owned());
    };
    let opinion = model.ask(EXAMPLE, &MessageType::ALL).await.map_err(|error| error.to_string())?;
    match opinion {
        Some(_opinion) => Ok(format!("the model at {} answers", model.host())),
        None => Err(format!(
            "the model at {} does not answer with the JSON that it is asked for, so that no answer of it counts: set \
             COUNTINGHOUSE_LANGUAGE_MODEL_NAME to another one",
            model.host()
        )
        .into()),
    }
}
