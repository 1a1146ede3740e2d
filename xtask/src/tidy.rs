//! `cargo xtask tidy`: rules that the compiler does not check.
//!
//! Each rule is a function from the [`Tree`] to its breaches, in its own module with tests.

mod breach;
mod circles;
mod code;
mod columns;
mod crate_dependencies;
mod floats;
mod front_pages;
mod job_workers;
mod machine_paths;
mod manifest;
mod migrations;
mod named_tests;
mod names;
mod purity;
mod tree;
mod unfinished;
mod unit_tests;
mod words;

use std::io::Write;
use std::path::Path;
use std::process::ExitCode;

use breach::Breach;
use tree::Tree;

const RULES: [fn(&Tree) -> Vec<Breach>; 14] = [
    crate_dependencies::check,
    circles::check,
    columns::check,
    job_workers::check,
    words::check,
    purity::check,
    floats::check,
    names::check,
    unfinished::check,
    migrations::check,
    front_pages::check,
    machine_paths::check,
    named_tests::check,
    unit_tests::check,
];

/// Checks the repository at `root` and prints every breach.
pub(crate) fn run(root: &Path) -> anyhow::Result<ExitCode> {
    report(&Tree::read(root)?, &mut std::io::stdout().lock())
}

fn report(tree: &Tree, out: &mut impl Write) -> anyhow::Result<ExitCode> {
    let mut breaches: Vec<Breach> = RULES.iter().flat_map(|rule| rule(tree)).collect();
    breaches.sort();
    for breach in &breaches {
        writeln!(out, "{breach}")?;
    }
    if breaches.is_empty() {
        writeln!(out, "tidy: {} files, nothing to put in order", tree.len())?;
        return Ok(ExitCode::SUCCESS);
    }
    writeln!(out, "tidy: {} to put in order", breaches.len())?;
    Ok(ExitCode::FAILURE)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn printed(tree: &Tree) -> (ExitCode, String) {
        let mut out = Vec::new();
        let status = report(tree, &mut out).unwrap();
        (status, String::from_utf8(out).unwrap())
    }

    #[test]
    fn every_breach_is_printed_as_a_place_that_editors_jump_to() {
        let (status, said) = printed(&Tree::from([
            (
                "crates/kernel/Cargo.toml",
                "[package]\nname = \"kernel\"\n[lib]\ntest = false\nbench = false\n",
            ),
            ("crates/kernel/src/lib.rs", "\nfn half(x: f64) {}\n"),
        ]));
        assert_eq!(status, ExitCode::FAILURE);
        let starts: Vec<&str> = said.lines().filter_map(|line| line.split(": ").next()).collect();
        assert_eq!(starts, ["crates/kernel/src/lib.rs:1", "crates/kernel/src/lib.rs:2", "tidy"]);
    }

    #[test]
    fn a_tree_in_order_is_a_success() {
        let (status, said) = printed(&Tree::from([("README.md", "Countinghouse")]));
        assert_eq!(status, ExitCode::SUCCESS);
        assert_eq!(said, "tidy: 1 files, nothing to put in order\n");
    }
}
