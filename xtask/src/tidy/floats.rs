//! No floating-point numbers in code that handles money.

use super::breach::{Breach, in_code};
use super::tree::{Tree, crate_of_source, is_test_file};

const EXACT: [&str; 19] = [
    "kernel", "invoices", "contacts", "partner-accounts", "idempotency", "access", "payments",
    "gateway-stripe", "gateway-sandbox", "ledger-xero", "escalations", "communications", "sessions",
    "classification", "outbox", "store-diesel", "store-postgres", "store-schema", "store-sqlite",
];

pub(super) fn check(tree: &Tree) -> Vec<Breach> {
    let is_exact =
        |path: &str| crate_of_source(path).is_some_and(|name| EXACT.contains(&name)) && !is_test_file(path);
    in_code(tree, is_exact, |word| {
        let what = || format!("no {word} here: amounts are minor units in integers, quantities are Decimal");
        is_float(word).then(what)
    })
}

/// The types, what ends in their names (`as_f64`), and literals (`1f64`).
fn is_float(word: &str) -> bool {
    ["f32", "f64"].iter().any(|float| {
        word.strip_suffix(float).is_some_and(|before| {
            let literal = before.starts_with(|c: char| c.is_ascii_digit()) && !before.starts_with("0x");
            before.is_empty() || before.ends_with('_') || literal
        })
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_float_in_shipped_code_is_caught() {
        for line in ["let x: f64 = y;", "fn f(x: f32) {}", "x.as_f64()", "1f64", "2.5_f32"] {
            let text = format!("//! A module.\n{line}\n");
            let found = check(&Tree::from([("crates/kernel/src/money.rs", text.as_str())]));
            assert_eq!(found.len(), 1, "{line}");
            assert_eq!(found[0].line, 2);
        }
    }

    #[test]
    fn floats_in_prose_tests_hexadecimals_and_elsewhere_are_fine() {
        let text =
            "// f64\nconst C: u64 = 0xf64;\n#[cfg(test)]\nmod tests { fn t(s: f64) { seconds_f64(s) } }\n";
        let tree = Tree::from([
            ("crates/access/src/quota.rs", text),
            ("crates/app/src/metrics.rs", "fn f(x: f64) {}"),
            ("crates/kernel/tests/money.rs", "fn f(x: f64) {}"),
        ]);
        assert_eq!(check(&tree), []);
    }
}
