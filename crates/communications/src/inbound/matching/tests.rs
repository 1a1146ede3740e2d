//! Which message a reply answers, told from messages in memory.

use kernel::{Id, SystemIds};

use super::*;
use crate::message::MessageData;

fn id<E>() -> Id<E> {
    Id::new(&SystemIds::default(), OffsetDateTime::UNIX_EPOCH)
}

fn sent(account: AccountId, contact: ContactId, invoice: Option<InvoiceId>) -> Message {
    let way = (Channel::Email, Address::from_stored("ada@example.com".to_owned()));
    let at = OffsetDateTime::UNIX_EPOCH;
    Message::new(MessageData {
        contact: Some(contact),
        invoice,
        ..MessageData::outgoing(id(), account, MessagePurpose::Reminder, way, at)
    })
}

#[test]
fn tokens_of_two_accounts_match_neither_and_those_of_one_only_what_they_agree_on() {
    let (account, ada, one) = (id(), id(), Some(id()));
    let first = sent(account, ada, one);
    let of_other_account = sent(id(), id(), None);
    let both = [first.clone(), of_other_account.clone()];
    let candidate = |of: &Message| QuarantineCandidate { account: of.account, contact: of.contact };
    assert_eq!(by_tokens(&both), Match::Several(both.iter().map(candidate).collect()));
    assert_eq!(by_tokens(&[]), Match::None);
    for (other, is_sure, invoice) in [
        (sent(account, ada, one), true, one),
        (sent(account, ada, Some(id())), true, None),
        (sent(account, ada, None), true, None),
        (sent(account, id(), one), false, one),
    ] {
        let matched = Matched { invoice, ..Matched::of(&first, is_sure) };
        assert_eq!(by_tokens(&[first.clone(), other]), Match::One(matched));
    }
}

#[test]
fn number_that_contacts_of_one_account_share_is_of_the_one_whose_invoice_is_named() {
    let (account, ada, bob) = (id(), id(), id());
    let both = [sent(account, ada, Some(id())), sent(account, bob, Some(id()))];
    let named = |message: &Message| Matched { invoice: Some(id()), ..Matched::of(message, false) };
    let of_bob = named(&both[1]);
    for (channel, is_sure) in [(Channel::Sms, true), (Channel::Email, false)] {
        let expected = Match::One(Matched { is_sure, ..of_bob.clone() });
        assert_eq!(of_written_to(&both, vec![of_bob.clone()], channel), expected);
    }
    let unsure = Match::One(Matched { invoice: None, ..Matched::of(&both[0], false) });
    assert_eq!(of_written_to(&both, Vec::new(), Channel::Sms), unsure);
    let all = both.iter().map(named).collect();
    assert_eq!(of_written_to(&both, all, Channel::Sms), unsure, "invoices of both are named");
    let alone = Match::One(Matched::of(&both[0], true));
    assert_eq!(of_written_to(&both[..1], Vec::new(), Channel::Sms), alone);
    let of_two = [both[0].clone(), both[1].clone(), sent(id(), id(), None)];
    assert_eq!(of_written_to(&of_two, vec![of_bob.clone()], Channel::Sms), Match::One(of_bob));
    let several = of_written_to(&of_two, Vec::new(), Channel::Sms);
    assert!(matches!(several, Match::Several(candidates) if candidates.len() == 2));
}

#[test]
fn assigned_message_is_about_the_invoice_that_its_candidate_was_written_to_about() {
    let (account, ada, one, two) = (id(), id(), Some(id()), Some(id()));
    let ada_at = QuarantineCandidate { account, contact: Some(ada) };
    let with_id = |internet_id: &str, invoice| {
        let data = (*sent(account, ada, invoice)).clone();
        Message::new(MessageData { internet_id: Some(internet_id.to_owned()), ..data })
    };
    let of_others = [sent(id(), ada, Some(id())), sent(account, id(), Some(id()))];
    let candidates = |own: &[Message]| of_candidate(ada_at, [&of_others[..], own].concat());
    let ids = ["direct@shop.example".to_owned(), "first@shop.example".to_owned()];
    let answered = candidates(&[with_id(&ids[1], two), with_id(&ids[0], one)]);
    assert_eq!(answered.len(), 2, "without those of other contacts");
    assert_eq!(invoice_of(&[], &answered, &ids), one, "the directly answered one");
    let addressed = candidates(&[sent(account, ada, two)]);
    assert_eq!(invoice_of(&addressed, &answered, &ids), two, "tokens decide");
    let disagreeing = candidates(&[sent(account, ada, one), sent(account, ada, two)]);
    assert_eq!(invoice_of(&disagreeing, &[], &[]), None);
    assert_eq!(invoice_of(&candidates(&[]), &candidates(&[]), &ids), None);
}

#[test]
fn words_with_digits_may_be_numbers_of_invoices() {
    let found: Vec<&str> =
        words_with_digits("About invoice INV-0007, #2026/12 (and \"A1\"): I paid 50.00.").collect();
    assert_eq!(found, ["INV-0007", "2026/12", "A1", "50.00"]);
    assert_eq!(words_with_digits("Thank you.").count(), 0);
    assert_eq!(words_with_digits("INV-0007’s due date").collect::<Vec<_>>(), ["INV-0007"]);
}

#[test]
fn number_of_an_invoice_is_found_in_any_case_and_behind_a_mark() {
    for (word, number) in [("inv-0001", "INV-0001"), ("A1", "a1"), ("No.INV-0001", "INV-0001")] {
        assert!(numbers(word).iter().any(|one| one == number), "{word}: {:?}", numbers(word));
    }
    assert_eq!(numbers("50.00"), ["50.00"]);
}
