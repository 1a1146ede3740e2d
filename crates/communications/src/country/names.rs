//! The names of countries, as people write them.

use std::sync::LazyLock;

use classification::fold;
use rustc_hash::FxHashMap;

use super::table::COUNTRIES;

/// Other names in use, and former ones, with the codes of their countries.
pub(super) const OTHER_NAMES: &[(&str, &str)] = &[
    ("America", "US"),
    ("Aotearoa", "NZ"),
    ("Bonaire", "BQ"),
    ("Bonaire, Sint Eustatius and Saba", "BQ"),
    ("Britain", "GB"),
    ("Brunei Darussalam", "BN"),
    ("Burma", "MM"),
    ("Cabo Verde", "CV"),
    ("Ceylon", "LK"),
    ("Cocos Islands", "CC"),
    ("Congo-Brazzaville", "CG"),
    ("Congo-Kinshasa", "CD"),
    ("Côte d'Ivoire", "CI"),
    ("Curacao", "CW"),
    ("Czech Republic", "CZ"),
    ("Democratic People's Republic of Korea", "KP"),
    ("Democratic Republic of Congo", "CD"),
    ("DPRK", "KP"),
    ("DR Congo", "CD"),
    ("DRC", "CD"),
    ("Dutch Caribbean", "BQ"),
    ("England", "GB"),
    ("Falkland Islands (Malvinas)", "FK"),
    ("Faeroe Islands", "FO"),
    ("Faroes", "FO"),
    ("Great Britain", "GB"),
    ("Great Britain and Northern Ireland", "GB"),
    ("Holland", "NL"),
    ("Holy See", "VA"),
    ("Holy See (Vatican City State)", "VA"),
    ("Hong Kong SAR", "HK"),
    ("Hong Kong SAR China", "HK"),
    ("Keeling Islands", "CC"),
    ("Korea", "KR"),
    ("Kyrgyz Republic", "KG"),
    ("Lao People's Democratic Republic", "LA"),
    ("Lao PDR", "LA"),
    ("Macao", "MO"),
    ("Macao SAR", "MO"),
    ("Macao SAR China", "MO"),
    ("Macau SAR", "MO"),
    ("Macedonia", "MK"),
    ("Malvinas", "FK"),
    ("Northern Ireland", "GB"),
    ("Palestinian Territories", "PS"),
    ("Palestinian Territory", "PS"),
    ("Pitcairn Islands", "PN"),
    ("PRC", "CN"),
    ("Republic of China", "TW"),
    ("Russian Federation", "RU"),
    ("Saba", "BQ"),
    ("Saint Barths", "BL"),
    ("Saint Helena, Ascension and Tristan da Cunha", "SH"),
    ("Saint Martin (French part)", "MF"),
    ("Saint Vincent", "VC"),
    ("Scotland", "GB"),
    ("Sint Eustatius", "BQ"),
    ("Sint Maarten (Dutch part)", "SX"),
    ("Slovak Republic", "SK"),
    ("South Georgia", "GS"),
    ("Svalbard", "SJ"),
    ("Swaziland", "SZ"),
    ("Swiss Confederation", "CH"),
    ("Syrian Arab Republic", "SY"),
    ("Taiwan, Province of China", "TW"),
    ("Timor-Leste", "TL"),
    ("Türkiye", "TR"),
    ("UAE", "AE"),
    ("UK", "GB"),
    ("United States Minor Outlying Islands", "UM"),
    ("United States Virgin Islands", "VI"),
    ("USA", "US"),
    ("USVI", "VI"),
    ("Vatican", "VA"),
    ("Vatican City State", "VA"),
    ("Viet Nam", "VN"),
    ("Virgin Islands of the United States", "VI"),
    ("Wales", "GB"),
    ("Western Samoa", "WS"),
    ("Zaire", "CD"),
];

/// The codes of two and of three letters of ISO 3166, one country a line.
const THREE_LETTERS: &str = include_str!("three_letters.txt");

/// What precedes the name of a country in its full name.
const STYLES: [&str; 4] = ["republic of ", "kingdom of ", "state of ", "states of "];

/// The indices of countries in the table, by their names as [`key`] normalises them.
static PLACES: LazyLock<FxHashMap<String, usize>> = LazyLock::new(|| {
    let rows = COUNTRIES.iter().enumerate();
    let own = rows.map(|(place, (_, name, _))| (key(name), place));
    let others = OTHER_NAMES.iter().filter_map(|(name, code)| Some((key(name), place_of(code)?)));
    own.chain(others).collect()
});

/// The index of a country in the table, by a code or any of its names.
pub(super) fn find(text: &str) -> Option<usize> {
    let code = text.replace('.', "");
    let by_code = place_of(code.trim()).or_else(|| place_of(two_letters(code.trim())?));
    by_code.or_else(|| named(&key(text))).or_else(|| {
        // Sorted lists put the main word first: "Iran, Islamic Republic of", "Iran (Islamic Republic of)".
        let (last, first) = text.split_once([',', '('])?;
        named(&key(&format!("{first} {last}")))
    })
}

/// The code of two letters of the country with this code of three.
fn two_letters(code: &str) -> Option<&'static str> {
    let mut codes = THREE_LETTERS.lines().filter_map(|line| line.split_once(' '));
    codes.find(|(_, three)| three.eq_ignore_ascii_case(code)).map(|(two, _)| two)
}

fn place_of(code: &str) -> Option<usize> {
    COUNTRIES.iter().position(|(own, ..)| own.eq_ignore_ascii_case(code))
}

fn named(key: &str) -> Option<usize> {
    let without_style = |style| key.rsplit_once(style).and_then(|(_, name)| PLACES.get(name));
    PLACES.get(key).or_else(|| STYLES.into_iter().find_map(without_style)).copied()
}

/// Normalises a name: case, accents, punctuation, "&" or "and" or neither, "St" or "Saint", and "the" make
/// no difference.
fn key(name: &str) -> String {
    let mut plain = String::with_capacity(name.len());
    for character in name.chars() {
        match character {
            '&' => plain.push_str(" and "),
            '.' | '\'' | '’' | '‘' | '`' | '´' => {}
            other => fold(other, &mut plain),
        }
    }
    let words =
        plain.split(|c: char| !c.is_alphanumeric()).filter(|word| !matches!(*word, "" | "the" | "and"));
    words.map(|word| if word == "st" { "saint" } else { word }).collect::<Vec<_>>().join(" ")
}

#[cfg(test)]
mod tests {
    use super::*;

    fn code(text: &str) -> Option<&'static str> {
        find(text).and_then(|place| COUNTRIES.get(place)).map(|(code, ..)| *code)
    }

    #[test]
    fn every_name_of_iso_3166_is_found_with_its_second_part_in_brackets() {
        for line in include_str!("iso_names.txt").lines() {
            let (own, name) = line.split_once(' ').unwrap();
            let (main, rest) = name.split_once(", ").unwrap_or((name, "the"));
            for rest in [rest.to_owned(), format!("the {rest}")] {
                let bracketed = format!("{main} ({rest})");
                assert_eq!(code(&bracketed), Some(own), "{bracketed}");
            }
        }
        // Those that the list of names calls otherwise.
        for (written, own) in [
            ("Netherlands (Kingdom of the)", "NL"),
            ("Korea (the Democratic People's Republic of)", "KP"),
            ("Korea (the Republic of)", "KR"),
            ("United Kingdom of Great Britain and Northern Ireland (the)", "GB"),
            ("Falkland Islands (the) [Malvinas]", "FK"),
        ] {
            assert_eq!(code(written), Some(own), "{written}");
        }
    }

    #[test]
    fn every_country_has_one_code_of_three_letters() {
        for (own, ..) in COUNTRIES {
            let codes: Vec<&str> = THREE_LETTERS.lines().filter(|line| line.starts_with(own)).collect();
            assert_eq!(codes.len(), 1, "{own}: {codes:?}");
            assert_eq!(code(&codes[0][3..].to_lowercase()), Some(*own), "{codes:?}");
        }
        for (written, own) in [("AUS", "AU"), ("KOR", "KR"), ("deu", "DE"), ("G.B.R.", "GB"), ("AND", "AD")] {
            assert_eq!(code(written), Some(own), "{written}");
        }
    }

    #[test]
    fn every_country_is_found_by_its_code_and_its_names_of_iso_3166_and_others() {
        let iso = include_str!("iso_names.txt").lines().map(|line| line.split_once(' ').unwrap());
        let mut codes = Vec::new();
        for (own, name) in iso {
            assert_eq!((code(name), code(own)), (Some(own), Some(own)), "{name}");
            codes.push(own);
        }
        for (own, name, _) in COUNTRIES {
            assert_eq!(code(name), Some(*own), "{name}");
            assert!(codes.contains(own), "{own}");
        }
        for (name, own) in OTHER_NAMES {
            assert_eq!(code(&name.to_uppercase()), Some(*own), "{name}");
        }
    }

    #[test]
    fn name_is_found_however_it_is_written() {
        for (written, own) in [
            ("BOSNIA & HERZEGOVINA", "BA"),
            ("Bosnia-Herzegovina", "BA"),
            ("Cote d’Ivoire", "CI"),
            ("Re\u{301}union", "RE"),
            ("St. Lucia", "LC"),
            ("st kitts and nevis", "KN"),
            ("The Gambia", "GM"),
            ("Bahamas, The", "BS"),
            ("the  Netherlands", "NL"),
            ("U.S. Virgin Islands", "VI"),
            ("U.S.A.", "US"),
            (" u.k. ", "GB"),
            ("Congo (Kinshasa)", "CD"),
            ("Republic of the Congo", "CG"),
            ("Republic of Ireland", "IE"),
            ("Republic of Korea", "KR"),
            ("Federal Republic of Germany", "DE"),
            ("People's Republic of China", "CN"),
            ("TÜRKİYE", "TR"),
        ] {
            assert_eq!(code(written), Some(own), "{written}");
        }
        for unknown in ["", ",", "the", "Atlantis", "AQ", "Republic of ", "New", "North"] {
            assert_eq!(code(unknown), None, "{unknown}");
        }
    }
}
