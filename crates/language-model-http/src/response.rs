//! The model's answer.

use communications::{ModelAnswer, ModelError};
use https_client::{CallError, Response};
use kernel::error_chain;
use reqwest::StatusCode;
use serde::Deserialize;

/// A response of the endpoint.
#[derive(Deserialize)]
struct Completion {
    choices: Vec<CompletionChoice>,
}

#[derive(Deserialize)]
struct CompletionChoice {
    message: ChatMessage,
}

#[derive(Deserialize)]
struct ChatMessage {
    content: Option<String>,
}

/// The object that the model was asked for.
#[derive(Deserialize)]
struct Opinion {
    #[serde(rename = "type")]
    message_type: String,
    quote: String,
}

/// The outcome of a call. Errors contain nothing that the other side wrote: it may repeat the text.
pub(crate) fn outcome(called: Result<Response, CallError>) -> Result<Option<ModelAnswer>, ModelError> {
    let response = called.map_err(|error| {
        let chain = error_chain(&error);
        ModelError(format!(
            "no answer from the language model: {chain}; see whether COUNTINGHOUSE_LANGUAGE_MODEL_URL is right and its \
             server is up"
        ))
    })?;
    if !response.status.is_success() {
        return Err(refusal(response.status));
    }
    let completion: Completion = serde_json::from_slice(&response.body).map_err(|_fault| {
        ModelError(
            "what answered is no chat completions endpoint: check COUNTINGHOUSE_LANGUAGE_MODEL_URL"
                .to_owned(),
        )
    })?;
    let content = completion.choices.into_iter().next().and_then(|choice| choice.message.content);
    Ok(content.and_then(|content| answer(&content)))
}

/// Finds the JSON object: some models put other words around it.
fn answer(content: &str) -> Option<ModelAnswer> {
    let object = content.get(content.find('{')?..=content.rfind('}')?)?;
    let Opinion { message_type, quote } = serde_json::from_str(object).ok()?;
    Some(ModelAnswer { message_type, quote })
}

fn refusal(status: StatusCode) -> ModelError {
    let hint = match status {
        StatusCode::UNAUTHORIZED | StatusCode::FORBIDDEN => "; check COUNTINGHOUSE_LANGUAGE_MODEL_KEY",
        StatusCode::NOT_FOUND => {
            "; check COUNTINGHOUSE_LANGUAGE_MODEL_URL and COUNTINGHOUSE_LANGUAGE_MODEL_NAME"
        }
        status if status.is_redirection() => {
            ", and no redirect is followed; check COUNTINGHOUSE_LANGUAGE_MODEL_URL"
        }
        status if status.is_client_error() && status != StatusCode::TOO_MANY_REQUESTS => {
            "; check COUNTINGHOUSE_LANGUAGE_MODEL_NAME, and that this model answers JSON (response_format)"
        }
        _ => "",
    };
    ModelError(format!("the language model answered {}{hint}", status.as_u16()))
}
