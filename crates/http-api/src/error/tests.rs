//! Error bodies as callers rely on them.

use idempotency::StoredResponse;
use kernel::FieldErrors;

use super::{ApiError, Code, key_reused};

#[test]
fn each_code_has_its_status_and_body() {
    let lines = Code::ALL.map(|code| {
        let StoredResponse { status, body } = ApiError::plain(code).answer();
        format!("{status} {}", String::from_utf8(body).unwrap())
    });
    insta::assert_snapshot!(lines.join("\n"));
}

#[test]
fn faulty_fields_are_listed_in_the_order_in_which_they_were_found() {
    let mut faults = FieldErrors::one("line_items.0.quantity", "must be above 0");
    faults.add("contact", "is required unless is_draft is true");
    let answer = ApiError::invalid(faults).answer();
    insta::assert_snapshot!(String::from_utf8(answer.body).unwrap());
}

#[test]
fn a_reused_key_shows_the_first_answer_byte_for_byte() {
    let original = |body: &str| StoredResponse {
        status: 201,
        body: body.as_bytes().to_vec(),
    };
    let answer = key_reused(&original(r#"{"total":110.00,"id":"1"}"#));
    let body = String::from_utf8(answer.body).unwrap();
    assert_eq!(answer.status, 409);
    assert!(
        body.ends_with(r#","original_response":{"total":110.00,"id":"1"}}"#),
        "{body}"
    );
    let broken = String::from_utf8(key_reused(&original("")).body).unwrap();
    assert!(!broken.contains("original_response\":"), "{broken}");
}

#[test]
fn what_the_caller_learns_of_a_failure_is_its_code_alone() {
    let refusal = ApiError::failed(Code::InternalError, "password of the database");
    let body = String::from_utf8(refusal.answer().body).unwrap();
    assert!(!body.contains("password") && !refusal.to_string().contains("password"));
    assert!(!refusal.is_final());
}
