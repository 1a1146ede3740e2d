use futures_util::future::join_all;
use testkit::FixedClock;

use super::*;

const NOW: OffsetDateTime = FixedClock::START;

struct TokioPauses;

#[async_trait]
impl Pauses for TokioPauses {
    async fn pause(&self, length: StdDuration) {
        tokio::time::sleep(length).await;
    }
}

struct Scene {
    throttle: Throttle,
    now: OffsetDateTime,
}

impl Scene {
    fn new() -> Self {
        Self {
            throttle: Throttle::new(Arc::new(FailuresInMemory::default()), Arc::new(TokioPauses)),
            now: NOW,
        }
    }

    async fn attempt(&self, email: &str, host: u8, ended: AttemptOutcome) -> Result<(), Wait> {
        let attempt = self.throttle.begin(email, IpAddr::from([192, 0, 2, host]), self.now).await?;
        self.throttle.end(attempt, ended, self.now).await;
        Ok(())
    }

    async fn fail(&self, email: &str, host: u8) -> Result<(), Wait> {
        self.attempt(email, host, AttemptOutcome::Failed).await
    }
}

const A: &str = "ada@example.com";

#[test]
fn spellings_of_one_email_are_counted_together() {
    let [subject, final_sigma] = ["νικοσ@example.com", "ΝΙΚΟΣ@example.com"].map(ThrottledSubject::email);
    assert_eq!(subject, final_sigma);
    assert_eq!(subject, ThrottledSubject::email(" Νικος@Example.com "));
    assert_ne!(subject, ThrottledSubject::email("νικο@example.com"));
    assert_eq!(ThrottledSubject::email(" NOBODY"), ThrottledSubject::email("nobody"));
}

#[tokio::test]
async fn five_failures_of_an_email_make_the_next_wait_from_any_address() {
    let mut scene = Scene::new();
    for host in 1..=5 {
        assert_eq!(scene.fail(A, host).await, Ok(()));
    }
    let right = scene.attempt(" ADA@example.com", 9, AttemptOutcome::Succeeded).await;
    assert_eq!(right, Err(Wait(Duration::MINUTE)), "even the right password waits");
    assert_eq!(scene.fail("grace@example.com", 1).await, Ok(()));
    scene.now += Duration::seconds(59);
    assert_eq!(scene.fail(A, 9).await, Err(Wait(Duration::SECOND)));
    scene.now += Duration::SECOND;
    assert_eq!(scene.attempt(A, 9, AttemptOutcome::Succeeded).await, Ok(()));
}

#[tokio::test]
async fn waits_double_up_to_an_hour_and_are_forgotten_after_a_quiet_time() {
    let mut scene = Scene::new();
    for _ in 0..5 {
        scene.fail(A, 1).await.unwrap();
    }
    for minutes in [1, 2, 4, 8, 16, 32, 60, 60] {
        let wait = scene.fail(A, 1).await.unwrap_err();
        assert_eq!(wait, Wait(Duration::minutes(minutes)));
        scene.now += wait.0;
        assert_eq!(scene.fail(A, 1).await, Ok(()));
    }
    scene.now += MAX_WAIT + WINDOW;
    for _ in 0..5 {
        assert_eq!(scene.fail(A, 1).await, Ok(()));
    }
    assert_eq!(scene.fail(A, 1).await, Err(Wait(FIRST_WAIT)));
}

#[tokio::test]
async fn clock_set_back_makes_nobody_wait_for_longer_than_the_imposed_wait() {
    let mut scene = Scene::new();
    scene.now = NOW + Duration::days(30);
    for host in 1..=5 {
        assert_eq!(scene.fail(A, host).await, Ok(()));
    }
    scene.now = NOW;
    assert_eq!(scene.fail(A, 9).await, Err(Wait(FIRST_WAIT)));
    scene.now += FIRST_WAIT;
    assert_eq!(scene.attempt(A, 9, AttemptOutcome::Undecided).await, Ok(()));
    assert_eq!(scene.fail(A, 9).await, Ok(()), "the undecided attempt imposed no wait");
    assert_eq!(scene.fail(A, 9).await, Err(Wait(FIRST_WAIT * 2)), "the failures still count");
}

#[tokio::test]
async fn undecided_attempt_does_not_reset_the_waits() {
    let mut scene = Scene::new();
    for _ in 0..5 {
        scene.fail(A, 1).await.unwrap();
    }
    for minutes in [1, 2, 4, 8, 16, 32, 60, 60] {
        let wait = scene.fail(A, 1).await.unwrap_err();
        assert_eq!(wait, Wait(Duration::minutes(minutes)));
        scene.now += wait.0;
        assert_eq!(
            scene.attempt(A, 1, AttemptOutcome::Undecided).await,
            Ok(()),
            "a right password, without its code"
        );
        assert_eq!(scene.fail(A, 1).await, Ok(()), "a wrong code");
    }
}

#[tokio::test]
async fn twenty_failures_of_an_address_make_the_next_wait_for_any_email() {
    let scene = Scene::new();
    for n in 0..20 {
        assert_eq!(scene.fail(&format!("{n}@example.com"), 1).await, Ok(()));
    }
    assert_eq!(scene.fail("new@example.com", 1).await, Err(Wait(FIRST_WAIT)));
    assert_eq!(scene.fail("new@example.com", 2).await, Ok(()));
}

#[tokio::test]
async fn failures_within_fifteen_minutes_count() {
    let mut scene = Scene::new();
    for _ in 0..20 {
        assert_eq!(scene.fail(A, 1).await, Ok(()));
        scene.now += Duration::minutes(4);
    }
}

#[tokio::test]
async fn success_forgets_the_emails_failures_and_not_those_of_the_address() {
    let scene = Scene::new();
    for n in 0..19 {
        scene.fail(&format!("{n}@example.com"), 1).await.unwrap();
    }
    for _ in 0..30 {
        assert_eq!(scene.attempt(A, 1, AttemptOutcome::Succeeded).await, Ok(()));
    }
    for _ in 0..4 {
        scene.fail(A, 2).await.unwrap();
    }
    scene.attempt(A, 2, AttemptOutcome::Undecided).await.unwrap();
    scene.fail(A, 2).await.unwrap();
    assert!(scene.fail(A, 2).await.is_err(), "a right password alone forgets nothing");
    scene.throttle.reset("ada@example.com").await;
    assert_eq!(scene.fail(A, 2).await, Ok(()), "a reset does");
    scene.fail("last@example.com", 1).await.unwrap();
    assert!(scene.fail("next@example.com", 1).await.is_err());
}

#[tokio::test]
async fn attempts_at_one_time_are_counted_before_they_end() {
    let scene = Scene::new();
    let address = IpAddr::from([192, 0, 2, 1]);
    let mut open = Vec::new();
    for _ in 0..5 {
        open.push(scene.throttle.begin(A, address, NOW).await.unwrap());
    }
    let ending = async {
        for attempt in open {
            scene.throttle.end(attempt, AttemptOutcome::Failed, NOW).await;
            tokio::task::yield_now().await;
        }
    };
    let (sixth, ()) = tokio::join!(scene.throttle.begin(A, address, NOW), ending);
    assert_eq!(sixth.unwrap_err(), Wait(FIRST_WAIT), "it is refused once the five have failed");
}

/// Runs concurrent attempts, each of which ends a while after it began. Returns how many were admitted.
async fn at_once(scene: &Scene, attempts: &[(String, AttemptOutcome)]) -> usize {
    let address = IpAddr::from([192, 0, 2, 1]);
    let all = attempts.iter().map(async |(email, ended)| {
        let attempt = scene.throttle.begin(email, address, NOW).await.ok()?;
        tokio::time::sleep(StdDuration::from_millis(30)).await;
        scene.throttle.end(attempt, *ended, NOW).await;
        Some(())
    });
    join_all(all).await.into_iter().flatten().count()
}

fn of_several(ended: AttemptOutcome) -> Vec<(String, AttemptOutcome)> {
    (0..50).map(|n| (format!("{n}@example.com"), ended)).collect()
}

#[tokio::test(start_paused = true)]
async fn fifty_concurrent_right_passwords_from_one_address_succeed() {
    let scene = Scene::new();
    assert_eq!(at_once(&scene, &of_several(AttemptOutcome::Succeeded)).await, 50);
    assert_eq!(
        at_once(&scene, &vec![(A.to_owned(), AttemptOutcome::Succeeded); 50]).await,
        50,
        "of one login"
    );
    assert_eq!(
        at_once(&scene, &vec![(A.to_owned(), AttemptOutcome::Undecided); 50]).await,
        50,
        "before their codes"
    );
    for _ in 0..5 {
        assert_eq!(scene.fail(A, 1).await, Ok(()), "nothing is left of them");
    }
}

#[tokio::test(start_paused = true)]
async fn wrong_passwords_at_one_time_are_no_more_than_one_after_the_other() {
    let scene = Scene::new();
    assert_eq!(at_once(&scene, &of_several(AttemptOutcome::Failed)).await, 20);
    assert_eq!(scene.fail("new@example.com", 1).await, Err(Wait(FIRST_WAIT)));
    let scene = Scene::new();
    assert_eq!(at_once(&scene, &vec![(A.to_owned(), AttemptOutcome::Failed); 50]).await, 5);
    let scene = Scene::new();
    let mixed = of_several(AttemptOutcome::Failed).into_iter().zip(of_several(AttemptOutcome::Succeeded));
    let mixed: Vec<_> = mixed.flat_map(|(wrong, right)| [wrong, right]).collect();
    let let_in = at_once(&scene, &mixed).await;
    assert!((20..=70).contains(&let_in), "{let_in}");
    assert_eq!(scene.fail("new@example.com", 1).await, Err(Wait(FIRST_WAIT)), "20 of them failed");
}

#[tokio::test(start_paused = true)]
async fn attempt_is_not_held_back_for_one_that_never_ends() {
    let mut scene = Scene::new();
    let address = IpAddr::from([192, 0, 2, 1]);
    for _ in 0..5 {
        let _never_ends = scene.throttle.begin(A, address, NOW).await.unwrap();
    }
    let begun = tokio::time::Instant::now();
    assert_eq!(scene.fail(A, 1).await, Err(Wait(FIRST_WAIT)));
    assert!(begun.elapsed() < MAX_HELD_BACK_TIME + MAX_PAUSE);
    scene.now += MAX_ATTEMPT;
    let begun = tokio::time::Instant::now();
    assert_eq!(scene.fail(A, 1).await, Err(Wait(FIRST_WAIT - MAX_ATTEMPT)));
    assert!(begun.elapsed() < FIRST_PAUSE, "it is taken to have ended");
}

#[tokio::test]
async fn refusal_says_whether_attempts_are_open_in_the_same_moment() {
    let (failures, subject) = (FailuresInMemory::default(), ThrottledSubject::email(A));
    let count = async || failures.count(&subject, 2, NOW).await;
    let over_limit = |has_open| Err(OverLimit { wait: Wait(FIRST_WAIT), has_open });
    assert_eq!((count().await, count().await), (Ok(()), Ok(())));
    assert_eq!(count().await, over_limit(true));
    failures.fail(&subject).await;
    assert_eq!(count().await, over_limit(true), "the other one is open still");
    failures.fail(&subject).await;
    assert_eq!(count().await, over_limit(false));
}

#[tokio::test]
async fn number_of_subjects_is_bounded() {
    let failures = FailuresInMemory::default();
    for n in 0..MAX_SUBJECTS + 10 {
        let at = NOW + Duration::milliseconds(i64::try_from(n).unwrap());
        failures.count(&ThrottledSubject(n.to_string()), 5, at).await.unwrap();
    }
    assert!(failures.with(|all| all.len()) <= MAX_SUBJECTS);
    assert!(failures.with(|all| all.contains_key(&ThrottledSubject(MAX_SUBJECTS.to_string()))));
}

#[test]
fn wait_is_told_in_whole_seconds() {
    assert_eq!(Wait(Duration::milliseconds(1)).seconds(), 1);
    assert_eq!(Wait(Duration::milliseconds(1_500)).seconds(), 2);
    assert_eq!(Wait(Duration::MINUTE).seconds(), 60);
}
