//! Asks a language model about a message that the rules are unsure of, and limits what its answer can do.
//!
//! An answer counts only if it names a type that raises an escalation and quotes words of the message. So a
//! message that tells the model what to answer achieves no more than one that says the same in plain words.
//! After any other answer, what the rules understood stands.

use std::sync::Arc;

use classification::MessageType;
use kernel::{Clock, Named as _};

use super::inbox::{InboundMonitor, ModelOutcome};
use super::question_limit::QuestionLimit;
use super::quote;
use crate::language_model::{LanguageModel, ModelAnswer};
use crate::understood::{ClassifiedBy, MAX_EVIDENCE_LENGTH, Understood};

/// How much of a text is sent to a language model, in characters.
const MAX_EXCERPT_LENGTH: usize = 4_000;

/// Asks a language model, if one is configured.
#[derive(Clone)]
pub struct ModelClassifier {
    model: Option<Arc<dyn LanguageModel>>,
    limit: Arc<QuestionLimit>,
    monitor: Arc<dyn InboundMonitor>,
    clock: Arc<dyn Clock>,
}

impl ModelClassifier {
    /// A classifier that asks this model; without a model it never asks.
    #[must_use]
    pub fn new(
        model: Option<Arc<dyn LanguageModel>>,
        monitor: Arc<dyn InboundMonitor>,
        clock: Arc<dyn Clock>,
    ) -> Self {
        Self { model, limit: Arc::default(), monitor, clock }
    }

    /// What a text says that a contact certainly wrote: by the model if the rules were unsure, the account
    /// agreed to its host and its answer counts; otherwise by the rules. The model is asked once.
    pub(super) async fn classify(
        &self,
        text: &str,
        by_rules: Understood,
        agreed_host: Option<&str>,
    ) -> Understood {
        let model = self.model.as_deref().filter(|model| agreed_host == Some(model.host()));
        let is_clear = by_rules.sure || by_rules.message_type == MessageType::OptOut;
        let Some(model) = model.filter(|_| !is_clear) else {
            return by_rules;
        };
        let (understood, outcome) = self.ask(model, excerpt(text), by_rules).await;
        self.monitor.language_model(outcome);
        understood
    }

    async fn ask(
        &self,
        model: &dyn LanguageModel,
        text: &str,
        by_rules: Understood,
    ) -> (Understood, ModelOutcome) {
        let Some(question) = self.limit.begin(self.clock.now()) else {
            return (by_rules, ModelOutcome::NotAsked);
        };
        match model.ask(text, &MessageType::ALL).await {
            Ok(answer) => {
                question.succeeded();
                match answer.and_then(|answer| accepted(text, &answer)) {
                    Some((message_type, evidence)) => {
                        let classified_by = ClassifiedBy::LanguageModel;
                        let understood = Understood {
                            message_type,
                            sure: true,
                            evidence,
                            date: None,
                            classified_by,
                            ..by_rules
                        };
                        (understood, ModelOutcome::Taken)
                    }
                    None => (by_rules, ModelOutcome::NotTaken),
                }
            }
            Err(error) => {
                question.failed(self.clock.now());
                tracing::warn!(%error, "the language model gave no answer; what the rules understood stands");
                (by_rules, ModelOutcome::Failed)
            }
        }
    }
}

/// The type and the evidence of an answer that counts.
fn accepted(text: &str, answer: &ModelAnswer) -> Option<(MessageType, String)> {
    let message_type = MessageType::parse(&answer.message_type).ok()?;
    let evidence = quote::find(text, &answer.quote)?;
    message_type.raises().then(|| (message_type, evidence.chars().take(MAX_EVIDENCE_LENGTH).collect()))
}

fn excerpt(text: &str) -> &str {
    let end = text.char_indices().nth(MAX_EXCERPT_LENGTH).map_or(text.len(), |(end, _)| end);
    text.get(..end).unwrap_or(text)
}

#[cfg(test)]
mod tests {
    use mockall::predicate::{always, eq};
    use testkit::FixedClock;

    use super::*;
    use crate::inbound::inbox::MockInboundMonitor;
    use crate::language_model::{MockLanguageModel, ModelError};

    const HOST: &str = "models.example.com";
    const TEXT: &str = "Our firm went into\n administration on Monday, the administrator will write to you.";

    fn unsure(message_type: MessageType) -> Understood {
        Understood {
            message_type,
            sure: false,
            evidence: "by rules".to_owned(),
            date: None,
            version: 7,
            corrected: None,
            classified_by: ClassifiedBy::Rules,
        }
    }

    fn classifier(model: Option<MockLanguageModel>, outcomes: &[ModelOutcome]) -> ModelClassifier {
        let mut monitor = MockInboundMonitor::new();
        let mut order = mockall::Sequence::new();
        for outcome in outcomes {
            monitor
                .expect_language_model()
                .with(eq(*outcome))
                .once()
                .in_sequence(&mut order)
                .return_const(());
        }
        let model = model.map(|model| -> Arc<dyn LanguageModel> { Arc::new(model) });
        ModelClassifier::new(model, Arc::new(monitor), Arc::new(FixedClock::default()))
    }

    fn answering(answer: Result<Option<(&str, &str)>, &str>) -> MockLanguageModel {
        let answer = match answer {
            Ok(said) => Ok(said.map(|(message_type, quote)| ModelAnswer {
                message_type: message_type.to_owned(),
                quote: quote.to_owned(),
            })),
            Err(why) => Err(ModelError(why.to_owned())),
        };
        let mut model = never_asked();
        model.expect_ask().with(eq(TEXT), eq(MessageType::ALL)).returning(move |_, _| answer.clone());
        model
    }

    fn never_asked() -> MockLanguageModel {
        let mut model = MockLanguageModel::new();
        model.expect_host().return_const(HOST.to_owned());
        model
    }

    #[tokio::test]
    async fn answer_with_a_quote_makes_an_unsure_message_sure() {
        let model = answering(Ok(Some(("hardship", "firm went into administration"))));
        let classifier = classifier(Some(model), &[ModelOutcome::Taken]);
        let understood = classifier.classify(TEXT, unsure(MessageType::Other), Some(HOST)).await;
        let expected = Understood {
            sure: true,
            evidence: "firm went into\n administration".to_owned(),
            classified_by: ClassifiedBy::LanguageModel,
            ..unsure(MessageType::Hardship)
        };
        assert_eq!(understood, expected);
        assert!(!understood.needs_owner());
    }

    #[tokio::test]
    async fn answer_that_does_not_count_leaves_what_the_rules_understood() {
        let quote = "went into administration";
        for answer in [
            None,
            Some(("hardship", "I cannot pay")),
            Some(("hardship", "")),
            Some(("hardship", "w")),
            Some(("paid", quote)),
            Some(("paid_claim", quote)),
            Some(("promise", quote)),
            Some(("opt_out", quote)),
            Some(("other", quote)),
            Some(("hardship, dispute", quote)),
            Some(("", quote)),
        ] {
            let classifier = classifier(Some(answering(Ok(answer))), &[ModelOutcome::NotTaken]);
            let by_rules = unsure(MessageType::Dispute);
            let understood = classifier.classify(TEXT, by_rules.clone(), Some(HOST)).await;
            assert_eq!(understood, by_rules, "{answer:?}");
            assert!(understood.needs_owner());
        }
    }

    #[tokio::test]
    async fn model_that_gives_no_answer_is_asked_once_and_then_left_alone() {
        let failed = [ModelOutcome::Failed; 3];
        let outcomes = [&failed[..], &[ModelOutcome::NotAsked]].concat();
        let classifier = classifier(Some(answering(Err("it is away"))), &outcomes);
        for _ in outcomes {
            let by_rules = unsure(MessageType::Hardship);
            assert_eq!(classifier.classify(TEXT, by_rules.clone(), Some(HOST)).await, by_rules);
        }
    }

    #[tokio::test]
    async fn sure_message_opt_out_and_message_without_consent_or_model_are_not_asked_about() {
        let sure = Understood { sure: true, ..unsure(MessageType::Promise) };
        let asked = classifier(Some(never_asked()), &[]);
        for (by_rules, agreed) in [
            (sure, Some(HOST)),
            (unsure(MessageType::OptOut), Some(HOST)),
            (unsure(MessageType::Hardship), None),
            (unsure(MessageType::Hardship), Some("other.example.com")),
        ] {
            assert_eq!(asked.classify(TEXT, by_rules.clone(), agreed).await, by_rules);
        }
        let by_rules = unsure(MessageType::Hardship);
        assert_eq!(classifier(None, &[]).classify(TEXT, by_rules.clone(), Some(HOST)).await, by_rules);
    }

    #[tokio::test]
    async fn long_message_is_cut_and_what_was_not_sent_cannot_be_quoted() {
        let text = format!("{}I lost everything", "é ".repeat(2_000));
        let sent = "é ".repeat(2_000);
        let mut model = never_asked();
        let answer =
            ModelAnswer { message_type: "hardship".to_owned(), quote: "I lost everything".to_owned() };
        model.expect_ask().with(eq(sent), always()).once().return_const(Ok(Some(answer)));
        let classifier = classifier(Some(model), &[ModelOutcome::NotTaken]);
        assert!(!classifier.classify(&text, unsure(MessageType::Other), Some(HOST)).await.sure);
    }
}
