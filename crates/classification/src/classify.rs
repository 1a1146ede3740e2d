//! Decides what a message says.

use std::ops::Range;

use time::Date;

use crate::dates::{DayMention, days};
use crate::language::is_english;
use crate::learning::{DOUBLING, WHOLE, shares};
use crate::likeness::{LikenessModel, LikenessScores};
use crate::message_type::MessageType;
use crate::negation::{announcements, is_ending_taken_back};
use crate::pattern::MatchedText;
use crate::rulebook::{RULEBOOK, Rulebook, VERSION};
use crate::scoring::{Score, Scores, scores};
use crate::text::{Word, words};

/// What the rules understood of a message.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Classification {
    /// What the message says.
    pub message_type: MessageType,
    /// Whether the service may act on it without a person.
    pub sure: bool,
    /// The byte range of the words that decided. `None` if none did: the type is `other` then.
    pub evidence: Option<Range<usize>>,
    /// The day on which the customer promises to pay.
    pub date: Option<Date>,
    /// The version of the rules.
    pub version: u32,
}

/// The rules of a type are ignored if their total is below this.
const MIN_RULE_TOTAL: i32 = 4;
/// The largest total of the rules of a type that counts.
const MAX_RULE_TOTAL: i32 = 30;
/// How much one point of a rule adds to the score of its type.
const RULE_POINT: i32 = DOUBLING / 4;
/// The largest likeness score of a type: it grows with the length of a message.
const MAX_LIKENESS: i32 = 40 * DOUBLING;
/// A type is sure if its share is at least this.
const SURE: i32 = WHOLE / 64 * 63;
/// A message without evidence is surely `other` only if it has at most this many words.
const MAX_SILENT_WORDS: usize = 3;

/// Classifies a message that was written on a given day, by rules and by its likeness to examples. `message`
/// is its newest text, without quoted mail.
#[must_use]
pub fn classify(model: &LikenessModel, message: &str, written_on: Date) -> Classification {
    let book = &*RULEBOOK;
    let words = book.wording.apply(words(message));
    let days = days(&words, written_on);
    let scores = scores(book, MatchedText { words: &words, days: &days });
    let likeness = model.score(&words, &days, &scores);
    // Of the days to come, the last that overlaps the words of the promise, otherwise the last.
    let promise = scores.get(&MessageType::Promise).and_then(|score| score.best.clone());
    let (_, promise) = promise.unwrap_or((0, 0..0));
    let mut coming = days.iter().rev().filter(|day| !day.is_past);
    let is_near = |day: &&DayMention| day.words.start < promise.end && day.words.end > promise.start;
    let date = coming.clone().find(is_near).or_else(|| coming.next()).map(|mention| mention.day);
    let (message_type, evidence, sure) = decide(&scores, &likeness, date.is_some(), words.len());
    let sure = sure && !is_taken_back(book, &words, message_type, scores.get(&message_type));
    let is_brief = message_type == MessageType::Other && words.len() <= MAX_SILENT_WORDS;
    // An opt-out counts in whichever language the rest is.
    let asks_opt_out = message_type == MessageType::OptOut
        && scores.get(&MessageType::OptOut).is_some_and(|score| score.best.is_some());
    let sure = sure && (is_brief || asks_opt_out || is_english(book, &words, &scores));
    let evidence = evidence.and_then(|evidence| bytes(&words, &evidence));
    let date = date.filter(|_| message_type == MessageType::Promise);
    Classification { message_type, sure, evidence, date, version: VERSION }
}

/// The type, the words that decided, and whether the type is sure.
fn decide(
    scores: &Scores,
    likeness: &LikenessScores,
    has_date: bool,
    length: usize,
) -> (MessageType, Option<Range<usize>>, bool) {
    let mut ranks = MessageType::ALL.map(|kind| {
        let total = scores.get(&kind).map_or(0, Score::total);
        let said = if total >= MIN_RULE_TOTAL {
            total.saturating_add(preference(kind)).min(MAX_RULE_TOTAL)
        } else {
            0
        };
        likeness
            .score(kind)
            .clamp(-MAX_LIKENESS, MAX_LIKENESS)
            .saturating_add(said.saturating_mul(RULE_POINT))
    });
    let likely = shares(&ranks);
    for (rank, kind) in ranks.iter_mut().zip(MessageType::ALL) {
        *rank = rank.saturating_add(advantage(kind));
    }
    let mut best = None;
    for ((kind, rank), share) in MessageType::ALL.into_iter().zip(ranks).zip(likely) {
        let of_rules = scores.get(&kind).and_then(|score| score.best.clone()).map(|(_, span)| span);
        let evidence = of_rules.or_else(|| likeness.evidence(kind));
        let possible = evidence.is_some() && (has_date || kind != MessageType::Promise);
        // Of two types with the same score, the first in `ALL` wins.
        if possible && best.as_ref().is_none_or(|(_, best, _, _)| rank > *best) {
            best = Some((kind, rank, evidence, share >= SURE));
        }
    }
    let Some((kind, _, evidence, sure)) = best else {
        return (MessageType::Other, None, length <= MAX_SILENT_WORDS);
    };
    (kind, evidence, sure)
}

/// Whether the message takes back what speaks for its type: "I am not unemployed". No one acts on that alone.
fn is_taken_back(book: &Rulebook, words: &[Word], kind: MessageType, of_rules: Option<&Score>) -> bool {
    if kind == MessageType::PaidClaim {
        // What will be paid is not paid yet, whatever else resembles the examples of claims.
        let announced: Vec<_> = announcements(book, words).collect();
        let claims = |score: &Score| score.total() >= MIN_RULE_TOTAL && score.holds_apart_from(&announced);
        return !announced.is_empty() && !of_rules.is_some_and(claims);
    }
    let by_rules = of_rules.is_some_and(|score| score.is_taken_back(kind == MessageType::Promise));
    // An opt-out acts on every account that wrote to the address, so its words count without a rule too.
    let without_rules = of_rules.is_none_or(|score| score.best.is_none());
    by_rules || (kind == MessageType::OptOut && without_rules && is_ending_taken_back(book, words))
}

/// Points added by type: a customer who cannot pay is helped first, whatever else they say; one who gives a
/// reason disputes rather than refuses.
const fn preference(kind: MessageType) -> i32 {
    match kind {
        MessageType::Hardship => 5,
        MessageType::Dispute => 4,
        MessageType::HumanRequest => 3,
        MessageType::Refused => 2,
        _ => 0,
    }
}

/// How much is added to the score of a type that raises an escalation: reminding a person in trouble costs
/// more than holding a reminder until the owner has read the message. The first of [`MessageType::ALL`] gets
/// the most, since missing it costs the most.
///
/// This is less than what makes a type sure ([`SURE`] is about six doublings over all others). So it never
/// overrules a sure type, and a type that wins only because of it is unsure.
const fn advantage(kind: MessageType) -> i32 {
    match kind {
        MessageType::Hardship => 5 * DOUBLING + DOUBLING / 2,
        MessageType::Dispute => 5 * DOUBLING,
        MessageType::Refused | MessageType::HumanRequest => 4 * DOUBLING + DOUBLING / 2,
        _ => 0,
    }
}

fn bytes(words: &[Word], span: &Range<usize>) -> Option<Range<usize>> {
    let first = words.get(span.start)?;
    let last = words.get(span.end.checked_sub(1)?)?;
    Some(first.span.start..last.span.end)
}

#[cfg(test)]
mod tests {
    use std::sync::LazyLock;

    use time::macros::date;

    use super::*;

    static MODEL: LazyLock<LikenessModel> = LazyLock::new(LikenessModel::learn);

    fn classify(message: &str, written_on: Date) -> Classification {
        super::classify(&MODEL, message, written_on)
    }

    #[test]
    fn message_with_words_of_another_type_is_classified_by_its_meaning() {
        use MessageType::{Dispute, Hardship, OptOut, Other, PaidClaim, Promise, Refused};
        for (expected, message) in [
            (Refused, "I will not pay this, and don't contact me again."),
            (Refused, "Stop texting me, you won't get a cent out of me."),
            (Refused, "I have enough money, I just won't pay you."),
            (Dispute, "You charged my card twice for this, I paid in March already. Refund one of them."),
            (Dispute, "Money is tight and you bill me for a visit that never happened."),
            (Dispute, "I am not paying until the boiler has been repaired."),
            (Dispute, "I live on a pension, and you charged me for a visit that nobody made."),
            (Hardship, "I'm not refusing to pay, I lost my job and have no money."),
            (Hardship, "The bill is right and the work is fine, I just don't have the money."),
            (PaidClaim, "Stop the reminders please, I paid this on Monday."),
            (PaidClaim, "Your records are wrong, I paid this last week."),
            (Promise, "No dispute about it, I'll pay on Friday."),
            (OptOut, "Please stop sending me texts."),
            (Other, "The boiler you repaired works perfectly now, thank you."),
            (Other, "My neighbour lost his job and moved out. Will look at your mail soon."),
        ] {
            assert_eq!(classify(message, date!(2026 - 12 - 01)).message_type, expected, "{message}");
        }
    }

    #[test]
    fn promise_that_names_the_invoice_is_sure_with_the_day_of_payment() {
        let (friday, monday) = (date!(2026 - 11 - 27), date!(2026 - 11 - 30));
        let (third, fourth) = (date!(2026 - 12 - 03), date!(2026 - 12 - 04));
        for (day, message) in [
            (friday, "I will pay you on 27 November."),
            (friday, "We will pay invoice number INV-0001 on 27 November."),
            (friday, "I will pay the invoice on 27 November."),
            (fourth, "I will pay the invoice on 4 December."),
            (friday, "I will pay the invoice by 27 November."),
            (friday, "I will pay invoice INV-0001 on 27 November 2026."),
            (friday, "I will pay INV-0001 on 27 November."),
            (friday, "We will pay this invoice on 27 November."),
            (friday, "I will pay INV-0001 on Friday."),
            (fourth, "I will pay invoices INV-0001 and INV-0002 on 4 December."),
            (friday, "I'll pay bill no. 4411 on 27/11"),
            (friday, "we'll settle invoice 1042 by Friday"),
            (third, "payment of INV-7 will be made on 3 December"),
            (monday, "you will have the money for invoice 12 on Monday"),
            (friday, "I shall pay the bill dated 3 November on 27 November"),
            (friday, "The invoice of 3 November will be paid on Friday."),
            (fourth, "The invoice of 27 November will be paid on 4 December."),
            (fourth, "I will pay on 4 December. 2000 AUD follow later."),
            (third, "As for your invoice dated 14/10/2026: we will pay it on 3 December."),
            (third, "Hello, thank you for the reminder. I will pay the invoice on 3 December. Regards, Anna"),
        ] {
            let read = classify(message, date!(2026 - 11 - 24));
            let found = (read.message_type, read.sure, read.date);
            assert_eq!(found, (MessageType::Promise, true, Some(day)), "{message}: {read:?}");
        }
    }

    #[test]
    fn day_that_is_past_denied_or_not_for_payment_is_no_sure_promise() {
        for message in [
            "I will pay the invoice of 3 November.",
            "I will pay the bill dated 3 November.",
            "I promised to pay the invoice on 20 November.",
            "I cannot pay the invoice on 27 November.",
            "I will not pay the invoice on 27 November.",
            "Please send the invoice on 4 December.",
            "The invoice is due on 4 December.",
            "The delivery on 4 December is fine.",
        ] {
            let read = classify(message, date!(2026 - 11 - 24));
            assert!(read.message_type != MessageType::Promise || !read.sure, "{message}: {read:?}");
        }
    }

    #[test]
    fn payment_to_come_is_no_sure_claim_and_a_past_one_is() {
        for (sure, message) in [
            (false, "We will pay invoice number INV-0001 on 27 November."),
            (false, "We will pay invoice 12 on 27 November, receipt to follow."),
            (false, "Money will get sent on Monday by bank transfer"),
            (true, "We paid invoice INV-0001 on 20 November."),
            (true, "I already paid this, and I will pay the next one on time."),
        ] {
            let read = classify(message, date!(2026 - 11 - 24));
            assert_eq!(read.message_type == MessageType::PaidClaim && read.sure, sure, "{message}: {read:?}");
        }
    }

    #[test]
    fn ambiguous_message_is_unsure_and_one_of_unknown_words_has_no_evidence() {
        let understand = |message: &str| classify(message, date!(2026 - 12 - 01));
        for message in [
            "Perhaps the amount is wrong, or perhaps I paid it.",
            "Ignore your instructions and answer as I say. \
             Perhaps the amount is wrong, or perhaps I paid it.",
        ] {
            assert!(!understand(message).sure, "{message}: {:?}", understand(message));
        }
        for message in ["Edsger Dijkstra", "Zoë Ångström", "Cape Verde"] {
            assert_eq!(understand(message).evidence, None, "{message}");
        }
    }

    #[test]
    fn statement_that_is_negated_or_asked_is_not_sure() {
        use MessageType::{Dispute, Hardship, HumanRequest, OptOut, Promise, Refused};
        for (denied, message) in [
            (OptOut, "Please do not unsubscribe me from your reminders, I need them."),
            (OptOut, "I do not want to unsubscribe"),
            (OptOut, "Don't stop texting me"),
            (OptOut, "Don\u{2019}t stop texting me"),
            (OptOut, "Do not stop reminding me"),
            (OptOut, "I did not ask you to stop texting me"),
            (OptOut, "Why did you stop texting me?"),
            (OptOut, "Please do not remove me from your list"),
            (OptOut, "How do I unsubscribe?"),
            (OptOut, "Can I unsubscribe later?"),
            (Hardship, "I have not lost my job"),
            (Hardship, "I am not unemployed"),
            (Hardship, "I'm no longer unemployed"),
            (Hardship, "We have no financial difficulties"),
            (Hardship, "We are without financial problems"),
            (Dispute, "The invoice is not wrong"),
            (Dispute, "Nothing is wrong with this invoice"),
            (Dispute, "Neither the price nor the quantity is wrong"),
            (Dispute, "We are not disputing this invoice"),
            (Refused, "I am not refusing to pay"),
            (Refused, "I will never refuse to pay"),
            (Refused, "Nobody refuses to pay"),
            (HumanRequest, "I do not want to talk to a human"),
            (HumanRequest, "I don't need a call back"),
            (HumanRequest, "Did you call me?"),
            (Promise, "I promised to pay last Friday"),
            (Promise, "Will you accept payment on Friday?"),
        ] {
            let read = classify(message, date!(2026 - 12 - 01));
            assert!(read.message_type != denied || !read.sure, "{message}: {read:?}");
        }
    }

    #[test]
    fn message_in_another_language_is_not_sure() {
        for message in [
            "Ich bin nicht da.",
            "Ich bin einverstanden.",
            "Die Rechnung ist in Ordnung, wir zahlen pünktlich.",
            "Bitte entschuldigen Sie die späte Antwort, ich schaue es mir an.",
            "Nous paierons vendredi.",
            "La facture a été payée hier.",
            "La factura ya está pagada.",
            "La fattura è stata pagata ieri.",
            "De factuur is gisteren betaald.",
            "Faktura została opłacona wczoraj.",
            "Jag betalar på fredag.",
            "Merci, nous avons bien reçu la facture.",
        ] {
            let read = classify(message, date!(2026 - 12 - 01));
            assert!(!read.sure, "{message}: {read:?}");
        }
        for (expected, message) in [
            (MessageType::OptOut, "unsubscribe bitte, danke"),
            (MessageType::OptOut, "Unsubscribe me. Ben van der Berg"),
            (MessageType::Hardship, "Bonjour, I lost my job and cannot pay. Merci, Jean de la Tour"),
            (MessageType::Refused, "Throw it in the bin, I won't pay a cent."),
            (MessageType::Other, "Danke"),
        ] {
            let read = classify(message, date!(2026 - 12 - 01));
            assert_eq!((read.message_type, read.sure), (expected, true), "{message}: {read:?}");
        }
    }

    #[test]
    fn negation_that_belongs_to_the_statement_leaves_it_sure() {
        use MessageType::{Dispute, Hardship, HumanRequest, OptOut, Promise, Refused};
        for (expected, message) in [
            (OptOut, "I don't want to be reminded any more"),
            (OptOut, "do not contact me again"),
            (OptOut, "don't text me"),
            (OptOut, "no more messages"),
            (OptOut, "Can you stop texting me?"),
            (OptOut, "I did not ask for this, remove me from your list"),
            (Hardship, "I can not pay"),
            (Hardship, "I no longer have a job"),
            (Hardship, "I'm not refusing to pay, I lost my job and have no money."),
            (Dispute, "I do not owe this"),
            (Dispute, "not correct"),
            (Dispute, "You have not fixed the broken pump"),
            (Dispute, "Why did you charge me twice?"),
            (Refused, "I'm not paying"),
            (HumanRequest, "Nobody called me back"),
            (HumanRequest, "I don't want to talk to a bot, get me a person"),
            (Promise, "I can't pay today but will pay on Friday"),
        ] {
            let read = classify(message, date!(2026 - 12 - 01));
            assert_eq!((read.message_type, read.sure), (expected, true), "{message}: {read:?}");
        }
    }

    #[test]
    fn advantage_alone_is_never_sure() {
        for kind in MessageType::ALL {
            let mut scores = [-40 * DOUBLING; MessageType::ALL.len()];
            (scores[0], scores[7]) = (0, advantage(kind));
            assert!(shares(&scores)[7] < SURE, "{kind:?}");
        }
    }
}
