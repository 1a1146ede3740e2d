//! Questions to a language model and the reading of its responses, against a stand-in on a local port.
#![expect(clippy::unwrap_used, reason = "a test that is wrong should stop there")]

use std::time::Duration;

use communications::{LanguageModel, MessageType, ModelAnswer};
use language_model_http::{HttpLanguageModel, LanguageModelSettings};
use serde_json::{Value, json};
use tokio::net::TcpListener;
use wiremock::matchers::{header, method, path};
use wiremock::{Mock, MockServer, Request, ResponseTemplate};

const KEY: &str = "s3cret-key";
const TEXT: &str = "Our firm is in administration.";

fn model(base_url: &str) -> HttpLanguageModel {
    let settings = LanguageModelSettings::new(base_url, "small-1");
    HttpLanguageModel::new(LanguageModelSettings { key: Some(KEY.to_owned()), ..settings }).unwrap()
}

/// A completion as endpoints write it.
fn completion(content: &Value) -> ResponseTemplate {
    let message = json!({"role": "assistant", "content": content});
    let choice = json!({"index": 0, "message": message, "finish_reason": "stop"});
    let body = json!({"id": "c1", "object": "chat.completion", "model": "small-1", "choices": [choice]});
    ResponseTemplate::new(200).set_body_json(body)
}

async fn stand_in(answer: ResponseTemplate) -> MockServer {
    let server = MockServer::start().await;
    let asked = Mock::given(method("POST")).and(path("/v1/chat/completions"));
    asked.and(header("authorization", format!("Bearer {KEY}"))).respond_with(answer).mount(&server).await;
    server
}

/// What the adapter reads from a response.
async fn read(answer: ResponseTemplate) -> Result<Option<ModelAnswer>, String> {
    let server = stand_in(answer).await;
    let read = model(&format!("{}/v1", server.uri())).ask(TEXT, &MessageType::ALL).await;
    assert_eq!(server.received_requests().await.unwrap().len(), 1, "one call, whatever is answered");
    read.map_err(|error| error.to_string())
}

fn answer(message_type: &str, quote: &str) -> Option<ModelAnswer> {
    Some(ModelAnswer { message_type: message_type.to_owned(), quote: quote.to_owned() })
}

#[tokio::test]
async fn question_has_the_text_and_the_types_and_nothing_else() {
    let server =
        stand_in(completion(&json!(r#"{"type": "hardship", "quote": "is in administration"}"#))).await;
    let base = format!("{}/v1/", server.uri());
    let model = model(&base);
    assert_eq!(format!("http://{}", model.host()), server.uri());
    let types = [MessageType::Hardship, MessageType::Other];
    assert_eq!(model.ask(TEXT, &types).await, Ok(answer("hardship", "is in administration")));
    let requests: Vec<Request> = server.received_requests().await.unwrap();
    let body: Value = serde_json::from_slice(&requests.first().unwrap().body).unwrap();
    let system = body.pointer("/messages/0/content").unwrap();
    assert!(system.as_str().unwrap().contains("- hardship: "), "{system}");
    let expected = json!({
        "model": "small-1",
        "temperature": 0,
        "stream": false,
        "response_format": {"type": "json_object"},
        "messages": [
            {"role": "system", "content": system},
            {"role": "user", "content": format!("=====BEGIN MESSAGE=====\n{TEXT}\n=====END MESSAGE=====")},
        ],
    });
    assert_eq!(body, expected);
    assert!(!format!("{model:?}").contains(KEY));
}

#[tokio::test]
async fn model_without_a_key_is_asked_without_one() {
    let server = MockServer::start().await;
    Mock::given(path("/chat/completions")).respond_with(completion(&json!("no"))).mount(&server).await;
    let settings = LanguageModelSettings::new(server.uri(), "small-1");
    let model = HttpLanguageModel::new(settings).unwrap();
    assert_eq!(model.ask(TEXT, &MessageType::ALL).await, Ok(None));
    let requests = server.received_requests().await.unwrap();
    assert!(!requests.first().unwrap().headers.contains_key("authorization"));
}

#[tokio::test]
async fn answer_between_other_words_is_read_and_nonsense_is_no_answer() {
    let fenced = "Here it is:\n```json\n{\"type\": \"dispute\", \"quote\": \"x {y} z\"}\n```";
    assert_eq!(read(completion(&json!(fenced))).await, Ok(answer("dispute", "x {y} z")));
    for nonsense in [
        json!("I cannot answer this."),
        json!(""),
        json!(null),
        json!("} {"),
        json!(r#"{"type": "dispute"}"#),
        json!(r#"{"type": "dispute", "quote": null}"#),
        json!(r#"{"type": ["dispute"], "quote": "x"}"#),
        json!(r#"[{"type": "dispute", "quote": "x"}, {"type": "other", "quote": "x"}]"#),
    ] {
        assert_eq!(read(completion(&nonsense)).await, Ok(None), "{nonsense}");
    }
    let no_choice = ResponseTemplate::new(200).set_body_json(json!({"choices": []}));
    assert_eq!(read(no_choice).await, Ok(None));
}

#[tokio::test]
async fn refusal_says_what_to_check_and_repeats_nothing_of_the_other_side() {
    for (status, says) in [
        (400, "COUNTINGHOUSE_LANGUAGE_MODEL_NAME"),
        (401, "COUNTINGHOUSE_LANGUAGE_MODEL_KEY"),
        (404, "COUNTINGHOUSE_LANGUAGE_MODEL_URL"),
        (429, "answered 429"),
        (500, "answered 500"),
    ] {
        let answer = ResponseTemplate::new(status).set_body_string(format!("no: {TEXT} {KEY}"));
        let error = read(answer).await.unwrap_err();
        assert!(error.contains(says) && !error.contains(TEXT) && !error.contains(KEY), "{error}");
    }
    let page = read(ResponseTemplate::new(200).set_body_string("<html>")).await.unwrap_err();
    assert!(page.contains("no chat completions endpoint"), "{page}");
}

#[tokio::test]
async fn redirect_is_not_followed() {
    let elsewhere = MockServer::start().await;
    let answer = ResponseTemplate::new(307).insert_header("location", format!("{}/x", elsewhere.uri()));
    let error = read(answer).await.unwrap_err();
    assert!(error.contains("no redirect is followed"), "{error}");
    assert!(elsewhere.received_requests().await.unwrap().is_empty());
}

#[tokio::test]
async fn too_large_an_answer_is_none() {
    let error = read(completion(&json!("x".repeat(70_000)))).await.unwrap_err();
    assert!(error.contains("more than 65536 bytes"), "{error}");
}

#[tokio::test]
async fn model_that_is_silent_or_away_is_given_up() {
    // The operating system accepts connections, and nothing ever responds on them.
    let silent = TcpListener::bind("127.0.0.1:0").await.unwrap();
    let address = silent.local_addr().unwrap();
    let settings = LanguageModelSettings {
        call_limit: Duration::from_millis(200),
        ..LanguageModelSettings::new(format!("http://{address}/v1"), "small-1")
    };
    let model = HttpLanguageModel::new(settings).unwrap();
    let error = model.ask(TEXT, &MessageType::ALL).await.unwrap_err().to_string();
    assert!(error.starts_with("no answer from the language model: no response came"), "{error}");
    drop(silent);
    let error = model.ask(TEXT, &MessageType::ALL).await.unwrap_err().to_string();
    assert!(error.contains("the request was not sent"), "{error}");
    assert!(!error.contains("127.0.0.1") || !error.contains("/v1"), "{error}");
}
