//! Tests the examples of docs/webhooks.md: the sample delivery, and the verifier in each language that is
//! installed.
#![expect(clippy::unwrap_used, reason = "a test that is wrong should stop there")]

use std::io::Write as _;
use std::process::{Command, Stdio};

use webhooks::{SigningSecret, sign, verify};

const PAGE: &str = include_str!("../../../docs/webhooks.md");

struct Sample {
    secret: &'static str,
    body: &'static str,
    signature: &'static str,
}

/// The first code block of a language.
fn block(language: &str) -> &'static str {
    let fence = format!("```{language}\n");
    let behind = PAGE.split(&fence).nth(1).unwrap();
    behind.split("```").next().unwrap()
}

fn sample() -> Sample {
    let mut lines = block("text").lines();
    Sample { secret: lines.next().unwrap(), body: lines.next().unwrap(), signature: lines.next().unwrap() }
}

/// The output of a program for a script; `None` if the program is not installed.
fn said(program: &str, arguments: &[&str], script: &str) -> Option<String> {
    let child = Command::new(program).args(arguments).stdin(Stdio::piped()).stdout(Stdio::piped()).spawn();
    let Ok(mut child) = child else {
        // Standard error directly, because the test harness hides what a test that passes prints.
        let said = writeln!(
            std::io::stderr(),
            "SKIPPED: there is no `{program}` here to test the page's verifier with"
        );
        said.unwrap();
        return None;
    };
    let mut stdin = child.stdin.take().unwrap();
    stdin.write_all(script.as_bytes()).unwrap();
    drop(stdin);
    let output = child.wait_with_output().unwrap();
    assert!(output.status.success(), "{program} failed");
    Some(String::from_utf8(output.stdout).unwrap().trim().to_owned())
}

#[test]
fn the_sample_delivery_is_genuine() {
    let Sample { secret, body, signature } = sample();
    let secret = SigningSecret::parse(secret).unwrap();
    assert_eq!(sign(&secret, body.as_bytes()), signature);
    assert_eq!(verify(&secret, body.as_bytes(), signature), Ok(()));
    assert!(verify(&secret, b"{}", signature).is_err());
}

#[test]
fn the_python_verifier_tells_genuine_from_forged() {
    let Sample { secret, body, signature } = sample();
    let script = format!(
        "{}\nprint(is_genuine('{secret}', b'{body}', '{signature}'), is_genuine('{secret}', b'{{}}', '{signature}'), \
         is_genuine('{secret}', b'{body}', None))\n",
        block("python")
    );
    if let Some(said) = said("python3", &["-"], &script) {
        assert_eq!(said, "True False False");
    }
}

#[test]
fn the_node_verifier_tells_genuine_from_forged() {
    let Sample { secret, body, signature } = sample();
    let script = format!(
        "{}\nconst of = (body, header) => isGenuine('{secret}', Buffer.from(body), header);\n\
         console.log(of('{body}', '{signature}'), of('{{}}', '{signature}'), of('{body}', ''), \
         of('{body}', undefined));\n",
        block("js")
    );
    if let Some(said) = said("node", &["-"], &script) {
        assert_eq!(said, "true false false false");
    }
}

#[test]
fn the_php_verifier_tells_genuine_from_forged() {
    let Sample { secret, body, signature } = sample();
    let script = format!(
        "<?php {}\nvar_export(is_genuine('{secret}', '{body}', '{signature}'));\n\
         var_export(is_genuine('{secret}', '{{}}', '{signature}'));\n\
         var_export(is_genuine('{secret}', '{body}', null));\n",
        block("php")
    );
    if let Some(said) = said("php", &[], &script) {
        assert_eq!(said, "truefalsefalse");
    }
}
