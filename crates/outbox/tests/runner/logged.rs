//! What is logged about a job that is given up.

use std::io::Write;

use super::*;

#[derive(Clone, Default)]
struct Log(Arc<Mutex<Vec<u8>>>);

impl Write for Log {
    fn write(&mut self, bytes: &[u8]) -> std::io::Result<usize> {
        self.0.lock().unwrap().write(bytes)
    }

    fn flush(&mut self) -> std::io::Result<()> {
        Ok(())
    }
}

#[tokio::test(start_paused = true)]
async fn job_that_somebody_decided_against_is_no_error_in_the_log() {
    let refused = Failure::Permanent("no such street".to_owned()).into();
    for (not_done, is_held, expected) in [
        (Some(refused), false, ("ERROR", "job given up", "no such street")),
        (Some(NotDone::Unwanted("she moved")), false, (" INFO", "job dropped", "she moved")),
        (None, true, (" INFO", "job dropped", NotDone::HELD)),
    ] {
        let log = Log::default();
        let writer = log.clone();
        let subscriber = tracing_subscriber::fmt().with_ansi(false).without_time().with_target(false);
        let subscriber = subscriber.with_writer(move || writer.clone()).finish();
        let _capturing = tracing::subscriber::set_default(subscriber);
        let handler = TestHandler::new(not_done);
        handler.queue_job("7", true);
        if is_held {
            handler.queue.memory.hold_customers();
            pass(Duration::hours(2)).await;
        }
        run_until_idle(handler.clone()).await;
        let text = String::from_utf8(log.0.lock().unwrap().clone()).unwrap();
        let (level, said, reason) = expected;
        assert!(text.starts_with(&format!("{level} {said}")) && text.contains(reason), "{text}");
        assert_eq!(text.lines().count(), 1, "{text}");
    }
}
