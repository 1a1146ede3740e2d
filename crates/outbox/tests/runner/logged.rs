//! What is logged about a job that is given up.

use testkit::CapturedLog;

use super::*;

#[tokio::test(start_paused = true)]
async fn job_that_somebody_decided_against_is_no_error_in_the_log() {
    let refused = Failure::Permanent("no such street".to_owned()).into();
    for (not_done, is_held, expected) in [
        (Some(refused), false, ("ERROR", "job given up", "no such street")),
        (Some(NotDone::Unwanted("she moved")), false, (" INFO", "job dropped", "she moved")),
        (None, true, (" INFO", "job dropped", NotDone::HELD)),
    ] {
        let (log, _capturing) = CapturedLog::begin();
        let handler = TestHandler::new(not_done);
        handler.queue_job("7", true);
        if is_held {
            handler.queue.memory.hold_customers();
            pass(Duration::hours(2)).await;
        }
        run_until_idle(handler.clone()).await;
        let text = log.text();
        let (level, said, reason) = expected;
        assert!(text.starts_with(&format!("{level} {said}")) && text.contains(reason), "{text}");
        assert_eq!(text.lines().count(), 1, "{text}");
    }
}
