//! Each worker of a kind of job is named where a process starts them: jobs whose worker is not started wait
//! without an end.

use super::breach::Breach;
use super::tree::{Tree, crate_of_source, is_test_file};

/// Where the workers are built and started.
const STARTED: &str = "crates/app/src/wiring/job_workers.rs";

pub(super) fn check(tree: &Tree) -> Vec<Breach> {
    let is_started = |worker: &str| {
        tree.code().any(|(path, code)| path == STARTED && code.iter().any(|t| t.text == worker))
    };
    let sources = tree.code().filter(|(path, _)| crate_of_source(path).is_some() && !is_test_file(path));
    let workers = sources.flat_map(|(path, code)| {
        code.array_windows().filter_map(move |[kind, word, worker]| {
            let is_worker = ["JobHandler", "JobKind"].contains(&&*kind.text) && word.text == "for";
            is_worker.then_some((path, worker))
        })
    });
    // `impl<H: JobHandler> JobKind for H` is for all of them.
    let named = workers.filter(|(_, worker)| worker.text.len() > 1);
    let missing = named.filter(|(_, worker)| !is_started(&worker.text));
    missing
        .map(|(path, worker)| {
            Breach::new(path, worker.line, format!("start the worker {} in {STARTED}", worker.text))
        })
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    const WORKER: (&str, &str) = ("crates/mail/src/due.rs", "\nimpl JobHandler for MailWorker {}\n");

    #[test]
    fn worker_that_is_started_nowhere_is_reported() {
        let found = check(&Tree::from([WORKER, (STARTED, "// MailWorker\nuse mail::OtherWorker;\n")]));
        assert_eq!(found.len(), 1, "{found:?}");
        assert_eq!((found[0].path.as_str(), found[0].line), (WORKER.0, 2));
    }

    #[test]
    fn worker_that_is_started_and_those_of_tests_are_fine() {
        let tree = Tree::from([
            WORKER,
            ("crates/outbox/src/handler.rs", "impl<H: JobHandler> JobKind for H {}\n"),
            ("crates/outbox/tests/runner.rs", "impl JobKind for TestWorker {}\n"),
            (STARTED, "use mail::MailWorker;\n"),
        ]);
        assert_eq!(check(&tree), []);
    }
}
