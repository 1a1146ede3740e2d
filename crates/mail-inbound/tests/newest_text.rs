//! Where the newest text of a mail ends: closings, postscripts, signatures, and headers of quoted mail.

use communications::MailReader as _;
use mail_inbound::MimeReader;

/// The newest text of a mail without any special headers.
fn text_of(body: &str) -> String {
    let mail = format!("From: a@b.example\r\n\r\n{body}");
    MimeReader.read(mail.as_bytes()).unwrap_or_else(|| panic!("this is no message")).text
}

#[test]
fn postscript_after_a_closing_is_kept() {
    let postscript = "I cannot pay before February, I lost my job.";
    for mark in ["PS:", "P.S.", "p.s", "Ps", "P. S.", "PPS -", "P.P.S.:", "N.B.:", "NB", "*PS:*"] {
        let body = format!("Thanks for the invoice.\n\nKind regards,\nAda\n\n{mark} {postscript}");
        assert_eq!(text_of(&body), format!("Thanks for the invoice.\n\n{mark} {postscript}"));
    }
    let names = "Thanks for the invoice.\n\nKind regards,\nAda\nPsychology Ltd\nPS5 repairs\nN.B.C. Street";
    assert_eq!(text_of(names), "Thanks for the invoice.");
    let linked =
        "Thanks.\n\nRegards,\nAda\n\nP.S. We dispute it: https://x.example/p\n\nPPS We deny any liability.";
    assert_eq!(
        text_of(linked),
        "Thanks.\n\nP.S. We dispute it: https://x.example/p\n\nPPS We deny any liability."
    );
    let two = "I paid.\nRegards\nAda\nPS: Not all of it.\nThe rest follows.\nPPS: Call me.";
    assert_eq!(text_of(two), "I paid.\nPS: Not all of it.\nThe rest follows.\nPPS: Call me.");
}

#[test]
fn paragraph_about_the_matter_below_a_closing_is_kept_and_slogans_and_notices_are_not() {
    let letter = |below: &str| text_of(&format!("Thank you.\n\nKind regards,\nAda\n\n{below}"));
    for text in [
        "The invoice is wrong, we dispute it and we never ordered the second item at all.",
        "I lost my job last month",
        "We have never received this.\n\nThe second item is broken.",
    ] {
        assert_eq!(letter(text), format!("Thank you.\n\n{text}"));
        let notice =
            "This e-mail is confidential. If you are not the intended recipient, I ask you to delete it.";
        assert_eq!(letter(&format!("Analytical Ltd\n\n{text}\n\n{notice}")), format!("Thank you.\n\n{text}"));
    }
    for signature in [
        "Ada Lovelace\nManaging Director\nAnalytical Ltd, 1 St James's Square, London",
        "Making engines sing since 1843.",
        "We help businesses to grow.",
        "Your partner for difference engines in all of Europe",
        "This email and any attachments are confidential. If I sent it to you by mistake, please tell me.",
        "Please consider the environment before you print my message.",
        "Follow me on LinkedIn for more.",
        "My number: 0170 1234567",
    ] {
        assert_eq!(letter(signature), "Thank you.", "{signature}");
    }
}

#[test]
fn closings_and_headers_of_quotes_are_cut_in_other_languages() {
    for below in [
        "Freundliche Grüsse\nUrs Meier",
        "Mit freundlichen Grüssen\nUrs Meier",
        "W dniu 29.11.2026 o 01:00, Shop pisze:\n> Faktura",
        "-------- Message original --------\nDe: Shop <shop@b.example>\nObjet: Facture",
        "пн, 30 лист. 2026 р. о 10:00 Shop <shop@b.example> пише:\n> Рахунок",
        "На пн, 30.11.2026 г. в 10:00 Shop <shop@b.example> написа:\n> Фактура",
        "pon, 30. stu 2026. u 10:00 Shop <shop@b.example> napisao je:\n> Račun",
        "V pon., 30. nov. 2026 ob 10:00 je oseba Shop <shop@b.example> napisala:\n> Račun",
        "Pada Sen, 30 Nov 2026 pukul 10.00 Shop <shop@b.example> menulis:\n> Faktur",
        "เมื่อ จ. 30 พ.ย. 2026 เวลา 10:00 Shop <shop@b.example> เขียนว่า:\n> ใบแจ้งหนี้",
        "Отправлено с iPhone\n1 дек. 2026 г., в 10:00, Shop <shop@b.example> пишет: Счёт",
        "Odesláno z iPhonu",
        "Odesláno ze Samsung Galaxy",
        "Dikirim dari Yahoo Mail",
        "Lähetetty iPhonesta",
        "iPhone'umdan gönderildi",
        "Надіслано з iPhone",
    ] {
        assert_eq!(text_of(&format!("Merci.\n\n{below}\n")), "Merci.", "{below}");
    }
}

#[test]
fn details_of_a_transfer_are_no_header_of_a_quoted_mail() {
    for details in [
        "From: Ada Ltd\nTo: Shop\nDate: 3 December\nAmount: 110",
        "Von: Ada GmbH\nAn: Shop\nDatum: 3. Dezember",
    ] {
        let text = format!("This is our transfer:\n{details}\nBut the second item is wrong.");
        assert_eq!(text_of(&text), text);
    }
    for header in [
        "From: Shop <a@b.example>\nDate: 3 December\nTo: Ada",
        "From: Shop\nTo: <ada@example.com>\nDate: 3 December",
        "From: Shop\nDate: 3 December\nSubject: Invoice",
        "Van: Shop\nDatum: 3 december\nAan: Ada\nOnderwerp: Factuur",
    ] {
        assert_eq!(
            text_of(&format!("I lost my job.\n\n{header}\n\nPlease pay.")),
            "I lost my job.",
            "{header}"
        );
    }
}

/// Lines that begin like those of mail programs, and are text.
#[test]
fn sentence_that_resembles_a_header_or_a_signature_is_kept_with_what_follows() {
    for text in [
        "Hi,\nOn 3 December I wrote to you:\nthe goods never arrived.",
        "Money is tight since 5 May.\nAs I wrote to you:\nwe cannot pay",
        "Hello,\nSent from our account on Monday, 110 AUD.\nPlease confirm",
        "On 3 December 2026 we wrote to billing@shop.example:\nthe goods never arrived.",
        "On 3 December 2026 at 9:00 my wife wrote:\nthe goods never arrived.",
        "On Tuesday, 1 December 2026, you wrote:\n\"Please pay.\"\nI have lost my job.",
        "Wednesday your colleague wrote about invoice 7:\nit is cancelled.",
        "Mon comptable vous a écrit le 5 mai 2026 :\nla facture est fausse.",
        "Am 3. Dezember 2026 schrieb ich an shop@b.example:\ndie Ware kam nie an.",
        "Sent from Berlin last week, the parcel never arrived.\nI will not pay.",
        "I paid.\nSent from our account on Monday, 110 AUD.",
        "Von meinem Arbeitgeber wurde ich entlassen.\nIch kann nicht zahlen.",
        "Von meinem Arbeitgeber wurde ich entlassen.",
        "Sent from our account yesterday\n\nPlease confirm.",
        "Your colleague wrote on 1 December 2026 at 10:00:\nyou need not pay.",
        "Frau Meier schrieb am 01.12.2026:\nDie Rechnung ist hinfällig.",
        "Herr Maier schrieb am Montag, dass die Rechnung 2026-11 falsch ist.\nRichtig ist:\n100 Euro",
        "V torek 1. 12. 2026 je sodelavka napisala:\nračun je napačen.",
        "Pada 1 Desember 2026 Anda menulis:\nfaktur salah.",
        "У листі від 01.12.2026 мій брат пише:\nрахунок помилковий.",
        "Odesláno začátkem týdne.",
        "Poslano sinoć.",
        "Надіслано завтра",
        "Trimis de pe cardul meu",
        "Trimis de pe contul meu pentru iPhone",
        "Отправлено со счёта вчера",
        "iPad için ödeme dün gönderildi",
        "Odesláno z účtu včera",
        "Para dün gönderildi",
        "Lähetetty eilen tililtä",
        "Wysłane z konta wczoraj",
        "I paid.\n\nSent from Berlin on Monday\n\nPlease confirm.",
    ] {
        assert_eq!(text_of(text), text);
    }
    let quoting = "On 3 December I wrote to you:\n> the goods never arrived\nNothing happened.";
    assert_eq!(text_of(quoting), "On 3 December I wrote to you:\nNothing happened.");
}

#[test]
fn header_without_marks_of_quotes_and_signature_of_a_phone_are_cut() {
    for below in [
        "On Tue, 1 Dec 2026 at 9:00, Shop <a@b.example> wrote:\nPlease pay.",
        "Tuesday, December 1, 2026, Shop wrote:\nPlease pay.",
        "Tue 1 Dec 2026, Shop wrote:\n\nPlease pay.",
        "Mon. Dec 7 2026 9:00 Shop wrote:\nPlease pay.",
        "On Mon 7 Dec 2026 at 9:00, Shop wrote:\nPlease pay.",
        "On 1 Dec, Shop wrote:\n> Please pay.",
        "On 1 Dec you wrote:\n\n> Please pay.",
        "On 1 Dec, Shop wrote:",
        "Am 01.12.2026 schrieb Shop:\nBitte zahlen.",
        "Op 1 dec 2026 om 09:00 schreef Shop:\nGraag betalen.",
        "Sent from my Galaxy S21 5G smartphone",
        "Sent from Mail for Windows\n\nFrom: Shop\nSent: 1 December\nTo: Ada\nPlease pay",
        "Sent from my iPhone\n\nOn 1 Dec 2026, at 9:00, Shop wrote:\nPlease pay.",
        "Sent from Yahoo Mail on Android\n\n  On Tue, 1 Dec 2026 at 9:00, Shop<a@b.example> wrote:   Please pay.",
        "Sent from my iPhone\n-- \nAda",
        "Von meinem Samsung Galaxy Smartphone gesendet.",
    ] {
        assert_eq!(text_of(&format!("I lost my job.\n\n{below}")), "I lost my job.", "{below}");
    }
}

#[test]
fn line_of_a_phone_above_the_text_is_left_out() {
    for line in [
        "Sent from my iPhone",
        "\nGet Outlook for iOS<https://aka.ms/o0ukef>",
        "Von meinem Samsung Galaxy Smartphone gesendet.",
    ] {
        assert_eq!(text_of(&format!("{line}\n\nI dispute this invoice")), "I dispute this invoice");
    }
}

#[test]
fn every_character_that_breaks_a_line_ends_a_line() {
    for end in ["\r", "\u{b}", "\u{c}", "\u{85}", "\u{2028}", "\u{2029}", "\r\r\n"] {
        assert_eq!(text_of(&format!("unsubscribe{end}John Smith")), "unsubscribe\nJohn Smith", "{end:?}");
        let quoting = "Noted.\n\nOn 1 Dec 2026, Shop <a@b.example> wrote:\n> unsubscribe\n> Shop";
        assert_eq!(text_of(&quoting.replace('\n', end)), "Noted.", "{end:?}");
    }
}
